//! Go-back-N, selective repeat and FEC compared with closed forms: throughput with independent losses, the share of
//! packets restored by parity, and the equality of a window of one frame with stop-and-wait.

use crate::common;

use common::{EventLog, Sending, delivered, packet};
use engine::{IdVec, Rate, Schedule, Span, Stream, Time};
use path::channel::{ChannelConfig, scripted, two_state, uniform};
use path::link::{HopCounters, Timing, TransmissionLine};
use path::mac::arq::{ArqConfig, fec, go_back_n, selective_repeat, stop_and_wait};
use path::outcome::LinkOutcome;
use path::queue::{Limit, RouterBuffer};
use path::{Cx, HopId, LinkDirection, LinkEvent, LinkId};

const HOP: HopId = LinkId::new(0).hop(LinkDirection::Forward);
/// Data per packet in bytes; with headers 1,000 bytes, 8 ms at 1 Mbps. A link acknowledgment takes 0.112 ms.
const DATA: u32 = 960;
const FRAME: f64 = 8.0;

fn line(delay: Span) -> TransmissionLine {
    TransmissionLine::new(Rate::from_bits_per_sec(1_000_000).unwrap(), delay, Timing::Exact)
}

/// Sends `packets` packets, all offered at the start; returns the time of the last delivery and the counters.
fn saturated(arq: &ArqConfig, air: &ChannelConfig, delay: Span, packets: u32) -> (Time, HopCounters) {
    let mut schedule = Schedule::new();
    let mut link = Sending::new(arq, false, (HOP, line(delay)), Limit::None, &mut schedule);
    let mut channels = IdVec::from(vec![air.build(Stream::named(5, 0, "air"))]);
    let (mut log, mut buffer, mut last) = (EventLog::default(), RouterBuffer::default(), Time::ZERO);
    for number in 0..packets {
        let mut cx = Cx { now: Time::ZERO, schedule: &mut schedule, channels: &mut channels, observer: &mut log };
        link.accept(&packet(number, DATA), false, &mut buffer, &mut cx);
    }
    while let Some((now, slot)) = schedule.next(Time::NEVER) {
        let mut cx = Cx { now, schedule: &mut schedule, channels: &mut channels, observer: &mut log };
        let outcomes = link.wake(slot, &mut buffer, &mut cx);
        last = if outcomes.iter().any(|outcome| delivered(outcome).is_some()) { now } else { last };
        log.0.clear();
    }
    (last, link.counters(last))
}

/// Returns a channel that loses forward frames with probability `loss`.
fn losing_frames(loss: f64) -> ChannelConfig {
    let mut draws = Stream::named(8, 0, "frames to drop").draws();
    let drop = (0..200_000).filter(|_| draws.unit() < loss).collect();
    ChannelConfig::Scripted(scripted::Config { drop, ..Default::default() })
}

/// Frames are sent without a pause, and a packet takes a geometric number of frames with mean (1 - q)^-1, where q is
/// the probability that the frame or its acknowledgment is lost. Four standard errors.
#[test]
fn selective_repeat_throughput_matches_the_closed_form() {
    for loss in [0.01, 0.1, 0.3] {
        let q = 1.0 - (1.0 - loss) * (1.0 - loss);
        // The window covers a hundred exchanges, so it never closes.
        let config = selective_repeat::Config { window: 1000, max_transmissions: 1000, ..Default::default() };
        let air = ChannelConfig::Uniform(uniform::Config { loss });
        let packets = 20_000;
        let (last, counters) = saturated(&ArqConfig::SelectiveRepeat(config), &air, Span::from_millis(20), packets);
        assert_eq!(counters.packets_delivered, u64::from(packets));
        // The link is never idle until the last few packets, so the time is the number of frames times the frame
        // duration.
        let frames = last.as_secs_f64() * 1000.0 / FRAME;
        let expected = f64::from(packets) / (1.0 - q);
        // The variance of a geometric number is q / (1 - q)^2; the end of the run adds some exchanges of 48 ms.
        let error = (f64::from(packets) * q).sqrt() / (1.0 - q);
        let end = 20.0 * 50.0 / FRAME;
        assert!(
            (frames - expected).abs() < 4.0 * error + end,
            "{loss}: {frames} frames, expected {expected}, +-{error}"
        );
    }
}

/// Each loss costs the K frames between the start of the lost frame and that of its retransmission. A packet takes
/// 1 + K p / (1 - p) frame times: efficiency (1 - p) / (1 - p + K p) [LinCostello2004 ch. 22]. K counts from the end of
/// the exchange, 8 + 2 d + 0.112 + 1 ms, rounded up to the end of the frame then in transmission.
#[test]
fn go_back_n_throughput_matches_the_closed_form() {
    for (loss, delay, k) in [(0.01, 1, 2.0), (0.1, 1, 2.0), (0.1, 20, 7.0), (0.3, 20, 7.0)] {
        let exchange: f64 = FRAME + 2.0 * f64::from(delay) + 0.112 + 1.0;
        assert_eq!((exchange / FRAME).ceil(), k);
        let config = go_back_n::Config { window: 100, max_transmissions: 1000, ..Default::default() };
        let packets = 10_000;
        let delay = Span::from_millis(u64::from(delay as u32));
        let (last, counters) = saturated(&ArqConfig::GoBackN(config), &losing_frames(loss), delay, packets);
        assert_eq!(counters.packets_delivered, u64::from(packets));
        let frames = last.as_secs_f64() * 1000.0 / FRAME;
        let n = f64::from(packets);
        let expected = n * (1.0 + k * loss / (1.0 - loss));
        let error = k * (n * loss).sqrt() / (1.0 - loss);
        // Propagation of the last packet.
        let end = delay.as_secs_f64() * 1000.0 / FRAME;
        assert!(
            (frames - end - expected).abs() < 4.0 * error,
            "{loss}: {frames} frames, expected {expected}, +-{error}"
        );
    }
}

/// The channel has no loss, and the window is shorter than the exchange: W frames are sent in T + 2 d + T_ack.
#[test]
fn short_window_sends_one_window_per_exchange() {
    let window = 3;
    let selective = selective_repeat::Config { window, ..Default::default() };
    let go_back = go_back_n::Config { window, ..Default::default() };
    for arq in [ArqConfig::SelectiveRepeat(selective), ArqConfig::GoBackN(go_back)] {
        let air = ChannelConfig::Perfect(Default::default());
        let (last, _) = saturated(&arq, &air, Span::from_millis(20), 300);
        // 99 exchanges take 48.112 ms each. In the last exchange the third frame ends at 24 ms and arrives 20 ms later.
        assert_eq!(last.as_nanos(), 99 * 48_112_000 + 44_000_000, "{arq:?}");
    }
}

/// A packet is lost if its frame and more than m - 1 of the other k + m - 1 of its block are lost: the residual loss of
/// a code that recovers any m losses. The tolerance is four standard errors. Packets of one block are lost together, so
/// that blocks are counted.
#[test]
fn residual_loss_with_fec_matches_an_erasure_code() {
    for (data, parity, loss) in [(8, 2, 0.1), (4, 1, 0.05), (10, 5, 0.3)] {
        for in_order in [true, false] {
            let config = fec::Config { data, parity, in_order, ..Default::default() };
            let blocks = 4000;
            let (_, counters) =
                saturated(&ArqConfig::Fec(config), &losing_frames(loss), Span::from_millis(1), blocks * data);
            assert_eq!(counters.frames_sent, u64::from(blocks * (data + parity)));
            let others = data + parity - 1;
            let more = (parity..=others).map(|lost| binomial(others, lost, loss)).sum::<f64>();
            let packets = f64::from(blocks * data);
            let residual = counters.packets_dropped as f64 / packets;
            let expected = loss * more;
            // At most one block is lost at a time.
            let error = (expected / f64::from(blocks)).sqrt();
            assert!((residual - expected).abs() < 4.0 * error, "{data}+{parity} at {loss}: {residual}, not {expected}");
            let data_lost = counters.recovered + counters.packets_dropped;
            assert!(counters.recovered > 100 && counters.packets_dropped > 100, "{counters:?}");
            assert!((data_lost as f64 / packets - loss).abs() < 4.0 * (loss / packets).sqrt(), "{counters:?}");
        }
    }
}

/// Returns the probability that `lost` of `n` frames are lost.
fn binomial(n: u32, lost: u32, p: f64) -> f64 {
    let combinations = (0..lost).map(|i| f64::from(n - i) / f64::from(i + 1)).product::<f64>();
    combinations * p.powi(lost as i32) * (1.0 - p).powi((n - lost) as i32)
}

/// Returns the link events of packets at random times, and the reports to the node's scheme.
fn told(arq: &ArqConfig, air: &ChannelConfig, limit: Limit, seed: u64) -> (Vec<(Time, HopId, LinkEvent)>, Vec<String>) {
    let mut schedule = Schedule::new();
    let source = schedule.slot();
    let mut link = Sending::new(arq, false, (HOP, line(Span::from_millis(2))), limit, &mut schedule);
    let mut channels = IdVec::from(vec![air.build(Stream::named(seed, 0, "air"))]);
    let mut draws = Stream::named(seed, 0, "source").draws();
    let (mut log, mut buffer, mut notices, mut offered) = (EventLog::default(), RouterBuffer::default(), Vec::new(), 0);
    schedule.arm(source, Time::ZERO);
    while let Some((now, slot)) = schedule.next(Time::NEVER) {
        let mut cx = Cx { now, schedule: &mut schedule, channels: &mut channels, observer: &mut log };
        if slot == source {
            let packet = packet(offered, [0, 85, DATA][(draws.next_u64() % 3) as usize]);
            link.accept(&packet, false, &mut buffer, &mut cx);
            offered += 1;
            if offered < 500 {
                schedule.arm(source, now + Span::from_nanos(draws.next_u64() % 30_000_000));
            } else {
                schedule.disarm(source);
            }
            continue;
        }
        for outcome in link.wake(slot, &mut buffer, &mut cx) {
            if let LinkOutcome::Failed(notice) = outcome {
                notices.push(format!("{now:?} {notice:?}"));
            }
        }
    }
    (log.link_events().collect(), notices)
}

#[test]
fn go_back_n_with_window_one_equals_stop_and_wait() {
    let fades = two_state::Config {
        mean_good: Span::from_millis(200),
        mean_bad: Span::from_millis(60),
        loss_good: 0.05,
        loss_bad: 1.0,
    };
    let mut failed = 0;
    for air in [ChannelConfig::TwoState(fades), ChannelConfig::Uniform(uniform::Config { loss: 0.3 })] {
        for (limit, seed) in [(Limit::None, 1), (Limit::Packets(3), 2), (Limit::Bytes(1500), 3)] {
            for margin in [Span::ZERO, Span::from_millis(1)] {
                let (window, max_transmissions) = (1, 3);
                let station = stop_and_wait::Config { max_transmissions, margin, numbering: None };
                let station = told(&ArqConfig::StopAndWait(station), &air, limit, seed);
                let config = go_back_n::Config { window, max_transmissions, margin, ..Default::default() };
                let go_back = told(&ArqConfig::GoBackN(config), &air, limit, seed);
                assert!(go_back == station, "go-back-n, {limit}, {margin}");
                for in_order in [false, true] {
                    let config =
                        selective_repeat::Config { window, max_transmissions, margin, in_order, ..Default::default() };
                    let selective = told(&ArqConfig::SelectiveRepeat(config), &air, limit, seed);
                    assert!(selective == station, "selective-repeat, {limit}, {margin}");
                }
                failed += station.1.len();
            }
        }
    }
    assert!(failed > 1000, "only {failed} attempts failed");
}
