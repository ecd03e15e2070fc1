//! Fuzz input: bytes as the contents of a store. The first byte selects whether the rest is the summary of a run or a
//! corruption of the file.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use lab::load::{self, Overrides};
use lab::store::Store;
use lab::sweep::Plan;
use lab::sweep::analysis::{Analysis, analysis_to_json};
use tempfile::TempDir;

const SWEEP: &str = r#"
duration = "1 s"
[nodes]
a = { kind = "host" }
b = { kind = "host" }
[links]
wire = { kind = "wired", between = ["a", "b"], rate = "1 Mbps", delay = "10 ms" }
[flows]
down = { from = "a", to = "b" }
[sweep]
replications = 2
compare = { "flows.down.tcp.variant" = ["reno", "newreno"] }
"#;

/// Runs an arbitrary input; a panic is a finding.
pub fn take(bytes: &[u8]) {
    let Some((kind, bytes)) = bytes.split_first() else { return };
    let file = Scratch::new();
    if kind % 2 == 0 {
        let Ok(summary) = std::str::from_utf8(bytes) else { return };
        if summary.len() <= 16 << 10 {
            written(&file.path, summary);
            read(&file.path);
        }
    } else {
        let mut whole = template().to_vec();
        for patch in bytes.chunks_exact(4).take(64) {
            let at = usize::from(u16::from_be_bytes([patch[0], patch[1]])) % whole.len();
            whole[at] = patch[2];
            if patch[3] == 255 {
                whole.truncate(at.max(1));
            }
        }
        fs::write(&file.path, whole).expect("a temporary file can be written");
        read(&file.path);
    }
}

/// Creates a store with a sweep, of which one run has `summary`.
fn written(path: &Path, summary: &str) {
    let source = load::of_text("sweep".into(), "sweep.toml".into(), SWEEP.as_bytes(), &Overrides::default());
    let plan = Plan::of(&source.expect("a scenario")).expect("a sweep");
    let mut store = Store::create(path).expect("a store");
    plan.note(&mut store).expect("a sweep is kept");
    for cell in &plan.points[0].cells {
        store.keep(cell.digest, 1, summary).expect("a run is kept");
    }
}

/// Returns the file of a valid store.
fn template() -> &'static [u8] {
    static FILE: OnceLock<Vec<u8>> = OnceLock::new();
    FILE.get_or_init(|| {
        let file = Scratch::new();
        written(&file.path, "{}");
        fs::read(&file.path).expect("a store is a file")
    })
}

/// Reads all contents of a store. Errors are valid results if they have a message.
fn read(path: &Path) {
    let Ok(store) = Store::open(path).map_err(|error| assert!(!error.to_string().is_empty())) else { return };
    for sweep in store.sweeps().unwrap_or_default() {
        match Analysis::of(&store, sweep, u64::MAX) {
            Ok(analysis) => {
                drop((analysis.warnings(), analysis.warnings_of_runs(), analysis.same_as_first()));
                drop(analysis_to_json(&analysis));
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}

/// A store file in its own temporary directory, which is removed on drop.
struct Scratch {
    path: PathBuf,
    _dir: TempDir,
}

impl Scratch {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("a temporary directory");
        Scratch { path: dir.path().join("store.sqlite"), _dir: dir }
    }
}
