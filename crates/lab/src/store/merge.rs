//! Merging of stores, which are shards of one sweep from different machines.

use std::path::Path;

use observe::summary::RecordedSummary;
use rusqlite::{OptionalExtension, Row, params};

use super::refill::{add_sets, more_metrics};
use super::{Digest, Store, StoreError, add_sweep};

/// The numbers of merged sweeps and runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MergeCounts {
    /// Sweeps that were new to the store.
    pub sweeps: u64,
    /// Runs that were new to the store.
    pub runs: u64,
}

impl Store {
    /// Copies every sweep and run of the store at `other` in one transaction. The other store is not changed.
    pub fn merge(&mut self, other: &Path) -> Result<MergeCounts, StoreError> {
        if self.journal.is_some() {
            let why = "an append-only store takes no merged runs: name one that ends with .sqlite".to_owned();
            return Err(StoreError::Unmade { path: self.path.clone(), why });
        }
        let their = Store::open(other)?;
        let (path, wrong) = (self.path.clone(), |error| StoreError::of(&self.path, error));
        let transaction = Self::transaction(&mut self.db).map_err(wrong)?;
        let mut merged = MergeCounts::default();
        {
            let mut known = transaction
                .prepare("SELECT summary, metric_set FROM runs WHERE digest = ?1 AND replication = ?2")
                .map_err(wrong)?;
            let mut insert = transaction
                .prepare("INSERT OR REPLACE INTO runs VALUES (?1, ?2, ?3, ?4, row_checksum(?1, ?2, ?3, ?4))")
                .map_err(wrong)?;
            let sets = add_sets(&transaction, &their.metric_sets()?).map_err(wrong)?;
            let more = |one: i64, other: i64| more_metrics(&transaction, one, other);
            let theirs = |error| StoreError::of(other, error);
            let mut all =
                their.db.prepare("SELECT digest, replication, summary, metric_set FROM runs").map_err(theirs)?;
            let mut rows = all.query([]).map_err(theirs)?;
            while let Some(row) = rows.next().map_err(theirs)? {
                let digest = Digest(row.get(0).map_err(theirs)?);
                let replication: i64 = row.get(1).map_err(theirs)?;
                let summary: String = row.get(2).map_err(theirs)?;
                let set = row.get::<_, i64>(3).map_err(theirs)?;
                let Some(set) = sets.get(&set) else {
                    return Err(StoreError::Damaged {
                        path: other.to_owned(),
                        found: format!("set {set} of metrics is missing"),
                    });
                };
                let read = |row: &Row<'_>| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?));
                let ours = known.query_row(params![&digest.0[..], replication], read).optional().map_err(wrong)?;
                match ours {
                    Some((ours, our_set)) if has_same_values(&ours, &summary) => {
                        if more(*set, our_set).map_err(wrong)? {
                            insert.execute(params![&digest.0[..], replication, summary, set]).map_err(wrong)?;
                        }
                    }
                    Some(_) => {
                        let (run, replication) = (digest.to_string(), replication as u64);
                        return Err(StoreError::Disagree { path, other: other.to_owned(), run, replication });
                    }
                    None => {
                        insert.execute(params![&digest.0[..], replication, summary, set]).map_err(wrong)?;
                        merged.runs += 1;
                    }
                }
            }
        }
        for sweep in their.sweeps()? {
            let digest = Digest(
                their
                    .ask(|db| db.query_row("SELECT digest FROM sweeps WHERE id = ?1", [sweep.id], |row| row.get(0)))?,
            );
            let mut known = transaction.prepare_cached("SELECT 1 FROM sweeps WHERE digest = ?1").map_err(wrong)?;
            if !known.exists([&digest.0[..]]).map_err(wrong)? {
                add_sweep(&transaction, digest, &sweep, &their.cells(sweep.id)?).map_err(wrong)?;
                merged.sweeps += 1;
            }
        }
        transaction.commit().map_err(wrong)?;
        Ok(merged)
    }
}

/// Whether two summaries have equal values for all metrics that are in both.
fn has_same_values(one: &str, other: &str) -> bool {
    let read = |text| RecordedSummary::parse(text).ok();
    one == other || read(one).zip(read(other)).is_some_and(|(one, other)| one.agrees_with(&other))
}
