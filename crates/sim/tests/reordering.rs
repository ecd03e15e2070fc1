//! Senders over a path that delays some packets, so that later ones overtake them, without losing any.

use engine::{Bytes, Span, Time};
use sim::{Event, Sink};
use testkit::{build_network, run_with_sink};

/// Duration of a run, and the time in which a sender may learn, in seconds.
const SECONDS: u64 = 20;
const LEARNING: u64 = 5;

/// Data of a segment without options.
const SEGMENT: u64 = 1460;

/// Time between packets of 1,500 bytes at 20 Mbps, in microseconds.
const SPACING: u64 = 600;

/// A path that delays packets at random.
#[derive(Clone, Copy, Debug)]
struct Disorder {
    /// Number of packets that overtake a late packet, if packets follow each other at the rate of the link.
    overtaken: u64,
    /// Share of late packets in percent.
    percent: u64,
    /// Direction of the late packets: data, or acknowledgments.
    direction: &'static str,
    seed: u64,
}

impl Disorder {
    /// A transfer over 20 Mbps and 40 ms, with a queue of 200 packets.
    fn scenario(&self, tcp: &str) -> String {
        let Disorder { overtaken, percent, direction, seed } = *self;
        let (late, delay) = (percent as f64 / 100.0, overtaken * SPACING + SPACING / 2);
        format!(
            r#"
            duration = "{SECONDS} s"
            seed = {seed}
            nodes = {{ a = {{ kind = "host" }}, b = {{ kind = "host" }} }}
            [links.l]
            kind = "wired"
            between = ["a", "b"]
            rate = "20 Mbps"
            delay = "20 ms"
            queue = "200 packets"
            [links.l.jitter]
            reordering = true
            directions = "{direction}"
            [links.l.jitter.delay]
            kind = "mixture"
            parts = [
                {{ probability = {}, delay = {{ kind = "constant", value = "0 s" }} }},
                {{ probability = {late}, delay = {{ kind = "constant", value = "{delay} us" }} }},
            ]
            [flows.f]
            from = "a"
            to = "b"
            receive_window = "2 MiB"
            tcp = {{ {tcp} }}
            "#,
            1.0 - late
        )
    }

    fn measure(&self, tcp: &str) -> Transfer {
        let mut transfer = Transfer { learned: Time::ZERO + Span::from_secs(LEARNING), ..Transfer::default() };
        let results = run_with_sink(&build_network(&self.scenario(tcp)), &mut transfer);
        transfer.delivered = Bytes(results.flows[0].bytes_delivered);
        transfer
    }
}

/// What arrived at the receiver.
#[derive(Debug)]
struct Transfer {
    learned: Time,
    delivered: Bytes,
    /// Segments that have arrived, by number.
    arrived: Vec<bool>,
    /// Segments that arrived after the sender could have learned, and how many of them had arrived before.
    segments: u64,
    needless: u64,
}

impl Default for Transfer {
    fn default() -> Self {
        Transfer { learned: Time::ZERO, delivered: Bytes(0), arrived: Vec::new(), segments: 0, needless: 0 }
    }
}

impl Sink for Transfer {
    const ACTIVE: bool = true;

    fn event(&mut self, now: Time, event: &Event) {
        let Event::Receiver { event: tcp::Event::SegmentReceived { seq, .. }, .. } = event else { return };
        // No segment has fewer bytes.
        let place = (*seq / (SEGMENT - 100)) as usize;
        if self.arrived.len() <= place {
            self.arrived.resize(2 * place + 1, false);
        }
        let again = std::mem::replace(&mut self.arrived[place], true);
        if now >= self.learned {
            self.segments += 1;
            self.needless += u64::from(again);
        }
    }
}

impl Transfer {
    fn mbps(&self) -> f64 {
        self.delivered.0 as f64 * 8e-6 / SECONDS as f64
    }

    fn needless_percent(&self) -> f64 {
        100.0 * self.needless as f64 / self.segments as f64
    }
}

/// Every sender that receives reports of duplicates and undoes by them, or recognizes late originals by Eifel, learns. The
/// overtaking packets, the seed and with it the phases vary.
#[test]
fn sender_that_has_learned_of_reordering_retransmits_little_needlessly() {
    for (seed, (percent, overtaken)) in all_disorders().into_iter().enumerate() {
        for direction in ["forward", "backward"] {
            let disorder = Disorder { overtaken, percent, direction, seed: seed as u64 };
            for tcp in [
                "variant = \"linux\"",
                "variant = \"linux\", eifel = false",
                "variant = \"linux\", timestamps = false, eifel = false",
                "variant = \"linux\", dsack_undo = false",
                "variant = \"linux-reno\"",
                "variant = \"rack\", timestamps = true, eifel = true",
            ] {
                let transfer = disorder.measure(tcp);
                let needless = transfer.needless_percent();
                assert!(needless <= 2.0, "{tcp}, {disorder:?}: {needless:.1} % needless, {:.1} Mbps", transfer.mbps());
            }
        }
    }
}

/// CUBIC with Eifel, DSACK undo and gradual reductions against Reno with none of them, over the same path. The receiver
/// reports duplicates to both.
#[test]
fn linux_is_not_slower_than_rack_under_reordering() {
    for (seed, (percent, overtaken)) in all_disorders().into_iter().enumerate() {
        for direction in ["forward", "backward"] {
            let disorder = Disorder { overtaken, percent, direction, seed: seed as u64 };
            let [linux, rack] = ["linux", "rack"].map(|name| disorder.measure(&format!("variant = \"{name}\"")).mbps());
            assert!(linux >= 0.95 * rack, "{disorder:?}: linux {linux:.1} Mbps, rack {rack:.1} Mbps");
        }
    }
}

/// Percent of late packets, and the number of packets that overtake each.
fn all_disorders() -> Vec<(u64, u64)> {
    let overtaken = [1, 2, 3, 5, 10, 17, 25, 37, 50];
    [1, 3, 10].into_iter().flat_map(|percent| overtaken.map(|overtaken| (percent, overtaken))).collect()
}
