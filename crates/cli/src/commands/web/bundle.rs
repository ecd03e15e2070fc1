//! The files of the page, compressed with gzip.

use std::io::Read;

use flate2::read::GzDecoder;

include!(concat!(env!("OUT_DIR"), "/bundle.rs"));

/// A file of the page.
#[derive(Clone, Copy)]
pub struct File {
    /// Its content, compressed with gzip.
    pub compressed: &'static [u8],
    /// Its type.
    pub mime: &'static str,
    /// Whether its name has a hash of its content, so that a browser can keep it for ever.
    pub immutable: bool,
}

/// Whether this build contains the page.
pub fn is_there() -> bool {
    !FILES.is_empty()
}

/// The file of a path below the page's address; `None` if there is none. Files are looked up by their names, so that no
/// path leads out of the page.
pub fn file(path: &str) -> Option<File> {
    let name = if path.is_empty() { "index.html" } else { path };
    let at = FILES.binary_search_by_key(&name, |(name, _)| name).ok()?;
    let (name, compressed) = *FILES.get(at)?;
    Some(File { compressed, mime: mime(name), immutable: name.starts_with("assets/") })
}

/// The text of a file of the page; `None` if this build has none.
pub fn text(path: &str) -> Option<String> {
    let mut text = String::new();
    GzDecoder::new(file(path)?.compressed).read_to_string(&mut text).ok()?;
    Some(text)
}

fn mime(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("json" | "webmanifest") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        _ => "text/plain; charset=utf-8",
    }
}
