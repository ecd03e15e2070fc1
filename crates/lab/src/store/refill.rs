//! Records the metrics known to the programs that stored runs, and repeats runs without some metrics.

use std::collections::{BTreeSet, HashMap};

use observe::metric::{METRICS, Metric};
use observe::summary::RecordedSummary;
use rusqlite::{Connection, OptionalExtension, params};

use super::{Digest, Store, StoreError};

impl Store {
    /// Makes runs from now on be stored with their delays. Runs that lack one of these delay metrics are
    /// [refilled](Self::refill).
    pub fn measure_delays(&mut self, metrics: &[&Metric]) -> Result<(), StoreError> {
        self.measures_delays = true;
        self.metric_set = std::cell::OnceCell::new();
        self.refill(metrics)
    }

    /// Whether runs are stored with their delays.
    pub fn measures_delays(&self) -> bool {
        self.measures_delays
    }

    /// Makes runs that lack one of these metrics count as unfinished from now on, so that new results replace them.
    pub fn refill(&mut self, metrics: &[&Metric]) -> Result<(), StoreError> {
        let lacking = self.lacking_by_set()?;
        let lacks = |names: &BTreeSet<&str>| metrics.iter().any(|metric| names.contains(metric.name));
        self.unfilled.extend(lacking.iter().filter(|(_, names)| lacks(names)).map(|(set, _)| *set));
        self.unfilled.sort_unstable();
        self.unfilled.dedup();
        Ok(())
    }

    /// Opens another connection to the same store, with the same runs to be refilled.
    pub(crate) fn again(&self) -> Result<Self, StoreError> {
        let working = self.journal.as_ref().map(|journal| journal.working());
        let mut again = Self::writable(working.as_deref().unwrap_or(&self.path))?;
        again.path.clone_from(&self.path);
        again.journal.clone_from(&self.journal);
        again.unfilled.clone_from(&self.unfilled);
        again.measures_delays = self.measures_delays;
        Ok(again)
    }

    /// The sets whose runs are to be refilled, as an SQL list.
    pub(super) fn unfilled_text(&self) -> String {
        self.unfilled.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")
    }

    /// The number of the set of metrics that this program stores.
    pub(super) fn metric_set(&self) -> Result<i64, StoreError> {
        if let Some(set) = self.metric_set.get() {
            return Ok(*set);
        }
        let stored = METRICS.iter().filter(|metric| self.measures_delays || !metric.is_of_delays());
        let names = stored.map(|metric| metric.name).collect::<Vec<_>>().join(" ");
        let set = self.ask(|db| add_set(db, &names))?;
        Ok(*self.metric_set.get_or_init(|| set))
    }

    /// The names of each set of metrics, by its number.
    pub(super) fn metric_sets(&self) -> Result<Vec<(i64, String)>, StoreError> {
        self.ask(|db| {
            let mut find = db.prepare_cached("SELECT id, names FROM metric_sets")?;
            find.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        })
    }

    /// The current metrics that each set lacks; complete sets are omitted.
    pub(super) fn lacking_by_set(&self) -> Result<HashMap<i64, BTreeSet<&'static str>>, StoreError> {
        let sets = self.metric_sets()?.into_iter();
        let lacking = sets.map(|(set, names)| {
            let names: BTreeSet<&str> = names.split(' ').collect();
            let has = |metric: &Metric| names.contains(metric.name) || metric.was.iter().any(|was| names.contains(was));
            (set, METRICS.iter().filter(|metric| !has(metric)).map(|metric| metric.name).collect::<BTreeSet<_>>())
        });
        Ok(lacking.filter(|(_, lacking)| !lacking.is_empty()).collect())
    }

    /// Whether a repeated run has the results that were stored.
    pub(super) fn fits_before(&self, digest: Digest, replication: u64, summary: &str) -> Result<(), StoreError> {
        if self.unfilled.is_empty() {
            return Ok(());
        }
        let before: Option<String> = self.ask(|db| {
            let mut find = db.prepare_cached("SELECT summary FROM runs WHERE digest = ?1 AND replication = ?2")?;
            find.query_row(params![&digest.0[..], replication as i64], |row| row.get(0)).optional()
        })?;
        let Some(before) = before else { return Ok(()) };
        let read = |text: &str| RecordedSummary::parse(text).map_err(|error| self.damage_error(error.to_string()));
        if read(&before)?.agrees_with(&read(summary)?) {
            return Ok(());
        }
        Err(StoreError::Otherwise { path: self.path.clone(), run: digest.to_string(), replication })
    }
}

/// Adds a set of metrics if it is new. Returns the number of the set.
fn add_set(db: &Connection, names: &str) -> rusqlite::Result<i64> {
    let find = "SELECT id FROM metric_sets WHERE names = ?1";
    if let Some(id) = db.query_row(find, [names], |row| row.get(0)).optional()? {
        return Ok(id);
    }
    // Another program may add the set at the same time.
    let add = "INSERT INTO metric_sets SELECT next, ?1, row_checksum(next, ?1)
               FROM (SELECT coalesce(max(id), 0) + 1 AS next FROM metric_sets) WHERE true ON CONFLICT DO NOTHING";
    db.execute(add, [names])?;
    db.query_row(find, [names], |row| row.get(0))
}

/// Adds the sets of metrics of another store; maps numbers in that store to numbers in this one.
pub(super) fn add_sets(db: &Connection, sets: &[(i64, String)]) -> rusqlite::Result<HashMap<i64, i64>> {
    sets.iter().map(|(set, names)| Ok((*set, add_set(db, names)?))).collect()
}

/// Whether one set has metrics that another set lacks.
pub(super) fn more_metrics(db: &Connection, one: i64, other: i64) -> rusqlite::Result<bool> {
    if one == other {
        return Ok(false);
    }
    let names = |set| db.query_row("SELECT names FROM metric_sets WHERE id = ?1", [set], |row| row.get::<_, String>(0));
    let (one, other) = (names(one)?, names(other)?);
    let [one, other] = [&one, &other].map(|names| names.split(' ').collect::<BTreeSet<_>>());
    Ok(one.is_superset(&other) && one != other)
}
