//! Errors of stores.

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

use super::name::is_journal;

/// A problem with a store. Runs stored before remain stored.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file cannot be opened.
    #[error("{}: cannot be opened: {why}", path.display())]
    Unopened {
        /// The store's file.
        path: PathBuf,
        /// The system's message.
        why: String,
    },
    /// A new store cannot be created.
    #[error("{}: cannot be written: {why}", path.display())]
    Unmade {
        /// The store's file.
        path: PathBuf,
        /// The system's message.
        why: String,
    },
    /// The store is read-only, and its last runs are in a write-ahead log that cannot be read without write access.
    #[error("{}: cannot be read completely: its last runs are in {}, which cannot be read in a read-only directory\n  hint: copy both files to a writable directory", path.display(), log.display())]
    Unread {
        /// The store's file.
        path: PathBuf,
        /// The log's file.
        log: PathBuf,
    },
    /// The file is not a store.
    #[error("{}: is not a store of lasthop\n  hint: a store is written by `lasthop sweep`", .0.display())]
    NotAStore(PathBuf),
    /// The store was written by a newer version of the program.
    #[error("{}: was written by a newer lasthop: format {found}, this one supports up to {known}\n  hint: use that version, or another store with --out", path.display())]
    Newer {
        /// The store's file.
        path: PathBuf,
        /// The store's format.
        found: i32,
        /// Newest format that this program supports.
        known: i32,
    },
    /// An append-only store was written by another version of the program.
    #[error("{}: was written by {theirs}, this is {ours}\n  hint: merge it with that version: `lasthop merge {} -o all.sqlite`", path.display(), path.display())]
    OtherVersion {
        /// The store's file.
        path: PathBuf,
        /// Version of the program that wrote the store.
        theirs: String,
        /// This version.
        ours: String,
    },
    /// The file was truncated or overwritten.
    #[error("{}: is damaged: {found}\n  hint: the file was not changed; {}", path.display(), suggest_rescue(path))]
    Damaged {
        /// The store's file.
        path: PathBuf,
        /// SQLite's message, or the faulty line of an append-only file.
        found: String,
    },
    /// Rows do not match their checksums.
    #[error("{}: {rows} of its rows {} damaged, the first: {first}\n  hint: `lasthop verify {}` lists them and suggests a repair", path.display(), if *rows == 1 { "is" } else { "are" }, path.display())]
    BadRows {
        /// The store's file.
        path: PathBuf,
        /// The number of damaged rows.
        rows: usize,
        /// Description of the first damaged row.
        first: String,
    },
    /// The disk is full, or permission is denied.
    #[error("{}: cannot be written: {why}\n  hint: finished runs are stored; the same command continues", path.display())]
    Unwritable {
        /// The store's file.
        path: PathBuf,
        /// SQLite's message.
        why: String,
    },
    /// A repeated run gave another result than the stored one.
    #[error("{}: replication {replication} of {run} has another result than before; the old one is kept\n  hint: results depend only on the scenario, so the store was changed or made by a program with the same version and another model", path.display())]
    Otherwise {
        /// The store's file.
        path: PathBuf,
        /// The key of the run.
        run: String,
        /// The replication.
        replication: u64,
    },
    /// Two stores have different results for the same run.
    #[error("{}: has another result than {} for replication {replication} of {run}\n  hint: results depend only on the scenario, so one of the two was changed or made by a program with the same version and another model", other.display(), path.display())]
    Disagree {
        /// The store into which the other store was merged.
        path: PathBuf,
        /// The other store.
        other: PathBuf,
        /// The key of the run.
        run: String,
        /// The replication.
        replication: u64,
    },
}

impl StoreError {
    /// An error of opening a file, from the system.
    pub(crate) fn file(path: &Path, error: &std::io::Error) -> Self {
        StoreError::Unopened { path: path.to_owned(), why: error.to_string() }
    }

    /// An error of SQLite.
    pub(crate) fn of(path: &Path, error: rusqlite::Error) -> Self {
        let path = path.to_owned();
        if error.sqlite_error().is_some_and(|error| error.extended_code == rusqlite::ffi::SQLITE_IOERR_SHMSIZE) {
            // The message of SQLite is only "disk I/O error".
            return StoreError::Unwritable {
                path,
                why: "the disk is full: the file -shm of the store cannot be created".into(),
            };
        }
        const WRITING: [i32; 4] = [
            rusqlite::ffi::SQLITE_IOERR_WRITE,
            rusqlite::ffi::SQLITE_IOERR_FSYNC,
            rusqlite::ffi::SQLITE_IOERR_TRUNCATE,
            rusqlite::ffi::SQLITE_IOERR_SHMMAP,
        ];
        if error.sqlite_error().is_some_and(|error| WRITING.contains(&error.extended_code)) {
            // SQLite reports a disk without space as full. For other causes it reports only "disk I/O error".
            let why = format!("{error}: a quota or the largest size of a file is reached, or the disk fails");
            return StoreError::Unwritable { path, why };
        }
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => StoreError::NotAStore(path),
            Some(ErrorCode::CannotOpen) => StoreError::Unopened { path, why: error.to_string() },
            Some(ErrorCode::DatabaseCorrupt) => StoreError::Damaged { path, found: error.to_string() },
            Some(ErrorCode::DatabaseBusy) => {
                StoreError::Unwritable { path, why: "another program has locked it for a minute".into() }
            }
            Some(
                ErrorCode::ReadOnly
                | ErrorCode::DiskFull
                | ErrorCode::SystemIoFailure
                | ErrorCode::PermissionDenied
                | ErrorCode::AuthorizationForStatementDenied
                | ErrorCode::DatabaseLocked
                | ErrorCode::FileLockingProtocolFailed
                | ErrorCode::NoLargeFileSupport
                | ErrorCode::OutOfMemory
                | ErrorCode::OperationInterrupted,
            ) => StoreError::Unwritable { path, why: error.to_string() },
            // A column of the wrong type, or a missing table.
            Some(_) | None => StoreError::Damaged { path, found: error.to_string() },
        }
    }
}

/// Returns the advice how to keep the readable part of a damaged store.
fn suggest_rescue(path: &Path) -> &'static str {
    if is_journal(path) {
        "remove that line, unless it is the first; the same sweep then repeats the missing runs"
    } else {
        "`sqlite3 FILE .recover` extracts readable rows, and a sweep into a new store repeats the other runs"
    }
}
