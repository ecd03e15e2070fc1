//! Damaged datafiles and traces: readers return, never panic, and report problems.

use engine::Span;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use scenario::goel1997::{parse, trace_file};
use scenario::problem::Problem;
use scenario::{check, document};

const FILES: [&str; 2] =
    [include_str!("../../../examples/goel1997/datafile.dat"), include_str!("../../../examples/goel1997/replay.dat")];
const TRACE: &str = "# air\n940 BAD\n1040 GOOD\n1233.5 BAD\n1250 GOOD\n1570 BAD\n1778 GOOD\n";

/// Tokens of the language, and similar ones.
const PIECES: [&str; 24] = [
    "{",
    "}",
    "=",
    ";",
    "#",
    "\n",
    "\r\n",
    "\r",
    "\0",
    "-",
    ".",
    "0",
    "2",
    "99999999999999999999",
    "1e9",
    "µ",
    "\u{feff}",
    "simulator {",
    "wireless_link",
    "shared_links { link_id = 102 }",
    "bad_interval = 940 1040\n",
    "scheme = fifo\n",
    "node_id = 211\n",
    " BAD",
];

/// A kind of damage. Positions are relative, so that they apply to any text.
#[derive(Clone, Debug)]
enum Damage {
    DeleteByte(Index),
    ReplaceByte(Index, u8),
    Insert(Index, &'static str),
    DeleteLine(Index),
    DuplicateLine(Index),
    SwapLines(Index, Index),
    Truncate(Index),
}

fn damage() -> impl Strategy<Value = Damage> {
    let index = any::<Index>;
    prop_oneof![
        index().prop_map(Damage::DeleteByte),
        (index(), any::<u8>()).prop_map(|(at, byte)| Damage::ReplaceByte(at, byte)),
        (index(), b' '..=b'~').prop_map(|(at, byte)| Damage::ReplaceByte(at, byte)),
        (index(), select(&PIECES[..])).prop_map(|(at, piece)| Damage::Insert(at, piece)),
        index().prop_map(Damage::DeleteLine),
        index().prop_map(Damage::DuplicateLine),
        (index(), index()).prop_map(|(one, other)| Damage::SwapLines(one, other)),
        index().prop_map(Damage::Truncate),
    ]
}

impl Damage {
    fn apply(&self, text: &mut Vec<u8>) {
        if text.is_empty() {
            return;
        }
        let mut lines: Vec<Vec<u8>> = text.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
        let count = lines.len();
        match self {
            Damage::DeleteByte(at) => drop(text.remove(at.index(text.len()))),
            Damage::ReplaceByte(at, byte) => *at.get_mut(text) = *byte,
            Damage::Insert(at, piece) => {
                let at = at.index(text.len());
                text.splice(at..at, piece.bytes());
            }
            Damage::Truncate(at) => text.truncate(at.index(text.len())),
            Damage::DeleteLine(line) => drop(lines.remove(line.index(count))),
            Damage::DuplicateLine(line) => lines.insert(line.index(count), line.get(&lines).clone()),
            Damage::SwapLines(one, other) => lines.swap(one.index(count), other.index(count)),
        }
        if matches!(self, Damage::DeleteLine(_) | Damage::DuplicateLine(_) | Damage::SwapLines(..)) {
            *text = lines.concat();
        }
    }
}

fn damaged(text: &str, damages: &[Damage]) -> Vec<u8> {
    let mut text = text.as_bytes().to_vec();
    damages.iter().for_each(|damage| damage.apply(&mut text));
    text
}

/// Asserts properties of every problem, among them that the problem can be printed.
fn complete(problem: &Problem) {
    assert_eq!(problem.file.as_deref(), Some("damaged.dat"));
    assert!(!problem.expected.is_empty(), "{problem:?}");
    assert!(!problem.to_string().contains(|c: char| c.is_control() && c != '\n'), "{problem:?}");
    if let Some((line, column)) = problem.place {
        assert!(line >= 1 && column >= 1, "{problem:?}");
    }
}

fn read_datafile(text: &[u8]) {
    match parse("damaged.dat", text) {
        Ok(parsed) => {
            parsed.warnings.iter().for_each(complete);
            // A network that was read can be checked and written, even if it is not meaningful.
            let _ = check(&parsed.scenario).map_err(|problems| {
                problems.into_iter().for_each(|problem| complete(&parsed.locate(problem)));
            });
            let text = document::render_scenario(&parsed.scenario);
            assert!(toml::from_str(&text).is_ok_and(|again: scenario::Scenario| again == parsed.scenario), "{text}");
        }
        Err(problems) => {
            assert!(!problems.is_empty());
            problems.iter().for_each(complete);
        }
    }
}

fn read_trace(text: &[u8]) {
    match trace_file::parse_switches("damaged.dat", text) {
        Ok(switches) => {
            assert!(switches.is_sorted_by(|one, other| one < other), "{switches:?}");
            let again = trace_file::parse_switches("again.dat", trace_file::write_switches(&switches).as_bytes());
            assert_eq!(again, Ok(switches));
        }
        Err(problem) => {
            complete(&problem);
            assert!(problem.place.is_some(), "{problem:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_datafiles_never_panic(file in select(&FILES[..]), damages in prop::collection::vec(damage(), 0..6)) {
        read_datafile(&damaged(file, &damages));
    }

    #[test]
    fn damaged_traces_never_panic(damages in prop::collection::vec(damage(), 0..4)) {
        read_trace(&damaged(TRACE, &damages));
    }

    #[test]
    fn arbitrary_text_never_panics(text in prop::collection::vec(any::<u8>(), 0..200)) {
        read_datafile(&text);
        read_trace(&text);
    }

    #[test]
    fn random_token_sequences_never_panic(
        pieces in prop::collection::vec(select(&PIECES[..]), 0..40),
        blank in select(&["", " ", "\n"][..]),
    ) {
        let text = pieces.join(blank);
        read_datafile(text.as_bytes());
        read_trace(text.as_bytes());
    }

    #[test]
    fn written_channel_traces_are_parsed_back(stays in prop::collection::vec(1u64..1 << 40, 0..50)) {
        let switches: Vec<Span> = stays
            .iter()
            .scan(Span::ZERO, |at, stay| {
                *at = *at + Span::from_nanos(*stay);
                Some(*at)
            })
            .collect();
        prop_assert_eq!(trace_file::parse_switches("trace.dat", trace_file::write_switches(&switches).as_bytes()), Ok(switches));
    }
}
