//! Measurements of a connection that precede its facts.

use std::collections::VecDeque;

use engine::{Histogram, Rate, Span, Time};
use observation::{CapturedConnection, Evidence, Rule, Unseen};
use wire::{Flags, Segment, SeqNum};

use crate::packet::{End, Packet};
use crate::streams::Stream;

/// The place of a capture on the path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Vantage {
    /// The capture was taken at the end that sends most data.
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
    /// The connection's row in the table of connections.
    pub stream: Stream,
    /// The end whose data is followed.
    pub sender: End,
    /// Bytes of data in a full segment: from the SYNs, or the largest segment.
    pub mss: u32,
    /// Maximum number of header bytes in an IP packet with data.
    pub headers: u32,
    /// Whether segments were larger than `mss`, because the host splits them after the place of capture, or has merged
    /// them.
    pub offloaded: bool,
    /// The sequence number of the first byte of data.
    pub origin: SeqNum,
    /// Number of bytes from `origin` to the last byte sent.
    pub bytes: u64,
    /// The min RTT from the place of capture to the sender and back.
    pub to_sender: Evidence<Span>,
    /// The min RTT from the place of capture to the receiver and back.
    pub to_receiver: Evidence<Span>,
    /// The place of the capture: given, or derived from round trips, or from retransmissions. Before the place where
    /// segments are lost, each of them is captured twice.
    pub vantage: Evidence<Vantage>,
    /// The rate of the slowest link. A survey estimates it by the rate at which data was acknowledged while more was in
    /// flight, a median of 8 samples at least.
    pub rate: Evidence<Rate>,
    /// The receive window in the first segment of the receiver after its SYN.
    pub window: Evidence<u64>,
    /// Whether the scale of the receive window is known.
    pub scale_known: bool,
    /// Whether both ends support SACK, or selective acknowledgments were captured.
    pub sack: bool,
}

/// The round trip that the classification of events assumes if none was measured. No time is derived from it.
const THRESHOLD: Span = Span::from_millis(1);

impl Survey {
    /// The smallest round trip of the path; the propagation delays are at most that.
    pub fn round_trip(&self) -> Evidence<Span> {
        let parts = [self.to_sender, self.to_receiver].map(|part| part.value().unwrap_or(Span::ZERO));
        match parts[0] + parts[1] {
            Span::ZERO => Evidence::Unknown(Unseen::NoRoundTrip),
            sum => Evidence::Inferred { value: sum, low: Span::ZERO, high: sum, rule: Rule::LeastRoundTrip },
        }
    }

    /// The min RTT, or a threshold in its place.
    pub(super) fn round_trip_threshold(&self) -> Span {
        self.round_trip().value().unwrap_or(THRESHOLD)
    }

    /// Returns the time after which a captured acknowledgment arrives at the sender. It is zero if the place of capture
    /// is unknown, because the times of the capture then count as the sender's.
    pub fn offset_to_sender(&self) -> Span {
        self.to_sender.value().unwrap_or(Span::ZERO)
    }

    /// The place of the capture in words.
    pub fn describe_place(&self) -> String {
        self.vantage.value().map_or("an unknown place".to_owned(), |place| format!("the {}", place.name()))
    }

    /// Returns the place to which the timestamps of the capture are attributed: its place, or the sender if the place
    /// is unknown.
    pub fn place_of_times(&self) -> Vantage {
        self.vantage.value().unwrap_or(Vantage::Sender)
    }

    /// Whether the capture was taken at the sender, as far as is known: its times are exact then.
    pub fn is_at_sender(&self) -> bool {
        self.vantage.value() == Some(Vantage::Sender)
    }

    /// Whether the sender's FIN was captured.
    pub(super) fn has_fin(&self) -> bool {
        self.stream.fin[self.sender.index()]
    }

    /// The transmission time of a full segment; zero at an unknown rate.
    pub(super) fn transmission_time(&self) -> Span {
        self.rate.value().map_or(Span::ZERO, |rate| rate.transmission_time(self.mss + self.headers))
    }

    /// Returns the propagation delay of one direction: half of (min RTT - transmission time of a full segment).
    pub fn delay(&self) -> Evidence<Span> {
        let transmission = self.transmission_time().as_nanos();
        match self.round_trip() {
            Evidence::Inferred { value, .. } | Evidence::Known(value) => {
                let round_trip = value.as_nanos();
                let value = Span::from_nanos((round_trip - transmission.min(round_trip)) / 2);
                let high = Span::from_nanos(round_trip);
                Evidence::Inferred { value, low: Span::ZERO, high, rule: Rule::HalfRoundTrip }
            }
            Evidence::Unknown(unseen) => Evidence::Unknown(unseen),
        }
    }

    /// Returns the connection, as far as it is known before its facts.
    pub fn connection(&self) -> CapturedConnection {
        let name = |end: End| self.stream.ends[end.index()].to_string();
        CapturedConnection {
            name: format!("stream {}", self.number),
            ends: [name(self.sender), name(self.sender.other())],
            start: self.stream.start,
            segment: self.mss,
            packet: self.mss + self.headers,
            bytes: self.bytes,
            rate: self.rate,
            delay: self.delay(),
            receive_window: self.window,
            is_at_sender: self.is_at_sender(),
        }
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
    /// The min RTT to the receiver, by data.
    to_receiver: Option<Span>,
    /// The min RTT to the receiver, by a SYN.
    syn_to_receiver: Option<Span>,
    /// The min RTT to the sender.
    to_sender: Option<Span>,
    /// The last timestamps of the receiver, each with the time of the first segment that had it.
    stamps: VecDeque<(u32, Time)>,
    /// Minimum time from a timestamp of the receiver to its echo.
    echoed: Option<Span>,
    /// The last acknowledgment of new data while data was in flight: its time, its number, and the time at which the
    /// acknowledged data was sent.
    last_ack: Option<(Time, u64, Option<Time>)>,
    /// Rates in bits per second, by acknowledgments.
    rates: Histogram,
    /// Rates in bits per second, by data.
    data_rates: Histogram,
    /// Rates from acknowledgments of back-to-back segments: otherwise a sender that paces hides the rate of the link.
    pair_rates: Histogram,
    /// The last segment of new data.
    last_data: Option<Time>,
    window: Option<u32>,
    /// Number of segments after a gap.
    gaps: u64,
    /// Number of retransmitted segments.
    repeats: u64,
    answered: bool,
    sack: bool,
}

/// Minimum number of samples for a rate.
const MIN_RATES: u64 = 8;

/// The smallest plausible MSS in bytes.
const MIN_MSS: u32 = 64;

/// Bytes of IP and TCP headers without options.
const MIN_HEADERS: u32 = 40;
/// Largest plausible number of bytes of IP and TCP headers, extension headers included.
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

    /// Reads a packet of the connection. `stream` is the row of the connection so far.
    pub fn on_packet(&mut self, packet: &Packet, stream: &Stream) {
        let (Some(segment), Some(of)) = (packet.segment(), packet.stream) else { return };
        let syn = segment.flags.has(Flags::SYN);
        if of.from == End::Client && !syn {
            self.on_handshake_end(packet.at, stream);
        }
        if of.from == self.sender {
            let origin = *self.origin.get_or_insert(segment.seq + u32::from(syn));
            if segment.len > 0 {
                if !packet.fragment {
                    let headers = packet.ip_len.saturating_sub(segment.len);
                    self.headers = self.headers.max(headers.min(MAX_HEADERS));
                }
                self.on_data(packet.at, segment, origin);
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
                self.on_ack(packet.at, ack);
            }
        }
    }

    /// Handles the client's answer to the SYN-ACK, after which the round trips on both sides are known.
    fn on_handshake_end(&mut self, at: Time, stream: &Stream) {
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

    fn on_data(&mut self, at: Time, segment: &Segment, origin: SeqNum) {
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
                self.on_echo(at, stamps.echo);
            }
        }
        self.max = self.max.max(end);
    }

    /// Processes new data that echoes a timestamp. The sender sent it after the segment with that timestamp had
    /// arrived.
    fn on_echo(&mut self, at: Time, echo: u32) {
        let Some(place) = self.stamps.iter().position(|(stamp, _)| *stamp == echo) else { return };
        keep_min(&mut self.echoed, at.since(self.stamps[place].1.min(at)));
        self.stamps.drain(..=place);
    }

    fn on_ack(&mut self, at: Time, ack: u64) {
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

    /// Ends the survey. `stream` is the complete row of connection `number`; `given` the place of the capture, if the
    /// user names it.
    pub fn finish(self, number: u32, stream: &Stream, given: Option<Vantage>) -> Survey {
        let receiver = self.sender.other();
        let (mss, offloaded) = find_segment_size(stream, self.sender);
        let measured = self.to_sender.into_iter().chain(self.echoed).min();
        let measured_rate = self.estimate_rate(mss);
        // The round trip of a SYN lacks the transmission time of a full segment.
        let full = measured_rate.value().map_or(Span::ZERO, |rate| rate.transmission_time(mss + self.headers));
        let answered = [self.to_receiver, self.syn_to_receiver.map(|span| span + full)].into_iter().flatten().min();
        let [to_sender, to_receiver] = [measured, answered].map(|span| span.unwrap_or(Span::ZERO));
        let sum = to_sender + to_receiver;
        let is_tenth = |part: Span| part.times(10) <= sum;
        let nearest = match (is_tenth(to_sender), is_tenth(to_receiver)) {
            (true, _) => Vantage::Sender,
            (_, true) => Vantage::Receiver,
            _ => Vantage::Middle,
        };
        // Lost segments were captured before their loss.
        let before_losses = self.repeats > 10 * self.gaps && to_receiver > Span::from_millis(1);
        let vantage = match given {
            Some(given) => Evidence::Known(given),
            None if measured.is_some() && sum > Span::ZERO => Evidence::infer(nearest, Rule::ShortRoundTrip),
            None if before_losses => Evidence::infer(nearest, Rule::CapturedBeforeLoss),
            None => Evidence::Unknown(Unseen::NoPlace),
        };
        let [to_sender, to_receiver] =
            [(measured, Vantage::Sender), (answered, Vantage::Receiver)].map(|(span, end)| {
                match (vantage.value(), span) {
                    (Some(place), _) if place == end => vantage.map(|_| Span::ZERO),
                    (None, _) if end == Vantage::Sender => Evidence::Unknown(Unseen::NoPlace),
                    (_, Some(value)) => {
                        Evidence::Inferred { value, low: Span::ZERO, high: value, rule: Rule::LeastRoundTrip }
                    }
                    (_, None) => Evidence::Unknown(Unseen::NoRoundTrip),
                }
            });
        let scale_known = stream.knows_scale(receiver);
        Survey {
            number,
            stream: stream.clone(),
            sender: self.sender,
            mss,
            headers: self.headers,
            offloaded,
            origin: self.origin.unwrap_or_default(),
            bytes: self.max,
            to_sender,
            to_receiver,
            vantage,
            rate: measured_rate,
            window: match self.window {
                _ if !scale_known => Evidence::Unknown(Unseen::NoWindowScale),
                Some(window) => Evidence::Known(window.into()),
                None => Evidence::Unknown(Unseen::NoReceiver),
            },
            scale_known,
            sack: self.sack || stream.syn.iter().all(|syn| syn.is_some_and(|syn| syn.sack_permitted)),
        }
    }

    /// The rate at which data was acknowledged, or seen behind the slowest link.
    fn estimate_rate(&self, mss: u32) -> Evidence<Rate> {
        // Before the slowest link, data arrives at the rate at which the sender sends it. Behind the slowest link, it
        // arrives at the rate of that link.
        let rates = if self.data_rates.count() > self.rates.count() { &self.data_rates } else { &self.rates };
        let median = |rates: &Histogram| rates.quantile(0.5).filter(|_| rates.count() >= MIN_RATES);
        let (all, pairs) = (median(rates), median(&self.pair_rates));
        let chosen = if pairs > all { &self.pair_rates } else { rates };
        // Acknowledgments count only data, while the link also transmits headers.
        let with_headers = |rate: u64| (rate as f64 * f64::from(mss + self.headers) / f64::from(mss)) as u64;
        let quantile = |share: f64| Rate::from_bits_per_sec(with_headers(chosen.quantile(share)?));
        match (
            all.max(pairs).and_then(|rate| Rate::from_bits_per_sec(with_headers(rate))),
            quantile(0.1),
            quantile(0.9),
        ) {
            (Some(value), Some(low), Some(high)) => {
                Evidence::Inferred { value, low: low.min(value), high: high.max(value), rule: Rule::CloseAcks }
            }
            _ => Evidence::Unknown(Unseen::TooFewSamples),
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
fn find_segment_size(stream: &Stream, sender: End) -> (u32, bool) {
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
