//! LaTeX tables and gnuplot scripts of constructed sweeps, compared with files in `tests/golden/export` and read by
//! the programs. `UPDATE_GOLDEN=1` rewrites the files: inspect them before a commit.

use std::path::{Path, PathBuf};
use std::process::Command;

use lab::export::{self, ExportFormat, FORMATS};
use lab::store::{Digest, KeptCell, KeptSweep};
use lab::sweep::analysis::{Analysis, CellRuns};
use observe::summary::RecordedSummary;
use serde_json::{Value, json};

/// A sweep over `points` with `cases`; `time` returns the completion time by point, case and replication.
fn sweep(
    name: &str,
    points: &[Value],
    cases: &[&str],
    replications: u64,
    time: impl Fn(usize, usize, u64) -> Option<f64>,
) -> Analysis {
    let mut cells = Vec::new();
    for (point, changes) in points.iter().enumerate() {
        for (case, case_name) in cases.iter().enumerate() {
            let run = |replication| {
                let flow = json!({"name": "download", "completion_time_s": time(point, case, replication)});
                let summary = json!({"seed": 9, "flows": [flow]}).to_string();
                (replication, RecordedSummary::parse(&summary).unwrap())
            };
            let cell = KeptCell {
                point,
                case,
                case_name: (*case_name).to_owned(),
                changes: changes.as_object().unwrap().clone().into_iter().collect(),
                case_changes: Vec::new(),
                digest: Digest([0; 16]),
            };
            cells.push(CellRuns { cell, runs: (0..replications).map(run).collect() });
        }
    }
    let sweep = KeptSweep {
        id: 1,
        name: name.into(),
        title: "50 % of a_b & 'more'".into(),
        scenario: String::new(),
        metrics: vec!["completion_time_s".into()],
        lasthop: "1.2.3".into(),
        model: 4,
        form: 1,
    };
    Analysis { sweep, cells, level: Default::default() }
}

/// Returns four sweeps: with numbers on the axis and a missing value; with names on the axis and two charts; with more
/// rows than fit on a page, without a second replication or case; and without any value.
fn sweeps() -> Vec<Analysis> {
    let windows: Vec<Value> =
        [16, 32, 128].iter().map(|size| json!({"flows.download.receive_window": format!("{size} KiB")})).collect();
    let time = |point: usize, case: usize, replication: u64| {
        let complete = (point, case) != (2, 1);
        complete.then(|| 300.0 / (point as f64 + 1.0) - 20.0 * case as f64 + 4.0 * replication as f64)
    };
    let channel = |delay: &str, kind: &str| json!({"links.air.delay": delay, "links.air.channel": kind});
    let named = [
        channel("1 ms", "[perfect]"),
        channel("1 ms", "bad\\{$x^2$}~"),
        channel("9 ms", "[perfect]"),
        channel("9 ms", "bad\\{$x^2$}~"),
    ];
    let many: Vec<Value> = (1..=42).map(|count| json!({"media.cell.stations": count})).collect();
    vec![
        sweep("windows", &windows, &["unmodified", "refined-icmp"], 2, time),
        sweep("channels", &named, &["don't", "do"], 2, time),
        sweep("stations", &many, &[""], 1, |point, _, _| Some(point as f64)),
        sweep("incomplete", &windows, &["a", "b"], 2, |_, _, _| None),
    ]
}

fn formats(names: &[&str]) -> Vec<&'static ExportFormat> {
    FORMATS.iter().filter(|format| names.contains(&format.name)).collect()
}

/// Writes both formats into a new directory.
fn written(sweeps: &[Analysis]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    export::write_exports(sweeps, &[], &formats(&["latex", "gnuplot"]), dir.path()).unwrap();
    dir
}

fn golden(name: &str, found: &str) {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden/export").join(name);
    let found = found.replace(env!("CARGO_PKG_VERSION"), "VERSION");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, &found).unwrap();
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default().replace("\r\n", "\n");
    if let Some((line, (kept, found))) = kept.lines().zip(found.lines()).enumerate().find(|(_, (a, b))| a != b) {
        panic!("{name} line {}: expected\n{kept}\nfound\n{found}\nUPDATE_GOLDEN=1 rewrites the file", line + 1);
    }
    assert_eq!(kept.len(), found.len(), "{name}: unexpected length; UPDATE_GOLDEN=1 rewrites the file");
}

#[test]
fn latex_and_gnuplot_files_match_their_golden_files() {
    let dir = written(&sweeps());
    for name in ["summary.tex", "summary.gnuplot"] {
        golden(name, &std::fs::read_to_string(dir.path().join(name)).unwrap());
    }
}

/// By hand: the means of 16 KiB are 302 and 282. Two values that differ by 4 have a standard error of 2, so that the
/// half width is 2 * 12.706 = 25.4. All differences are -20, and -20 / 302 = -6.6 %.
#[test]
fn latex_row_has_mean_and_change_with_half_widths() {
    let dir = written(&sweeps()[..1]);
    let text = std::fs::read_to_string(dir.path().join("summary.tex")).unwrap();
    assert!(text.contains("16 KiB & unmodified & 2 & $302$ & $25$ & \\multicolumn{2}{c}{--} \\\\\n"), "{text}");
    assert!(text.contains(" & refined-icmp & 2 & $282$ & $25$ & $-6.6$ & $"), "{text}");
    // No run of the last case completes.
    assert!(text.contains(" & refined-icmp & 0 & \\multicolumn{2}{c}{--} & \\multicolumn{2}{c}{--} \\\\\n"), "{text}");
}

#[test]
fn sweep_without_runs_gives_files_without_figures() {
    let empty = sweep("empty", &[json!({})], &["a", "b"], 0, |_, _, _| None);
    let dir = written(&[empty]);
    let text = std::fs::read_to_string(dir.path().join("summary.tex")).unwrap();
    assert!(text.starts_with('%') && !text.contains("\\begin"), "{text}");
    let text = std::fs::read_to_string(dir.path().join("summary.gnuplot")).unwrap();
    assert!(!text.contains("plot \\"), "{text}");
}

/// Runs a program in `dir`, which must succeed, and returns its output.
fn run(dir: &Path, program: &str, args: &[&str]) -> String {
    let output = Command::new(program).current_dir(dir).args(args).output().unwrap();
    let printed = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success(), "{program} {args:?}: {printed}");
    printed
}

#[test]
fn gnuplot_draws_each_chart_without_warnings() {
    skip::need!("gnuplot");
    let dir = written(&sweeps());
    let printed = run(dir.path(), "gnuplot", &["summary.gnuplot"]);
    assert_eq!(printed, "");
    let mut figures: Vec<String> = std::fs::read_dir(dir.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".svg"))
        .collect();
    figures.sort();
    let stems = ["channels-completion-time-s", "stations-completion-time-s", "windows-completion-time-s"];
    let expected = [
        format!("{}-2-change.svg", stems[0]),
        format!("{}-2.svg", stems[0]),
        format!("{}-change.svg", stems[0]),
        format!("{}.svg", stems[0]),
        format!("{}.svg", stems[1]),
        format!("{}-change.svg", stems[2]),
        format!("{}.svg", stems[2]),
    ];
    assert_eq!(figures, expected);
    let drawn = std::fs::read_to_string(dir.path().join("channels-completion-time-s.svg")).unwrap();
    // Names are not interpreted.
    assert!(drawn.contains("don't") && drawn.contains("bad\\{$x^2$}~"), "{drawn}");
}

#[test]
fn latex_typesets_the_tables() {
    skip::need!("pdflatex");
    let dir = written(&sweeps());
    let paper = "\\documentclass{article}\n\\usepackage{booktabs}\n\\usepackage{longtable}\n\\begin{document}\n\
                 \\input{summary.tex}\n\\end{document}\n";
    std::fs::write(dir.path().join("paper.tex"), paper).unwrap();
    let printed = run(dir.path(), "pdflatex", &["-interaction=nonstopmode", "-halt-on-error", "paper.tex"]);
    assert!(!printed.contains("Missing character") && !printed.contains("multiply defined"), "{printed}");
    assert!(printed.contains("Output written on paper.pdf"), "{printed}");
}
