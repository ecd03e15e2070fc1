//! The format of a page's file in the cache: a line with the checksum of the rest, a line with length and name for each
//! file, an empty line, and the contents of the files one after the other.

use std::fmt::Write as _;

use flate2::Crc;

use super::bundle::Page;

/// The first word of a file.
const MAGIC: &str = "lasthop-page-1";

/// The bytes of a page's file.
pub fn pack_page(page: &Page) -> Vec<u8> {
    let mut index = String::new();
    for (name, bytes) in page.files() {
        // Writing to a text in memory does not fail.
        let _ = writeln!(index, "{} {name}", bytes.len());
    }
    let mut rest = format!("{index}\n").into_bytes();
    page.files().for_each(|(_, bytes)| rest.extend_from_slice(bytes));
    [format!("{MAGIC} {:08x}\n", compute_checksum(&rest)).into_bytes(), rest].concat()
}

/// Parses a packed page; `None` if the bytes are damaged.
pub fn unpack_page(bytes: &[u8]) -> Option<Page> {
    let (first, rest) = split_line(bytes)?;
    if first != format!("{MAGIC} {:08x}", compute_checksum(rest)).as_bytes() {
        return None;
    }
    let mut lengths = Vec::new();
    let mut rest = rest;
    loop {
        let (line, after) = split_line(rest)?;
        rest = after;
        if line.is_empty() {
            break;
        }
        let (length, name) = std::str::from_utf8(line).ok()?.split_once(' ')?;
        lengths.push((name.to_owned(), length.parse().ok()?));
    }
    let mut files = Vec::new();
    for (name, length) in lengths {
        let (file, after) = rest.split_at_checked(length)?;
        files.push((name, file.to_vec()));
        rest = after;
    }
    if rest.is_empty() { Page::from_files(files) } else { None }
}

fn split_line(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    Some((&bytes[..end], &bytes[end + 1..]))
}

fn compute_checksum(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Page {
        let files = [("index.html", "first"), ("a.js", ""), ("assets/ b.css", "x\n1 y\n\n")];
        Page::from_files(files.map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec())).into()).unwrap()
    }

    #[test]
    fn packed_page_is_unpacked_with_the_same_files() {
        let page = unpack_page(&pack_page(&sample())).unwrap();
        assert!(page.files().eq(sample().files()));
        assert_eq!(page.file("assets/ b.css").unwrap().compressed, b"x\n1 y\n\n");
    }

    #[test]
    fn every_truncation_and_every_changed_byte_is_detected() {
        let bytes = pack_page(&sample());
        for end in 0..bytes.len() {
            assert!(unpack_page(&bytes[..end]).is_none(), "cut at {end}");
        }
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            assert!(unpack_page(&changed).is_none(), "changed at {at}");
        }
        assert!(unpack_page(&[bytes, vec![0]].concat()).is_none());
    }

    /// The checksum is right, but the index is wrong. No length leads out of the file.
    #[test]
    fn wrong_index_is_refused() {
        for rest in
            ["", "\n", "5 index.html\n\nfour", "x index.html\n\n", "99999999999999999999 index.html\n\n", "4\n\nfour"]
        {
            let bytes = format!("{MAGIC} {:08x}\n{rest}", compute_checksum(rest.as_bytes()));
            assert!(unpack_page(bytes.as_bytes()).is_none(), "{rest:?}");
        }
    }
}
