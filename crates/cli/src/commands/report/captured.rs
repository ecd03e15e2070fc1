//! `lasthop report CAPTURE`.

use std::path::{Path, PathBuf};

use plot::{Description, Recorder};
use report::captures;
use report::pictures::MAX_FLOWS;

use super::super::captured::{of_hosts, open};
use super::super::{print, shown, write_whole};
use super::Args;
use crate::Failure;

/// The maximum number of connections that a page explains.
const MAX_EXPLAINED: usize = 100;

/// `lasthop report CAPTURE`.
pub fn run(args: &Args) -> Result<(), Failure> {
    let path = &args.store;
    let hosts = of_hosts(path);
    let file = open(hosts.first().unwrap_or(path))?;
    let numbers: Vec<u32> = file.by_size().into_iter().take(MAX_EXPLAINED).collect();
    let mut made = 0;
    let sink = |_: &sim::Network| {
        made += 1;
        (made <= MAX_FLOWS)
            .then(|| Recorder::new([0], None, None).with_panels(&[plot::Panel::Rtt], &Description::default()))
    };
    let explained = file.explain(&numbers, None, sink)?;
    let recording =
        |recorder: Option<Recorder>| recorder.filter(|recorder| !recorder.overflowed()).map(Recorder::finish);
    let explained: Vec<_> =
        explained.into_iter().map(|(explained, recorder)| (explained, recording(recorder))).collect();
    let name = file.path.file_name().unwrap_or_default().to_string_lossy();
    let page = captures::page(&name, &file, &explained);
    let usual = || if hosts.is_empty() { file.path.with_extension("html") } else { beside(path) };
    let out = args.out.clone().unwrap_or_else(usual);
    write_whole(&out, report::html(&page).as_bytes())?;
    print(&format!("{}\n", shown(&out)))
}

/// The page beside a result directory: one with files that no run wrote is not replaced by the next run.
fn beside(dir: &Path) -> PathBuf {
    // A path such as `.` has no name.
    let dir = if dir.file_name().is_none() { dir.canonicalize().unwrap_or_default() } else { dir.to_owned() };
    let mut name = dir.file_name().unwrap_or_default().to_owned();
    name.push(".html");
    dir.with_file_name(name)
}
