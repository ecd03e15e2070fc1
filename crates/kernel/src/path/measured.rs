//! Measurements of a run, for the kernel and for the simulation.

use stats::quantile::Ordered;
use stats::sample::Moments;

/// Measurements of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct RunMeasurements {
    pub flows: Vec<FlowMeasurements>,
    /// Packets waiting at the bottleneck, without the one in transmission, sampled at equal intervals during the run.
    pub queue: Vec<usize>,
}

/// Measurements of a flow.
#[derive(Clone, PartialEq, Debug)]
pub struct FlowMeasurements {
    /// Goodput in Mbps, from the flow's start to the end of the run.
    pub goodput: f64,
    /// The sender's smoothed round trip times in ms, sampled at equal intervals from the first sample on.
    pub round_trips: Vec<f64>,
}

impl RunMeasurements {
    fn queue(&self) -> impl Iterator<Item = f64> {
        self.queue.iter().map(|packets| *packets as f64)
    }

    /// Returns the mean queue length over time, in packets.
    fn queue_mean(&self) -> f64 {
        compute_mean(self.queue())
    }

    /// Returns the 95 % quantile of the queue length over time, in packets.
    fn queue_95(&self) -> f64 {
        Ordered::of(self.queue()).ok().and_then(|ordered| ordered.quantile(0.95).ok().flatten()).unwrap_or(f64::NAN)
    }
}

fn compute_moments(values: impl IntoIterator<Item = f64>) -> Option<Moments> {
    Moments::of(values).ok()
}

fn compute_mean(values: impl IntoIterator<Item = f64>) -> f64 {
    compute_moments(values).and_then(|moments| moments.mean()).unwrap_or(f64::NAN)
}

/// Returns the mean over the runs, followed by minimum and maximum if they differ when rounded to `digits` decimals.
fn over_runs(values: impl Iterator<Item = f64>, digits: usize) -> String {
    let sums = compute_moments(values).and_then(|moments| Some([moments.mean()?, moments.min()?, moments.max()?]));
    let Some(sums) = sums else { return "not run".into() };
    let [mean, min, max] = sums.map(|value| format!("{value:.digits$}"));
    if min == max { mean } else { format!("{mean} ({min} to {max})") }
}

/// Returns the result table: a line for each quantity, with columns for the kernel and for lasthop.
pub fn render_comparison(names: &[&str], kernel: &[RunMeasurements], ours: &[RunMeasurements]) -> String {
    let mut text = format!("  {:<28}{:<26}ours\n", "", "kernel");
    let mut line = |quantity: &str, digits: usize, value: &dyn Fn(&RunMeasurements) -> f64| {
        let [kernel, ours] = [kernel, ours].map(|runs| over_runs(runs.iter().map(value), digits));
        text += &format!("  {quantity:<28}{kernel:<26}{ours}\n");
    };
    for (index, name) in names.iter().enumerate() {
        line(&format!("{name}: goodput, Mbps"), 2, &|run| run.flows[index].goodput);
        line(&format!("{name}: round trip, ms"), 0, &|run| compute_mean(run.flows[index].round_trips.iter().copied()));
    }
    line("queue: mean, packets", 1, &RunMeasurements::queue_mean);
    line("queue: 95 %, packets", 0, &RunMeasurements::queue_95);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(goodput: f64, queue: impl IntoIterator<Item = usize>) -> RunMeasurements {
        let flows = vec![FlowMeasurements { goodput, round_trips: vec![40.0, 60.0] }];
        RunMeasurements { flows, queue: queue.into_iter().collect() }
    }

    #[test]
    fn queue_mean_and_95_percent_quantile_are_correct() {
        // Queue lengths 0, 1, ..., 100: the mean is half of the maximum, and 95 % of the values are 95 or less.
        let run = run(1.0, 0..=100);
        assert_eq!((run.queue_mean(), run.queue_95()), (50.0, 95.0));
    }

    #[test]
    fn table_shows_the_range_if_runs_differ() {
        let kernel = [run(9.0, [2, 4]), run(9.5, [2, 6])];
        let ours = [run(9.25, [3, 3]), run(9.25, [3, 3])];
        let table = render_comparison(&["bbr"], &kernel, &ours);
        let words: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(words[1], ["bbr:", "goodput,", "Mbps", "9.25", "(9.00", "to", "9.50)", "9.25"]);
        assert_eq!(words[2], ["bbr:", "round", "trip,", "ms", "50", "50"]);
        assert_eq!(words[3], ["queue:", "mean,", "packets", "3.5", "(3.0", "to", "4.0)", "3.0"]);
        assert_eq!(words[4][..3], ["queue:", "95", "%,"]);
    }

    #[test]
    fn column_without_runs_shows_not_run() {
        let table = render_comparison(&["bbr"], &[], &[run(9.25, [3, 3])]);
        assert!(table.lines().skip(1).all(|line| line.contains("not run ")), "{table}");
    }
}
