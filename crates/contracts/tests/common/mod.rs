//! Members of tests.

use engine::{Custom, Kind, Member, Members, Open};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Returns the outside member called `name` with these settings.
pub fn resolved<R: Open, C: Member<R> + DeserializeOwned + JsonSchema + 'static>(
    name: &'static str,
    settings: &[(&str, &str)],
) -> R {
    let mut members = Members::default();
    members.add::<R>(Kind::<C>::new(name, "A member of a test")).expect("a free name");
    let settings: Map<_, _> = settings.iter().map(|(key, value)| ((*key).to_owned(), Value::from(*value))).collect();
    let mut member = R::from(Custom::new(name, settings));
    members.resolve(&mut member).expect("valid settings");
    member
}
