//! How a test that cannot run on this machine says so.
//!
//! [`skip!`] ends the test, prints `skipped: NAME: REASON`, and notes the line in a file of the directory that the
//! environment variable [`DIRECTORY`] names. `cargo xtask test` sets it, and fails on a line whose name is not in
//! `xtask/allowed-skips.txt`.
//!
//! ```
//! fn a_capture_is_read_by_tshark() {
//!     if std::process::Command::new("tshark").arg("--version").output().is_err() {
//!         skip::skip!("tshark is not installed");
//!     }
//!     // ...
//! }
//! a_capture_is_read_by_tshark();
//! ```

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

/// Names the directory in which skips are noted.
pub const DIRECTORY: &str = "LASTHOP_SKIPS";

/// Ends a test, which returns nothing, for a reason that is written as for `format!`.
#[macro_export]
macro_rules! skip {
    ($($reason:tt)+) => {{
        // Its path is that of the test.
        fn here() {}
        $crate::note(::std::any::type_name_of_val(&here), &::std::format!($($reason)+));
        return;
    }};
}

/// Notes that the test in which the function `place` stands was skipped.
///
/// # Panics
/// If it cannot be noted: the skip would go unseen.
pub fn note(place: &str, reason: &str) {
    let name = place.strip_suffix("::here").unwrap_or(place).replace("::{{closure}}", "");
    let line = format!("{name}: {}\n", reason.replace('\n', " "));
    // Past the capture of libtest, which shows the output of failed tests only.
    let _ = write!(std::io::stderr().lock(), "skipped: {line}");
    if let Some(directory) = std::env::var_os(DIRECTORY) {
        let path = Path::new(&directory).join(std::process::id().to_string());
        let noted = fs::create_dir_all(&directory)
            .and_then(|()| OpenOptions::new().create(true).append(true).open(&path))
            // In one piece: tests run on several threads.
            .and_then(|mut file| file.write_all(line.as_bytes()));
        noted.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
}
