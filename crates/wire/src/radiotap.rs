//! What a monitor knows of a frame beside its bytes: the header of radiotap.org, in front of IEEE 802.11's in captures.

/// Bits of the fields that are there: the clock, flags, the rate, the channel, MCS, the A-MPDU status.
const PRESENT: u32 = 0b1011;
const PRESENT_RATE: u32 = 1 << 2;
const PRESENT_MCS: u32 = 1 << 19;
const PRESENT_AGGREGATE: u32 = 1 << 20;

const FLAG_SHORT_PREAMBLE: u8 = 0x02;
const FLAG_FCS_AT_END: u8 = 0x10;
const FLAG_BAD_FCS: u8 = 0x40;

/// Of an MCS are known the bandwidth, the index, the guard interval, the format, the code and its streams: 20 MHz, long, mixed,
/// convolutional and one are all zero.
const MCS_KNOWN: u8 = 0x3F;
const MCS_FLAGS: u8 = 0;

/// Which frame of an aggregate is the last is known, and this is it.
const AGGREGATE_LAST_KNOWN: u16 = 0x0004;
const AGGREGATE_LAST: u16 = 0x0008;

/// Bits of [`Radiotap::channel`].
pub mod channel {
    /// Direct sequence, 1 to 11 Mbps.
    pub const CCK: u16 = 0x0020;
    /// OFDM.
    pub const OFDM: u16 = 0x0040;
    /// Between 2.4 and 2.5 GHz.
    pub const GHZ_2: u16 = 0x0080;
    /// Between 5 and 6 GHz.
    pub const GHZ_5: u16 = 0x0100;
    /// Frequency hopping.
    pub const GFSK: u16 = 0x0800;
}

/// What is known of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Radiotap {
    /// When its first bit came, behind the preamble, in microseconds (TSFT).
    pub first_bit_us: u64,
    /// Whether it arrived damaged.
    pub bad_fcs: bool,
    /// Whether its preamble is the short one.
    pub short_preamble: bool,
    /// How fast it is sent.
    pub rate: Speed,
    /// MHz, and the flags of the channel.
    pub channel: (u16, u16),
    /// The aggregate that it is part of.
    pub aggregate: Option<Part>,
}

/// How fast a frame is sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Speed {
    /// In units of 500 kbps.
    Rate(u8),
    /// The index of a scheme of 802.11n, in 20 MHz, with the long guard interval and the mixed format.
    Mcs(u8),
    /// What the field has no number for.
    Other,
}

/// A frame's place in an aggregate (A-MPDU status).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    /// The aggregate's number, the same for all its frames.
    pub reference: u32,
    /// Whether none follows in it.
    pub last: bool,
}

impl Radiotap {
    /// The header's bytes. The frame behind it has its checksum at the end.
    pub fn bytes(&self) -> Vec<u8> {
        let mut fields = Vec::with_capacity(22);
        fields.extend(self.first_bit_us.to_le_bytes());
        let flag = |set: bool, flag: u8| if set { flag } else { 0 };
        fields
            .push(FLAG_FCS_AT_END | flag(self.bad_fcs, FLAG_BAD_FCS) | flag(self.short_preamble, FLAG_SHORT_PREAMBLE));
        // The channel is aligned to two bytes: without a rate one byte is empty.
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
        if let Some(Part { reference, last }) = self.aggregate {
            present |= PRESENT_AGGREGATE;
            // Aligned to four bytes, as the header's eight are.
            fields.resize(fields.len().next_multiple_of(4), 0);
            fields.extend(reference.to_le_bytes());
            fields.extend((AGGREGATE_LAST_KNOWN | if last { AGGREGATE_LAST } else { 0 }).to_le_bytes());
            // The delimiter's checksum, which is not told, and a byte for later use.
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
    fn fields_stand_where_they_are_aligned() {
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
        // Three bytes of MCS, three empty ones, eight of the aggregate.
        let part = Some(Part { reference: 0x0506, last: true });
        let part = Radiotap { rate: Speed::Mcs(7), aggregate: part, ..header }.bytes();
        assert_eq!((&part[..8], part[17]), (&[0, 0, 36, 0, 0x0B, 0, 0x18, 0][..], 0));
        assert_eq!(part[22..], [0x3F, 0, 7, 0, 0, 0, 6, 5, 0, 0, 0x0C, 0, 0, 0]);
    }
}
