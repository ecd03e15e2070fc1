//! Computes the report on a flow from the bins of all replications.

use stats::steady::{Convergence, batch_means, mser5, run_length};
use stats::{Error, Sample};

use super::bins::BinGrid;
use super::{FlowReport, GoodputRow, Question, SingleRunLength, SteadyVerdict};

/// The report on a flow; `bins[r][i]` are the bytes in time bin `i` of replication `r`.
pub(super) fn judge_flow(flow: usize, grid: &BinGrid, bins: &[&[u64]], question: &Question) -> FlowReport {
    let convergence = compute_convergence(grid, bins);
    let rows = tabulate_goodput(grid, &convergence, question);
    let warmup = find_warmup(grid, bins);
    let alone = match warmup {
        _ if bins.windows(2).all(|pair| pair[0] == pair[1]) => SingleRunLength::NoChance,
        Ok(cut) => estimate_single_run(grid, bins, cut, question),
        Err(error) => SingleRunLength::Unknown(Some(error)),
    };
    FlowReport {
        flow,
        bin: grid.width,
        looked: grid.end(grid.count),
        verdict: decide_verdict(grid, &convergence, &rows, question),
        rows,
        warmup: warmup.map(|cut| grid.end(cut)),
        alone,
    }
}

/// Goodput in bit/s by number of bins.
fn compute_convergence(grid: &BinGrid, bins: &[&[u64]]) -> Convergence {
    let mut convergence = Convergence::default();
    let mut bytes = vec![0u64; bins.len()];
    for bin in 0..grid.count {
        bytes.iter_mut().zip(bins).for_each(|(bytes, bins)| *bytes += bins[bin]);
        let seconds = grid.end(bin + 1).as_secs_f64();
        let figure = Sample::of(bytes.iter().map(|bytes| *bytes as f64 * 8.0 / seconds));
        // Bin counts increase, and a 64-bit count times more than a nanosecond is far below the largest value.
        let _ = figure.and_then(|figure| convergence.push((bin + 1) as f64, &figure));
    }
    convergence
}

fn tabulate_goodput(grid: &BinGrid, convergence: &Convergence, question: &Question) -> Vec<GoodputRow> {
    let all: Vec<_> = convergence.rows(question.level).map(|(_, interval)| interval).collect();
    let row = |bins: usize| Some(GoodputRow { time: grid.end(bins), goodput: all.get(bins - 1).copied().flatten()? });
    grid.rows().into_iter().filter_map(row).collect()
}

fn decide_verdict(
    grid: &BinGrid,
    convergence: &Convergence,
    rows: &[GoodputRow],
    question: &Question,
) -> SteadyVerdict {
    let Some(last) = rows.last().filter(|last| last.goodput.centre() > 0.0) else { return SteadyVerdict::Nothing };
    match convergence.steady_from(question.relative, question.level) {
        Ok(Some(steady)) => {
            let bins = steady.from as usize;
            let from = grid.end(bins);
            // As in MSER-5: if the warm-up ends in the second half, the run may be too short.
            if 2 * bins > grid.count { SteadyVerdict::Late { from } } else { SteadyVerdict::Steady { from } }
        }
        Ok(None) | Err(_) => {
            let half_width = last.goodput.relative_half_width().unwrap_or(f64::INFINITY);
            let times = half_width / question.relative;
            // The conversion saturates: the largest counts are unreachable.
            let replications = (question.replications as f64 * times * times).ceil() as u64;
            SteadyVerdict::Wide { half_width, replications }
        }
    }
}

/// Finds the bins of the warm-up, from the mean of the replications. This mean has the same warm-up as a replication,
/// and less noise.
fn find_warmup(grid: &BinGrid, bins: &[&[u64]]) -> Result<usize, Error> {
    let mean = |bin: usize| bins.iter().map(|bins| bins[bin] as f64).sum::<f64>() / bins.len() as f64;
    let series: Vec<f64> = (0..grid.count).map(mean).collect();
    mser5(&series).map(|warmup| warmup.values)
}

/// The length required of a single run, from the batch means of each replication.
fn estimate_single_run(grid: &BinGrid, bins: &[&[u64]], cut: usize, question: &Question) -> SingleRunLength {
    let needed = |bins: &&[u64]| {
        let rest: Vec<f64> = bins[cut..].iter().map(|bytes| *bytes as f64).collect();
        let batches = batch_means(&rest)?;
        run_length(&batches, question.relative, question.level)
    };
    let lengths: Vec<Result<Option<u64>, Error>> = bins.iter().map(needed).collect();
    let mut told: Vec<u64> = lengths.iter().flatten().flatten().copied().collect();
    told.sort_unstable();
    // A replication without a result needs a longer run than all others. Therefore it is sorted last.
    match told.get(bins.len() / 2) {
        Some(median) => {
            let length = grid.end(cut) + grid.width.times(*median);
            SingleRunLength::Needs { length, told: told.len() as u64 }
        }
        None => SingleRunLength::Unknown(lengths.iter().find_map(|length| length.err())),
    }
}
