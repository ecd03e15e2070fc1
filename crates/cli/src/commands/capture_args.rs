//! The arguments of commands that read a capture as well as a scenario.

use capture::transfer::Vantage;
use clap::{Args as ClapArgs, ValueEnum};
use lab::captures::is_capture;
use scenario::problem::Problem;

use super::{ScenarioArgs, listed, shown};
use crate::Failure;

/// The arguments about a capture, if the file is one.
#[derive(ClapArgs)]
pub struct CaptureArgs {
    /// Of a capture: the number of the connection, as in `lasthop report` and tcp.stream of Wireshark [default: the one
    /// with most data]
    #[arg(long, value_name = "N", help_heading = "Captures (pcap, pcapng)")]
    pub stream: Option<u32>,
    /// Of a capture: where it was taken [default: inferred from round trips]
    #[arg(long, value_enum, value_name = "PLACE", help_heading = "Captures (pcap, pcapng)")]
    pub at: Option<Place>,
}

/// The place of a capture.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Place {
    /// At the end that sends most data
    Sender,
    /// At the other end
    Receiver,
    /// Between them
    Middle,
}

impl From<Place> for Vantage {
    fn from(place: Place) -> Vantage {
        match place {
            Place::Sender => Vantage::Sender,
            Place::Receiver => Vantage::Receiver,
            Place::Middle => Vantage::Middle,
        }
    }
}

impl CaptureArgs {
    /// Whether the file is a capture; options for the other kind of file are errors.
    pub fn reads_capture(&self, scenario: &ScenarioArgs) -> Result<bool, Failure> {
        let file = &scenario.file;
        let is_capture = is_capture(file);
        let chosen = |options: &[(&'static str, bool)]| options.iter().find(|(_, given)| *given).map(|(name, _)| *name);
        let wrong = if is_capture {
            let ScenarioArgs { set, scheme, seed, .. } = scenario;
            chosen(&[("--set", !set.is_empty()), ("--scheme", scheme.is_some()), ("--seed", seed.is_some())])
        } else {
            chosen(&[("--stream", self.stream.is_some()), ("--at", self.at.is_some())])
        };
        let Some(option) = wrong else { return Ok(is_capture) };
        let (expected, found) = if is_capture { ("a scenario", "a capture") } else { ("a capture", "another file") };
        let problem = Problem::new(expected).in_file(shown(file)).found(found);
        Err(Failure::Input(listed(&[problem.hint(format!("{option} is for {expected}"))])))
    }

    /// The place of the capture, if it is given.
    pub fn place(&self) -> Option<Vantage> {
        self.at.map(Vantage::from)
    }
}
