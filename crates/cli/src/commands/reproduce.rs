//! `lasthop reproduce`.

use std::path::{Path, PathBuf};

use clap::Args as ClapArgs;
use lab::papers::reproduce::{Reproduction, reproduce};
use lab::papers::{self, Number, PAPERS, Paper, Score};
use lab::problem::Problem;
use lab::store::Store;
use serde_json::Value;
use stats::{Interval, Level};

use super::{Jobs, listed, print, shown, write_whole};
use crate::Failure;
use crate::progress::Progress;
use crate::table::{aligned, row};
use crate::talk::say;

/// Arguments of `lasthop reproduce`.
#[derive(ClapArgs)]
pub struct Args {
    /// The paper; without one, the papers are listed
    name: Option<String>,
    /// Replications of each point [default: the paper's, such as 100; at least 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(2..=100_000))]
    replications: Option<u64>,
    /// Ten replications
    #[arg(long, conflicts_with = "replications")]
    quick: bool,
    #[command(flatten)]
    jobs: Jobs,
    /// Where to write the report, the numbers and the runs [default: results/NAME]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print the numbers as a JSON array instead of a table
    #[arg(long)]
    json: bool,
}

/// Reproduces a paper.
pub fn run(args: &Args) -> Result<(), Failure> {
    let Some(name) = &args.name else {
        let width = PAPERS.iter().map(|paper| paper.name.len()).max().unwrap_or(0);
        let lines = PAPERS.iter().map(|paper| format!("{:width$}  {}\n", paper.name, paper.reference));
        return print(&lines.collect::<String>());
    };
    let paper = papers::find(name).ok_or_else(|| {
        let problem = Problem::new("a paper").in_file("reproduce").found(format!("\"{name}\""));
        Failure::Input(listed(&[problem.nearest(name, PAPERS.iter().map(|paper| paper.name))]))
    })?;
    let replications = if args.quick { 10 } else { args.replications.unwrap_or(paper.replications) };
    let jobs = args.jobs.count();
    let out = args.out.clone().unwrap_or_else(|| Path::new("results").join(paper.name));
    let mut store = Store::create(&out.join("runs.sqlite"))?;
    let progress = Progress::of_runs(paper.name);
    let outcome = reproduce(paper, replications, &mut store, jobs, &mut |tally| {
        progress.count(tally.done, tally.wanted - tally.found)
    });
    progress.finish();
    let reproduction = outcome?;
    let level = Level::default();
    let json: Value = reproduction.numbers.iter().map(|number| number.to_json(level)).collect();
    write_whole(&out.join("numbers.json"), format!("{json:#}\n").as_bytes())?;
    let page = report::html(&report::paper::page(paper, &reproduction));
    write_whole(&out.join("report.html"), page.as_bytes())?;
    if args.json {
        print(&format!("{json:#}\n"))?;
    } else {
        print(&table(paper, &reproduction, level))?;
    }
    say(format_args!("the report is {}", shown(&out.join("report.html"))));
    Ok(())
}

fn table(paper: &Paper, reproduction: &Reproduction, level: Level) -> String {
    let mut rows = vec![row(&["where", "what", "unit", "paper", "ours", "+-", "one run of ours", "paper is"])];
    for number in &reproduction.numbers {
        rows.push(line(number, level));
    }
    let Score { inside, of, rejected } = Score::of(&reproduction.numbers, level);
    let left_out = match rejected {
        0 => String::new(),
        count => format!("; {count} of a reading that cannot be meant are not counted"),
    };
    format!(
        "{}\n{} replications; +-: half of the 95 % interval of our mean; one run: where 95 % of our single runs lie,\n\
         and the paper's single run should, if the models are the same; \"as 0 is\": it holds 0 too, and decides little\n\n{}\n{inside} of {of} numbers inside{left_out}\n\
         what does not reproduce, and why: docs/papers/{}.md\n",
        paper.reference,
        reproduction.replications,
        aligned(&rows, 3),
        paper.name
    )
}

fn line(number: &Number, level: Level) -> Vec<String> {
    let show = |value: f64| format!("{value:.*}", number.places());
    let none = || "-".to_owned();
    let span = |interval: Interval| format!("{} to {}", show(interval.low), show(interval.high));
    vec![
        number.place.clone(),
        number.label(),
        number.unit.to_owned(),
        show(number.paper),
        number.ours.mean().map_or_else(none, show),
        number.ci(level).map_or_else(none, |ci| format!("{:.*}", number.places_of(ci.half_width()), ci.half_width())),
        number.run_shown(level).map_or_else(none, span),
        number.verdict(level).to_owned(),
    ]
}
