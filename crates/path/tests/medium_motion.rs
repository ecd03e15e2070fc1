//! Randomly moving stations, compared with a reference without carrier-sense groups that uses distances and the log.

use crate::air;

use air::{Air, config, metres};
use engine::{Decibels, Length, Span, Stream, Time};
use path::mac::dcf::config::Aggregation;
use path::mac::dcf::{Config, FrameKind, Phy, Standard};
use path::place::{NodePath, squared_distance};
use path::{AirFrame, MediumEvent, Reach, Reception};

const STATIONS: usize = 7;
const END: Time = Time::from_millis(3000);

/// Returns random paths across a square of 600 m, fast enough for all kinds of events within three seconds.
fn paths_of(case: u64) -> Vec<NodePath> {
    let mut draws = Stream::named(case, 0, "motion test").draws();
    let mut place = || [0, 1].map(|_| i128::from(draws.next_u64() % 600_000));
    let mut path = |_| {
        let start = place();
        let places: Vec<_> = (1..7).map(|leg| (Time::from_millis(500 * leg), place())).collect();
        NodePath::through(start, &places)
    };
    (0..STATIONS).map(&mut path).collect()
}

/// Returns the audibility between two stations at a time, computed from their distance alone.
fn reach(paths: &[NodePath], [a, b]: [u32; 2], range: u64, sensed: u64, now: Time) -> Reach {
    let metre = 1_000_000_000i128;
    let distance = squared_distance(&paths[a as usize], &paths[b as usize], now);
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

/// Events that occurred in all cases.
#[derive(Debug, Default)]
struct MotionCounts {
    frames: u64,
    crossings: u64,
    collisions: u64,
    captures: u64,
    aggregates: u64,
}

/// Ranges in metres within which frames are decoded, and sensed.
const RANGES: [u64; 2] = [150, 260];

fn stations() -> std::ops::Range<u32> {
    0..STATIONS as u32
}

/// The expected receptions of one case, computed from distances along the log.
struct MotionReference<'a> {
    case: u64,
    paths: &'a [NodePath],
    phy: Phy,
    has_capture: bool,
    /// The audibility of each pair of stations according to the log.
    known: Vec<Vec<Reach>>,
    flying: Vec<Flown>,
    /// Completed frames that may still matter.
    over: Vec<Flown>,
    counts: &'a mut MotionCounts,
}

impl<'a> MotionReference<'a> {
    fn new(case: u64, paths: &'a [NodePath], settings: &Config, counts: &'a mut MotionCounts) -> Self {
        let mut reference = MotionReference {
            case,
            paths,
            phy: Phy::new(settings),
            has_capture: settings.capture.is_some(),
            known: Vec::new(),
            flying: Vec::new(),
            over: Vec::new(),
            counts,
        };
        let reaches_of = |a| stations().map(|b| reference.pair_reach(a, b, Time::ZERO)).collect();
        reference.known = stations().map(reaches_of).collect();
        reference
    }

    /// Returns the audibility of a pair of stations; a station decodes its own frames.
    fn pair_reach(&self, a: u32, b: u32, at: Time) -> Reach {
        let [range, sensed] = RANGES;
        if a == b { Reach::Reads } else { reach(self.paths, [a, b], range, sensed, at) }
    }

    fn senses(&self, a: u32, b: u32, at: Time) -> bool {
        self.pair_reach(a, b, at) >= Reach::Senses
    }

    fn change_reach(&mut self, a: u32, b: u32, reach: Reach) {
        self.counts.crossings += 1;
        (self.known[a as usize][b as usize], self.known[b as usize][a as usize]) = (reach, reach);
    }

    /// Checks that the log has stated every change of audibility.
    fn check_known_reaches(&self, at: Time) {
        for a in stations() {
            for b in stations() {
                assert_eq!(self.known[a as usize][b as usize], self.pair_reach(a, b, at), "{a} and {b} at {at:?}");
            }
        }
    }

    fn begin_frame(&mut self, from: u32, to: u32, frame: &AirFrame, at: Time) {
        self.counts.frames += 1;
        self.counts.aggregates += u64::from(frame.kind == FrameKind::Aggregate);
        self.check_known_reaches(at);
        first_of_an_exchange_waits(from, at, frame, &self.phy, &self.flying, &self.over);
        let mut collided = false;
        let mut flying = std::mem::take(&mut self.flying);
        for other in &mut flying {
            other.collided |= self.is_spoilt(other.to, [other.from, from], [&other.frame, frame], at);
            collided |= self.is_spoilt(to, [from, other.from], [frame, &other.frame], at);
        }
        flying.push(Flown {
            from,
            to,
            frame: *frame,
            readable: self.pair_reach(to, from, at) == Reach::Reads,
            collided,
            heard: stations().map(|station| self.senses(station, from, at)).collect(),
            read: stations().map(|station| self.pair_reach(station, from, at) == Reach::Reads).collect(),
        });
        mark_overlaps(&mut flying);
        self.flying = flying;
    }

    /// Whether the second frame damages the first one at `here`, its receiver.
    fn is_spoilt(&mut self, here: u32, [from, other]: [u32; 2], frames: [&AirFrame; 2], at: Time) -> bool {
        let power = |station: u32| {
            (squared_distance(&self.paths[here as usize], &self.paths[station as usize], at) as f64).powi(2).recip()
        };
        let arrival = |frame: &AirFrame, sender: u32| {
            let begins = frame.start + if sender == here { Span::ZERO } else { Span::from_nanos(1000) };
            (begins, begins + frame.duration)
        };
        let ((begins, ends), (others_begins, others_ends)) = (arrival(frames[0], from), arrival(frames[1], other));
        let meets = self.senses(here, other, at) && begins < others_ends && others_begins < ends;
        let survives = self.has_capture
            && ![from, other].contains(&here)
            && frames[0].start <= frames[1].start
            && power(from) >= 10.0 * power(other);
        self.counts.captures += u64::from(meets && survives);
        meets && !survives
    }

    /// Checks the reception of a frame that ends.
    fn end_frame(&mut self, from: u32, kind: FrameKind, reception: Reception, at: Time) {
        let is_it = |flown: &Flown| flown.from == from && flown.frame.kind == kind;
        let flown = self.flying.remove(self.flying.iter().position(is_it).unwrap());
        assert_eq!(at, flown.ends());
        let expected = match (flown.readable, flown.collided) {
            (false, _) => Reception::Unheard,
            (true, true) => Reception::Collided,
            (true, false) => Reception::Received,
        };
        assert_eq!(reception, expected, "{kind:?} of {from} at {at:?}, case {}", self.case);
        self.counts.collisions += u64::from(expected == Reception::Collided);
        self.over.push(flown);
        self.over.retain(|flown| flown.ends() + flown.frame.reserves + Span::from_millis(1) > at);
    }
}

/// Records that a station decodes neither the last frame nor frames that overlap it there.
fn mark_overlaps(flying: &mut [Flown]) {
    let Some((last, earlier)) = flying.split_last_mut() else { return };
    for station in (0..STATIONS).filter(|station| last.heard[*station]) {
        for other in earlier.iter_mut().filter(|other| other.heard[station]) {
            last.read[station] = false;
            other.read[station] = false;
        }
    }
}

/// Returns the settings of a case. Even cases have capture, the first two of four RTS, and the last four aggregates.
fn settings_of(case: u64) -> Config {
    let has_aggregates = case >= 8;
    let [range, sensed] = RANGES;
    Config {
        standard: if has_aggregates { Standard::N } else { Standard::B },
        aggregation: has_aggregates.then(Aggregation::default),
        capture: case.is_multiple_of(2).then_some(Decibels(10_000)),
        rts_threshold: (case % 4 < 2).then_some(engine::Bytes(0)),
        ..config(range, sensed)
    }
}

#[test]
fn receptions_follow_from_distances() {
    let mut counts = MotionCounts::default();
    for case in 0..12 {
        let (paths, settings) = (paths_of(case), settings_of(case));
        let links: Vec<[usize; 2]> = (1..STATIONS).map(|station| [station, 0]).collect();
        let mut air = Air::new(&settings, &paths, &links, END);
        air.saturate(&[0, 2, 4, 6, 8, 10, 11], END);
        let mut reference = MotionReference::new(case, &paths, &settings, &mut counts);
        for (at, event) in air.log.medium_events() {
            match &event {
                MediumEvent::Reaches { a, b, reach } => reference.change_reach(a.number(), b.number(), *reach),
                MediumEvent::Sent { from, to, frame, .. } => {
                    reference.begin_frame(from.number(), to.number(), frame, at);
                }
                MediumEvent::Ended { from, kind, reception, .. } => {
                    reference.end_frame(from.number(), *kind, *reception, at);
                }
                MediumEvent::BackOff { .. } => {}
            }
        }
        // No station is lost when groups are rebuilt: after the last arrival, every packet is delivered or given up.
        assert!(air.in_hand.iter().sum::<u64>() == 14);
        air.run(Time::from_millis(10_000));
        assert_eq!(air.in_hand.iter().sum::<u64>(), 0, "{:?} in case {case}", air.in_hand);
    }
    let MotionCounts { frames, crossings, collisions, captures, aggregates } = counts;
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
        // The station's own frame, or a simultaneous one, may have ended less than DIFS ago. In that case no frame may
        // have begun after it.
        assert!(other.ends() + phy.difs <= at + delay, "{from} sends at {at:?} after {}", other.from);
        // A NAV keeps all stations silent, except the stations of the exchange that set it.
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

/// A silent station moves, and groups are rebuilt whenever its audibility changes. This does not affect the other
/// stations.
#[test]
fn back_offs_carry_over_when_groups_are_rebuilt() {
    let mut met = 0;
    for case in 0..6 {
        let mut draws = Stream::named(case, 0, "still test").draws();
        let mut still: Vec<NodePath> =
            (0..6).map(|_| metres([0, 1].map(|_| i128::from(draws.next_u64() % 300)))).collect();
        let links: Vec<[usize; 2]> = (1..6).map(|station| [station, 0]).collect();
        let settings = Config { range: Some(Length(150_000)), ..config(150, 200) };
        let run = |paths: &[NodePath], links: &[[usize; 2]]| {
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
