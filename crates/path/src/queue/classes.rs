//! Bands: lists of classes that a discipline treats alike.

use engine::registry::Fault;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wire::Dscp;

/// The classes of each band. All classes that are not listed are in the last band.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Bands(pub Vec<Vec<Dscp>>);

impl Default for Bands {
    /// Returns a first band for voice and network control [RFC4594 s2.1]: EF, VA, CS5, CS6 and CS7.
    fn default() -> Self {
        let classes = ["EF", "VA", "CS5", "CS6", "CS7"].into_iter().filter_map(|name| name.parse().ok());
        Bands(vec![classes.collect()])
    }
}

impl Bands {
    /// Returns the number of bands.
    pub fn count(&self) -> usize {
        self.0.len() + 1
    }

    /// Returns the band of each class, by class number.
    pub fn by_class(&self) -> [u8; 64] {
        let mut bands = [self.0.len() as u8; 64];
        for (band, classes) in self.0.iter().enumerate() {
            classes.iter().for_each(|class| bands[usize::from(class.number())] = band as u8);
        }
        bands
    }

    /// Returns the faults of the setting `bands`.
    pub fn check(&self) -> Vec<Fault> {
        if self.0.len() > 15 {
            return vec![Fault::new("bands", format!("{} lists", self.0.len()), "at most 15 lists of classes")];
        }
        let mut known = [false; 64];
        for (number, classes) in self.0.iter().enumerate() {
            for class in classes {
                if std::mem::replace(&mut known[usize::from(class.number())], true) {
                    return vec![Fault::new("bands", class, "each class in one list").entry(number)];
                }
            }
        }
        Vec::new()
    }
}
