//! What scripts set up with commands: the settings of the host they test.
//!
//! Commands are recognized, never executed. What means something to our end is kept in [`Settings`]; what cannot matter
//! to it is listed with the reason why; everything else is not supported, and said so.

mod defaults;
mod shell;
mod sysctl;

pub use defaults::{LINUX, SUITE, SUITE_CONTROL};
pub use shell::{each, recognize};
pub use sysctl::WITHOUT_EFFECT;

use engine::Span;

/// What a command, or an option in a script's head, sets.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Setting {
    /// All that `defaults.sh` of the public suites sets.
    SuiteDefaults,
    /// A kernel parameter; its name with dots.
    Parameter {
        /// Its name.
        name: String,
        /// As written.
        value: String,
    },
    /// A parameter of the kernel's module for CUBIC.
    Cubic {
        /// Its name.
        name: String,
        /// As written.
        value: String,
    },
    /// `fq` in front of the device, which paces.
    FairQueue,
    /// What the route to the other end says.
    Route {
        /// `initcwnd`: segments.
        initial_window: Option<u32>,
        /// `rto_min`
        rto_min: Option<Span>,
        /// `congctl`
        control: Option<String>,
    },
    /// The longest packet that the device takes, 41 bytes or more.
    Mtu(u32),
}

/// Settings of the host, as Linux knows them. The defaults are those of Linux 6 without any script's commands.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
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
    /// `tcp_recovery`: whether RACK looks for losses.
    pub rack: bool,
    /// `tcp_early_retrans`: whether tail loss probes are sent.
    pub tail_loss_probe: bool,
    /// `tcp_reordering`: duplicates that show a loss.
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
    /// The second and the third number of `tcp_rmem`: bytes of the receive buffer at the beginning, and at most.
    pub receive_buffer: (u64, u64),
    /// The second number of `tcp_wmem`: bytes of the send buffer.
    pub send_buffer: u64,
    /// `hystart`, a parameter of CUBIC's.
    pub hystart: bool,
    /// `hystart_detect`: 1 looks at trains of acknowledgments, 2 at delays, 3 at both.
    pub hystart_detect: u8,
    /// `initcwnd` of the route: segments.
    pub initial_window: Option<u32>,
    /// `rto_min` of the route, or `tcp_rto_min_us`.
    pub rto_min: Option<Span>,
    /// `TCP_MAXSEG` of the socket.
    pub max_segment: Option<u16>,
    /// The longest packet that the device takes.
    pub mtu: u32,
}

/// `tcp_ecn`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ecn {
    /// 0: no.
    Off,
    /// 1: this end asks for it, and accepts it.
    Request,
    /// 2: if the other end asks for it.
    Accept,
}

impl Default for Settings {
    fn default() -> Self {
        let mut settings = Settings {
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
            max_segment: None,
            mtu: 1500,
        };
        settings.put_all(&LINUX).expect("parameters that are known");
        settings
    }
}

impl Settings {
    /// Sets kernel parameters.
    fn put_all(&mut self, parameters: &[(&str, &str)]) -> Result<(), String> {
        parameters.iter().try_for_each(|(name, value)| sysctl::set(self, name, value))
    }

    /// Puts a setting into effect. Gives what a reader should know; `Err` says what is not supported.
    pub fn put(&mut self, setting: &Setting) -> Result<Option<String>, String> {
        match setting {
            Setting::SuiteDefaults => {
                self.put_all(&SUITE)?;
                SUITE_CONTROL.clone_into(&mut self.control);
            }
            Setting::Parameter { name, value } => sysctl::set(self, name, value)?,
            Setting::Cubic { name, value } => sysctl::set_cubic(self, name, value)?,
            Setting::FairQueue => return Ok(Some("fq would pace; here only a control that paces does".into())),
            Setting::Route { initial_window, rto_min, control } => {
                self.initial_window = initial_window.or(self.initial_window);
                self.rto_min = rto_min.or(self.rto_min);
                self.control = control.as_ref().unwrap_or(&self.control).clone();
            }
            Setting::Mtu(mtu) => self.mtu = *mtu,
        }
        Ok(None)
    }

    /// Bytes of data in the longest segment: what the device has room for behind two headers, and the socket allows.
    pub fn segment(&self) -> u16 {
        let room = u16::try_from(self.mtu.saturating_sub(40)).unwrap_or(u16::MAX).max(1);
        self.max_segment.map_or(room, |most| most.min(room))
    }

    /// The window scale that Linux offers: the least that lets the largest buffer be said.
    pub fn window_scale(&self) -> Option<u8> {
        let bits = u64::BITS - self.receive_buffer.1.max(1).leading_zeros() - 1;
        self.window_scaling.then_some(bits.saturating_sub(15).min(14) as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_suite_sets_what_it_names_and_leaves_the_rest() {
        let mut settings = Settings {
            control: "reno".into(),
            timestamps: false,
            sack: false,
            rack: false,
            window_scaling: false,
            initial_window: Some(3),
            ..Settings::default()
        };
        settings.put(&Setting::SuiteDefaults).unwrap();
        let buffers = (settings.receive_buffer, settings.send_buffer);
        assert_eq!(buffers, ((540_000, 15_728_640), 262_144));
        assert_eq!((settings.ecn, settings.syn_retries, settings.restart_after_idle), (Ecn::Off, 5, false));
        assert!(settings.timestamps && settings.sack && settings.rack && settings.control == "cubic");
        assert_eq!((settings.window_scaling, settings.initial_window), (false, Some(3)));
    }

    #[test]
    fn a_segment_is_as_long_as_device_and_socket_allow() {
        let mut settings = Settings::default();
        assert_eq!(settings.segment(), 1460);
        settings.max_segment = Some(1000);
        assert_eq!(settings.segment(), 1000);
        settings.put(&Setting::Mtu(540)).unwrap();
        assert_eq!(settings.segment(), 500);
        settings.max_segment = None;
        assert_eq!(settings.segment(), 500);
    }

    #[test]
    fn the_scale_is_that_of_the_largest_buffer() {
        let mut settings = Settings::default();
        assert_eq!(settings.window_scale(), Some(7));
        settings.put(&Setting::SuiteDefaults).unwrap();
        assert_eq!(settings.window_scale(), Some(8));
        settings.receive_buffer.1 = 30_000;
        assert_eq!(settings.window_scale(), Some(0));
        settings.window_scaling = false;
        assert_eq!(settings.window_scale(), None);
    }
}
