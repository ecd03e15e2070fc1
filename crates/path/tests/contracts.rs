//! Contracts of all channels.

use crate::common;

use common::member;
use engine::{Span, Stream, Time};
use path::channel::{
    ChannelConfig, ChannelFrame, ChannelState, FrameFate, absence, bit_errors, gilbert_elliott, recorded, scripted,
    signal, two_state, two_state_gaps, uniform,
};
use path::{LinkDirection, LinkDirections};

/// Returns every channel with settings that cause losses or changes of state. A channel with defaults for all settings
/// needs no entry in the list.
fn every_channel() -> Vec<ChannelConfig> {
    let ms = Span::from_millis;
    let settings = |name: &str| match name {
        "uniform" => ChannelConfig::Uniform(uniform::Config { loss: 0.3 }),
        "bit-errors" => ChannelConfig::BitErrors(bit_errors::Config { rate: 5e-5 }),
        "two-state" => ChannelConfig::TwoState(two_state::Config {
            mean_good: ms(500),
            mean_bad: ms(100),
            loss_good: 0.1,
            loss_bad: 0.8,
        }),
        "two-state-gaps" => ChannelConfig::TwoStateGaps(two_state_gaps::Config {
            mean_good: ms(500),
            mean_bad: ms(100),
            gap_good: 20.0,
            gap_bad: 2.6,
            gap_law: two_state_gaps::Gaps::Exponential,
            directions: LinkDirections::Both,
        }),
        "gilbert-elliott" => {
            ChannelConfig::GilbertElliott(gilbert_elliott::Config { p: 0.1, r: Some(0.3), h: 0.2, k: 0.99 })
        }
        "recorded" => {
            ChannelConfig::Recorded(recorded::Config { file: None, switches: Some(vec![ms(100), ms(200), ms(900)]) })
        }
        "scripted" => ChannelConfig::Scripted(scripted::Config {
            bad: vec![[ms(50), ms(60)], [ms(500), ms(700)]],
            drop: vec![3, 5],
            drop_backward: vec![2],
        }),
        "signal" => {
            let level = |from, dbm| signal::Level { from: ms(from), dbm };
            ChannelConfig::Signal(signal::Config { levels: vec![level(0, -60.0), level(300, -75.5)] })
        }
        "absence" => ChannelConfig::Absence(absence::Config {
            disconnections: vec![[ms(50), ms(60)], [ms(500), ms(700)]],
            period: Some(ms(900)),
            repetitions: Some(3),
            random_offset: Some(ms(20)),
            mobile: absence::Mobile::First,
            reception: absence::Reception::AtOnce,
        }),
        name => {
            member(name).unwrap_or_else(|error| panic!("{name} needs settings, and has none in this list: {error}"))
        }
    };
    let all: Vec<_> = ChannelConfig::MEMBERS.iter().map(|(name, _)| settings(name)).collect();
    for (config, (name, _)) in all.iter().zip(ChannelConfig::MEMBERS) {
        assert_eq!((config.name(), config.check()), (*name, Vec::new()));
    }
    all
}

fn air() -> Stream {
    Stream::named(17, 0, "contracts")
}

fn frame(index: u64, direction: LinkDirection) -> ChannelFrame {
    let start = Time::from_nanos(index * 3_333_333);
    ChannelFrame {
        now: start,
        start,
        duration: Span::from_nanos(1_000_000),
        size: 1000,
        direction,
        number: Some(index),
    }
}

#[test]
fn same_frames_have_the_same_fates() {
    for config in every_channel() {
        let fates = || {
            let mut channel = config.build(air());
            (0..1000).map(|index| channel.fate(&frame(index, LinkDirection::Forward))).collect::<Vec<_>>()
        };
        assert_eq!(fates(), fates(), "{}", config.name());
    }
}

/// Backward frames, link acknowledgments and state queries do not change the fates of forward frames.
#[test]
fn backward_traffic_does_not_change_forward_fates() {
    for config in every_channel() {
        let (mut quiet, mut busy) = (config.build(air()), config.build(air()));
        for index in 0..1000 {
            busy.fate(&frame(index, LinkDirection::Backward));
            busy.fate(&ChannelFrame { number: None, ..frame(index, LinkDirection::Backward) });
            busy.next_change(Time::from_millis(index * 2));
            let forward = frame(index, LinkDirection::Forward);
            assert_eq!(quiet.fate(&forward), busy.fate(&forward), "{}, frame {index}", config.name());
        }
    }
}

/// The fate of a frame depends on its time, not on earlier frames. One channel is an exception by design.
#[test]
fn fate_does_not_depend_on_earlier_frames() {
    for config in every_channel() {
        let (mut busy, mut quiet) = (config.build(air()), config.build(air()));
        let same = (0..7_000).all(|index| {
            let frame = frame(index, LinkDirection::Forward);
            let fate = busy.fate(&frame);
            !index.is_multiple_of(7) || quiet.fate(&frame) == fate
        });
        assert_eq!(same, config.name() != "gilbert-elliott", "{}", config.name());
    }
}

#[test]
fn state_changes_are_ascending_and_alternate() {
    for config in every_channel() {
        let mut channel = config.build(air());
        let mut at = Time::ZERO;
        let mut state = ChannelState::Good;
        for _ in 0..200 {
            let Some((next, new)) = channel.next_change(at) else { break };
            assert!(next > at, "{}: {next:?} after {at:?}", config.name());
            assert_ne!(new, state, "{}", config.name());
            (at, state) = (next, new);
        }
    }
}

/// Frames of zero duration, as acknowledgments in the `goel1997` profile, have a fate too, and two of them at the same
/// time have independent fates.
#[test]
fn frames_of_zero_duration_have_independent_fates() {
    let mut channel = ChannelConfig::Uniform(uniform::Config { loss: 0.5 }).build(air());
    let now = ChannelFrame { duration: Span::ZERO, ..frame(7, LinkDirection::Forward) };
    let fates: Vec<FrameFate> = (0..64).map(|_| channel.fate(&now)).collect();
    assert!(fates.contains(&FrameFate::Arrives) && fates.contains(&FrameFate::Corrupted));
}

#[test]
fn scripted_channel_drops_the_configured_frames() {
    let config = scripted::Config { bad: Vec::new(), drop: vec![5, 3], drop_backward: vec![2] };
    let mut channel = config.build(air());
    let lost = |channel: &mut Box<dyn path::channel::Channel>, direction| {
        (0..10).filter(|index| channel.fate(&frame(*index, direction)) == FrameFate::Corrupted).collect::<Vec<_>>()
    };
    assert_eq!(lost(&mut channel, LinkDirection::Forward), [3, 5]);
    assert_eq!(lost(&mut channel, LinkDirection::Backward), [2]);
}
