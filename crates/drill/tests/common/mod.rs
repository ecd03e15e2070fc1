//! A minimal end without congestion control for tests of the runner, independent of changes to lasthop's TCP.

use drill::code::PyValue;
use drill::end::{ConnectionEnd, ConnectionFailure, ConnectionStage, OpenRole, Ports};
use drill::report::ScriptReport;
use drill::settings::HostSettings;
use engine::{Span, Time};
use wire::{Ecn, Flags, Options, Segment, SeqNum};

/// Retransmission timeout, without exponential back-off.
const TIMEOUT: Span = Span::from_secs(1);

/// Sends all its data in segments of the peer's MSS, acknowledges at once, and retransmits all unacknowledged data one
/// second after its transmission.
pub struct Plain {
    ports: Ports,
    options: Options,
    role: OpenRole,
    failure: Option<ConnectionFailure>,
    /// Initial sequence number, from which the following numbers count.
    iss: SeqNum,
    una: u32,
    nxt: u32,
    irs: Option<SeqNum>,
    rcv: u32,
    unread: u32,
    mss: u32,
    written: u32,
    fin_wanted: bool,
    fin_got: bool,
    owes_ack: bool,
    reset: bool,
    gone: bool,
    deadline: Time,
}

pub fn open(
    role: OpenRole,
    settings: &HostSettings,
    ports: Ports,
    iss: SeqNum,
) -> Result<Box<dyn ConnectionEnd>, String> {
    let options = Options {
        mss: std::num::NonZeroU16::new(settings.segment()),
        window_scale: settings.window_scale(),
        sack_permitted: settings.sack,
        ..Options::default()
    };
    if settings.control != "cubic" {
        return Err(format!("congestion control {}", settings.control));
    }
    Ok(Box::new(Plain {
        ports,
        options,
        role,
        failure: None,
        iss,
        una: 0,
        nxt: 0,
        irs: None,
        rcv: 0,
        unread: 0,
        mss: 536,
        written: 0,
        fin_wanted: false,
        fin_got: false,
        owes_ack: false,
        reset: false,
        gone: false,
        deadline: Time::NEVER,
    }))
}

impl Plain {
    fn segment(&self, seq: u32, flags: Flags) -> Segment {
        let flags = if self.irs.is_some() { flags | Flags::ACK } else { flags };
        Segment {
            src_port: self.ports.local,
            dst_port: self.ports.remote,
            seq: self.iss + seq,
            ack: self.irs.map_or(SeqNum(0), |irs| irs + self.rcv),
            flags,
            window: 65_535,
            ..Segment::default()
        }
    }

    /// Returns the sequence number after all data and the FIN.
    fn end(&self) -> u32 {
        1 + self.written + u32::from(self.fin_wanted)
    }
}

impl ConnectionEnd for Plain {
    fn stage(&self) -> ConnectionStage {
        match (self.gone, self.una) {
            (true, _) => ConnectionStage::Gone,
            (_, 0) => ConnectionStage::Opening,
            _ => ConnectionStage::Open,
        }
    }
    fn failure(&self) -> Option<ConnectionFailure> {
        self.failure
    }
    fn write(&mut self, bytes: u64) {
        self.written += bytes as u32;
    }
    fn set_nodelay(&mut self, _: bool) {}
    fn set_quick_acks(&mut self, _: bool) {}
    fn set_cork(&mut self, _: bool) {}
    fn set_more(&mut self, _: bool) {}
    fn end_record(&mut self) {}
    fn set_user_timeout(&mut self, _: Option<Span>) {}
    fn shutdown_write(&mut self) {
        self.fin_wanted = true;
    }
    fn close(&mut self) {
        match self.una {
            0 => self.gone = true,
            _ => self.fin_wanted = true,
        }
    }
    fn abort(&mut self) {
        self.reset = true;
    }
    fn readable(&self) -> u64 {
        u64::from(self.unread)
    }
    fn read(&mut self, most: u64) -> u64 {
        let read = self.unread.min(most as u32);
        self.unread -= read;
        u64::from(read)
    }
    fn at_end(&self) -> bool {
        self.fin_got && self.unread == 0
    }
    fn unacknowledged_bytes(&self) -> u64 {
        u64::from(self.end() - self.una.max(1))
    }
    fn info(&self, name: &str) -> Option<PyValue> {
        match name {
            "tcpi_snd_mss" => Some(PyValue::Int(i64::from(self.mss))),
            "tcpi_unacked" => Some(PyValue::Int(i64::from((self.nxt - self.una).div_ceil(self.mss)))),
            _ => None,
        }
    }
    fn handle_segment(&mut self, now: Time, segment: &Segment, _: Ecn) {
        if segment.flags.has(Flags::RST) {
            self.failure = Some(if self.una == 0 { ConnectionFailure::Refused } else { ConnectionFailure::Reset });
            (self.gone, self.deadline) = (true, Time::NEVER);
            return;
        }
        if segment.flags.has(Flags::SYN) {
            self.irs = Some(segment.seq);
            self.rcv = 1;
            self.mss = segment.options.mss.map_or(536, |mss| u32::from(mss.get()));
            self.options.sack_permitted &= segment.options.sack_permitted;
            self.options.window_scale = segment.options.window_scale.and(self.options.window_scale);
            self.owes_ack = self.role == OpenRole::Active;
        }
        if segment.flags.has(Flags::ACK) {
            let ack = segment.ack.0.wrapping_sub(self.iss.0);
            if ack > self.una && ack <= self.end() {
                self.una = ack;
                self.deadline = if ack == self.nxt { Time::NEVER } else { now + TIMEOUT };
            }
        }
        if segment.len > 0 || segment.flags.has(Flags::FIN) {
            self.owes_ack = true;
            if self.irs.is_some_and(|irs| irs + self.rcv == segment.seq) {
                self.rcv += segment.seq_len();
                self.unread += segment.len;
                self.fin_got = segment.flags.has(Flags::FIN);
            }
        }
        self.gone |= self.fin_got && self.fin_wanted && self.una == self.end() && !self.owes_ack;
    }
    fn handle_timeout(&mut self, _: Time) {
        (self.nxt, self.deadline) = (self.una, Time::NEVER);
    }
    fn poll_transmit(&mut self, now: Time) -> Option<(Segment, Ecn)> {
        if self.gone {
            return None;
        }
        if self.reset {
            self.gone = true;
            return Some((self.segment(self.nxt, Flags::RST), Ecn::NotEct));
        }
        if self.nxt == 0 && (self.role == OpenRole::Active || self.irs.is_some()) {
            (self.nxt, self.deadline) = (1, now + TIMEOUT);
            return Some((Segment { options: self.options, ..self.segment(0, Flags::SYN) }, Ecn::NotEct));
        }
        if self.una > 0 && self.nxt < self.end() {
            let len = self.mss.min((1 + self.written).saturating_sub(self.nxt));
            let mut segment = Segment { len, ..self.segment(self.nxt, Flags::default()) };
            if len > 0 && self.nxt + len == 1 + self.written {
                segment.flags = segment.flags | Flags::PSH;
            }
            if self.fin_wanted && self.nxt + len == 1 + self.written {
                segment.flags = segment.flags | Flags::FIN;
            }
            self.nxt += segment.seq_len();
            (self.deadline, self.owes_ack) = (now + TIMEOUT, false);
            return Some((segment, Ecn::NotEct));
        }
        std::mem::take(&mut self.owes_ack).then(|| (self.segment(self.nxt, Flags::default()), Ecn::NotEct))
    }
    fn poll_timeout(&self) -> Time {
        self.deadline
    }
}

/// Runs `text`, which must be a valid script.
pub fn report(text: &str) -> ScriptReport {
    let script = drill::parse_script(text).unwrap_or_else(|error| panic!("{error}"));
    drill::run_script(&script, None, &open)
}
