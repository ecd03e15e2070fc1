//! Expected packets.
//!
//! Linux passes segments joined for offload to its device, and scripts show them as `1:10001(10000)`. lasthop's TCP
//! sends at most one MSS per segment. Therefore such a line matches several consecutive segments, all of which must
//! meet the time.

use engine::Time;
use wire::{Flags, Segment};

use super::compare::{ComparedParts, compare_packets};
use super::{EventWindow, Runner, Step, stop_unsupported};
use crate::outbox::SentSegment;
use crate::report::{Mismatch, format_seconds};
use crate::syntax::ast::{Opt, ScriptEvent, Tcp};

/// Hint for a window scale that differs.
const SCALES: &str = "the window scale follows from tcp_rmem: 7 with Linux's defaults, 8 after `defaults.sh`";

/// Returns true if both packets have a window scale option with different values.
fn scales_differ(expected: &Tcp, found: &Tcp) -> bool {
    let scale = |tcp: &Tcp| {
        tcp.options.iter().flatten().find_map(|option| match option {
            Opt::Scale(shift) => Some(*shift),
            _ => None,
        })
    };
    matches!((scale(expected), scale(found)), (Some(expected), Some(found)) if expected != found)
}

impl Runner<'_> {
    pub(super) fn expect(&mut self, event: &ScriptEvent, tcp: &Tcp, window: Option<EventWindow>) -> Step {
        let place = event.action_place;
        if let Some(text) = tcp.options.iter().flatten().find_map(|option| match option {
            Opt::Other(text) => Some(text),
            _ => None,
        }) {
            return stop_unsupported(place, format!("the TCP option `{text}`"));
        }
        let until = match window {
            Some(window) => window.to + window.grace + self.head.tolerance,
            None => self.host.now() + self.host.clock().patience(),
        };
        let first = self.next_sent(event, tcp, window, until)?;
        let position = self.logged[self.host.outbox().last_taken()];
        let (joined, last) = self.join(first, tcp, until)?;
        self.numbers.learn(tcp, &first.segment);
        self.report.checked += 1;
        // The mapping to script numbers was unknown when the segment was logged, so the segment is formatted again.
        self.report.packets[position].tcp = self.numbers.convert_sent(&first);
        let found = self.numbers.convert_sent(&joined);
        let cells = compare_packets(tcp, &found, ComparedParts { push: last.last, ticks: self.head.ticks });
        if cells.iter().any(|cell| !cell.agree) {
            let hint = scales_differ(tcp, &found).then(|| SCALES.to_owned());
            let found = Mismatch::Packet { expected: window.map(|window| window.from), found: first.time, cells };
            return Err(self.fail_at(position, place, "another packet was expected", found, hint));
        }
        let Some(window) = window else { return Ok(()) };
        // All segments of a line have the same expected time.
        for (what, sent) in [("the packet came", first), ("the last segment of the packet came", last)] {
            if let Some((headline, mut found, hint)) = self.late(place, what, window, sent.time) {
                if let Mismatch::Words { found, .. } = &mut found {
                    found.push_str(&format!(" > {}", self.numbers.convert_sent(&sent)));
                }
                return Err(self.fail_at(position, place, &headline, found, Some(hint)));
            }
        }
        Ok(())
    }

    /// Waits for the next segment sent, until `until`; an error if there is none.
    fn next_sent(
        &mut self,
        event: &ScriptEvent,
        tcp: &Tcp,
        window: Option<EventWindow>,
        until: Time,
    ) -> Step<SentSegment> {
        self.advance(until.max(self.host.now()), true)?;
        if let Some(sent) = self.host.outbox_mut().take() {
            return Ok(sent);
        }
        let (now, expected) = (self.host.now(), format!("> {tcp}"));
        let expected = match window {
            Some(window) if window.from == window.to => format!("{} {expected}", format_seconds(window.from)),
            Some(window) => format!("{}~{} {expected}", format_seconds(window.from), format_seconds(window.to)),
            None => format!("* {expected}"),
        };
        let moved = self.host.advance(now + self.host.clock().beyond(), true);
        let later = match self.host.outbox().peek().filter(|_| moved.is_ok()) {
            Some(sent) => format!(
                "no packet; the next one is {} > {}",
                format_seconds(sent.time),
                self.numbers.convert_sent(sent)
            ),
            None => "no further packet".into(),
        };
        let found = Mismatch::Words { expected, found: later };
        Err(self.fail(event.action_place, "a packet is missing", found, None))
    }

    /// Takes the segments that follow `first` and are part of `expected`, if `expected` is longer than the MSS. Returns
    /// the joined segment and the last of its parts.
    fn join(&mut self, first: SentSegment, expected: &Tcp, until: Time) -> Step<(SentSegment, SentSegment)> {
        let (mut joined, mut last) = (first, first);
        let mss = self.host.info("tcpi_snd_mss").and_then(|mss| mss.whole()).unwrap_or(0);
        let begins = self.numbers.convert_sent(&first).seq == expected.seq;
        if !begins || first.segment.len == 0 || i64::from(expected.len) <= mss {
            return Ok((joined, last));
        }
        while joined.segment.len < expected.len {
            self.advance(until.max(self.host.now()), true)?;
            let Some(next) = self.host.outbox().peek().copied() else { break };
            if !continues_segment(&joined, &next) || joined.segment.len + next.segment.len > expected.len {
                break;
            }
            self.host.outbox_mut().take();
            joined.segment.len += next.segment.len;
            joined.segment.flags = Flags(joined.segment.flags.0 & !CLOSING.0 | next.segment.flags.0 & CLOSING.0);
            last = next;
        }
        Ok((joined, last))
    }
}

/// Flags taken from the last of the joined segments.
const CLOSING: Flags = Flags(Flags::PSH.0 | Flags::FIN.0);

/// Returns true if a device could have cut `next` from the same offloaded segment as `before`. In this case the headers
/// are equal, apart from CWR, which only the first part has [RFC3168 s6.1.2], and from the timestamp value.
fn continues_segment(before: &SentSegment, next: &SentSegment) -> bool {
    let header = |sent: &SentSegment, but: Flags| {
        let Segment { ack, window, window_shift, flags, mut options, .. } = sent.segment;
        if let Some(stamps) = &mut options.timestamps {
            stamps.value = 0;
        }
        (ack, window >> window_shift.min(31), flags.0 & !(CLOSING.0 | but.0), options, sent.ecn)
    };
    next.segment.len > 0
        && next.segment.seq == before.segment.seq + before.segment.len
        && header(before, Flags::CWR) == header(next, Flags::default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::{Ecn, SeqNum, Timestamps};

    #[test]
    fn segments_with_equal_headers_and_contiguous_data_are_joined() {
        let flags = Flags::ACK | Flags::CWR;
        let segment = Segment { seq: SeqNum(10), len: 5, flags, window: 800, ..Segment::default() };
        let before = SentSegment { time: Time::ZERO, segment, ecn: Ecn::Ect0, last: false };
        let next = |change: fn(&mut SentSegment)| {
            let segment = Segment { seq: SeqNum(15), flags: Flags::ACK | Flags::PSH, ..segment };
            let mut next = SentSegment { segment, last: true, ..before };
            change(&mut next);
            continues_segment(&before, &next)
        };
        assert!(next(|_| {}));
        for (change, what) in [
            ((|next| next.segment.seq = SeqNum(16)) as fn(&mut SentSegment), "a hole"),
            (|next| next.segment.len = 0, "no data"),
            (|next| next.segment.ack = SeqNum(1), "another acknowledgment"),
            (|next| next.segment.window = 801, "another window"),
            (|next| next.segment.flags = Flags::ACK | Flags::ECE, "an echo"),
            (|next| next.segment.flags = Flags::ACK | Flags::CWR, "a second CWR"),
            (|next| next.ecn = Ecn::NotEct, "no ECT"),
            (|next| next.segment.options.sack = [(SeqNum(1), SeqNum(2))].into_iter().collect(), "SACK"),
        ] {
            assert!(!next(change), "{what}");
        }
        let mut stamped = [before, before];
        stamped[1].segment.seq = SeqNum(15);
        stamped[1].segment.flags = Flags::ACK;
        for (value, echo, follow) in [(7, 3, true), (8, 3, true), (7, 4, false)] {
            stamped[0].segment.options.timestamps = Some(Timestamps { value: 7, echo: 3 });
            stamped[1].segment.options.timestamps = Some(Timestamps { value, echo });
            assert_eq!(continues_segment(&stamped[0], &stamped[1]), follow, "{value} {echo}");
        }
    }
}
