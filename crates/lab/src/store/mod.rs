//! Finished runs, kept in an SQLite file: each one transaction, found again by the content of what was run.
//!
//! The file is in WAL mode with `synchronous = NORMAL`: what was committed survives the death of the program at any
//! moment; a power cut may lose the last commits, never what was before them. Several programs may write at once. Each row
//! has a checksum, which is checked when a store is opened and when a run is read.

mod checksum;
mod digest;
mod error;
mod merge;
mod open;
mod verify;

use std::ops::Range;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, params};
use serde_json::{Value, json};

use observe::summary::Recorded;
use scenario::document::read_back;

pub use digest::Digest;
pub use error::StoreError;
use open::Sums;
pub use verify::{Damage, Verified};

/// An open store.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    db: Connection,
    sums: Sums,
}

/// A sweep as it is kept.
#[derive(Clone, PartialEq, Debug)]
pub struct KeptSweep {
    /// Its number in the store.
    pub id: i64,
    /// What it is called.
    pub name: String,
    /// Its scenario's title.
    pub title: String,
    /// Its scenario, as TOML.
    pub scenario: String,
    /// The names of the figures to show.
    pub metrics: Vec<String>,
    /// The version of the program that began it.
    pub lasthop: String,
    /// The version of the model.
    pub model: u32,
}

/// A case at a point, as it is kept.
#[derive(Clone, PartialEq, Debug)]
pub struct KeptCell {
    /// The number of the point.
    pub point: usize,
    /// The number of the case.
    pub case: usize,
    /// What the case is called.
    pub case_name: String,
    /// What is different at this point.
    pub changes: Vec<(String, Value)>,
    /// What is different in this case.
    pub case_changes: Vec<(String, Value)>,
    /// What its runs are kept under.
    pub digest: Digest,
}

impl Store {
    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn ask<T>(&self, question: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        question(&self.db).map_err(|error| StoreError::of(&self.path, error))
    }

    /// Notes what a sweep consists of, of at most so many `replications`. Noted before, it keeps its number; how often it
    /// repeats, what it is called and which figures it shows may change.
    pub fn note(&mut self, mut sweep: KeptSweep, cells: &[KeptCell], replications: u64) -> Result<i64, StoreError> {
        let digest = Digest::of_text(&content(cells));
        let noted = Self::transaction(&mut self.db).and_then(|transaction| {
            let known = "SELECT id, scenario FROM sweeps WHERE digest = ?1";
            let known =
                transaction.query_row(known, [&digest.0[..]], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)));
            match known.optional()? {
                None => sweep.id = add(&transaction, digest, &sweep, cells)?,
                Some((id, scenario)) => {
                    sweep.id = id;
                    // A look at fewer replications than were made does not change what the store says it holds.
                    let most = read_back(&scenario).map(|kept| kept.sweep.unwrap_or_default().replications.bounds().1);
                    if most.is_none_or(|most| most <= replications) {
                        let KeptSweep { id, name, title, scenario, metrics, .. } = &sweep;
                        transaction.execute(
                            "UPDATE sweeps SET name = ?2, title = ?3, scenario = ?4, metrics = ?5 WHERE id = ?1",
                            params![id, name, title, scenario, json!(metrics).to_string()],
                        )?;
                        checksum::renew(&transaction, *id)?;
                    }
                }
            }
            transaction.commit()?;
            Ok(sweep.id)
        });
        noted.map_err(|error| StoreError::of(&self.path, error))
    }

    /// Keeps a finished run: one transaction. Kept before, it stays as it is.
    pub fn keep(&self, digest: Digest, replication: u64, summary: &str) -> Result<(), StoreError> {
        self.ask(|db| {
            let mut insert =
                db.prepare_cached("INSERT OR IGNORE INTO runs VALUES (?1, ?2, ?3, row_checksum(?1, ?2, ?3))")?;
            insert.execute(params![&digest.0[..], replication as i64, summary])?;
            Ok(())
        })
    }

    /// Whether a run is finished.
    pub fn has(&self, digest: Digest, replication: u64) -> Result<bool, StoreError> {
        self.ask(|db| {
            let mut find = db.prepare_cached("SELECT 1 FROM runs WHERE digest = ?1 AND replication = ?2")?;
            find.exists(params![&digest.0[..], replication as i64])
        })
    }

    /// Which replications of a cell are finished among these: runs of numbers, in order.
    pub fn kept(&self, digest: Digest, among: Range<u64>) -> Result<Vec<Range<u64>>, StoreError> {
        self.ask(|db| {
            let mut find = db.prepare_cached(
                "SELECT replication FROM runs WHERE digest = ?1 AND replication >= ?2 AND replication < ?3
                 ORDER BY replication",
            )?;
            let mut rows = find.query(params![&digest.0[..], number(among.start), number(among.end)])?;
            let mut kept: Vec<Range<u64>> = Vec::new();
            while let Some(row) = rows.next()? {
                let replication = row.get::<_, i64>(0)? as u64;
                match kept.last_mut() {
                    Some(last) if last.end == replication => last.end += 1,
                    _ => kept.push(replication..replication + 1),
                }
            }
            Ok(kept)
        })
    }

    /// The finished runs of a cell by replication, the first `most` of them.
    pub fn runs(&self, digest: Digest, most: u64) -> Result<Vec<(u64, Recorded)>, StoreError> {
        self.runs_among(digest, 0..most)
    }

    /// The finished runs of a cell among these replications, in order.
    pub(crate) fn runs_among(&self, digest: Digest, among: Range<u64>) -> Result<Vec<(u64, Recorded)>, StoreError> {
        let sound = self.sums.sound("runs");
        let rows = self.ask(|db| {
            let mut find = db.prepare_cached(&format!(
                "SELECT replication, summary, {sound} FROM runs
                 WHERE digest = ?1 AND replication >= ?2 AND replication < ?3 ORDER BY replication",
            ))?;
            let rows = find.query_map(params![&digest.0[..], number(among.start), number(among.end)], |row| {
                Ok((row.get::<_, i64>(0)? as u64, row.get::<_, String>(1)?, row.get::<_, bool>(2)?))
            })?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        })?;
        let read = |(replication, text, sound): (u64, String, bool)| {
            let what = format!("replication {replication} of run {digest}");
            if !sound {
                return Err(self.bad_row(what));
            }
            let summary = Recorded::parse(&text).map_err(|error| self.damaged(format!("{what}: {error}")))?;
            Ok((replication, summary))
        };
        rows.into_iter().map(read).collect()
    }

    /// The sweeps that are kept here, in the order in which they were begun.
    pub fn sweeps(&self) -> Result<Vec<KeptSweep>, StoreError> {
        let rows = self.ask(|db| {
            let mut find =
                db.prepare("SELECT id, name, title, scenario, metrics, lasthop, model FROM sweeps ORDER BY id")?;
            let rows = find.query_map([], |row| {
                let sweep = KeptSweep {
                    id: row.get(0)?,
                    name: row.get(1)?,
                    title: row.get(2)?,
                    scenario: row.get(3)?,
                    metrics: Vec::new(),
                    lasthop: row.get(5)?,
                    model: row.get(6)?,
                };
                Ok((sweep, row.get::<_, String>(4)?))
            })?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        })?;
        rows.into_iter()
            .map(|(mut sweep, metrics)| {
                let metrics = self.parse(&metrics)?;
                let names = metrics.as_array().into_iter().flatten().filter_map(Value::as_str);
                sweep.metrics = names.map(str::to_owned).collect();
                Ok(sweep)
            })
            .collect()
    }

    /// The sweep with this number.
    pub fn sweep(&self, id: i64) -> Result<KeptSweep, StoreError> {
        let gone = || self.damaged("a sweep is gone".into());
        self.sweeps()?.into_iter().find(|sweep| sweep.id == id).ok_or_else(gone)
    }

    /// What a sweep consists of, by point and case.
    pub fn cells(&self, sweep: i64) -> Result<Vec<KeptCell>, StoreError> {
        let rows = self.ask(|db| {
            let mut find = db.prepare(
                "SELECT point, \"case\", case_name, changes, case_changes, digest FROM cells WHERE sweep = ?1
                 ORDER BY point, \"case\"",
            )?;
            let rows = find.query_map([sweep], |row| {
                Ok((
                    row.get::<_, i64>(0)? as usize,
                    row.get::<_, i64>(1)? as usize,
                    row.get(2)?,
                    row.get::<_, String>(3)?,
                    row.get::<_, String>(4)?,
                    Digest(row.get(5)?),
                ))
            })?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        })?;
        let pairs = |text: &str| -> Result<Vec<(String, Value)>, StoreError> {
            let Value::Object(pairs) = self.parse(text)? else { return Ok(Vec::new()) };
            Ok(pairs.into_iter().collect())
        };
        rows.into_iter()
            .map(|(point, case, case_name, changes, case_changes, digest)| {
                let (changes, case_changes) = (pairs(&changes)?, pairs(&case_changes)?);
                Ok(KeptCell { point, case, case_name, changes, case_changes, digest })
            })
            .collect()
    }

    fn bad_row(&self, what: String) -> StoreError {
        StoreError::BadRows { path: self.path.clone(), rows: 1, first: what }
    }

    fn damaged(&self, found: String) -> StoreError {
        StoreError::Damaged { path: self.path.clone(), found }
    }

    fn parse(&self, text: &str) -> Result<Value, StoreError> {
        serde_json::from_str(text).map_err(|error| self.damaged(error.to_string()))
    }
}

/// A replication as SQLite counts.
fn number(replication: u64) -> i64 {
    replication.min(i64::MAX as u64) as i64
}

/// What tells a sweep from others.
fn content(cells: &[KeptCell]) -> String {
    let of_cell = |KeptCell { point, case_name, changes, digest, .. }: &KeptCell| {
        format!("{point} {} {case_name} {digest}\n", object(changes))
    };
    cells.iter().map(of_cell).collect()
}

/// Adds a sweep that is not there yet, and what it consists of; gives its number.
fn add(db: &Connection, digest: Digest, sweep: &KeptSweep, cells: &[KeptCell]) -> rusqlite::Result<i64> {
    let KeptSweep { name, title, scenario, metrics, lasthop, model, .. } = sweep;
    db.execute(
        "INSERT INTO sweeps (digest, name, title, scenario, metrics, lasthop, model, checksum)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 0)",
        params![&digest.0[..], name, title, scenario, json!(metrics).to_string(), lasthop, model],
    )?;
    let id = db.last_insert_rowid();
    checksum::renew(db, id)?;
    let mut insert =
        db.prepare("INSERT INTO cells VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, row_checksum(?1, ?2, ?3, ?4, ?5, ?6, ?7))")?;
    for cell in cells {
        insert.execute(params![
            id,
            cell.point as i64,
            cell.case as i64,
            cell.case_name,
            object(&cell.changes).to_string(),
            object(&cell.case_changes).to_string(),
            &cell.digest.0[..]
        ])?;
    }
    Ok(id)
}

/// Changes as an object of keys and values.
fn object(changes: &[(String, Value)]) -> Value {
    changes.iter().cloned().collect()
}
