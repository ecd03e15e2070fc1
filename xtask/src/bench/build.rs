//! Costs of the first build of the command, by crate, and properties of the result: size, memory and instructions at start-up.

use std::collections::BTreeMap;
use std::env;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use wait4::Wait4;

use super::budget;
use super::measure;
use crate::{tree, workspace};

/// Environment variable with the file to which this program, as cargo's wrapper of rustc, appends the time of each crate.
const UNITS: &str = "LASTHOP_BUILD_UNITS";

/// Number of crates listed.
const LISTED: usize = 25;

/// The control in which a line is changed, and the line after which one is added.
const CHANGED: (&str, &str) = ("crates/tcp/src/cc/reno.rs", "fn on_ack(&mut self, acked: &Acked) {");

/// Acts as cargo's wrapper of rustc if cargo has started this program as such: runs rustc, and records its CPU time.
pub fn wrap_rustc() -> Option<ExitCode> {
    let units = env::var_os(UNITS)?;
    let mut arguments = env::args_os().skip(1);
    let mut rustc = Command::new(arguments.next()?);
    rustc.args(arguments);
    Some(match record_unit(&mut rustc, Path::new(&units)) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("xtask: {}: {error}", workspace::spell_command(&rustc));
            ExitCode::FAILURE
        }
    })
}

fn record_unit(rustc: &mut Command, units: &Path) -> std::io::Result<ExitCode> {
    let arguments: Vec<String> = rustc.get_args().map(|word| word.to_string_lossy().into_owned()).collect();
    let name = arguments.iter().position(|word| word == "--crate-name").and_then(|at| arguments.get(at + 1));
    let end = rustc.spawn()?.wait4()?;
    if let Some(name) = name {
        let seconds = (end.rusage.utime + end.rusage.stime).as_secs_f64();
        let mut file = OpenOptions::new().create(true).append(true).open(units)?;
        // The line is written at once, so that lines of several processes do not mix.
        file.write_all(format!("{seconds:.3} {name}\n").as_bytes())?;
    }
    let code = end.status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}

/// Builds the command as an install does, in a copy of the tree with an empty cache, and again after one line of a
/// control is changed. Prints the costs of both builds and the properties of the result, with the budget.
pub fn measure_build() -> Result<(), String> {
    budget::install_valgrind()?;
    let folder = workspace::target_folder().join("bench-build");
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    let tree = folder.join("tree");
    tree::copy_tracked(&tree)?;
    let build = Build { tree: &tree, target: folder.join("target"), units: folder.join("units.txt") };

    let whole = build.cpu_seconds(&["build", "--release", "--locked"])?;
    let text = fs::read_to_string(&build.units).map_err(|error| format!("{}: {error}", build.units.display()))?;
    workspace::print_text(&units_table(&parse_units(&text), whole))?;
    let program = build.target.join("release/lasthop");
    let installed = folder.join("lasthop");
    fs::copy(&program, &installed).map_err(|error| format!("{}: {error}", program.display()))?;

    change_line(&tree)?;
    let changed = build.cpu_seconds(&["build", "--release", "--locked"])?;
    // The same program with its symbols, by which code is attributed to crates.
    build.cpu_seconds(&[
        "rustc",
        "--release",
        "--locked",
        "-p",
        "lasthop",
        "--bin",
        "lasthop",
        "--",
        "-C",
        "strip=none",
    ])?;
    workspace::print_text(&sizes_table(&read_symbol_sizes(&program)?))?;

    let items = [("cpu-seconds", whole), ("changed-line-cpu-seconds", changed)];
    let items = items.into_iter().chain(measure_start(&installed)?).collect::<Vec<_>>();
    budget::judge_items(budget::measure_items("build", |name| {
        let found = items.iter().find(|(known, _)| *known == name);
        found.map(|(_, measured)| *measured).ok_or_else(|| format!("`{name}` is not measured"))
    })?)
}

/// Builds of one tree.
pub struct Build<'a> {
    /// Where cargo runs.
    pub tree: &'a Path,
    /// Target directory of cargo.
    pub target: PathBuf,
    /// The file to which the CPU time of each crate is appended.
    pub units: PathBuf,
}

impl Build<'_> {
    /// Runs cargo; returns the CPU time of cargo and its child processes. Profiles are not changed by the environment.
    pub fn cpu_seconds(&self, arguments: &[&str]) -> Result<f64, String> {
        let this = env::current_exe().map_err(|error| format!("the path of xtask: {error}"))?;
        let before = measure::read_children_cpu_time();
        let mut cargo = workspace::cargo_command();
        cargo.args(arguments).current_dir(self.tree).env("CARGO_TARGET_DIR", &self.target);
        cargo.env("RUSTC_WRAPPER", this).env(UNITS, &self.units).env_remove("CARGO_INCREMENTAL");
        let variables = env::vars_os().map(|(name, _)| name);
        variables.filter(|name| name.to_string_lossy().starts_with("CARGO_PROFILE_")).for_each(|name| {
            cargo.env_remove(name);
        });
        workspace::run_command(&mut cargo)?;
        Ok((measure::read_children_cpu_time() - before).as_secs_f64())
    }
}

fn change_line(tree: &Path) -> Result<(), String> {
    let (file, line) = CHANGED;
    let path = tree.join(file);
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    if !text.contains(line) {
        return Err(format!("{file}: expected a line `{line}`"));
    }
    let changed = text.replacen(line, &format!("{line}\n        std::hint::black_box(self.limit);"), 1);
    fs::write(&path, changed).map_err(|error| format!("{}: {error}", path.display()))
}

/// Measures instructions and memory of the command at its start, and its size.
pub fn measure_start(program: &Path) -> Result<Vec<(&'static str, f64)>, String> {
    let command = |words: &[&str]| {
        let mut command = Command::new(program);
        command.args(words).current_dir(workspace::root_folder());
        command
    };
    let bytes = fs::metadata(program).map_err(|error| format!("{}: {error}", program.display()))?.len();
    let version = measure::peak_bytes(&command(&["--version"]))?;
    let run = measure::peak_bytes(&command(&["run", "examples/goel-refined.toml", "--no-out"]))?;
    let (instructions, _) = budget::count_instructions(&command(&["--version"]))?;
    Ok(vec![
        ("binary-MB", bytes as f64 / 1e6),
        ("version-MB", version as f64 / 1e6),
        ("version-instructions", instructions as f64),
        ("run-MB", run as f64 / 1e6),
    ])
}

/// Sums lines such as `1.234 serde` by crate.
fn parse_units(text: &str) -> BTreeMap<String, f64> {
    let mut sums = BTreeMap::new();
    for (seconds, name) in text.lines().filter_map(|line| line.split_once(' ')) {
        *sums.entry(name.to_owned()).or_insert(0.0) += seconds.parse::<f64>().unwrap_or(0.0);
    }
    sums
}

/// Formats the CPU seconds by crate, the costliest first. Build scripts, the C compiler and cargo take the rest of
/// `whole`.
fn units_table(units: &BTreeMap<String, f64>, whole: f64) -> String {
    let rustc: f64 = units.values().sum();
    let mut rows: Vec<(&str, f64)> = units.iter().map(|(name, seconds)| (name.as_str(), *seconds)).collect();
    rows.sort_by(|a, b| b.1.total_cmp(&a.1));
    let others = rows.iter().skip(LISTED).fold(0.0, |sum, (_, seconds)| sum + seconds);
    let mut text = format!("{:>7}  crate\n", "CPU s");
    rows.iter().take(LISTED).for_each(|(name, seconds)| text += &format!("{seconds:>7.1}  {name}\n"));
    text += &format!("{others:>7.1}  {} others\n", rows.len().saturating_sub(LISTED));
    text + &format!("{:>7.1}  build scripts, the C compiler and cargo\n{whole:>7.1}  all\n\n", whole - rustc)
}

/// Returns the code size of each crate in bytes, summed over the symbols of a program.
fn read_symbol_sizes(program: &Path) -> Result<BTreeMap<String, u64>, String> {
    let listed =
        workspace::read_output(Command::new("nm").args(["--print-size", "--demangle", "--radix=d"]).arg(program))
            .map_err(|error| format!("the sizes need nm, of binutils: {error}"))?;
    Ok(parse_symbols(&listed))
}

fn parse_symbols(listed: &str) -> BTreeMap<String, u64> {
    let mut sums = BTreeMap::new();
    for line in listed.lines() {
        let mut words = line.splitn(4, ' ');
        if let (Some(_), Some(size), Some("t" | "T"), Some(name)) =
            (words.next(), words.next(), words.next(), words.next())
        {
            *sums.entry(crate_of(name).to_owned()).or_insert(0) += size.parse::<u64>().unwrap_or(0);
        }
    }
    sums
}

/// Returns the crate of a demangled name such as `<alloc::vec::Vec<T> as Drop>::drop`. Symbols without a path are
/// attributed to `C`.
fn crate_of(name: &str) -> &str {
    let name = name.trim_start_matches(['<', '&', '(', '[', '*']);
    let name = name.strip_prefix("mut ").or(name.strip_prefix("dyn ")).unwrap_or(name);
    match name.split_once("::") {
        Some((name, _)) if name.chars().all(|c| c.is_alphanumeric() || c == '_') => name,
        Some(_) => "generic",
        None => "C",
    }
}

fn sizes_table(sizes: &BTreeMap<String, u64>) -> String {
    let mut rows: Vec<(&str, u64)> = sizes.iter().map(|(name, bytes)| (name.as_str(), *bytes)).collect();
    rows.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
    let mut text = format!("{:>7}  code by crate; generic code counts for the crate of its type\n", "kB");
    rows.iter().take(LISTED).for_each(|(name, bytes)| text += &format!("{:>7}  {name}\n", bytes / 1000));
    text + &format!("{:>7}  all\n\n", rows.iter().map(|(_, bytes)| bytes).sum::<u64>() / 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crate_build_times_are_summed_and_the_rest_is_shown() {
        let units = parse_units("1.500 syn\n0.250 syn\n3.000 lasthop_path\n");
        assert_eq!(units["syn"], 1.75);
        let table = units_table(&units, 6.0);
        assert!(
            table.contains("    3.0  lasthop_path\n    1.8  syn\n    0.0  0 others\n    1.2  build scripts"),
            "{table}"
        );
    }

    #[test]
    fn code_is_attributed_to_the_crate_of_its_name() {
        for (name, expected) in [
            ("tcp::cc::reno::Reno::on_ack", "tcp"),
            ("<alloc::vec::Vec<T> as core::ops::drop::Drop>::drop", "alloc"),
            ("<&mut serde_json::de::Deserializer<R> as serde::Deserializer>::deserialize_any", "serde_json"),
            ("<T as core::any::Any>::type_id", "generic"),
            ("sqlite3VdbeExec", "C"),
        ] {
            assert_eq!(crate_of(name), expected, "{name}");
        }
        let listed =
            "0000001 00000016 T tcp::a\n0000002 00000004 t tcp::b\n0000003 00000099 d tcp::C\n0000004 U malloc\n";
        assert_eq!(parse_symbols(listed), BTreeMap::from([("tcp".to_owned(), 20)]));
    }

    #[test]
    fn line_that_the_benchmark_changes_exists() {
        let (file, line) = CHANGED;
        assert!(fs::read_to_string(workspace::root_folder().join(file)).unwrap().contains(line));
    }
}
