//! The names of the files that traces are written to.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use lab::disk::Directory;
use lab::load::{Overrides, load};
use observe::output::{Outputs, is_file_name};
use scenario::traces::{TRACES, Trace};

/// The traces of an example with routers, and of one with a medium.
#[test]
fn trace_files_are_recognized_by_name() {
    for example in ["goel1997-appendix-b.toml", "two-losses.toml", "hidden-terminals.toml", "two-hops.toml"] {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(example);
        let Ok(loaded) = load(&file, &Overrides::default()) else { panic!("{example} is there") };
        let all: Vec<&Trace> = TRACES.iter().collect();
        let outputs = Outputs::open(
            &all,
            &loaded.network,
            Rc::new(Directory(PathBuf::from("r"))),
            &loaded.scenario.output,
            Default::default(),
        );
        let names: Vec<String> = outputs.file_names().collect();
        assert!(names.len() > 4, "{names:?}");
        assert!(names.iter().all(|name| is_file_name(name)), "{names:?}");
    }
    assert!(["thesis.tex", "keep", "notes.txt", "plots"].iter().all(|name| !is_file_name(name)));
}
