//! Defaults decided by another key: the variant of TCP, the standard of a medium, the application, the profile. They
//! equal the defaults applied by the code.

use engine::Stream;
use engine::registry::by_name;
use path::mac::dcf::{self, Phy, Standard};
use serde::Serialize;
use serde_json::{Value, json};
use sim::ApplicationConfig;
use tcp::config::Config;
use tcp::presets::{self, PRESETS};

/// The values of a key by preset, the usual preset first.
type ByPreset = Vec<(String, Value)>;

/// Default of a key with the usual preset, and with the others.
pub struct Presets {
    /// With the usual preset.
    pub usual: Value,
    /// Names of other presets, with their defaults.
    pub others: Vec<(Vec<String>, Value)>,
}

impl Presets {
    /// Default of the key `path`, whose schema is `value`; `None` if no preset decides the default.
    pub fn of(path: &str, value: &Value) -> Option<Self> {
        let profiles = value["profileDefaults"].as_object();
        let by_preset = match profiles {
            Some(profiles) => profiles.iter().map(|(name, value)| (format!("profile {name}"), value.clone())).collect(),
            None => by_preset(path)?,
        };
        Some(Presets::group(by_preset))
    }

    fn group(by_preset: ByPreset) -> Self {
        let mut all = by_preset.into_iter();
        let (_, usual) = all.next().unwrap();
        let mut others: Vec<(Vec<String>, Value)> = Vec::new();
        for (name, value) in all.filter(|(_, value)| *value != usual) {
            match others.iter_mut().find(|(_, known)| *known == value) {
                Some((names, _)) => names.push(name),
                None => others.push((vec![name], value)),
            }
        }
        Presets { usual, others }
    }
}

fn by_preset(path: &str) -> Option<ByPreset> {
    if let Some(key) = path.strip_prefix("flows.NAME.tcp.") {
        return of_variants(&format!("/{}", key.replace('.', "/")));
    }
    if path == "flows.NAME.transport" {
        return Some(of_applications());
    }
    of_standards(path.strip_prefix("media.NAME.")?)
}

fn of_variants(pointer: &str) -> Option<ByPreset> {
    let value = |config: &Config| {
        let all = to_json(config);
        let value = all.pointer(pointer).cloned()?;
        // A member of a registry is named by a key of the table, other types by a key of a nested table.
        Some(if pointer.matches('/').count() == 1 { changed_settings(pointer, value) } else { value })
    };
    let mut thesis = PRESETS[0].config();
    thesis.merge(&presets::build_goel1997_table(&thesis));
    let of_variants = PRESETS.iter().map(|preset| Some((preset.name.to_owned(), value(&preset.config())?)));
    of_variants.chain([Some(("profile goel1997".to_owned(), value(&thesis)?))]).collect()
}

/// A member of a registry without the settings that have their default.
fn changed_settings(pointer: &str, member: Value) -> Value {
    let Some(kind) = member["kind"].as_str() else { return member };
    let usual = match pointer {
        "/control" => by_name::<tcp::cc::ControlConfig>(kind).map(|usual| to_json(&usual)),
        "/recovery" => by_name::<tcp::recovery::RecoveryConfig>(kind).map(|usual| to_json(&usual)),
        _ => None,
    };
    let usual = usual.unwrap_or_default();
    let is_changed = |(key, value): &(&String, &Value)| *key == "kind" || usual.get(*key) != Some(*value);
    let all = member.as_object().into_iter().flatten();
    Value::Object(all.filter(is_changed).map(|(key, value)| (key.clone(), value.clone())).collect())
}

fn of_standards(key: &str) -> Option<ByPreset> {
    let value = |standard: Standard| {
        let config = dcf::Config { standard, ..dcf::Config::default() };
        let phy = Phy::new(&config);
        let basic = standard.control_modes().iter().filter(|mode| mode.basic).map(|mode| mode.rate);
        Some(match key {
            "rate" => to_json(&config.data_rate()),
            "basic_rates" => to_json(&basic.collect::<Vec<_>>()),
            "slot" => to_json(&phy.slot),
            "sifs" => to_json(&phy.sifs),
            "cw_min" => to_json(&phy.cw_min),
            "cw_max" => to_json(&phy.cw_max),
            "answer_timeout" => to_json(&phy.answer_timeout),
            "eifs" => to_json(&phy.eifs),
            _ => return None,
        })
    };
    let usual = Standard::default();
    let standards = [usual].into_iter().chain(Standard::ALL.into_iter().filter(|standard| *standard != usual));
    standards.map(|standard| Some((standard.to_string(), value(standard)?))).collect()
}

fn of_applications() -> ByPreset {
    let transport = |config: ApplicationConfig| json!(config.build(Stream::default()).usual_transport());
    let usual = [("bulk".to_owned(), transport(ApplicationConfig::default()))];
    let named = ApplicationConfig::MEMBERS.iter().filter_map(|(name, _)| {
        // An application with required settings, or with wrong settings, runs over TCP.
        let config = by_name::<ApplicationConfig>(name).filter(|config| config.check().is_empty())?;
        Some(((*name).to_owned(), transport(config)))
    });
    usual.into_iter().chain(named).collect()
}

fn to_json(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap()
}
