//! The target of pictures.

use std::path::{Path, PathBuf};

use report::pictures::Drawn;
use scenario::problem::Problem;

use super::super::{format_path, format_problems, print_visible, write_whole};
use super::write_picture;
use crate::CommandFailure;

/// The target of pictures.
pub(super) enum PictureTarget {
    /// Into a directory, each as SVG and PNG.
    Directory(PathBuf),
    /// Into a file, one picture as SVG or PNG.
    File(PathBuf),
}

impl PictureTarget {
    /// The target that --out names: a file if its extension is .svg or .png, otherwise a directory.
    ///
    /// # Errors
    /// The file name has the extension of another kind of file.
    pub(super) fn of_option(out: &Path) -> Result<Self, CommandFailure> {
        let ending = out.extension().and_then(|ending| ending.to_str()).filter(|_| !out.is_dir());
        match ending {
            Some("svg" | "png") => Ok(PictureTarget::File(out.to_owned())),
            // A directory name may include a version, which looks like an extension.
            Some(other) if other.bytes().all(|byte| byte.is_ascii_alphabetic()) => {
                let problem = Problem::new("a file name that ends in .svg or .png, or a directory").in_file("--out");
                Err(CommandFailure::Input(format_problems(&[problem.found(format_path(out))])))
            }
            _ => Ok(PictureTarget::Directory(out.to_owned())),
        }
    }

    /// Refuses several pictures in one file.
    pub(super) fn admit(&self, pictures: usize) -> Result<(), CommandFailure> {
        let PictureTarget::File(file) = self else { return Ok(()) };
        if pictures == 1 {
            return Ok(());
        }
        let problem =
            Problem::new(format!("a directory for {pictures} pictures")).in_file("--out").found(format_path(file));
        Err(CommandFailure::Input(format_problems(&[problem.hint("--flow NAME or --medium NAME draws one")])))
    }

    /// Writes a picture, and prints the names of its files.
    pub(super) fn save(&self, drawn: &Drawn) -> Result<(), CommandFailure> {
        let file = match self {
            PictureTarget::Directory(dir) => {
                return write_picture(drawn, dir)?
                    .iter()
                    .try_for_each(|path| print_visible(&format!("{}\n", format_path(path))));
            }
            PictureTarget::File(file) => file,
        };
        let bytes = if file.extension().is_some_and(|ending| ending == "svg") {
            drawn.picture.svg().into_bytes()
        } else {
            let png = drawn.picture.png(plot::PNG_SCALE);
            png.map_err(|error| CommandFailure::Run(format!("{}: {error}", format_path(file))))?
        };
        write_whole(file, &bytes)?;
        print_visible(&format!("{}\n", format_path(file)))
    }
}
