//! The receiver's estimate of the size of the other end's segments (Linux: `rcv_mss`, `tcp_measure_rcv_mss`).

/// The estimate before data arrives (`TCP_MSS_DEFAULT`).
const DEFAULT_SIZE: u32 = 536;
/// The smallest estimate (`TCP_MIN_MSS`).
const MIN_SIZE: u32 = 88;

/// The estimated size of full segments, in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct SegmentEstimate {
    size: u32,
    /// The MSS that this end has announced, less the size of options.
    max: u32,
    /// Size of the last segment, if it was smaller than the estimate and may be a full one; otherwise 0.
    candidate: u32,
}

/// The size of a segment compared with the estimate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SizeClass {
    /// A full segment.
    Full,
    /// A full segment that has raised the estimate.
    Larger,
    /// The second segment of the same size in succession, to which the estimate has fallen.
    Repeated,
    /// A smaller segment.
    Small,
}

impl SegmentEstimate {
    /// Creates an estimate for an end that accepts segments of `segment` bytes and has offered `window` bytes
    /// (`tcp_initialize_rcv_mss`).
    pub fn new(segment: u32, window: u64) -> Self {
        let half = u32::try_from(window / 2).unwrap_or(u32::MAX);
        SegmentEstimate { size: segment.min(half).clamp(MIN_SIZE, DEFAULT_SIZE), max: segment, candidate: 0 }
    }

    /// Returns the estimated size.
    pub fn size(&self) -> u32 {
        self.size
    }

    /// Measures a segment of `len` bytes; `remnant` is true if PSH or FIN is set, so that the segment may be the rest of
    /// a write.
    pub fn measure(&mut self, len: u32, remnant: bool) -> SizeClass {
        let before = std::mem::take(&mut self.candidate);
        if len >= self.size {
            let class = if len > self.size { SizeClass::Larger } else { SizeClass::Full };
            self.size = len.min(self.max);
            return class;
        }
        if len >= DEFAULT_SIZE || (len >= MIN_SIZE && !remnant) {
            self.candidate = len;
            if len == before {
                self.size = len;
                return SizeClass::Repeated;
            }
        }
        SizeClass::Small
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimate_rises_at_once_and_falls_at_the_second_segment() {
        let mut estimate = SegmentEstimate::new(1448, 64_240);
        assert_eq!(estimate.size(), 536);
        assert_eq!((estimate.measure(1448, true), estimate.size()), (SizeClass::Larger, 1448));
        assert_eq!((estimate.measure(1448, false), estimate.size()), (SizeClass::Full, 1448));
        assert_eq!((estimate.measure(1000, false), estimate.size()), (SizeClass::Small, 1448));
        assert_eq!((estimate.measure(1000, false), estimate.size()), (SizeClass::Repeated, 1000));
        // The rest of a write says nothing about the size of full segments.
        assert_eq!((estimate.measure(100, true), estimate.size()), (SizeClass::Small, 1000));
        assert_eq!((estimate.measure(100, true), estimate.size()), (SizeClass::Small, 1000));
        // Segments beyond the announced MSS do not count.
        assert_eq!((estimate.measure(2000, false), estimate.size()), (SizeClass::Larger, 1448));
    }

    #[test]
    fn estimate_lies_between_88_and_536_before_data() {
        assert_eq!(SegmentEstimate::new(1448, 400).size(), 200);
        assert_eq!(SegmentEstimate::new(1448, 100).size(), 88);
        assert_eq!(SegmentEstimate::new(300, 64_240).size(), 300);
    }
}
