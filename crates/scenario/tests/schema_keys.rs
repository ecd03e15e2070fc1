//! Every key of the JSON Schema, as `--set` names it, with the assignments that it needs and a value.

use serde_json::Value;

/// Maximum depth of nested tables, since mixtures of mixtures have no limit.
const MAX_DEPTH: usize = 7;

/// A key with its prerequisites and a value.
pub struct Key {
    /// The path of the key, such as `links.air.channel.loss`.
    pub path: String,
    /// Assignments of the kinds of the tables around the key.
    pub kinds: Vec<String>,
    /// Assignments of the required keys of these tables.
    pub required: Vec<String>,
    /// A value of the key's type.
    pub sample: String,
    /// Default of the key in the schema.
    pub default: Option<Value>,
}

/// A valid scenario with each kind of entry, under the names of [`NAMES`].
pub const BASE: &str = r#"
duration = "10 s"
nodes.a = { kind = "host" }
nodes.b = { kind = "host" }
nodes.c = { kind = "host", position = ["0 m", "0 m"] }
nodes.x = { kind = "base-station", position = ["1 m", "0 m"] }
links.air = { kind = "wireless", between = ["a", "x"], rate = "8 Mbps", delay = "1 ms" }
links.wire = { kind = "wired", between = ["x", "b"], rate = "8 Mbps", delay = "1 ms" }
links.radio = { kind = "wireless", between = ["x", "c"], medium = "cell" }
media.cell = { range = "100 m" }
flows.down = { from = "a", to = "b" }
arrivals.short = { from = "a", to = "b", rate = "1 /s", sizes = "fixed" }
"#;

/// The entry of each table of names in which keys are set.
const NAMES: [(&str, &str); 5] =
    [("nodes", "a"), ("links", "air"), ("media", "cell"), ("flows", "down"), ("arrivals", "short")];

/// Returns whether a path is that of an entry in a table of names.
pub fn is_entry(path: &str) -> bool {
    NAMES.iter().any(|(table, name)| path == format!("{table}.{name}"))
}

impl Key {
    /// Assignments required by the key. A table is set before its keys.
    pub fn needs(&self) -> impl Iterator<Item = String> + use<> {
        let mut all: Vec<String> = self.kinds.iter().chain(&self.required).cloned().collect();
        all.sort_by_key(|set| set.split('=').next().unwrap_or_default().matches(['.', '[']).count());
        all.into_iter()
    }

    /// Kind of the table that contains the key.
    pub fn kind(&self) -> Option<&str> {
        let (table, kind) = self.kinds.last()?.split_once(".kind=")?;
        let within = self.path.strip_prefix(table)?.strip_prefix('.')?;
        (!within.contains(['.', '['])).then_some(kind)
    }

    /// Whether another key has the same settings: settings of a direction, and TCP settings of arriving flows.
    pub fn is_repeated(&self) -> bool {
        let is_direction = |part| ["forward", "backward"].contains(&part);
        (self.path.starts_with("links.")
            && self.path.split('.').skip(3).any(is_direction)
            && !self.path.contains("delivery_trace"))
            || self.path.starts_with("arrivals.short.tcp.")
    }

    /// Path of the key with `NAME` for names, and without item numbers.
    pub fn reference_path(&self) -> String {
        let named = NAMES.iter().find_map(|(table, name)| {
            let rest = self.path.strip_prefix(&format!("{table}.{name}"))?;
            Some(format!("{table}.NAME{rest}"))
        });
        named.unwrap_or_else(|| self.path.clone()).replace("[0]", "[]")
    }
}

/// The schema, with references resolved.
struct Schema(Value);

impl Schema {
    /// The alternatives of a schema, with references resolved.
    fn alternatives<'a>(&'a self, schema: &'a Value) -> Vec<&'a Value> {
        let mut all = vec![schema];
        if let Some(target) = schema["$ref"].as_str() {
            all.extend(self.alternatives(self.0.pointer(&target[1..]).unwrap()));
        }
        let nested = ["anyOf", "oneOf", "allOf"].into_iter().filter_map(|key| schema[key].as_array()).flatten();
        // The table is set, not the name that stands for it.
        let nested = nested.filter(|schema| schema[engine::bare_name::KEYWORD].is_null());
        all.extend(nested.flat_map(|schema| self.alternatives(schema)));
        all
    }

    fn collect(&self, schema: &Value, path: &str, [kinds, required]: [&[String]; 2], keys: &mut Vec<Key>) {
        if path.matches(['.', '[']).count() > MAX_DEPTH {
            return;
        }
        for schema in self.alternatives(schema) {
            let mut kinds = kinds.to_vec();
            if let Some(kind) = schema["properties"]["kind"]["const"].as_str() {
                kinds.push(format!("{path}.kind={kind}"));
            }
            let mut required = required.to_vec();
            let properties = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
            // An entry of the base scenario has these keys.
            let is_set = path.is_empty() || is_entry(path);
            let properties = properties.filter(|key| *key != "kind" && !is_set);
            required.extend(properties.map(|key| format!("{path}.{key}={}", self.sample(&schema["properties"][key]))));
            let own = schema["properties"].as_object().into_iter().flatten();
            let mut inner: Vec<(String, &Value)> = own.map(|(key, value)| (key.clone(), value)).collect();
            if schema["additionalProperties"].is_object() {
                let name = NAMES.iter().find(|(table, _)| *table == path).map(|(_, name)| (*name).to_owned());
                inner.push((name.expect("a known table of names"), &schema["additionalProperties"]));
            }
            for (key, value) in inner {
                let path = if path.is_empty() { key } else { format!("{path}.{key}") };
                keys.push(Key {
                    path: path.clone(),
                    kinds: kinds.clone(),
                    required: required.clone(),
                    sample: self.sample(value),
                    default: value.get("default").cloned(),
                });
                self.collect(value, &path, [&kinds, &required], keys);
            }
            if schema["items"].is_object() {
                let path = format!("{path}[0]");
                let sample = self.sample(&schema["items"]);
                keys.push(Key {
                    path: path.clone(),
                    kinds: kinds.clone(),
                    required: required.clone(),
                    sample,
                    default: None,
                });
                self.collect(&schema["items"], &path, [&kinds, &required], keys);
            }
        }
    }

    /// A TOML value of the type of a schema.
    fn sample(&self, schema: &Value) -> String {
        let alternatives = self.alternatives(schema);
        let first = |of: &dyn Fn(&Value) -> Option<String>| alternatives.iter().find_map(|schema| of(schema));
        // A word that omits the key contains no information about its values.
        let word = |schema: &Value| {
            let word = schema["const"].as_str().or(schema["enum"][0].as_str());
            word.filter(|word| *word != engine::or_none::NONE).map(str::to_owned)
        };
        let example = |schema: &Value| {
            let (_, behind) = schema["description"].as_str()?.split_once("such as \"")?;
            schema["pattern"].is_string().then(|| behind.split('"').next().unwrap_or_default().to_owned())
        };
        let of_type = |schema: &Value| {
            Some(match schema["type"].as_str().or(schema["type"][0].as_str())? {
                "integer" => schema["minimum"].as_u64().unwrap_or(0).max(1).to_string(),
                "number" => "0.5".to_owned(),
                "boolean" => "true".to_owned(),
                "array" => {
                    let items = schema["minItems"].as_u64().unwrap_or(1) as usize;
                    format!("[{}]", vec![self.quoted_sample(&schema["items"]); items].join(", "))
                }
                "object" => "{}".to_owned(),
                _ => "text".to_owned(),
            })
        };
        first(&word).or_else(|| first(&example)).or_else(|| first(&of_type)).unwrap_or_else(|| "1".to_owned())
    }

    fn quoted_sample(&self, schema: &Value) -> String {
        let sample = self.sample(schema);
        let is_toml = format!("a = {sample}").parse::<toml::Table>().is_ok();
        if is_toml { sample } else { format!("\"{sample}\"") }
    }
}

/// All keys of the scenario's schema.
pub fn keys() -> Vec<Key> {
    let (schema, mut keys) = (Schema(scenario::schema()), Vec::new());
    schema.collect(&schema.0, "", [&[], &[]], &mut keys);
    keys
}
