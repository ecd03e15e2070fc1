//! Finished runs, kept in an SQLite file: each one transaction, found again by the content of what was run.
//!
//! The file is in WAL mode with `synchronous = NORMAL`: what was committed survives the death of the program at any
//! moment; a power cut may lose the last commits, never what was before them. Several programs may write at once.

mod digest;
mod error;
mod merge;

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, Transaction, TransactionBehavior, params};
use serde_json::{Value, json};

use crate::load::to_toml;
use crate::scenario::document::read_back;
use crate::sweep::axes::Change;
use crate::sweep::{Plan, Point};

pub use digest::Digest;
pub use error::StoreError;

/// In the file's header, so that no other database is taken for a store: "lhop".
const APPLICATION: i32 = 0x6c68_6f70;
/// Of the tables. A store with a greater one was written by a newer program.
const FORMAT: i32 = 1;
/// How long to wait for another program's transaction.
const PATIENCE: Duration = Duration::from_secs(60);

/// An open store.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    db: Connection,
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
    /// Opens a store, or makes a new one.
    pub fn create(path: &Path) -> Result<Self, StoreError> {
        if path.try_exists().is_ok_and(|exists| exists) {
            let store = Self::writable(path)?;
            store.whole()?;
            return Ok(store);
        }
        let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty());
        let made = dir.map_or(Ok(()), std::fs::create_dir_all);
        made.map_err(|error| StoreError::Unmade { path: path.to_owned(), why: error.to_string() })?;
        Self::writable(path).map_err(|error| match error {
            StoreError::Unopened { path, why } => StoreError::Unmade { path, why },
            other => other,
        })
    }

    /// Opens a store that must exist.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        // SQLite says only "unable to open".
        let file = std::fs::File::open(path).map_err(|error| StoreError::file(path, &error))?;
        let length = file.metadata().map_err(|error| StoreError::file(path, &error))?.len();
        if path.is_dir() || length == 0 {
            return Err(StoreError::NotAStore(path.to_owned()));
        }
        let store = match Self::connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE) {
            // Where nothing can be written there is no place for the files that readers share.
            Err(StoreError::Unopened { .. } | StoreError::Unwritable { .. }) => Self::look(path)?,
            opened => opened?,
        };
        store.whole()?;
        Ok(store)
    }

    /// Opens a store, or makes a new one, without looking whether it is whole.
    pub(crate) fn writable(path: &Path) -> Result<Self, StoreError> {
        if path.is_dir() {
            return Err(StoreError::NotAStore(path.to_owned()));
        }
        Self::connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)
    }

    /// Opens a store to read what is there, as in a directory that cannot be written.
    fn look(path: &Path) -> Result<Self, StoreError> {
        let wrong = |error| StoreError::of(path, error);
        let mut log = path.as_os_str().to_owned();
        log.push("-wal");
        let log = PathBuf::from(log);
        if std::fs::metadata(&log).is_ok_and(|log| log.len() > 0) {
            return Err(StoreError::Unread { path: path.to_owned(), log });
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
        // Bytes that mean something in an address are written as their numbers.
        let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._-".contains(byte);
        let bytes = path.as_os_str().as_encoded_bytes().iter();
        let address: String =
            bytes.map(|byte| if plain(byte) { char::from(*byte).into() } else { format!("%{byte:02x}") }).collect();
        let db = Connection::open_with_flags(format!("file:{address}?immutable=1"), flags).map_err(wrong)?;
        let store = Store { path: path.to_owned(), db };
        store.known()?;
        Ok(store)
    }

    fn connect(path: &Path, flags: OpenFlags) -> Result<Self, StoreError> {
        let wrong = |error| StoreError::of(path, error);
        // Some names, such as ":memory:", mean something to SQLite; none with a directory does.
        let file = Path::new(".").join(path);
        let db = Connection::open_with_flags(file, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX).map_err(wrong)?;
        db.busy_timeout(PATIENCE).map_err(wrong)?;
        let store = Store { path: path.to_owned(), db };
        let empty = store.known()?;
        store.use_wal().map_err(wrong)?;
        store.db.pragma_update(None, "synchronous", "NORMAL").map_err(wrong)?;
        if empty {
            store.lay_out().map_err(wrong)?;
        }
        Ok(store)
    }

    /// SQLite does not wait for others here, as it does for their transactions.
    fn use_wal(&self) -> rusqlite::Result<()> {
        const NAP: Duration = Duration::from_millis(10);
        let mut naps = 0;
        loop {
            match self.db.pragma_update(None, "journal_mode", "WAL") {
                Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && NAP * naps < PATIENCE => {
                    naps += 1;
                    thread::sleep(NAP);
                }
                outcome => return outcome,
            }
        }
    }

    /// A transaction that writes from its beginning: one that begins to after it has read is refused, not made to wait, if
    /// another program wrote in between.
    fn transaction(db: &mut Connection) -> rusqlite::Result<Transaction<'_>> {
        db.transaction_with_behavior(TransactionBehavior::Immediate)
    }

    /// Whether it has no tables yet. What is not a store, or one of a newer program, is refused.
    fn known(&self) -> Result<bool, StoreError> {
        let (store, path, wrong) = (self, &self.path, |error| StoreError::of(&self.path, error));
        let number = |name: &str| store.db.pragma_query_value(None, name, |row| row.get::<_, i32>(0)).map_err(wrong);
        let tables = "SELECT count(*) FROM sqlite_schema";
        let empty = store.db.query_row(tables, [], |row| row.get::<_, i64>(0)).map_err(wrong)? == 0;
        if !empty && number("application_id")? != APPLICATION {
            return Err(StoreError::NotAStore(path.to_owned()));
        }
        let format = number("user_version")?;
        if format > FORMAT {
            return Err(StoreError::Newer { path: path.to_owned(), found: format, known: FORMAT });
        }
        Ok(empty)
    }

    /// Makes the tables, unless another program just did.
    fn lay_out(&self) -> rusqlite::Result<()> {
        let transaction = Transaction::new_unchecked(&self.db, TransactionBehavior::Immediate)?;
        let format: i32 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
        if format == 0 {
            transaction.execute_batch(include_str!("schema.sql"))?;
            transaction.pragma_update(None, "application_id", APPLICATION)?;
            transaction.pragma_update(None, "user_version", FORMAT)?;
        }
        transaction.commit()
    }

    /// Whether the file is whole; a store that was cut short is not.
    fn whole(&self) -> Result<(), StoreError> {
        let verdict: String = self.ask(|db| db.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)))?;
        if verdict == "ok" { Ok(()) } else { Err(StoreError::Damaged { path: self.path.clone(), found: verdict }) }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn ask<T>(&self, question: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        question(&self.db).map_err(|error| StoreError::of(&self.path, error))
    }

    /// Notes what a sweep consists of. Noted before, it keeps its number; how often it repeats, what it is called and
    /// which figures it shows may change.
    pub fn note(&mut self, plan: &Plan) -> Result<i64, StoreError> {
        let cells = kept_cells(plan);
        let content = |KeptCell { point, case_name, changes, digest, .. }: &KeptCell| {
            format!("{point} {} {case_name} {digest}\n", object(changes))
        };
        let digest = Digest::of_text(&cells.iter().map(content).collect::<String>());
        let mut sweep = KeptSweep {
            id: 0,
            name: plan.stem.clone(),
            title: plan.scenario.title.clone(),
            scenario: to_toml(&plan.scenario),
            metrics: plan.metrics.iter().map(|metric| metric.name.to_owned()).collect(),
            lasthop: env!("CARGO_PKG_VERSION").to_owned(),
            model: sim::MODEL_VERSION,
        };
        let noted = Self::transaction(&mut self.db).and_then(|transaction| {
            let known = "SELECT id, scenario FROM sweeps WHERE digest = ?1";
            let known =
                transaction.query_row(known, [&digest.0[..]], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)));
            match known.optional()? {
                None => sweep.id = add(&transaction, digest, &sweep, &cells)?,
                Some((id, scenario)) => {
                    sweep.id = id;
                    // A look at fewer replications than were made does not change what the store says it holds.
                    let most = read_back(&scenario).map(|kept| kept.sweep.unwrap_or_default().replications.bounds().1);
                    if most.is_none_or(|most| most <= plan.replications().1) {
                        let KeptSweep { id, name, title, scenario, metrics, .. } = &sweep;
                        transaction.execute(
                            "UPDATE sweeps SET name = ?2, title = ?3, scenario = ?4, metrics = ?5 WHERE id = ?1",
                            params![id, name, title, scenario, json!(metrics).to_string()],
                        )?;
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
            let mut insert = db.prepare_cached("INSERT OR IGNORE INTO runs VALUES (?1, ?2, ?3)")?;
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
    pub fn runs(&self, digest: Digest, most: u64) -> Result<Vec<(u64, Value)>, StoreError> {
        self.runs_among(digest, 0..most)
    }

    /// The finished runs of a cell among these replications, in order.
    pub(crate) fn runs_among(&self, digest: Digest, among: Range<u64>) -> Result<Vec<(u64, Value)>, StoreError> {
        let rows = self.ask(|db| {
            let mut find = db.prepare_cached(
                "SELECT replication, summary FROM runs WHERE digest = ?1 AND replication >= ?2 AND replication < ?3
                 ORDER BY replication",
            )?;
            let rows = find.query_map(params![&digest.0[..], number(among.start), number(among.end)], |row| {
                Ok((row.get::<_, i64>(0)? as u64, row.get::<_, String>(1)?))
            })?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        })?;
        rows.into_iter().map(|(replication, text)| Ok((replication, self.parse(&text)?))).collect()
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
        let gone = || StoreError::Damaged { path: self.path.clone(), found: "a sweep is gone".into() };
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

    fn parse(&self, text: &str) -> Result<Value, StoreError> {
        serde_json::from_str(text)
            .map_err(|error| StoreError::Damaged { path: self.path.clone(), found: error.to_string() })
    }
}

/// A replication as SQLite counts.
fn number(replication: u64) -> i64 {
    replication.min(i64::MAX as u64) as i64
}

/// What a plan consists of, by point and case.
fn kept_cells(plan: &Plan) -> Vec<KeptCell> {
    let kept = |changes: &[Change]| -> Vec<(String, Value)> {
        changes.iter().map(|(key, to)| (key.clone(), serde_json::to_value(to).unwrap_or_default())).collect()
    };
    let of_point = |(point, at): (usize, &Point)| {
        let cells = at.cells.iter().zip(&plan.cases).enumerate();
        let cells = cells.map(move |(case, (cell, what))| KeptCell {
            point,
            case,
            case_name: what.name.clone(),
            changes: kept(&at.changes),
            case_changes: kept(&what.changes),
            digest: cell.digest,
        });
        cells.collect::<Vec<_>>()
    };
    plan.points.iter().enumerate().flat_map(of_point).collect()
}

/// Adds a sweep that is not there yet, and what it consists of; gives its number.
fn add(db: &Connection, digest: Digest, sweep: &KeptSweep, cells: &[KeptCell]) -> rusqlite::Result<i64> {
    let KeptSweep { name, title, scenario, metrics, lasthop, model, .. } = sweep;
    db.execute(
        "INSERT INTO sweeps (digest, name, title, scenario, metrics, lasthop, model)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        params![&digest.0[..], name, title, scenario, json!(metrics).to_string(), lasthop, model],
    )?;
    let id = db.last_insert_rowid();
    let mut insert = db.prepare("INSERT INTO cells VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?;
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
