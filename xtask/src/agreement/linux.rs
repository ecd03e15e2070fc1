//! Table of the goodput and the acknowledgments of Linux's TCP behind `lasthop shell`, on the built-in paths of
//! `lasthop compare` and on the paths of `crates/lab/tests/linux/paths`.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};
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

/// Scenarios of `crates/lab/tests/linux/paths`, by the names of their files.
const SCENARIOS: [&str; 4] = ["reordering", "ack-loss", "jitter", "aggregates"];

const BYTES: u32 = 1_000_000;

/// Runs of each path and congestion control, with one seed.
const REPLICATIONS: u64 = 30;

/// Seeds of a long path with single random losses. Linux and the simulation draw different losses, so that more runs
/// are needed.
const SEEDS: u64 = 4;

/// Attempts to make all runs of a row.
const ATTEMPTS: u32 = 5;

/// Number of simultaneous emulations. Each takes a hundredth of a core.
const WORKERS: usize = 24;

/// Runs of a path with a congestion control and a seed.
#[derive(Clone)]
struct LinuxCase {
    path: String,
    control: &'static str,
    seed: u64,
}

/// Runs Linux on every path, or on the given ones, with every congestion control, and writes the table.
pub fn write_linux_table(words: &[&str]) -> Result<(), String> {
    let (mut program, mut only) = (None, None);
    for option in words.chunks(2) {
        match option {
            ["--program", path] => {
                program = Some(fs::canonicalize(path).map_err(|error| format!("{path}: {error}"))?);
            }
            ["--paths", list] => only = Some(list.split(',').collect::<Vec<_>>()),
            other => return Err(format!("found `{}`, expected --program PATH or --paths LIST", other.join(" "))),
        }
    }
    let program = match program {
        Some(program) => program,
        None => lasthop::build_release().map(|()| lasthop::release_path())?,
    };
    let folder = workspace::root_folder().join("crates/lab/tests/linux");
    let dir = workspace::target_folder().join("linux-goodput");
    let failed = |error: std::io::Error| format!("{}: {error}", dir.display());
    if dir.exists() {
        fs::remove_dir_all(&dir).map_err(failed)?;
    }
    fs::create_dir_all(&dir).map_err(failed)?;
    let built_in = NETWORKS.iter().flat_map(|network| CHANNELS.map(|channel| format!("{network}-{channel}")));
    let paths = built_in.chain(SCENARIOS.map(str::to_owned));
    let of_path = |path: String| {
        let is_random = path.ends_with("random-loss") || path.ends_with("upload");
        let seeds = if is_random && !path.starts_with("lan-") { SEEDS } else { 1 };
        CONTROLS.into_iter().flat_map(move |control| {
            let path = path.clone();
            (1..=seeds).map(move |seed| LinuxCase { path: path.clone(), control, seed })
        })
    };
    let rows: Vec<LinuxCase> = paths.flat_map(of_path).collect();
    let unknown = |name: &&&str| rows.iter().all(|row| row.path != **name);
    if let Some(name) = only.iter().flatten().find(unknown) {
        let scenarios = SCENARIOS.join(", ");
        return Err(format!("--paths: found `{name}`, expected a path such as wan-bursts, or one of {scenarios}"));
    }
    let kept = fs::read_to_string(folder.join("goodput.txt")).unwrap_or_default();
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let heading = format!("# Linux {}:", kernel.trim().split('-').next().unwrap_or_default());
    if only.is_some() && !kept.starts_with(&heading) {
        return Err("--paths: the figures that are kept are those of another kernel: run all paths".to_owned());
    }
    let is_run = |row: &LinuxCase| only.as_ref().is_none_or(|only| only.contains(&row.path.as_str()));
    let queue: Mutex<VecDeque<usize>> = Mutex::new((0..rows.len()).filter(|number| is_run(&rows[*number])).collect());
    let results = Mutex::new(vec![Err("not run".to_owned()); rows.len()]);
    let next = || queue.lock().ok().and_then(|mut queue| queue.pop_front());
    let work = || {
        while let Some(number) = next() {
            let goodput = measure_goodput(&program, &rows[number], [&folder, &dir]);
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
    let mut table = format!(
        "{heading} kbit/s of {BYTES} bytes; path, congestion control, and of each replication its\n# beginning in seconds of the channel's time, its goodput, and its acknowledgments without data\n",
    );
    let results = results.into_inner().map_err(|error| error.to_string())?;
    for (row, result) in rows.iter().zip(results) {
        let LinuxCase { path, control, seed } = row;
        let name = format!("{path} {control} ");
        let failed = |error: String| format!("{path} {control}, seed {seed}: {error}");
        match kept.lines().find_map(|line| line.strip_prefix(&name)).filter(|_| !is_run(row)) {
            Some(line) if *seed == 1 => table += &format!("{name}{line}\n"),
            Some(_) => {}
            None if !is_run(row) => {}
            None if *seed == 1 => table += &format!("{name}{}\n", result.map_err(failed)?),
            None => table.insert_str(table.len() - 1, &format!(" {}", result.map_err(failed)?)),
        }
    }
    let file = folder.join("goodput.txt");
    fs::write(&file, table).map_err(|error| format!("{}: {error}", file.display()))
}

/// Measures the goodput of each replication.
fn measure_goodput(
    lasthop: &Path,
    LinuxCase { path, control, seed }: &LinuxCase,
    [folder, dir]: [&Path; 2],
) -> Result<String, String> {
    let (from, to) = if path.ends_with("upload") { ("mobile", "server") } else { ("server", "mobile") };
    let program = |name: &str| format!("python3 {}", folder.join(name).display());
    let out = dir.join(format!("{path}-{control}-{seed}"));
    let mut compare = Command::new(lasthop);
    compare.current_dir(dir).args(["compare", "--schemes", "unmodified", "--node", from]);
    let stem = if SCENARIOS.contains(&path.as_str()) {
        compare.arg(folder.join("paths").join(format!("{path}.toml")));
        path.clone()
    } else {
        compare.args(["--paths", path]);
        format!("compare-{path}")
    };
    compare.args(["--shell", &format!("{} {to} {control} {BYTES}", program("send.py"))]);
    compare.args(["--and", &format!("{to}={}", program("receive.py")), "--replications", &REPLICATIONS.to_string()]);
    compare.args(["--seed", &seed.to_string()]);
    compare.args(["--real-time", "--json", "--out"]).arg(out.join("simulated.sqlite"));
    let runs = out.join(format!("{stem}-compared-shell/unmodified"));
    // A busy machine may start the receiver late, or delay packets; finished runs are kept.
    let mut attempts = 0;
    loop {
        let ended = compare.output().map_err(|error| error.to_string())?;
        attempts += 1;
        if !ended.status.success() {
            if attempts == ATTEMPTS {
                return Err(String::from_utf8_lossy(&ended.stderr).into_owned());
            }
            continue;
        }
        let all: Vec<LinuxRun> =
            (0..REPLICATIONS).map(|number| LinuxRun::read(runs.join(number.to_string()))).collect::<Result<_, _>>()?;
        let late: Vec<&LinuxRun> = all.iter().filter(|run| run.late > run.packets / 50).collect();
        let Some(LinuxRun { dir, late: number, packets, .. }) = late.first() else {
            return Ok(all.iter().map(|run| run.figure.as_str()).collect::<Vec<_>>().join(" "));
        };
        if attempts == ATTEMPTS {
            return Err(format!("{}: {number} of {packets} packets were late: the machine is busy", dir.display()));
        }
        for run in late {
            fs::remove_dir_all(&run.dir).map_err(|error| format!("{}: {error}", run.dir.display()))?;
        }
    }
}

/// A run of Linux.
struct LinuxRun {
    dir: PathBuf,
    /// Number of packets that left the emulation too late.
    late: u64,
    /// Number of all packets.
    packets: u64,
    /// Start of the transfer in the channel's time, in seconds, its goodput in kbit/s, and its acknowledgments.
    figure: String,
}

impl LinuxRun {
    fn read(dir: PathBuf) -> Result<Self, String> {
        let file = dir.join("emulation.json");
        let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        let report: Value = serde_json::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))?;
        let late = report["behind"].as_array().into_iter().flatten().filter_map(|period| period["packets"].as_u64());
        let goodput = report["goodput_bps"].as_f64().ok_or("no data arrived")?;
        let began = report["began_s"].as_f64().ok_or("no packet entered")?;
        let packets = report["lateness"]["packets"].as_u64().unwrap_or(0);
        let acks = report["packets"]["acknowledgments"].as_u64().ok_or("no number of acknowledgments")?;
        Ok(LinuxRun { dir, late: late.sum(), packets, figure: format!("{began:.3}:{:.0}:{acks}", goodput / 1e3) })
    }
}
