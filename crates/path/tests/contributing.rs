//! The agent and the channel of CONTRIBUTING.md: the files compile, their tests pass, and the page quotes them
//! unchanged.

#[path = "contributing"]
mod agent {
    pub use path::agent::*;

    pub mod slow_acks;
    pub mod third_attempt;

    engine::registry! {
        /// The registry of crates/path/src/agent/mod.rs, with one example.
        pub enum Example: "scheme" => build() -> Option<Box<dyn Agent>>, traits() -> Traits {
        ThirdAttempt => third_attempt, "third-attempt", "ICMP-RETRANSMIT at the third failed local attempt";
        SlowAcks => slow_acks, "slow-acks", "Acknowledgments are delayed while the queue for the radio link is long";
        }
    }
}

#[path = "contributing"]
mod channel {
    use engine::Stream;
    pub use path::channel::*;

    pub mod periodic;

    engine::registry! {
        /// The registry of crates/path/src/channel/mod.rs, with one example.
        pub enum Example: "channel" => build(stream: Stream) -> Box<dyn Channel> {
        Periodic => periodic, "periodic", "BAD for a fixed time at the end of every period";
        }
    }
}

const PAGE: &str = include_str!("../../../CONTRIBUTING.md");

#[test]
fn contributing_guide_quotes_the_files_and_their_registry_lines() {
    for file in [
        include_str!("contributing/third_attempt.rs"),
        include_str!("contributing/slow_acks.rs"),
        include_str!("contributing/periodic.rs"),
    ] {
        assert!(PAGE.contains(&format!("```rust\n{file}```")));
    }
    for line in [
        "        ThirdAttempt => third_attempt, \"third-attempt\", \"ICMP-RETRANSMIT at the third failed local attempt\";\n",
        "        SlowAcks => slow_acks, \"slow-acks\", \"Acknowledgments are delayed while the queue for the radio link is long\";\n",
        "        Periodic => periodic, \"periodic\", \"BAD for a fixed time at the end of every period\";\n",
    ] {
        assert!(PAGE.contains(line) && include_str!("contributing.rs").contains(line));
    }
}

#[test]
fn examples_have_the_documented_names() {
    let agent: agent::Example = engine::registry::by_name("third-attempt").unwrap();
    assert!(agent.build().is_some() && agent.traits().needs_link_reports);
    assert_eq!(channel::Example::MEMBERS[0].0, "periodic");
}
