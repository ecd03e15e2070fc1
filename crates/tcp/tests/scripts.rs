//! packetdrill scripts of TCP's rules: scripts in `scripts/pass` agree to the nanosecond; scripts in
//! `scripts/known-wrong`, which show known differences from Linux, must fail. `crates/drill` tests the language.

use std::fs;
use std::path::{Path, PathBuf};

use drill::code::PyValue;
use drill::end::{ConnectionEnd, ConnectionFailure, ConnectionStage, OpenRole, Ports};
use drill::endpoint::open_endpoint;
use drill::report::ScriptOutcome;
use drill::settings::HostSettings;
use engine::{Span, Time};
use wire::{Ecn, Flags, SackBlocks, Segment, SeqNum};

/// The scripts of a folder and its subfolders, with their relative names.
fn scripts(folder: &str) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scripts").join(folder);
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    assert!(!files.is_empty());
    let read = |file: &PathBuf| {
        let name = file.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
        let text = fs::read_to_string(file).unwrap();
        (name, text)
    };
    files.iter().map(read).collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|end| end == "pkt") {
            files.push(path);
        }
    }
}

/// The failures of scripts that should pass, with ends created by `open`.
fn wrong(open: &drill::end::Opener<'_>) -> String {
    let mut wrong = String::new();
    for (name, text) in scripts("pass") {
        let script = drill::parse_script(&text).unwrap_or_else(|error| panic!("{name}:{error}"));
        let report = drill::run_script(&script, Some(Span::ZERO), open);
        if let Some(message) = report.message(&name, &text) {
            wrong.push_str(&format!("{message}\n"));
        }
        if report.unread > 0 {
            wrong.push_str(&format!("{name}: {} packets without a line for them\n", report.unread));
        }
    }
    wrong
}

#[test]
fn scripts_written_from_the_standards_pass() {
    let wrong = wrong(&open_endpoint);
    assert!(wrong.is_empty(), "\n{wrong}");
}

// covers [RFC9293 s3.4]: arithmetic on sequence numbers is modulo 2^32.
#[test]
fn scripts_pass_wherever_sequence_numbers_wrap() {
    for before in [0, 1, 500, 1500, 7000] {
        let wrapping = |role: OpenRole, settings: &HostSettings, ports: Ports, iss: SeqNum| {
            let ours = SeqNum(0u32.wrapping_sub(before)).since(iss) as u32;
            let end = open_endpoint(role, settings, ports, iss + ours)?;
            Ok(Box::new(Moved { end, ours, theirs: None, before }) as Box<dyn ConnectionEnd>)
        };
        let wrong = wrong(&wrapping);
        assert!(wrong.is_empty(), "{before} before 2^32\n{wrong}");
    }
}

/// An end with sequence numbers in both directions that begin shortly before 2^32.
struct Moved {
    end: Box<dyn ConnectionEnd>,
    /// Offset of the sequence numbers of the end under test.
    ours: u32,
    /// Offset of the other end's sequence numbers, known after its first segment.
    theirs: Option<u32>,
    before: u32,
}

fn moved(blocks: &SackBlocks, by: u32) -> SackBlocks {
    blocks.as_slice().iter().map(|(from, to)| (*from + by, *to + by)).collect()
}

impl ConnectionEnd for Moved {
    fn handle_segment(&mut self, now: Time, segment: &Segment, ecn: Ecn) {
        let theirs =
            *self.theirs.get_or_insert_with(|| SeqNum(0u32.wrapping_sub(self.before)).since(segment.seq) as u32);
        let mut segment = *segment;
        segment.seq = segment.seq + theirs;
        if segment.flags.has(Flags::ACK) {
            segment.ack = segment.ack + self.ours;
        }
        segment.options.sack = moved(&segment.options.sack, self.ours);
        self.end.handle_segment(now, &segment, ecn);
    }

    fn poll_transmit(&mut self, now: Time) -> Option<(Segment, Ecn)> {
        let (mut segment, ecn) = self.end.poll_transmit(now)?;
        let back = 0u32.wrapping_sub(self.theirs.unwrap_or(0));
        segment.seq = segment.seq + 0u32.wrapping_sub(self.ours);
        if segment.flags.has(Flags::ACK) {
            segment.ack = segment.ack + back;
        }
        segment.options.sack = moved(&segment.options.sack, back);
        Some((segment, ecn))
    }

    fn stage(&self) -> ConnectionStage {
        self.end.stage()
    }
    fn failure(&self) -> Option<ConnectionFailure> {
        self.end.failure()
    }
    fn write(&mut self, bytes: u64) {
        self.end.write(bytes);
    }
    fn set_nodelay(&mut self, on: bool) {
        self.end.set_nodelay(on);
    }
    fn set_cork(&mut self, on: bool) {
        self.end.set_cork(on);
    }
    fn set_quick_acks(&mut self, on: bool) {
        self.end.set_quick_acks(on);
    }
    fn set_more(&mut self, on: bool) {
        self.end.set_more(on);
    }
    fn end_record(&mut self) {
        self.end.end_record();
    }
    fn set_user_timeout(&mut self, timeout: Option<Span>) {
        self.end.set_user_timeout(timeout);
    }
    fn shutdown_write(&mut self) {
        self.end.shutdown_write();
    }
    fn close(&mut self) {
        self.end.close();
    }
    fn abort(&mut self) {
        self.end.abort();
    }
    fn readable(&self) -> u64 {
        self.end.readable()
    }
    fn read(&mut self, most: u64) -> u64 {
        self.end.read(most)
    }
    fn at_end(&self) -> bool {
        self.end.at_end()
    }
    fn unacknowledged_bytes(&self) -> u64 {
        self.end.unacknowledged_bytes()
    }
    fn info(&self, name: &str) -> Option<PyValue> {
        self.end.info(name)
    }
    fn handle_timeout(&mut self, now: Time) {
        self.end.handle_timeout(now);
    }
    fn poll_timeout(&self) -> Time {
        self.end.poll_timeout()
    }
}

// covers [RFC3168 s6.1.2]: only the first segment after a reduction has CWR.
#[test]
fn merged_segments_have_the_cwr_of_the_first() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scripts/pass/ecn/once-a-window-together.pkt");
    let script = fs::read_to_string(file).unwrap();
    for (line, found) in [
        ("P. 10001:14001(4000) ack 1", "[ect0] PW. 10001:14001(4000) ack 1"),
        ("PW. 10001:15001(5000) ack 1", "[ect0] PW. 10001:14001(4000) ack 1"),
    ] {
        let text = script.replace("PW. 10001:14001(4000) ack 1", line);
        let message = drill::run_script(&drill::parse_script(&text).unwrap(), None, &open_endpoint)
            .message("a.pkt", &text)
            .unwrap();
        assert!(message.contains(&format!(" > {found}")), "{line}: {message}");
    }
}

/// A script that passes must be moved to `pass`.
#[test]
fn scripts_known_to_be_wrong_fail() {
    for (name, text) in scripts("known-wrong") {
        let script = drill::parse_script(&text).unwrap_or_else(|error| panic!("{name}:{error}"));
        let outcome = drill::run_script(&script, Some(Span::ZERO), &open_endpoint).outcome;
        assert!(matches!(outcome, ScriptOutcome::Failed(_)), "{name}: {}", outcome.name());
    }
}
