//! The names of the files that traces are written to.

use std::rc::Rc;

use observe::output::{Outputs, is_file_name};
use scenario::Overrides;
use scenario::traces::{TRACES, Trace};
use testkit::load_example;

use crate::common::MemoryTraces;

/// The traces of an example with routers, and of one with a medium.
#[test]
fn trace_files_are_recognized_by_name() {
    for example in ["goel1997-appendix-b.toml", "two-losses.toml", "hidden-terminals.toml", "two-hops.toml"] {
        let loaded = load_example(example, &Overrides::default());
        let all: Vec<&Trace> = TRACES.iter().collect();
        let outputs = Outputs::open(
            &all,
            &loaded.network,
            Rc::new(MemoryTraces::default()),
            &loaded.scenario.output,
            Default::default(),
        );
        let names: Vec<String> = outputs.file_names().collect();
        assert!(names.len() > 4, "{names:?}");
        assert!(names.iter().all(|name| is_file_name(name)), "{names:?}");
    }
    assert!(["thesis.tex", "keep", "notes.txt", "plots"].iter().all(|name| !is_file_name(name)));
}
