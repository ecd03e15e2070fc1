//! lasthop's TCP as the end under test: Linux settings are mapped to its configuration, and it provides `struct
//! tcp_info`.

use engine::{Bytes, Span, Time};
use tcp::cc::hystart::Kind as Hystart;
use tcp::cc::{ControlConfig, Start};
use tcp::config::{EcnMode, ReceiveWindow, Tries, WindowScaling};
use tcp::recovery::{RecoveryConfig, rack, sack};
use tcp::{Config, Connection, Info, SenderPhase, State, presets};
use wire::{Ecn, Segment, SeqNum};

use crate::code::PyValue;
use crate::end::{ConnectionEnd, ConnectionFailure, ConnectionStage, OpenRole, Ports};
use crate::settings::{self, HostSettings};

/// TCP variants for congestion controls of Linux. The controls in `OTHERS` are the variant `linux` with that control.
const VARIANTS: [(&str, &str); 2] = [("cubic", "linux"), ("reno", "linux-reno")];
const OTHERS: [&str; 5] = ["bbr", "dctcp", "vegas", "veno", "westwood"];

/// Value of `tcpi_snd_ssthresh` before the first loss.
const INFINITE_SSTHRESH: i64 = 0x7fff_ffff;

/// Creates an end of lasthop's TCP.
pub fn open_endpoint(
    role: OpenRole,
    settings: &HostSettings,
    ports: Ports,
    iss: SeqNum,
) -> Result<Box<dyn ConnectionEnd>, String> {
    let config = map_settings(role, settings)?;
    let mut connection = match role {
        OpenRole::Active => Connection::connect(&config, ports.local, ports.remote, iss),
        OpenRole::Passive => Connection::listen(&config, ports.local, iss),
    };
    connection.hold_reading();
    Ok(Box::new(Ours { connection, written: 0, receive_window: config.window.max() }))
}

/// Returns the TCP configuration for the Linux `settings`.
fn map_settings(role: OpenRole, settings: &HostSettings) -> Result<Config, String> {
    let variant = VARIANTS.iter().find(|(control, _)| *control == settings.control);
    let unknown = || format!("the congestion control {}", settings.control);
    let mut config = find_variant_config(variant.map_or("linux", |(_, variant)| variant)).ok_or_else(unknown)?;
    if variant.is_none() {
        let other =
            OTHERS.iter().find(|other| **other == settings.control).and_then(|other| find_variant_config(other));
        config.control = other.ok_or_else(unknown)?.control;
    }
    config.segment = settings.segment().into();
    let window = receive_window(settings.receive_buffer.0, u64::from(config.segment));
    config.window = ReceiveWindow::Fixed(Bytes(window));
    config.initial_window = settings.initial_window.unwrap_or(config.initial_window);
    config.min_rto = settings.rto_min.unwrap_or(config.min_rto);
    config.max_rto = settings.rto_max.unwrap_or(config.max_rto);
    config.invalid_ratelimit = settings.invalid_ratelimit.unwrap_or(config.invalid_ratelimit);
    if let ControlConfig::Cubic(cubic) = &mut config.control {
        if !settings.hystart {
            cubic.hystart = Hystart::Off;
        }
        cubic.hystart_detect = Some(settings.hystart_detect);
    }
    config.recovery = if settings.rack {
        RecoveryConfig::Rack(rack::Config { tail_probe: Some(settings.tail_loss_probe) })
    } else if settings.tail_loss_probe {
        return Err("tail loss probes without RACK (tcp_recovery=0 without tcp_early_retrans=0)".into());
    } else {
        RecoveryConfig::Sack(sack::Config {})
    };
    if settings.reordering != tcp::recovery::DUP_THRESH {
        return Err(format!("net.ipv4.tcp_reordering={}", settings.reordering));
    }
    config.sack = settings.sack;
    config.dsack = settings.duplicate_sack;
    config.timestamps = settings.timestamps;
    config.window_scaling = settings.window_scale().map_or(WindowScaling::Off, WindowScaling::Shift);
    config.ecn = match settings.ecn {
        settings::Ecn::Off => EcnMode::Off,
        settings::Ecn::RequestAccurate if role == OpenRole::Active => {
            return Err("a SYN that requests AccECN (net.ipv4.tcp_ecn=3)".into());
        }
        settings::Ecn::Accept | settings::Ecn::RequestAccurate | settings::Ecn::AcceptAccurate => EcnMode::Accept,
        settings::Ecn::Request | settings::Ecn::RequestAcceptAccurate => EcnMode::Request,
    };
    let control = config.control.build(Start::trial());
    // Linux requests and accepts ECN for these controls regardless of `tcp_ecn` (`tcp_ca_needs_ecn`).
    if control.precise_ecn() {
        config.ecn = EcnMode::Request;
    }
    if control.regulates_recovery() && !settings.sack {
        return Err(format!("the congestion control {} without SACK (tcp_sack=0)", settings.control));
    }
    config.frto = settings.frto;
    config.restart_after_idle = settings.restart_after_idle;
    config.retries.syn = match role {
        OpenRole::Active => settings.syn_retries,
        OpenRole::Passive => settings.synack_retries,
    };
    config.retries.syn_linear_timeouts = settings.steady_syn_retries;
    config.retries.data = Tries::Max(settings.retries);
    Ok(config)
}

/// Returns the initial receive window for a receive buffer, in bytes: half of it, since the other half is reserved for
/// the kernel's overhead (`tcp_win_from_space`), in full segments (`tcp_select_initial_window`).
fn receive_window(buffer: u64, segment: u64) -> u64 {
    let half = buffer / 2;
    if half > segment { half / segment * segment } else { half }
}

/// Returns the configuration of a TCP variant; `None` for an unknown name.
fn find_variant_config(variant: &str) -> Option<Config> {
    Some(presets::find_preset(variant)?.config())
}

/// An end of lasthop's TCP.
struct Ours {
    connection: Connection,
    written: u64,
    /// The receive window at first, in bytes.
    receive_window: u64,
}

impl ConnectionEnd for Ours {
    fn stage(&self) -> ConnectionStage {
        match self.connection.state() {
            State::Closed => ConnectionStage::Gone,
            State::Listen | State::SynSent | State::SynReceived => ConnectionStage::Opening,
            _ => ConnectionStage::Open,
        }
    }

    fn failure(&self) -> Option<ConnectionFailure> {
        self.connection.failure().map(|failure| match failure {
            tcp::Failure::Refused => ConnectionFailure::Refused,
            tcp::Failure::Reset => ConnectionFailure::Reset,
            tcp::Failure::TimedOut => ConnectionFailure::TimedOut,
        })
    }

    fn write(&mut self, bytes: u64) {
        self.written = self.written.saturating_add(bytes);
        self.connection.write(bytes);
    }

    fn set_nodelay(&mut self, on: bool) {
        self.connection.set_nodelay(on);
    }

    fn set_cork(&mut self, on: bool) {
        self.connection.set_cork(on);
    }

    fn set_quick_acks(&mut self, on: bool) {
        self.connection.set_quick_acks(on);
    }

    fn set_more(&mut self, on: bool) {
        self.connection.set_more(on);
    }

    fn end_record(&mut self) {
        self.connection.end_record();
    }

    fn set_user_timeout(&mut self, timeout: Option<Span>) {
        self.connection.set_user_timeout(timeout);
    }

    fn shutdown_write(&mut self) {
        self.connection.shutdown_write();
    }

    fn close(&mut self) {
        self.connection.close();
    }

    fn abort(&mut self) {
        self.connection.abort();
    }

    fn readable(&self) -> u64 {
        self.connection.readable()
    }

    fn read(&mut self, most: u64) -> u64 {
        self.connection.read(most)
    }

    fn at_end(&self) -> bool {
        self.connection.at_end()
    }

    fn unacknowledged_bytes(&self) -> u64 {
        self.written.saturating_sub(self.connection.bytes_acknowledged())
    }

    fn info(&self, name: &str) -> Option<PyValue> {
        // The receive buffer is not tuned: the threshold up to which its window grows is the window at first.
        if name == "tcpi_rcv_ssthresh" {
            return Some(PyValue::Int(self.receive_window as i64));
        }
        read_tcp_info(&self.connection.info(), name.strip_prefix("tcpi_")?).map(PyValue::Int)
    }

    fn handle_segment(&mut self, now: Time, segment: &Segment, ecn: Ecn) {
        self.connection.handle_segment(now, segment, ecn);
    }

    fn handle_timeout(&mut self, now: Time) {
        self.connection.handle_timeout(now);
    }

    fn poll_transmit(&mut self, now: Time) -> Option<(Segment, Ecn)> {
        self.connection.poll_transmit(now)
    }

    fn poll_timeout(&self) -> Time {
        self.connection.poll_timeout()
    }
}

/// Returns a member of `struct tcp_info` in Linux's units, by its name without `tcpi_`.
fn read_tcp_info(info: &Info, name: &str) -> Option<i64> {
    MEMBERS.iter().find(|(known, _)| *known == name).map(|(_, of)| of(info))
}

/// A member of `struct tcp_info`: its name without `tcpi_`, and the function that reads it.
type Member = (&'static str, fn(&Info) -> i64);

/// The members that the end knows; the [host](crate::host::list_host_members) knows the others.
pub(crate) const MEMBERS: [Member; 23] = [
    ("state", |info| linux_tcp_state(info.state)),
    ("ca_state", |info| linux_ca_state(info.phase)),
    ("retransmits", |info| info.retransmits.into()),
    ("backoff", |info| info.backoff.into()),
    ("rto", |info| whole_micros(info.rto)),
    ("snd_mss", |info| info.snd_mss.into()),
    ("unacked", |info| info.unacked.into()),
    ("sacked", |info| info.sacked.into()),
    ("lost", |info| info.lost.into()),
    ("retrans", |info| info.retrans.into()),
    ("rtt", |info| whole_micros(info.rtt)),
    ("rttvar", |info| whole_micros(info.rttvar)),
    ("snd_ssthresh", |info| info.ssthresh.map_or(INFINITE_SSTHRESH, i64::from)),
    ("snd_cwnd", |info| info.cwnd.into()),
    ("reordering", |info| info.reordering.into()),
    ("reord_seen", |info| info.reord_seen.into()),
    ("total_retrans", |info| info.total_retrans as i64),
    ("bytes_acked", |info| info.bytes_acked as i64),
    ("bytes_received", |info| info.bytes_received as i64),
    ("notsent_bytes", |info| info.notsent_bytes as i64),
    ("snd_wnd", |info| info.snd_wnd as i64),
    ("data_segs_out", |info| info.data_segs_out as i64),
    ("min_rtt", |info| info.min_rtt.map_or(i64::from(u32::MAX), whole_micros)),
];

fn whole_micros(span: Span) -> i64 {
    (span.as_nanos() / 1_000) as i64
}

/// Returns Linux's number for the sender's recovery phase (`enum tcp_ca_state`).
fn linux_ca_state(phase: SenderPhase) -> i64 {
    match phase {
        SenderPhase::Open => 0,
        SenderPhase::Disorder => 1,
        SenderPhase::Reduced => 2,
        SenderPhase::Recovery => 3,
        SenderPhase::Loss => 4,
    }
}

/// Returns Linux's number for a connection state.
fn linux_tcp_state(state: State) -> i64 {
    match state {
        State::Established => 1,
        State::SynSent => 2,
        State::SynReceived => 3,
        State::FinWait1 => 4,
        State::FinWait2 => 5,
        State::TimeWait => 6,
        State::Closed => 7,
        State::CloseWait => 8,
        State::LastAck => 9,
        State::Listen => 10,
        State::Closing => 11,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(change: fn(&mut HostSettings)) -> Result<Config, String> {
        let mut settings = HostSettings::default();
        change(&mut settings);
        map_settings(OpenRole::Active, &settings)
    }

    #[test]
    fn linux_settings_map_to_the_configuration() {
        let plain = with(|_| {}).unwrap();
        assert_eq!((plain.initial_window, plain.min_rto, plain.retries.syn), (10, Span::from_millis(200), 6));
        assert_eq!((plain.window_scaling, plain.ecn), (WindowScaling::Shift(7), EcnMode::Accept));
        let ControlConfig::Cubic(cubic) = plain.control else { panic!("{:?}", plain.control) };
        assert_eq!((cubic.hystart, cubic.hystart_detect), (Hystart::Linux, Some(3)));
        let ControlConfig::Cubic(cubic) = with(|settings| settings.hystart = false).unwrap().control else { panic!() };
        assert_eq!(cubic.hystart, Hystart::Off);
        assert!(matches!(with(|settings| settings.control = "reno".into()).unwrap().control, ControlConfig::Reno(_)));
        assert!(matches!(with(|settings| settings.control = "vegas".into()).unwrap().control, ControlConfig::Vegas(_)));
        let counted = with(|settings| (settings.rack, settings.tail_loss_probe) = (false, false)).unwrap();
        assert_eq!(counted.recovery, RecoveryConfig::Sack(sack::Config {}));
        let no_probe = with(|settings| settings.tail_loss_probe = false).unwrap();
        assert_eq!(no_probe.recovery, RecoveryConfig::Rack(rack::Config { tail_probe: Some(false) }));
    }

    #[test]
    fn unsupported_settings_are_refused_with_their_name() {
        let refused = |change: fn(&mut HostSettings)| with(change).unwrap_err();
        assert_eq!(refused(|settings| settings.control = "illinois".into()), "the congestion control illinois");
        // A lasthop variant that is not a congestion control of Linux.
        assert_eq!(refused(|settings| settings.control = "tahoe".into()), "the congestion control tahoe");
        assert_eq!(refused(|settings| settings.reordering = 5), "net.ipv4.tcp_reordering=5");
        let without_sack = refused(|settings| (settings.control, settings.sack) = ("bbr".into(), false));
        assert_eq!(without_sack, "the congestion control bbr without SACK (tcp_sack=0)");
        assert!(refused(|settings| settings.rack = false).starts_with("tail loss probes without RACK"));
    }
}
