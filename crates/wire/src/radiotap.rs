//! What a monitor knows of a frame beside its bytes: the header of radiotap.org, in front of IEEE 802.11's in captures.

/// Bits of the fields that are there: the clock, flags, the rate, the channel.
const PRESENT: u32 = 0b1011;
const PRESENT_RATE: u32 = 0b0100;

const FLAG_SHORT_PREAMBLE: u8 = 0x02;
const FLAG_FCS_AT_END: u8 = 0x10;
const FLAG_BAD_FCS: u8 = 0x40;

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
    /// In units of 500 kbps; one that does not fit is left out.
    pub rate: Option<u8>,
    /// MHz, and the flags of the channel.
    pub channel: (u16, u16),
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
        fields.push(self.rate.unwrap_or(0));
        fields.extend(self.channel.0.to_le_bytes());
        fields.extend(self.channel.1.to_le_bytes());
        let mut out = vec![0, 0];
        out.extend((8 + fields.len() as u16).to_le_bytes());
        out.extend((PRESENT | if self.rate.is_some() { PRESENT_RATE } else { 0 }).to_le_bytes());
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
            rate: Some(22),
            channel: (2412, channel::GHZ_2 | channel::CCK),
        };
        let expected = [0, 0, 22, 0, 0x0F, 0, 0, 0, 4, 3, 2, 1, 0, 0, 0, 0, 0x50, 22, 0x6C, 0x09, 0xA0, 0];
        assert_eq!(header.bytes(), expected);
        let without = Radiotap { rate: None, ..header }.bytes();
        assert_eq!((without[4], without[17], without.len()), (0x0B, 0, 22));
    }
}
