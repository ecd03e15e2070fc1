//! The TCP connections of a capture.

use std::collections::HashMap;
use std::net::SocketAddr;

use engine::Time;
use wire::{Flags, Segment, SeqNum};

use crate::packet::{Direction, End, Packet, StreamEnd, Transport};

/// Maximum number of connections in the table: a limit of memory, about 80 MB. Segments of further connections are read
/// without a stream number.
pub const MAX_STREAMS: usize = 250_000;

/// The SYN of an end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Syn {
    /// Initial sequence number.
    pub seq: SeqNum,
    /// The time of the first one captured.
    pub at: Time,
    /// The largest segment that the end accepts, in bytes of data, if stated.
    pub mss: Option<u16>,
    /// Window scale, if offered.
    pub window_scale: Option<u8>,
    /// Whether the end supports SACK.
    pub sack_permitted: bool,
    /// Whether the end sends timestamps.
    pub timestamps: bool,
    /// Whether options were not captured: an option that is missing here may have been stated there.
    pub options_cut: bool,
}

/// A TCP connection. Arrays have the client's value first, see [`End`].
#[derive(Clone, PartialEq, Debug)]
pub struct Stream {
    /// Addresses and ports.
    pub ends: [SocketAddr; 2],
    /// Segments that each end sent.
    pub packets: [u64; 2],
    /// Bytes of data that each end sent, retransmissions included.
    pub bytes: [u64; 2],
    /// The SYN of each end, if it was captured.
    pub syn: [Option<Syn>; 2],
    /// Whether each end sent a FIN.
    pub fin: [bool; 2],
    /// Whether an end sent a RST.
    pub reset: bool,
    /// Segments whose options were cut by the snap length.
    pub options_cut: u64,
    /// The maximum number of data bytes in a segment, for each end. It is above [`Syn::mss`] with segmentation offload.
    pub largest: [u32; 2],
    /// The end at which the capture was taken, known from the first packet with a direction on.
    pub host: Option<End>,
    /// The time of the first segment.
    pub start: Time,
    /// The time of the last segment.
    pub end: Time,
}

impl Stream {
    fn new(ends: [SocketAddr; 2], at: Time) -> Self {
        Stream {
            ends,
            packets: [0; 2],
            bytes: [0; 2],
            syn: [None; 2],
            fin: [false; 2],
            reset: false,
            options_cut: 0,
            largest: [0; 2],
            host: None,
            start: at,
            end: at,
        }
    }

    /// Returns the number of bits by which windows of an end are shifted on the wire [RFC7323 s2.2]. It is the offer in
    /// the end's SYN, if the other SYN has the option too or was not captured. 0 if the end's SYN was not captured.
    pub fn window_shift(&self, end: End) -> u8 {
        let offer = |end: End| self.syn[end.index()].map(|syn| syn.window_scale);
        if !self.knows_scale(end) {
            return 0;
        }
        match (offer(end), offer(end.other())) {
            (Some(Some(shift)), None | Some(Some(_))) => shift,
            _ => 0,
        }
    }

    /// Returns whether the scale of an end's windows is known: the end's SYN was captured with all options, or the
    /// other SYN excludes scaling.
    pub fn knows_scale(&self, end: End) -> bool {
        let whole = |end: End| self.syn[end.index()].filter(|syn| !syn.options_cut);
        let excluded = whole(end.other()).is_some_and(|syn| syn.window_scale.is_none());
        whole(end).is_some() || excluded
    }

    /// The end that sent more data.
    pub fn main_sender(&self) -> End {
        if self.bytes[1] > self.bytes[0] { End::Server } else { End::Client }
    }

    /// Whether a SYN begins another connection between the same ports.
    fn is_followed_by(&self, from: usize, segment: &Segment) -> bool {
        let opens = segment.flags.has(Flags::SYN) && !segment.flags.has(Flags::ACK);
        let known = self.syn[from].is_some_and(|syn| syn.seq == segment.seq);
        let began = self.syn[from].is_some() || self.bytes != [0, 0] || self.reset || self.fin != [false; 2];
        opens && !known && began
    }

    fn add_segment(&mut self, at: Time, from: usize, segment: &Segment, options_cut: bool) {
        self.options_cut += u64::from(options_cut);
        self.packets[from] += 1;
        self.bytes[from] += u64::from(segment.len);
        self.largest[from] = self.largest[from].max(segment.len);
        self.fin[from] |= segment.flags.has(Flags::FIN);
        self.reset |= segment.flags.has(Flags::RST);
        self.start = self.start.min(at);
        self.end = self.end.max(at);
        if segment.flags.has(Flags::SYN) && self.syn[from].is_none() {
            let options = &segment.options;
            self.syn[from] = Some(Syn {
                seq: segment.seq,
                at,
                mss: options.mss.map(u16::from),
                window_scale: options.window_scale,
                sack_permitted: options.sack_permitted,
                timestamps: options.timestamps.is_some(),
                options_cut,
            });
        }
    }
}

/// The table of connections, filled while the capture is read.
#[derive(Default)]
pub struct StreamTable {
    /// The number of the latest connection, by addresses of client and server.
    numbers: HashMap<[SocketAddr; 2], u32, foldhash::fast::RandomState>,
    pub streams: Vec<Stream>,
}

impl StreamTable {
    /// Assigns a segment to its connection, and scales the segment's window. Returns false if the table is full.
    pub fn add_packet(&mut self, packet: &mut Packet) -> bool {
        let (src, dst) = packet.sockets();
        let Transport::Tcp(segment) = &mut packet.transport else { return true };
        let known = |ends: [SocketAddr; 2], from: End| self.numbers.get(&ends).map(|number| (*number, from));
        let found = known([src, dst], End::Client).or_else(|| known([dst, src], End::Server));
        let found =
            found.filter(|(number, from)| !self.streams[*number as usize].is_followed_by(from.index(), segment));
        let (number, from) = match found {
            Some(found) => found,
            None if self.streams.len() == MAX_STREAMS => return false,
            None => {
                let answers = segment.flags.has(Flags::SYN) && segment.flags.has(Flags::ACK);
                let (ends, from) = if answers { ([dst, src], End::Server) } else { ([src, dst], End::Client) };
                let number = self.streams.len() as u32;
                self.streams.push(Stream::new(ends, packet.at));
                // Client and server may be swapped since an earlier connection.
                self.numbers.remove(&[ends[1], ends[0]]);
                self.numbers.insert(ends, number);
                (number, from)
            }
        };
        let stream = &mut self.streams[number as usize];
        if let Some(direction) = packet.direction {
            stream.host.get_or_insert(match direction {
                Direction::Out => from,
                Direction::In => from.other(),
            });
        }
        stream.add_segment(packet.at, from.index(), segment, packet.options_cut);
        if !segment.flags.has(Flags::SYN) {
            segment.window_shift = stream.window_shift(from);
            segment.window <<= segment.window_shift;
        }
        packet.stream = Some(StreamEnd { stream: number, from });
        true
    }
}
