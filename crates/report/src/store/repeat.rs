//! What it takes to repeat a sweep, or one of its runs: the scenario and commands.

use lab::sweep::analysis::{Analysis, CellRuns};
use scenario::document::read_back;
use scenario::sweep::Replications;
use serde_json::Value;

use crate::page::Block;

/// Seeds that are listed; of more only the first ones.
const MOST_SEEDS: usize = 5;

/// The seeds that runs began with; none without runs. Replications differ without differing in it.
pub(super) fn seeds(analysis: &Analysis) -> Option<String> {
    let mut seeds: Vec<u64> = Vec::new();
    for (_, summary) in analysis.cells.iter().flat_map(|runs| &runs.runs) {
        if !seeds.contains(&summary.seed) {
            seeds.push(summary.seed);
        }
    }
    let shown: Vec<String> = seeds.iter().take(MOST_SEEDS).map(u64::to_string).collect();
    let more = if seeds.len() > MOST_SEEDS { ", ..." } else { "" };
    (!shown.is_empty()).then(|| format!("{}{more}", shown.join(", ")))
}

pub(super) fn blocks(analysis: &Analysis) -> Vec<Block> {
    let sweep = &analysis.sweep;
    let file = format!("{}.toml", sweep.name);
    let mut blocks = vec![
        Block::Words(format!(
            "# Repeat it\n\nThe same scenario gives the same results to the last bit with lasthop {} and any other \
             version with model {}.",
            sweep.lasthop, sweep.model
        )),
        Block::Code {
            text: sweep.scenario.trim_end().to_owned(),
            caption: format!("The scenario. Keep it as {file}:"),
        },
    ];
    let again = quoted(&format!("{}-again.sqlite", sweep.name));
    let command =
        format!("lasthop sweep {} --out {again}{}{}", quoted(&file), replications(analysis), metrics(analysis));
    blocks.push(Block::Code { text: command, caption: "The sweep again, in a store of its own:".into() });
    if let Some((runs, replication)) = example(analysis) {
        let text = format!("lasthop run {}{}", quoted(&file), settings(runs, replication));
        let case = if runs.cell.case_name.is_empty() { String::new() } else { format!(" of {}", runs.cell.case_name) };
        let caption =
            format!("One run: replication {replication}{case}. Any other: its number and its values instead.");
        blocks.push(Block::Code { text, caption });
    }
    blocks
}

/// How many replications there are, as an option where the scenario has another fixed number: a store keeps more than
/// were asked for last.
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

/// The sweep's figures as options, where its scenario does not name them.
fn metrics(analysis: &Analysis) -> String {
    let scenario: Option<toml::Table> = analysis.sweep.scenario.parse().ok();
    let named = scenario.as_ref().and_then(|scenario| scenario.get("sweep")?.get("metrics")?.as_array());
    let named: Vec<&str> = named.into_iter().flatten().filter_map(toml::Value::as_str).collect();
    if named == analysis.sweep.metrics {
        return String::new();
    }
    analysis.sweep.metrics.iter().map(|name| format!(" --metric {}", quoted(name))).collect()
}

/// The first run of the last case: the one with the most that differs from the scenario.
fn example(analysis: &Analysis) -> Option<(&CellRuns, u64)> {
    let last = analysis.cells.iter().rev().find(|runs| !runs.runs.is_empty())?;
    Some((last, last.runs.first()?.0))
}

/// The options that make the scenario this run's. The case's changes come after the point's, as in the sweep.
fn settings(runs: &CellRuns, replication: u64) -> String {
    let mut out = format!(" --set replication={replication}");
    for (key, value) in runs.cell.changes.iter().chain(&runs.cell.case_changes) {
        out.push_str(&format!(" --set {}", quoted(&format!("{key}={}", written(value)))));
    }
    out
}

/// A value as `--set` reads it: TOML, and text that is no TOML as itself.
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

/// A word as a shell reads it.
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
    fn values_are_written_as_they_are_read() {
        assert_eq!(written(&json!("50 ms")), "50 ms");
        assert_eq!(written(&json!("refined-icmp")), "refined-icmp");
        assert_eq!(written(&json!("7")), "\"7\"");
        assert_eq!(written(&json!(" a")), "\" a\"");
        assert_eq!(written(&json!(7)), "7");
        assert_eq!(written(&json!(0.5)), "0.5");
        assert_eq!(written(&json!({"kind": "perfect"})), "{ kind = \"perfect\" }");
    }

    #[test]
    fn words_survive_a_shell() {
        assert_eq!(quoted("a=b-c"), "a=b-c");
        assert_eq!(quoted("a=it's $HOME"), r"'a=it'\''s $HOME'");
    }
}
