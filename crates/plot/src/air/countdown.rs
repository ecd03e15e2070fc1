//! Intervals in which stations counted down their back-offs, and in which back-offs were frozen: derived from the
//! frames on the medium and from the audibility of stations [802.11-2007 s9.2.5.2].

use engine::{IdVec, Span, Time};
use path::mac::dcf::{FrameKind, Phy};
use path::{AirFrame, MediumStationId, Reach, Reception};

use super::carrier_sense::{CarrierSense, FrameStart, IdleTimes, NavReservation};

/// An interval of a back-off.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct CountdownPart {
    pub station: MediumStationId,
    pub from: Time,
    pub to: Time,
    /// Number of slots counted in the interval; 0 if the back-off was frozen.
    pub slots: u64,
}

/// A station in back-off.
#[derive(Clone, Copy)]
struct WaitingStation {
    left: u64,
    /// Start of the time not yet reported as a [`CountdownPart`].
    since: Time,
    /// Time at which this station begins to count slots while the medium stays idle, if the time differs from that of
    /// other stations with the same carrier sense.
    apart: Option<Time>,
}

/// The state of an exchange that a station began and that has not been answered.
#[derive(Clone, Copy)]
enum PendingRequest {
    /// The station's frame ends at this time.
    SentUntil(Time),
    /// The response could not be read; the station counts slots from this time on.
    Unanswered(Time),
}

/// A frame in transmission.
struct FrameInFlight {
    from: MediumStationId,
    reserves: Span,
    /// The carrier senses that detect the frame. They are fixed at the start of the frame, even if stations move
    /// afterwards.
    detected_by: Vec<usize>,
}

/// The back-offs of all stations of a medium.
pub(super) struct Countdown {
    slot: Span,
    spaces: IdleTimes,
    delay: Span,
    waiting: IdVec<MediumStationId, Option<WaitingStation>>,
    requests: IdVec<MediumStationId, Option<PendingRequest>>,
    /// The end of the last frame that only this station could not read.
    unread: IdVec<MediumStationId, Option<Time>>,
    /// Carrier sense by station, or a single common one as long as all stations read each other.
    senses: Vec<CarrierSense>,
    /// Audibility by pair of stations; empty as long as there is a single carrier sense.
    reach: IdVec<MediumStationId, IdVec<MediumStationId, Reach>>,
    flying: Vec<FrameInFlight>,
    parts: Vec<CountdownPart>,
}

impl Countdown {
    /// Returns the countdown of a medium with `stations` stations. `apart` lists the pairs that do not read each other.
    pub fn new(phy: &Phy, stations: usize, apart: &[(MediumStationId, MediumStationId, Reach)]) -> Self {
        let mut countdown = Countdown {
            slot: phy.slot,
            spaces: IdleTimes { difs: phy.difs, eifs: phy.eifs },
            delay: phy.delay,
            waiting: vec![None; stations].into(),
            requests: vec![None; stations].into(),
            unread: vec![None; stations].into(),
            senses: vec![CarrierSense::new()],
            reach: IdVec::default(),
            flying: Vec::new(),
            parts: Vec::new(),
        };
        apart.iter().for_each(|(a, b, reach)| countdown.set_reach(*a, *b, *reach));
        countdown
    }

    /// Returns the completed intervals that were not returned before.
    pub fn take_parts(&mut self) -> impl Iterator<Item = CountdownPart> + use<> {
        std::mem::take(&mut self.parts).into_iter()
    }

    /// Sets the audibility of a pair of stations from now on.
    pub fn set_reach(&mut self, a: MediumStationId, b: MediumStationId, reach: Reach) {
        let count = self.waiting.len();
        if a.index() >= count || b.index() >= count {
            return;
        }
        if self.reach.is_empty() {
            self.reach = vec![vec![Reach::Reads; count].into(); count].into();
            self.senses = vec![self.senses[0].clone(); count];
            self.flying.iter_mut().for_each(|flying| flying.detected_by = (0..count).collect());
        }
        self.reach[a][b] = reach;
        self.reach[b][a] = reach;
    }

    /// Returns the index of a station's carrier sense.
    fn find_sense(&self, station: MediumStationId) -> usize {
        if self.reach.is_empty() { 0 } else { station.index() }
    }

    /// Returns the carrier senses that detect a station's frames, each with whether it can read them.
    fn list_audience(&self, from: MediumStationId) -> Vec<(usize, bool)> {
        match self.reach.get(from) {
            Some(reach) => {
                let hears = |(station, reach): (usize, &Reach)| {
                    (*reach >= Reach::Senses).then_some((station, *reach == Reach::Reads))
                };
                reach.iter().enumerate().filter_map(hears).collect()
            }
            None => vec![(0, true)],
        }
    }

    /// Records that a station has drawn a back-off of `slots`.
    pub fn record_draw(&mut self, at: Time, station: MediumStationId, slots: u64) {
        let sense = self.find_sense(station);
        let common = self.find_count_start(station);
        let (Some(waiting), Some(sense)) = (self.waiting.get_mut(station), self.senses.get(sense)) else {
            return;
        };
        let request = self.requests[station].take().filter(|_| sense.is_idle());
        let apart = request.map(|request| match request {
            PendingRequest::Unanswered(from) => from,
            // All stations detect a frame that began after the end of the station's own frame. Otherwise the medium was
            // busy with the station's own frame or one that overlapped it: then the station waits for DIFS, without
            // EIFS and without the reservation of the station's frame.
            PendingRequest::SentUntil(sent) if sense.busy_since() > sent => common,
            PendingRequest::SentUntil(_) => sense.find_count_start_after(station, self.spaces.difs, self.spaces),
        });
        *waiting = Some(WaitingStation { left: slots, since: at, apart });
    }

    /// Records the start of a frame at `frame.start`, which for an acknowledgment may lie after `now`.
    pub fn begin_frame(&mut self, now: Time, from: MediumStationId, frame: &AirFrame) {
        let AirFrame { kind, start, duration, reserves, .. } = *frame;
        let (audience, follows) = (self.list_audience(from), start > now);
        let sender = Some(from).filter(|_| !kind.is_answer());
        for (sense, read) in &audience {
            if self.senses[*sense].is_idle() && !follows {
                self.count_slots(*sense, start, sender);
            }
            self.senses[*sense].begin_frame(FrameStart { at: start, is_readable: *read, is_response: follows });
        }
        let places = (self.waiting.get_mut(from), self.requests.get_mut(from));
        if let (false, (Some(waiting), Some(request))) = (kind.is_answer(), places) {
            *waiting = None;
            *request = (kind != FrameKind::Beacon).then_some(PendingRequest::SentUntil(start + duration));
        }
        let detected_by = audience.into_iter().map(|(sense, _)| sense).collect();
        self.flying.push(FrameInFlight { from, reserves, detected_by });
    }

    /// Counts the slots that stations with this carrier sense have counted until `start`. `sender` has counted all of
    /// its slots.
    fn count_slots(&mut self, sense: usize, start: Time, sender: Option<MediumStationId>) {
        let stations = if self.reach.is_empty() { 0..self.waiting.len() } else { sense..sense + 1 };
        for station in stations.map(MediumStationId::from_index) {
            let common = self.find_count_start(station);
            let entry = &mut self.waiting[station];
            let Some(waiting) = entry else { continue };
            let begin = waiting.apart.take().unwrap_or(common).max(waiting.since);
            let heard = start + self.delay;
            let counted = if sender == Some(station) {
                waiting.left
            } else {
                (heard.since(begin).as_nanos() / self.slot.as_nanos().max(1)).min(waiting.left)
            };
            if counted > 0 {
                let end = begin + self.slot.times(counted);
                if begin > waiting.since {
                    self.parts.push(CountdownPart { station, from: waiting.since, to: begin, slots: 0 });
                }
                self.parts.push(CountdownPart { station, from: begin, to: end, slots: counted });
                (waiting.left, waiting.since) = (waiting.left - counted, end);
            }
            if waiting.left == 0 {
                *entry = None;
            }
        }
    }

    /// Records the end of a frame from station `from` to station `to`.
    pub fn end_frame(&mut self, now: Time, [from, to]: [MediumStationId; 2], kind: FrameKind, reception: Reception) {
        let Some(entry) = self.flying.iter().position(|flying| flying.from == from) else { return };
        let FrameInFlight { reserves, detected_by, .. } = self.flying.swap_remove(entry);
        for sense in detected_by {
            self.senses[sense].end_frame(now, NavReservation { until: now + reserves, between: [from, to] });
        }
        let came = reception == Reception::Received;
        match kind.is_answer() {
            // The requesting station knows only that it could not read a frame.
            true if !came => {
                self.mark_unread(to, now);
                let from = self.find_count_start(to).max(now);
                if let Some(request) = self.requests.get_mut(to) {
                    *request = Some(PendingRequest::Unanswered(from));
                }
            }
            true => {
                if let Some(request) = self.requests.get_mut(to) {
                    *request = None;
                }
            }
            // Only the receiver could not read the frame.
            false if reception == Reception::Corrupted => self.mark_unread(to, now),
            false => {}
        }
    }

    fn mark_unread(&mut self, station: MediumStationId, now: Time) {
        if let Some(unread) = self.unread.get_mut(station) {
            *unread = Some(now);
        }
    }

    /// Returns the time at which a station begins to count slots if the medium stays idle, unless the response to its
    /// own frame was unreadable.
    fn find_count_start(&self, station: MediumStationId) -> Time {
        let unread = self.unread.get(station).copied().flatten();
        self.senses.get(self.find_sense(station)).map_or(Time::ZERO, |sense| {
            sense.find_count_start(station, unread == Some(sense.idle_since()), self.spaces)
        })
    }

    /// Completes all intervals at `last`, the end of the run.
    pub fn finish(&mut self, last: Time) {
        for sense in 0..self.senses.len() {
            if self.senses[sense].is_idle() {
                self.count_slots(sense, last, None);
            }
        }
        let standing = |(station, waiting): (MediumStationId, &Option<WaitingStation>)| {
            let since = waiting.as_ref()?.since;
            (last > since).then_some(CountdownPart { station, from: since, to: last, slots: 0 })
        };
        let standing: Vec<CountdownPart> = self.waiting.enumerate().filter_map(standing).collect();
        self.parts.extend(standing);
    }
}
