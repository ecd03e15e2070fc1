//! Why a store cannot be used.

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

/// What is wrong with a store. Runs that were kept stay kept.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file cannot be opened.
    #[error("{}: cannot be opened: {why}", path.display())]
    Unopened {
        /// Which.
        path: PathBuf,
        /// What the system says.
        why: String,
    },
    /// A new one cannot be made.
    #[error("{}: cannot be written: {why}", path.display())]
    Unmade {
        /// Which.
        path: PathBuf,
        /// What the system says.
        why: String,
    },
    /// It can only be read, and its last runs stand in a log beside it that cannot be read so.
    #[error("{}: cannot be read whole: its last runs are in {}, which takes a place that can be written\n  hint: copy both files to one", path.display(), log.display())]
    Unread {
        /// Which.
        path: PathBuf,
        /// The log.
        log: PathBuf,
    },
    /// It is a file of another kind.
    #[error("{}: is not a store of lasthop\n  hint: a store is written by `lasthop sweep`", .0.display())]
    NotAStore(PathBuf),
    /// It was written by a newer program.
    #[error("{}: was written by a newer lasthop: format {found}, this one knows up to {known}\n  hint: use that version, or another store with --out", path.display())]
    Newer {
        /// Which.
        path: PathBuf,
        /// Its format.
        found: i32,
        /// The newest one known here.
        known: i32,
    },
    /// It was cut short or overwritten.
    #[error("{}: is damaged: {found}\n  hint: nothing was changed in it; `sqlite3 FILE .recover` saves what can be saved, and a new store runs the rest again", path.display())]
    Damaged {
        /// Which.
        path: PathBuf,
        /// What SQLite found.
        found: String,
    },
    /// Rows are not as they were written.
    #[error("{}: {rows} of its rows {} not as written, the first of them: {first}\n  hint: `lasthop verify {}` lists them and says what can be done", path.display(), if *rows == 1 { "is" } else { "are" }, path.display())]
    BadRows {
        /// Which.
        path: PathBuf,
        /// How many.
        rows: usize,
        /// One of them.
        first: String,
    },
    /// No room, or no permission.
    #[error("{}: cannot be written: {why}\n  hint: every run that had finished before is kept; the same command goes on from there", path.display())]
    Unwritable {
        /// Which.
        path: PathBuf,
        /// What SQLite says.
        why: String,
    },
    /// A run that was filled again came out otherwise.
    #[error("{}: replication {replication} of {run} has another result than before; the one before is kept\n  hint: results depend on nothing but the scenario, so the store was changed or made by a program with the same version and another model", path.display())]
    Otherwise {
        /// The store.
        path: PathBuf,
        /// The run.
        run: String,
        /// Its replication.
        replication: u64,
    },
    /// Two stores disagree about one run.
    #[error("{}: has another result than {} for replication {replication} of {run}\n  hint: results depend on nothing but the scenario, so one of the two was changed or made by a program with the same version and another model", other.display(), path.display())]
    Disagree {
        /// The store that was to take the other's runs.
        path: PathBuf,
        /// The other.
        other: PathBuf,
        /// The run.
        run: String,
        /// Its replication.
        replication: u64,
    },
}

impl StoreError {
    /// The system could not open a file.
    pub(crate) fn file(path: &Path, error: &std::io::Error) -> Self {
        StoreError::Unopened { path: path.to_owned(), why: error.to_string() }
    }

    /// SQLite found something wrong.
    pub(crate) fn of(path: &Path, error: rusqlite::Error) -> Self {
        let path = path.to_owned();
        if error.sqlite_error().is_some_and(|error| error.extended_code == rusqlite::ffi::SQLITE_IOERR_SHMSIZE) {
            // SQLite says only "disk I/O error".
            return StoreError::Unwritable {
                path,
                why: "no room for the file -shm beside it: the disk is full".into(),
            };
        }
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => StoreError::NotAStore(path),
            Some(ErrorCode::CannotOpen) => StoreError::Unopened { path, why: error.to_string() },
            Some(ErrorCode::DatabaseCorrupt) => StoreError::Damaged { path, found: error.to_string() },
            Some(ErrorCode::DatabaseBusy) => {
                StoreError::Unwritable { path, why: "another program has held it for a minute".into() }
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
            // A column of the wrong type, a table that is not there.
            Some(_) | None => StoreError::Damaged { path, found: error.to_string() },
        }
    }
}
