//! Taking over what another store has: shards of one sweep, made on different machines.

use std::path::Path;

use observe::summary::Recorded;
use rusqlite::params;

use super::{Digest, Store, StoreError, add};

/// What was taken over.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Merged {
    /// Sweeps that were not here before.
    pub sweeps: u64,
    /// Runs that were not here before.
    pub runs: u64,
}

impl Store {
    /// Takes over every sweep and run of the store at `other`, in one transaction. The other store is not changed.
    pub fn merge(&mut self, other: &Path) -> Result<Merged, StoreError> {
        let their = Store::open(other)?;
        let (path, wrong) = (self.path.clone(), |error| StoreError::of(&self.path, error));
        let transaction = Self::transaction(&mut self.db).map_err(wrong)?;
        let mut merged = Merged::default();
        {
            let mut known = transaction
                .prepare("SELECT summary FROM runs WHERE digest = ?1 AND replication = ?2")
                .map_err(wrong)?;
            let mut insert =
                transaction.prepare("INSERT INTO runs VALUES (?1, ?2, ?3, row_checksum(?1, ?2, ?3))").map_err(wrong)?;
            let theirs = |error| StoreError::of(other, error);
            let mut all = their.db.prepare("SELECT digest, replication, summary FROM runs").map_err(theirs)?;
            let mut rows = all.query([]).map_err(theirs)?;
            while let Some(row) = rows.next().map_err(theirs)? {
                let digest = Digest(row.get(0).map_err(theirs)?);
                let replication: i64 = row.get(1).map_err(theirs)?;
                let summary: String = row.get(2).map_err(theirs)?;
                let ours = known.query_map(params![&digest.0[..], replication], |row| row.get::<_, String>(0));
                match ours.map_err(wrong)?.next().transpose().map_err(wrong)? {
                    Some(ours) if same(&ours, &summary) => {}
                    Some(_) => {
                        let (run, replication) = (digest.to_string(), replication as u64);
                        return Err(StoreError::Disagree { path, other: other.to_owned(), run, replication });
                    }
                    None => {
                        insert.execute(params![&digest.0[..], replication, summary]).map_err(wrong)?;
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
                add(&transaction, digest, &sweep, &their.cells(sweep.id)?).map_err(wrong)?;
                merged.sweeps += 1;
            }
        }
        transaction.commit().map_err(wrong)?;
        Ok(merged)
    }
}

/// Whether two summaries have the same results: the same values of all metrics that both have.
fn same(one: &str, other: &str) -> bool {
    let read = |text| Recorded::parse(text).ok();
    one == other || read(one).zip(read(other)).is_some_and(|(one, other)| one.agrees_with(&other))
}
