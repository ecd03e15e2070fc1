//! The graph of uses between modules, and its cycles.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::PathBuf;

use super::source::{ModulePath, Modules, below};

/// Maximum number of imports through which a name is resolved.
const MAX_IMPORTS: usize = 20;

/// A use of one module by another: the position of the reference, and the name used.
#[derive(Clone, Debug)]
pub struct Use {
    pub file: PathBuf,
    pub line: usize,
    pub path: String,
}

/// Uses among the children of one module. A child includes all modules below it.
pub type Siblings = BTreeMap<ModulePath, BTreeMap<ModulePath, Use>>;

/// Returns the uses among siblings, by their parent. Uses between a module and its ancestors are omitted.
pub fn collect_siblings(modules: &Modules) -> BTreeMap<ModulePath, Siblings> {
    let mut parents: BTreeMap<ModulePath, Siblings> = BTreeMap::new();
    for (from, module) in &modules.all {
        // A path of one segment is in scope by an import, which is counted itself, or by a glob import.
        let counts = |segments: &[String]| segments.len() > 1 || !module.globs.is_empty();
        for reference in module.references.iter().filter(|reference| counts(&reference.segments)) {
            let Some(to) = resolve_item(modules, from, &reference.segments, 0) else { continue };
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

/// Returns the module that defines the item `segments`, as seen from module `from`; `None` for items of other crates.
fn resolve_item(modules: &Modules, from: &ModulePath, segments: &[String], imports: usize) -> Option<ModulePath> {
    let (first, rest) = segments.split_first()?;
    match first.as_str() {
        "crate" => descend_path(modules, vec![], rest, imports),
        "self" => descend_path(modules, from.clone(), rest, imports),
        "super" => {
            let mut parent = from.clone();
            parent.pop()?;
            let above = rest.iter().take_while(|segment| *segment == "super").count();
            parent.truncate(parent.len().checked_sub(above)?);
            descend_path(modules, parent, &rest[above..], imports)
        }
        name => resolve_inside(modules, from, name, rest, imports),
    }
}

fn descend_path(modules: &Modules, at: ModulePath, rest: &[String], imports: usize) -> Option<ModulePath> {
    match rest.split_first() {
        None => Some(at),
        // Items that a macro defines are not in the module's list.
        Some((name, rest)) => resolve_inside(modules, &at, name, rest, imports).or(Some(at)),
    }
}

/// Returns the module that defines `name::rest` in the module `at`; `None` if `at` has no such name.
fn resolve_inside(
    modules: &Modules,
    at: &ModulePath,
    name: &str,
    rest: &[String],
    imports: usize,
) -> Option<ModulePath> {
    let module = modules.all.get(at)?;
    let child = below(at, name);
    if modules.all.contains_key(&child) {
        return descend_path(modules, child, rest, imports);
    }
    if module.items.contains(name) {
        return Some(at.clone());
    }
    if imports == MAX_IMPORTS {
        return None;
    }
    if let Some(import) = module.imports.get(name) {
        // `use a;` imports another crate under its own name.
        if import.len() == 1 && import[0] == name {
            return None;
        }
        let path: Vec<String> = import.iter().chain(rest).cloned().collect();
        return resolve_item(modules, at, &path, imports + 1);
    }
    module.globs.iter().find_map(|glob| {
        let target = resolve_item(modules, at, glob, imports + 1).filter(|target| target != at)?;
        resolve_inside(modules, &target, name, rest, imports + 1)
    })
}

/// Returns the shortest cycle of each group of siblings that use each other, as a sequence of uses.
pub fn find_cycles(siblings: &Siblings) -> Vec<Vec<(ModulePath, Use)>> {
    let mut known: BTreeSet<&ModulePath> = BTreeSet::new();
    let mut cycles = Vec::new();
    for start in siblings.keys() {
        if known.contains(start) {
            continue;
        }
        if let Some(cycle) = find_shortest_cycle(siblings, start) {
            let reached = find_reachable(siblings, start);
            known.extend(reached.into_iter().filter(|other| find_reachable(siblings, other).contains(start)));
            cycles.push(cycle);
        }
    }
    cycles
}

fn find_reachable<'a>(siblings: &'a Siblings, start: &ModulePath) -> BTreeSet<&'a ModulePath> {
    let mut reached = BTreeSet::new();
    let mut next: Vec<&ModulePath> = siblings.get(start).into_iter().flat_map(BTreeMap::keys).collect();
    while let Some(module) = next.pop() {
        if reached.insert(module) {
            next.extend(siblings.get(module).into_iter().flat_map(BTreeMap::keys));
        }
    }
    reached
}

/// Returns the shortest path from a module back to itself.
fn find_shortest_cycle(siblings: &Siblings, start: &ModulePath) -> Option<Vec<(ModulePath, Use)>> {
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
