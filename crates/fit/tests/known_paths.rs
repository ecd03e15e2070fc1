//! Paths fitted from captures of runs whose settings are known.

use capture::transfer::Vantage;
use engine::{Span, Time};
use fit::loss::Loss;
use fit::path::Bottleneck;
use fit::transfer::{Transfer, largest};
use sim::{Event, NodeEvent, Sink, World};
use wire::pcapng::{Direction, Writer};

/// Writes the packets at a node, as `--trace pcapng` does.
struct AtNode {
    node: u32,
    writer: Writer<Vec<u8>>,
}

impl Sink for AtNode {
    const ACTIVE: bool = true;

    fn event(&mut self, at: Time, event: &Event) {
        let Event::Node { node, event, .. } = event else { return };
        if *node != self.node {
            return;
        }
        match event {
            NodeEvent::Sent { packet } => self.writer.packet(0, at, Direction::Out, packet).expect("memory"),
            NodeEvent::Received { packet } | NodeEvent::Transit { packet } => {
                self.writer.packet(0, at, Direction::In, packet).expect("memory");
            }
            _ => {}
        }
    }
}

/// The settings of a path that a fit should find.
struct Known {
    mbps: f64,
    delay_ms: f64,
    queue: u32,
    channel: String,
    variant: &'static str,
    seconds: u32,
    seed: u64,
}

impl Known {
    fn scenario(&self) -> String {
        let Known { mbps, delay_ms, queue, channel, variant, seconds, seed } = self;
        format!(
            "duration = \"{seconds} s\"\nseed = {seed}\n[nodes]\nserver = {{ kind = \"host\" }}\nstation = {{ kind = \"base-station\" }}\n\
             client = {{ kind = \"host\" }}\n[links.wire]\nkind = \"wired\"\nbetween = [\"server\", \"station\"]\nrate = \"1 Gbps\"\n\
             delay = \"{delay_ms} ms\"\nqueue = \"unlimited\"\n[links.air]\nkind = \"wireless\"\nbetween = [\"station\", \"client\"]\n\
             rate = \"{mbps} Mbps\"\ndelay = \"1 ms\"\nqueue = \"{queue} packets\"\n{channel}\n[flows.down]\nfrom = \"server\"\n\
             to = \"client\"\nreceive_window = \"4 MB\"\n[flows.down.tcp]\nvariant = \"{variant}\"\nhandshake = true\n\
             window_scaling = true\ntimestamps = true\ninitial_window = 10\n"
        )
    }

    /// The fit of a capture at the sender or the receiver.
    fn fitted(&self, at: Vantage) -> (Transfer, Bottleneck) {
        let loaded = scenario::load::from_toml("known.toml", &self.scenario()).expect("a scenario");
        let network = &loaded.network;
        let node = if at == Vantage::Sender { network.flows[0].from } else { network.flows[0].to } as u32;
        let mut sink = AtNode { node, writer: Writer::new(Vec::new(), &["node"]).expect("memory") };
        World::new(network, true).run(&mut sink);
        let file = sink.writer.finish().expect("memory");
        let number = largest(file.as_slice()).expect("a capture").expect("a connection");
        let transfer = Transfer::of(|| Ok(file.as_slice()), number, None).expect("it is readable");
        assert_eq!(transfer.survey.vantage, at);
        let bottleneck = Bottleneck::of(&transfer);
        (transfer, bottleneck)
    }
}

/// Rates, delays and queues of different paths, at both ends.
#[test]
fn rate_delay_and_queue_of_known_paths_are_found() {
    for (number, (mbps, delay_ms, queue)) in
        [(2.0, 20.0, 20), (8.0, 40.0, 60), (20.0, 10.0, 100), (50.0, 50.0, 400), (1.5, 100.0, 30)]
            .into_iter()
            .enumerate()
    {
        for variant in ["newreno", "cubic"] {
            let known =
                Known { mbps, delay_ms, queue, channel: String::new(), variant, seconds: 30, seed: number as u64 };
            for at in [Vantage::Sender, Vantage::Receiver] {
                let (_, fitted) = known.fitted(at);
                let rate = fitted.rate.expect("enough packets").bits_per_sec() as f64 / 1e6;
                assert!((rate / mbps - 1.0).abs() < 0.03, "{variant} {at:?}: {rate} for {mbps} Mbps");
                let delay = 1e3 * fitted.delay.as_secs_f64();
                assert!((delay - delay_ms - 1.0).abs() < 1.0, "{variant} {at:?}: {delay} for {} ms", delay_ms + 1.0);
                assert_eq!(fitted.rates, None, "the rate is constant");
                if at == Vantage::Sender {
                    assert!(fitted.was_full(), "{variant}: {} overflows of {queue} packets", fitted.overflows);
                    let found = fitted.queue.expect("waits are seen");
                    assert!(found.abs_diff(queue) <= 2, "{variant} at {mbps} Mbps: {found} for {queue} packets");
                }
            }
        }
    }
}

/// How often the intervals of one parameter contain it.
#[derive(Default, Debug)]
struct Covered {
    inside: u32,
    all: u32,
}

impl Covered {
    fn add(&mut self, interval: [f64; 2], truth: f64) {
        self.all += 1;
        self.inside += u32::from((interval[0]..=interval[1]).contains(&truth));
    }
}

/// The intervals of the loss parameters contain the true ones in 90 to 99 of 100 runs. With SACK: without it a capture does not
/// tell which segments that are sent again after a timeout had arrived.
fn coverage(runs: u64, least: u32) {
    let (mut loss, mut p, mut r) = (Covered::default(), Covered::default(), Covered::default());
    let mut confused: u64 = 0;
    for seed in 0..runs {
        let uniform = Known {
            mbps: 8.0,
            delay_ms: 20.0,
            queue: 1000,
            channel: "channel = { forward = { kind = \"uniform\", loss = 0.01 }, backward = \"perfect\" }".into(),
            variant: "cubic",
            seconds: 60,
            seed: 1000 + seed,
        };
        match Loss::of(&uniform.fitted(Vantage::Sender).1.channel) {
            Loss::Uniform(found) => loss.add(found.interval, 0.01),
            _ => confused += 1,
        }
        let channel =
            "channel = { forward = { kind = \"gilbert-elliott\", p = 0.004, r = 0.3 }, backward = \"perfect\" }";
        let bursty = Known { channel: channel.into(), ..uniform };
        match Loss::of(&bursty.fitted(Vantage::Sender).1.channel) {
            Loss::Gilbert { p: found_p, r: found_r } => {
                p.add(found_p.interval, 0.004);
                r.add(found_r.interval, 0.3);
            }
            _ => confused += 1,
        }
    }
    for found in [&loss, &p, &r] {
        assert!(found.inside * 100 >= least * found.all && found.all > 0, "{found:?}");
    }
    assert!(confused * 20 <= 2 * runs, "{confused} of {} have another model", 2 * runs);
}

#[test]
fn intervals_of_losses_contain_the_true_parameters() {
    coverage(10, 80);
}

/// 100 runs of each.
#[test]
#[ignore = "takes minutes: cargo xtask test --full"]
fn intervals_of_losses_contain_the_true_parameters_in_90_of_100() {
    coverage(100, 90);
}

/// The rate changes each ten seconds; the seconds of a varying rate are found within a tenth.
#[test]
fn varying_rate_is_found_by_seconds() {
    let rows = "link_trace.contents = \"time_s,rate_Mbps\\n0,8\\n10,4\\n20,6\\n30,8\\n\"";
    let known =
        Known { mbps: 8.0, delay_ms: 20.0, queue: 100, channel: rows.into(), variant: "cubic", seconds: 40, seed: 1 };
    let (_, fitted) = known.fitted(Vantage::Sender);
    let rates = fitted.rates.expect("it varies");
    for (second, expected) in [(5, 8.0), (14, 4.0), (25, 6.0), (35, 8.0)] {
        let found = rates[second] / 1e6;
        assert!((found / expected - 1.0).abs() < 0.1, "second {second}: {found} for {expected} Mbps");
    }
    assert!(fitted.delay.as_nanos().abs_diff(Span::from_millis(21).as_nanos()) < 1_000_000);
}
