//! The frames of the distributed coordination function and their sizes.

/// Bytes of header and checksum around a frame's body [802.11-2007 s7.2.2]: 24 and 4, with three addresses.
pub const MAC_OVERHEAD: u32 = 28;
/// Bytes of LLC and SNAP in front of an IP packet (RFC1042).
pub const LLC_OVERHEAD: u32 = 8;
/// Bytes of an acknowledgment or a clear-to-send [802.11-2007 s7.2.1].
pub const ACK_SIZE: u32 = 14;
/// Bytes of header and checksum around a packet that may go in an aggregate: also two of QoS control [802.11-2012 s8.2.4.5].
pub const QOS_OVERHEAD: u32 = 30;
/// Bytes in front of each packet of an aggregate [802.11-2012 s8.6.1].
pub const DELIMITER: u32 = 4;
/// Bytes of a compressed block acknowledgment: header 16, control 2, first number 2, bits 8, checksum 4
/// [802.11-2012 s8.3.1.9.3].
pub const BLOCK_ACK_SIZE: u32 = 32;
/// Bytes of a request to send.
pub const RTS_SIZE: u32 = 20;
/// Bytes of a beacon [802.11-2007 s7.2.3.1]: header and checksum, 12 of timestamp, interval and capabilities, a network name of
/// seven letters (9), four rates (6), the channel (3) and a traffic map (6).
pub const BEACON_SIZE: u32 = MAC_OVERHEAD + 12 + 9 + 6 + 3 + 6;
