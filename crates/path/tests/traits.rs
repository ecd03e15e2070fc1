//! The declared properties of schemes.

use crate::common;

use common::member;
use path::agent::{AgentConfig, Effect, SchemeNode};
use tcp::response::ResponseConfig;

#[test]
fn scheme_with_an_effect_declares_a_place() {
    for (name, _) in AgentConfig::MEMBERS {
        let config: AgentConfig = member(name).unwrap_or_else(|error| panic!("{name} needs defaults: {error}"));
        let traits = config.traits();
        let places: Vec<_> = traits.changes.iter().chain(traits.uploads).map(|place| place.name()).collect();
        assert_eq!(config.build().is_some(), !places.is_empty(), "{name}: {places:?}");
        let responds = *name != "unmodified" && ResponseConfig::MEMBERS.iter().any(|(known, _)| known == name);
        assert!(
            !responds || traits.changes(SchemeNode::Sender),
            "{name} has a part in the sender, and says {places:?}"
        );
    }
}

/// Pictures draw one mark, with one entry in the legend, for each effect of a scheme.
#[test]
fn actions_of_a_scheme_with_one_effect_have_one_label() {
    for (name, _) in AgentConfig::MEMBERS {
        let config: AgentConfig = member(name).unwrap_or_else(|error| panic!("{name} needs defaults: {error}"));
        let actions = config.traits().actions;
        assert_eq!(actions.is_empty(), config.build().is_none(), "{name}");
        for effect in Effect::ALL {
            let mut labels: Vec<_> = actions.iter().filter(|action| action.effect == effect).collect();
            labels.dedup_by_key(|action| action.label);
            assert!(labels.len() <= 1, "{name}: {labels:?}");
        }
    }
}
