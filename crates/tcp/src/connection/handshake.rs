//! The opening of a connection [RFC9293 s3.5]: SYNs, their retransmission, and their options.

use std::num::NonZeroU16;

use engine::{Span, Time};
use wire::{Flags, Options, Segment};

use crate::config::{Config, EcnMode};
use crate::timestamps::Clock;

/// The options on which both ends agree.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Agreed {
    pub sack: bool,
    pub timestamps: bool,
    pub ecn: bool,
    /// Whether windows are scaled.
    pub scaled: bool,
    /// Shift of this end's windows.
    pub shift: u8,
    /// Maximum data bytes per segment that the other end accepts.
    pub peer_mss: u32,
}

/// The MSS if the other end announces none [RFC9293 s3.7.1].
const DEFAULT_MSS: u32 = 536;

/// The SYNs of an end, and their retransmission.
#[derive(Debug)]
pub(super) struct Handshake {
    /// All settings. Options that the other end does not support are disabled at the end of the handshake.
    pub config: Config,
    /// Whether SACK is offered.
    sack: bool,
    /// The shift of this end's windows, if it offers window scaling.
    shift: Option<u8>,
    /// Maximum time without an answer from the other end, if the application has set one.
    pub user_timeout: Option<Span>,
    /// Number of SYNs sent.
    pub tries: u32,
    /// Time of the first SYN.
    pub first_at: Time,
    /// Time of the next SYN.
    pub due: Time,
    /// Whether this end listened: it returns to LISTEN if the handshake fails.
    pub passive: bool,
    /// Result of the other end's SYN.
    pub agreed: Option<Agreed>,
}

impl Handshake {
    /// Creates a handshake. Only an end whose recovery `uses_sack` offers SACK.
    pub fn new(config: &Config, uses_sack: bool) -> Self {
        Handshake {
            config: config.clone(),
            sack: config.sack && uses_sack,
            shift: config.window_scaling.shift(config.window.max()),
            user_timeout: None,
            tries: 0,
            first_at: Time::ZERO,
            due: Time::ZERO,
            passive: false,
            agreed: None,
        }
    }

    /// Returns to the state before the other end's SYN.
    pub fn forget(&mut self) {
        (self.tries, self.first_at, self.due) = (0, Time::ZERO, Time::ZERO);
        self.agreed = None;
    }

    /// Whether a SYN is due.
    pub fn wants(&self, now: Time) -> bool {
        now >= self.due
    }

    /// Whether the handshake has timed out.
    pub fn given_up(&self, now: Time) -> bool {
        self.tries > self.config.retries.syn.saturating_add(self.linear_timeouts())
            || self.limit().is_some_and(|limit| now >= limit)
    }

    /// Returns the end of the user timeout. As in Linux (`tcp_write_timeout`) it counts from the first SYN, and applies
    /// only after a retransmission. A SYN-ACK has no user timeout.
    fn limit(&self) -> Option<Time> {
        let timeout = self.user_timeout.filter(|_| self.tries > 1 && self.agreed.is_none())?;
        Some(self.first_at + timeout)
    }

    /// Returns the number of retransmissions of a SYN before its timeout doubles; 0 for a SYN-ACK.
    fn linear_timeouts(&self) -> u32 {
        if self.agreed.is_none() { self.config.retries.syn_linear_timeouts } else { 0 }
    }

    /// Records that a SYN was sent [RFC6298 s5.1, s5.5].
    pub fn on_syn_sent(&mut self, now: Time) {
        if self.tries == 0 {
            self.first_at = now;
        }
        let doublings = self.tries.saturating_sub(self.linear_timeouts());
        self.due = now + self.config.initial_rto.times(1 << doublings.min(32)).min(self.config.max_rto);
        self.tries += 1;
        if let Some(limit) = self.limit() {
            self.due = self.due.min(limit.max(now));
        }
    }

    /// Retransmits the SYN because the other end seems not to have received the response.
    pub fn repeat(&mut self, now: Time) {
        self.due = now;
    }

    /// Round trip of the handshake, if its SYN was sent only once [RFC6298 s3].
    pub fn rtt(&self, now: Time) -> Option<Span> {
        (self.tries == 1).then(|| now.since(self.first_at))
    }

    /// Flags, window and options of a SYN, or of a SYN-ACK if `agreed` is given.
    pub fn syn(&self, now: Time, clock: &Clock) -> (Flags, u32, Options) {
        let answer = self.agreed.as_ref();
        let mut flags = Flags::SYN;
        // [RFC3168 s6.1.1]
        match answer {
            None if self.config.ecn == EcnMode::Request && self.tries < 2 => flags = flags | Flags::ECE | Flags::CWR,
            Some(agreed) if agreed.ecn => flags = flags | Flags::ECE,
            _ => {}
        }
        let scaled = answer.is_none_or(|agreed| agreed.scaled);
        let options = Options {
            mss: NonZeroU16::new(self.config.segment.min(u32::from(u16::MAX)) as u16),
            window_scale: self.shift.filter(|_| scaled),
            sack_permitted: answer.map_or(self.sack, |agreed| agreed.sack),
            timestamps: answer.map_or(self.config.timestamps, |agreed| agreed.timestamps).then(|| clock.stamp(now)),
            ..Options::default()
        };
        // A window in a SYN is never scaled [RFC7323 s2.2].
        (flags, self.config.window.initial(self.config.segment).min(u64::from(u16::MAX)) as u32, options)
    }

    /// Evaluates the SYN of the other end, which is a SYN-ACK if `answer`.
    pub fn agree(&mut self, syn: &Segment, answer: bool) -> Agreed {
        let theirs = &syn.options;
        let shift = self.shift.filter(|_| theirs.window_scale.is_some());
        let asks = if answer {
            // [RFC3168 s6.1.1]: a SYN-ACK has ECE without CWR.
            self.config.ecn == EcnMode::Request && syn.flags.has(Flags::ECE) && !syn.flags.has(Flags::CWR)
        } else {
            self.config.ecn != EcnMode::Off && syn.flags.has(Flags::ECE | Flags::CWR)
        };
        let agreed = Agreed {
            sack: self.sack && theirs.sack_permitted,
            timestamps: self.config.timestamps && theirs.timestamps.is_some(),
            ecn: asks,
            scaled: shift.is_some(),
            shift: shift.unwrap_or(0),
            peer_mss: theirs.mss.map_or(DEFAULT_MSS, |mss| u32::from(mss.get())),
        };
        self.agreed = Some(agreed);
        agreed
    }
}
