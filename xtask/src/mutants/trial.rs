//! Tests the mutants of one crate.
//!
//! All mutants with a form in [`super::schemata`] are compiled at once. A first run of each test program determines
//! which mutants it reaches; each mutant is then tested with the programs that reach it, the fastest first. Mutants
//! without such a form, or whose form does not compile, are compiled one at a time.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use super::build::{self, Built, Complaint, TestProgram};
use super::list::Mutant;
use super::program::{self, ProgramEnd};
use super::results::{MutantFinding, MutantVerdict};
use super::schemata::{self, Change, Schemata};
use super::switch;
use super::tree::{self, Tree};

/// Called with each verdict as soon as it is known.
pub type Keep<'a> = dyn FnMut(&Mutant, &MutantFinding) -> Result<(), String> + 'a;

/// A crate in the copy of the workspace.
pub struct Trial<'a> {
    tree: &'a Tree<'a>,
    package: String,
    /// Path of the crate from the root.
    folder: String,
    /// Number of test programs that run in parallel.
    jobs: usize,
}

/// A test program that passes without mutants.
struct MeasuredProgram {
    program: TestProgram,
    /// Limit of processor time.
    limit: Duration,
    /// Numbers of the mutants that the program reaches.
    reaches: BTreeSet<usize>,
}

impl<'a> Trial<'a> {
    pub fn of(tree: &'a Tree<'a>, name: &str, jobs: usize) -> Self {
        Trial { tree, package: format!("lasthop-{name}"), folder: format!("crates/{name}"), jobs }
    }

    /// Tests mutants.
    pub fn all(&self, mutants: &[&Mutant], keep: &mut Keep<'_>) -> Result<(), String> {
        if mutants.len() >= switch::LIMIT {
            return Err(format!(
                "found {} mutants of {}, expected at most {}",
                mutants.len(),
                self.package,
                switch::LIMIT - 1
            ));
        }
        eprintln!("{}: compiling {} mutants", self.package, mutants.len());
        let (programs, left_out) = self.compiled_at_once(mutants)?;
        eprintln!("{}: {} mutants have to be compiled separately", self.package, left_out.len());
        let programs = self.measure_programs(&programs)?;
        let at_once: Vec<usize> = (1..=mutants.len()).filter(|number| !left_out.contains(number)).collect();
        let in_force = |number: &usize| Ok((*number, self.in_force(*number, &programs)?));
        side_by_side(&at_once, self.jobs, in_force, |(number, found)| keep(mutants[number - 1], &found))?;
        self.restore(mutants)?;
        let limits = time_limits(&programs);
        left_out.iter().try_for_each(|number| {
            let mutant = mutants[number - 1];
            keep(mutant, &self.alone(mutant, &limits)?)
        })
    }

    /// Tests mutants one at a time.
    pub fn one_by_one(&self, mutants: &[&Mutant], keep: &mut Keep<'_>) -> Result<(), String> {
        let programs = match build::compile_tests(self.tree, &self.package, build::ALL)? {
            Built::Programs(programs) => self.measure_programs(&programs)?,
            Built::Refused(complaints) => return Err(self.render_refusals(&complaints)),
            Built::Late => return Err(self.render_refusals(&[])),
        };
        let limits = time_limits(&programs);
        mutants.iter().try_for_each(|mutant| keep(mutant, &self.alone(mutant, &limits)?))
    }

    /// Returns the test programs compiled with the maximum number of mutants, and the numbers of the other mutants.
    fn compiled_at_once(&self, mutants: &[&Mutant]) -> Result<(Vec<TestProgram>, BTreeSet<usize>), String> {
        let mut left_out = BTreeSet::new();
        loop {
            let files = self.write_schemata(mutants, &mut left_out)?;
            let complaints = match build::compile_tests(self.tree, &self.package, build::ALL)? {
                Built::Programs(programs) => return Ok((programs, left_out)),
                Built::Refused(complaints) => complaints,
                Built::Late => Vec::new(),
            };
            let blamed: BTreeSet<usize> =
                complaints.iter().flat_map(|complaint| find_blamed(complaint, &files)).collect();
            if blamed.is_empty() {
                return Err(self.render_refusals(&complaints));
            }
            left_out.extend(blamed);
        }
    }

    /// Writes the files with their mutants. Mutants without a schema are added to `left_out`.
    fn write_schemata(
        &self,
        mutants: &[&Mutant],
        left_out: &mut BTreeSet<usize>,
    ) -> Result<HashMap<String, Schemata>, String> {
        let mut changes: BTreeMap<&str, Vec<Change>> = BTreeMap::new();
        for (number, mutant) in (1..).zip(mutants) {
            let of_file = changes.entry(&mutant.file).or_default();
            if !left_out.contains(&number) {
                let range = mutant.bytes(self.tree.original(&mutant.file)?)?;
                of_file.push(Change { number, genre: mutant.genre, range, replacement: mutant.replacement.clone() });
            }
        }
        let root = format!("{}/src/lib.rs", self.folder);
        changes.entry(&root).or_default();
        self.tree.write(&format!("{}/src/mutant_switch.rs", self.folder), include_str!("switch.rs"))?;
        let mut files = HashMap::new();
        for (file, changes) in changes {
            let generated = schemata::generate(self.tree.original(file)?, &changes);
            let generated = generated.map_err(|error| format!("{file}: {error}"))?;
            left_out.extend(&generated.left_out);
            let switch = if file == root { "\nmod mutant_switch;\n" } else { "" };
            self.tree.write(file, &format!("{}{switch}", generated.text))?;
            files.insert(file.to_owned(), generated);
        }
        Ok(files)
    }

    fn restore(&self, mutants: &[&Mutant]) -> Result<(), String> {
        let files: BTreeSet<&str> = mutants.iter().map(|mutant| mutant.file.as_str()).collect();
        files.into_iter().try_for_each(|file| self.tree.restore(file))?;
        self.tree.restore(&format!("{}/src/lib.rs", self.folder))
    }

    fn render_refusals(&self, complaints: &[Complaint]) -> String {
        let said = complaints.first().map_or("it exceeds the time limit", |complaint| &complaint.text);
        format!("the tests of {} do not compile\n{said}", self.package)
    }

    /// Runs each program without an active mutant; returns the programs sorted by time, the fastest first.
    fn measure_programs(&self, programs: &[TestProgram]) -> Result<Vec<MeasuredProgram>, String> {
        let mut measured = Vec::new();
        side_by_side(
            programs,
            self.jobs,
            |program| self.measure(program),
            |program| {
                measured.push(program);
                Ok(())
            },
        )?;
        measured.sort_by_key(|measured| measured.limit);
        Ok(measured)
    }

    fn measure(&self, program: &TestProgram) -> Result<MeasuredProgram, String> {
        let file = tree::mutants_folder().join(format!("reached-{}", program.name));
        let _ = fs::remove_file(&file);
        let mut command = self.tests(program);
        command.env("LASTHOP_MUTANTS_REACHED", &file);
        let (ended, took) = program::run_limited(&command, Duration::from_secs(3600))?;
        if ended != ProgramEnd::Passed {
            return Err(format!("the tests `{}` of {} fail without a mutant", program.name, self.package));
        }
        let reached = fs::read_to_string(&file).unwrap_or_default();
        let _ = fs::remove_file(&file);
        let reaches = reached.lines().filter_map(|number| number.parse().ok()).collect();
        Ok(MeasuredProgram { program: program.clone(), limit: took * 3 + Duration::from_secs(20), reaches })
    }

    fn tests(&self, program: &TestProgram) -> std::process::Command {
        program::tests_command(program, &self.tree.root.join(&self.folder))
    }

    /// Returns the verdict on a mutant that is compiled into the programs.
    fn in_force(&self, number: usize, programs: &[MeasuredProgram]) -> Result<MutantFinding, String> {
        let reaching = programs.iter().filter(|measured| measured.reaches.contains(&number));
        first_failure(reaching.map(|measured| {
            let mut command = self.tests(&measured.program);
            command.env("LASTHOP_MUTANT", number.to_string());
            (&measured.program, command, measured.limit)
        }))
    }

    /// Returns the verdict on a mutant for which the crate is compiled separately.
    fn alone(&self, mutant: &Mutant, limits: &HashMap<String, Duration>) -> Result<MutantFinding, String> {
        self.tree.write(&mutant.file, &mutant.apply(self.tree.original(&mutant.file)?)?)?;
        let found = self.compiled_alone(limits);
        self.tree.restore(&mutant.file)?;
        found
    }

    fn compiled_alone(&self, limits: &HashMap<String, Duration>) -> Result<MutantFinding, String> {
        let mut known: BTreeSet<String> = BTreeSet::new();
        // Most mutants are killed by the unit tests, so that the programs in `tests` need not be compiled.
        for which in [build::OWN, build::ALL] {
            let mut programs = match build::compile_tests(self.tree, &self.package, which)? {
                Built::Programs(programs) => programs,
                Built::Refused(_) => return Ok(MutantFinding { verdict: MutantVerdict::Unviable, by: None }),
                Built::Late => {
                    return Ok(MutantFinding { verdict: MutantVerdict::TimedOut, by: Some("the compiler".to_owned()) });
                }
            };
            programs.retain(|program| known.insert(program.name.clone()));
            let limit = |program: &TestProgram| limits.get(&program.name).copied().unwrap_or(Duration::from_secs(600));
            programs.sort_by_key(limit);
            let runs = programs.iter().map(|program| (program, self.tests(program), limit(program)));
            let found = first_failure(runs)?;
            if found.verdict != MutantVerdict::Survived {
                return Ok(found);
            }
        }
        Ok(MutantFinding { verdict: MutantVerdict::Survived, by: None })
    }
}

/// Returns the time limit of each program, by name.
fn time_limits(programs: &[MeasuredProgram]) -> HashMap<String, Duration> {
    programs.iter().map(|measured| (measured.program.name.clone(), measured.limit)).collect()
}

/// Processes items, `jobs` in parallel, and keeps each result immediately. The first failure ends the processing.
fn side_by_side<T: Sync, R: Send>(
    items: &[T],
    jobs: usize,
    work: impl Fn(&T) -> Result<R, String> + Sync,
    keep: impl FnMut(R) -> Result<(), String>,
) -> Result<(), String> {
    let (next, (send, receive)) = (AtomicUsize::new(0), mpsc::channel());
    thread::scope(|scope| {
        // The receiver is dropped at the first failure. Then the other threads fail to send, which ends them.
        let receive = receive;
        for send in vec![send; jobs] {
            scope.spawn(|| {
                let send = send;
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if send.send(work(item)).is_err() {
                        break;
                    }
                }
            });
        }
        let mut keep = keep;
        receive.iter().try_for_each(|done| keep(done?))
    })
}

/// Runs programs until one does not pass.
fn first_failure<'p>(
    runs: impl Iterator<Item = (&'p TestProgram, std::process::Command, Duration)>,
) -> Result<MutantFinding, String> {
    for (program, command, limit) in runs {
        let verdict = match program::run_limited(&command, limit)?.0 {
            ProgramEnd::Passed => continue,
            ProgramEnd::Failed => MutantVerdict::Killed,
            ProgramEnd::Late => MutantVerdict::TimedOut,
            ProgramEnd::OutOfMemory => MutantVerdict::OutOfMemory,
        };
        return Ok(MutantFinding { verdict, by: Some(program.name.clone()) });
    }
    Ok(MutantFinding { verdict: MutantVerdict::Survived, by: None })
}

/// Returns the mutants at the position of a compiler error.
fn find_blamed(complaint: &Complaint, files: &HashMap<String, Schemata>) -> Vec<usize> {
    let found = complaint.places.iter().filter_map(|(file, place)| Some(files.get(file)?.mutants_at(place)));
    found.flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_processed_until_one_fails() {
        let (items, mut kept): (Vec<u32>, Vec<u32>) = ((0..100).collect(), Vec::new());
        let keep = |item| {
            kept.push(item);
            Ok(())
        };
        side_by_side(&items, 3, |item| Ok(item * 2), keep).unwrap();
        kept.sort();
        assert_eq!(kept, (0..200).step_by(2).collect::<Vec<_>>());
        let fails = |item: &u32| if *item == 5 { Err("five".to_owned()) } else { Ok(*item) };
        assert_eq!(side_by_side(&items, 3, fails, |_| Ok(())), Err("five".to_owned()));
        assert_eq!(side_by_side(&items, 3, |_| Ok(()), |()| Err("full".to_owned())), Err("full".to_owned()));
    }
}
