//! The settings of the receiving end of a flow, where they differ from those of the sending end.

use tcp::config::Config;

use super::Checker;
use super::tcp::EndSettings;
use crate::model::{Flow, Profile};
use crate::problem::Problem;

impl Checker<'_> {
    /// Returns the settings of the receiving end of `flow`, which is declared at `key`; `None` if they equal `sender`, the
    /// settings of the sending end. Keys of `peer.tcp` override the settings of its variant, or without a variant the
    /// settings of the sending end. Both ends open and close the connection in the same way.
    pub fn peer_tcp(&mut self, key: &str, flow: &Flow, sender: &Config) -> Option<Box<Config>> {
        let peer = flow.peer.as_ref()?;
        let at = format!("{key}.peer");
        let mut config = match peer.tcp.as_ref().and_then(|given| given.variant.as_ref()) {
            Some(name) => {
                let variant = self.variant(&at, name);
                self.start_from(variant)
            }
            None => {
                // The flow's own variant was checked before.
                let mut config = self.start_from(self.known_variant(flow.tcp.variant()));
                config.merge(&flow.tcp);
                config
            }
        };
        (config.handshake, config.close) = (sender.handshake, sender.close);
        if let Some(given) = &peer.tcp {
            let shared = [("handshake", given.handshake, sender.handshake), ("close", given.close, sender.close)];
            for (name, given, of_sender) in shared {
                if let Some(found) = given.filter(|given| *given != of_sender) {
                    let expected = format!(
                        "{of_sender}, as at the sending end ({key}.tcp.{name}): it is a property of the connection"
                    );
                    let problem = Problem::new(expected).key(format!("{at}.tcp.{name}")).found(found.to_string());
                    self.report_problem(problem.hint(format!("write {key}.tcp.{name} = {found}, or leave this out")));
                }
            }
            config.merge(given);
            (config.handshake, config.close) = (sender.handshake, sender.close);
        }
        let (mss, window) = (peer.mss.unwrap_or(flow.mss), peer.receive_window.unwrap_or(flow.receive_window));
        let end = EndSettings { key: &at, mss, window, config: &config };
        if peer.mss.is_some() || peer.receive_window.is_some() {
            self.sizes(&end);
        }
        self.check_advertised_window(&end);
        if let Some(given) = &peer.tcp {
            self.faults(&format!("{at}.tcp.recovery"), config.recovery.check());
            self.faults(&format!("{at}.tcp.control"), config.control.check());
            self.faults(&format!("{at}.tcp.loss_differentiation"), config.loss_differentiation.check());
            // A fault of the flow's own settings was reported there.
            if flow.tcp.check(sender).is_empty() {
                self.faults(&format!("{at}.tcp"), given.check(&config));
            }
        }
        config.segment = self.segment(mss);
        config.window = window;
        config.response = sender.response.clone();
        if self.scenario.profile == Profile::Goel1997 {
            config.recovery.goel1997();
            config.control.goel1997();
        }
        (config != *sender).then(|| Box::new(config))
    }
}
