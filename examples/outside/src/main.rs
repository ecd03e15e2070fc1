//! Runs a scenario that names the members of this crate: `cargo run [FILE]`.

use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    let file = std::env::args().nth(1).unwrap_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/scenario.toml").into());
    match run(&file) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nothing is left to do if the error cannot be written either.
            let _ = writeln!(std::io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(file: &str) -> Result<(), String> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let members = outside::members().map_err(|error| error.to_string())?;
    let loaded = scenario::from_toml_with(file, &text, &members)
        .map_err(|problems| problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))?;
    let mut world = sim::World::new(&loaded.network, false);
    world.run(&mut sim::NullSink);
    let results = world.results();
    let summary = observe::summary::summary(loaded.title(), &loaded.scenario, &loaded.network, &results);
    let mut out = std::io::stdout();
    for member in &loaded.outside {
        writeln!(out, "{} = {} ({})", member.key, member.name, member.registry).map_err(|error| error.to_string())?;
    }
    for name in ["completion_time_s", "goodput_bps", "fast_retransmits", "reductions_by_ecn"] {
        let metric = observe::metric::find(name).ok_or_else(|| format!("no metric {name}"))?;
        for (of, value) in metric.read(&summary) {
            let value = value.map_or_else(|| "-".into(), |value| value.to_string());
            writeln!(out, "{of}: {name} = {value}").map_err(|error| error.to_string())?;
        }
    }
    Ok(())
}
