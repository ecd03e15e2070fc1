//! Files that outside members read.

use serde::Serialize;
use serde_json::Value;

use crate::registry::files::{ContentFault, FileReader, FileSetting};

/// A setting of an outside member that names a file. The loader reads the file, and passes its content to the member as
/// the value of another setting. Results are stored with the content, so that they do not depend on the file.
pub struct MemberFile {
    /// Setting that names the file.
    pub key: &'static str,
    /// Setting that receives the content.
    pub content_key: &'static str,
    format: MemberFileFormat,
}

/// Reads the content of a text file.
type ParseText = Box<dyn Fn(&str) -> Result<Value, ContentFault>>;

enum MemberFileFormat {
    Text(ParseText),
    Toml,
    States,
}

impl MemberFile {
    /// Declares that the file named by `key` is text; the result of `parse` becomes the value of `content_key`.
    pub fn text<T: Serialize>(
        key: &'static str,
        content_key: &'static str,
        parse: impl Fn(&str) -> Result<T, ContentFault> + 'static,
    ) -> Self {
        let parse = move |text: &str| {
            let content = parse(text)?;
            serde_json::to_value(content).map_err(|error| ContentFault::new(1, error.to_string()))
        };
        MemberFile { key, content_key, format: MemberFileFormat::Text(Box::new(parse)) }
    }

    /// The file named by `key` is a TOML document, which becomes the value of `content_key`.
    pub fn toml(key: &'static str, content_key: &'static str) -> Self {
        MemberFile { key, content_key, format: MemberFileFormat::Toml }
    }

    /// The file named by `key` is a trace of a channel's states, and the times of its changes become the value of
    /// `content_key`.
    pub fn states(key: &'static str, content_key: &'static str) -> Self {
        MemberFile { key, content_key, format: MemberFileFormat::States }
    }

    /// Returns the content of the file `name` of the member at `member_key`; `None` if the reader reports an error.
    pub(super) fn read<F: FileReader>(
        &self,
        member_key: std::fmt::Arguments<'_>,
        name: &str,
        reader: &mut F,
    ) -> Option<Value> {
        let (key, mut file, mut content) = (self.key, Some(name.to_owned()), None);
        match &self.format {
            MemberFileFormat::Text(parse) => {
                let (file, content) = (&mut file, &mut content);
                reader.read_text(FileSetting { key: format_args!("{member_key}.{key}"), file, content }, parse);
            }
            MemberFileFormat::Toml => {
                let (file, content) = (&mut file, &mut content);
                let setting = FileSetting { key: format_args!("{member_key}.{key}"), file, content };
                reader.read_toml(setting, "a TOML document", |_| Vec::new());
            }
            MemberFileFormat::States => {
                let (file, mut switches) = (&mut file, None);
                let setting = FileSetting { key: format_args!("{member_key}.{key}"), file, content: &mut switches };
                reader.read_states(setting);
                content = switches.and_then(|switches| serde_json::to_value(switches).ok());
            }
        }
        content
    }
}
