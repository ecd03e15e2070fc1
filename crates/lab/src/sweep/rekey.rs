//! Updates the keys of sweeps stored by a version of the program that computed keys in another way.

use super::plan::SweepGrid;
use crate::store::{Digest, FORM, KeptSweep, Store, StoreError};

/// Stores the runs of every sweep of the current model version under their current keys, so that they are found again.
/// Returns the names of the sweeps whose stored scenario can no longer be read. These sweeps remain unchanged.
///
/// # Errors
///
/// If the store cannot be read or written.
pub fn rekey_sweeps(store: &mut Store) -> Result<Vec<String>, StoreError> {
    let mut unread = Vec::new();
    for sweep in store.sweeps()? {
        if sweep.model != sim::MODEL_VERSION || sweep.form == FORM {
            continue;
        }
        match current_keys(&sweep).filter(|keys| store.cells(sweep.id).is_ok_and(|cells| cells.len() == keys.len())) {
            Some(keys) => store.rekey(sweep.id, sweep.model, &keys)?,
            None => unread.push(sweep.name),
        }
    }
    Ok(unread)
}

/// The keys of a stored sweep's cells, by point and case.
fn current_keys(sweep: &KeptSweep) -> Option<Vec<Digest>> {
    let grid = SweepGrid::of_kept(sweep).ok()?;
    Some(grid.points.iter().flat_map(|point| &point.cells).map(|cell| cell.digest).collect())
}
