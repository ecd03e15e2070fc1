//! The congestion control of CONTRIBUTING.md: the file compiles, its tests pass, and the page quotes it unchanged.

#[path = "contributing"]
mod cc {
    pub use tcp::cc::*;

    pub mod aimd;

    engine::registry! {
        /// The registry of crates/tcp/src/cc/mod.rs, with one example.
        pub enum Example: "congestion control" => build(start: Start) -> Box<dyn CongestionControl> {
        Aimd => aimd, "aimd", "Additive increase and multiplicative decrease with adjustable parameters";
        }
    }
}

use cc::aimd;
use engine::registry::by_name;

const PAGE: &str = include_str!("../../../CONTRIBUTING.md");

#[test]
fn contributing_guide_quotes_the_file_and_its_registry_line() {
    assert!(PAGE.contains(&format!("```rust\n{}```", include_str!("contributing/aimd.rs"))));
    let line = "        Aimd => aimd, \"aimd\", \"Additive increase and multiplicative decrease with adjustable parameters\";\n";
    assert!(PAGE.contains(line) && include_str!("contributing.rs").contains(line));
}

#[test]
fn example_is_found_by_its_name() {
    let config: cc::Example = by_name("aimd").unwrap();
    assert_eq!(config, cc::Example::Aimd(aimd::Config { increase: 1.0, keep: 0.5 }));
}
