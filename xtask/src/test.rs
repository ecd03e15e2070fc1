//! Everything that must hold before a change is taken.

use crate::workspace;

/// In the order in which a failure is cheapest; the documentation comes last. `cargo test` includes its examples.
const STEPS: [&[&str]; 3] = [
    &["fmt", "--all", "--check"],
    &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"],
    &["test", "--workspace", "--profile", "checks"],
];

/// Programs by which tests read what lasthop writes, and the Debian packages they are in.
const READERS: [(&str, &str); 2] = [("tshark", "tshark"), ("gnuplot", "gnuplot-nox")];

/// Runs the steps up to the first that fails.
pub fn run() -> Result<(), String> {
    let missing: Vec<_> = READERS.iter().filter(|(program, _)| !workspace::on_path(program)).collect();
    if !missing.is_empty() {
        let programs: Vec<_> = missing.iter().map(|(program, _)| *program).collect();
        let packages: Vec<_> = missing.iter().map(|(_, package)| *package).collect();
        return Err(format!("the tests need {}: apt-get install {}", programs.join(" and "), packages.join(" ")));
    }
    for step in STEPS {
        workspace::run(workspace::cargo().args(step))?;
    }
    workspace::run(workspace::cargo().args(["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings"))
}
