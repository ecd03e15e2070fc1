//! What a registry's line makes of a module, and what is said of settings.

use engine::named::Named;
use engine::near::nearest;
use engine::registry::{Fault, NoSettings, Registry, Settings};
use engine::units::Bytes;
use serde_json::json;

mod plain {
    pub use engine::registry::NoSettings as Config;

    pub fn build(start: u32) -> String {
        format!("plain from {start}")
    }
}

mod stepped {
    use super::*;

    #[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize, engine::schemars::JsonSchema)]
    #[serde(crate = "engine::serde", deny_unknown_fields)]
    #[schemars(crate = "engine::schemars")]
    pub struct Config {
        pub step: u32,
    }

    impl Settings for Config {
        fn check(&self) -> Vec<Fault> {
            Fault::unless_some("step", self.step, 9).into_iter().collect()
        }
        fn goel1997(&mut self) {
            self.step = 7;
        }
    }

    impl Config {
        pub fn build(&self, start: u32) -> String {
            format!("by {} from {start}", self.step)
        }
    }
}

use engine::serde;

engine::registry! {
    /// Two ways to count.
    pub enum Count: "count" => build(start: u32) -> String {
        Plain => plain, "plain", "By one", no settings;
        Stepped => stepped, "stepped", "By a step";
    }
}

#[test]
fn a_line_of_a_registry_gives_name_settings_and_the_thing() {
    let (plain, mut stepped) = (Count::Plain(NoSettings {}), Count::Stepped(stepped::Config { step: 10 }));
    assert_eq!(Count::members(), [("plain", "By one"), ("stepped", "By a step")]);
    assert_eq!((plain.name(), stepped.name()), ("plain", "stepped"));
    assert_eq!((plain.build(3), stepped.build(3)), ("plain from 3".to_owned(), "by 10 from 3".to_owned()));
    assert_eq!(plain.check(), []);
    assert_eq!(stepped.check(), [Fault::new("step", 10, "1 to 9")]);
    stepped.goel1997();
    assert_eq!(stepped, Count::Stepped(stepped::Config { step: 7 }));
    assert_eq!(stepped.check(), []);
    let mut same = plain.clone();
    same.goel1997();
    assert_eq!(same, plain);
}

#[test]
fn a_member_is_read_by_name_alone_or_as_a_table() {
    let read =
        |value: serde_json::Value| serde_json::from_value::<Named<Count>>(value).map_err(|error| error.to_string());
    assert_eq!(read(json!("plain")), Ok(Named(Count::Plain(NoSettings {}))));
    let stepped = Named(Count::Stepped(stepped::Config { step: 4 }));
    assert_eq!(read(json!({ "kind": "stepped", "step": 4 })), Ok(stepped.clone()));
    assert_eq!(serde_json::to_value(&stepped).unwrap(), json!({ "kind": "stepped", "step": 4 }));
    assert!(read(json!("stepped")).unwrap_err().contains("missing field `step`"));
    assert!(read(json!({ "kind": "plain", "step": 4 })).unwrap_err().contains("unknown field"));
    assert!(read(json!("odd")).unwrap_err().contains("unknown variant `odd`, expected `plain` or `stepped`"));
    assert!(read(json!(5)).unwrap_err().contains("expected a name, or a table with a `kind`"));

    let schema = engine::schemars::schema_for!(Named<Count>).to_value();
    assert_eq!(schema["title"], "CountOrName");
    assert_eq!(
        schema["anyOf"][0],
        json!({ "type": "string", "enum": ["plain", "stepped"], "description": "the name alone" })
    );
    assert_eq!(schema["anyOf"][1], json!({ "$ref": "#/$defs/Count" }));
}

#[test]
fn a_fault_says_where_what_and_what_to_do() {
    let fault = Fault::new("rates", 5, "odd ones").entry(2).hint("write 7");
    assert_eq!((fault.key, fault.entry), ("rates", Some(2)));
    assert_eq!(fault.found.as_deref(), Some("5"));
    assert_eq!((fault.expected.as_str(), fault.hint.as_deref()), ("odd ones", Some("write 7")));
    let plain = Fault::new("rates", "x", "y");
    assert_eq!((plain.entry, plain.hint), (None, None));
}

#[test]
fn counts_are_one_to_the_most_and_probabilities_zero_to_one() {
    let wrong = |count| Fault::unless_some("frames", count, 64);
    assert_eq!([1, 33, 64].map(wrong), [None, None, None]);
    assert_eq!([0, 65].map(wrong), [0, 65].map(|count| Some(Fault::new("frames", count, "1 to 64"))));
    let wrong = |value| Fault::unless_probability("loss", value).map(|fault| fault.expected);
    assert_eq!([0.0, 0.5, 1.0].map(wrong), [None, None, None]);
    for value in [-0.001, 1.001, f64::NAN, f64::INFINITY] {
        assert_eq!(wrong(value).as_deref(), Some("a probability, 0 to 1"), "{value}");
    }
}

#[test]
fn none_switches_a_setting_off() {
    #[derive(PartialEq, Debug, serde::Deserialize, engine::schemars::JsonSchema)]
    #[serde(crate = "engine::serde")]
    #[schemars(crate = "engine::schemars")]
    struct Cell {
        #[serde(default, deserialize_with = "engine::or_none::deserialize")]
        #[schemars(schema_with = "engine::or_none::schema::<Bytes>")]
        limit: Option<Bytes>,
    }
    let read = |value: serde_json::Value| serde_json::from_value::<Cell>(value).map(|cell| cell.limit).ok();
    assert_eq!(read(json!({})), Some(None));
    assert_eq!(read(json!({ "limit": "none" })), Some(None));
    assert_eq!(read(json!({ "limit": "1 kB" })), Some(Some(Bytes(1000))));
    assert_eq!(read(json!({ "limit": 5 })), None);
    let schema = engine::schemars::schema_for!(Cell).to_value();
    let either = &schema["properties"]["limit"]["anyOf"];
    assert_eq!(either[0], json!({ "$ref": "#/$defs/Bytes" }));
    assert_eq!(either[1]["const"], "none");
}

/// One letter in three may be wrong, and one more: of 3 letters 2, of 6 letters 3. Distances are counted by hand.
#[test]
fn a_name_is_near_another_with_few_letters_wrong() {
    for (name, known, near) in [
        // 2 of 3 wrong, then 3 of 3.
        ("abc", "axy", true),
        ("abc", "xyz", false),
        // 3 of 6 wrong, then 4.
        ("abcdef", "abcxyz", true),
        ("abcdef", "abwxyz", false),
        // Two letters exchanged are one error.
        ("mintsrel", "minstrel", true),
        // Two letters more than one that may be wrong by three.
        ("abcdef", "abcdefgh", true),
        // Two letters wrong of a name that has two, then of one that has one.
        ("axb", "ay", true),
        ("axb", "x", false),
        // It goes on where the name ends, if that has three letters.
        ("min", "minstrel", true),
        ("mi", "minstrel", false),
    ] {
        assert_eq!(nearest(name, [known]), near.then_some(known), "{name}, {known}");
    }
    assert_eq!(nearest("abcd", ["abxy", "abcx", "wxyz"]), Some("abcx"), "the nearest of all");
    assert_eq!(nearest("abcd", []), None);
}

/// Up to 100 letters are compared.
#[test]
fn a_name_of_100_letters_is_compared_and_one_of_101_is_not() {
    let name = |letters: usize| format!("{}b", "a".repeat(letters - 1));
    let known = |letters: usize| format!("{}c", "a".repeat(letters - 1));
    assert_eq!(nearest(&name(100), [known(100).as_str()]), Some(known(100).as_str()));
    assert_eq!(nearest(&name(101), [known(101).as_str()]), None);
}

#[test]
fn a_kind_is_found_in_any_position() {
    let read = |value: serde_json::Value| serde_json::from_value::<Count>(value).map_err(|error| error.to_string());
    let stepped = Count::Stepped(stepped::Config { step: 4 });
    assert_eq!(read(json!({ "step": 4, "kind": "stepped" })), Ok(stepped));
    assert!(read(json!({ "step": 4 })).unwrap_err().contains("missing field `kind`"));
    assert!(read(json!({})).unwrap_err().contains("missing field `kind`"));
    assert!(read(json!({ "step": 4, "kind": "odd" })).unwrap_err().contains("unknown variant `odd`"));
    assert!(read(json!({ "kind": 4 })).unwrap_err().contains("expected a name in quotes"));
}
