//! The loader and the lints query members, and do not name any. Therefore outside members are treated in the same way.

use std::path::{Path, PathBuf};

use path::agent::AgentConfig;
use path::channel::ChannelConfig;
use path::link::jitter::DelayConfig;
use path::mac::arq::ArqConfig;
use path::mac::dcf::rate::RateControlConfig;
use path::queue::QueueConfig;
use path::scheduler::SchedulerConfig;
use sim::{ApplicationConfig, SizeConfig};
use tcp::cc::ControlConfig;
use tcp::differentiation::DifferentiationConfig;
use tcp::recovery::RecoveryConfig;
use tcp::response::ResponseConfig;

const REGISTRIES: [&[(&str, &str)]; 13] = [
    AgentConfig::MEMBERS,
    ApplicationConfig::MEMBERS,
    ArqConfig::MEMBERS,
    ChannelConfig::MEMBERS,
    ControlConfig::MEMBERS,
    DelayConfig::MEMBERS,
    DifferentiationConfig::MEMBERS,
    QueueConfig::MEMBERS,
    RateControlConfig::MEMBERS,
    RecoveryConfig::MEMBERS,
    ResponseConfig::MEMBERS,
    SchedulerConfig::MEMBERS,
    SizeConfig::MEMBERS,
];

/// The lines of code, without comments and tests.
fn code(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().take_while(|line| *line != "#[cfg(test)]");
    lines.filter(|line| !line.trim_start().starts_with("//"))
}

/// Returns the way in which a line of code names a member, if it does: by its variant, by its module, or by its name
/// alone.
fn named_member(line: &str) -> Option<String> {
    let mut variants = line.split("Config::").skip(1).map(|rest| rest.split(|c: char| !c.is_alphanumeric()).next());
    let is_variant = |name: &str| {
        name != "Custom" && name.starts_with(|c: char| c.is_ascii_uppercase()) && name.contains(char::is_lowercase)
    };
    if let Some(variant) = variants.find_map(|name| name.filter(|name| is_variant(name))) {
        return Some(variant.to_owned());
    }
    let is_import = line.trim_start().starts_with("use ");
    let names = |member: &str| {
        let module = member.replace('-', "_");
        let words = line.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':');
        let in_path = |word: &str| {
            let mut parts = word.split("::").peekable();
            let mut found = false;
            while let Some(part) = parts.next() {
                found |= part == module && (is_import || module.contains('_') || parts.peek().is_some());
            }
            found
        };
        words.into_iter().any(in_path) || line.contains(&format!("\"{member}\""))
    };
    REGISTRIES.iter().copied().flatten().map(|(name, _)| *name).find(|name| names(name)).map(str::to_owned)
}

#[test]
fn loader_and_lints_mention_no_component_by_name() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files: Vec<PathBuf> = ["load.rs", "members.rs", "outside.rs"].map(|file| src.join(file)).to_vec();
    for folder in ["load", "lint"] {
        let entries = std::fs::read_dir(src.join(folder)).expect("a folder of sources");
        files.extend(entries.map(|entry| entry.expect("a source").path()));
    }
    assert!(files.len() > 25, "{files:?}");
    for file in files.iter().filter(|file| !file.ends_with("testing.rs")) {
        let text = std::fs::read_to_string(file).expect("a source");
        for line in code(&text) {
            assert_eq!(named_member(line), None, "{}: {line}", file.display());
        }
    }
}

#[test]
fn member_is_found_in_each_form_of_code() {
    for (line, member) in [
        ("QueueConfig::CoDel(config) => config.ecn,", "CoDel"),
        ("let ChannelConfig::Absence(config) = channel else {", "Absence"),
        ("use path::queue::{Limit, drop_tail};", "drop-tail"),
        ("use path::channel::signal;", "signal"),
        ("let limit = queue.drop_tail();", "drop-tail"),
        ("let Ok(writes) = recorded::parse(text) else {", "recorded"),
        ("if scheme != \"unmodified\" {", "unmodified"),
    ] {
        assert_eq!(named_member(line).as_deref(), Some(member), "{line}");
    }
    for line in [
        "ResponseConfig::default()",
        "QueueConfig::MEMBERS",
        "ApplicationConfig::Custom(_)",
        "let signal = channel.traits().signal?;",
        "problem.hint(\"write recovery = \\\"reno\\\"\")",
    ] {
        assert_eq!(named_member(line), None, "{line}");
    }
}
