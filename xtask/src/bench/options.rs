//! The options of `cargo xtask bench peers`.

use super::row::Workload;

/// Options of the command.
#[derive(Debug, PartialEq)]
pub struct PeerOptions {
    /// Workloads to run.
    pub rows: Vec<Workload>,
    /// Number of runs of each program; `None` for the default.
    pub repeat: Option<usize>,
    /// True to print JSON instead of a table.
    pub json: bool,
    /// True if a missed goal is a failure.
    pub check: bool,
}

impl PeerOptions {
    /// Parses the words after `bench peers`.
    pub fn parse(words: &[&str]) -> Result<PeerOptions, String> {
        let mut options = PeerOptions { rows: Workload::USUAL.to_vec(), repeat: None, json: false, check: false };
        let mut words = words.iter();
        while let Some(&word) = words.next() {
            let mut value = || words.next().copied().ok_or_else(|| format!("{word} needs a value"));
            match word {
                "--json" => options.json = true,
                "--check" => options.check = true,
                "--rows" => options.rows = value()?.split(',').map(str::parse).collect::<Result<_, _>>()?,
                "--repeat" => {
                    let text = value()?;
                    let repeat = text.parse().ok().filter(|&repeat| repeat > 0);
                    options.repeat = Some(repeat.ok_or_else(|| format!("--repeat {text}: not a positive number"))?);
                }
                other => return Err(format!("bench peers has no option `{other}`; see cargo xtask --help")),
            }
        }
        Ok(options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read() {
        let options = PeerOptions::parse(&["--rows", "p1,p2-100", "--repeat", "5", "--check"]).unwrap();
        assert_eq!(options.rows, [Workload::P1, Workload::P2 { flows: 100 }]);
        assert_eq!((options.repeat, options.json, options.check), (Some(5), false, true));
    }

    #[test]
    fn invalid_options_are_named() {
        for (words, name) in [
            (&["--rows", "p4"][..], "p4"),
            (&["--rows", "p2-0"], "p2-0"),
            (&["--repeat", "0"], "0"),
            (&["--repeat"], "--repeat"),
            (&["--fast"], "--fast"),
        ] {
            assert!(PeerOptions::parse(words).unwrap_err().contains(name));
        }
    }
}
