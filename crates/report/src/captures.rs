//! The page of a capture, with a list of all connections, and explanations of those with most data.

use engine::quantity::{format_millis_cell, format_span};
use engine::{Quantity, Span};
use lab::captures::{BothEnds, CaptureFile, ExplainedConnection, NonTcp};
use observe::explain::{CaptureParts, hidden_causes, hidden_kinds};
use plot::FlowRecording;

use crate::pictures::{PictureView, compute_captured_shares, draw_captured_connection};
use crate::{BudgetChart, BudgetRow, Page, PageBlock, PageSection, ReportCell, ReportColumn, ReportTable};

/// Maximum number of connections in the table. The page of a capture of a busy link would otherwise be too large for a
/// browser.
pub const MAX_ROWS: usize = 5_000;

/// A connection of the page.
pub struct ReportConnection {
    /// The explanation of the connection.
    pub explained: ExplainedConnection,
    /// Recording from which the connection is drawn, if any.
    pub recording: Option<FlowRecording>,
    /// Results of the captures at both ends, as names and values; empty for a connection in only one capture.
    pub joined: Vec<(String, String)>,
}

/// Creates the page of a capture, whose file has this name, or of captures of several ends. `connections` has the
/// connections with most data, the largest first. Connections with a recording are drawn.
pub fn render_capture_page(name: &str, file: &CaptureFile, connections: &[ReportConnection]) -> Page {
    let mut sections = vec![build_overview(file, connections)];
    sections.extend(connections.iter().map(build_connection_section));
    sections.push(build_hidden_section());
    Page {
        title: format!("Connections of {name}"),
        subtitle: format!("{} TCP connections, {} frames", file.streams.len(), file.frames),
        sections,
        ..Page::default()
    }
}

/// Returns losses and one-way delays of both directions, as names and values.
pub fn describe_joined_captures(both: &BothEnds<'_>) -> Vec<(String, String)> {
    let captures = both.files.map(|file| file.path.file_name().unwrap_or_default().to_string_lossy());
    let mut facts = vec![("joined".to_owned(), format!("{} at the sender with {}", captures[0], captures[1]))];
    for (name, packets) in [("data", &both.joined.data), ("acknowledgments", &both.joined.acks)] {
        let lost = format!("{} of {}", packets.count_lost(), packets.packets.len());
        facts.push((format!("{name} lost on the path"), lost));
        let delays = packets.delay_quantiles().into_iter();
        let shown: Vec<String> =
            delays.filter_map(|(quantile, delay)| Some(format!("{quantile} {}", format_span(delay?)))).collect();
        if !shown.is_empty() {
            facts.push((format!("one-way delay of {name}"), shown.join(", ")));
        }
    }
    if !both.whole_path {
        facts.push(("part of the path".to_owned(), "the captures are not from both ends".to_owned()));
    }
    facts
}

fn build_overview(file: &CaptureFile, all: &[ReportConnection]) -> PageSection {
    let mut blocks = Vec::new();
    let warnings = collect_capture_warnings(file);
    if !warnings.is_empty() {
        blocks.push(PageBlock::Warnings(warnings));
    }
    let row = |ReportConnection { explained, .. }: &ReportConnection| BudgetRow {
        label: explained.name(),
        took: format!("{:.3} s", explained.report.took.as_secs_f64()),
        shares: compute_captured_shares(&explained.report),
    };
    blocks.push(PageBlock::Budgets(BudgetChart {
        title: "Time budget".into(),
        caption: "What the time of each connection was spent on. The causes add up to its time.".into(),
        rows: all.iter().map(row).collect(),
    }));
    blocks.push(PageBlock::Table(tabulate_connections(file)));
    PageSection { heading: "All connections".into(), blocks }
}

/// Returns warnings about frames and connections that were not read or are not listed.
fn collect_capture_warnings(file: &CaptureFile) -> Vec<String> {
    let skipped = file.skipped;
    let mut warnings: Vec<String> = file.incomplete.iter().cloned().collect();
    if file.bad_timestamps.frames > 0 {
        warnings.push(file.bad_timestamps.to_string());
    }
    if skipped.damaged > 0 {
        warnings.push(format!("{} frames have damaged or truncated headers", skipped.damaged));
    }
    if skipped.foreign > 0 {
        warnings.push(format!("{} frames have a link type that cannot be read", skipped.foreign));
    }
    let NonTcp { udp, icmp, other } = file.non_tcp;
    if udp + icmp + other > 0 {
        let of = format!("{udp} UDP, {icmp} ICMP, {other} of other IP protocols or later fragments");
        warnings.push(format!("packets that are not explained: {of}"));
    }
    if file.streams.len() > MAX_ROWS {
        warnings.push(format!("of {} connections the {MAX_ROWS} with most data are listed", file.streams.len()));
    }
    warnings
}

fn tabulate_connections(file: &CaptureFile) -> ReportTable {
    let columns = vec![
        ReportColumn::number("stream", "the number for --stream; tcp.stream of Wireshark"),
        ReportColumn::text("client", "the end that opened the connection"),
        ReportColumn::text("server", "the other end"),
        ReportColumn::number("sent B", "bytes of data that the client sent, repetitions included"),
        ReportColumn::number("received B", "bytes of data that the server sent"),
        ReportColumn::number("segments", "segments of both"),
        ReportColumn::number("from s", "the first segment, from the start of the capture"),
        ReportColumn::number("duration s", "from the first to the last segment"),
        ReportColumn::text("seen", "the parts of the connection that were captured"),
    ];
    let whole = |number: u64| ReportCell::number(number as f64, number.to_string());
    let seconds = |span: Span| ReportCell::number(span.as_secs_f64(), format!("{:.3}", span.as_secs_f64()));
    let row = |number: u32| {
        let stream = &file.streams[number as usize];
        let mut seen = Vec::new();
        seen.extend(stream.syn.iter().any(Option::is_some).then_some("SYN"));
        seen.extend(stream.fin.contains(&true).then_some("FIN"));
        seen.extend(stream.reset.then_some("RST"));
        vec![
            whole(number.into()),
            ReportCell::text(stream.ends[0].to_string()),
            ReportCell::text(stream.ends[1].to_string()),
            whole(stream.bytes[0]),
            whole(stream.bytes[1]),
            whole(stream.packets.iter().sum()),
            seconds(stream.start.since(engine::Time::ZERO)),
            seconds(stream.end.since(stream.start)),
            ReportCell::text(seen.join(", ")),
        ]
    };
    let rows = file.by_size().into_iter().take(MAX_ROWS).map(row).collect();
    ReportTable { caption: "TCP connections, those with most data first".into(), columns, rows }
}

fn build_connection_section(connection: &ReportConnection) -> PageSection {
    let ReportConnection { explained, recording, joined } = connection;
    let ExplainedConnection { survey, counts, report, .. } = explained;
    let end = match report.completed.value() {
        Some(true) => "all data acknowledged",
        Some(false) => "not all data acknowledged",
        None => "all captured data acknowledged",
    };
    let rate = survey
        .rate
        .value()
        .map_or("unknown".to_owned(), |rate| Quantity::Rate.format_brief(rate.bits_per_sec() as f64));
    let round_trip = survey.round_trip().value().map_or("unknown".to_owned(), format_span);
    let facts = [
        ("time", format!("{:.3} s, {end}", report.took.as_secs_f64())),
        ("data", format!("{} bytes", survey.bytes)),
        ("segments", format!("{}, {} of them repetitions", counts.segments, counts.repeated)),
        ("timeouts", report.timeouts.value().map_or("not shown".to_owned(), |timeouts| timeouts.to_string())),
        ("captured at", survey.vantage.value().map_or("unknown", |place| place.name()).to_owned()),
        ("min RTT", round_trip),
        ("rate of the slowest link", rate),
    ];
    let facts = facts.map(|(name, value)| (name.to_owned(), value)).into_iter();
    let mut blocks = vec![PageBlock::Facts(facts.chain(joined.iter().cloned()).collect())];
    let notes = explained.notes();
    if !notes.is_empty() {
        blocks.push(PageBlock::Warnings(notes));
    }
    if let Some(recording) = recording {
        let caption = "The costliest findings are marked.".to_owned();
        // The default view covers the whole connection and is never outside of it.
        if let Ok(drawn) = draw_captured_connection(explained, recording, &PictureView::default(), true) {
            blocks.push(PageBlock::Svg { svg: drawn.picture.svg(), caption });
        }
    }
    blocks.push(if report.findings.is_empty() {
        PageBlock::Words("No problem was found of those that this capture shows.".into())
    } else {
        PageBlock::Table(tabulate_findings(explained))
    });
    PageSection { heading: explained.name(), blocks }
}

/// The maximum number of findings in the table of a connection.
const MAX_FINDINGS: usize = 20;

fn tabulate_findings(explained: &ExplainedConnection) -> ReportTable {
    let findings = &explained.report.findings;
    let columns = vec![
        ReportColumn::text("finding", "the kind of problem"),
        ReportColumn::number("from s", "from the start of the capture"),
        ReportColumn::number("to s", "from the start of the capture"),
        ReportColumn::number("cost ms", "the time lost"),
        ReportColumn::text("what happened", ""),
    ];
    let seconds = |at: engine::Time| ReportCell::number(at.as_secs_f64(), format!("{:.3}", at.as_secs_f64()));
    let rows = findings.iter().take(MAX_FINDINGS).map(|finding| {
        vec![
            ReportCell::text(finding.kind),
            seconds(finding.from),
            seconds(finding.to),
            ReportCell::number(finding.cost.as_secs_f64(), format_millis_cell(finding.cost)),
            ReportCell::text(finding.text.as_str()),
        ]
    });
    let caption = format!("The costliest of {} findings", findings.len());
    ReportTable { caption, columns, rows: rows.collect() }
}

/// Returns the section about findings and causes that a capture does not show.
fn build_hidden_section() -> PageSection {
    let kinds = hidden_kinds(CaptureParts::ALL);
    let mut elsewhere = hidden_kinds(CaptureParts::SYN);
    elsewhere.retain(|kind| !kinds.contains(kind));
    let mut words = format!(
        "Findings that no capture shows: {}. Findings that only a capture at the sender shows: {}.\n\n\
        Causes that a capture does not separate:\n",
        kinds.join(", "),
        elsewhere.join(", ")
    );
    for (name, causes) in hidden_causes() {
        let causes: Vec<&str> = causes.iter().map(|cause| cause.name()).collect();
        words.push_str(&format!("\n- *{name}*: {}", causes.join(", ")));
    }
    words.push_str(
        "\n\nA capture does not show cwnd: slow-start and congestion-avoidance follow from the data in flight.",
    );
    PageSection { heading: "Not shown by this capture".into(), blocks: vec![PageBlock::Words(words)] }
}
