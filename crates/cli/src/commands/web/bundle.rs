//! The page: files compressed with gzip, from this build or from the cache.

use std::borrow::Cow;
use std::io::{self, Read};

use flate2::read::GzDecoder;

include!(concat!(env!("OUT_DIR"), "/bundle.rs"));

/// The files of the page.
pub struct Page {
    /// Names below the page's address, sorted, and contents.
    files: Vec<(Cow<'static, str>, Cow<'static, [u8]>)>,
}

/// A file of the page.
#[derive(Clone, Copy)]
pub struct PageFile<'a> {
    /// Path of the file, relative to the page's address.
    pub name: &'a str,
    /// Content of the file, compressed with gzip.
    pub compressed: &'a [u8],
    /// MIME type of the file.
    pub mime: &'static str,
    /// Whether the file's name contains a hash of its content: a browser may then cache the file without revalidation.
    pub immutable: bool,
}

impl Page {
    /// The embedded page; `None` if this build embeds none.
    pub fn from_build() -> Option<Self> {
        let files = FILES.iter().map(|(name, bytes)| (Cow::Borrowed(*name), Cow::Borrowed(*bytes)));
        (!FILES.is_empty()).then(|| Page { files: files.collect() })
    }

    /// Builds a page from these files. Returns `None` without `index.html`.
    pub fn from_files(mut files: Vec<(String, Vec<u8>)>) -> Option<Self> {
        files.sort();
        let files = files.into_iter().map(|(name, bytes)| (Cow::Owned(name), Cow::Owned(bytes)));
        let page = Page { files: files.collect() };
        page.file("").is_some().then_some(page)
    }

    /// Names and compressed contents, sorted by name.
    pub fn files(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.files.iter().map(|(name, bytes)| (name.as_ref(), bytes.as_ref()))
    }

    /// The file of a path below the page's address; `None` if there is none. Only names of the page's files match, so
    /// no path leads outside.
    pub fn file(&self, path: &str) -> Option<PageFile<'_>> {
        let name = if path.is_empty() { "index.html" } else { path };
        let at = self.files.binary_search_by_key(&name, |(name, _)| name).ok()?;
        let (name, compressed) = self.files.get(at)?;
        Some(PageFile { name, compressed, mime: mime_type(name), immutable: name.starts_with("assets/") })
    }

    /// Whether every file can be decompressed.
    pub fn is_readable(&self) -> bool {
        let mut gone = io::sink();
        self.files.iter().all(|(_, compressed)| io::copy(&mut GzDecoder::new(compressed.as_ref()), &mut gone).is_ok())
    }

    /// Returns the text of a file; `None` if there is no such file, or if it is damaged.
    pub fn text(&self, path: &str) -> Option<String> {
        let mut text = String::new();
        GzDecoder::new(self.file(path)?.compressed).read_to_string(&mut text).ok()?;
        Some(text)
    }
}

fn mime_type(name: &str) -> &'static str {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_by_exact_name_only() {
        let files = ["index.html", "assets/a.js", "a.wasm"].map(|name| (name.to_owned(), name.as_bytes().to_vec()));
        let page = Page::from_files(files.into()).unwrap();
        assert_eq!(page.file("").unwrap().compressed, b"index.html");
        let script = page.file("assets/a.js").unwrap();
        assert_eq!((script.mime, script.immutable), ("text/javascript; charset=utf-8", true));
        for absent in ["/index.html", "./index.html", "assets", "assets/", "assets/../index.html", "../a.wasm"] {
            assert!(page.file(absent).is_none(), "{absent}");
        }
    }

    #[test]
    fn files_without_an_index_page_are_refused() {
        assert!(Page::from_files(vec![("a.js".to_owned(), vec![1])]).is_none());
    }
}
