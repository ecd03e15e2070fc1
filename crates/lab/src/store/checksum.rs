//! A checksum for each row: the CRC-32 of ISO 3309 (as in zlib) over its other columns in order. An integer is encoded
//! as the byte `i` and its eight bytes, most significant first; a text as `t`, its length as eight bytes, and its
//! bytes; a blob like a text, with `b`.
//!
//! The checksum detects every changed bit and every burst of up to 32 bits. It does not protect against deliberate
//! changes, which can include a new checksum.

use rusqlite::functions::FunctionFlags;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, params};

/// The tables of a store, and their columns except the checksum.
pub(super) const TABLES: [(&str, &str); 4] = [
    ("sweeps", "id, digest, name, title, scenario, metrics, lasthop, model, form"),
    ("cells", "sweep, point, \"case\", case_name, changes, case_changes, digest"),
    ("metric_sets", "id, names"),
    ("runs", "digest, replication, summary, metric_set"),
];

/// The columns of a table except the checksum.
pub(super) fn checked_columns(table: &str) -> &'static str {
    TABLES.iter().find(|(name, _)| *name == table).map_or("", |(_, columns)| columns)
}

fn hash_long(sum: &mut crc32fast::Hasher, tag: &[u8], bytes: &[u8]) {
    sum.update(tag);
    sum.update(&(bytes.len() as u64).to_be_bytes());
    sum.update(bytes);
}

/// Registers the SQL function `row_checksum(...)` with a connection.
///
/// # Errors
///
/// The error of SQLite.
pub fn register_row_checksum(db: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    db.create_scalar_function("row_checksum", -1, flags, |row| {
        let mut sum = crc32fast::Hasher::new();
        for number in 0..row.len() {
            match row.get_raw(number) {
                ValueRef::Text(bytes) => hash_long(&mut sum, b"t", bytes),
                ValueRef::Blob(bytes) => hash_long(&mut sum, b"b", bytes),
                ValueRef::Integer(value) => {
                    sum.update(b"i");
                    sum.update(&value.to_be_bytes());
                }
                // No column has values of this type.
                ValueRef::Real(_) | ValueRef::Null => sum.update(b"?"),
            }
        }
        Ok(i64::from(sum.finalize()))
    })
}

/// Recomputes the checksum of a sweep's row after a change.
pub(super) fn renew_checksum(db: &Connection, sweep: i64) -> rusqlite::Result<()> {
    let columns = checked_columns("sweeps");
    db.execute(&format!("UPDATE sweeps SET checksum = row_checksum({columns}) WHERE id = ?1"), params![sweep])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The checksum is computed in Python: `d = bytes(range(16)); t = b'{"a":1}'; zlib.crc32(b'b' + struct.pack('>Q',
    /// 16) + d + b'i' + struct.pack('>q', 3) + b't' + struct.pack('>Q', 7) + t)`.
    #[test]
    fn checksum_is_the_crc_32_of_zlib() {
        let db = Connection::open_in_memory().unwrap();
        register_row_checksum(&db).unwrap();
        let digest: Vec<u8> = (0..16).collect();
        let sum: i64 = db.query_row("SELECT row_checksum(?1, 3, '{\"a\":1}')", [digest], |row| row.get(0)).unwrap();
        assert_eq!(sum, 3_345_125_468);
    }
}
