//! The description of a plan in a store.

use serde_json::Value;

use super::{Plan, Point};
use crate::load::to_toml;
use crate::store::{FORM, KeptCell, KeptSweep, Store, StoreError};
use scenario::axes::Change;

impl Plan {
    /// Records the description of the sweep in a store, and returns the number of the sweep in the store.
    pub fn note(&self, store: &mut Store) -> Result<i64, StoreError> {
        let sweep = KeptSweep {
            id: 0,
            name: self.stem.clone(),
            title: self.scenario.title.clone(),
            scenario: to_toml(&self.scenario),
            metrics: self.metrics.iter().map(|metric| metric.name.to_owned()).collect(),
            lasthop: env!("CARGO_PKG_VERSION").to_owned(),
            model: sim::MODEL_VERSION,
            form: FORM,
        };
        store.note(sweep, &kept_cells(self), self.replications().1)
    }
}

/// The cells of a plan, by point and case.
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
