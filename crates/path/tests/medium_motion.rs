//! Randomly moving stations, compared with a reference without carrier-sense groups that uses distances and the log.

use crate::air;

use air::{Air, config, metres};
use engine::{Decibels, Length, Span, Stream, Time};
use path::mac::dcf::config::Aggregation;
use path::mac::dcf::{Config, FrameKind, Phy, Standard};
use path::place::{Path, square};
use path::{AirFrame, MediumEvent, Reach, Reception};

const STATIONS: usize = 7;
const END: Time = Time::from_millis(3000);

/// Returns random paths across a square of 600 m, fast enough for all kinds of events within three seconds.
fn paths_of(case: u64) -> Vec<Path> {
    let mut draws = Stream::named(case, 0, "motion test").draws();
    let mut place = || [0, 1].map(|_| i128::from(draws.next_u64() % 600_000));
    let mut path = |_| {
        let start = place();
        let places: Vec<_> = (1..7).map(|leg| (Time::from_millis(500 * leg), place())).collect();
        Path::through(start, &places)
    };
    (0..STATIONS).map(&mut path).collect()
}

/// Returns the audibility between two stations at a time, from their distance alone.
fn reach(paths: &[Path], [a, b]: [u32; 2], range: u64, sensed: u64, now: Time) -> Reach {
    let metre = 1_000_000_000i128;
    let distance = square(&paths[a as usize], &paths[b as usize], now);
    let within = |metres: u64| distance <= (i128::from(metres) * metre).pow(2);
    if within(range) {
        Reach::Reads
    } else if within(sensed) {
        Reach::Senses
    } else {
        Reach::Nothing
    }
}

/// A frame in the log.
struct Flown {
    from: u32,
    to: u32,
    frame: AirFrame,
    readable: bool,
    collided: bool,
    /// For each station, whether it senses the frame.
    heard: Vec<bool>,
    /// For each station, whether it can decode the frame, unless another frame overlaps there.
    read: Vec<bool>,
}

impl Flown {
    /// Returns the time at which the frame has reached every station.
    fn ends(&self) -> Time {
        self.frame.start + self.frame.duration + Span::from_nanos(1000)
    }
}

#[test]
fn receptions_follow_from_distances() {
    let (range, sensed) = (150, 260);
    let mut frames = 0;
    let mut crossings = 0;
    let mut collisions = 0;
    let mut captures = 0;
    let mut aggregates = 0;
    for case in 0..12 {
        let paths = paths_of(case);
        let together = case >= 8;
        let settings = Config {
            standard: if together { Standard::N } else { Standard::B },
            aggregation: together.then(Aggregation::default),
            capture: (case % 2 == 0).then_some(Decibels(10_000)),
            rts_threshold: (case % 4 < 2).then_some(engine::Bytes(0)),
            ..config(range, sensed)
        };
        let phy = Phy::new(&settings);
        let links: Vec<[usize; 2]> = (1..STATIONS).map(|station| [station, 0]).collect();
        let mut air = Air::new(&settings, &paths, &links, END);
        air.saturate(&[0, 2, 4, 6, 8, 10, 11], END);
        let pair_reach = |a: u32, b: u32, now: Time| match a == b {
            true => Reach::Reads,
            false => reach(&paths, [a, b], range, sensed, now),
        };
        let stations = 0..STATIONS as u32;
        let mut known: Vec<Vec<Reach>> =
            stations.clone().map(|a| stations.clone().map(|b| pair_reach(a, b, Time::ZERO)).collect()).collect();
        let mut flying: Vec<Flown> = Vec::new();
        let mut over: Vec<Flown> = Vec::new();
        for (at, event) in air.log.medium_events() {
            match &event {
                MediumEvent::Reaches { a, b, reach } => {
                    crossings += 1;
                    (known[*a as usize][*b as usize], known[*b as usize][*a as usize]) = (*reach, *reach);
                }
                MediumEvent::Sent { from, to, frame, .. } => {
                    frames += 1;
                    for a in stations.clone() {
                        for b in stations.clone() {
                            assert_eq!(known[a as usize][b as usize], pair_reach(a, b, at), "{a} and {b} at {at:?}");
                        }
                    }
                    aggregates += u64::from(frame.kind == FrameKind::Aggregate);
                    first_of_an_exchange_waits(*from, at, frame, &phy, &flying, &over);
                    let senses = |a: u32, b: u32| pair_reach(a, b, at) >= Reach::Senses;
                    let mut collided = false;
                    // Whether the other frame damages the first one at `here`, its receiver.
                    let mut spoilt = |here: u32, [from, other]: [u32; 2], frames: [&AirFrame; 2]| {
                        let power = |station: u32| {
                            (square(&paths[here as usize], &paths[station as usize], at) as f64).powi(2).recip()
                        };
                        let there = |frame: &AirFrame, sender: u32| {
                            let begins = frame.start + if sender == here { Span::ZERO } else { Span::from_nanos(1000) };
                            (begins, begins + frame.duration)
                        };
                        let ((begins, ends), (others_begins, others_ends)) =
                            (there(frames[0], from), there(frames[1], other));
                        let meets = senses(here, other) && begins < others_ends && others_begins < ends;
                        let survives = settings.capture.is_some()
                            && ![from, other].contains(&here)
                            && frames[0].start <= frames[1].start
                            && power(from) >= 10.0 * power(other);
                        captures += u64::from(meets && survives);
                        meets && !survives
                    };
                    for other in &mut flying {
                        other.collided |= spoilt(other.to, [other.from, *from], [&other.frame, frame]);
                        collided |= spoilt(*to, [*from, other.from], [frame, &other.frame]);
                    }
                    flying.push(Flown {
                        from: *from,
                        to: *to,
                        frame: *frame,
                        readable: pair_reach(*to, *from, at) == Reach::Reads,
                        collided,
                        heard: stations.clone().map(|station| senses(station, *from)).collect(),
                        read: stations.clone().map(|station| pair_reach(station, *from, at) == Reach::Reads).collect(),
                    });
                    // Overlapping frames are not decoded.
                    let last = flying.len() - 1;
                    for station in 0..STATIONS {
                        let others = (0..last).filter(|other| flying[*other].heard[station]).collect::<Vec<_>>();
                        if flying[last].heard[station] && !others.is_empty() {
                            flying[last].read[station] = false;
                            for other in others {
                                flying[other].read[station] = false;
                            }
                        }
                    }
                }
                MediumEvent::Ended { from, kind, reception, .. } => {
                    let place =
                        flying.iter().position(|flown| flown.from == *from && flown.frame.kind == *kind).unwrap();
                    let flown = flying.remove(place);
                    assert_eq!(at, flown.ends());
                    let expected = match (flown.readable, flown.collided) {
                        (false, _) => Reception::Unheard,
                        (true, true) => Reception::Collided,
                        (true, false) => Reception::Received,
                    };
                    assert_eq!(*reception, expected, "{kind:?} of {from} at {at:?}, case {case}");
                    collisions += u64::from(expected == Reception::Collided);
                    over.push(flown);
                    over.retain(|flown| flown.ends() + flown.frame.reserves + Span::from_millis(1) > at);
                }
                MediumEvent::BackOff { .. } => {}
            }
        }
        // No station is lost when groups are rebuilt: after the last arrival, every packet is delivered or given up.
        assert!(air.in_hand.iter().sum::<u64>() == 14);
        air.run(Time::from_millis(10_000));
        assert_eq!(air.in_hand.iter().sum::<u64>(), 0, "{:?} in case {case}", air.in_hand);
    }
    assert!(
        frames > 10_000 && crossings > 200 && collisions > 300 && captures > 50 && aggregates > 1000,
        "{frames} {crossings} {collisions} {captures} {aggregates}"
    );
}

/// Checks that a station which begins an exchange has sensed no frame for DIFS, except frames that began within the
/// propagation delay of 1 us.
fn first_of_an_exchange_waits(from: u32, at: Time, frame: &AirFrame, phy: &Phy, flying: &[Flown], over: &[Flown]) {
    let answers = matches!(frame.kind, FrameKind::Ack | FrameKind::BlockAck | FrameKind::Cts);
    let asked_for = matches!(frame.kind, FrameKind::Data | FrameKind::Aggregate)
        && over
            .iter()
            .any(|flown| flown.to == from && flown.frame.kind == FrameKind::Cts && flown.ends() + phy.sifs >= at);
    if answers || asked_for {
        return;
    }
    let delay = Span::from_nanos(1000);
    for other in flying.iter().filter(|other| other.heard[from as usize]) {
        assert!(other.frame.start + delay >= at, "{from} sends at {at:?} in a frame of {}", other.from);
    }
    for other in over.iter().filter(|other| other.heard[from as usize]) {
        // Its own frame, or one that began as late, may have ended less than DIFS ago only if no frame began after it.
        assert!(other.ends() + phy.difs <= at + delay, "{from} sends at {at:?} after {}", other.from);
        // A NAV keeps all stations silent except those of the exchange.
        let reserved = other.ends() + other.frame.reserves;
        if other.read[from as usize] && from != other.from && from != other.to {
            assert!(
                reserved <= at + delay,
                "{from} sends at {at:?} into what {} reserves for {}",
                other.from,
                other.to
            );
        }
    }
}

/// A silent station moves, and groups are rebuilt whenever its audibility changes: the other stations are unaffected.
#[test]
fn back_offs_carry_over_when_groups_are_rebuilt() {
    let mut met = 0;
    for case in 0..6 {
        let mut draws = Stream::named(case, 0, "still test").draws();
        let mut still: Vec<Path> = (0..6).map(|_| metres([0, 1].map(|_| i128::from(draws.next_u64() % 300)))).collect();
        let links: Vec<[usize; 2]> = (1..6).map(|station| [station, 0]).collect();
        let settings = Config { range: Some(Length(150_000)), ..config(150, 200) };
        let run = |paths: &[Path], links: &[[usize; 2]]| {
            let mut air = Air::new(&settings, paths, links, END);
            air.saturate(&[0, 2, 4, 6, 8], END);
            let meetings = air.reaches().len();
            let mut log: Vec<String> = Vec::new();
            for (at, event) in air.log.medium_events() {
                // The event of an acknowledgment may be emitted before its start.
                let at = match event {
                    MediumEvent::Reaches { .. } => continue,
                    MediumEvent::Sent { frame, .. } => frame.start,
                    _ => at,
                };
                log.push(format!("{:>12} {event:?}", at.as_nanos()));
            }
            log.sort();
            (log, meetings)
        };
        let (alone, none) = run(&still, &links);
        still.push(paths_of(100 + case).remove(0));
        let (watched, meetings) = run(&still, &[&links[..], &[[6, 0]]].concat());
        assert!(none == 0 && alone.len() > 3000, "{}", alone.len());
        met += meetings;
        for (expected, found) in alone.iter().zip(&watched) {
            assert_eq!(expected, found, "case {case}");
        }
        assert_eq!(alone.len(), watched.len());
    }
    assert!(met > 60, "{met}");
}
