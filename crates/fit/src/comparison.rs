//! Runs of a fitted scenario compared with the measurement.

use engine::{Histogram, Span};
use scenario::load::Loaded;
use scenario::problem::Problem;
use sim::World;

use crate::observed::SimulatedValues;
use crate::scenario::FittedPath;

/// Values of a measurement or of simulated runs. A value is `None` if the measurement lacks it. Counts are `None` if
/// runs simulate only a part of the transfer.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct TransferValues {
    /// Bits per second.
    pub goodput: Option<f64>,
    /// Round trips at the [percentiles](PERCENTILES), in seconds.
    pub rtt: [Option<f64>; 2],
    /// Retransmitted segments; of several runs the mean.
    pub retransmitted: Option<f64>,
    /// Expiries of the retransmission timer; of several runs the mean.
    pub timeouts: Option<f64>,
}

/// The percentiles of [`TransferValues::rtt`].
pub const PERCENTILES: [f64; 2] = [0.5, 0.95];

impl TransferValues {
    /// The percentiles of round trips in nanoseconds.
    pub fn percentiles(rtt: &Histogram) -> [Option<f64>; 2] {
        PERCENTILES.map(|share| rtt.quantile(share).map(|nanos| Span::from_nanos(nanos).as_secs_f64()))
    }

    /// Whether the goodput is more than [`FAR`] from a measurement's.
    pub fn is_far(&self, measured: &TransferValues) -> bool {
        self.goodput.zip(measured.goodput).is_some_and(|(one, other)| one.max(other) > FAR * one.min(other))
    }
}

/// Variants that are tried if the variant of the sender is unknown: the defaults of operating systems.
pub const CANDIDATES: [&str; 4] = ["cubic", "linux", "newreno", "bbr"];

/// The names of all variants.
pub fn list_variant_names() -> Vec<&'static str> {
    tcp::presets::list_variants()
}

/// The ratio of goodputs above which a fit does not describe the path any more.
pub const FAR: f64 = 1.15;

/// Number of runs of a scenario, each with other random losses, because the goodput of a single run is a matter of
/// chance.
const RUNS: u64 = 5;
/// Packets of all runs of a scenario at most, about: a long transfer over a fast path runs less often, and then in
/// part.
const PACKETS: f64 = 5e6;

/// A fitted scenario with a variant of its sender, and its runs.
#[derive(Clone, Debug)]
pub struct TriedVariant {
    /// The scenario.
    pub fitted: FittedPath,
    /// The combined values of its runs.
    pub values: TransferValues,
    /// The goodput of each run, in ascending order.
    pub goodputs: Vec<f64>,
    /// Distance of the runs from the measurement: 0 for the same goodput and median round trip.
    pub distance: f64,
}

/// Runs the fitted scenario with each of the variants; the nearest to the measurement comes first. A variant that needs
/// a feature that the measured connection lacks, such as SACK, is not the sender's.
///
/// # Errors
/// The scenario has errors with each of them: the measurement cannot be of a path.
pub fn try_variants(
    fitted: &FittedPath,
    measured: &TransferValues,
    variants: &[&str],
) -> Result<Vec<TriedVariant>, Vec<Problem>> {
    let (mut all, mut problems) = (Vec::new(), Vec::new());
    for variant in variants {
        let fitted = FittedPath { variant: (*variant).to_owned(), ..fitted.clone() };
        let loaded = match scenario::load::from_toml("fitted.toml", &fitted.to_toml()) {
            Ok(loaded) => loaded,
            Err(found) => {
                problems = found;
                continue;
            }
        };
        let (values, goodputs) = run_fitted(&fitted, loaded, PACKETS);
        let apart = |one: Option<f64>, other: Option<f64>| match (one, other) {
            (Some(one), Some(other)) if one > 0.0 && other > 0.0 => libm::log(one / other).abs(),
            _ => 0.0,
        };
        let distance = apart(measured.goodput, values.goodput) + apart(measured.rtt[0], values.rtt[0]);
        all.push(TriedVariant { fitted, values, goodputs, distance });
    }
    if all.is_empty() {
        return Err(problems);
    }
    // The sort is stable. Among equal variants the one that was tried first comes first.
    all.sort_by(|one, other| one.distance.total_cmp(&other.distance));
    Ok(all)
}

/// The values of several runs with different random numbers and about `packets` in all, and the goodput of each.
fn run_fitted(fitted: &FittedPath, loaded: Loaded, packets: f64) -> (TransferValues, Vec<f64>) {
    let mut network = loaded.network;
    let per_second = fitted.rate.bits_per_sec() as f64 / (8.0 * f64::from(fitted.mss.max(1)));
    let seconds = fitted.duration.as_secs_f64().max(1e-9);
    let runs = ((packets / (per_second * seconds)) as u64).clamp(1, RUNS);
    let longest = Span::from_nanos((1e9 * packets / per_second) as u64);
    // Counts of a part of the transfer do not describe the whole.
    let is_whole = network.duration <= longest;
    network.duration = network.duration.min(longest);
    let (mut goodputs, mut rtt) = (Vec::new(), Histogram::default());
    let (mut retransmitted, mut timeouts) = (0, 0);
    for replication in 0..runs {
        network.replication = replication;
        let mut observed = SimulatedValues::default();
        World::new(&network, true).run(&mut observed);
        goodputs.push(observed.goodput());
        rtt.merge(&observed.rtt);
        retransmitted += observed.retransmitted;
        timeouts += observed.timeouts;
    }
    goodputs.sort_by(f64::total_cmp);
    let mean = |sum: f64| Some(sum / runs as f64);
    let values = TransferValues {
        goodput: mean(goodputs.iter().sum()),
        rtt: TransferValues::percentiles(&rtt),
        retransmitted: mean(retransmitted as f64).filter(|_| is_whole),
        timeouts: mean(timeouts as f64).filter(|_| is_whole),
    };
    (values, goodputs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::{Estimate, Loss};
    use crate::scenario::tests::download_fit;
    use engine::Rate;

    /// The values of a path with this rate for 5 s, about 3,300 packets for 8 Mbit/s.
    fn values(rate: u64, packets: f64) -> (TransferValues, Vec<f64>) {
        let fitted = FittedPath {
            rate: Rate::from_bits_per_sec(rate).expect("a rate"),
            delay: Span::from_millis(5),
            queue: Some(10),
            loss: Loss::Uniform(Estimate { value: 0.01, interval: [0.005, 0.02] }),
            ..download_fit()
        };
        let loaded = scenario::load::from_toml("fitted.toml", &fitted.to_toml()).expect("a scenario");
        run_fitted(&fitted, loaded, packets)
    }

    #[test]
    fn runs_of_a_part_of_the_transfer_have_no_counts() {
        let (whole, goodputs) = values(8_000_000, 4000.0);
        assert_eq!(goodputs.len(), 1);
        assert!(whole.retransmitted.is_some_and(|count| count > 0.0) && whole.timeouts.is_some());
        let (part, goodputs) = values(8_000_000, 2000.0);
        assert_eq!((goodputs.len(), part.retransmitted, part.timeouts), (1, None, None));
        assert!(part.goodput.zip(whole.goodput).is_some_and(|(part, whole)| part > 0.5 * whole));
    }

    /// 2000 packets at 100 Tbit/s take less than a round trip. Nothing is acknowledged in this time.
    #[test]
    fn runs_of_a_rate_of_a_damaged_capture_are_bounded_by_packets() {
        let (part, _) = values(100_000_000_000_000, 2000.0);
        assert_eq!((part.goodput, part.retransmitted), (Some(0.0), None));
    }
}
