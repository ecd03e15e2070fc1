//! A congestion control, an agent, two channels and a queue discipline that lasthop does not have.
//!
//! Each is one file: settings that serde reads, and an implementation of [`engine::Member`] that checks them and builds the
//! member. [`members`] lists them in the table that the loader takes; scenarios then name them like lasthop's own.

pub mod every_nth;
pub mod lifo;
pub mod mark_at_air;
pub mod scalable;
pub mod tunnels;

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use engine::members::NameError;
use engine::{Kind, Members};
use path::agent::AgentConfig;
use path::channel::ChannelConfig;
use path::queue::QueueConfig;
use scenario::{Files, Overrides, Source};
use tcp::cc::ControlConfig;

/// The members of this crate. Each has a version, under which stores keep its results.
///
/// # Errors
/// A name that a registry already has.
pub fn members() -> Result<Members, NameError> {
    let mut members = Members::default();
    members
        .add::<ControlConfig>(Kind::<scalable::Config>::new("scalable", "Scalable TCP (Kelly 2003)").version("1"))?
        .add::<AgentConfig>(Kind::<mark_at_air::Config>::new("mark-at-air", "ECN marks by backlog").version("1"))?
        .add::<ChannelConfig>(
            Kind::<every_nth::Config>::new("every-nth", "Every n-th data frame is lost").version("1"),
        )?
        .add::<ChannelConfig>(Kind::<tunnels::Config>::new("tunnels", "Losses in tunnels, from a file").version("1"))?
        .add::<QueueConfig>(Kind::<lifo::Config>::new("lifo", "Last in, first out").version("1"))?;
    Ok(members)
}

/// Runs the scenario in `file`; writes the outside members that it names, and some metrics, to `out`.
///
/// # Errors
/// A file that cannot be read, every problem of the scenario, and errors of `out`.
pub fn run(file: &str, out: &mut impl Write) -> Result<(), String> {
    let members = members().map_err(|error| error.to_string())?;
    let source = Source::open(Rc::new(Disk), Path::new(file), &Overrides::default());
    let loaded = source
        .map(|source| source.with_members(&members))
        .and_then(|source| source.resolve(&source.document))
        .map_err(|problems| problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))?;
    let mut world = sim::World::new(&loaded.network, false);
    world.run(&mut sim::NullSink);
    let results = world.results();
    let summary = observe::summary::summarize_results(loaded.title(), &loaded.scenario, &loaded.network, &results);
    let failed = |error: io::Error| error.to_string();
    for member in &loaded.outside {
        writeln!(out, "{} = {} ({})", member.key, member.name, member.registry).map_err(failed)?;
    }
    for name in ["completion_time_s", "goodput_bps", "fast_retransmits", "reductions_by_ecn"] {
        let metric = observe::metric::find_metric(name).ok_or_else(|| format!("no metric {name}"))?;
        for (of, value) in metric.read(&summary) {
            let value = value.map_or_else(|| "-".into(), |value| value.to_string());
            writeln!(out, "{of}: {name} = {value}").map_err(failed)?;
        }
    }
    Ok(())
}

/// The scenario, and the files that it names.
struct Disk;

impl Files for Disk {
    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        File::open(path)?.take(limit).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn exists(&self, path: &Path) -> bool {
        path.try_exists().unwrap_or(true)
    }

    fn is_dir(&self, path: &Path) -> bool {
        path.is_dir()
    }

    fn entries(&self, dir: &Path) -> Vec<PathBuf> {
        fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
    }
}
