//! The opening of a store: other files are refused, earlier formats are upgraded, and damage is detected before
//! anything is read.

use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};

use super::checksum::{self, TABLES};
use super::name::is_journal;
use super::upgrade::{self, FIRST_WITH_CHECKSUMS, SCHEMA, columns_before};
use super::{APPLICATION, FORMAT, Store, StoreError};

/// The format of a store that has no tables yet.
const NEW: i32 = 0;
/// Maximum wait for another program's transaction.
const PATIENCE: Duration = Duration::from_secs(60);

/// Whether the rows of an open store have had checksums from their first write on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sums {
    /// Checksums were written with the rows.
    Kept,
    /// Checksums were added when the store was opened.
    New,
}

impl Sums {
    /// Returns an SQL condition that is true for a row of this table that matches its checksum.
    pub fn sound(table: &str) -> String {
        format!("checksum = row_checksum({})", checksum::checked_columns(table))
    }
}

impl Store {
    /// A new store for a test, in a directory that is removed on drop.
    #[cfg(test)]
    pub(crate) fn scratch() -> (tempfile::TempDir, Self) {
        let dir = tempfile::tempdir().expect("the system's temporary directory can be written");
        let store = Self::create(&dir.path().join("s.sqlite")).expect("a new store can be made");
        (dir, store)
    }

    /// Opens a store, or creates a new one. A store whose name ends with `.jsonl` is an append-only file.
    pub fn create(path: &Path) -> Result<Self, StoreError> {
        if is_journal(path) {
            return Self::of_journal(path, true);
        }
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
        let store = Self::unchecked(path)?;
        store.whole()?;
        Ok(store)
    }

    /// Opens a store that must exist, without checking its integrity.
    pub(super) fn unchecked(path: &Path) -> Result<Self, StoreError> {
        if is_journal(path) {
            return Self::of_journal(path, false);
        }
        // The message of SQLite is only "unable to open".
        let file = std::fs::File::open(path).map_err(|error| StoreError::file(path, &error))?;
        let length = file.metadata().map_err(|error| StoreError::file(path, &error))?.len();
        if path.is_dir() || length == 0 {
            return Err(StoreError::NotAStore(path.to_owned()));
        }
        match Self::connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE) {
            // A read-only directory provides no place for the files of SQLite's readers.
            Err(StoreError::Unopened { .. } | StoreError::Unwritable { .. }) => Self::look(path),
            opened => opened,
        }
    }

    /// Opens a store, or creates a new one, without checking its integrity.
    pub(crate) fn writable(path: &Path) -> Result<Self, StoreError> {
        if path.is_dir() {
            return Err(StoreError::NotAStore(path.to_owned()));
        }
        Self::connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)
    }

    /// Opens a store for reading only, as in a read-only directory.
    pub(super) fn look(path: &Path) -> Result<Self, StoreError> {
        let wrong = |error| StoreError::of(path, error);
        let mut log = path.as_os_str().to_owned();
        log.push("-wal");
        let log = PathBuf::from(log);
        if std::fs::metadata(&log).is_ok_and(|log| log.len() > 0) {
            return Err(StoreError::Unread { path: path.to_owned(), log });
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
        // Bytes with a meaning in a URI are percent-encoded.
        let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._-".contains(byte);
        let bytes = path.as_os_str().as_encoded_bytes().iter();
        let address: String =
            bytes.map(|byte| if plain(byte) { char::from(*byte).into() } else { format!("%{byte:02x}") }).collect();
        let address = format!("file:{address}?immutable=1");
        let store = Self::on(path, Connection::open_with_flags(&address, flags).map_err(wrong)?)?;
        match store.known()? {
            FORMAT => Ok(store),
            format => store.copy_in_memory(&address, format),
        }
    }

    /// An in-memory copy of a read-only store of an earlier format.
    fn copy_in_memory(self, address: &str, format: i32) -> Result<Self, StoreError> {
        self.intact()?;
        let wrong = |error| StoreError::of(&self.path, error);
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
        let mut copy = Self::on(&self.path, Connection::open_in_memory_with_flags(flags).map_err(wrong)?)?;
        copy.db.execute("ATTACH ?1 AS before", [address]).map_err(wrong)?;
        upgrade::in_memory(&copy.db, format).map_err(wrong)?;
        copy.db.execute_batch("DETACH before; PRAGMA query_only = ON").map_err(wrong)?;
        copy.sums = sums_of(format);
        Ok(copy)
    }

    fn on(path: &Path, db: Connection) -> Result<Self, StoreError> {
        checksum::register_row_checksum(&db).map_err(|error| StoreError::of(path, error))?;
        let (metric_set, unfilled) = (Default::default(), Vec::new());
        Ok(Store {
            path: path.to_owned(),
            db,
            sums: Sums::Kept,
            metric_set,
            unfilled,
            measures_delays: false,
            journal: None,
        })
    }

    pub(super) fn connect(path: &Path, flags: OpenFlags) -> Result<Self, StoreError> {
        let wrong = |error| StoreError::of(path, error);
        // Some names, such as ":memory:", have a special meaning in SQLite; paths with a directory do not.
        let file = Path::new(".").join(path);
        let db = Connection::open_with_flags(file, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX).map_err(wrong)?;
        db.busy_timeout(PATIENCE).map_err(wrong)?;
        let mut store = Self::on(path, db)?;
        let format = store.known()?;
        store.use_wal().map_err(wrong)?;
        store.db.pragma_update(None, "synchronous", "NORMAL").map_err(wrong)?;
        if format == NEW {
            store.lay_out().map_err(wrong)?;
        } else if format < FORMAT {
            // Visible damage must not get valid checksums.
            store.intact()?;
            upgrade::in_place(&store.db).map_err(wrong)?;
            store.sums = sums_of(format);
        }
        Ok(store)
    }

    /// Switches to write-ahead logging. Unlike in transactions, SQLite does not wait for other programs here.
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

    /// A transaction that acquires the write lock at its start. A transaction that acquires the lock after reading
    /// fails without waiting if another program wrote in between.
    pub(super) fn transaction(db: &mut Connection) -> rusqlite::Result<Transaction<'_>> {
        db.transaction_with_behavior(TransactionBehavior::Immediate)
    }

    /// Returns the store's format, or [`NEW`] if the store has no tables yet. Refuses files that are not stores, stores
    /// of a newer program, and stores without a required table or column.
    fn known(&self) -> Result<i32, StoreError> {
        let (store, path, wrong) = (self, &self.path, |error| StoreError::of(&self.path, error));
        let number = |name: &str| store.db.pragma_query_value(None, name, |row| row.get::<_, i32>(0)).map_err(wrong);
        let damaged = |found: String| Err(StoreError::Damaged { path: path.clone(), found });
        let tables = "SELECT count(*) FROM sqlite_schema";
        let empty = store.db.query_row(tables, [], |row| row.get::<_, i64>(0)).map_err(wrong)? == 0;
        if !empty && number("application_id")? != APPLICATION {
            return Err(StoreError::NotAStore(path.to_owned()));
        }
        let format = number("user_version")?;
        if format > FORMAT {
            return Err(StoreError::Newer { path: path.to_owned(), found: format, known: FORMAT });
        }
        if empty {
            return Ok(NEW);
        }
        if format < 1 {
            return damaged(format!("its format is {format}; the first format is 1"));
        }
        for (table, columns) in TABLES {
            let columns = if format < FORMAT { columns_before(table) } else { Some(columns) };
            let Some(columns) = columns else { continue };
            let found = "SELECT group_concat(name, ', ') FROM (SELECT name FROM pragma_table_info(?1) ORDER BY cid)";
            let found: Option<String> = store.db.query_row(found, [table], |row| row.get(0)).map_err(wrong)?;
            let Some(found) = found else { return damaged(format!("the table `{table}` is missing")) };
            let sum = if format < FIRST_WITH_CHECKSUMS { "" } else { ", checksum" };
            let expected = format!("{}{sum}", columns.replace('"', ""));
            if found != expected {
                return damaged(format!("the table `{table}` has the columns {found}, not {expected}"));
            }
        }
        Ok(format)
    }

    /// Creates the tables, unless another program just did.
    fn lay_out(&self) -> rusqlite::Result<()> {
        let transaction = Transaction::new_unchecked(&self.db, TransactionBehavior::Immediate)?;
        let format: i32 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
        if format == 0 {
            transaction.execute_batch(SCHEMA)?;
            transaction.pragma_update(None, "application_id", APPLICATION)?;
            transaction.pragma_update(None, "user_version", FORMAT)?;
        }
        transaction.commit()
    }

    /// Whether the file is complete and every row matches its checksum.
    fn whole(&self) -> Result<(), StoreError> {
        self.intact()?;
        let damage = self.bad_rows(usize::MAX)?;
        match damage.first() {
            None => Ok(()),
            Some(first) => {
                let (path, rows, first) = (self.path.clone(), damage.len(), first.to_string());
                Err(StoreError::BadRows { path, rows, first })
            }
        }
    }

    /// Whether SQLite reports the tables and indices as intact.
    pub(super) fn intact(&self) -> Result<(), StoreError> {
        let verdict: String = self.ask(|db| db.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0)))?;
        if verdict == "ok" { Ok(()) } else { Err(StoreError::Damaged { path: self.path.clone(), found: verdict }) }
    }
}

fn sums_of(format: i32) -> Sums {
    if format < FIRST_WITH_CHECKSUMS { Sums::New } else { Sums::Kept }
}
