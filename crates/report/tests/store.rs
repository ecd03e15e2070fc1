//! The page of a store, for sweeps constructed in the test.

use crate::common;

use common::elements;
use lab::store::{Digest, KeptCell, KeptSweep};
use lab::sweep::analysis::{Analysis, CellRuns};
use observe::summary::{RecordedSummary, flow};
use report::store::RepeatedRuns;
use report::{Page, PageBlock};
use serde_json::{Value, json};

const SCENARIO: &str = "seed = 9\n\n[sweep]\nmetrics = [\"completion_time_s\"]\n";

/// A sweep over `points` with the cases `first` and `second`; `time` returns the completion time by point, case and
/// replication.
fn sweep(points: &[Value], replications: u64, time: impl Fn(usize, usize, u64) -> Option<f64>) -> Analysis {
    let pairs = |value: &Value| value.as_object().unwrap().clone().into_iter().collect();
    let mut cells = Vec::new();
    for (point, changes) in points.iter().enumerate() {
        for (case, name) in ["first", "second"].into_iter().enumerate() {
            let run = |replication| {
                let flow = json!({"name": "download", "completion_time_s": time(point, case, replication)});
                let summary = json!({"seed": 9, "flows": [flow]}).to_string();
                (replication, RecordedSummary::parse(&summary).unwrap())
            };
            let cell = KeptCell {
                point,
                case,
                case_name: name.into(),
                changes: pairs(changes),
                case_changes: pairs(&json!({ "scheme": name })),
                digest: Digest([0; 16]),
            };
            cells.push(CellRuns { cell, runs: (0..replications).map(run).collect() });
        }
    }
    let sweep = KeptSweep {
        id: 1,
        name: "a sweep".into(),
        title: "A <i>title</i>".into(),
        scenario: SCENARIO.into(),
        metrics: vec!["completion_time_s".into()],
        lasthop: "1.2.3".into(),
        model: 4,
        form: 1,
    };
    Analysis { sweep, cells, level: Default::default() }
}

fn steady(point: usize, case: usize, replication: u64) -> Option<f64> {
    Some(100.0 + 10.0 * point as f64 - 5.0 * case as f64 + replication as f64)
}

fn page(sweep: &Analysis) -> Page {
    report::store::render_store_page("store.sqlite", std::slice::from_ref(sweep), &[], &[])
}

fn blocks(page: &Page) -> impl Iterator<Item = &PageBlock> {
    page.sections.iter().flat_map(|section| &section.blocks)
}

/// Returns the warnings of a page, one per line.
fn warnings(page: &Page) -> String {
    let list = |block: &PageBlock| if let PageBlock::Warnings(list) = block { list.join("\n") } else { String::new() };
    blocks(page).map(list).collect()
}

/// Returns the numbers of bar charts, charts of curves, and table rows.
fn counts(page: &Page) -> (usize, usize, usize) {
    blocks(page).fold((0, 0, 0), |(bars, curves, rows), block| match block {
        PageBlock::Bars(_) => (bars + 1, curves, rows),
        PageBlock::Curves(_) => (bars, curves + 1, rows),
        PageBlock::Table(table) => (bars, curves, rows + table.rows.len()),
        _ => (bars, curves, rows),
    })
}

fn grid(delays: usize, windows: usize) -> Vec<Value> {
    let point = |at: usize| {
        let (delay, window) = (format!("{} ms", at / windows + 1), format!("{} KiB", at % windows + 1));
        json!({"delay": delay, "window": window})
    };
    (0..delays * windows).map(point).collect()
}

#[test]
fn each_combination_of_all_axes_but_the_last_has_a_chart() {
    assert_eq!(counts(&page(&sweep(&grid(3, 2), 2, steady))), (3, 0, 12));
    // More numeric values than the maximum number of groups of bars.
    assert_eq!(counts(&page(&sweep(&grid(2, 9), 2, steady))), (0, 2, 36));
    // All bars form one group if there is no axis.
    assert_eq!(counts(&page(&sweep(&[json!({})], 2, steady))), (1, 0, 2));
    let many = page(&sweep(&grid(20, 2), 2, steady));
    assert_eq!(counts(&many), (12, 0, 80));
    let is_note =
        |block: &PageBlock| matches!(block, PageBlock::Words(words) if words.starts_with("8 more combinations"));
    assert!(blocks(&many).any(is_note));
}

/// The points of a sweep do not state which keys were zipped. The page recognizes zipped keys by equal patterns of
/// values.
#[test]
fn zipped_keys_form_one_axis_and_constant_keys_form_none() {
    let point = |at: usize| json!({"delay": format!("{at} ms"), "window": 1 << at, "rate": "1 Mbps"});
    let points: Vec<Value> = (0..2).map(point).collect();
    let page = page(&sweep(&points, 2, steady));
    let bars = blocks(&page).find_map(|block| if let PageBlock::Bars(chart) = block { Some(chart) } else { None });
    let chart = bars.expect("bars");
    assert_eq!(chart.along, "delay (with window)");
    let labels: Vec<&str> = chart.groups.iter().map(|group| group.label.as_str()).collect();
    assert_eq!(labels, ["0 ms", "1 ms"]);
    assert_eq!(counts(&page).0, 1);
    let Some(PageBlock::Facts(facts)) = blocks(&page).next() else { panic!("no facts") };
    assert!(facts.contains(&("Rate".into(), "1 Mbps".into())), "{facts:?}");
}

/// Hand calculation: the mean of 105 and 106 against that of 110 and 111 is (-5/110 - 5/111) / 2 = -4.525 %.
#[test]
fn bar_has_mean_and_change() {
    let sweep = sweep(&grid(2, 2), 2, steady);
    let chart = report::store::chart_metric_bars(&sweep, &flow::completion_time_s, "window", &[("delay", "1 ms")]);
    assert_eq!(chart.groups.len(), 2);
    let bar = chart.groups[1].bars[1].as_ref().unwrap();
    assert_eq!((bar.mean, bar.n), (105.5, 2));
    assert!((bar.change.unwrap() + 4.525).abs() < 0.001, "{bar:?}");
    assert!(
        report::store::chart_metric_bars(&sweep, &flow::completion_time_s, "window", &[("delay", "7 ms")])
            .groups
            .is_empty()
    );
}

/// Returns the preformatted texts of a page.
fn code(page: &Page) -> Vec<&str> {
    blocks(page)
        .filter_map(|block| if let PageBlock::Code { text, .. } = block { Some(text.as_str()) } else { None })
        .collect()
}

#[test]
fn section_has_commands_that_repeat_the_sweep() {
    let points = [json!({"links.air.channel": {"kind": "perfect"}, "title": "it's 1"})];
    let page = page(&sweep(&points, 2, steady));
    let run = r#"lasthop run 'a sweep.toml' --set replication=0 --set 'links.air.channel={ kind = "perfect" }' --set 'title=it'\''s 1' --set scheme=second"#;
    // The scenario uses the default number of replications, ten; the store has two.
    let again = "lasthop sweep 'a sweep.toml' --out 'a sweep-again.sqlite' --replications 2";
    assert_eq!(code(&page), [SCENARIO.trim_end(), again, run]);
    let html = report::render_html_page(&page);
    for fact in ["lasthop 1.2.3, model 4", "<dt>Seed</dt><dd>9</dd>", "<dt>Replications</dt><dd>2</dd>"] {
        assert!(html.contains(fact), "{fact}");
    }
}

#[test]
fn page_shows_metrics_that_only_the_command_requests() {
    let mut sweep = sweep(&grid(1, 2), 2, steady);
    sweep.sweep.metrics = vec!["goodput_bps".into(), "timeouts".into()];
    assert!(code(&page(&sweep))[1].ends_with(" --metric goodput_bps --metric timeouts"));
}

#[test]
fn single_replication_gives_a_warning_without_intervals() {
    let once = page(&sweep(&grid(1, 2), 1, steady));
    assert!(warnings(&once).contains("run once"));
    elements(&report::render_html_page(&once)).unwrap();
    assert!(!warnings(&page(&sweep(&grid(1, 2), 2, steady))).contains("run once"));
}

/// At the second point no flow completes. At the first point one run does not complete.
#[test]
fn incomplete_flows_are_counted_and_shown() {
    let completes = |point, case, replication| point == 0 && replication + case as u64 > 0;
    let time =
        |point, case, replication| steady(point, case, replication).filter(|_| completes(point, case, replication));
    let page = page(&sweep(&grid(1, 2), 3, time));
    assert!(warnings(&page).contains("2 of 4 means of completion time are missing"), "{}", warnings(&page));
    let table = blocks(&page).find_map(|block| if let PageBlock::Table(table) = block { Some(table) } else { None });
    let table = table.expect("a table");
    let column = |name: &str| table.columns.iter().position(|column| column.name == name).unwrap();
    let cells = |name: &str| table.rows.iter().map(|row| row[column(name)].text.clone()).collect::<Vec<_>>();
    assert_eq!(cells("n"), ["2", "3", "0", "0"]);
    assert_eq!(cells("without"), ["1", "0", "3", "3"]);
    assert_eq!(cells("mean")[2..], ["–", "–"]);
    assert!(report::render_html_page(&page).contains("no run gave a value"));
}

#[test]
fn requested_metrics_replace_those_of_the_sweep() {
    let sweep = sweep(&grid(1, 2), 2, steady);
    let page = report::store::render_store_page("s", &[sweep], &[&flow::goodput_bps, &flow::timeouts], &[]);
    let html = report::render_html_page(&page);
    assert!(html.contains("<h3>Goodput</h3>") && html.contains("<h3>Timeouts</h3>"));
    assert!(!html.contains("<h3>Completion time</h3>"));
}

#[test]
fn names_and_keys_are_escaped() {
    let evil = "<script>alert(1)</script>";
    let mut sweep = sweep(&[json!({evil: evil}), json!({evil: "**b**"})], 2, steady);
    sweep.sweep.name = evil.into();
    sweep.sweep.scenario = format!("title = '{evil}'");
    for runs in &mut sweep.cells {
        runs.cell.case_name = format!("{evil} **b** {}", runs.cell.case);
    }
    let html = report::render_html_page(&page(&sweep));
    let scripts = elements(&html).unwrap().iter().filter(|element| element.name == "script").count();
    assert_eq!(scripts, 1, "only the page's own script");
    assert!(!html.contains("<strong>b</strong>") && !html.contains("<i>"));
}

/// A sweep was interrupted before the end of its first run. Another sweep in the store is complete.
#[test]
fn sweep_without_runs_gives_a_warning() {
    let sweeps = [sweep(&grid(1, 2), 2, steady), sweep(&grid(1, 2), 0, steady)];
    let page = report::store::render_store_page("store.sqlite", &sweeps, &[], &[]);
    assert_eq!(page.sections.len(), 2);
    assert!(warnings(&page).contains("4 of 4 cells have no run yet"));
    elements(&report::render_html_page(&page)).unwrap();
}

/// Returns the Markdown of a page.
fn words(page: &Page) -> String {
    let text = |block: &PageBlock| if let PageBlock::Words(text) = block { text.clone() } else { String::new() };
    blocks(page).map(text).collect()
}

/// By hand: for 95 and 97 against 100 and 102 the differences are -5 and -5. The change is -5 / 101 = -4.95 %, and the
/// differences have no deviation. Completion times are better if lower.
#[test]
fn clear_change_has_its_verdict_with_direction_and_rank() {
    let text = words(&page(&sweep(&[json!({})], 2, |_, case, run| Some(100.0 - 5.0 * case as f64 + 2.0 * run as f64))));
    assert!(text.contains("- **second**: \u{2212}5.0 ± "), "{text}");
    assert!(text.contains(", better, the best mean of 2 cases"), "{text}");
}

/// The differences 6 and -6 have mean 0. Therefore their interval includes 0.
#[test]
fn change_with_an_interval_around_zero_is_no_clear_difference() {
    let time = |_, case: usize, run: u64| Some(100.0 + if run == 0 { 6.0 } else { -6.0 } * case as f64);
    let text = words(&page(&sweep(&[json!({})], 2, time)));
    assert!(text.contains("- **second**: no clear difference (0.0"), "{text}");
    assert!(!text.contains("best"), "{text}");
}

/// The second case is faster at the first two points and slower at the third.
#[test]
fn verdict_over_points_counts_where_a_case_is_better_and_worse() {
    let time = |point: usize, case: usize, run: u64| {
        let change = if point == 2 { 10.0 } else { -10.0 - point as f64 };
        Some(100.0 + change * case as f64 + run as f64)
    };
    let text = words(&page(&sweep(&grid(1, 3), 3, time)));
    assert!(text.contains("worse at 1 of 3 points (+9.9"), "{text}");
    assert!(text.contains("better at 2 of 3 points (\u{2212}10.9"), "{text}");
    assert!(text.contains("the best mean of 2 cases at 2"), "{text}");
}

#[test]
fn single_replication_has_no_verdict_on_the_difference() {
    let text = words(&page(&sweep(&[json!({})], 1, steady)));
    assert!(text.contains("too few replications for an interval"), "{text}");
    assert!(!text.contains("better"), "{text}");
}

#[test]
fn changes_are_drawn_for_every_case_but_the_first() {
    let page = page(&sweep(&grid(2, 2), 2, steady));
    let charts =
        blocks(&page).filter_map(|block| if let PageBlock::Changes(chart) = block { Some(chart) } else { None });
    let charts: Vec<_> = charts.collect();
    assert_eq!(charts.len(), 2);
    assert!(charts.iter().all(|chart| chart.baseline == "first" && chart.cases == ["second"]));
    assert_eq!(charts[0].reach, charts[1].reach);
    assert!(charts.iter().flat_map(|chart| &chart.groups).all(|group| group.bars.len() == 1));
}

/// Two charts of means and two of changes.
#[test]
fn figures_are_separate_files_with_resolved_colours() {
    let figures = report::store::render_store_figures(&[sweep(&grid(2, 2), 2, steady)], &[], &[]);
    let names: Vec<&str> = figures.iter().map(|(name, _)| name.as_str()).collect();
    let stem = "a-sweep-completion-time-s";
    let expected = ["delay-1-ms", "delay-2-ms", "change-delay-1-ms", "change-delay-2-ms"];
    assert_eq!(names, expected.map(|end| format!("{stem}-{end}")));
    for (name, svg) in &figures {
        let found = elements(&format!("<!DOCTYPE html>{svg}")).unwrap();
        assert_eq!((found[0].name.as_str(), found[1].name.as_str()), ("svg", "style"), "{name}");
        assert!(found[0].attributes.contains(&("xmlns".into(), "http://www.w3.org/2000/svg".into())), "{name}");
        assert!(!svg.contains("var(") && svg.contains("fill: #d55e00"), "{svg}");
    }
}

/// The scenario has no nodes.
#[test]
fn sweep_that_cannot_be_repeated_shows_the_reason_instead_of_budgets() {
    let sweep = sweep(&grid(2, 2), 2, steady);
    let budgets =
        lab::sweep::budget::explain_budgets(&sweep, 40, 1, &|_, _| std::ops::ControlFlow::Continue(())).unwrap();
    assert!(budgets.problem.is_some() && budgets.cells.is_empty());
    let page =
        report::store::render_store_page("store.sqlite", &[sweep], &[], &[RepeatedRuns { budgets, course: None }]);
    assert!(warnings(&page).contains("the sweep cannot be run again here"), "{}", warnings(&page));
}
