//! The registries of the tree, and a dummy for each.

use std::fs;
use std::path::{Path, PathBuf};

/// A registry: a call of `engine::registry!`.
#[derive(Debug)]
pub struct Registry {
    /// The file with the call, from the root of the tree.
    pub file: PathBuf,
    /// What its members are.
    pub what: String,
}

/// A member to add.
pub struct Dummy {
    /// The kind of the registry's members.
    pub what: &'static str,
    /// Its file.
    pub source: &'static str,
    /// A scenario that does not name the member.
    pub scenario: &'static str,
    /// Text that names the member in the scenario.
    pub set: &'static str,
    /// Settings of the run used for comparison.
    pub beside: Option<&'static str>,
}

const PATH: &str = include_str!("dummies/path.toml");
const UPLOAD: &str = include_str!("dummies/upload.toml");
const MEDIUM: &str = include_str!("dummies/medium.toml");

/// A dummy for each registry.
pub const DUMMIES: [Dummy; 13] = [
    Dummy {
        what: "size distribution",
        source: include_str!("dummies/size.rs"),
        scenario: include_str!("dummies/arrivals.toml"),
        set: "arrivals.short.sizes=dummy",
        beside: None,
    },
    Dummy {
        what: "channel",
        source: include_str!("dummies/channel.rs"),
        scenario: PATH,
        set: "links.air.channel=dummy",
        beside: None,
    },
    Dummy {
        what: "rate control",
        source: include_str!("dummies/rate_control.rs"),
        scenario: MEDIUM,
        set: "media.cell.rate_control=dummy",
        beside: None,
    },
    Dummy {
        what: "link layer",
        source: include_str!("dummies/arq.rs"),
        scenario: PATH,
        set: "links.air.arq=dummy",
        beside: None,
    },
    Dummy {
        what: "scheme",
        source: include_str!("dummies/scheme.rs"),
        scenario: UPLOAD,
        set: "scheme=dummy",
        beside: None,
    },
    Dummy {
        what: "queue discipline",
        source: include_str!("dummies/queue.rs"),
        scenario: PATH,
        set: "links.air.queue=dummy",
        beside: None,
    },
    Dummy {
        what: "scheduler",
        source: include_str!("dummies/scheduler.rs"),
        scenario: include_str!("dummies/shared.toml"),
        set: "nodes.base.scheduler=dummy",
        beside: None,
    },
    Dummy {
        what: "delay distribution",
        source: include_str!("dummies/delay.rs"),
        scenario: PATH,
        set: "links.wire.jitter.delay={kind=\"dummy\"}",
        beside: None,
    },
    Dummy {
        what: "application",
        source: include_str!("dummies/traffic.rs"),
        scenario: PATH,
        set: "flows.f.traffic=dummy",
        beside: None,
    },
    Dummy {
        what: "loss differentiation",
        source: include_str!("dummies/differentiation.rs"),
        scenario: PATH,
        set: "flows.f.tcp.loss_differentiation=dummy",
        beside: None,
    },
    Dummy {
        what: "response",
        source: include_str!("dummies/response.rs"),
        scenario: UPLOAD,
        set: "scheme=dummy",
        beside: Some("nodes.base.scheme=dummy"),
    },
    Dummy {
        what: "recovery",
        source: include_str!("dummies/recovery.rs"),
        scenario: PATH,
        set: "flows.f.tcp.recovery=dummy",
        beside: None,
    },
    Dummy {
        what: "congestion control",
        source: include_str!("dummies/control.rs"),
        scenario: PATH,
        set: "flows.f.tcp.control=dummy",
        beside: None,
    },
];

const CALL: &str = "engine::registry! {";

/// Every registry in the sources of the crates, by file.
pub fn find_registries(tree: &Path) -> Result<Vec<Registry>, String> {
    let mut files = Vec::new();
    collect_sources(&tree.join("crates"), &mut files)?;
    files.sort();
    let mut found = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        for call in text.split(&format!("\n{CALL}")).skip(1) {
            let what =
                call.split_once(": \"").and_then(|(_, rest)| rest.split_once('"')).map(|(what, _)| what.to_owned());
            let what = what.ok_or_else(|| format!("{}: a registry without a description", file.display()))?;
            let file = file.strip_prefix(tree).unwrap_or(&file).to_owned();
            if found.iter().any(|other: &Registry| other.file == file) {
                return Err(format!("{}: two registries in one file", file.display()));
            }
            found.push(Registry { file, what });
        }
    }
    Ok(found)
}

/// The Rust files in folders called `src` below `folder`.
fn collect_sources(folder: &Path, found: &mut Vec<PathBuf>) -> Result<(), String> {
    let failed = |error| format!("{}: {error}", folder.display());
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_dir() {
            collect_sources(&path, found)?;
        } else if path.extension().is_some_and(|ending| ending == "rs") && path.iter().any(|part| part == "src") {
            found.push(path);
        }
    }
    Ok(())
}

/// The dummy for a registry.
pub fn dummy_of(registry: &Registry) -> Result<&'static Dummy, String> {
    DUMMIES.iter().find(|dummy| dummy.what == registry.what).ok_or_else(|| {
        format!(
            "{} has a registry of \"{}\", and xtask/src/census no dummy for it",
            registry.file.display(),
            registry.what
        )
    })
}

/// The registry's file with the two lines of a member.
pub fn with_dummy(text: &str, registry: &Registry) -> Result<String, String> {
    let missing = |what: &str| format!("{}: no {what}", registry.file.display());
    let call = text.find(&format!("\n{CALL}")).ok_or_else(|| missing("registry"))?;
    let close = text[call..].find("\n    }\n").ok_or_else(|| missing("end of the registry's members"))? + call + 1;
    let module = text.find("\npub mod ").or_else(|| text.find("\nmod ")).ok_or_else(|| missing("modules"))? + 1;
    let member = "        Dummy => dummy, \"dummy\", \"A dummy of the census\", no settings;\n";
    let (before, after) = text.split_at(close);
    let (head, rest) = before.split_at(module);
    Ok(format!("{head}pub mod dummy;\n{rest}{member}{after}"))
}

/// The files that a new member touches, for the page.
pub fn render_registries(registries: &[Registry]) -> Result<String, String> {
    let mut rows: Vec<String> = Vec::new();
    for registry in registries {
        dummy_of(registry)?;
        let (file, folder) = (registry.file.display(), registry.file.parent().unwrap_or(Path::new("")).display());
        rows.push(format!("| {} | `{folder}/NAME.rs` | [{file}]({file}) |\n", registry.what));
    }
    rows.sort();
    Ok(format!("| a new | is a file | and two lines in |\n|---|---|---|\n{}", rows.concat()))
}
