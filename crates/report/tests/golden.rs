//! Charts of given numbers, compared with files in `tests/golden`. `UPDATE_GOLDEN=1` rewrites the files, which must be
//! inspected before a commit.

use report::{
    BarChart, BarGroup, ChangeChart, CurveChart, CurveLine, CurvePoint, Estimate, Page, PageBlock, PageSection,
};
use stats::Interval;

/// Returns the chart alone, with the page's colours.
fn drawn(block: PageBlock) -> String {
    let section = PageSection { heading: String::new(), blocks: vec![block] };
    let page = report::render_html_page(&Page { sections: vec![section], ..Page::default() });
    let (from, to) = (page.find("<svg").expect("a chart"), page.find("</svg>").expect("its end") + "</svg>".len());
    // One line for each shape.
    let svg = page[from..to].replace("><", ">\n<");
    format!("<?xml-stylesheet type=\"text/css\" href=\"../../src/chart.css\"?>\n{svg}\n")
}

fn golden(name: &str, block: PageBlock) {
    let found = drawn(block);
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&file, &found).unwrap();
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default().replace("\r\n", "\n");
    if let Some((line, (kept, found))) = kept.lines().zip(found.lines()).enumerate().find(|(_, (a, b))| a != b) {
        panic!("{name} line {}: expected\n{kept}\nfound\n{found}\nUPDATE_GOLDEN=1 rewrites the file", line + 1);
    }
    assert_eq!(kept.len(), found.len(), "{name}: unexpected length; UPDATE_GOLDEN=1 rewrites the file");
}

fn estimate(mean: f64, half: f64, change: Option<f64>) -> Option<Estimate> {
    let around = |half: f64| Some(Interval { low: mean - half, high: mean + half });
    Some(Estimate {
        mean,
        n: 20,
        ci: around(half),
        half: Some(half),
        run: around(4.0 * half),
        change,
        ..Estimate::default()
    })
}

fn cases() -> Vec<String> {
    ["Unmodified", "Simple", "Refined"].map(str::to_owned).to_vec()
}

/// The chart follows [goel1997 figure 5.8]. One bar has an interval wider than the chart shows, one has no value, and
/// one has no interval.
#[test]
fn bar_chart_matches_its_golden_file() {
    let group = |label: &str, bars| BarGroup { label: label.into(), bars };
    let single_run = Some(Estimate { mean: 80.0, n: 1, change: Some(-20.0), ..Estimate::default() });
    let chart = BarChart {
        title: "Completion time over the window".into(),
        measure: "completion_time_s, s".into(),
        along: "flows.download.receive_window".into(),
        cases: cases(),
        groups: vec![
            group(
                "4 KiB",
                vec![estimate(300.0, 5.0, None), estimate(310.0, 9.0, Some(3.4)), estimate(290.0, 2.0, Some(-3.3))],
            ),
            group("8 KiB", vec![estimate(200.0, 5.0, None), estimate(150.0, 200.0, Some(-25.0)), None]),
            group("16 KiB", vec![estimate(100.0, 5.0, None), single_run, estimate(100.0, 0.0, Some(0.0))]),
        ],
        ..BarChart::default()
    };
    golden("bars.svg", PageBlock::Bars(chart));
}

/// The values double along the axis, which is therefore logarithmic. One line has a gap. The vertical axis does not
/// begin at 0.
#[test]
fn curve_chart_matches_its_golden_file() {
    let line = |name: &str, means: [Option<f64>; 9]| {
        let point = |(at, mean): (usize, &Option<f64>)| {
            let x = f64::from(1 << at);
            let y = mean.and_then(|mean| estimate(mean, 1.0 + 0.5 * at as f64, None));
            CurvePoint { x, label: format!("{x} ms"), y }
        };
        CurveLine { name: name.into(), points: means.iter().enumerate().map(point).collect() }
    };
    let rising = [100.0, 101.0, 102.0, 104.0, 108.0, 116.0, 132.0, 140.0, 150.0].map(Some);
    let mut broken = rising.map(|mean: Option<f64>| mean.map(|mean| mean - 8.0));
    broken[3] = None;
    let chart = CurveChart {
        title: "Completion time over the delay".into(),
        measure: "completion_time_s, s".into(),
        along: "links.wire.delay".into(),
        lines: vec![line("Unmodified", rising), line("Refined", broken)],
        ..CurveChart::default()
    };
    golden("curves.svg", PageBlock::Curves(chart));
}

/// The chart has a clear gain, a change whose interval includes 0, a change with a wide interval, and a case without a
/// value.
#[test]
fn change_chart_matches_its_golden_file() {
    let changed = |change: f64, half: f64| {
        let change_ci = Some(Interval { low: change - half, high: change + half });
        Some(Estimate { mean: 100.0, n: 20, change: Some(change), change_ci, ..Estimate::default() })
    };
    let group = |label: &str, bars| BarGroup { label: label.into(), bars };
    let chart = ChangeChart {
        title: "Goodput over the window".into(),
        measure: "goodput_bps".into(),
        baseline: "Unmodified".into(),
        along: "flows.download.receive_window".into(),
        cases: cases()[1..].to_vec(),
        groups: vec![
            group("4 KiB", vec![changed(3.6, 1.1), changed(0.5, 2.0)]),
            group("8 KiB", vec![changed(-10.0, 60.0), None]),
        ],
        reach: None,
    };
    golden("changes.svg", PageBlock::Changes(chart));
}
