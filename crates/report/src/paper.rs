//! The page of a reproduced paper: its words, its numbers beside ours, its charts and pictures.

use std::ops::ControlFlow;

use engine::{Span, Time};
use lab::metric;
use lab::papers::reproduce::Reproduction;
use lab::papers::{Chart, Number, Panel, Paper, Picture, Score};
use lab::ran::what_ran;
use lab::run::record;
use lab::sweep::analysis::Analysis;
use plot::{Description, Options, Recorder};
use stats::{Interval, Level};

use crate::capital;
use crate::number::fixed;
use crate::{BarChart, Block, Cell, Column, Group, Page, Section, Table, store};

/// The page.
pub fn page(paper: &Paper, reproduction: &Reproduction) -> Page {
    let level = Level::default();
    let Score { inside, of, rejected } = Score::of(&reproduction.numbers, level);
    let outside = |number: &&Number| !number.rejected && !number.inside(level);
    let left_out = if rejected > 0 {
        format!("; {rejected} of a reading that cannot be meant are not counted")
    } else {
        String::new()
    };
    let mut sections = vec![
        Section {
            heading: "What reproduces, and what does not".into(),
            blocks: vec![Block::Words(paper.words.into())],
        },
        Section {
            heading: "Outside".into(),
            blocks: vec![
                Block::Words("The numbers of the paper that 95 % of our single runs do not come to.".into()),
                Block::Table(numbers(reproduction.numbers.iter().filter(outside), true, level)),
            ],
        },
        Section { heading: "Every number".into(), blocks: by_place(&reproduction.numbers, level) },
    ];
    if !paper.charts.is_empty() {
        let blocks = paper.charts.iter().filter_map(|chart| bars(chart, &reproduction.sweeps)).map(Block::Bars);
        sections.push(Section { heading: "Charts".into(), blocks: blocks.collect() });
    }
    if !paper.pictures.is_empty() {
        let blocks = paper.pictures.iter().filter_map(picture).collect();
        sections.push(Section { heading: "Pictures of single runs".into(), blocks });
    }
    sections.push(Section {
        heading: "Repeat it".into(),
        blocks: vec![Block::Code {
            text: format!("lasthop reproduce {} --replications {}", paper.name, reproduction.replications),
            caption: "The scenarios are part of the program, and stand in examples/:".into(),
        }],
    });
    Page {
        title: format!("{} reproduced", paper.name),
        subtitle: paper.reference.into(),
        facts: vec![
            ("Inside".into(), format!("{inside} of {of} numbers{left_out}")),
            ("Replications".into(), format!("{} of each cell", reproduction.replications)),
            ("Runs".into(), reproduction.sweeps.iter().map(Analysis::runs).sum::<usize>().to_string()),
            ("Program".into(), format!("lasthop {}, model {}", env!("CARGO_PKG_VERSION"), sim::MODEL_VERSION)),
        ],
        sections,
        footer: "± is half of the 95 % Student-t interval of our mean over the replications; *one run* is the interval in which \
                 95 % of our single runs lie. The paper's numbers come from one run each, so that is the interval to hold \
                 them against; with this many numbers about one in twenty should lie outside if the models were the same."
            .into(),
    }
}

/// A table for each place in the paper.
fn by_place(all: &[Number], level: Level) -> Vec<Block> {
    let mut places: Vec<&str> = Vec::new();
    for number in all {
        if !places.contains(&number.place.as_str()) {
            places.push(&number.place);
        }
    }
    let table = |place: &&str| {
        let mut table = numbers(all.iter().filter(|number| number.place == **place), false, level);
        table.caption = capital(place);
        Block::Table(table)
    };
    places.iter().map(table).collect()
}

fn numbers<'a>(numbers: impl Iterator<Item = &'a Number>, with_place: bool, level: Level) -> Table {
    let mut columns = vec![
        Column::text("what", "which of the numbers there"),
        Column::text("unit", "of all numbers in the row"),
        Column::number("paper", "as printed"),
        Column::number("ours", "the mean of our replications"),
        Column::number("±", "half of the 95 % interval of our mean"),
        Column::number("one run of ours", "where 95 % of our single runs lie"),
        Column::text(
            "the paper is",
            "inside or outside the interval of one run, or ours are of a reading that cannot be meant; \"as 0 is\": the interval is so wide that it holds 0 too, and decides little",
        ),
    ];
    if with_place {
        columns.insert(0, Column::text("where", "the place in the paper"));
    }
    let rows = numbers.map(|number| {
        let (paper, mean) = (number.paper, number.ours.mean());
        let places = number.places();
        let none = || Cell::text("–");
        let value = |value: f64| Cell::number(value, fixed(value, places));
        let span =
            |run: Interval| Cell::number(run.low, format!("{} to {}", fixed(run.low, places), fixed(run.high, places)));
        let mut row = vec![
            Cell::text(number.label()),
            Cell::text(number.unit),
            value(paper),
            mean.map_or_else(none, value),
            number.ci(level).map_or_else(none, |ci| {
                let half = ci.half_width();
                Cell::number(half, fixed(half, number.places_of(half)))
            }),
            number.run_shown(level).map_or_else(none, span),
            Cell::text(number.verdict(level)),
        ];
        if with_place {
            row.insert(0, Cell::text(&number.place));
        }
        row
    });
    Table { caption: "Paper and ours".into(), rows: rows.collect(), columns }
}

fn bars(chart: &Chart, sweeps: &[Analysis]) -> Option<BarChart> {
    let sweep = sweeps.iter().find(|analysis| analysis.sweep.name == chart.sweep)?;
    let all = store::bars(sweep, metric::find(chart.metric)?, chart.along, chart.only);
    // The paper's cases in the paper's order.
    let shown: Vec<usize> =
        chart.cases.iter().filter_map(|case| all.cases.iter().position(|known| known == case)).collect();
    let groups = all.groups.into_iter().map(|group| Group {
        bars: shown.iter().map(|case| group.bars.get(*case).cloned().flatten()).collect(),
        ..group
    });
    Some(BarChart {
        title: format!("{}: {}", capital(chart.place), chart.title),
        caption: format!("Over the bars: change to {}.", chart.cases.first()?),
        cases: chart.cases.iter().map(|case| (*case).to_owned()).collect(),
        groups: groups.collect(),
        ..all
    })
}

fn picture(picture: &Picture) -> Option<Block> {
    let loaded = picture.load().ok()?;
    let time = |text: &str| text.parse::<Span>().ok().map(|span| Time::ZERO + span);
    let (from, to) = picture.part.map_or((None, None), |(from, to)| (time(from), time(to)));
    let mut recorder = Recorder::new([0], from, to);
    let enough = |recorder: &Recorder| recorder.overflowed() || recorder.is_complete();
    record(&loaded.network, &mut recorder, enough, &mut |_| ControlFlow::Continue(())).ok()?;
    let options = Options {
        panel: match picture.panel {
            Panel::Sequence => plot::Panel::Sequence,
            Panel::Window => plot::Panel::Window,
        },
        from,
        to,
        height: 460,
        unit: plot::Unit::Segments,
        title: Some(picture.title.into()),
        ran: what_ran(&loaded),
        ..Options::default()
    };
    let svg = recorder.finish().draw(&Description::of(&loaded.network), &options).svg();
    Some(Block::Svg { svg, caption: capital(picture.place) })
}
