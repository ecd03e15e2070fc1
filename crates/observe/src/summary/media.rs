//! The shared media of a summary, and their stations.

use path::medium::StationCounters;
use sim::{Network, Results};

use super::compute_share_of_run;
use super::part::summary_part;

struct MediumSource<'a> {
    network: &'a Network,
    results: &'a Results,
    number: usize,
}

struct StationSource<'a> {
    name: &'a str,
    counters: &'a StationCounters,
    results: &'a Results,
}

impl MediumSource<'_> {
    fn sum(&self, count: fn(&StationCounters) -> u64) -> u64 {
        self.results.media[self.number].stations.iter().map(count).sum()
    }

    /// Share of the run in which the medium was busy.
    fn busy(&self) -> f64 {
        compute_share_of_run(self.results.media[self.number].air.busy, self.results)
    }

    fn collision_probability(&self) -> Option<f64> {
        let attempts = self.sum(|station| station.attempts);
        let collided = self.sum(|station| station.attempts_collided);
        (attempts > 0).then(|| collided as f64 / attempts as f64)
    }

    fn stations(&self) -> Vec<StationSummary> {
        let stations = self.network.stations(self.number).into_iter().zip(&self.results.media[self.number].stations);
        let station = |(node, counters): (usize, _)| {
            let name = &self.network.nodes[node].name;
            StationSummary::of(&StationSource { name, counters, results: self.results })
        };
        stations.map(station).collect()
    }
}

/// Every medium, in the order of the scenario.
pub(super) fn summarize_media(network: &Network, results: &Results) -> Vec<MediumSummary> {
    let medium = |number| MediumSummary::of(&MediumSource { network, results, number });
    (0..network.media.len()).map(medium).collect()
}

summary_part! {
    /// One shared medium.
    pub struct MediumSummary in medium: Medium = of(at: &MediumSource<'_>) {
        /// Name in the scenario.
        name: String ["text"] = at.network.media[at.number].name.clone();
        /// Time in which at least one station was transmitting, as a share of the run. The time is measured at the
        /// transmitters, without propagation delay.
        air_busy: f64 [metric "share", Neither] = at.busy();
        /// The rest of the run: 1 - `air_busy`, that is spaces between frames, backoff slots and silence.
        air_idle: f64 [metric "share", Neither] = 1.0 - at.busy();
        /// Time in which a frame damaged by another frame was in the air, as a share of the run. Each moment counts
        /// once. It is part of `air_busy`.
        air_collided: f64 [metric "share", Lower] = compute_share_of_run(at.results.media[at.number].air.collided, at.results);
        /// Probability that an attempt collides: the sum of all stations' `attempts_collided` divided by the sum of
        /// their `attempts` (Bianchi's p). Null without attempts.
        collision_probability: Option<f64> [metric "share", Lower] = at.collision_probability();
        /// The stations, in the order in which the medium's links name them.
        stations: Vec<StationSummary> ["list"] = at.stations();
    }
    sparse {}
    derived {}
}

summary_part! {
    /// One station of a shared medium.
    pub struct StationSummary in station: Station = of(at: &StationSource<'_>) {
        /// The node.
        name: String ["text"] = at.name.to_owned();
        /// Data frames sent, repetitions and fragments included; an aggregate is one.
        data_sent: u64 [metric "frames", Neither] = at.counters.data_sent;
        /// Acknowledgments sent, block acknowledgments included.
        acks_sent: u64 [metric "frames", Neither] = at.counters.acks_sent;
        /// Requests to send (RTS) sent.
        rts_sent: u64 [metric "frames", Neither] = at.counters.rts_sent;
        /// Clear-to-send frames (CTS) sent.
        cts_sent: u64 [metric "frames", Neither] = at.counters.cts_sent;
        /// Beacons sent.
        beacons_sent: u64 [metric "frames", Neither] = at.counters.beacons_sent;
        /// Completed attempts: first transmissions of an exchange, which are an RTS or, without RTS, data. An aggregate
        /// is one attempt, however many packets it carries. Data behind a CTS and later fragments are not attempts.
        attempts: u64 [metric "frames", Neither, "attempts"] = at.counters.attempts;
        /// Part of `attempts`: attempts damaged by another frame at their receiver.
        attempts_collided: u64 [metric "frames", Lower, "collided"] = at.counters.attempts_collided;
        /// Part of `attempts`: attempts at a packet after a failed attempt at the same packet, for any reason. For an
        /// aggregate its first packet decides.
        retries: u64 [metric "frames", Lower, "retries"] = at.counters.retries;
        /// Packets given up at a retry limit, whether they arrived or not: the sum of `packets_given_up` of the
        /// station's links.
        retry_limit_drops: u64 [metric "packets", Lower, "given up"] = at.counters.given_up;
        /// Backoffs drawn: one after each exchange, and one when a packet arrives while the medium is busy.
        backoffs: u64 [metric "count", Neither] was "back_offs" = at.counters.back_offs;
        /// Sum of the backoffs drawn, counted down or not.
        backoff_slots: u64 [metric "slots", Neither, "backoff slots"] was "back_off_slots" = at.counters.back_off_slots;
        /// Time spent transmitting frames of all kinds, responses included, as a share of the run. For a frame in
        /// transmission when the run ends, the elapsed part counts. With collisions, the sum of the stations' airtimes
        /// exceeds `air_busy`.
        airtime: f64 [metric "share", Neither, "airtime"] = compute_share_of_run(at.counters.airtime, at.results);
    }
    sparse {}
    derived {}
}
