//! The limits of names and prose, from `bench/names.toml`.

use std::collections::BTreeMap;
use std::fs;

use super::figures::{Area, Measure};
use crate::workspace;

/// The file with the limits.
pub const FILE: &str = "bench/names.toml";

/// The table of limits; the text before the table is kept.
const LIMITS: &str = "[limits]\n";

/// A figure above its limit.
pub struct Excess<'a> {
    pub area: &'a Area,
    pub measure: Measure,
    pub limit: f64,
}

/// The aims, and the limits of each crate, which are not below the aims.
#[derive(Debug)]
pub struct NameLimits {
    /// The text before the limits.
    head: String,
    aims: [f64; Measure::ALL.len()],
    crates: BTreeMap<String, [f64; Measure::ALL.len()]>,
}

impl NameLimits {
    /// Reads the file.
    pub fn read() -> Result<Self, String> {
        let text =
            fs::read_to_string(workspace::root_folder().join(FILE)).map_err(|error| format!("{FILE}: {error}"))?;
        Self::parse(&text)
    }

    fn parse(text: &str) -> Result<Self, String> {
        let file: toml::Table = text.parse().map_err(|error| format!("{FILE}: {error}"))?;
        let (head, _) = text.split_once(LIMITS).ok_or_else(|| format!("{FILE}: expected a table [limits]"))?;
        let crates = file.get("limits").and_then(toml::Value::as_table).into_iter().flatten();
        let crates = crates.map(|(name, limits)| Ok((name.clone(), parse_row(name, Some(limits))?)));
        Ok(NameLimits {
            head: head.to_owned(),
            aims: parse_row("aims", file.get("aims"))?,
            crates: crates.collect::<Result<_, String>>()?,
        })
    }

    /// Returns the figures above their limits.
    pub fn find_above<'a>(&self, areas: &'a [Area]) -> Result<Vec<Excess<'a>>, String> {
        let mut above = Vec::new();
        for area in areas {
            let limits = self.limits_of(area)?;
            for measure in Measure::ALL {
                let limit = limits[measure as usize];
                if area.figure(measure).is_some_and(|figure| figure > limit) {
                    above.push(Excess { area, measure, limit });
                }
            }
        }
        Ok(above)
    }

    /// Returns the number of limits that can be lowered.
    pub fn count_below(&self, areas: &[Area]) -> Result<usize, String> {
        let mut count = 0;
        for area in areas {
            let (limits, lowest) = (self.limits_of(area)?, self.lowest_limits(area));
            count += limits.iter().zip(lowest).filter(|(limit, lowest)| lowest < limit).count();
        }
        Ok(count)
    }

    /// Lowers the limits to the figures, or to the aims if the figures are below the aims. Adds missing crates, and
    /// removes those that do not exist.
    pub fn lower(&mut self, areas: &[Area]) {
        let lowered = areas.iter().map(|area| {
            let mut limits = self.lowest_limits(area);
            if let Some(former) = self.crates.get(&area.name) {
                limits.iter_mut().zip(former).for_each(|(limit, former)| *limit = limit.min(*former));
            }
            (area.name.clone(), limits)
        });
        self.crates = lowered.collect();
    }

    /// Writes the file.
    pub fn write(&self) -> Result<(), String> {
        fs::write(workspace::root_folder().join(FILE), self.render()).map_err(|error| format!("{FILE}: {error}"))
    }

    fn render(&self) -> String {
        let mut text = format!("{}{LIMITS}", self.head);
        for (name, limits) in &self.crates {
            let entries: Vec<String> = Measure::ALL
                .iter()
                .map(|measure| format!("{} = {}", measure.key(), limits[*measure as usize]))
                .collect();
            text += &format!("{name} = {{ {} }}\n", entries.join(", "));
        }
        text
    }

    fn limits_of(&self, area: &Area) -> Result<&[f64; Measure::ALL.len()], String> {
        let name = &area.name;
        let limits = self.crates.get(name);
        limits.ok_or_else(|| format!("{FILE}: expected limits of `{name}`; `cargo xtask names --lower` adds them"))
    }

    fn lowest_limits(&self, area: &Area) -> [f64; Measure::ALL.len()] {
        Measure::ALL.map(|measure| area.figure(measure).unwrap_or(0.0).max(self.aims[measure as usize]))
    }
}

/// Reads one number for each measure.
fn parse_row(name: &str, row: Option<&toml::Value>) -> Result<[f64; Measure::ALL.len()], String> {
    let mut limits = [0.0; Measure::ALL.len()];
    for measure in Measure::ALL {
        let value = row.and_then(|row| row.get(measure.key()));
        let number = value.and_then(|value| value.as_float().or(value.as_integer().map(|number| number as f64)));
        limits[measure as usize] =
            number.ok_or_else(|| format!("{FILE}: {name}: expected a number `{}`", measure.key()))?;
    }
    Ok(limits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::figures::measure_areas;
    use crate::names::source::SourceFile;

    const TEXT: &str = "# Names.\n[aims]\none-word = 30\nshared-functions = 10\nshared-types = 10\nparticiples = 12\nphrases = 1.0\n\
        long = 0\n\n[limits]\na = { one-word = 60.0, shared-functions = 20, shared-types = 10, participles = 12, phrases = 1, \
        long = 0 }\n";

    fn areas(text: &str) -> Vec<Area> {
        let mut areas = measure_areas(&[SourceFile::parse("crates/a/src/lib.rs", text)]);
        areas.retain(|area| area.name == "a");
        areas
    }

    #[test]
    fn figure_above_its_limit_is_found() {
        let limits = NameLimits::parse(TEXT).unwrap();
        let areas = areas("fn one() {}\nfn two() {}\nfn two_words() {}\n");
        let above = limits.find_above(&areas).unwrap();
        assert_eq!((above.len(), above[0].measure, above[0].limit), (1, Measure::OneWord, 60.0));
    }

    #[test]
    fn limits_fall_to_the_figures_but_not_below_the_aims() {
        let mut limits = NameLimits::parse(TEXT).unwrap();
        let areas = areas("fn one() {}\nfn two_words() {}\n");
        assert!(limits.find_above(&areas).unwrap().is_empty());
        assert_eq!(limits.count_below(&areas), Ok(2));
        limits.lower(&areas);
        assert_eq!(limits.crates["a"], [50.0, 10.0, 10.0, 12.0, 1.0, 0.0]);
        assert_eq!(NameLimits::parse(&limits.render()).unwrap().render(), limits.render());
        assert!(limits.render().starts_with("# Names.\n[aims]\n"));
    }

    #[test]
    fn limits_do_not_rise() {
        let mut limits = NameLimits::parse(TEXT).unwrap();
        limits.lower(&areas("fn one() {}\n"));
        assert_eq!(limits.crates["a"][0], 60.0);
    }

    #[test]
    fn crate_without_limits_is_refused_and_lowering_adds_it() {
        let (head, _) = TEXT.split_once("a = ").unwrap();
        let mut limits = NameLimits::parse(head).unwrap();
        let areas = areas("fn one() {}\n");
        let error = limits.find_above(&areas).err().unwrap();
        assert_eq!(error, "bench/names.toml: expected limits of `a`; `cargo xtask names --lower` adds them");
        limits.lower(&areas);
        assert!(limits.find_above(&areas).unwrap().is_empty());
    }

    #[test]
    fn missing_measure_is_named() {
        let error = NameLimits::parse(&TEXT.replace("phrases = 1.0\n", "")).unwrap_err();
        assert_eq!(error, "bench/names.toml: aims: expected a number `phrases`");
    }
}
