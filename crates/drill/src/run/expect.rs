//! A packet that must go out.
//!
//! Linux hands its device segments put together for offload, and its scripts show them: `1:10001(10000)`. Our end sends
//! no more than one MSS in a segment, so such a line takes as many segments as it is made of. All must come in time.

use engine::Time;

use super::{Runner, Step, Window, compare};
use crate::outbox::Sent;
use crate::report::{Found, seconds};
use crate::syntax::ast::{Event, Tcp};

impl Runner<'_> {
    pub(super) fn expect(&mut self, event: &Event, tcp: &Tcp, window: Option<Window>) -> Step {
        let place = event.action_place;
        let until = match window {
            Some(window) => window.to + window.grace + self.head.tolerance,
            None => self.host.now() + self.host.clock().patience(),
        };
        let first = self.next_sent(event, tcp, window, until)?;
        let position = self.logged[self.host.outbox().all().len() - self.host.outbox().unread() - 1];
        let (joined, last) = self.join(first, tcp, until)?;
        self.numbers.learn(tcp, &first.segment);
        self.report.checked += 1;
        let mut found = self.numbers.shown(&first);
        // It was written down before the script's numbers for it were known.
        self.report.packets[position].tcp.clone_from(&found);
        found.len = joined.len;
        found.flags = joined.flags;
        let cells = compare(tcp, &found, last.last, self.head.ticks);
        if cells.iter().any(|cell| !cell.agree) {
            let found = Found::Packet { expected: window.map(|window| window.from), found: first.time, cells };
            return Err(self.failed_at(position, place, "another packet was expected", found, None));
        }
        let Some(window) = window else { return Ok(()) };
        // Those that follow the first belong to the same line, so to the same time.
        for (what, time) in [("the packet came", first.time), ("the last segment of the packet came", last.time)] {
            if let Some((headline, found, hint)) = self.late(place, what, window, time) {
                return Err(self.failed_at(position, place, &headline, found, Some(hint)));
            }
        }
        Ok(())
    }

    /// The next segment that goes out, which must be by `until`.
    fn next_sent(&mut self, event: &Event, tcp: &Tcp, window: Option<Window>, until: Time) -> Step<Sent> {
        self.advance(until.max(self.host.now()), true)?;
        if let Some(sent) = self.host.outbox_mut().take() {
            return Ok(sent);
        }
        let (now, expected) = (self.host.now(), format!("> {tcp}"));
        let expected = match window {
            Some(window) if window.from == window.to => format!("{} {expected}", seconds(window.from)),
            Some(window) => format!("{}~{} {expected}", seconds(window.from), seconds(window.to)),
            None => format!("* {expected}"),
        };
        let moved = self.host.advance(now + self.host.clock().beyond(), true);
        let later = match self.host.outbox().peek().filter(|_| moved.is_ok()) {
            Some(sent) => format!("nothing; the next is {} > {}", seconds(sent.time), self.numbers.shown(sent)),
            None => "nothing, and nothing later".into(),
        };
        let found = Found::Words { expected, found: later };
        Err(self.failed(event.action_place, "a packet is missing", found, None))
    }

    /// Takes the segments that, together with `first`, make up `expected`, if it is longer than the MSS: their length
    /// and flags together, and the last of them.
    fn join(&mut self, first: Sent, expected: &Tcp, until: Time) -> Step<(Tcp, Sent)> {
        let mut joined = self.numbers.shown(&first);
        let mut last = first;
        let mss = self.host.info("tcpi_snd_mss").and_then(|mss| mss.whole()).unwrap_or(0);
        let begins = (joined.seq, joined.ack) == (expected.seq, expected.ack.or(joined.ack));
        if !begins || first.segment.len == 0 || i64::from(expected.len) <= mss {
            return Ok((joined, last));
        }
        while joined.len < expected.len {
            self.advance(until.max(self.host.now()), true)?;
            let Some(next) = self.host.outbox().peek().copied() else { break };
            let shown = self.numbers.shown(&next);
            let follows = shown.seq == joined.seq.wrapping_add(joined.len) && shown.ack == joined.ack;
            if !follows || next.segment.len == 0 || joined.len + shown.len > expected.len {
                break;
            }
            self.host.outbox_mut().take();
            joined.len += shown.len;
            joined.flags = shown.flags;
            last = next;
        }
        Ok((joined, last))
    }
}
