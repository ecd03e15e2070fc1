//! Fuzz input: bytes as a recording of a link. The first byte selects the kind: delivery trace, link trace, or times of
//! channel changes.

use scenario::goel1997::trace_file;
use scenario::recordings::Read;

/// Runs an arbitrary input; a panic is a finding.
pub fn take(bytes: &[u8]) {
    let Some((kind, bytes)) = bytes.split_first() else { return };
    let text = String::from_utf8_lossy(bytes);
    let read = Read::default();
    let problem = match kind % 3 {
        0 => read.opportunities("input", &text).map(|opportunities| opportunities.mean_rate()).err(),
        1 => read.table("input", &text).map(drop).err(),
        _ => match trace_file::parse("input", bytes) {
            Ok(switches) => {
                assert!(switches.is_sorted_by(|one, other| one < other), "{switches:?}");
                assert_eq!(trace_file::parse("again", trace_file::write(&switches).as_bytes()), Ok(switches));
                None
            }
            Err(problem) => Some(problem),
        },
    };
    if let Some(problem) = problem {
        assert!(!problem.expected.is_empty(), "{problem:?}");
        assert!(!problem.to_string().contains(|c: char| c.is_control() && c != '\n'), "{problem:?}");
    }
}
