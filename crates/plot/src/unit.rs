//! Units of the vertical axes.

use engine::Quantity;

/// Unit of sequence numbers and windows on the vertical axes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum AxisUnit {
    /// Bytes, shown as B, kB, MB or GB, for the shortest labels. 1 kB is 1000 bytes.
    #[default]
    Bytes,
    /// Full segments of the flow.
    Segments,
}

/// A unit: its size in bytes, and its name.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct UnitSize {
    pub bytes: f64,
    pub name: &'static str,
}

impl UnitSize {
    /// Returns the unit that gives the shortest labels on an axis from `lo` to `hi` bytes.
    pub fn of(unit: AxisUnit, segment: u32, lo: f64, hi: f64) -> Self {
        match unit {
            AxisUnit::Segments => UnitSize { bytes: f64::from(segment.max(1)), name: "segments" },
            AxisUnit::Bytes => {
                let fits = |bytes: f64| hi >= 2.0 * bytes && hi - lo >= bytes;
                // The range counts, not one value as in `Quantity::unit_for`: labels of the ticks are differences.
                let unit = Quantity::Size.units().iter().find(|unit| fits(unit.size));
                unit.map_or(UnitSize { bytes: 1.0, name: "B" }, |unit| UnitSize { bytes: unit.size, name: unit.name })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unit_has_shortest_labels_for_the_range() {
        let name = |lo, hi| UnitSize::of(AxisUnit::Bytes, 1024, lo, hi).name;
        assert_eq!(name(0.0, 10.24e6), "MB");
        assert_eq!(name(10.2e6, 10.24e6), "kB", "a small part of a long transfer");
        assert_eq!(name(0.0, 4096.0), "kB");
        assert_eq!(name(0.0, 900.0), "B");
        assert_eq!(UnitSize::of(AxisUnit::Segments, 1024, 0.0, 4096.0).bytes, 1024.0);
    }
}
