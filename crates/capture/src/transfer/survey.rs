//! What is known of a connection before its events are made.

use std::collections::VecDeque;

use engine::{Histogram, Rate, Span, Time};
use wire::{Flags, Segment, SeqNum};

use crate::packet::{End, Packet};
use crate::streams::Stream;

/// The place of a capture on the path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Vantage {
    /// At the end that sends most data.
    Sender,
    /// At the other end.
    Receiver,
    /// Between them.
    Middle,
}

impl Vantage {
    /// The name in tables and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Vantage::Sender => "sender",
            Vantage::Receiver => "receiver",
            Vantage::Middle => "middle",
        }
    }
}

/// Measurements of a connection.
#[derive(Clone, Debug)]
pub struct Survey {
    /// The number of the connection in its capture.
    pub number: u32,
    /// Its row in the table of connections.
    pub stream: Stream,
    /// The end whose data is followed.
    pub sender: End,
    /// Bytes of data in a full segment: from the SYNs, or the largest segment.
    pub mss: u32,
    /// Bytes of headers in an IP packet with data: the most in one.
    pub headers: u32,
    /// Whether segments were larger than `mss`: the host splits them after the place of capture, or has merged them.
    pub offloaded: bool,
    /// The sequence number of the first byte of data.
    pub origin: SeqNum,
    /// Bytes from there to the last one sent.
    pub bytes: u64,
    /// The smallest round trip from the place of capture to the sender and back; zero if it was not measured.
    pub to_sender: Span,
    /// The same to the receiver.
    pub to_receiver: Span,
    /// The place of the capture.
    pub vantage: Vantage,
    /// Whether `vantage` was given, or follows from round trips, or from the segments that were sent again: before the
    /// place where segments are lost, each of them is captured twice.
    pub vantage_known: bool,
    /// The rate at which data was acknowledged while more was under way, a median: an estimate of the rate of the
    /// slowest link. `None` with fewer than 8 samples.
    pub rate: Option<Rate>,
    /// The receive window in the first segment of the receiver after its SYN.
    pub window: u32,
    /// Whether the scale of the receive window is known.
    pub scale_known: bool,
    /// Whether both ends support SACK, or selective acknowledgments were captured.
    pub sack: bool,
}

impl Survey {
    /// The smallest round trip of the path; 1 ms if none was measured.
    pub fn round_trip(&self) -> Span {
        let sum = self.to_sender + self.to_receiver;
        if sum == Span::ZERO { Span::from_millis(1) } else { sum }
    }
}

/// Measures a connection.
pub struct Surveyor {
    sender: End,
    origin: Option<SeqNum>,
    headers: u32,
    max: u64,
    una: u64,
    /// Segments sent once and not acknowledged: end and time. At most `MAX_PENDING`.
    pending: VecDeque<(u64, Time)>,
    /// With data, and with a SYN.
    to_receiver: Option<Span>,
    syn_to_receiver: Option<Span>,
    to_sender: Option<Span>,
    /// The last timestamps of the receiver, each with the time of the first segment that had it.
    stamps: VecDeque<(u32, Time)>,
    /// From a timestamp of the receiver to its echo.
    echoed: Option<Span>,
    /// The last acknowledgment of new data with data under way: its time, its number, and when what it covers was sent.
    last_ack: Option<(Time, u64, Option<Time>)>,
    /// In bits per second: of acknowledgments, and of data.
    rates: Histogram,
    data_rates: Histogram,
    /// Of acknowledgments of segments that were sent together: a sender that paces hides the rate of the link
    /// otherwise.
    pair_rates: Histogram,
    /// The last segment of new data.
    last_data: Option<Time>,
    window: Option<u32>,
    /// Segments behind missing ones, and segments of data from before.
    gaps: u64,
    repeats: u64,
    answered: bool,
    sack: bool,
}

/// Samples without which there is no rate.
const MIN_RATES: u64 = 8;

/// The smallest MSS that is believed, in bytes.
const MIN_MSS: u32 = 64;

/// Bytes of the headers of IP and TCP: without options, and with extension headers that are believed.
const MIN_HEADERS: u32 = 40;
const MAX_HEADERS: u32 = 120;

/// Limits of memory.
const MAX_PENDING: usize = 4096;
const MAX_STAMPS: usize = 4096;

impl Surveyor {
    /// A surveyor of the data that `sender` sends.
    pub fn new(sender: End) -> Self {
        Surveyor {
            sender,
            origin: None,
            headers: MIN_HEADERS,
            max: 0,
            una: 0,
            pending: VecDeque::new(),
            to_receiver: None,
            syn_to_receiver: None,
            to_sender: None,
            stamps: VecDeque::new(),
            echoed: None,
            last_ack: None,
            rates: Histogram::default(),
            data_rates: Histogram::default(),
            pair_rates: Histogram::default(),
            last_data: None,
            window: None,
            gaps: 0,
            repeats: 0,
            answered: false,
            sack: false,
        }
    }

    /// Reads a packet of the connection; `stream` is its row so far.
    pub fn packet(&mut self, packet: &Packet, stream: &Stream) {
        let (Some(segment), Some(of)) = (packet.segment(), packet.stream) else { return };
        let syn = segment.flags.has(Flags::SYN);
        if of.from == End::Client && !syn {
            self.handshake_ends(packet.at, stream);
        }
        if of.from == self.sender {
            let origin = *self.origin.get_or_insert(segment.seq + u32::from(syn));
            if segment.len > 0 {
                if !packet.fragment {
                    let headers = packet.ip_len.saturating_sub(segment.len);
                    self.headers = self.headers.max(headers.min(MAX_HEADERS));
                }
                self.data(packet.at, segment, origin);
            }
        } else if !syn {
            self.window.get_or_insert(segment.window);
            self.sack |= !segment.options.sack.is_empty();
            if let Some(stamps) = segment.options.timestamps
                && self.stamps.back().is_none_or(|(last, _)| *last != stamps.value)
                && self.stamps.len() < MAX_STAMPS
            {
                self.stamps.push_back((stamps.value, packet.at));
            }
            if let Some(origin) = self.origin.filter(|_| segment.flags.has(Flags::ACK))
                && let Some(ack) = segment.ack.offset_from(origin, self.una)
            {
                self.ack(packet.at, ack);
            }
        }
    }

    /// The client answers the SYN-ACK: the round trips on both sides are known.
    fn handshake_ends(&mut self, at: Time, stream: &Stream) {
        if std::mem::replace(&mut self.answered, true) {
            return;
        }
        let [Some(client), Some(server)] = stream.syn else { return };
        if client.at > server.at || server.at > at {
            return;
        }
        let (to_server, to_client) = (server.at.since(client.at), at.since(server.at));
        let (to_sender, to_receiver) = match self.sender {
            End::Client => (to_client, to_server),
            End::Server => (to_server, to_client),
        };
        self.to_sender = Some(to_sender);
        self.syn_to_receiver = Some(to_receiver);
    }

    fn data(&mut self, at: Time, segment: &Segment, origin: SeqNum) {
        let Some(seq) = segment.seq.offset_from(origin, self.max) else { return };
        let end = seq + u64::from(segment.len);
        self.gaps += u64::from(seq > self.max && self.max > 0);
        self.repeats += u64::from(seq < self.max);
        if seq < self.max {
            // [RFC6298 s3] Karn's rule.
            self.pending.retain(|(pending, _)| *pending <= seq);
            self.last_ack = None;
            self.last_data = None;
        } else {
            if let Some(before) = self.last_data.filter(|_| seq == self.max) {
                let span = at.since(before.min(at));
                let within_burst = self.to_sender.is_some_and(|rtt| span.times(2) < rtt);
                record_rate(&mut self.data_rates, span, u64::from(segment.len), within_burst);
            }
            self.last_data = Some(at);
            if self.pending.len() < MAX_PENDING {
                self.pending.push_back((end, at));
            }
            if let Some(stamps) = segment.options.timestamps {
                self.echo(at, stamps.echo);
            }
        }
        self.max = self.max.max(end);
    }

    /// New data echoes a timestamp: the sender sent it after the segment with that timestamp had arrived.
    fn echo(&mut self, at: Time, echo: u32) {
        let Some(place) = self.stamps.iter().position(|(stamp, _)| *stamp == echo) else { return };
        keep_min(&mut self.echoed, at.since(self.stamps[place].1.min(at)));
        self.stamps.drain(..=place);
    }

    fn ack(&mut self, at: Time, ack: u64) {
        if ack <= self.una || ack > self.max.saturating_add(1) {
            return;
        }
        let mut latest = None;
        while let Some((end, sent)) = self.pending.front().copied().filter(|(end, _)| *end <= ack) {
            latest = (end == ack).then_some(sent);
            self.pending.pop_front();
        }
        if let Some(sent) = latest {
            keep_min(&mut self.to_receiver, at.since(sent.min(at)));
        }
        if let Some((before, una, pair)) = self.last_ack {
            let span = at.since(before.min(at));
            // Between bursts the path is empty.
            let within_burst = self.to_receiver.is_some_and(|rtt| span.times(2) < rtt);
            record_rate(&mut self.rates, span, ack - una, within_burst);
            let together = pair.zip(latest).is_some_and(|(one, other)| other.since(one.min(other)).times(4) < span);
            record_rate(&mut self.pair_rates, span, ack - una, within_burst && together);
        }
        self.una = ack;
        self.last_ack = Some((at, ack, latest)).filter(|_| ack < self.max);
    }

    /// Ends the survey. `stream` is the complete row of connection `number`; `given` the place of the capture, if it is
    /// known.
    pub fn finish(self, number: u32, stream: &Stream, given: Option<Vantage>) -> Survey {
        let receiver = self.sender.other();
        let (mss, offloaded) = segment_size(stream, self.sender);
        let measured = self.to_sender.into_iter().chain(self.echoed).min();
        // Before the slowest link data comes as the sender sends it; behind it, as the link does.
        let rates = if self.data_rates.count() > self.rates.count() { &self.data_rates } else { &self.rates };
        let median = |rates: &Histogram| rates.quantile(0.5).filter(|_| rates.count() >= MIN_RATES);
        let rate = median(rates).max(median(&self.pair_rates));
        // What is acknowledged is data; the link transmits headers too.
        let headers = self.headers;
        let rate = rate.map(|rate| (rate as f64 * f64::from(mss + headers) / f64::from(mss)) as u64);
        let rate = rate.and_then(Rate::from_bits_per_sec);
        // A SYN is small.
        let full = rate.map_or(Span::ZERO, |rate| rate.transmission_time(mss + headers));
        let answered = [self.to_receiver, self.syn_to_receiver.map(|span| span + full)];
        let to_receiver = answered.into_iter().flatten().min().unwrap_or(Span::ZERO);
        let (mut to_sender, mut to_receiver) = (measured.unwrap_or(Span::ZERO), to_receiver);
        let sum = to_sender + to_receiver;
        let is_tenth = |part: Span| part.times(10) <= sum;
        let found = match (is_tenth(to_sender), is_tenth(to_receiver)) {
            (true, _) => Vantage::Sender,
            (_, true) => Vantage::Receiver,
            _ => Vantage::Middle,
        };
        // Segments that were lost were captured before.
        let before_losses = self.repeats > 10 * self.gaps && to_receiver > Span::from_millis(1);
        let vantage = given.unwrap_or(found);
        match vantage {
            Vantage::Sender => to_sender = Span::ZERO,
            Vantage::Receiver => to_receiver = Span::ZERO,
            Vantage::Middle => {}
        }
        Survey {
            number,
            stream: stream.clone(),
            sender: self.sender,
            mss,
            headers,
            offloaded,
            origin: self.origin.unwrap_or_default(),
            bytes: self.max,
            to_sender,
            to_receiver,
            vantage,
            vantage_known: given.is_some() || (measured.is_some() && sum > Span::ZERO) || before_losses,
            rate,
            window: self.window.unwrap_or(0),
            scale_known: stream.knows_scale(receiver),
            sack: self.sack || stream.syn.iter().all(|syn| syn.is_some_and(|syn| syn.sack_permitted)),
        }
    }
}

fn record_rate(rates: &mut Histogram, span: Span, bytes: u64, within_burst: bool) {
    if within_burst && span > Span::ZERO {
        rates.record((bytes as f64 * 8.0 / span.as_secs_f64()) as u64);
    }
}

fn keep_min(least: &mut Option<Span>, span: Span) {
    *least = Some(least.map_or(span, |least| least.min(span)));
}

/// The data of a full segment, and whether larger ones were captured.
fn segment_size(stream: &Stream, sender: End) -> (u32, bool) {
    let largest = stream.largest[sender.index()].max(1);
    // The MSS that the receiver states, less the timestamps that each segment then has [RFC9293 s3.7.1].
    let stated = stream.syn[sender.other().index()].filter(|syn| syn.mss.is_some() || !syn.options_cut).map(|syn| {
        let both = syn.timestamps && stream.syn[sender.index()].is_none_or(|syn| syn.timestamps);
        u32::from(syn.mss.unwrap_or(536)).saturating_sub(if both { 12 } else { 0 })
    });
    match stated {
        Some(stated) if largest > stated.saturating_add(12) => (stated.max(MIN_MSS), true),
        // Jumbo frames have up to 9,000 bytes.
        None if largest > 8960 => (1448, true),
        _ => (largest, false),
    }
}
