//! Settings of the host under test, as scripts make them with shell commands.
//!
//! Commands are recognized, never executed. Settings with an effect are kept in [`HostSettings`]; those without effect are
//! listed with the reason; all others are reported as not supported.

mod defaults;
mod shell;
mod sysctl;

pub use defaults::{LINUX, SUITE, SUITE_CONTROL};
pub use shell::{recognize_command, split_commands};
pub use sysctl::WITHOUT_EFFECT;

use std::collections::BTreeMap;

use engine::Span;

/// A setting made by a command or by an option at the head of a script.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HostSetting {
    /// All settings of `defaults.sh` of the public suites.
    SuiteDefaults,
    /// A kernel parameter (sysctl).
    Parameter {
        /// Name, with dots.
        name: String,
        /// Value as written.
        value: String,
    },
    /// A parameter of the kernel module of CUBIC.
    Cubic {
        /// Name of the parameter.
        name: String,
        /// Value as written.
        value: String,
    },
    /// The queueing discipline `fq` on the device, which paces.
    FairQueue,
    /// Attributes of the route to the peer; `None` leaves the setting unchanged.
    Route {
        /// `initcwnd`, in segments.
        initial_window: Option<u32>,
        /// `rto_min`
        rto_min: Option<Span>,
        /// `congctl`
        control: Option<String>,
    },
    /// Maximum packet size of the device in bytes, 41 or more.
    Mtu(u32),
    /// Size of the segments in bytes of which a larger injected packet consists (`--mss`).
    Offload(u32),
    /// Version of IP, whose header limits the size of segments.
    Ip(IpVersion),
    /// A file that a command creates, with its size in bytes.
    File {
        /// Path of the file.
        path: String,
        /// Size of the file in bytes.
        size: u64,
    },
}

/// Version of IP below TCP.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IpVersion {
    /// IPv4, also with IPv4-mapped addresses of IPv6.
    V4,
    /// IPv6.
    V6,
}

/// Settings of the host under Linux's names. The defaults are Linux 6's without a script's commands.
#[derive(Clone, PartialEq, Debug)]
pub struct HostSettings {
    /// `tcp_congestion_control`
    pub control: String,
    /// `tcp_sack`
    pub sack: bool,
    /// `tcp_dsack`
    pub duplicate_sack: bool,
    /// `tcp_timestamps`
    pub timestamps: bool,
    /// `tcp_window_scaling`
    pub window_scaling: bool,
    /// `tcp_ecn`
    pub ecn: Ecn,
    /// `tcp_recovery`: true if RACK detects losses.
    pub rack: bool,
    /// `tcp_early_retrans`: true if tail loss probes are sent.
    pub tail_loss_probe: bool,
    /// `tcp_reordering`: number of duplicate acknowledgments that indicate a loss.
    pub reordering: u32,
    /// `tcp_frto`
    pub frto: bool,
    /// `tcp_slow_start_after_idle`
    pub restart_after_idle: bool,
    /// `tcp_syn_retries`
    pub syn_retries: u32,
    /// `tcp_syn_linear_timeouts`
    pub steady_syn_retries: u32,
    /// `tcp_synack_retries`
    pub synack_retries: u32,
    /// `tcp_retries2`
    pub retries: u32,
    /// Second and third number of `tcp_rmem`: initial and maximum receive buffer, in bytes.
    pub receive_buffer: (u64, u64),
    /// Second number of `tcp_wmem`: send buffer, in bytes.
    pub send_buffer: u64,
    /// `hystart` of the CUBIC module.
    pub hystart: bool,
    /// `hystart_detect` of the CUBIC module: 1 for ACK trains, 2 for delays, 3 for both.
    pub hystart_detect: u8,
    /// `initcwnd` of the route, in segments.
    pub initial_window: Option<u32>,
    /// `rto_min` of the route, or `tcp_rto_min_us`.
    pub rto_min: Option<Span>,
    /// `TCP_RTO_MAX_MS` of the socket, or `tcp_rto_max_ms`.
    pub rto_max: Option<Span>,
    /// `tcp_invalid_ratelimit`
    pub invalid_ratelimit: Option<Span>,
    /// `tcp_syncookies` of 2: listeners keep no state of a SYN.
    pub always_cookies: bool,
    /// `tcp_min_tso_segs`: segments that leave in one packet for offload at least.
    pub min_offload: u32,
    /// Size of the segments in bytes of which a larger injected packet consists.
    pub offload: Option<u32>,
    /// `TCP_MAXSEG` of the socket.
    pub max_segment: Option<u16>,
    /// Maximum packet size of the device, in bytes.
    pub mtu: u32,
    /// Version of IP.
    pub ip_version: IpVersion,
    /// Files that commands have created, with their sizes in bytes.
    pub files: BTreeMap<String, u64>,
}

/// `tcp_ecn`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ecn {
    /// 0: ECN is not used.
    Off,
    /// 1: the end requests ECN, and accepts it.
    Request,
    /// 2: the end uses ECN if the peer requests it.
    Accept,
    /// 3: the end requests AccECN, and accepts AccECN and ECN.
    RequestAccurate,
    /// 4: the end requests ECN, and accepts AccECN and ECN.
    RequestAcceptAccurate,
    /// 5: the end uses AccECN or ECN if the peer requests it.
    AcceptAccurate,
}

impl Default for HostSettings {
    fn default() -> Self {
        let mut settings = HostSettings {
            control: "cubic".into(),
            sack: true,
            duplicate_sack: true,
            timestamps: true,
            window_scaling: true,
            ecn: Ecn::Accept,
            rack: true,
            tail_loss_probe: true,
            reordering: 3,
            frto: true,
            restart_after_idle: true,
            syn_retries: 6,
            steady_syn_retries: 4,
            synack_retries: 5,
            retries: 15,
            receive_buffer: (0, 0),
            send_buffer: 0,
            hystart: true,
            hystart_detect: 3,
            initial_window: None,
            rto_min: None,
            rto_max: None,
            invalid_ratelimit: None,
            always_cookies: false,
            min_offload: 2,
            offload: None,
            max_segment: None,
            mtu: 1500,
            ip_version: IpVersion::V4,
            files: BTreeMap::new(),
        };
        settings.put_all(&LINUX).expect("parameters that are known");
        settings
    }
}

impl HostSettings {
    /// Sets kernel parameters.
    fn put_all(&mut self, parameters: &[(&str, &str)]) -> Result<(), String> {
        parameters.iter().try_for_each(|(name, value)| sysctl::set_parameter(self, name, value))
    }

    /// Applies a setting. Returns a note for the user, if there is one. `Err` names an unsupported value.
    pub fn put(&mut self, setting: &HostSetting) -> Result<Option<String>, String> {
        match setting {
            HostSetting::SuiteDefaults => {
                self.put_all(&SUITE)?;
                SUITE_CONTROL.clone_into(&mut self.control);
            }
            HostSetting::Parameter { name, value } => sysctl::set_parameter(self, name, value)?,
            HostSetting::Cubic { name, value } => sysctl::set_cubic(self, name, value)?,
            HostSetting::FairQueue => {
                return Ok(Some("fq has no effect: only congestion controls with their own pacing are paced".into()));
            }
            HostSetting::Route { initial_window, rto_min, control } => {
                self.initial_window = initial_window.or(self.initial_window);
                self.rto_min = rto_min.or(self.rto_min);
                self.control = control.as_ref().unwrap_or(&self.control).clone();
            }
            HostSetting::Mtu(mtu) => self.mtu = *mtu,
            HostSetting::Ip(version) => self.ip_version = *version,
            HostSetting::File { path, size } => drop(self.files.insert(path.clone(), *size)),
            HostSetting::Offload(size) => self.offload = Some(*size),
        }
        Ok(None)
    }

    /// Returns the maximum segment size in bytes: the device's maximum packet without two headers, limited by
    /// `TCP_MAXSEG`.
    pub fn segment(&self) -> u16 {
        let headers = if self.ip_version == IpVersion::V6 { 60 } else { 40 };
        let limit = u16::try_from(self.mtu.saturating_sub(headers)).unwrap_or(u16::MAX).max(1);
        self.max_segment.map_or(limit, |max| max.min(limit))
    }

    /// Returns the window scale that Linux offers: the smallest with which the largest receive buffer can be
    /// advertised.
    pub fn window_scale(&self) -> Option<u8> {
        let bits = u64::BITS - self.receive_buffer.1.max(1).leading_zeros() - 1;
        self.window_scaling.then_some(bits.saturating_sub(15).min(14) as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suite_defaults_keep_unnamed_settings() {
        let mut settings = HostSettings {
            control: "reno".into(),
            timestamps: false,
            sack: false,
            rack: false,
            window_scaling: false,
            initial_window: Some(3),
            ..HostSettings::default()
        };
        settings.put(&HostSetting::SuiteDefaults).unwrap();
        let buffers = (settings.receive_buffer, settings.send_buffer);
        assert_eq!(buffers, ((540_000, 15_728_640), 262_144));
        assert_eq!((settings.ecn, settings.syn_retries, settings.restart_after_idle), (Ecn::Off, 5, false));
        assert!(settings.timestamps && settings.sack && settings.rack && settings.control == "cubic");
        assert_eq!((settings.window_scaling, settings.initial_window), (false, Some(3)));
    }

    #[test]
    fn segment_size_is_limited_by_device_and_socket() {
        let mut settings = HostSettings::default();
        assert_eq!(settings.segment(), 1460);
        settings.max_segment = Some(1000);
        assert_eq!(settings.segment(), 1000);
        settings.put(&HostSetting::Mtu(540)).unwrap();
        assert_eq!(settings.segment(), 500);
        settings.max_segment = None;
        assert_eq!(settings.segment(), 500);
    }

    #[test]
    fn window_scale_follows_the_largest_buffer() {
        let mut settings = HostSettings::default();
        assert_eq!(settings.window_scale(), Some(7));
        settings.put(&HostSetting::SuiteDefaults).unwrap();
        assert_eq!(settings.window_scale(), Some(8));
        settings.receive_buffer.1 = 30_000;
        assert_eq!(settings.window_scale(), Some(0));
        settings.window_scaling = false;
        assert_eq!(settings.window_scale(), None);
    }
}
