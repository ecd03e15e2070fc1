//! Upgrades stores of earlier formats by copying their rows into tables of the current format.

use rusqlite::{Connection, Transaction, TransactionBehavior, params};

use super::FORMAT;
use super::{Digest, sweep_content};

/// The first format with a checksum in each row.
pub(super) const FIRST_WITH_CHECKSUMS: i32 = 2;

/// The metrics of the programs that wrote stores before sets of metrics were recorded.
const METRICS_BEFORE: &str = "completion_time_s goodput_bps completed bytes_delivered longest_pause_s segments_sent \
     segments_retransmitted segments_duplicate segments_discarded fast_retransmits timeouts tail_probes reductions_undone \
     reductions_by_ecn icmp_defer icmp_retransmit frames_sent frames_corrupted frames_duplicate frames_discarded \
     packets_delivered packets_dropped packets_dropped_queue_full packets_marked packets_given_up packets_recovered utilization \
     frames_collided air_busy air_idle air_collided collision_probability data_sent acks_sent rts_sent cts_sent beacons_sent \
     attempts attempts_collided retries retry_limit_drops back_offs back_off_slots airtime packets_dropped_no_route handovers \
     unassociated_s simulated_s events packets_dropped_buffer_full total_goodput_bps fairness state_bytes_most";

/// The tables of the current format.
pub(super) const SCHEMA: &str = include_str!("schema.sql");

/// The columns of tables before format 3, except the checksum.
pub(super) fn columns_before(table: &str) -> Option<&'static str> {
    match table {
        "sweeps" => Some("id, digest, name, title, scenario, metrics, lasthop, model"),
        "cells" => Some("sweep, point, \"case\", case_name, changes, case_changes, digest"),
        "runs" => Some("digest, replication, summary"),
        _ => None,
    }
}

/// Upgrades the tables of a store of an earlier format, unless another program just did.
pub(super) fn in_place(db: &Connection) -> rusqlite::Result<()> {
    let transaction = Transaction::new_unchecked(db, TransactionBehavior::Immediate)?;
    let format: i32 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if format < FORMAT {
        for table in ["sweeps", "cells", "runs"] {
            transaction.execute_batch(&format!("ALTER TABLE {table} RENAME TO before_{table}"))?;
        }
        transaction.execute_batch(SCHEMA)?;
        copy_rows(&transaction, "before_", format)?;
        // Rows refer to sweeps.
        transaction.execute_batch("DROP TABLE before_cells; DROP TABLE before_runs; DROP TABLE before_sweeps")?;
        transaction.pragma_update(None, "user_version", FORMAT)?;
    }
    transaction.commit()
}

/// Copies the rows of a read-only store, attached as `before`, into the tables of an in-memory database.
pub(super) fn in_memory(db: &Connection, format: i32) -> rusqlite::Result<()> {
    let transaction = Transaction::new_unchecked(db, TransactionBehavior::Deferred)?;
    transaction.execute_batch(SCHEMA)?;
    copy_rows(&transaction, "before.", format)?;
    transaction.commit()
}

/// Copies every row. A damaged row gets a checksum that does not match.
fn copy_rows(db: &Connection, before: &str, format: i32) -> rusqlite::Result<()> {
    let set = "INSERT INTO metric_sets VALUES (1, ?1, row_checksum(1, ?1))";
    db.execute(set, [METRICS_BEFORE.split_whitespace().collect::<Vec<_>>().join(" ")])?;
    for (table, added) in [("sweeps", ", 0"), ("cells", ""), ("runs", ", 1")] {
        let columns = columns_before(table).unwrap_or_default();
        let damaged = match format {
            ..FIRST_WITH_CHECKSUMS => "0".to_owned(),
            _ => format!("(checksum <> row_checksum({columns}))"),
        };
        db.execute_batch(&format!(
            "INSERT INTO {table} SELECT {columns}{added}, row_checksum({columns}{added}) + {damaged} FROM {before}{table}"
        ))?;
    }
    name_sweeps(db)
}

/// Computes the current key of every sweep; earlier versions included the names of keys.
fn name_sweeps(db: &Connection) -> rusqlite::Result<()> {
    let mut find = db.prepare("SELECT id, model FROM sweeps")?;
    let sweeps = find.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<rusqlite::Result<Vec<_>>>()?;
    for (id, model) in sweeps {
        let columns = super::checksum::checked_columns("sweeps");
        let digest = Digest::of_sweep(model, &sweep_content(&super::cells_in(db, id)?));
        db.execute(
            &format!("UPDATE sweeps SET digest = ?2, checksum = checksum - row_checksum({columns}) WHERE id = ?1"),
            params![id, &digest.0[..]],
        )?;
        db.execute(&format!("UPDATE sweeps SET checksum = checksum + row_checksum({columns}) WHERE id = ?1"), [id])?;
    }
    Ok(())
}
