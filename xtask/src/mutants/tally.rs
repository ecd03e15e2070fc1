//! Share of killed mutants with its confidence interval.

use std::collections::HashSet;
use std::fmt;
use std::fs;

use super::results::MutantVerdict;
use crate::workspace;

/// File with equivalent mutants, which no test can distinguish from the code. Each line has the name, " | " and the
/// reason.
const EQUIVALENTS: &str = "xtask/equivalent-mutants.txt";

/// Quantile of the normal distribution for a two-sided 95 % interval.
const Z: f64 = 1.959_963_984_540_054;

/// Names of mutants with the same behaviour as the code.
pub struct Equivalents(HashSet<String>);

impl Equivalents {
    pub fn read() -> Result<Self, String> {
        let file = workspace::root_folder().join(EQUIVALENTS);
        let text = fs::read_to_string(&file).map_err(|error| format!("cannot read {EQUIVALENTS}: {error}"))?;
        parse_equivalents(&text).map(Equivalents)
    }

    pub fn has(&self, name: &str) -> bool {
        self.0.contains(name)
    }
}

fn parse_equivalents(text: &str) -> Result<HashSet<String>, String> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    // Split at the last separator: a name may contain the operator |.
    let name = |line: &str| match line.rsplit_once(" | ") {
        Some((name, reason)) if !reason.trim().is_empty() => Ok(name.trim().to_owned()),
        _ => Err(format!("{EQUIVALENTS}: expected a reason after \" | \": {line}")),
    };
    lines.map(name).collect()
}

/// Numbers of mutants by verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    drawn: usize,
    untried: usize,
    unviable: usize,
    equivalent: usize,
    killed: usize,
    survived: usize,
}

impl Tally {
    pub fn count(&mut self, verdict: Option<MutantVerdict>, equivalent: bool) {
        self.drawn += 1;
        match verdict {
            None => self.untried += 1,
            Some(MutantVerdict::Unviable) => self.unviable += 1,
            Some(MutantVerdict::Killed | MutantVerdict::TimedOut | MutantVerdict::OutOfMemory) => self.killed += 1,
            Some(MutantVerdict::Survived) if equivalent => self.equivalent += 1,
            Some(MutantVerdict::Survived) => self.survived += 1,
        }
    }

    pub fn add(&mut self, other: &Tally) {
        self.drawn += other.drawn;
        self.untried += other.untried;
        self.unviable += other.unviable;
        self.equivalent += other.equivalent;
        self.killed += other.killed;
        self.survived += other.survived;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tally { drawn, untried, unviable, equivalent, killed, survived } = *self;
        let viable = killed + survived;
        let [low, high] = wilson_interval(killed, viable).map(|bound| 100.0 * bound);
        let share = 100.0 * killed as f64 / viable.max(1) as f64;
        write!(
            f,
            "{killed} of {viable} killed, {share:.1} % [{low:.1}, {high:.1}]; {drawn} drawn, {unviable} do not compile, "
        )?;
        write!(f, "{equivalent} equivalent, {untried} not tried yet")
    }
}

/// Returns Wilson's 95 % interval of a share (Wilson, "Probable inference, the law of succession, and statistical
/// inference", JASA 22, 1927).
fn wilson_interval(killed: usize, viable: usize) -> [f64; 2] {
    if viable == 0 {
        return [0.0, 1.0];
    }
    let (n, p) = (viable as f64, killed as f64 / viable as f64);
    let centre = p + Z * Z / (2.0 * n);
    let half = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
    [centre - half, centre + half].map(|bound| (bound / (1.0 + Z * Z / n)).clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected values are those of R's prop.test without continuity correction. 81 of 263 is Newcombe's example
    /// (Statistics in Medicine 17, 1998, table I, method 3).
    #[test]
    fn interval_matches_wilsons_formula() {
        for (killed, viable, bounds) in [
            (81, 263, ["0.2553", "0.3662"]),
            (15, 148, ["0.0624", "0.1605"]),
            (0, 20, ["0.0000", "0.1611"]),
            (1, 29, ["0.0061", "0.1718"]),
        ] {
            assert_eq!(
                wilson_interval(killed, viable).map(|bound| format!("{bound:.4}")),
                bounds,
                "{killed} of {viable}"
            );
        }
        assert_eq!(wilson_interval(0, 0), [0.0, 1.0]);
    }

    #[test]
    fn equivalent_mutant_needs_a_reason() {
        let text = "# names and reasons\n\na.rs: replace + with - in f | f is called with 0 only\n";
        assert!(parse_equivalents(text).unwrap().contains("a.rs: replace + with - in f"));
        assert!(parse_equivalents("a.rs: replace + with - in f\n").unwrap_err().contains("expected a reason"));
        let text = "a.rs: replace | with ^ in f | no bit in common\n";
        assert!(parse_equivalents(text).unwrap().contains("a.rs: replace | with ^ in f"));
    }

    #[test]
    fn surviving_equivalent_mutant_is_not_counted_as_viable() {
        let mut tally = Tally::default();
        for (verdict, equivalent) in [
            (Some(MutantVerdict::Killed), false),
            (Some(MutantVerdict::TimedOut), false),
            (Some(MutantVerdict::Killed), true),
            (Some(MutantVerdict::Survived), false),
            (Some(MutantVerdict::Survived), true),
            (Some(MutantVerdict::Unviable), false),
            (None, false),
        ] {
            tally.count(verdict, equivalent);
        }
        let line = tally.to_string();
        assert!(
            line.starts_with("3 of 4 killed, 75.0 % [30.1, 95.4]; 7 drawn, 1 do not compile, 1 equivalent, 1 not"),
            "{line}"
        );
    }
}
