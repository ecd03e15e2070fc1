//! The command `cargo xtask kernel`, which runs scripts one after the other and prints a line for each.

use std::fs;
use std::process::ExitCode;

use drill::report::{ScriptOutcome, ScriptReport};
use drill::syntax::ast::{Script, When};
use engine::Span;

use crate::host::Kernel;
use crate::path;
use crate::tables;

/// Maximum total waiting time of a script, in real time.
const MAX_DURATION: Span = Span::from_secs(3600);

const USAGE: &str = "\
Runs packetdrill scripts against the Linux kernel of this machine, in real time.

    cargo xtask kernel [OPTIONS] FILE.pkt...
    cargo xtask kernel --tables FOLDER        records the kernel's transmissions after losses, for the tests of lasthop
    cargo xtask kernel --path FILE.toml...    measures the kernel's flows and simulated ones over the same bottleneck

Each script runs in its own network namespace with a TUN device, which needs root. The host's network is not changed.

    --tolerance 8ms   tolerance of packet times; default: twice the script's tolerance, or 8 ms
    --tries N         attempts until a failure counts, since a busy machine delays packets; default 3
    --verbose         prints every packet and the output of assertions

A path is a scenario with a host, a router, a host, and unlimited flows, as in examples/bbr-linux.

    --set KEY=VALUE   overrides a key of the scenario, as in `lasthop run`
    --runs N          number of runs of each file, with the seeds 1 to N; default 3
    --ours            runs only the simulation, which does not need root
    --gso N           maximum segments in one offload packet (gso_max_segs); default: the kernel's
    --verbose         prints the throughput of each of the kernel's flows every second, in Mbps

Exit codes: 0 every script passed, 1 a script failed, 2 a file cannot be read or is not a script,
3 a script needs an unsupported feature, or the machine does not permit namespaces or TUN devices.
";

struct ScriptOptions {
    tolerance: Option<Span>,
    tries: u32,
    verbose: bool,
    files: Vec<String>,
}

/// Outcome of a script. The worst one is the exit code, with the numbers of `lasthop drill`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Code {
    Passed = 0,
    Failed = 1,
    Unreadable = 2,
    Unsupported = 3,
}

pub fn run_command() -> ExitCode {
    let words: Vec<String> = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    if let [first, folder] = words.as_slice()
        && first == "--tables"
    {
        return match tables::write_tables(std::path::Path::new(folder)) {
            Ok(()) => ExitCode::SUCCESS,
            Err(problem) => {
                eprintln!("kernel: {problem}");
                ExitCode::from(Code::Unsupported as u8)
            }
        };
    }
    if let Some(("--path", words)) = words.split_first().map(|(first, words)| (first.as_str(), words)) {
        let Err(problem) = path::compare_flows(words) else { return ExitCode::SUCCESS };
        eprintln!("kernel: {problem}");
        return ExitCode::from(Code::Unreadable as u8);
    }
    let options = match parse_options(&words) {
        Ok(Some(options)) => options,
        Ok(None) => {
            print!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        Err(problem) => {
            eprintln!("kernel: {problem}\n\n{USAGE}");
            return ExitCode::from(Code::Unreadable as u8);
        }
    };
    let codes: Vec<Code> = options.files.iter().map(|file| run_file(file, &options)).collect();
    let count = |code: Code| codes.iter().filter(|one| **one == code).count();
    let names = [
        (Code::Unreadable, "not a script"),
        (Code::Failed, "failed"),
        (Code::Unsupported, "not supported"),
        (Code::Passed, "passed"),
    ];
    if codes.len() > 1 {
        let counts: Vec<String> = names
            .iter()
            .rev()
            .filter(|(code, _)| count(*code) > 0)
            .map(|(code, name)| format!("{} {name}", count(*code)))
            .collect();
        println!("{} scripts: {}", codes.len(), counts.join(", "));
    }
    let worst = names.iter().find(|(code, _)| count(*code) > 0).map_or(Code::Passed, |(code, _)| *code);
    ExitCode::from(worst as u8)
}

/// Parses the command line; `None` for a request for help.
fn parse_options(words: &[String]) -> Result<Option<ScriptOptions>, String> {
    let mut options = ScriptOptions { tolerance: None, tries: 3, verbose: false, files: Vec::new() };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} without a value"));
        match word.as_str() {
            "--help" | "-h" => return Ok(None),
            "--verbose" | "-v" => options.verbose = true,
            "--tolerance" => {
                let text = value()?;
                let span = text.parse::<Span>().map_err(|error| format!("--tolerance {text}: {}", error.expected))?;
                options.tolerance = Some(span);
            }
            "--tries" => {
                let text = value()?;
                options.tries = text.parse().ok().filter(|tries| *tries > 0).ok_or(format!("--tries {text}"))?;
            }
            word if word.starts_with('-') => return Err(format!("unknown option `{word}`")),
            file => options.files.push(file.to_owned()),
        }
    }
    if options.files.is_empty() { Err("expected the path of a script".into()) } else { Ok(Some(options)) }
}

/// Runs a script until it passes, at most `options.tries` times.
fn run_file(file: &str, options: &ScriptOptions) -> Code {
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("error: {file} cannot be read: {error}");
            return Code::Unreadable;
        }
    };
    let script = match drill::parse_script(&text) {
        Ok(script) => script,
        Err(error) => {
            eprintln!("error: {file}:{error}");
            return Code::Unreadable;
        }
    };
    let waits = shortest_duration(&script);
    if waits > MAX_DURATION {
        println!("{file}: not supported");
        eprintln!("error: {file}: not supported: it lasts {waits} of real time, expected {MAX_DURATION} at most");
        return Code::Unsupported;
    }
    let mut attempt = 1;
    loop {
        let report = match Kernel::new() {
            Ok(mut kernel) => drill::run_on(&script, options.tolerance, &mut kernel),
            Err(problem) => {
                eprintln!("kernel: not supported on this machine: {problem}");
                return Code::Unsupported;
            }
        };
        if matches!(report.outcome, ScriptOutcome::Failed(_)) && attempt < options.tries {
            attempt += 1;
            continue;
        }
        return print_report(file, &text, &report, attempt, options.verbose);
    }
}

/// Returns the minimum total waiting time of a script.
fn shortest_duration(script: &Script) -> Span {
    let nanos = |so_far: u64, when: &When| match when {
        When::At(at) | When::Between(at, _) => so_far.max(at.as_nanos()),
        When::After(span) | When::AfterBetween(span, _) => so_far.saturating_add(span.as_nanos()),
        When::Any => so_far,
    };
    Span::from_nanos(script.events.iter().map(|event| &event.when).fold(0, nanos))
}

/// Prints the report of a script. Returns the outcome of the script.
fn print_report(file: &str, text: &str, report: &ScriptReport, attempt: u32, verbose: bool) -> Code {
    let mut line = format!("{file}: {}", report.line());
    if attempt > 1 {
        line += &format!(", try {attempt}");
    }
    println!("{line}");
    if verbose {
        print!("{}", report.details());
    }
    if let Some(message) = report.message(file, text) {
        eprintln!("error: {message}");
    }
    match report.outcome {
        ScriptOutcome::Passed => Code::Passed,
        ScriptOutcome::Failed(_) => Code::Failed,
        ScriptOutcome::Unsupported(_) => Code::Unsupported,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_waits_add_to_the_latest_absolute_time() {
        let script =
            drill::parse_script("0 close(3) = 0\n+2 close(3) = 0\n10~11 > . 1:1(0)\n+.5~+3 > . 1:1(0)\n* > . 1:1(0)\n")
                .unwrap();
        assert_eq!(shortest_duration(&script), Span::from_millis(10_500));
    }
}
