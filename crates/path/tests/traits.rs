//! The declared properties of schemes.

mod common;

use common::member;
use path::agent::{AgentConfig, Place};
use tcp::response::ResponseConfig;

#[test]
fn scheme_with_an_effect_declares_a_place() {
    for (name, _) in AgentConfig::MEMBERS {
        let config: AgentConfig = member(name).unwrap_or_else(|error| panic!("{name} needs defaults: {error}"));
        let traits = config.traits();
        let places: Vec<_> = traits.changes.iter().chain(traits.uploads).map(|place| place.name()).collect();
        assert_eq!(config.build().is_some(), !places.is_empty(), "{name}: {places:?}");
        let responds = *name != "unmodified" && ResponseConfig::MEMBERS.iter().any(|(known, _)| known == name);
        assert!(!responds || traits.changes(Place::Sender), "{name} has a part in the sender, and says {places:?}");
    }
}
