//! `lasthop slurm`.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args as ClapArgs;
use lab::store::is_journal;
use lab::sweep::Plan;
use lab::sweep::dedup::merge_warnings;
use scenario::problem::Problem;

use super::places::in_results;
use super::sweep::parse_replications;
use super::{ScenarioArgs, format_path, format_problems, print_visible, print_warnings, refuse_input, write_whole};
use crate::CommandFailure;
use crate::command_groups::Example;
use crate::input;
use crate::talk::write_note;

/// Examples in the command's help.
pub const EXAMPLES: &[Example] = &[
    ("lasthop slurm examples/goel1997-satellite.toml --shards 64 | bash", "Submit a sweep as 64 tasks"),
    (
        "lasthop slurm examples/goel1997-satellite.toml --shards 16 --script sweep.sh",
        "Write the script, to read it first",
    ),
];

/// Arguments of `lasthop slurm`.
#[derive(ClapArgs)]
pub struct Args {
    #[command(flatten)]
    scenario: ScenarioArgs,
    /// The number of shards, each a task of the job array
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000))]
    shards: u64,
    /// The store into which the shards are merged [default: results/NAME.sqlite]
    #[arg(short, long, value_name = "STORE")]
    out: Option<PathBuf>,
    /// Replications of each point, in place of the scenario's setting
    #[arg(long, value_name = "N", value_parser = parse_replications, allow_negative_numbers = true)]
    replications: Option<u64>,
    /// Cores, and threads, of a task
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1024))]
    jobs: u64,
    /// The time limit of a task, as `sbatch --time`
    #[arg(long, value_name = "TIME")]
    time: Option<String>,
    /// An option of sbatch for both jobs, such as --partition=short; may be repeated
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    sbatch: Vec<String>,
    /// Write the script to this file instead of standard output
    #[arg(long, value_name = "FILE")]
    script: Option<PathBuf>,
}

/// Prints a script that submits the sweep to Slurm.
pub fn write_slurm_script(args: &Args) -> Result<(), CommandFailure> {
    let file = &args.scenario.file;
    if input::is_stdin(file) {
        let problem = Problem::new("a file, which the tasks of the job read").in_file("FILE").found("standard input");
        return Err(CommandFailure::Input(format_problems(&[problem])));
    }
    if let Some(out) = args.out.as_deref().filter(|out| is_journal(out)) {
        let problem =
            Problem::new("the name of an SQLite store, into which the append-only files of the shards are merged");
        let hint = format_path(&out.with_extension("sqlite"));
        return Err(CommandFailure::Input(format_problems(&[problem
            .in_file("--out")
            .found(format_path(out))
            .hint(hint)])));
    }
    let mut overrides = args.scenario.overrides();
    overrides.set.extend(args.replications.map(|count| format!("sweep.replications={count}")));
    let plan = Plan::of(&input::open_source(file, &overrides).map_err(refuse_input)?).map_err(refuse_input)?;
    print_warnings(&merge_warnings(&plan.warnings));
    let text = render_slurm_script(args, &plan);
    match &args.script {
        None => print_visible(&text),
        Some(path) => {
            write_whole(path, text.as_bytes())?;
            write_note(format_args!("submit it with: bash {}", quote_bash_word(&format_path(path))));
            Ok(())
        }
    }
}

/// A word of the shell.
fn quote_bash_word(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-=:,%+@".contains(&byte);
    if !text.is_empty() && text.bytes().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

/// The arguments of `lasthop sweep` that name the sweep.
fn render_sweep_arguments(args: &Args) -> String {
    let ScenarioArgs { file, set, scheme, seed } = &args.scenario;
    let mut words = vec![format_path(file)];
    let mut option = |name: &str, value: String| words.extend([name.to_owned(), value]);
    set.iter().for_each(|change| option("--set", change.clone()));
    scheme.iter().for_each(|name| option("--scheme", name.clone()));
    seed.iter().for_each(|seed| option("--seed", seed.to_string()));
    args.replications.iter().for_each(|count| option("--replications", count.to_string()));
    words.iter().map(|word| quote_bash_word(word)).collect::<Vec<_>>().join(" ")
}

fn render_slurm_script(args: &Args, plan: &Plan) -> String {
    let Args { shards, jobs, .. } = args;
    let out = args.out.clone().unwrap_or_else(|| in_results(format!("{}.sqlite", plan.stem)));
    let folder = quote_bash_word(&format_path(&out.with_extension("shards")));
    let (name, sweep) = (quote_bash_word(&plan.stem), render_sweep_arguments(args));
    let (lasthop, out) = ("\"${LASTHOP:-lasthop}\"", quote_bash_word(&format_path(&out)));
    let time = args.time.iter().map(|time| format!("--time={time}"));
    let options: String = time.chain(args.sbatch.iter().cloned()).fold(String::new(), |mut options, option| {
        let _ = write!(options, " {}", quote_bash_word(&option));
        options
    });
    let runs = plan.points.len() as u64 * plan.cases.len() as u64 * plan.replications().0;
    format!(
        r#"#!/bin/bash
# Submits a sweep of {runs} runs to Slurm: an array of {shards} tasks, each with a shard in an append-only file of its own,
# and a job that merges the shards after them. Run it where the paths are right: bash THIS-FILE
# A task that was killed goes on where it stopped when the script is run again. LASTHOP names the command.
set -euo pipefail
mkdir -p {folder}
array=$(sbatch --parsable --job-name={name} --array=1-{shards} --cpus-per-task={jobs} --output={folder}/%a.log{options} <<'ARRAY'
#!/bin/bash
set -euo pipefail
exec {lasthop} --quiet sweep {sweep} \
  --shard "$SLURM_ARRAY_TASK_ID/{shards}" --jobs {jobs} --out {folder}/"$SLURM_ARRAY_TASK_ID.jsonl" --json > /dev/null
ARRAY
)
merge=$(sbatch --parsable --job-name={name}-merge --dependency="afterok:${{array%%;*}}" --output={folder}/merge.log{options} <<'MERGE'
#!/bin/bash
set -euo pipefail
# SQLite needs a local disk.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ -e {out} ]; then cp {out} "$work/store.sqlite"; fi
{lasthop} merge {folder}/*.jsonl --out "$work/store.sqlite"
cp "$work/store.sqlite" {out}.partial
mv {out}.partial {out}
MERGE
)
echo "array job ${{array%%;*}}, then job ${{merge%%;*}} merges into "{out}
"#
    )
}
