//! Files that members read, and properties that members declare.

use std::collections::BTreeMap;
use std::fmt::Arguments;

use engine::registry::{ContentFault, Fault, FileReader, FileSetting, MemberVisitor, Registry};
use engine::{Kind, Member, MemberFile, Members, Named, Open, Span};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;

/// Requirement of lints for a weight.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WeightTraits {
    heavy: bool,
}

mod stone {
    use engine::registry::{FileReader, FileSetting, Settings};
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};

    use super::{Arguments, WeightTraits, grams};

    #[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields, default)]
    pub struct Config {
        #[serde(skip_serializing_if = "Option::is_none")]
        pub file: Option<String>,
        pub grams: Option<u32>,
    }

    impl Settings for Config {
        fn read_files<F: FileReader>(&mut self, key: Arguments<'_>, reader: &mut F) {
            let (file, content) = (&mut self.file, &mut self.grams);
            reader.read_text(FileSetting { key: format_args!("{key}.file"), file, content }, grams);
        }

        fn without_effect(&self) -> Option<&'static str> {
            (self.grams == Some(0)).then_some("a weight above 0")
        }
    }

    impl Config {
        pub fn build(&self, unit: u32) -> u32 {
            unit * self.grams.unwrap_or_default()
        }

        pub fn traits(&self) -> WeightTraits {
            WeightTraits { heavy: self.grams > Some(1000) }
        }
    }
}

mod feather {
    pub use engine::registry::NoSettings as Config;

    pub fn build(unit: u32) -> u32 {
        unit
    }
}

mod anvil {
    pub use engine::registry::NoSettings as Config;

    pub fn build(unit: u32) -> u32 {
        unit * 100_000
    }

    pub fn traits() -> super::WeightTraits {
        super::WeightTraits { heavy: true }
    }
}

engine::registry! {
    /// Weights.
    pub enum Weight: "weight" => build(unit: u32) -> u32, with traits: WeightTraits {
        Stone => stone, "stone", "As heavy as a file says", with traits;
        Feather => feather, "feather", "Light", no settings;
        Anvil => anvil, "anvil", "Heavy", no settings, with traits;
    }
}

fn grams(text: &str) -> Result<u32, ContentFault> {
    text.trim().parse().map_err(|_| ContentFault::new(1, "a number of grams"))
}

/// A weight from outside.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Brick {
    file: Option<String>,
    #[serde(default)]
    grams: u8,
}

impl Member<Weight> for Brick {
    fn files(&self) -> Vec<MemberFile> {
        vec![MemberFile::text("file", "grams", grams)]
    }

    fn traits(&self) -> WeightTraits {
        WeightTraits { heavy: self.grams > 100 }
    }

    fn without_effect(&self) -> Option<&'static str> {
        (self.grams == 0).then_some("a brick that weighs something")
    }

    fn build(&self, unit: u32) -> u32 {
        assert_eq!(self.file, None, "the file was read");
        unit * u32::from(self.grams)
    }
}

/// Files in memory, and the reported errors.
#[derive(Default)]
struct Shelf {
    files: BTreeMap<&'static str, &'static str>,
    reports: Vec<String>,
}

impl FileReader for Shelf {
    fn read_text<T>(&mut self, setting: FileSetting<'_, T>, parse: impl FnOnce(&str) -> Result<T, ContentFault>) {
        let Some(name) = setting.file.take() else { return };
        match parse(self.files[&*name]) {
            Ok(content) => *setting.content = Some(content),
            Err(ContentFault { line, expected }) => self.reports.push(format!("{} {line}: {expected}", setting.key)),
        }
    }

    fn read_toml<T: DeserializeOwned>(&mut self, _: FileSetting<'_, T>, _: &str, _: impl FnOnce(&T) -> Vec<Fault>) {
        panic!("no weight is TOML");
    }

    fn read_states(&mut self, _: FileSetting<'_, Vec<Span>>) {
        panic!("no weight has states");
    }

    fn refuse(&mut self, key: Arguments<'_>, expected: String) {
        self.reports.push(format!("{key}: {expected}"));
    }
}

impl MemberVisitor for Shelf {
    fn visit_member<R: Open>(&mut self, key: Arguments<'_>, member: &mut R) {
        member.read_files(key, self);
    }
}

fn resolved(value: serde_json::Value) -> Weight {
    let mut members = Members::default();
    members.add::<Weight>(Kind::<Brick>::new("brick", "A weight from outside").version("1")).unwrap();
    let mut weight = serde_json::from_value::<Named<Weight>>(value).unwrap().0;
    members.resolve(&mut weight).unwrap();
    weight
}

/// The weight after its files were read, and the reports.
fn read(value: serde_json::Value, text: &'static str) -> (Weight, Vec<String>) {
    let mut shelf = Shelf { files: BTreeMap::from([("weight.txt", text)]), reports: Vec::new() };
    let mut weight = resolved(value);
    weight.visit(format_args!("load.weight"), &mut shelf);
    (weight, shelf.reports)
}

#[test]
fn content_replaces_the_name_of_the_file() {
    for kind in ["stone", "brick"] {
        // Reading files into a member does not change a copy of the member.
        let before = resolved(json!({ "kind": kind, "file": "weight.txt" }));
        let mut weight = before.clone();
        let mut shelf = Shelf { files: BTreeMap::from([("weight.txt", "12\n")]), ..Shelf::default() };
        weight.visit(format_args!("load.weight"), &mut shelf);
        assert_eq!((weight.build(2), shelf.reports), (24, vec![]), "{kind}");
        assert_eq!(serde_json::to_value(&weight).unwrap(), json!({ "kind": kind, "grams": 12 }));
        assert!(serde_json::to_string(&before).unwrap().contains("weight.txt"));
    }
}

#[test]
fn settings_without_a_file_are_unchanged() {
    for kind in ["stone", "brick"] {
        let (weight, reports) = read(json!({ "kind": kind, "grams": 3 }), "12");
        assert_eq!((weight.build(1), reports), (3, vec![]), "{kind}");
    }
}

#[test]
fn wrong_content_is_reported_with_the_key() {
    for kind in ["stone", "brick"] {
        let (_, reports) = read(json!({ "kind": kind, "file": "weight.txt" }), "heavy");
        assert_eq!(reports, ["load.weight.file 1: a number of grams"], "{kind}");
    }
    // The text is valid, and the setting that takes its content is smaller.
    let (_, reports) = read(json!({ "kind": "brick", "file": "weight.txt" }), "256");
    assert_eq!(reports.len(), 1);
    assert!(reports[0].starts_with("load.weight.grams: invalid value: integer `256`"), "{reports:?}");
}

#[test]
fn members_state_their_properties_or_have_the_default() {
    let heavy = |value| resolved(value).traits().heavy;
    assert!(heavy(json!("anvil")) && heavy(json!({ "kind": "stone", "grams": 1001 })));
    assert!(heavy(json!({ "kind": "brick", "grams": 101 })));
    assert!(!heavy(json!("feather")) && !heavy(json!("stone")) && !heavy(json!({ "kind": "brick", "grams": 100 })));
    assert_eq!(Weight::members().len(), 3);
    assert_eq!((resolved(json!("anvil")).build(1), resolved(json!("feather")).build(1)), (100_000, 1));
}

#[test]
fn member_without_effect_states_its_requirement() {
    let expected = |value| resolved(value).without_effect();
    assert_eq!(expected(json!({ "kind": "stone", "grams": 0 })), Some("a weight above 0"));
    assert_eq!(expected(json!({ "kind": "brick", "grams": 0 })), Some("a brick that weighs something"));
    assert_eq!([expected(json!("anvil")), expected(json!({ "kind": "brick", "grams": 1 }))], [None, None]);
}
