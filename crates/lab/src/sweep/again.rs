//! The cells of a stored sweep, in a form that can be run again: a store has the metrics of runs, not their events.

use super::analysis::Analysis;
use super::plan::{SweepCell, SweepGrid};

/// Returns the scenario and network of each cell of the analysis, in its order. Every network must still have the key
/// of its stored runs: a recording that has changed in the meantime would give a different run.
///
/// # Errors
///
/// Reason, in one line, why the sweep cannot be repeated.
pub fn rebuild_cells(analysis: &Analysis) -> Result<Vec<SweepCell>, String> {
    let sweep = &analysis.sweep;
    if sweep.model != sim::MODEL_VERSION {
        return Err(format!("its runs are of model {}, this program has model {}", sweep.model, sim::MODEL_VERSION));
    }
    let grid = SweepGrid::of_kept(sweep)?;
    let cells: Vec<SweepCell> = grid.points.into_iter().flat_map(|point| point.cells).collect();
    let same = cells.len() == analysis.cells.len()
        && cells.iter().zip(&analysis.cells).all(|(cell, kept)| cell.digest == kept.cell.digest);
    if !same {
        return Err(
            "its scenario now gives other runs than the store has; a file that it reads may have changed".into()
        );
    }
    Ok(cells)
}
