//! Runs over a path whose settings are known, captured at one end, and fitted.

use capture::transfer::Vantage;
use engine::Time;
use fit::path::Bottleneck;
use fit::transfer::MeasuredTransfer;
use path::LinkEvent;
use sim::{Event, Sink};
use testkit::{CaptureAtNode, build_network, run_with_sink};

/// Counts the packets with data that the channel lost or a full queue dropped.
#[derive(Default)]
struct LossCounter(usize);

impl Sink for LossCounter {
    const ACTIVE: bool = true;

    fn event(&mut self, _: Time, event: &Event) {
        if let Event::Link { event: LinkEvent::Lost { packet } | LinkEvent::QueueFull { packet, .. }, .. } = event {
            self.0 += usize::from(packet.data().is_some_and(|data| data.len > 0));
        }
    }
}

/// The settings of a path that a fit should find.
pub struct KnownPath {
    pub mbps: f64,
    pub delay_ms: f64,
    pub queue: u32,
    pub channel: String,
    pub variant: &'static str,
    pub seconds: u32,
    pub seed: u64,
}

impl KnownPath {
    fn scenario(&self) -> String {
        let KnownPath { mbps, delay_ms, queue, channel, variant, seconds, seed } = self;
        format!(
            "duration = \"{seconds} s\"\nseed = {seed}\n[nodes]\nserver = {{ kind = \"host\" }}\nstation = {{ kind = \"base-station\" }}\n\
             client = {{ kind = \"host\" }}\n[links.wire]\nkind = \"wired\"\nbetween = [\"server\", \"station\"]\nrate = \"1 Gbps\"\n\
             delay = \"{delay_ms} ms\"\nqueue = \"unlimited\"\n[links.air]\nkind = \"wireless\"\nbetween = [\"station\", \"client\"]\n\
             rate = \"{mbps} Mbps\"\ndelay = \"1 ms\"\nqueue = \"{queue} packets\"\n{channel}\n[flows.down]\nfrom = \"server\"\n\
             to = \"client\"\nreceive_window = \"4 MB\"\n[flows.down.tcp]\nvariant = \"{variant}\"\nhandshake = true\n\
             window_scaling = true\ntimestamps = true\ninitial_window = 10\n"
        )
    }

    /// A capture at the sender or the receiver, and the number of packets with data that the channel lost or the
    /// queue dropped.
    fn capture_at(&self, at: Vantage) -> (Vec<u8>, usize) {
        let network = build_network(&self.scenario());
        let flow = &network.flows[0];
        let node = if at == Vantage::Sender { flow.from } else { flow.to };
        let mut sink = (CaptureAtNode::new(node), LossCounter::default());
        run_with_sink(&network, &mut sink);
        let (capture, LossCounter(lost)) = sink;
        (capture.finish(), lost)
    }

    /// The fit of a capture at the sender or the receiver.
    pub fn fit_at(&self, at: Vantage) -> (MeasuredTransfer, Bottleneck) {
        let (transfer, bottleneck, _) = self.fit_and_losses_at(at);
        (transfer, bottleneck)
    }

    /// The fit, and the number of packets with data that the channel lost or the
    /// queue dropped.
    pub fn fit_and_losses_at(&self, at: Vantage) -> (MeasuredTransfer, Bottleneck, usize) {
        let (file, lost) = self.capture_at(at);
        let transfer = MeasuredTransfer::read(|| Ok(file.as_slice()), None, None).expect("it is readable");
        assert_eq!(transfer.survey.vantage.value(), Some(at));
        let bottleneck = Bottleneck::measure(&transfer);
        (transfer, bottleneck, lost)
    }
}

/// Counts of the intervals of one parameter that contain the true value.
#[derive(Default, Debug)]
pub struct Covered {
    pub inside: u32,
    pub all: u32,
}

impl Covered {
    pub fn add(&mut self, interval: [f64; 2], truth: f64) {
        self.all += 1;
        self.inside += u32::from((interval[0]..=interval[1]).contains(&truth));
    }
}
