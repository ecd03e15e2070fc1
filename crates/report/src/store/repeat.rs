//! The scenario and the commands that repeat a sweep, or one of its runs.

use lab::sweep::analysis::{Analysis, CellRuns};
use scenario::document::read_back;
use scenario::sweep::Replications;
use serde_json::Value;

use crate::page::PageBlock;

/// Maximum number of seeds in a list; further seeds are omitted.
const MAX_SEEDS: usize = 5;

/// Returns the seeds of the runs as a list; `None` without runs. All replications have the same seed.
pub(super) fn list_seeds(analysis: &Analysis) -> Option<String> {
    let mut seeds: Vec<u64> = Vec::new();
    for (_, summary) in analysis.cells.iter().flat_map(|runs| &runs.runs) {
        if !seeds.contains(&summary.seed) {
            seeds.push(summary.seed);
        }
    }
    let shown: Vec<String> = seeds.iter().take(MAX_SEEDS).map(u64::to_string).collect();
    let more = if seeds.len() > MAX_SEEDS { ", ..." } else { "" };
    (!shown.is_empty()).then(|| format!("{}{more}", shown.join(", ")))
}

pub(super) fn render_repeat_blocks(analysis: &Analysis) -> Vec<PageBlock> {
    let sweep = &analysis.sweep;
    let file = format!("{}.toml", sweep.name);
    let mut blocks = vec![
        PageBlock::Words(format!(
            "# Repeat it\n\nThe same scenario gives bit-identical results with lasthop {} and any other version with \
             model {}.",
            sweep.lasthop, sweep.model
        )),
        PageBlock::Code {
            text: sweep.scenario.trim_end().to_owned(),
            caption: format!("The scenario; save it as {file}:"),
        },
    ];
    let again = quote_shell_word(&format!("{}-again.sqlite", sweep.name));
    let command = format!(
        "lasthop sweep {} --out {again}{}{}",
        quote_shell_word(&file),
        replications_option(analysis),
        metric_options(analysis)
    );
    blocks.push(PageBlock::Code { text: command, caption: "The sweep again, in a new store:".into() });
    if let Some((runs, replication)) = select_example_run(analysis) {
        let text = format!("lasthop run {}{}", quote_shell_word(&file), render_set_arguments(runs, replication));
        let case = if runs.cell.case_name.is_empty() { String::new() } else { format!(" of {}", runs.cell.case_name) };
        let caption =
            format!("One run: replication {replication}{case}. For another run, replace its number and values:");
        blocks.push(PageBlock::Code { text, caption });
    }
    blocks
}

/// Returns the option for the number of replications; empty if the scenario has the same fixed number, or runs until it
/// is precise. The store may contain more replications than the scenario requests.
fn replications_option(analysis: &Analysis) -> String {
    let asked = read_back(&analysis.sweep.scenario).map(|kept| kept.sweep.unwrap_or_default().replications);
    let kept = analysis.cells.iter().map(|runs| runs.runs.len() as u64).max().unwrap_or(0);
    match asked {
        Some(Replications::UntilPrecise(_)) => String::new(),
        Some(Replications::Fixed(asked)) if asked == kept => String::new(),
        _ if kept == 0 => String::new(),
        _ => format!(" --replications {kept}"),
    }
}

/// Returns the options for the sweep's metrics; empty if the scenario names the same metrics.
fn metric_options(analysis: &Analysis) -> String {
    let scenario: Option<toml::Table> = analysis.sweep.scenario.parse().ok();
    let named = scenario.as_ref().and_then(|scenario| scenario.get("sweep")?.get("metrics")?.as_array());
    let named: Vec<&str> = named.into_iter().flatten().filter_map(toml::Value::as_str).collect();
    if named == analysis.sweep.metrics {
        return String::new();
    }
    analysis.sweep.metrics.iter().map(|name| format!(" --metric {}", quote_shell_word(name))).collect()
}

/// Returns the first run of the last case, whose settings differ most from the scenario.
fn select_example_run(analysis: &Analysis) -> Option<(&CellRuns, u64)> {
    let last = analysis.cells.iter().rev().find(|runs| !runs.runs.is_empty())?;
    Some((last, last.runs.first()?.0))
}

/// Returns the options that turn the scenario into this run. The changes of the case follow the changes of the point,
/// as in the sweep.
fn render_set_arguments(runs: &CellRuns, replication: u64) -> String {
    let mut out = format!(" --set replication={replication}");
    for (key, value) in runs.cell.changes.iter().chain(&runs.cell.case_changes) {
        out.push_str(&format!(" --set {}", quote_shell_word(&format!("{key}={}", format_set_value(value)))));
    }
    out
}

/// Formats a value for `--set`: as TOML, or as bare text if the text is not valid TOML.
fn format_set_value(value: &Value) -> String {
    let plain = |text: &&str| {
        let toml = format!("value = {text}").parse::<toml::Table>().is_ok();
        !toml && text.trim() == *text && !text.is_empty() && !text.contains(char::is_control)
    };
    match value.as_str().filter(plain) {
        Some(text) => text.to_owned(),
        None => toml::Value::try_from(value).map_or_else(|_| value.to_string(), |value| value.to_string()),
    }
}

/// Quotes a word for a shell.
fn quote_shell_word(word: &str) -> String {
    let harmless = |c: char| c.is_ascii_alphanumeric() || "-_./=:,%+@".contains(c);
    if !word.is_empty() && word.chars().all(harmless) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_written_as_the_set_option_reads_them() {
        assert_eq!(format_set_value(&json!("50 ms")), "50 ms");
        assert_eq!(format_set_value(&json!("refined-icmp")), "refined-icmp");
        assert_eq!(format_set_value(&json!("7")), "\"7\"");
        assert_eq!(format_set_value(&json!(" a")), "\" a\"");
        assert_eq!(format_set_value(&json!(7)), "7");
        assert_eq!(format_set_value(&json!(0.5)), "0.5");
        assert_eq!(format_set_value(&json!({"kind": "perfect"})), "{ kind = \"perfect\" }");
    }

    #[test]
    fn words_are_quoted_for_the_shell() {
        assert_eq!(quote_shell_word("a=b-c"), "a=b-c");
        assert_eq!(quote_shell_word("a=it's $HOME"), r"'a=it'\''s $HOME'");
    }
}
