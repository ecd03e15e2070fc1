//! Which modules use which, and the cycles among them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::PathBuf;

use super::source::{ModulePath, Modules, below};

/// Names are followed through this many imports at most.
const MAX_IMPORTS: usize = 20;

/// A use of one module by another: where it stands, and what it names.
#[derive(Clone, Debug)]
pub struct Use {
    pub file: PathBuf,
    pub line: usize,
    pub path: String,
}

/// The uses among the children of one module; each stands for all below it.
pub type Siblings = BTreeMap<ModulePath, BTreeMap<ModulePath, Use>>;

/// The uses among siblings, by their parent. Those between a module and its ancestors are left out.
pub fn siblings(modules: &Modules) -> BTreeMap<ModulePath, Siblings> {
    let mut parents: BTreeMap<ModulePath, Siblings> = BTreeMap::new();
    for (from, module) in &modules.all {
        // A single name is imported by itself, which is a reference too, or by a glob.
        let counts = |segments: &[String]| segments.len() > 1 || !module.globs.is_empty();
        for reference in module.references.iter().filter(|reference| counts(&reference.segments)) {
            let Some(to) = resolve(modules, from, &reference.segments, 0) else { continue };
            let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
            if shared == from.len() || shared == to.len() {
                continue;
            }
            let child = |path: &ModulePath| path[..=shared].to_vec();
            let path = reference.segments.join("::");
            let used = Use { file: module.file.clone(), line: reference.line, path };
            let edges = parents.entry(from[..shared].to_vec()).or_default().entry(child(from)).or_default();
            edges.entry(child(&to)).or_insert(used);
        }
    }
    parents
}

/// The module that defines what `segments` names in the module `from`; none for what other crates define.
fn resolve(modules: &Modules, from: &ModulePath, segments: &[String], imports: usize) -> Option<ModulePath> {
    let (first, rest) = segments.split_first()?;
    match first.as_str() {
        "crate" => descend(modules, vec![], rest, imports),
        "self" => descend(modules, from.clone(), rest, imports),
        "super" => {
            let mut parent = from.clone();
            parent.pop()?;
            let above = rest.iter().take_while(|segment| *segment == "super").count();
            parent.truncate(parent.len().checked_sub(above)?);
            descend(modules, parent, &rest[above..], imports)
        }
        name => inside(modules, from, name, rest, imports),
    }
}

fn descend(modules: &Modules, at: ModulePath, rest: &[String], imports: usize) -> Option<ModulePath> {
    match rest.split_first() {
        None => Some(at),
        // What a macro defines is not among its items.
        Some((name, rest)) => inside(modules, &at, name, rest, imports).or(Some(at)),
    }
}

/// What `name`, and then `rest`, is in the module `at`, if it is anything there.
fn inside(modules: &Modules, at: &ModulePath, name: &str, rest: &[String], imports: usize) -> Option<ModulePath> {
    let module = modules.all.get(at)?;
    let child = below(at, name);
    if modules.all.contains_key(&child) {
        return descend(modules, child, rest, imports);
    }
    if module.items.contains(name) {
        return Some(at.clone());
    }
    if imports == MAX_IMPORTS {
        return None;
    }
    if let Some(import) = module.imports.get(name) {
        // `use a` of another crate names itself.
        if import.len() == 1 && import[0] == name {
            return None;
        }
        let path: Vec<String> = import.iter().chain(rest).cloned().collect();
        return resolve(modules, at, &path, imports + 1);
    }
    module.globs.iter().find_map(|glob| {
        let target = resolve(modules, at, glob, imports + 1).filter(|target| target != at)?;
        inside(modules, &target, name, rest, imports + 1)
    })
}

/// The shortest cycle through each group of siblings that use each other, as uses one after another.
pub fn cycles(siblings: &Siblings) -> Vec<Vec<(ModulePath, Use)>> {
    let mut known: BTreeSet<&ModulePath> = BTreeSet::new();
    let mut cycles = Vec::new();
    for start in siblings.keys() {
        if known.contains(start) {
            continue;
        }
        if let Some(cycle) = shortest(siblings, start) {
            let reached = reachable(siblings, start);
            known.extend(reached.into_iter().filter(|other| reachable(siblings, other).contains(start)));
            cycles.push(cycle);
        }
    }
    cycles
}

fn reachable<'a>(siblings: &'a Siblings, start: &ModulePath) -> BTreeSet<&'a ModulePath> {
    let mut reached = BTreeSet::new();
    let mut next: Vec<&ModulePath> = siblings.get(start).into_iter().flat_map(BTreeMap::keys).collect();
    while let Some(module) = next.pop() {
        if reached.insert(module) {
            next.extend(siblings.get(module).into_iter().flat_map(BTreeMap::keys));
        }
    }
    reached
}

/// The shortest way from a module back to itself.
fn shortest(siblings: &Siblings, start: &ModulePath) -> Option<Vec<(ModulePath, Use)>> {
    let mut before: BTreeMap<&ModulePath, &ModulePath> = BTreeMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(module) = queue.pop_front() {
        for (to, _) in siblings.get(module).into_iter().flatten() {
            if before.contains_key(to) {
                continue;
            }
            before.insert(to, module);
            if to == start {
                let mut cycle = Vec::new();
                let mut to = start;
                loop {
                    let from = before[to];
                    cycle.push((from.clone(), siblings[from][to].clone()));
                    if from == start {
                        cycle.reverse();
                        return Some(cycle);
                    }
                    to = from;
                }
            }
            queue.push_back(to);
        }
    }
    None
}
