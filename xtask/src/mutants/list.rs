//! The mutants that cargo-mutants lists.

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

use serde_json::Value;

use super::hash::hash_text;
use super::schemata::Genre;
use crate::workspace;

/// A mutant: a change of a source file.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// Identifier that is stable while the function is unchanged: file, change and function, with a number if several
    /// are equal.
    pub name: String,
    /// Path of the file from the root of the workspace.
    pub file: String,
    /// Start and end of the replaced text, as line and column from 1.
    pub span: [(usize, usize); 2],
    /// The replacement text.
    pub replacement: String,
    pub genre: Genre,
}

/// Returns all mutants of a crate of the workspace at `root`, in the order of its files.
pub fn list_mutants(root: &Path, name: &str) -> Result<Vec<Mutant>, String> {
    let mut command = workspace::cargo_command();
    let package = format!("lasthop-{name}");
    command.current_dir(root).args(["mutants", "--list", "--json", "--no-config", "-p", &package]);
    let output = command.output().map_err(|error| format!("cannot run cargo mutants: {error}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("`{}` failed: {said}\nhint: install cargo-mutants", workspace::spell_command(&command)));
    }
    let listed: Vec<Value> =
        serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo mutants --list: {error}"))?;
    let mut known = HashMap::new();
    listed
        .iter()
        .map(|mutant| {
            read_mutant(mutant, &mut known)
                .ok_or_else(|| format!("unexpected output of cargo mutants --list: {mutant}"))
        })
        .collect()
}

fn read_mutant(mutant: &Value, known: &mut HashMap<String, usize>) -> Option<Mutant> {
    let text = |key: &str| mutant[key].as_str().map(str::to_owned);
    let place = |end: &str| {
        let place = &mutant["span"][end];
        Some((place["line"].as_u64()? as usize, place["column"].as_u64()? as usize))
    };
    let file = text("file")?;
    // The format is "file:line:column: change". The identifier excludes line and column, which shift with edits.
    let what = text("name")?;
    let what = what.splitn(4, ':').nth(3)?.trim().to_owned();
    let name = format!("{file}: {what}");
    let nth = known.entry(name.clone()).or_default();
    *nth += 1;
    let name = if *nth > 1 { format!("{name} (number {nth})") } else { name };
    let genre = Genre::named(mutant["genre"].as_str()?);
    Some(Mutant { name, file, span: [place("start")?, place("end")?], replacement: text("replacement")?, genre })
}

/// Draws `number` of `mutants` by a seed. The selection does not depend on the order of the mutants, and depends little
/// on other mutants.
pub fn draw_sample(mutants: Vec<Mutant>, seed: u64, number: usize) -> Vec<Mutant> {
    let mut keyed: Vec<(u64, Mutant)> =
        mutants.into_iter().map(|mutant| (hash_text(seed, &mutant.name), mutant)).collect();
    keyed.sort_by(|(one, a), (other, b)| one.cmp(other).then_with(|| a.name.cmp(&b.name)));
    keyed.into_iter().take(number).map(|(_, mutant)| mutant).collect()
}

impl Mutant {
    /// Returns the text of the file with the change applied.
    pub fn apply(&self, text: &str) -> Result<String, String> {
        let Range { start, end } = self.bytes(text)?;
        Ok(format!("{}{}{}", &text[..start], self.replacement, &text[end..]))
    }

    /// Returns the byte range of the replaced text.
    pub fn bytes(&self, text: &str) -> Result<Range<usize>, String> {
        let [start, end] = self.span.map(|place| byte_offset(text, place));
        match (start, end) {
            (Some(start), Some(end)) if start <= end => Ok(start..end),
            _ => Err(format!("{}: expected a line and column within the file", self.name)),
        }
    }
}

/// Returns the byte offset of a line and a column, counted in characters from 1.
fn byte_offset(text: &str, (line, column): (usize, usize)) -> Option<usize> {
    let start: usize = text.split_inclusive('\n').take(line.checked_sub(1)?).map(str::len).sum();
    let rest = text.get(start..)?;
    let within = rest.char_indices().map(|(at, _)| at).chain([rest.len()]).nth(column.checked_sub(1)?)?;
    Some(start + within)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mutant(name: &str) -> Mutant {
        let (name, file, replacement) = (name.to_owned(), "f.rs".to_owned(), "-".to_owned());
        Mutant { name, file, span: [(2, 7), (2, 8)], replacement, genre: Genre::BinaryOperator }
    }

    #[test]
    fn change_replaces_only_its_span() {
        assert_eq!(mutant("m").apply("// ü\n ü = a+ b;\n").unwrap(), "// ü\n ü = a- b;\n");
        assert!(mutant("m").apply("one line").is_err());
    }

    #[test]
    fn sample_depends_on_the_seed_and_not_on_the_order() {
        let all: Vec<Mutant> = (0..1000).map(|number| mutant(&format!("m{number}"))).collect();
        let names = |mutants: Vec<Mutant>, seed| {
            draw_sample(mutants, seed, 40).into_iter().map(|mutant| mutant.name).collect::<Vec<_>>()
        };
        let backwards: Vec<Mutant> = all.iter().rev().cloned().collect();
        assert_eq!(names(all.clone(), 1), names(backwards, 1));
        // Two samples of 40 from 1,000 have 1.6 names in common on average; the probability of 10 or more is below
        // 1e-6.
        let (one, two) = (names(all.clone(), 1), names(all, 2));
        assert!(one.iter().filter(|name| two.contains(name)).count() < 10);
    }
}
