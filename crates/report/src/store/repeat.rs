//! The scenario and the commands that repeat a sweep, or one of its runs.

use lab::sweep::analysis::{Analysis, CellRuns};
use scenario::document::read_back;
use scenario::sweep::Replications;
use serde_json::Value;

use crate::page::Block;

/// Maximum number of seeds in a list; further seeds are left out.
const MAX_SEEDS: usize = 5;

/// Returns the seeds of the runs as a list; `None` without runs. Replications have the same seed.
pub(super) fn seeds(analysis: &Analysis) -> Option<String> {
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

pub(super) fn blocks(analysis: &Analysis) -> Vec<Block> {
    let sweep = &analysis.sweep;
    let file = format!("{}.toml", sweep.name);
    let mut blocks = vec![
        Block::Words(format!(
            "# Repeat it\n\nThe same scenario gives bit-identical results with lasthop {} and any other version with \
             model {}.",
            sweep.lasthop, sweep.model
        )),
        Block::Code {
            text: sweep.scenario.trim_end().to_owned(),
            caption: format!("The scenario; save it as {file}:"),
        },
    ];
    let again = quoted(&format!("{}-again.sqlite", sweep.name));
    let command =
        format!("lasthop sweep {} --out {again}{}{}", quoted(&file), replications(analysis), metrics(analysis));
    blocks.push(Block::Code { text: command, caption: "The sweep again, in a new store:".into() });
    if let Some((runs, replication)) = example(analysis) {
        let text = format!("lasthop run {}{}", quoted(&file), settings(runs, replication));
        let case = if runs.cell.case_name.is_empty() { String::new() } else { format!(" of {}", runs.cell.case_name) };
        let caption =
            format!("One run: replication {replication}{case}. For another run, replace its number and values:");
        blocks.push(Block::Code { text, caption });
    }
    blocks
}

/// Returns the option for the number of replications; empty if the scenario has the same fixed number, or runs until it
/// is precise. The store may hold more replications than the scenario asks for.
fn replications(analysis: &Analysis) -> String {
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
fn metrics(analysis: &Analysis) -> String {
    let scenario: Option<toml::Table> = analysis.sweep.scenario.parse().ok();
    let named = scenario.as_ref().and_then(|scenario| scenario.get("sweep")?.get("metrics")?.as_array());
    let named: Vec<&str> = named.into_iter().flatten().filter_map(toml::Value::as_str).collect();
    if named == analysis.sweep.metrics {
        return String::new();
    }
    analysis.sweep.metrics.iter().map(|name| format!(" --metric {}", quoted(name))).collect()
}

/// Returns the first run of the last case, whose settings differ most from the scenario.
fn example(analysis: &Analysis) -> Option<(&CellRuns, u64)> {
    let last = analysis.cells.iter().rev().find(|runs| !runs.runs.is_empty())?;
    Some((last, last.runs.first()?.0))
}

/// Returns the options that turn the scenario into this run. The case's changes follow the point's, as in the sweep.
fn settings(runs: &CellRuns, replication: u64) -> String {
    let mut out = format!(" --set replication={replication}");
    for (key, value) in runs.cell.changes.iter().chain(&runs.cell.case_changes) {
        out.push_str(&format!(" --set {}", quoted(&format!("{key}={}", written(value)))));
    }
    out
}

/// Formats a value for `--set`: as TOML, or as bare text if the text is not valid TOML.
fn written(value: &Value) -> String {
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
fn quoted(word: &str) -> String {
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
        assert_eq!(written(&json!("50 ms")), "50 ms");
        assert_eq!(written(&json!("refined-icmp")), "refined-icmp");
        assert_eq!(written(&json!("7")), "\"7\"");
        assert_eq!(written(&json!(" a")), "\" a\"");
        assert_eq!(written(&json!(7)), "7");
        assert_eq!(written(&json!(0.5)), "0.5");
        assert_eq!(written(&json!({"kind": "perfect"})), "{ kind = \"perfect\" }");
    }

    #[test]
    fn words_are_quoted_for_the_shell() {
        assert_eq!(quoted("a=b-c"), "a=b-c");
        assert_eq!(quoted("a=it's $HOME"), r"'a=it'\''s $HOME'");
    }
}
