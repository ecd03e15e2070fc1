//! Time stamps of sent data (`SO_TIMESTAMPING`), which an application reads from the error queue of its socket.

use std::collections::VecDeque;

use engine::{Span, Time};

use super::CallAnswer;
use super::answer::{find_member, read_integer, refuse_call};
use crate::syntax::ast::Expr;

/// Which events of sent data are stamped.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct StampOptions {
    /// `SOF_TIMESTAMPING_TX_SCHED`: handed to the queueing discipline.
    scheduled: bool,
    /// `SOF_TIMESTAMPING_TX_SOFTWARE`: handed to the device.
    sent: bool,
    /// `SOF_TIMESTAMPING_TX_ACK`: acknowledged.
    acknowledged: bool,
    /// `SOF_TIMESTAMPING_SOFTWARE`: stamps are reported.
    reported: bool,
    /// `SOF_TIMESTAMPING_OPT_ID`: stamps have the number of their last byte.
    numbered: bool,
}

impl StampOptions {
    /// Reads the value of `SO_TIMESTAMPING`. An unsupported flag is an error.
    pub fn parse(flags: &[String]) -> Result<Self, CallAnswer> {
        let mut options = StampOptions::default();
        for flag in flags {
            match flag.as_str() {
                "SOF_TIMESTAMPING_TX_SCHED" => options.scheduled = true,
                "SOF_TIMESTAMPING_TX_SOFTWARE" => options.sent = true,
                "SOF_TIMESTAMPING_TX_ACK" => options.acknowledged = true,
                "SOF_TIMESTAMPING_SOFTWARE" => options.reported = true,
                "SOF_TIMESTAMPING_OPT_ID" => options.numbered = true,
                _ => return refuse_call(format!("SO_TIMESTAMPING with {flag}")),
            }
        }
        Ok(options)
    }
}

/// A stamp in the error queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct QueuedStamp {
    time: Time,
    /// Value of `ee_info`.
    kind: &'static str,
    /// Value of `ee_data`.
    number: u64,
}

/// A write whose last byte is to be stamped.
struct StampedWrite {
    /// Position behind its last byte.
    end: u64,
    was_sent: bool,
}

/// Stamps of a connection.
#[derive(Default)]
pub(super) struct StampLog {
    options: StampOptions,
    /// Position from which bytes are numbered.
    origin: u64,
    waiting: VecDeque<StampedWrite>,
    queue: VecDeque<QueuedStamp>,
}

impl StampLog {
    /// Sets the option; `acked` bytes are acknowledged (`sock_set_timestamping`).
    pub fn set(&mut self, options: StampOptions, acked: u64) {
        if options.numbered && !self.options.numbered {
            self.origin = acked;
        }
        self.options = options;
    }

    /// Observes the end of a write that has taken data up to `end`.
    pub fn note_write(&mut self, end: u64) {
        let StampOptions { scheduled, sent, acknowledged, reported, .. } = self.options;
        if reported && (scheduled || sent || acknowledged) {
            self.waiting.push_back(StampedWrite { end, was_sent: false });
        }
    }

    /// Observes that data was sent up to `sent` and acknowledged up to `acked`.
    pub fn note_progress(&mut self, now: Time, sent: u64, acked: u64) {
        let StampOptions { scheduled, sent: software, acknowledged, numbered, .. } = self.options;
        let origin = if numbered { self.origin } else { 0 };
        for write in self.waiting.iter_mut().filter(|write| !write.was_sent && write.end <= sent) {
            write.was_sent = true;
            let number = if numbered { write.end - 1 - origin } else { 0 };
            for (kind, is_asked) in [("SCM_TSTAMP_SCHED", scheduled), ("SCM_TSTAMP_SND", software)] {
                self.queue.extend(is_asked.then_some(QueuedStamp { time: now, kind, number }));
            }
        }
        while let Some(write) = self.waiting.front().filter(|write| write.was_sent && write.end <= acked) {
            let number = if numbered { write.end - 1 - origin } else { 0 };
            let stamp = QueuedStamp { time: now, kind: "SCM_TSTAMP_ACK", number };
            self.queue.extend(acknowledged.then_some(stamp));
            self.waiting.pop_front();
        }
    }

    /// Reads a stamp and compares it with the control messages that the script expects, times within `tolerance`.
    pub fn read(&mut self, control: Option<&Expr>, tolerance: Span) -> Result<CallAnswer, CallAnswer> {
        let Some(stamp) = self.queue.pop_front() else { return Ok(CallAnswer::Fails("EAGAIN")) };
        let messages = match control {
            None | Some(Expr::Any) => return Ok(CallAnswer::Returns(0)),
            Some(Expr::List(messages)) => messages,
            Some(other) => return refuse_call(format!("the control messages `{other}`")),
        };
        for message in messages {
            let name = |member| find_member(Some(message), member).map(ToString::to_string).unwrap_or_default();
            let data = find_member(Some(message), "cmsg_data");
            let found = match name("cmsg_type").as_str() {
                "SCM_TIMESTAMPING" => compare_time(data, stamp.time, tolerance)?,
                "CMSG_TYPE_RECVERR" | "IP_RECVERR" => compare_error(data, &stamp),
                _ => return refuse_call(format!("the control message `{message}`")),
            };
            if let Some(found) = found {
                return Ok(found);
            }
        }
        Ok(CallAnswer::Returns(0))
    }
}

/// Compares the time of a stamp; `None` if it is within `tolerance`.
fn compare_time(data: Option<&Expr>, time: Time, tolerance: Span) -> Result<Option<CallAnswer>, CallAnswer> {
    let part = |name| read_integer(find_member(data, name), name);
    let expected = i128::from(part("scm_sec")?) * 1_000_000_000 + i128::from(part("scm_nsec")?);
    let found = i128::from(time.as_nanos());
    let differs = || CallAnswer::Differs {
        what: "SCM_TIMESTAMPING".to_owned(),
        expected: format!("{expected} ns"),
        found: format!("{found} ns"),
    };
    Ok(((expected - found).unsigned_abs() > u128::from(tolerance.as_nanos())).then(differs))
}

/// Compares the members of `struct sock_extended_err` that the script states; `None` if they agree.
fn compare_error(data: Option<&Expr>, stamp: &QueuedStamp) -> Option<CallAnswer> {
    let members = [
        ("ee_errno", "ENOMSG".to_owned()),
        ("ee_origin", "SO_EE_ORIGIN_TIMESTAMPING".to_owned()),
        ("ee_type", "0".to_owned()),
        ("ee_code", "0".to_owned()),
        ("ee_info", stamp.kind.to_owned()),
        ("ee_data", stamp.number.to_string()),
    ];
    members.into_iter().find_map(|(what, found)| {
        let expected = find_member(data, what).filter(|expected| **expected != Expr::Any)?.to_string();
        let what = what.to_owned();
        (expected != found).then_some(CallAnswer::Differs { what, expected, found })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A write of 2000 bytes after 1000 acknowledged ones: its last byte has the number 1999.
    #[test]
    fn last_byte_of_a_write_is_stamped_when_sent_and_acknowledged() {
        let all = ["TX_SCHED", "TX_SOFTWARE", "TX_ACK", "SOFTWARE", "OPT_ID"];
        let all: Vec<String> = all.iter().map(|name| format!("SOF_TIMESTAMPING_{name}")).collect();
        let mut log = StampLog::default();
        log.note_write(1000);
        log.set(StampOptions::parse(&all).unwrap(), 1000);
        log.note_write(3000);
        let at = Time::from_millis;
        for (ms, sent, acked) in [(10, 2000, 1000), (20, 3000, 2000), (30, 3000, 2999), (40, 3000, 3000)] {
            log.note_progress(at(ms), sent, acked);
        }
        let stamp = |ms, kind| QueuedStamp { time: at(ms), kind, number: 1999 };
        let expected = [stamp(20, "SCM_TSTAMP_SCHED"), stamp(20, "SCM_TSTAMP_SND"), stamp(40, "SCM_TSTAMP_ACK")];
        assert_eq!(log.queue, expected);
        for _ in 0..3 {
            assert_eq!(log.read(None, Span::ZERO), Ok(CallAnswer::Returns(0)));
        }
        assert_eq!(log.read(None, Span::ZERO), Ok(CallAnswer::Fails("EAGAIN")));
        assert!(StampOptions::parse(&["SOF_TIMESTAMPING_RX_HARDWARE".to_owned()]).is_err());
    }
}
