//! The radiotap header (radiotap.org) that precedes 802.11 frames in captures: time, rate, channel and reception
//! status.

/// Bits of the fields that are always present: TSFT, flags and channel.
const PRESENT: u32 = 0b1011;
/// Bit of a present rate.
const PRESENT_RATE: u32 = 1 << 2;
/// Bit of a present MCS.
const PRESENT_MCS: u32 = 1 << 19;
/// Bit of a present A-MPDU status.
const PRESENT_AGGREGATE: u32 = 1 << 20;

const FLAG_SHORT_PREAMBLE: u8 = 0x02;
const FLAG_FCS_AT_END: u8 = 0x10;
const FLAG_BAD_FCS: u8 = 0x40;

/// MCS fields that are known: bandwidth, index, guard interval, format, FEC type and number of STBC streams. All but
/// the index are zero: 20 MHz, long guard interval, mixed format, convolutional code, no STBC.
const MCS_KNOWN: u8 = 0x3F;
const MCS_FLAGS: u8 = 0;

/// A-MPDU flags: the last frame of the aggregate is known; this frame is the last one.
const AGGREGATE_LAST_KNOWN: u16 = 0x0004;
const AGGREGATE_LAST: u16 = 0x0008;

/// Bits of [`Radiotap::channel`].
pub mod channel {
    /// CCK or DSSS, 1 to 11 Mbps.
    pub const CCK: u16 = 0x0020;
    /// Orthogonal frequency-division multiplexing (OFDM).
    pub const OFDM: u16 = 0x0040;
    /// 2.4 GHz band.
    pub const GHZ_2: u16 = 0x0080;
    /// 5 GHz band.
    pub const GHZ_5: u16 = 0x0100;
    /// Frequency hopping (GFSK).
    pub const GFSK: u16 = 0x0800;
}

/// The contents of a radiotap header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Radiotap {
    /// TSFT: arrival time of the first bit after the preamble, in microseconds.
    pub first_bit_us: u64,
    /// True if the frame check sequence is wrong.
    pub bad_fcs: bool,
    /// True for a short preamble.
    pub short_preamble: bool,
    /// Data rate.
    pub rate: Speed,
    /// Frequency in MHz, and channel flags.
    pub channel: (u16, u16),
    /// A-MPDU status; `None` for a frame outside of an aggregate.
    pub aggregate: Option<AggregatePart>,
}

/// The data rate of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Speed {
    /// Rate in units of 500 kbps.
    Rate(u8),
    /// MCS index of 802.11n, at 20 MHz with long guard interval and mixed format.
    Mcs(u8),
    /// A rate that the header cannot express.
    Other,
}

/// The position of a frame in an aggregate (A-MPDU status).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AggregatePart {
    /// Reference number, equal for all frames of the aggregate.
    pub reference: u32,
    /// True for the last frame of the aggregate.
    pub last: bool,
}

impl Radiotap {
    /// Returns the header as bytes. The flags state that the frame ends with its frame check sequence.
    pub fn bytes(&self) -> Vec<u8> {
        let mut fields = Vec::with_capacity(22);
        fields.extend(self.first_bit_us.to_le_bytes());
        let flag = |set: bool, flag: u8| if set { flag } else { 0 };
        fields
            .push(FLAG_FCS_AT_END | flag(self.bad_fcs, FLAG_BAD_FCS) | flag(self.short_preamble, FLAG_SHORT_PREAMBLE));
        // The channel field is aligned to two bytes. Therefore a padding byte takes the place of a missing rate.
        fields.push(if let Speed::Rate(rate) = self.rate { rate } else { 0 });
        fields.extend(self.channel.0.to_le_bytes());
        fields.extend(self.channel.1.to_le_bytes());
        let mut present = PRESENT;
        match self.rate {
            Speed::Rate(_) => present |= PRESENT_RATE,
            Speed::Mcs(index) => {
                present |= PRESENT_MCS;
                fields.extend([MCS_KNOWN, MCS_FLAGS, index]);
            }
            Speed::Other => {}
        }
        if let Some(AggregatePart { reference, last }) = self.aggregate {
            present |= PRESENT_AGGREGATE;
            // The A-MPDU status is aligned to four bytes, relative to the start of the header, whose fixed part has
            // eight.
            fields.resize(fields.len().next_multiple_of(4), 0);
            fields.extend(reference.to_le_bytes());
            fields.extend((AGGREGATE_LAST_KNOWN | if last { AGGREGATE_LAST } else { 0 }).to_le_bytes());
            // Delimiter CRC (not known) and a reserved byte.
            fields.extend([0, 0]);
        }
        let mut out = vec![0, 0];
        out.extend((8 + fields.len() as u16).to_le_bytes());
        out.extend(present.to_le_bytes());
        out.extend(fields);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn radiotap_fields_are_aligned() {
        let header = Radiotap {
            first_bit_us: 0x0102_0304,
            bad_fcs: true,
            short_preamble: false,
            rate: Speed::Rate(22),
            channel: (2412, channel::GHZ_2 | channel::CCK),
            aggregate: None,
        };
        let expected = [0, 0, 22, 0, 0x0F, 0, 0, 0, 4, 3, 2, 1, 0, 0, 0, 0, 0x50, 22, 0x6C, 0x09, 0xA0, 0];
        assert_eq!(header.bytes(), expected);
        let without = Radiotap { rate: Speed::Other, ..header }.bytes();
        assert_eq!((without[4], without[17], without.len()), (0x0B, 0, 22));
        // Three bytes of MCS, three of padding, eight of A-MPDU status.
        let part = Some(AggregatePart { reference: 0x0506, last: true });
        let part = Radiotap { rate: Speed::Mcs(7), aggregate: part, ..header }.bytes();
        assert_eq!((&part[..8], part[17]), (&[0, 0, 36, 0, 0x0B, 0, 0x18, 0][..], 0));
        assert_eq!(part[22..], [0x3F, 0, 7, 0, 0, 0, 6, 5, 0, 0, 0x0C, 0, 0, 0]);
    }
}
