//! Members that a program adds to a registry.

use std::sync::Arc;

use engine::members::{NameError, Open, Unreadable, Unresolved};
use engine::registry::{Fault, Registry};
use engine::{Custom, Factory, Kind, Member, Members, Named};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde_json::{Map, json};

mod plain {
    pub use engine::registry::NoSettings as Config;

    pub fn build(start: u32) -> u32 {
        start
    }
}

engine::registry! {
    /// Ways to count.
    pub enum Count: "count" => build(start: u32) -> u32 {
        Plain => plain, "plain", "From the start", no settings;
    }
}

/// Counts from a multiple of the start.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Scaled {
    /// The factor.
    #[serde(default = "two")]
    factor: u32,
}

fn two() -> u32 {
    2
}

impl Member<Count> for Scaled {
    fn check(&self) -> Vec<Fault> {
        Fault::unless_some("factor", self.factor, 9).into_iter().collect()
    }

    fn build(&self, start: u32) -> u32 {
        self.factor * start
    }
}

fn scaled() -> Kind<Scaled> {
    Kind::new("scaled", "From a multiple of the start").version("1")
}

fn members() -> Members {
    let mut members = Members::default();
    members.add::<Count>(scaled()).unwrap();
    members
}

fn read(value: serde_json::Value) -> Count {
    serde_json::from_value::<Named<Count>>(value).unwrap().0
}

#[test]
fn resolved_member_checks_and_builds() {
    let mut count = read(json!({ "kind": "scaled", "factor": 3 }));
    assert_eq!(count.check()[0].expected, "one of: plain", "before it is resolved");
    members().resolve(&mut count).unwrap();
    assert_eq!((count.name(), count.check(), count.build(5)), ("scaled", vec![], 15));
    assert_eq!(count.custom().and_then(Custom::version), Some("1"));

    let mut wrong = read(json!({ "kind": "scaled", "factor": 10 }));
    members().resolve(&mut wrong).unwrap();
    assert_eq!(wrong.check(), [Fault::new("factor", 10, "1 to 9")]);
}

#[test]
fn members_of_the_crate_are_unchanged() {
    let mut plain = read(json!("plain"));
    members().resolve(&mut plain).unwrap();
    assert_eq!((plain.build(5), plain.custom()), (5, None));
}

#[test]
fn settings_serialize_as_they_were_read() {
    for value in [json!({ "kind": "scaled" }), json!({ "kind": "scaled", "factor": 3, "b": [1.5, "x"], "a": null })] {
        assert_eq!(serde_json::to_string(&read(value.clone())).unwrap(), value.to_string());
    }
    let behind = read(json!({ "factor": 3, "kind": "scaled" }));
    assert_eq!(behind, read(json!({ "kind": "scaled", "factor": 3 })));
}

#[test]
fn members_with_equal_names_settings_and_versions_are_equal() {
    let (mut one, same) =
        (read(json!({ "kind": "scaled", "factor": 3 })), read(json!({ "kind": "scaled", "factor": 3 })));
    assert_eq!(one, same);
    assert_ne!(one, read(json!({ "kind": "scaled" })));
    assert_ne!(one, read(json!({ "kind": "other", "factor": 3 })));
    members().resolve(&mut one).unwrap();
    assert_ne!(one, same, "a version against none");
    assert_eq!(one, one.clone());
}

#[test]
fn unknown_name_is_an_error_with_all_known_names() {
    let mut other = read(json!("other"));
    let known = ["plain", "scaled"].map(str::to_owned).to_vec();
    let error = members().resolve(&mut other).unwrap_err();
    assert!(error.to_string().starts_with("found \"other\", expected one of: "), "{error}");
    assert_eq!(members().resolve(&mut other), Err(Unresolved::Unknown { name: "other".to_owned(), known }));
    assert_eq!(members().by_name::<Count>("other"), Ok(None));
    assert_eq!(members().by_name::<Count>("scaled").unwrap().map(|count| count.build(4)), Some(8));
}

#[test]
fn invalid_settings_are_errors_with_their_path() {
    let error = |value| match members().resolve(&mut read(value)) {
        Err(Unresolved::Settings(Unreadable { path, message })) => (path, message),
        other => panic!("{other:?}"),
    };
    let (path, message) = error(json!({ "kind": "scaled", "factor": "3" }));
    assert_eq!((&*path, &*message), ("factor", "invalid type: string \"3\", expected u32"));
    let (_, message) = error(json!({ "kind": "scaled", "step": 3 }));
    assert_eq!(message, "unknown field `step`, expected `factor`");
}

#[test]
fn name_must_have_permitted_characters_and_be_unique() {
    let mut members = members();
    let mut add = |name: &'static str| members.add::<Count>(Kind::<Scaled>::new(name, "")).map(drop);
    let taken = |name: &str| Err(NameError::Taken { registry: "count", name: name.to_owned() });
    assert_eq!((add("scaled"), add("plain")), (taken("scaled"), taken("plain")));
    for name in ["", "Scaled", "a b", "a.b", "ä", "2-scaled", "-scaled"] {
        assert_eq!(add(name), Err(NameError::Characters { registry: "count", name: name.to_owned() }));
    }
    let reserved = NameError::Reserved { registry: "count", name: "unlimited".to_owned() };
    assert_eq!(add("unlimited"), Err(reserved));
    assert_eq!(add("scaled-2"), Ok(()));
}

#[test]
fn member_with_required_settings_has_no_default() {
    #[derive(Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Shifted {
        /// What is added.
        by: u32,
    }
    impl Member<Count> for Shifted {
        fn build(&self, start: u32) -> u32 {
            self.by + start
        }
    }
    let mut members = members();
    members.add::<Count>(Kind::<Shifted>::new("shifted", "From another start")).unwrap();
    let missing = Unreadable { path: String::new(), message: "missing field `by`".to_owned() };
    assert_eq!(members.by_name::<Count>("shifted"), Err(missing));
}

#[test]
fn numbers_that_are_not_finite_are_refused_as_settings() {
    use serde::de::IntoDeserializer;
    use serde::de::value::{Error, MapDeserializer};
    for number in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
        let settings = MapDeserializer::<_, Error>::new([("factor", number)].into_iter());
        let error = Custom::<Count>::read("scaled", settings).unwrap_err();
        assert!(error.to_string().ends_with("expected a finite number"), "{error}");
    }
    let settings = MapDeserializer::<_, Error>::new([("factor", 1.5)].into_iter());
    assert_eq!(Custom::<Count>::read("scaled", settings).unwrap().settings()["factor"], 1.5);
    let text: serde::de::value::StrDeserializer<'_, Error> = "3".into_deserializer();
    assert!(Custom::<Count>::read("scaled", text).is_err());
}

#[test]
fn schema_that_allows_everything_gets_the_required_property_kind() {
    struct Any;
    impl Factory<Count> for Any {
        fn name(&self) -> &str {
            "any"
        }
        fn summary(&self) -> &str {
            "Ignores its settings"
        }
        fn version(&self) -> Option<&str> {
            None
        }
        fn schema(&self, _: &mut SchemaGenerator) -> Schema {
            true.into()
        }
        fn read(&self, _: &Map<String, serde_json::Value>) -> Result<Arc<dyn Member<Count>>, Unreadable> {
            Ok(Arc::new(Scaled { factor: 1 }))
        }
    }
    let mut members = Members::default();
    members.add::<Count>(Any).unwrap();
    let schema = members.schema::<Vec<Count>>();
    let any = &schema["$defs"]["Count"]["oneOf"][1];
    assert_eq!(any["properties"]["kind"]["const"], "any");
    assert_eq!(any["required"], json!(["kind"]));
}

#[test]
fn table_lists_its_members() {
    let members = members();
    assert_eq!(members.names::<Count>().collect::<Vec<_>>(), ["plain", "scaled"]);
    let [listed] = members.list() else { panic!("{members:?}") };
    assert_eq!((listed.registry, &*listed.name, listed.version.as_deref()), ("count", "scaled", Some("1")));
    assert_eq!(listed.summary, "From a multiple of the start");
    assert_eq!(Count::members(), [("plain", "From the start")]);
    assert_eq!(Count::WHAT, "count");
}

#[test]
fn schema_contains_the_members_of_the_table() {
    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is asked for")]
    struct Document {
        count: Named<Count>,
    }
    assert_eq!(Members::default().schema::<Document>(), schemars::schema_for!(Document).to_value());
    let schema = members().schema::<Document>();
    assert_eq!(schema["$defs"]["CountOrName"]["anyOf"][0]["enum"], json!(["plain", "scaled"]));
    let table = &schema["$defs"]["Count"]["oneOf"][1];
    assert_eq!(table["description"], "From a multiple of the start");
    assert_eq!(table["properties"]["kind"]["const"], "scaled");
    assert_eq!(table["properties"]["factor"]["default"], 2);
    assert_eq!(table["required"], json!(["kind"]));
}

/// A sweep resolves a scenario on one thread and runs it on others.
#[test]
fn tables_and_members_implement_send() {
    fn crosses<T: Send + Sync + Clone>() {}
    crosses::<Members>();
    crosses::<Count>();
}

#[test]
#[should_panic(expected = "resolved in `Members`")]
fn unresolved_member_cannot_be_built() {
    Count::from(Custom::new("scaled", Map::new())).build(1);
}
