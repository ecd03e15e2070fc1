//! One to four segments lost from one window, after Fall and Floyd (1996): the behaviour of each recovery, as readable
//! tables.
//!
//! One link of 1 segment in 10 ms and 45 ms of delay, acknowledgments take 45 ms back: a round trip of 100 ms, a
//! bandwidth-delay product of ten segments. The receive window is 24 segments. `golden/drops/` has a table for each
//! recovery and number of losses; `UPDATE_GOLDEN=1` rewrites them.

use crate::common;

use std::fmt::Write;

use common::{golden, member};
use engine::{Bytes, Span, Time};
use tcp::recovery::RecoveryConfig;
use tcp::{Config, Connection, Event, Reason};
use wire::{Ecn, Segment};

const SEGMENT: u32 = 1000;
const SERIALIZE: Span = Span::from_millis(10);
const WAY: Span = Span::from_millis(45);
const SEGMENTS: u64 = 60;
/// The segments whose first transmission is lost.
const LOST: [u64; 4] = [14, 16, 18, 20];

/// A transfer over the link.
struct Transfer {
    sender: Connection,
    receiver: Connection,
    now: Time,
    free_at: Time,
    data: std::collections::VecDeque<(Time, Segment)>,
    acks: std::collections::VecDeque<(Time, Segment)>,
    lose: Vec<u64>,
    sent: std::collections::BTreeSet<u64>,
    table: String,
}

impl Transfer {
    fn new(recovery: &str, losses: usize) -> Self {
        let config = Config {
            segment: SEGMENT,
            window: Bytes(24 * u64::from(SEGMENT)).into(),
            recovery: member::<RecoveryConfig>(recovery),
            ..Config::default()
        };
        let end = |local, remote| Connection::established(&config, local, remote, config.window.max());
        let mut sender = end(1, 2);
        sender.observe();
        sender.write(SEGMENTS * u64::from(SEGMENT));
        Transfer {
            sender,
            receiver: end(2, 1),
            now: Time::ZERO,
            free_at: Time::ZERO,
            data: Default::default(),
            acks: Default::default(),
            lose: LOST[..losses].to_vec(),
            sent: Default::default(),
            table: format!("{:>6}  {:>4}  {:<22}  {:>5}\n", "ms", "ack", "sends", "cwnd"),
        }
    }

    /// Transmits all possible segments of both ends, and writes a line about them.
    fn step(&mut self, ack: Option<u64>) {
        while let Some((segment, _)) = self.receiver.poll_transmit(self.now) {
            self.acks.push_back((self.now + WAY, segment));
        }
        while let Some((segment, _)) = self.sender.poll_transmit(self.now) {
            let number = u64::from(segment.seq.0 / SEGMENT);
            self.free_at = self.free_at.max(self.now) + SERIALIZE;
            if self.sent.insert(number) && self.lose.contains(&number) {
                continue;
            }
            self.data.push_back((self.free_at + WAY, segment));
        }
        let mut sends = Vec::new();
        let mut note = "";
        while let Some(event) = self.sender.poll_event() {
            match event {
                Event::SegmentSent { seq, reason, .. } => {
                    let mark = if reason == Reason::New { "" } else { "*" };
                    let lost = if reason == Reason::New && self.lose.contains(&(seq / 1000)) { "x" } else { "" };
                    sends.push(format!("{}{mark}{lost}", seq / 1000));
                }
                Event::FastRetransmit { .. } => note = "  loss",
                Event::Timeout { .. } => note = "  timeout",
                Event::RecoveryEnd => note = "  recovered",
                _ => {}
            }
        }
        let ms = self.now.as_nanos() / 1_000_000;
        let ack = ack.map_or_else(|| "-".to_owned(), |ack| ack.to_string());
        let cwnd = self.sender.cwnd() / 1000.0;
        if !sends.is_empty() || !note.is_empty() || ack != "-" {
            writeln!(self.table, "{ms:>6}  {ack:>4}  {:<22}  {cwnd:>5.2}{note}", sends.join(" ")).unwrap();
        }
    }

    /// Runs to the end; returns the table, the number of retransmissions, the number of timeouts, and the time of the
    /// end.
    fn run(mut self) -> (String, u64, u64, Time) {
        self.step(None);
        while !self.sender.done() {
            let first =
                |queue: &std::collections::VecDeque<(Time, Segment)>| queue.front().map_or(Time::NEVER, |f| f.0);
            let (data, ack, timer) = (first(&self.data), first(&self.acks), self.sender.poll_timeout());
            self.now = data.min(ack).min(timer);
            assert!(self.now != Time::NEVER, "stalled");
            if data == self.now {
                let (_, segment) = self.data.pop_front().unwrap();
                self.receiver.handle_segment(self.now, &segment, Ecn::NotEct);
                self.step(None);
            } else if ack == self.now {
                let (_, segment) = self.acks.pop_front().unwrap();
                self.sender.handle_segment(self.now, &segment, Ecn::NotEct);
                self.step(Some(u64::from(segment.ack.0 / SEGMENT)));
            } else {
                self.sender.handle_timeout(self.now);
                self.step(None);
            }
        }
        let counters = self.sender.counters();
        (self.table, counters.segments_retransmitted, counters.timeouts, self.now)
    }
}

/// Each recovery, with one to four losses.
#[test]
fn recovery_tables_match_the_golden_files() {
    for (recovery, _) in RecoveryConfig::MEMBERS {
        for losses in 1..=LOST.len() {
            let (table, again, timeouts, end) = Transfer::new(recovery, losses).run();
            let head = format!(
                "{recovery}, segments {:?} lost: {again} sent again, {timeouts} timeouts, {} ms\n\n",
                &LOST[..losses],
                end.as_nanos() / 1_000_000
            );
            golden(&format!("drops/{recovery}-{losses}.txt"), &(head + &table));
        }
    }
}

/// The paper's results: Tahoe begins slow start each time and retransmits delivered data, Reno recovers two losses and
/// needs a timeout for more, NewReno recovers one hole per round trip, and with SACK all are recovered in one round
/// trip.
#[test]
fn each_recovery_follows_its_rule() {
    let run = |recovery, losses| {
        let (_, again, timeouts, end) = Transfer::new(recovery, losses).run();
        (again, timeouts, end.as_nanos() / 1_000_000)
    };
    for losses in 1..=LOST.len() {
        let [tahoe, reno, newreno, sack, rack] =
            ["tahoe", "reno", "newreno", "sack", "rack"].map(|recovery| run(recovery, losses));
        let lost = losses as u64;
        // Data stored by the receiver is acknowledged immediately; data in the holes is retransmitted.
        assert!(tahoe.0 > lost || losses == 1, "Tahoe sent {} again", tahoe.0);
        assert!(tahoe.2 > newreno.2, "Tahoe {} ms, NewReno {} ms", tahoe.2, newreno.2);
        assert_eq!(tahoe.1, 0, "Tahoe needs no timeout");
        assert_eq!(reno.1 > 0, losses > 2, "Reno, {losses} losses: {} timeouts", reno.1);
        assert_eq!((newreno.0, newreno.1), (lost, 0), "NewReno");
        assert_eq!((sack.0, sack.1), (lost, 0), "SACK");
        assert_eq!((rack.0, rack.1), (lost, 0), "RACK");
        if losses > 1 {
            assert!(sack.2 < newreno.2, "SACK {} ms, NewReno {} ms", sack.2, newreno.2);
        }
        if losses > 2 {
            assert!(newreno.2 < reno.2, "NewReno {} ms, Reno {} ms", newreno.2, reno.2);
        }
    }
}
