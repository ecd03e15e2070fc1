//! `lasthop report CAPTURE`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lab::captures::{BothEnds, CaptureFailure, CaptureFile};
use observe::observation::CapturedConnection;
use plot::{Description, Recorder};
use report::captures::{self, ReportConnection};
use report::pictures::MAX_FLOWS;
use sim::FlowId;

use super::super::captured::all_captures;
use super::super::places::beside_result;
use super::super::{format_path, print_visible, write_whole};
use super::Args;
use crate::CommandFailure;

/// The maximum number of connections that a page explains.
const MAX_EXPLAINED: usize = 100;

/// `lasthop report CAPTURE`.
pub fn report_capture(args: &Args) -> Result<(), CommandFailure> {
    let path = &args.store;
    let is_result = path.is_dir();
    let (file, others) = all_captures(path)?;
    let numbers: Vec<u32> = file.by_size().into_iter().take(MAX_EXPLAINED).collect();
    let connections = explain_connections(&file, &others, &numbers)?;
    let shown_name = if is_result { path } else { &file.path };
    let name = shown_name.file_name().unwrap_or_default().to_string_lossy();
    let page = captures::render_capture_page(&name, &file, &connections);
    let usual = || if is_result { sibling_page(path) } else { beside_result(&file.path, "html") };
    let out = args.out.clone().unwrap_or_else(usual);
    write_whole(&out, report::render_html_page(&page).as_bytes())?;
    print_visible(&format!("{}\n", format_path(&out)))
}

/// Draws the connections with these numbers. If another capture contains a drawn connection, its packets are read from
/// there too, and both ends are joined.
fn explain_connections(
    file: &CaptureFile,
    others: &[CaptureFile],
    numbers: &[u32],
) -> Result<Vec<ReportConnection>, CommandFailure> {
    let recorder =
        || Recorder::new([FlowId::new(0)], None, None).with_panels(&[plot::Panel::Rtt], &Description::default());
    let recording =
        |recorder: Option<Recorder>| recorder.filter(|recorder| !recorder.has_overflowed()).map(Recorder::finish);
    let mut of_both = BTreeMap::new();
    for number in numbers.iter().take(MAX_FLOWS) {
        let Some(other) = others.iter().find(|other| file.finds_in(*number, other).is_some()) else { continue };
        let both = match BothEnds::of([file, other], Some(*number)) {
            Ok(both) => both,
            // The captures of a refused connection may have no packets in common.
            Err(CaptureFailure::NotJoined { .. } | CaptureFailure::NotInBoth { .. }) => continue,
            Err(failure) => return Err(failure.into()),
        };
        let (mut explained, recorder) = both.explain(|_| recorder())?;
        explained.survey.number = *number;
        let joined = captures::describe_joined_captures(&both);
        of_both.insert(*number, ReportConnection { explained, recording: recording(Some(recorder)), joined });
    }
    let rest: Vec<u32> = numbers.iter().copied().filter(|number| !of_both.contains_key(number)).collect();
    let mut drawn = MAX_FLOWS.saturating_sub(of_both.len());
    let sink = |_: &CapturedConnection| {
        let is_drawn = drawn > 0;
        drawn = drawn.saturating_sub(1);
        is_drawn.then(recorder)
    };
    let mut of_one = file.explain(&rest, None, sink)?.into_iter();
    let connection = |number: &u32| {
        of_both.remove(number).or_else(|| {
            let (explained, recorder) = of_one.next()?;
            Some(ReportConnection { explained, recording: recording(recorder), joined: Vec::new() })
        })
    };
    Ok(numbers.iter().filter_map(connection).collect())
}

/// The page next to a result directory. A page inside would prevent the next run from replacing the directory, because no
/// run wrote it.
fn sibling_page(dir: &Path) -> PathBuf {
    // A path such as `.` has no file name.
    let dir = if dir.file_name().is_none() { dir.canonicalize().unwrap_or_default() } else { dir.to_owned() };
    let mut name = dir.file_name().unwrap_or_default().to_owned();
    name.push(".html");
    dir.with_file_name(name)
}
