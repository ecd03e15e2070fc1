//! Finished runs in an SQLite file, each written in one transaction and found by a hash of its content.
//!
//! The file is in WAL mode with `synchronous = NORMAL`: a committed run survives a crash of the program at any moment;
//! a power failure may lose the last commits, but nothing before them. Several programs may write at once. Each row has
//! a checksum, which is verified when a store is opened and when a run is read.

mod canonical;
mod checksum;
mod digest;
mod error;
mod journal;
mod merge;
mod name;
mod open;
mod refill;
mod rekey;
mod upgrade;
mod verify;

use std::cell::OnceCell;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use observe::summary::RecordedSummary;
use scenario::document::read_back;

pub(crate) use canonical::FORM;
#[doc(hidden)]
pub use checksum::register_row_checksum as register_checksum;
pub use digest::Digest;
pub use error::StoreError;
use journal::Journal;
pub use name::is_journal;
use open::Sums;
pub use verify::{CellName, Damage, StoreVerification};

/// The application id in the file's header, which distinguishes stores from other databases: "lhop".
const APPLICATION: i32 = 0x6c68_6f70;
/// The format of the tables. A store with a greater number was written by a newer program.
const FORMAT: i32 = 3;

/// An open store.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    db: Connection,
    sums: Sums,
    /// The number of this program's set of metrics, cached after the first use.
    metric_set: OnceCell<i64>,
    /// The sets of metrics whose runs are to be repeated.
    unfilled: Vec<i64>,
    /// Whether runs are stored with their delays.
    measures_delays: bool,
    /// The append-only file in which the store is on disk; `None` for SQLite.
    journal: Option<Arc<Journal>>,
}

/// A stored sweep.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct KeptSweep {
    /// The number of the sweep in the store.
    #[serde(skip)]
    pub id: i64,
    /// The name of the sweep.
    pub name: String,
    /// The scenario's title.
    pub title: String,
    /// The scenario, as TOML.
    pub scenario: String,
    /// The names of the metrics to show.
    pub metrics: Vec<String>,
    /// The version of the program that started the sweep.
    pub lasthop: String,
    /// The version of the model.
    pub model: u32,
    /// The version of the canonical form from which the keys of its runs are made; 0 for keys made from the scenario's
    /// text.
    pub form: u32,
}

/// A stored cell, which is one case at one point.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct KeptCell {
    /// The number of the point.
    pub point: usize,
    /// The number of the case.
    pub case: usize,
    /// The name of the case.
    pub case_name: String,
    /// Changes of this point.
    pub changes: Vec<(String, Value)>,
    /// Changes of this case.
    pub case_changes: Vec<(String, Value)>,
    /// Key of the cell's runs.
    pub digest: Digest,
}

impl Store {
    /// The store's file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn ask<T>(&self, question: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        question(&self.db).map_err(|error| StoreError::of(&self.path, error))
    }

    /// Records the description of a sweep of at most `replications` replications. A sweep that was recorded before
    /// keeps its number, and its replications, name and metrics may change.
    pub fn note(&mut self, mut sweep: KeptSweep, cells: &[KeptCell], replications: u64) -> Result<i64, StoreError> {
        let digest = Digest::of_sweep(sim::MODEL_VERSION, &sweep_content(cells));
        let wrong = |error| StoreError::of(&self.path, error);
        let transaction = Self::transaction(&mut self.db).map_err(wrong)?;
        sweep.id = describe_sweep(&transaction, digest, &sweep, cells, replications).map_err(wrong)?;
        if let Some(journal) = &self.journal {
            journal.note(&sweep, cells, replications)?;
        }
        transaction.commit().map_err(wrong)?;
        Ok(sweep.id)
    }

    /// Stores a finished run in one transaction. A run that was stored before is unchanged, unless it is to be
    /// [refilled](Self::refill).
    pub fn keep(&self, digest: Digest, replication: u64, summary: &str) -> Result<(), StoreError> {
        self.keep_all([(digest, replication, summary)])
    }

    /// Stores several runs as [`keep`](Self::keep) does one, in one transaction, which takes a fraction of the time:
    /// either all runs are stored or none. If the program is killed within a write to an append-only store, the file
    /// contains the first runs.
    pub fn keep_all<'a>(&self, runs: impl IntoIterator<Item = (Digest, u64, &'a str)>) -> Result<(), StoreError> {
        // The number of the row is cached. Therefore the row must outlive a transaction that fails.
        self.metric_set()?;
        let wrong = |error| StoreError::of(&self.path, error);
        let transaction = Transaction::new_unchecked(&self.db, TransactionBehavior::Immediate).map_err(wrong)?;
        let mut lines = String::new();
        for (digest, replication, summary) in runs {
            if self.insert(digest, replication, summary)? && self.journal.is_some() {
                lines += &journal::encode_run(digest, replication, self.measures_delays, summary);
            }
        }
        if let Some(journal) = self.journal.as_ref().filter(|_| !lines.is_empty()) {
            journal.append(&lines)?;
        }
        transaction.commit().map_err(wrong)
    }

    /// Inserts a run into the tables; returns whether the tables changed.
    fn insert(&self, digest: Digest, replication: u64, summary: &str) -> Result<bool, StoreError> {
        let set = self.metric_set()?;
        self.fits_before(digest, replication, summary)?;
        let unfilled = self.unfilled_text();
        let changed = self.ask(|db| {
            let mut insert = db.prepare_cached(&format!(
                "INSERT INTO runs VALUES (?1, ?2, ?3, ?4, row_checksum(?1, ?2, ?3, ?4))
                 ON CONFLICT (digest, replication) DO UPDATE
                 SET summary = excluded.summary, metric_set = excluded.metric_set, checksum = excluded.checksum
                 WHERE metric_set IN ({unfilled})"
            ))?;
            insert.execute(params![&digest.0[..], replication as i64, summary, set])
        })?;
        Ok(changed > 0)
    }

    /// Whether a run is finished.
    pub fn has(&self, digest: Digest, replication: u64) -> Result<bool, StoreError> {
        let unfilled = self.unfilled_text();
        self.ask(|db| {
            let mut find = db.prepare_cached(&format!(
                "SELECT 1 FROM runs WHERE digest = ?1 AND replication = ?2 AND metric_set NOT IN ({unfilled})"
            ))?;
            find.exists(params![&digest.0[..], replication as i64])
        })
    }

    /// Returns those replications of a cell in the range `among` that are finished, as ascending ranges.
    pub fn finished_ranges(&self, digest: Digest, among: Range<u64>) -> Result<Vec<Range<u64>>, StoreError> {
        let unfilled = self.unfilled_text();
        self.ask(|db| {
            let mut find = db.prepare_cached(&format!(
                "SELECT replication FROM runs WHERE digest = ?1 AND replication >= ?2 AND replication < ?3
                 AND metric_set NOT IN ({unfilled}) ORDER BY replication",
            ))?;
            let mut rows =
                find.query(params![&digest.0[..], sqlite_integer(among.start), sqlite_integer(among.end)])?;
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
    pub fn runs(&self, digest: Digest, most: u64) -> Result<Vec<(u64, RecordedSummary)>, StoreError> {
        self.runs_among(digest, 0..most)
    }

    /// The finished runs of a cell among these replications, in order.
    pub(crate) fn runs_among(
        &self,
        digest: Digest,
        among: Range<u64>,
    ) -> Result<Vec<(u64, RecordedSummary)>, StoreError> {
        let sound = Sums::sound("runs");
        let lacking = self.lacking_by_set()?;
        let rows = self.ask(|db| {
            let mut find = db.prepare_cached(&format!(
                "SELECT replication, summary, metric_set, {sound} FROM runs
                 WHERE digest = ?1 AND replication >= ?2 AND replication < ?3 ORDER BY replication",
            ))?;
            let rows = find
                .query_map(params![&digest.0[..], sqlite_integer(among.start), sqlite_integer(among.end)], |row| {
                    Ok((row.get::<_, i64>(0)? as u64, row.get::<_, String>(1)?, row.get::<_, i64>(2)?, row.get(3)?))
                })?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        })?;
        let read = |(replication, text, set, sound): (u64, String, i64, bool)| {
            let what = format!("replication {replication} of run {digest}");
            if !sound {
                return Err(self.bad_row(what));
            }
            let summary =
                RecordedSummary::parse(&text).map_err(|error| self.damage_error(format!("{what}: {error}")))?;
            Ok((
                replication,
                match lacking.get(&set) {
                    Some(names) => summary.without(names),
                    None => summary,
                },
            ))
        };
        rows.into_iter().map(read).collect()
    }

    /// The stored sweeps, in the order in which they were started.
    pub fn sweeps(&self) -> Result<Vec<KeptSweep>, StoreError> {
        let rows = self.ask(|db| {
            let mut find =
                db.prepare("SELECT id, name, title, scenario, metrics, lasthop, model, form FROM sweeps ORDER BY id")?;
            let rows = find.query_map([], |row| {
                let sweep = KeptSweep {
                    id: row.get(0)?,
                    name: row.get(1)?,
                    title: row.get(2)?,
                    scenario: row.get(3)?,
                    metrics: Vec::new(),
                    lasthop: row.get(5)?,
                    model: row.get(6)?,
                    form: row.get(7)?,
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
        let gone = || self.damage_error("a sweep is gone".into());
        self.sweeps()?.into_iter().find(|sweep| sweep.id == id).ok_or_else(gone)
    }

    /// The cells of a sweep, by point and case.
    pub fn cells(&self, sweep: i64) -> Result<Vec<KeptCell>, StoreError> {
        self.ask(|db| cells_in(db, sweep))
    }

    fn bad_row(&self, what: String) -> StoreError {
        StoreError::BadRows { path: self.path.clone(), rows: 1, first: what }
    }

    fn damage_error(&self, found: String) -> StoreError {
        StoreError::Damaged { path: self.path.clone(), found }
    }

    fn parse(&self, text: &str) -> Result<Value, StoreError> {
        serde_json::from_str(text).map_err(|error| self.damage_error(error.to_string()))
    }
}

/// A replication as SQLite's integer type.
fn sqlite_integer(replication: u64) -> i64 {
    replication.min(i64::MAX as u64) as i64
}

/// The cells of a sweep, by point and case.
fn cells_in(db: &Connection, sweep: i64) -> rusqlite::Result<Vec<KeptCell>> {
    let mut find = db.prepare(
        "SELECT point, \"case\", case_name, changes, case_changes, digest FROM cells WHERE sweep = ?1
         ORDER BY point, \"case\"",
    )?;
    let changes = |row: &rusqlite::Row<'_>, column| -> rusqlite::Result<Vec<(String, Value)>> {
        let text: String = row.get(column)?;
        let wrong = |error| rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error));
        let pairs: serde_json::Map<String, Value> = serde_json::from_str(&text).map_err(wrong)?;
        Ok(pairs.into_iter().collect())
    };
    let cells = find.query_map([sweep], |row| {
        Ok(KeptCell {
            point: row.get::<_, i64>(0)? as usize,
            case: row.get::<_, i64>(1)? as usize,
            case_name: row.get(2)?,
            changes: changes(row, 3)?,
            case_changes: changes(row, 4)?,
            digest: Digest(row.get(5)?),
        })
    })?;
    cells.collect()
}

/// Returns the content that identifies a sweep. The names of keys are not part of this content.
fn sweep_content(cells: &[KeptCell]) -> String {
    let of_cell = |KeptCell { point, case_name, changes, digest, .. }: &KeptCell| {
        let values: Vec<&Value> = changes.iter().map(|(_, value)| value).collect();
        format!("{point} {} {case_name} {digest}\n", json!(values))
    };
    cells.iter().map(of_cell).collect()
}

/// Adds the description of a sweep, or changes the description with the same digest. Returns the number of the sweep.
fn describe_sweep(
    db: &Connection,
    digest: Digest,
    sweep: &KeptSweep,
    cells: &[KeptCell],
    replications: u64,
) -> rusqlite::Result<i64> {
    let known = "SELECT id, scenario FROM sweeps WHERE digest = ?1";
    let known = db.query_row(known, [&digest.0[..]], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)));
    let Some((id, scenario)) = known.optional()? else { return add_sweep(db, digest, sweep, cells) };
    // Showing fewer replications than were run does not change the stored number.
    let most = read_back(&scenario).map(|kept| kept.sweep.unwrap_or_default().replications.bounds().1);
    if most.is_none_or(|most| most <= replications) {
        let KeptSweep { name, title, scenario, metrics, .. } = sweep;
        db.execute(
            "UPDATE sweeps SET name = ?2, title = ?3, scenario = ?4, metrics = ?5 WHERE id = ?1",
            params![id, name, title, scenario, json!(metrics).to_string()],
        )?;
        checksum::renew_checksum(db, id)?;
        // A renamed key is another spelling for the same network.
        if cells_in(db, id)? != cells {
            db.execute("DELETE FROM cells WHERE sweep = ?1", [id])?;
            add_cells(db, id, cells)?;
        }
    }
    Ok(id)
}

/// Adds a new sweep and its cells; returns its number.
fn add_sweep(db: &Connection, digest: Digest, sweep: &KeptSweep, cells: &[KeptCell]) -> rusqlite::Result<i64> {
    let KeptSweep { name, title, scenario, metrics, lasthop, model, form, .. } = sweep;
    db.execute(
        "INSERT INTO sweeps (digest, name, title, scenario, metrics, lasthop, model, form, checksum)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 0)",
        params![&digest.0[..], name, title, scenario, json!(metrics).to_string(), lasthop, model, form],
    )?;
    let id = db.last_insert_rowid();
    checksum::renew_checksum(db, id)?;
    add_cells(db, id, cells)?;
    Ok(id)
}

fn add_cells(db: &Connection, sweep: i64, cells: &[KeptCell]) -> rusqlite::Result<()> {
    let mut insert =
        db.prepare("INSERT INTO cells VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, row_checksum(?1, ?2, ?3, ?4, ?5, ?6, ?7))")?;
    for cell in cells {
        insert.execute(params![
            sweep,
            cell.point as i64,
            cell.case as i64,
            cell.case_name,
            changes_object(&cell.changes).to_string(),
            changes_object(&cell.case_changes).to_string(),
            &cell.digest.0[..]
        ])?;
    }
    Ok(())
}

/// Changes as an object of keys and values.
fn changes_object(changes: &[(String, Value)]) -> Value {
    changes.iter().cloned().collect()
}
