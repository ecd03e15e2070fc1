//! The time per acknowledgment at windows of 10 to 10,000 segments, with the segments that it allows and the transport
//! of both: `cargo bench -p lasthop-tcp`. It must not depend on the window. Items are acknowledgments.
//!
//! A transfer of four windows begins with a full initial window, so that losses occur in a window of that size.

use std::collections::VecDeque;

use divan::counter::ItemsCount;
use engine::{Bytes, Draws, Span, Stream, Time};
use tcp::{Config, Connection, presets};
use wire::{Ecn, Segment};

const SEGMENT: u32 = 1000;
const WINDOWS: [u32; 4] = [10, 100, 1_000, 10_000];

fn main() {
    divan::main();
}

/// One direction of the path: a propagation delay, and a microsecond of transmission per segment.
#[derive(Default)]
struct Way {
    free_at: Time,
    flying: VecDeque<(Time, Segment)>,
}

impl Way {
    fn send(&mut self, now: Time, segment: Segment) {
        self.free_at = self.free_at.max(now) + Span::from_nanos(1000);
        self.flying.push_back((self.free_at + Span::from_millis(20), segment));
    }

    fn due(&self) -> Time {
        self.flying.front().map_or(Time::NEVER, |(at, _)| *at)
    }
}

struct BenchTransfer {
    sender: Connection,
    receiver: Connection,
    data: Way,
    acks: Way,
    draws: Draws,
    loss: f64,
}

impl BenchTransfer {
    fn new(variant: &str, window: u32, loss: f64) -> Self {
        let bytes = u64::from(window) * u64::from(SEGMENT);
        let mut config = Config {
            segment: SEGMENT,
            window: Bytes(4 * bytes).into(),
            initial_window: window,
            initial_ssthresh: Some(Bytes(bytes)),
            ..Config::default()
        };
        config.merge(&presets::find_preset(variant).expect("a variant").table());
        let mut sender = Connection::established(&config, 1, 2, config.window.max());
        sender.write(4 * bytes);
        BenchTransfer {
            sender,
            receiver: Connection::established(&config, 2, 1, config.window.max()),
            data: Way::default(),
            acks: Way::default(),
            draws: Stream::named(1, 0, "acks").draws(),
            loss,
        }
    }

    /// Runs to the end; returns the number of acknowledgments received.
    fn run_to_end(&mut self) -> u64 {
        let (mut now, mut acks) = (Time::ZERO, 0);
        while !self.sender.done() {
            while let Some((segment, _)) = self.sender.poll_transmit(now) {
                if self.loss == 0.0 || self.draws.unit() >= self.loss {
                    self.data.send(now, segment);
                }
            }
            while let Some((segment, _)) = self.receiver.poll_transmit(now) {
                self.acks.send(now, segment);
            }
            let timer = self.sender.poll_timeout().min(self.receiver.poll_timeout());
            now = self.data.due().min(self.acks.due()).min(timer);
            if self.data.due() == now {
                if let Some((_, segment)) = self.data.flying.pop_front() {
                    self.receiver.handle_segment(now, &segment, Ecn::NotEct);
                }
            } else if self.acks.due() == now {
                if let Some((_, segment)) = self.acks.flying.pop_front() {
                    acks += 1;
                    self.sender.handle_segment(now, &segment, Ecn::NotEct);
                }
            } else {
                self.sender.handle_timeout(now);
                self.receiver.handle_timeout(now);
            }
        }
        acks
    }
}

fn bench_transfer(bencher: divan::Bencher<'_, '_>, variant: &str, window: u32, loss: f64) {
    let acks = BenchTransfer::new(variant, window, loss).run_to_end();
    let bencher = bencher.counter(ItemsCount::new(acks));
    bencher
        .with_inputs(|| BenchTransfer::new(variant, window, loss))
        .bench_values(|mut transfer| transfer.run_to_end());
}

/// Without loss.
#[divan::bench(sample_count = 20, args = WINDOWS)]
fn reno_without_loss(bencher: divan::Bencher<'_, '_>, window: u32) {
    bench_transfer(bencher, "reno", window, 0.0);
}

/// Without loss, with RACK.
#[divan::bench(sample_count = 20, args = WINDOWS)]
fn rack_without_loss(bencher: divan::Bencher<'_, '_>, window: u32) {
    bench_transfer(bencher, "rack", window, 0.0);
}

/// With SACK, one segment in a hundred lost.
#[divan::bench(sample_count = 20, args = WINDOWS)]
fn sack_with_loss_of_1_percent(bencher: divan::Bencher<'_, '_>, window: u32) {
    bench_transfer(bencher, "sack", window, 0.01);
}

/// SACK with one segment in twenty lost.
#[divan::bench(sample_count = 20, args = WINDOWS)]
fn sack_with_loss_of_5_percent(bencher: divan::Bencher<'_, '_>, window: u32) {
    bench_transfer(bencher, "sack", window, 0.05);
}

/// RACK, one in a hundred.
#[divan::bench(sample_count = 20, args = WINDOWS)]
fn rack_with_loss_of_1_percent(bencher: divan::Bencher<'_, '_>, window: u32) {
    bench_transfer(bencher, "rack", window, 0.01);
}

/// RACK, one in twenty.
#[divan::bench(sample_count = 20, args = WINDOWS)]
fn rack_with_loss_of_5_percent(bencher: divan::Bencher<'_, '_>, window: u32) {
    bench_transfer(bencher, "rack", window, 0.05);
}
