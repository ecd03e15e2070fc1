//! Errors of captures.

use std::io;

use crate::link;

/// The reason why a capture, or the rest of it, cannot be read. The message is one sentence without the file's name.
#[derive(Debug, thiserror::Error)]
pub enum CaptureError {
    /// The file does not begin as a capture.
    #[error(
        "found {found}, expected a pcap or pcapng file; tcpdump -w, Wireshark and `lasthop run --trace pcapng` write them"
    )]
    NotACapture {
        /// The first bytes, or that there are none.
        found: String,
    },
    /// No packet can be read because of its link type.
    #[error("found link type {link_type}{}, expected Ethernet, Linux cooked (SLL or SLL2), raw IP, NULL or LOOP: capture on another interface, such as `any`", link::name_link_type(*link_type))]
    ForeignLinkType {
        /// The number of the link type (<https://www.tcpdump.org/linktypes.html>).
        link_type: u32,
    },
    /// The file ends within a packet. All packets before were read.
    #[error(
        "the file ends at byte {length} within the block that begins at byte {offset}: it is incomplete, and the {packets} packets before were read"
    )]
    Truncated {
        /// Offset of the incomplete block in bytes.
        offset: u64,
        /// The length of the file in bytes.
        length: u64,
        /// The number of packets before it.
        packets: u64,
    },
    /// A block contradicts the format. All packets before were read.
    #[error("at byte {offset}: {what}; the {packets} packets before were read")]
    Malformed {
        /// Offset of the block in bytes.
        offset: u64,
        /// The found and the expected value.
        what: String,
        /// The number of packets before it.
        packets: u64,
    },
    /// The source is a decoder that found its input cut or damaged. All packets before were read.
    #[error(
        "the compressed file is cut or damaged behind byte {offset} of its contents ({error}): it is incomplete, and the {packets} packets before were read"
    )]
    Undecoded {
        /// The number of decoded bytes.
        offset: u64,
        /// The error of the decoder.
        error: io::Error,
        /// The number of packets before.
        packets: u64,
    },
    /// The source failed.
    #[error("cannot read beyond byte {offset}: {error}")]
    Read {
        /// The number of bytes read before.
        offset: u64,
        /// The error of the source.
        error: io::Error,
    },
}

impl CaptureError {
    /// Whether the packets before belong to a whole capture, which was cut or damaged later.
    pub fn is_incomplete(&self) -> bool {
        match self {
            CaptureError::Truncated { .. } | CaptureError::Malformed { .. } | CaptureError::Undecoded { .. } => true,
            CaptureError::NotACapture { .. } | CaptureError::ForeignLinkType { .. } | CaptureError::Read { .. } => {
                false
            }
        }
    }
}
