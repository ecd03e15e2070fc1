//! Changes the keys of a sweep's runs when the program computes keys in another way; the results stay equal.

use rusqlite::{Connection, params};

use super::checksum::checked_columns;
use super::{Digest, FORM, Store, StoreError, cells_in, sweep_content};

impl Store {
    /// Replaces the keys of a sweep's cells, in order, and of their runs, in one transaction. Runs are also kept under
    /// their old key if another sweep refers to that key. A sweep that already exists under its new key is removed.
    pub(crate) fn rekey(&mut self, sweep: i64, model: u32, keys: &[Digest]) -> Result<(), StoreError> {
        let rekeyed = Self::transaction(&mut self.db).and_then(|transaction| {
            let mut cells = cells_in(&transaction, sweep)?;
            for (cell, key) in cells.iter_mut().zip(keys) {
                copy_runs(&transaction, cell.digest, *key)?;
                cell.digest = *key;
            }
            let digest = Digest::of_sweep(model, &sweep_content(&cells));
            let known = "SELECT EXISTS (SELECT 1 FROM sweeps WHERE digest = ?1 AND id <> ?2)";
            let old = old_keys(&transaction, sweep)?;
            transaction.execute("DELETE FROM cells WHERE sweep = ?1", [sweep])?;
            if transaction.query_row(known, params![&digest.0[..], sweep], |row| row.get(0))? {
                transaction.execute("DELETE FROM sweeps WHERE id = ?1", [sweep])?;
            } else {
                super::add_cells(&transaction, sweep, &cells)?;
                let set = "UPDATE sweeps SET digest = ?2, form = ?3 WHERE id = ?1";
                transaction.execute(set, params![sweep, &digest.0[..], FORM])?;
                super::checksum::renew_checksum(&transaction, sweep)?;
            }
            for key in old {
                let drop = "DELETE FROM runs WHERE digest = ?1 AND NOT EXISTS (SELECT 1 FROM cells WHERE digest = ?1)";
                transaction.execute(drop, [&key[..]])?;
            }
            transaction.commit()
        });
        rekeyed.map_err(|error| StoreError::of(&self.path, error))
    }
}

fn old_keys(db: &Connection, sweep: i64) -> rusqlite::Result<Vec<[u8; 16]>> {
    let mut find = db.prepare("SELECT DISTINCT digest FROM cells WHERE sweep = ?1")?;
    find.query_map([sweep], |row| row.get(0))?.collect()
}

/// Copies runs to another key. A damaged row remains marked as damaged.
fn copy_runs(db: &Connection, from: Digest, to: Digest) -> rusqlite::Result<()> {
    let columns = checked_columns("runs");
    let mut copy = db.prepare_cached(&format!(
        "INSERT OR IGNORE INTO runs SELECT ?2, replication, summary, metric_set,
         row_checksum(?2, replication, summary, metric_set) + (checksum <> row_checksum({columns}))
         FROM runs WHERE digest = ?1"
    ))?;
    copy.execute(params![&from.0[..], &to.0[..]])?;
    Ok(())
}
