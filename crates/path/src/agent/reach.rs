//! Where numbers that wrap around lie in the stream of one flow.

use wire::SeqNum;

/// Offsets in a stream from sequence numbers that wrap around, near the furthest one seen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reach {
    seq: SeqNum,
    offset: u64,
}

/// No end has a larger window [RFC7323 s2.3]: what lies further away belongs to no connection.
const FURTHEST: u32 = 1 << 30;

impl Reach {
    /// A stream of which this number is seen first. Numbers before it have offsets too.
    pub fn new(seq: SeqNum) -> Self {
        Reach { seq, offset: 1 << 32 }
    }

    /// The offset that a number means, if any.
    pub fn offset(&self, seq: SeqNum) -> Option<u64> {
        let distance = seq.since(self.seq);
        (distance.unsigned_abs() <= FURTHEST).then(|| self.offset.saturating_add_signed(i64::from(distance)))
    }

    /// The furthest offset seen.
    pub fn end(&self) -> u64 {
        self.offset
    }

    /// Data to here has been seen.
    pub fn extend(&mut self, end: u64) {
        if end > self.offset {
            self.seq = self.seq.at(end - self.offset);
            self.offset = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_wrap_and_have_bounds() {
        let mut reach = Reach::new(SeqNum(u32::MAX - 9));
        let start = reach.offset(SeqNum(u32::MAX - 9)).unwrap();
        assert_eq!(reach.offset(SeqNum(10)), Some(start + 20));
        reach.extend(start + 20);
        assert_eq!((reach.end(), reach.offset(SeqNum(10))), (start + 20, Some(start + 20)));
        assert_eq!(reach.offset(SeqNum(u32::MAX - 9)), Some(start));
        assert_eq!(reach.offset(SeqNum(10 + FURTHEST + 1)), None);
    }
}
