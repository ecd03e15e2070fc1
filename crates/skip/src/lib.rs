//! Reporting of tests that cannot run on this machine.
//!
//! [`skip!`] ends the test, prints `skipped: NAME: REASON`, and appends `NAME: REASON` to a file in the directory named
//! by the environment variable [`DIRECTORY`]. [`need!`] does so if a program of [`PROGRAMS`] is not installed.
//! `cargo xtask test` sets the variable; with `--install` it fails on a skip that `xtask/allowed-skips.txt` does not
//! list.
//!
//! ```
//! fn a_capture_is_read_by_tshark() {
//!     skip::need!("tshark");
//!     // ...
//! }
//! a_capture_is_read_by_tshark();
//! ```

mod programs;

pub use programs::{PROGRAMS, Program, find_on_path, find_program, is_on_path, program_named};

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

/// Environment variable with the directory in which skips are recorded.
pub const DIRECTORY: &str = "LASTHOP_SKIPS";

/// Ends a test function without a return value. The arguments give the reason, as in `format!`.
#[macro_export]
macro_rules! skip {
    ($($reason:tt)+) => {{
        // The type name of this function is the path of the test.
        fn here() {}
        $crate::note(::std::any::type_name_of_val(&here), &::std::format!($($reason)+));
        return;
    }};
}

/// Ends a test function without a return value if a program of [`PROGRAMS`] is not installed. Otherwise gives the name
/// under which the program is installed.
#[macro_export]
macro_rules! need {
    ($program:literal) => {
        match $crate::find_program($program) {
            ::std::result::Result::Ok(name) => name,
            ::std::result::Result::Err(reason) => $crate::skip!("{reason}"),
        }
    };
}

/// Records that the test that contains the function `place` was skipped.
///
/// # Panics
/// If the record cannot be written: the skip would not be noticed.
pub fn note(place: &str, reason: &str) {
    let name = place.strip_suffix("::here").unwrap_or(place).replace("::{{closure}}", "");
    let line = format!("{name}: {}\n", reason.replace('\n', " "));
    // The text is written to standard error directly, because libtest captures the output of `eprintln!` and shows it
    // only for failed tests.
    let _ = write!(std::io::stderr().lock(), "skipped: {line}");
    if let Some(directory) = std::env::var_os(DIRECTORY) {
        let path = Path::new(&directory).join(std::process::id().to_string());
        let noted = fs::create_dir_all(&directory)
            .and_then(|()| OpenOptions::new().create(true).append(true).open(&path))
            // The line is written at once, so that lines of several threads do not mix.
            .and_then(|mut file| file.write_all(line.as_bytes()));
        noted.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
}
