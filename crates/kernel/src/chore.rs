//! The command: scripts one after the other, a line about each.

use std::fs;
use std::process::ExitCode;

use drill::report::{Outcome, Report};
use drill::syntax::ast::{Script, When};
use engine::Span;

use crate::host::Kernel;
use crate::path;
use crate::tables;

/// The longest that a script may wait, all its waits together. Beyond it real time is of no use.
const LONGEST: Span = Span::from_secs(3600);

const USAGE: &str = "\
packetdrill scripts against this machine's own Linux, in real time.

    cargo xtask kernel [OPTIONS] FILE.pkt...
    cargo xtask kernel --tables FOLDER        what its senders do after losses, which a test holds ours against
    cargo xtask kernel --path FILE.toml...    what its flows get over a bottleneck made here, and what ours get

Each script gets a network namespace and a TUN device of its own: run it as root. Nothing outside is touched.

    --tolerance 8ms   how far from its time a packet may come; twice what the script says, or 8 ms, if not given
    --tries N         how often a script may be late before that counts: other programs run too; 3 if not given
    --verbose         every packet, and what assertions print

A path is a scenario: a host, a router, a host, and flows without end, as in examples/bbr-linux.

    --set KEY=VALUE   changes the scenario, as of `lasthop run`
    --runs N          runs of each file, with the seeds 1 to N; 3 if not given
    --ours            the simulation alone, which needs no root
    --gso N           the most segments that the kernel sends at once (gso_max_segs); its own choice if not given
    --verbose         what each of the kernel's flows received every second, in Mbps

Exit codes: 0 every script passed, 1 a script failed, 2 a file cannot be read or is no script, 3 the machine does not allow
it, or a script needs what is not supported.
";

struct Options {
    tolerance: Option<Span>,
    tries: u32,
    verbose: bool,
    files: Vec<String>,
}

/// The worst that has come: exit codes as those of `lasthop drill`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Code {
    Passed = 0,
    Failed = 1,
    Unreadable = 2,
    Unsupported = 3,
}

pub fn main() -> ExitCode {
    let words: Vec<String> = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    if let [first, folder] = words.as_slice()
        && first == "--tables"
    {
        return match tables::write(std::path::Path::new(folder)) {
            Ok(()) => ExitCode::SUCCESS,
            Err(problem) => {
                eprintln!("kernel: {problem}");
                ExitCode::from(Code::Unsupported as u8)
            }
        };
    }
    if let Some(("--path", words)) = words.split_first().map(|(first, words)| (first.as_str(), words)) {
        let Err(problem) = path::command(words) else { return ExitCode::SUCCESS };
        eprintln!("kernel: {problem}");
        return ExitCode::from(Code::Unreadable as u8);
    }
    let options = match parsed(&words) {
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
    let codes: Vec<Code> = options.files.iter().map(|file| one(file, &options)).collect();
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

/// What the words say; `None` asks for help.
fn parsed(words: &[String]) -> Result<Option<Options>, String> {
    let mut options = Options { tolerance: None, tries: 3, verbose: false, files: Vec::new() };
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
            word if word.starts_with('-') => return Err(format!("there is no option `{word}`")),
            file => options.files.push(file.to_owned()),
        }
    }
    if options.files.is_empty() { Err("no script".into()) } else { Ok(Some(options)) }
}

/// Runs a script until it passes, as often as it may.
fn one(file: &str, options: &Options) -> Code {
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("error: {file} cannot be read: {error}");
            return Code::Unreadable;
        }
    };
    let script = match drill::parse(&text) {
        Ok(script) => script,
        Err(error) => {
            eprintln!("error: {file}:{error}");
            return Code::Unreadable;
        }
    };
    let waits = waits(&script);
    if waits > LONGEST {
        println!("{file}: not supported");
        eprintln!("error: {file}: not supported: it lasts {waits}, and the kernel's time is real: {LONGEST} at most");
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
        if matches!(report.outcome, Outcome::Failed(_)) && attempt < options.tries {
            attempt += 1;
            continue;
        }
        return told(file, &text, &report, attempt, options.verbose);
    }
}

/// What a script waits for its events at the least, all together.
fn waits(script: &Script) -> Span {
    let nanos = |so_far: u64, when: &When| match when {
        When::At(at) | When::Between(at, _) => so_far.max(at.as_nanos()),
        When::After(span) | When::AfterBetween(span, _) => so_far.saturating_add(span.as_nanos()),
        When::Any => so_far,
    };
    Span::from_nanos(script.events.iter().map(|event| &event.when).fold(0, nanos))
}

/// Prints what came of a script.
fn told(file: &str, text: &str, report: &Report, attempt: u32, verbose: bool) -> Code {
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
        Outcome::Passed => Code::Passed,
        Outcome::Failed(_) => Code::Failed,
        Outcome::Unsupported(_) => Code::Unsupported,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_of_a_script_add_up_from_its_absolute_times_on() {
        let script =
            drill::parse("0 close(3) = 0\n+2 close(3) = 0\n10~11 > . 1:1(0)\n+.5~+3 > . 1:1(0)\n* > . 1:1(0)\n")
                .unwrap();
        assert_eq!(waits(&script), Span::from_millis(10_500));
    }
}
