//! Sizes of the frames of the distributed coordination function.

/// Size of header and checksum of a frame, in bytes [802.11-2007 s7.2.2]: 24 and 4, with three addresses.
pub const MAC_OVERHEAD: u32 = 28;
/// Size of the LLC and SNAP headers of an IP packet, in bytes (RFC1042).
pub const LLC_OVERHEAD: u32 = 8;
/// Size of an acknowledgment or a clear-to-send, in bytes [802.11-2007 s7.2.1].
pub const ACK_SIZE: u32 = 14;
/// Size of header and checksum of a packet that may be part of an aggregate, in bytes, with two of QoS control
/// [802.11-2012 s8.2.4.5].
pub const QOS_OVERHEAD: u32 = 30;
/// Size of the delimiter of each packet in an aggregate, in bytes [802.11-2012 s8.6.1].
pub const DELIMITER: u32 = 4;
/// Size of a compressed block acknowledgment, in bytes: header 16, control 2, starting sequence number 2, bitmap 8,
/// checksum 4 [802.11-2012 s8.3.1.9.3].
pub const BLOCK_ACK_SIZE: u32 = 32;
/// Size of a request to send, in bytes.
pub const RTS_SIZE: u32 = 20;
/// Size of a beacon, in bytes [802.11-2007 s7.2.3.1]: header and checksum, 12 of timestamp, interval and capabilities,
/// an SSID of seven letters (9), four rates (6), the channel (3) and a traffic indication map (6).
pub const BEACON_SIZE: u32 = MAC_OVERHEAD + 12 + 9 + 6 + 3 + 6;
