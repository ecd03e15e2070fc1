//! Finds and removes damaged rows of a store.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use rusqlite::{Row, params};

use super::checksum::TABLES;
use super::open::Sums;
use super::{Digest, Store, StoreError, sweep_content};

/// A row that does not match its checksum. Any field of the row may be damaged.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Damage {
    /// A sweep's description.
    Sweep {
        /// The number of the sweep.
        id: i64,
        /// The name of the sweep.
        name: String,
    },
    /// A cell of a sweep: one case at one point.
    Cell {
        /// The number of the sweep.
        sweep: i64,
        /// The number of the point.
        point: i64,
        /// The number of the case.
        case: i64,
    },
    /// A set of metrics.
    Metrics {
        /// The number of the set.
        id: i64,
    },
    /// A finished run.
    Run {
        /// The row number in the table.
        row: i64,
        /// The key of the run.
        digest: String,
        /// The replication.
        replication: i64,
        /// The cell that refers to the row.
        place: Option<CellName>,
    },
}

/// A cell of a sweep, by the names that users know.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CellName {
    /// The name of the sweep.
    pub sweep: String,
    /// The number of the point.
    pub point: i64,
    /// The name of the case; empty if the sweep compares nothing.
    pub case: String,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Damage::Sweep { id, name } => write!(f, "the description of sweep {id}, {name}"),
            Damage::Cell { sweep, point, case } => write!(f, "point {point}, case {case} of sweep {sweep}"),
            Damage::Metrics { id } => write!(f, "set {id} of metrics"),
            Damage::Run { digest, replication, place, .. } => {
                write!(f, "replication {replication} of run {digest}")?;
                match place {
                    Some(CellName { sweep, point, case }) if case.is_empty() => {
                        write!(f, " (sweep {sweep}, point {point})")
                    }
                    Some(CellName { sweep, point, case }) => {
                        write!(f, " (sweep {sweep}, point {point}, case {case})")
                    }
                    None => Ok(()),
                }
            }
        }
    }
}

/// The result of verifying a store.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoreVerification {
    /// The number of sweeps, cells and runs.
    pub rows: [u64; 3],
    /// Rows that do not match their checksum.
    pub damage: Vec<Damage>,
    /// Messages of SQLite about the file; empty without problems.
    pub file: Vec<String>,
    /// Whether the rows have had checksums from their first write on. Otherwise only later damage is detected.
    pub checksums: bool,
}

impl StoreVerification {
    /// Whether no problem was found.
    pub fn is_sound(&self) -> bool {
        self.damage.is_empty() && self.file.is_empty()
    }
}

/// The maximum number of SQLite's messages that are listed.
const MAX_LINES: u32 = 20;

impl Store {
    /// Reads every row of the store at `path` and reports the damaged ones.
    pub fn verify(path: &Path) -> Result<StoreVerification, StoreError> {
        let store = Self::unchecked(path)?;
        let file = store.ask(|db| {
            let mut check = db.prepare(&format!("PRAGMA integrity_check({MAX_LINES})"))?;
            let lines = check.query_map([], |row| row.get::<_, String>(0))?;
            lines.filter(|line| line.as_ref().map_or(true, |line| line != "ok")).collect::<rusqlite::Result<_>>()
        })?;
        // Counted by reading the rows: the length of an index is no evidence.
        let count = |table| {
            let question = format!("SELECT count(*) FROM {table} NOT INDEXED");
            store.ask(|db| db.query_row(&question, [], |row| Ok(row.get::<_, i64>(0)? as u64)))
        };
        let rows = [count("sweeps")?, count("cells")?, count("runs")?];
        let damage = store.bad_rows(usize::MAX)?;
        Ok(StoreVerification { rows, damage, file, checksums: store.sums == Sums::Kept })
    }

    /// Returns the damaged rows, up to a limit for each table.
    pub(super) fn bad_rows(&self, most: usize) -> Result<Vec<Damage>, StoreError> {
        let mut damage = self.bad("sweeps", most, "id, name", |row| {
            // Columns whose type differs by now are not shown.
            Ok(Damage::Sweep { id: row.get(0)?, name: row.get(1).unwrap_or_default() })
        })?;
        damage.extend(self.bad("metric_sets", most, "id", |row| Ok(Damage::Metrics { id: row.get(0)? }))?);
        damage.extend(self.bad("cells", most, "sweep, point, \"case\"", |row| {
            let number = |column| row.get(column).unwrap_or_default();
            Ok(Damage::Cell { sweep: number(0), point: number(1), case: number(2) })
        })?);
        let mut runs = self.bad("runs", most, "rowid, hex(digest), replication", |row| {
            let digest = row.get::<_, String>(1)?.to_ascii_lowercase();
            Ok(Damage::Run { row: row.get(0)?, digest, replication: row.get(2).unwrap_or_default(), place: None })
        })?;
        for run in &mut runs {
            if let Damage::Run { digest, place, .. } = run {
                let find = "SELECT name, point, case_name FROM cells JOIN sweeps ON sweep = id
                            WHERE lower(hex(cells.digest)) = ?1 ORDER BY sweep LIMIT 1";
                let found = self.ask(|db| {
                    let mut find = db.prepare_cached(find)?;
                    let mut rows = find.query([&*digest])?;
                    let name =
                        |row: &Row<'_>| Ok(CellName { sweep: row.get(0)?, point: row.get(1)?, case: row.get(2)? });
                    rows.next()?.map(name).transpose()
                });
                *place = found.unwrap_or_default();
            }
        }
        damage.extend(runs);
        Ok(damage)
    }

    fn bad(
        &self,
        table: &str,
        most: usize,
        columns: &str,
        read: fn(&Row<'_>) -> rusqlite::Result<Damage>,
    ) -> Result<Vec<Damage>, StoreError> {
        let sound = Sums::sound(table);
        self.ask(|db| {
            let mut find = db.prepare(&format!("SELECT {columns} FROM {table} NOT INDEXED WHERE NOT ({sound})"))?;
            find.query_map([], read)?.take(most).collect()
        })
    }

    /// Removes damaged rows in one transaction, and returns them. If a sweep's description is damaged, the whole
    /// description is removed, but never an intact run; running the sweep again restores it. Damaged indices are
    /// rebuilt; if SQLite finds other damage, this fails and changes nothing.
    pub fn remove_damage(path: &Path) -> Result<Vec<Damage>, StoreError> {
        let mut store = Self::unchecked(path)?;
        let damage = store.bad_rows(usize::MAX)?;
        let described = |damage: &Damage| matches!(damage, Damage::Sweep { .. } | Damage::Cell { .. });
        let sweeps = if damage.iter().any(described) { store.sweeps_to_forget(&damage)? } else { BTreeSet::new() };
        let wrong = |error| StoreError::of(path, error);
        let transaction = Self::transaction(&mut store.db).map_err(wrong)?;
        let removed = transaction.execute_batch("REINDEX").and_then(|()| {
            for damage in &damage {
                match damage {
                    Damage::Run { row, .. } => transaction.execute("DELETE FROM runs WHERE rowid = ?1", [row])?,
                    Damage::Cell { sweep, point, case } => transaction.execute(
                        "DELETE FROM cells WHERE sweep = ?1 AND point = ?2 AND \"case\" = ?3",
                        params![sweep, point, case],
                    )?,
                    // The metrics of these runs are unknown.
                    Damage::Metrics { id } => {
                        transaction.execute("DELETE FROM runs WHERE metric_set = ?1", [id])?
                            + transaction.execute("DELETE FROM metric_sets WHERE id = ?1", [id])?
                    }
                    // This damage is removed below, together with the cells of the sweep.
                    Damage::Sweep { .. } => 0,
                };
            }
            for sweep in &sweeps {
                transaction.execute("DELETE FROM cells WHERE sweep = ?1", [sweep])?;
                transaction.execute("DELETE FROM sweeps WHERE id = ?1", [sweep])?;
            }
            // Cells of a missing sweep have no owner.
            transaction.execute("DELETE FROM cells WHERE sweep NOT IN (SELECT id FROM sweeps)", [])?;
            for (table, _) in TABLES {
                let left = format!("SELECT EXISTS (SELECT 1 FROM {table} WHERE NOT ({}))", Sums::sound(table));
                if transaction.query_row(&left, [], |row| row.get(0))? {
                    return Ok(format!("a row of the table `{table}` cannot be removed"));
                }
            }
            transaction.query_row("PRAGMA integrity_check(1)", [], |row| row.get::<_, String>(0))
        });
        match removed.map_err(wrong)?.as_str() {
            "ok" => transaction.commit().map_err(wrong)?,
            found => return Err(StoreError::Damaged { path: path.to_owned(), found: found.to_owned() }),
        }
        Ok(damage)
    }

    /// The sweeps whose description would be incomplete without its damaged rows.
    fn sweeps_to_forget(&self, damage: &[Damage]) -> Result<BTreeSet<i64>, StoreError> {
        let mut forget: BTreeSet<i64> = BTreeSet::new();
        forget.extend(damage.iter().filter_map(|damage| match damage {
            Damage::Sweep { id, .. } | Damage::Cell { sweep: id, .. } => Some(*id),
            Damage::Run { .. } | Damage::Metrics { .. } => None,
        }));
        // A damaged row may refer to another sweep. The sweep that has lost the row no longer matches its key.
        let sweeps = self.ask(|db| {
            let mut find = db.prepare("SELECT id, digest, model FROM sweeps NOT INDEXED")?;
            let sweeps = find.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
            sweeps.collect::<rusqlite::Result<Vec<(i64, [u8; 16], u32)>>>()
        })?;
        for (id, digest, model) in sweeps {
            let same = |cells: Vec<_>| Digest::of_sweep(model, &sweep_content(&cells)).0 == digest;
            if !self.cells(id).is_ok_and(same) {
                forget.insert(id);
            }
        }
        Ok(forget)
    }
}
