//! Fuzz input: bytes as a recording of a link. The first byte selects the kind: delivery trace, link trace of any format, or
//! times of channel changes.

use engine::Span;
use scenario::goel1997::trace_file;
use scenario::problem::Problem;
use scenario::recordings::RecordingCache;
use scenario::recordings::format::{Format, READERS};

/// Reads a link trace in the format of this number, or in the recognized one, and what follows from it.
fn table(read: &RecordingCache, text: &str, number: usize) -> Result<(), Problem> {
    let format = READERS.get(number % (READERS.len() + 1)).map_or(Format::Auto, |reader| reader.format);
    let (_, recorded) = read.table("input", text, format)?;
    assert!(recorded.rows.is_sorted_by(|one, other| one.at < other.at), "{recorded:?}");
    assert!(recorded.rows.iter().all(|row| row.at <= recorded.end), "{recorded:?}");
    if let Some([mean, lowest, highest]) = recorded.rates() {
        assert!(lowest <= mean * (1.0 + 1e-9) && mean <= highest * (1.0 + 1e-9), "{recorded:?}");
    }
    let rows = recorded.clone().repeat_rows("input", Span::from_secs(1)).unwrap_or_default();
    assert!(rows.is_sorted_by(|one, other| one.at < other.at), "{rows:?}");
    recorded.once("input", text).map(drop)
}

/// Runs an arbitrary input; a panic is a finding.
pub fn take(bytes: &[u8]) {
    let Some((kind, bytes)) = bytes.split_first() else { return };
    let text = String::from_utf8_lossy(bytes);
    let read = RecordingCache::default();
    let problem = match kind % 3 {
        0 => read.opportunities("input", &text).map(|opportunities| opportunities.mean_rate()).err(),
        1 => table(&read, &text, usize::from(kind / 3)).err(),
        _ => match trace_file::parse_switches("input", bytes) {
            Ok(switches) => {
                assert!(switches.is_sorted_by(|one, other| one < other), "{switches:?}");
                assert_eq!(
                    trace_file::parse_switches("again", trace_file::write_switches(&switches).as_bytes()),
                    Ok(switches)
                );
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
