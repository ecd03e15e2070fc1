//! Layout in a browser. At widths of 390 and 1280 pixels nothing is clipped. Boxes may scroll sideways, but the page
//! does not.

use std::process::Command;

use report::{
    BarChart, BarGroup, ChangeChart, CurveChart, CurveLine, CurvePoint, Estimate, Page, PageBlock, PageSection,
    ReportCell, ReportColumn, ReportTable,
};
use stats::Interval;

/// Widths of windows in pixels: a telephone and a laptop.
const WIDTHS: [u32; 2] = [390, 1280];

/// Shows the page in frames of these widths. For each frame it writes into the title of its own page the width of the
/// page and of its window, and the texts of charts that extend over their picture.
const PROBE: &str = r#"<!DOCTYPE html><body>FRAMES<script>
onload = () => {
  const found = [...document.querySelectorAll("iframe")].map((frame) => {
    const page = frame.contentDocument.documentElement;
    const cut = [...page.querySelectorAll("svg text")].filter((text) => {
      const [inner, outer] = [text, text.ownerSVGElement].map((it) => it.getBoundingClientRect());
      return inner.left < outer.left - 1 || inner.right > outer.right + 1
        || inner.top < outer.top - 1 || inner.bottom > outer.bottom + 1;
    });
    const scrolls = page.scrollWidth > page.clientWidth ? " scrolls" : "";
    return frame.width + scrolls + cut.map((text) => " cuts " + text.textContent).join("");
  });
  document.title = found.join("; ");
};
</script></body>"#;

/// A page with names as long as users write them.
fn page() -> Page {
    let estimate = |mean: f64| {
        let around = |half: f64| Some(Interval { low: mean - half, high: mean + half });
        let (ci, change_ci) = (around(0.2 * mean), Some(Interval { low: -120.0, high: 80.0 }));
        Some(Estimate { mean, n: 20, ci, run: around(mean), change: Some(-20.0), change_ci, ..Estimate::default() })
    };
    let cases: Vec<String> = ["unmodified", "refined-icmp", "a sender with a long name"].map(str::to_owned).to_vec();
    let title = "channel mean bad of link air = 300 ms, receive window of flow download = 16 KiB".to_owned();
    let along = "queue of link air (with TCP initial ssthresh of flow download)".to_owned();
    let group = |number: usize, cases: usize| BarGroup {
        label: format!("two-state, {number} s, 300 ms"),
        bars: (0..cases).map(|case| estimate(1234.5 * (case + 1) as f64)).collect(),
    };
    let bars = |groups: usize| {
        PageBlock::Bars(BarChart {
            title: title.clone(),
            measure: "completion time, s".into(),
            along: along.clone(),
            cases: cases.clone(),
            groups: (0..groups).map(|number| group(number, 3)).collect(),
            ..BarChart::default()
        })
    };
    let changes = PageBlock::Changes(ChangeChart {
        title: title.clone(),
        measure: "flow completion time (95 % quantile)".into(),
        baseline: "unmodified".into(),
        along: along.clone(),
        cases: cases[1..].to_vec(),
        groups: (0..12).map(|number| group(number, 2)).collect(),
        reach: None,
    });
    let point =
        |at: i32| CurvePoint { x: f64::from(1 << at), label: format!("{at}00 ms / 117576 B"), y: estimate(1e6) };
    let lines = cases.iter().map(|name| CurveLine { name: name.clone(), points: (0..9).map(point).collect() });
    let curves = PageBlock::Curves(CurveChart {
        title: title.clone(),
        measure: "goodput, Mbps".into(),
        along: along.clone(),
        lines: lines.collect(),
        ..CurveChart::default()
    });
    let columns: Vec<ReportColumn> =
        (0..12).map(|number| ReportColumn::number(format!("column {number}"), "")).collect();
    let row = || columns.iter().map(|_| ReportCell::number(1.0, "10,240,000 to 20,480,000")).collect();
    let table =
        PageBlock::Table(ReportTable { caption: title.clone(), rows: vec![row(), row()], columns: columns.clone() });
    let code = PageBlock::Code { text: "lasthop sweep ".repeat(30), caption: "The sweep again:".into() };
    let facts = PageBlock::Facts(vec![("Compared".into(), "links.air.channel.mean_bad=".repeat(12))]);
    let words = PageBlock::Words("| a | b |\n|---|---|\n| wide_without_a_space_wide_without_a_space | b |".into());
    let blocks = vec![facts, bars(1), bars(9), changes, curves, table, code, words];
    Page {
        title: "A_title_without_any_space_that_is_wider_than_a_telephone".into(),
        sections: vec![PageSection { heading: "Results".into(), blocks }],
        ..Page::default()
    }
}

#[test]
fn page_fits_telephones_and_laptops() {
    let browser = skip::need!("chromium");
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("page.html"), report::render_html_page(&page())).unwrap();
    let frame = |width: u32| format!(r#"<iframe src="page.html" width="{width}" height="800"></iframe>"#);
    let probe = dir.path().join("probe.html");
    std::fs::write(&probe, PROBE.replace("FRAMES", &WIDTHS.map(frame).concat())).unwrap();
    let data = format!("--user-data-dir={}", dir.path().join("profile").display());
    let args = ["--headless=new", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files", "--dump-dom"];
    let output = Command::new(browser)
        .args(args)
        .args([data.as_str(), "--window-size=1400,1000", &format!("file://{}", probe.display())])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let title = text.split_once("<title>").and_then(|(_, rest)| rest.split_once("</title>"));
    let (title, _) = title.unwrap_or_else(|| panic!("{text}{}", String::from_utf8_lossy(&output.stderr)));
    assert_eq!(title, "390; 1280");
}
