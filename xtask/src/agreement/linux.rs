//! Table of the goodput of Linux's TCP behind `lasthop shell`, on the built-in paths of `lasthop compare`.

use std::collections::VecDeque;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::thread;

use serde_json::Value;

use crate::bench::lasthop;
use crate::workspace;

const NETWORKS: [&str; 3] = ["lan", "wan", "satellite"];

const CHANNELS: [&str; 5] = ["random-loss", "bursts", "disconnection", "delay-variation", "upload"];

/// Congestion controls of Linux.
const CONTROLS: [&str; 2] = ["reno", "cubic"];

const BYTES: u32 = 1_000_000;

/// Runs of each path and congestion control.
const REPLICATIONS: u64 = 30;

/// Attempts to make all runs of a row.
const ATTEMPTS: u32 = 5;

/// Emulations at a time. One takes a hundredth of a core.
const WORKERS: usize = 10;

/// Runs Linux on every path with every congestion control, and writes the table.
pub fn run(words: &[&str]) -> Result<(), String> {
    let program = match words {
        [] => lasthop::build().map(|()| lasthop::built())?,
        ["--program", path] => fs::canonicalize(path).map_err(|error| format!("{path}: {error}"))?,
        words => return Err(format!("found `{}`, expected nothing or --program PATH", words.join(" "))),
    };
    let folder = workspace::root().join("crates/lab/tests/linux");
    let dir = workspace::target().join("linux-goodput");
    let failed = |error: std::io::Error| format!("{}: {error}", dir.display());
    if dir.exists() {
        fs::remove_dir_all(&dir).map_err(failed)?;
    }
    fs::create_dir_all(&dir).map_err(failed)?;
    let paths = NETWORKS.iter().flat_map(|network| CHANNELS.iter().map(move |channel| format!("{network}-{channel}")));
    let rows: Vec<(String, &str)> =
        paths.flat_map(|path| CONTROLS.iter().map(move |control| (path.clone(), *control))).collect();
    let queue: Mutex<VecDeque<usize>> = Mutex::new((0..rows.len()).collect());
    let results = Mutex::new(vec![Err("not run".to_owned()); rows.len()]);
    let next = || queue.lock().ok().and_then(|mut queue| queue.pop_front());
    let work = || {
        while let Some(number) = next() {
            let (path, control) = &rows[number];
            let goodput = goodput(&program, path, control, [&folder, &dir]);
            if let Ok(mut results) = results.lock() {
                results[number] = goodput;
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(work);
        }
    });
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let mut table = format!(
        "# Linux {}: kbit/s of {BYTES} bytes; path, congestion control, and of each replication its\n# beginning in seconds of the channel's time, and its goodput\n",
        kernel.trim().split('-').next().unwrap_or_default()
    );
    let results = results.into_inner().map_err(|error| error.to_string())?;
    for ((path, control), result) in rows.iter().zip(results) {
        table += &format!("{path} {control} {}\n", result.map_err(|error| format!("{path} {control}: {error}"))?);
    }
    let file = folder.join("goodput.txt");
    fs::write(&file, table).map_err(|error| format!("{}: {error}", file.display()))
}

/// A figure for each replication.
fn goodput(lasthop: &Path, path: &str, control: &str, [folder, dir]: [&Path; 2]) -> Result<String, String> {
    let (from, to) = if path.ends_with("upload") { ("mobile", "server") } else { ("server", "mobile") };
    let program = |name: &str| format!("python3 {}", folder.join(name).display());
    let out = dir.join(format!("{path}-{control}"));
    let mut compare = Command::new(lasthop);
    compare.current_dir(dir).args(["compare", "--schemes", "unmodified", "--paths", path, "--node", from]);
    compare.args(["--shell", &format!("{} {to} {control} {BYTES}", program("send.py"))]);
    compare.args(["--and", &format!("{to}={}", program("receive.py")), "--replications", &REPLICATIONS.to_string()]);
    compare.args(["--real-time", "--json", "--out"]).arg(out.join("simulated.sqlite"));
    // A busy machine may not start the receiver in time; finished runs are kept.
    let mut attempts = 0;
    loop {
        let ended = compare.output().map_err(|error| error.to_string())?;
        attempts += 1;
        if ended.status.success() {
            break;
        } else if attempts == ATTEMPTS {
            return Err(String::from_utf8_lossy(&ended.stderr).into_owned());
        }
    }
    let runs = out.join(format!("compare-{path}-compared-shell/unmodified"));
    let of_run = |number: u64| {
        let report_file = runs.join(number.to_string()).join("emulation.json");
        let text = fs::read_to_string(&report_file).map_err(|error| format!("{}: {error}", report_file.display()))?;
        let report: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        let late = report["behind"].as_array().into_iter().flatten().filter_map(|period| period["packets"].as_u64());
        let (late, packets) = (late.sum::<u64>(), report["lateness"]["packets"].as_u64().unwrap_or(0));
        if late > packets / 50 {
            return Err(format!(
                "{}: {late} of {packets} packets were late: the machine is busy",
                report_file.display()
            ));
        }
        let goodput = report["goodput_bps"].as_f64().ok_or("no data arrived")?;
        let began = report["began_s"].as_f64().ok_or("no packet entered")?;
        Ok(format!("{began:.3}:{:.0}", goodput / 1e3))
    };
    let all: Result<Vec<String>, String> = (0..REPLICATIONS).map(of_run).collect();
    Ok(all?.join(" "))
}
