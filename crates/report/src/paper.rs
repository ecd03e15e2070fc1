//! The page of a reproduced paper, with a summary, the paper's numbers and the simulated ones, charts and pictures.

use std::ops::ControlFlow;

use engine::{Span, Time};
use lab::papers::reproduce::Reproduction;
use lab::papers::{Chart, Mark, ModalQuantity, Mode, Number, Paper, Picture, PicturePanel, Score};
use lab::run::run_into_sink;
use lab::sweep::analysis::Analysis;
use observe::metric;
use plot::{Description, PictureOptions, Recorder};
use scenario::ran::label_run;
use sim::FlowId;
use stats::{Interval, Level};

use crate::capitalize_first;
use crate::marks;
use crate::number::typeset_number;
use crate::{BarChart, BarGroup, Page, PageBlock, PageSection, ReportCell, ReportColumn, ReportTable, store};

/// Returns the page of a reproduced paper.
pub fn render_paper_page(paper: &Paper, reproduction: &Reproduction) -> Page {
    let level = Level::default();
    let score = Score::of(&reproduction.numbers, level);
    let mut sections =
        vec![PageSection { heading: "Summary".into(), blocks: vec![PageBlock::Words(paper.words.into())] }];
    sections.push(PageSection {
        heading: "Paper and simulation".into(),
        blocks: vec![PageBlock::Svg {
            svg: marks::draw_paper_marks(paper, &reproduction.numbers, level).into_string(),
            caption: "The paper's values as marks on the simulation's intervals; point at a row for its explanation"
                .into(),
        }],
    });
    if paper.readings.len() > 1 {
        sections
            .push(PageSection { heading: "Readings".into(), blocks: vec![PageBlock::Table(tabulate_readings(paper))] });
    }
    sections.push(PageSection {
        heading: "Not as printed".into(),
        blocks: vec![
            PageBlock::Words(
                "Every number that is not reproduced under the primary reading, with the reason for its mark.".into(),
            ),
            PageBlock::Table(tabulate_deviations(&reproduction.numbers, level)),
        ],
    });
    sections.push(PageSection {
        heading: "Every number".into(),
        blocks: tabulate_places(paper, &reproduction.numbers, level),
    });
    if !paper.charts.is_empty() {
        let blocks =
            paper.charts.iter().filter_map(|chart| chart_paper_bars(chart, &reproduction.sweeps)).map(PageBlock::Bars);
        sections.push(PageSection { heading: "Charts".into(), blocks: blocks.collect() });
    }
    if !paper.pictures.is_empty() {
        let blocks = paper.pictures.iter().filter_map(draw_paper_picture).collect();
        sections.push(PageSection { heading: "Pictures of single runs".into(), blocks });
    }
    sections.push(PageSection {
        heading: "Repeat it".into(),
        blocks: vec![PageBlock::Code {
            text: format!("lasthop reproduce {} --replications {}", paper.name, reproduction.replications),
            caption: "The scenarios are part of the program, and in the folder examples/:".into(),
        }],
    });
    Page {
        title: format!("{} reproduced", paper.name),
        subtitle: paper.reference.into(),
        facts: vec![
            ("Numbers".into(), score.to_string()),
            ("Replications".into(), format!("{} for each point and case", reproduction.replications)),
            ("Runs".into(), reproduction.sweeps.iter().map(Analysis::runs).sum::<usize>().to_string()),
            ("Program".into(), format!("lasthop {}, model {}", env!("CARGO_PKG_VERSION"), sim::MODEL_VERSION)),
        ],
        sections,
        footer: "*Reproduced*: the paper's value lies in the prediction interval that holds 95 % of single runs; *under another reading*: it \
                 does so under the reading named; *contradicts its own paper*: the paper prints another value for the same \
                 quantity; *not reproduced*: otherwise. The summary refers to the number of replications that it names, the \
                 tables to those of this report. ± is the half width of the 95 % Student-t confidence interval of the mean \
                 over replications; *one run* is the prediction interval of a single run. The paper's numbers come from one run \
                 each, so they are compared with that interval; if the models were equal, about one number in twenty would \
                 lie outside."
            .into(),
        ..Page::default()
    }
}

/// Returns the table of the paper's readings.
fn tabulate_readings(paper: &Paper) -> ReportTable {
    let columns = vec![
        ReportColumn::text("reading", "name of the reading; the first is the primary one"),
        ReportColumn::text("what", "the assumption"),
        ReportColumn::text("source", "the reason for the assumption"),
    ];
    let row = |text: [&str; 3]| text.map(ReportCell::text).to_vec();
    let rows = paper.readings.iter().map(|reading| row([reading.name, reading.what, reading.source]));
    ReportTable { caption: "Readings of the paper, the primary one first".into(), rows: rows.collect(), columns }
}

/// Tabulates the numbers whose mark is not "reproduced", each with a sentence that explains it.
fn tabulate_deviations(numbers: &[Number], level: Level) -> ReportTable {
    let columns = vec![
        ReportColumn::text("where", "the place in the paper"),
        ReportColumn::text("what", "which of the numbers at that place"),
        ReportColumn::number("paper", "as printed"),
        ReportColumn::text("mark", "outcome of the comparison"),
        ReportColumn::text("why", "explanation of the mark"),
    ];
    let rows = numbers.iter().filter(|number| number.mark(level) != Mark::Reproduced).map(|number| {
        vec![
            ReportCell::text(&number.place),
            ReportCell::text(number.label()),
            cell_of_printed(number),
            ReportCell::text(number.mark(level).to_string()),
            ReportCell::text(number.sentence(level)),
        ]
    });
    ReportTable { caption: "Numbers that are not reproduced as printed".into(), rows: rows.collect(), columns }
}

/// Returns the paper's value without its unit.
fn cell_of_printed(number: &Number) -> ReportCell {
    let value = number.paper.value();
    ReportCell::number(value, format!("{}{}", number.paper.prefix(), typeset_number(value, number.places())))
}

/// Returns one table for each place in the paper.
fn tabulate_places(paper: &Paper, all: &[Number], level: Level) -> Vec<PageBlock> {
    let mut places: Vec<&str> = Vec::new();
    for number in all {
        if !places.contains(&number.place.as_str()) {
            places.push(&number.place);
        }
    }
    let table = |place: &&str| {
        let at_place: Vec<&Number> = all.iter().filter(|number| number.place == **place).collect();
        PageBlock::Table(ReportTable { caption: capitalize_first(place), ..tabulate_numbers(paper, &at_place, level) })
    };
    places.iter().map(table).collect()
}

/// Returns a table with a row for each number, reading and mode.
fn tabulate_numbers(paper: &Paper, numbers: &[&Number], level: Level) -> ReportTable {
    let mut columns = vec![
        ReportColumn::text("what", "which of the numbers at that place"),
        ReportColumn::text("reading", "the reading of the paper, and the mode if the runs have several"),
        ReportColumn::text("unit", "unit of all numbers in the row"),
        ReportColumn::number("paper", "as printed"),
        ReportColumn::number("simulation", "the mean over the replications"),
        ReportColumn::number("±", "half width of the 95 % confidence interval of the mean"),
        ReportColumn::number("one run", "prediction interval: it contains 95 % of single runs"),
        ReportColumn::text(
            "mark",
            "outcome of the comparison; \"0 too\": the interval is so wide that it also contains 0, and is inconclusive",
        ),
    ];
    let mut rows: Vec<Vec<ReportCell>> = Vec::new();
    for number in numbers {
        let first = rows.len();
        for (reading, ours) in number.readings() {
            let primary = paper.readings.first().filter(|_| !number.alternatives.is_empty());
            let reading = reading.or(primary.copied()).map_or("", |reading| reading.name);
            rows.extend(ours.modes().iter().map(|mode| render_number_row(number, reading, ours, mode, level)));
        }
        // The mark refers to the number, not to a reading. Therefore only the first row of a number shows it.
        rows.iter_mut().skip(first + 1).filter_map(|row| row.last_mut()).for_each(|mark| *mark = ReportCell::text(""));
    }
    if rows.iter().all(|row| row[READING].text.is_empty()) {
        rows.iter_mut().for_each(|row| drop(row.remove(READING)));
        columns.remove(READING);
    }
    ReportTable { caption: "Paper and simulation".into(), rows, columns }
}

/// Index of the column of readings and modes.
const READING: usize = 1;

fn render_number_row(
    number: &Number,
    reading: &str,
    ours: &ModalQuantity,
    mode: &Mode,
    level: Level,
) -> Vec<ReportCell> {
    let places = number.places();
    let none = || ReportCell::text("–");
    let value = |value: f64| ReportCell::number(value, typeset_number(value, places));
    let span = |run: Interval| {
        ReportCell::number(
            run.low,
            format!("{} to {}", typeset_number(run.low, places), typeset_number(run.high, places)),
        )
    };
    let kind = if mode.name.is_empty() {
        reading.to_owned()
    } else {
        format!("{reading} {}, {:.0} %", mode.name, 100.0 * ours.share(mode)).trim_start().to_owned()
    };
    vec![
        ReportCell::text(number.label()),
        ReportCell::text(kind),
        ReportCell::text(number.unit),
        cell_of_printed(number),
        mode.moments.mean().map_or_else(none, value),
        mode.ci(level).map_or_else(none, |ci| {
            let half = ci.half_width();
            ReportCell::number(half, typeset_number(half, number.places_of(half)))
        }),
        number.run_shown(mode, level).map_or_else(none, span),
        ReportCell::text(format!("{}{}", number.mark(level), if number.holds_zero(level) { ", 0 too" } else { "" })),
    ]
}

fn chart_paper_bars(chart: &Chart, sweeps: &[Analysis]) -> Option<BarChart> {
    let sweep = sweeps.iter().find(|analysis| analysis.sweep.name == chart.sweep)?;
    let all = store::chart_metric_bars(sweep, metric::find_metric(chart.metric)?, chart.along, chart.only);
    // The paper's cases, in the paper's order.
    let shown: Vec<usize> =
        chart.cases.iter().filter_map(|case| all.cases.iter().position(|known| known == case)).collect();
    let groups = all.groups.into_iter().map(|group| BarGroup {
        bars: shown.iter().map(|case| group.bars.get(*case).cloned().flatten()).collect(),
        ..group
    });
    Some(BarChart {
        title: format!("{}: {}", capitalize_first(chart.place), chart.title),
        caption: format!("Over the bars: change from {}.", chart.cases.first()?),
        cases: chart.cases.iter().map(|case| (*case).to_owned()).collect(),
        groups: groups.collect(),
        ..all
    })
}

fn draw_paper_picture(picture: &Picture) -> Option<PageBlock> {
    let loaded = picture.load().ok()?;
    let time = |text: &str| text.parse::<Span>().ok().map(|span| Time::ZERO + span);
    let (from, to) = picture.part.map_or((None, None), |(from, to)| (time(from), time(to)));
    let mut recorder = Recorder::new([FlowId::new(0)], from, to).with_schemes(&Description::of(&loaded.network));
    let enough = |recorder: &Recorder| recorder.has_overflowed() || recorder.is_complete();
    run_into_sink(&loaded.network, &mut recorder, enough, &mut |_| ControlFlow::Continue(())).ok()?;
    let options = PictureOptions {
        panels: vec![match picture.panel {
            PicturePanel::Sequence => plot::Panel::Sequence,
            PicturePanel::Window => plot::Panel::Window,
        }],
        from,
        to,
        height: 460,
        unit: plot::AxisUnit::Segments,
        title: Some(picture.title.into()),
        ran: label_run(&loaded),
        ..PictureOptions::default()
    };
    let svg = recorder.finish().draw(&Description::of(&loaded.network), &options).svg();
    Some(PageBlock::Svg { svg, caption: capitalize_first(picture.place) })
}
