//! Loss processes fitted to the fates of frames on the channels of the simulator.

use engine::{Span, Stream, Time};
use fit::loss::{Estimate, Loss};
use path::LinkDirection;
use path::channel::{Channel, ChannelFrame, FrameFate, gilbert_elliott, uniform};

/// The fates of `packets` on a channel.
fn draw_fates(channel: &mut dyn Channel, packets: u64) -> Vec<bool> {
    let frame = |number: u64| ChannelFrame {
        now: Time::from_millis(number),
        start: Time::from_millis(number),
        duration: Span::from_millis(1),
        size: 1500,
        direction: LinkDirection::Forward,
        number: Some(number),
    };
    (0..packets).map(|number| channel.fate(&frame(number)) == FrameFate::Corrupted).collect()
}

fn draw_elliott_fates(seed: u64, [p, r, h]: [f64; 3], packets: u64) -> Vec<bool> {
    let config = gilbert_elliott::Config { p, r: Some(r), h, k: 1.0 };
    draw_fates(&mut *config.build(Stream::named(seed, 0, "channel")), packets)
}

/// Returns how many intervals contain the true value in `runs` runs.
fn count_covering_intervals(runs: u64, [p, r, h]: [f64; 3], packets: u64) -> ([u32; 3], u32) {
    let (mut counts, mut found) = ([0; 3], 0);
    for seed in 0..runs {
        let Loss::GilbertElliott { p: of_p, r: of_r, h: of_h } =
            Loss::select_model(&draw_elliott_fates(seed, [p, r, h], packets))
        else {
            continue;
        };
        found += 1;
        for (count, (estimate, truth)) in counts.iter_mut().zip([(of_p, p), (of_r, r), (of_h, h)]) {
            *count += u32::from((estimate.interval[0]..=estimate.interval[1]).contains(&truth));
        }
    }
    (counts, found)
}

#[test]
fn intervals_of_hidden_bursts_contain_the_true_parameters() {
    let (counts, found) = count_covering_intervals(20, [0.01, 0.1, 0.5], 20_000);
    assert_eq!(found, 20, "each is recognized");
    assert!(counts.iter().all(|count| *count >= 16), "{counts:?} of 20");
}

/// 100 runs, in 90 to 99 of which 95 % of intervals should contain the parameter.
#[test]
#[ignore = "takes minutes: cargo xtask test --full"]
fn intervals_of_hidden_bursts_contain_the_true_parameters_in_90_of_100() {
    for truth in [[0.01, 0.1, 0.5], [0.004, 0.05, 0.7]] {
        let (counts, found) = count_covering_intervals(100, truth, 40_000);
        assert_eq!(found, 100, "{truth:?}");
        assert!(counts.iter().all(|count| (90..=100).contains(count)), "{truth:?}: {counts:?} of 100");
    }
}

#[test]
fn independent_losses_select_the_uniform_model() {
    for (seed, loss) in [(1, 0.001), (2, 0.01), (3, 0.05), (4, 0.2)] {
        let found = Loss::select_model(&draw_fates(
            &mut *uniform::Config { loss }.build(Stream::named(seed, 0, "channel")),
            20_000,
        ));
        let Loss::Uniform(Estimate { value, .. }) = found else { panic!("{loss}: {found:?}") };
        assert!((value / loss - 1.0).abs() < 0.5, "{value} for {loss}");
    }
}

/// A capture may begin with a lost packet, and no model knows the packet before it.
#[test]
fn lost_first_packet_does_not_change_the_selected_model() {
    for seed in 0..20 {
        let mut lost =
            draw_fates(&mut *uniform::Config { loss: 0.003 }.build(Stream::named(seed, 0, "channel")), 4_000);
        lost[0] = true;
        let found = Loss::select_model(&lost);
        assert!(matches!(found, Loss::Uniform(_)), "{seed}: {found:?}");
        let mut bursts = draw_elliott_fates(seed, [0.004, 0.3, 0.0], 10_000);
        bursts[0] = true;
        let found = Loss::select_model(&bursts);
        assert!(matches!(found, Loss::Gilbert { .. } | Loss::GilbertElliott { .. }), "{seed}: {found:?}");
    }
}

/// Four bursts of 1, 2, 1 and 2 packets in 26: the shares by hand.
#[test]
fn gilbert_parameters_equal_counted_transition_shares() {
    let text = "....x.....xx.....x....xx..";
    let lost: Vec<bool> = text.chars().map(|letter| letter == 'x').collect();
    let found = Loss::select_model(&lost);
    // With few losses, independent losses explain as much with one parameter less.
    assert!(matches!(found, Loss::Uniform(Estimate { value, .. }) if (value - 6.0 / 26.0).abs() < 1e-12), "{found:?}");
    let many: Vec<bool> = lost.iter().copied().cycle().take(26 * 40).collect();
    let Loss::Gilbert { p, r } = Loss::select_model(&many) else { panic!("{:?}", Loss::select_model(&many)) };
    // In each period 4 of 20 arrived packets precede a lost one, and 4 of 6 lost packets precede an arrived one. The
    // last packet has no successor.
    assert_eq!((p.value, r.value), (160.0 / 799.0, 4.0 / 6.0));
}

#[test]
fn capture_without_losses_bounds_the_loss_rate() {
    let found = Loss::select_model(&[false; 1000]);
    assert!(
        matches!(found, Loss::None(Estimate { value: 0.0, interval: [0.0, high] }) if (0.003..0.005).contains(&high))
    );
    assert!(matches!(Loss::select_model(&[]), Loss::None(_)));
}
