//! The settings of both ends of a flow, computed from the keys of the flow, with the errors of these keys.

use engine::registry::by_name;
use engine::{Bytes, Named};
use path::agent::AgentConfig;
use tcp::config::{BufferSizes, Config, ReceiveWindow, WindowScaling};
use tcp::presets::{self, PRESETS, Preset};
use tcp::response::ResponseConfig;
use wire::{Packet, Segment};

use super::Checker;
use crate::model::{Flow, Profile};
use crate::problem::Problem;

/// Maximum data of an IPv4 packet after its headers.
const MAX_SEGMENT: u64 = 65_535 - (Packet::HEADER + Segment::HEADER) as u64;
/// Maximum window that can be advertised [RFC7323 s2.3].
const MAX_WINDOW: u64 = 1 << 30;
/// Minimum size of an autotuned buffer, in bytes.
const MIN_BUFFER: u64 = 1024;
/// Maximum window that can be advertised without scaling.
const MAX_UNSCALED_WINDOW: u64 = 65_535;

/// The settings of an end whose sizes are checked.
#[derive(Clone, Copy)]
pub(super) struct EndSettings<'a> {
    /// The table of the keys.
    pub key: &'a str,
    pub mss: Bytes,
    pub window: ReceiveWindow,
    pub config: &'a Config,
}

impl Checker<'_> {
    /// Returns the settings of the sending end of `flow`, and of both ends without a `peer`. The flow is declared at `key`. The sender uses the sender's part of
    /// `scheme`. The table of the flow overrides the profile, and the profile overrides the variant.
    pub fn tcp(&mut self, key: &str, flow: &Flow, scheme: &AgentConfig) -> Config {
        let given = &flow.tcp;
        let variant = self.variant(key, given.variant());
        let mut config = self.start_from(variant);
        config.merge(given);
        config.segment = self.segment(flow.mss);
        config.window = flow.receive_window;
        config.response = self.sender_part(scheme);
        let scheme_key = if self.scenario.nodes.get(&flow.from).is_some_and(|node| node.scheme.is_some()) {
            format!("nodes.{}.scheme", flow.from)
        } else {
            "scheme".to_owned()
        };
        self.faults(&scheme_key, config.response.check());
        self.faults(&format!("{key}.tcp.recovery"), config.recovery.check());
        self.faults(&format!("{key}.tcp.control"), config.control.check());
        self.faults(&format!("{key}.tcp.loss_differentiation"), config.loss_differentiation.check());
        let end = EndSettings { key, mss: flow.mss, window: flow.receive_window, config: &config };
        self.sizes(&end);
        self.faults(&format!("{key}.tcp"), given.check(&config));
        self.check_close(key, flow, &config);
        self.check_advertised_window(&end);
        if self.scenario.profile == Profile::Goel1997 {
            config.recovery.goel1997();
            config.control.goel1997();
        }
        config
    }

    /// The settings of a variant under the profile of the scenario.
    pub(super) fn start_from(&self, variant: &Preset) -> Config {
        let mut config = variant.config();
        if self.scenario.profile == Profile::Goel1997 {
            config.merge(&presets::build_goel1997_table(&config));
        }
        config
    }

    /// The segment of an end, at most the data of a packet.
    pub(super) fn segment(&self, mss: Bytes) -> u32 {
        mss.0.min(MAX_SEGMENT) as u32
    }

    /// The sender's part of a scheme: the member of the same name among the responses, if there is one.
    fn sender_part(&self, scheme: &AgentConfig) -> ResponseConfig {
        let name = scheme.name();
        // An outside one that needs settings is reported where the scheme is resolved.
        let response = by_name(name).or_else(|| self.members.by_name(name).ok().flatten());
        response.unwrap_or(ResponseConfig::Unmodified(Default::default()))
    }

    /// The variant called `name`; the default one for an unknown name, which is reported elsewhere.
    pub(super) fn known_variant(&self, name: &str) -> &'static Preset {
        presets::find_preset(name).unwrap_or(&PRESETS[0])
    }

    pub(super) fn variant(&mut self, key: &str, name: &str) -> &'static Preset {
        presets::find_preset(name).unwrap_or_else(|| {
            let known = PRESETS.iter().map(|preset| preset.name);
            let problem = Problem::new("a TCP variant").key(format!("{key}.tcp.variant")).found(format!("\"{name}\""));
            self.report_problem(problem.nearest(name, known));
            &PRESETS[0]
        })
    }

    /// Checks the segment and the window of an end.
    pub(super) fn sizes(&mut self, end: &EndSettings<'_>) {
        let EndSettings { key, mss, window, config } = *end;
        // An end that begins in ESTABLISHED adds to the segment the options for which a handshake reserves space.
        let options = if config.handshake { 0 } else { u64::from(config.data_options()) };
        let largest = MAX_SEGMENT - options;
        let sound = (1..=largest).contains(&mss.0);
        if !sound {
            let expected = format!("1 to {largest} bytes");
            self.report_problem(Problem::new(expected).key(format!("{key}.mss")).found(mss.to_string()));
        }
        // The window is not compared with an invalid segment size.
        let least = if sound { mss.0 } else { 0 };
        let expected = match window {
            ReceiveWindow::Fixed(size) if (least..=MAX_WINDOW).contains(&size.0) => return,
            ReceiveWindow::Fixed(_) => format!("at least one segment ({} B) and at most 1 GiB", mss.0),
            ReceiveWindow::Autotuned(BufferSizes { initial, max }) => {
                if initial.0 / 2 >= least.max(MIN_BUFFER / 2) && initial <= max && max.0 <= MAX_WINDOW {
                    return;
                }
                let twice = (2 * mss.0).max(MIN_BUFFER);
                format!("an initial size of at least {twice} B, and a max between it and 1 GiB")
            }
        };
        let problem = Problem::new(expected).key(format!("{key}.receive_window")).found(window.to_string());
        self.report_problem(match window.fixed() {
            None => problem,
            Some(0) => problem.hint("a window of 0 never opens, so nothing would be sent"),
            Some(size) if size > MAX_WINDOW => {
                problem.hint("1 GiB is the largest window that can be advertised [RFC7323 s2.3]")
            }
            Some(_) => problem.hint("a full segment would never fit in the window"),
        });
    }

    /// Reports a flow that closes and never ends.
    fn check_close(&mut self, key: &str, flow: &Flow, config: &Config) {
        // An application is built only if its settings are valid.
        let is_sound = flow.traffic.as_ref().is_none_or(|Named(traffic)| traffic.check().is_empty());
        if config.close && is_sound && flow.total().is_none() {
            let problem = Problem::new("a flow with `bytes`: an unlimited flow never closes");
            self.report_problem(problem.key(format!("{key}.tcp.close")).found("true"));
        }
    }

    /// Reports a window that an end cannot advertise.
    pub(super) fn check_advertised_window(&mut self, end: &EndSettings<'_>) {
        let EndSettings { key, window, config, .. } = *end;
        let advertised = match config.window_scaling {
            WindowScaling::Off => MAX_UNSCALED_WINDOW,
            WindowScaling::Shift(shift) => MAX_UNSCALED_WINDOW << shift,
            WindowScaling::Auto => MAX_WINDOW,
        };
        if config.handshake && (advertised + 1..=MAX_WINDOW).contains(&window.fixed().unwrap_or(0)) {
            let expected =
                format!("at most {advertised} B, the maximum that can be advertised with this window_scaling");
            let problem = Problem::new(expected).key(format!("{key}.receive_window")).found(window.to_string());
            let scaling = format!("write {key}.tcp.window_scaling = true");
            self.report_problem(
                problem.hint(format!("{scaling}, or {key}.receive_window = \"{}\"", Bytes(advertised))),
            );
        }
    }
}
