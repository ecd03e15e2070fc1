//! A cumulative distribution given by points, linear between them, as data-centre simulators use it.
//!
//! Files have a line for each point. Of two numbers, the first is the size in bytes, and the second the probability of
//! at most this size, from 0 to 1 or in percent: the form of the HPCC simulator and others. Of three numbers, the first
//! is the size in packets of 1460 bytes, and the last the probability: the form of pFabric's ns-2 scripts. If the
//! first point has a probability above 0, that share of the transfers has exactly its size.

use std::fmt::Arguments;

use engine::registry::{ContentFault, Fault, FileReader, FileSetting, Settings};
use engine::{Bytes, Draws};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{SizeDistribution, to_whole_bytes};

/// The points, or their file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// File of points relative to the scenario's folder: a line `bytes probability` for each, or `packets _
    /// probability`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The points in ascending order: [size, probability of at most this size].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<Vec<(Bytes, f64)>>,
}

impl Default for Config {
    /// Returns sizes that are uniformly distributed from 1 to 20 kB.
    fn default() -> Self {
        Config { file: None, points: Some(vec![(Bytes(1), 0.0), (Bytes(20_000), 1.0)]) }
    }
}

/// Bytes of a packet in files of three columns: pFabric's scripts count packets of 1460 bytes.
const PACKET: f64 = 1460.0;

/// Reads the contents of a file.
///
/// # Errors
///
/// The first wrong line.
pub fn parse_points(text: &str) -> Result<Vec<(Bytes, f64)>, ContentFault> {
    let mut points = Vec::new();
    for (number, line) in text.lines().enumerate().map(|(number, line)| (number + 1, line.trim())) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let fields: Option<Vec<f64>> = line.split_ascii_whitespace().map(|field| field.parse().ok()).collect();
        let (size, probability) = match fields.as_deref() {
            Some([bytes, probability]) => (*bytes, *probability),
            Some([packets, _, probability]) => (packets * PACKET, *probability),
            _ => {
                let expected = "two numbers, size in bytes and probability, or three, with a size in packets";
                return Err(ContentFault::new(number, expected));
            }
        };
        if !(0.0..=1e15).contains(&size) || !(0.0..=100.0).contains(&probability) {
            let expected = "a size of at most 1e15 bytes, and a probability of 0 to 1, or 0 to 100 %";
            return Err(ContentFault::new(number, expected));
        }
        points.push((Bytes(size as u64), probability));
    }
    // The probabilities are in percent if the last one is.
    if points.last().is_some_and(|(_, last)| *last > 1.0) {
        points.iter_mut().for_each(|(_, probability)| *probability /= 100.0);
    }
    Ok(points)
}

impl Settings for Config {
    fn check(&self) -> Vec<Fault> {
        let Some(points) = &self.points else {
            if self.file.is_some() {
                return Vec::new();
            }
            let expected = "`file` or `points` is missing".to_owned();
            return vec![Fault { key: "points".into(), entry: None, found: None, expected, hint: None }];
        };
        for (number, (_, probability)) in points.iter().enumerate() {
            if !(0.0..=1.0).contains(probability) {
                return vec![Fault::new("points", probability, "a probability, 0 to 1").entry(number)];
            }
        }
        for (number, pair) in points.windows(2).enumerate() {
            let [(size, below), (larger, above)] = pair else { continue };
            if above < below {
                let expected = format!(
                    "at least {below}, the probability of the previous point: a distribution does \
                                        not decrease"
                );
                return vec![Fault::new("points", above, expected).entry(number + 1)];
            }
            if larger < size {
                let expected = format!("at least {size}, the size of the previous point");
                return vec![Fault::new("points", larger, expected).entry(number + 1)];
            }
        }
        let ends =
            points.last().is_some_and(|(size, probability)| (probability - 1.0).abs() < 1e-9 && *size > Bytes(0));
        if !ends {
            let found = points.last().map_or_else(|| "none".to_owned(), |(_, probability)| probability.to_string());
            return vec![Fault::new("points", found, "a last point with the probability 1")];
        }
        Vec::new()
    }

    fn read_files<F: FileReader>(&mut self, key: Arguments<'_>, reader: &mut F) {
        let (file, content) = (&mut self.file, &mut self.points);
        reader.read_text(FileSetting { key: format_args!("{key}.file"), file, content }, parse_points);
    }
}

struct Cdf(Vec<(f64, f64)>);

impl Config {
    /// The distribution. The scenario loader has read `file` into `points`.
    pub fn build(&self) -> Box<dyn SizeDistribution> {
        let points = self.points.iter().flatten();
        Box::new(Cdf(points.map(|(size, probability)| (size.0 as f64, *probability)).collect()))
    }
}

impl SizeDistribution for Cdf {
    fn draw(&self, draws: &mut Draws) -> u64 {
        let u = draws.unit();
        let above = self.0.partition_point(|(_, probability)| *probability <= u);
        let Some(&(size, probability)) = self.0.get(above) else {
            return to_whole_bytes(self.0.last().map_or(1.0, |last| last.0));
        };
        let Some(&(below, low)) = above.checked_sub(1).and_then(|before| self.0.get(before)) else {
            return to_whole_bytes(size);
        };
        to_whole_bytes(below + (size - below) * (u - low) / (probability - low))
    }

    fn mean(&self) -> f64 {
        let first = self.0.first().map_or(0.0, |(size, probability)| size * probability);
        let linear = |pair: &[(f64, f64)]| (pair[0].0 + pair[1].0) / 2.0 * (pair[1].1 - pair[0].1);
        first + self.0.windows(2).map(linear).sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{SizeConfig, tests::assert_mean};
    use super::*;

    fn config(points: &[(u64, f64)]) -> Config {
        let points = points.iter().map(|(size, probability)| (Bytes(*size), *probability)).collect();
        Config { file: None, points: Some(points) }
    }

    #[test]
    fn sizes_have_the_mean_of_the_points() {
        // A quarter is 1000 bytes, half is uniform up to 3000, a quarter up to 100,000.
        let points = config(&[(1000, 0.25), (3000, 0.75), (100_000, 1.0)]);
        assert_mean(&SizeConfig::Cdf(points), 250.0 + 1000.0 + 51_500.0 / 4.0);
    }

    #[test]
    fn both_forms_of_files_are_read() {
        let percent = parse_points("# web search\n0 0\n10000 15\n\n30000000 100\n");
        assert_eq!(percent, Ok(vec![(Bytes(0), 0.0), (Bytes(10_000), 0.15), (Bytes(30_000_000), 1.0)]));
        let packets = parse_points("1 1 0\n6 1 0.15\n20000 1 1\n");
        assert_eq!(packets, Ok(vec![(Bytes(1460), 0.0), (Bytes(8760), 0.15), (Bytes(29_200_000), 1.0)]));
        assert_eq!(parse_points("10 0.5\nten 1\n").map_err(|fault| fault.line), Err(2));
        assert_eq!(parse_points("10 0.5 1 1\n").map_err(|fault| fault.line), Err(1));
        assert_eq!(parse_points("-10 0.5\n").map_err(|fault| fault.line), Err(1));
    }

    #[test]
    fn decreasing_or_incomplete_distribution_is_a_fault() {
        let found = |points: &[(u64, f64)]| config(points).check().into_iter().map(|fault| fault.entry).next();
        assert_eq!(found(&[(10, 0.5), (20, 0.4), (30, 1.0)]), Some(Some(1)));
        assert_eq!(found(&[(10, 0.0), (20, 0.5), (15, 1.0)]), Some(Some(2)));
        assert_eq!(found(&[(10, 0.0), (20, 0.5)]), Some(None));
        assert_eq!(found(&[(10, 0.0), (20, 1.5)]), Some(Some(1)));
        assert_eq!(found(&[]), Some(None));
        assert_eq!(found(&[(10, 0.0), (20, 1.0)]), None);
    }
}
