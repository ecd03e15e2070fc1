//! Logs of iperf3 and ping, where no capture is at hand.

use engine::{Rate, Span};
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::loss::{Estimate, Loss};

/// A log that cannot be fitted.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct LogError(String);

/// The log of `iperf3 -c SERVER -J`, with TCP.
#[derive(Clone, PartialEq, Debug)]
pub struct Iperf {
    /// The rate of the link, headers included: the mean rate of the transfer, or the rate of its median interval if a
    /// receiver wrote the log. The intervals of a sender show only the bytes written into its buffer.
    pub rate: Rate,
    /// The rate of each interval, if a receiver wrote the log and it varies.
    pub rates: Option<Vec<f64>>,
    /// Shortest and longest SRTT that the sender reported; `None` in the log of a receiver (`-R`).
    pub rtt: Option<[Span; 2]>,
    /// SRTTs that the sender reported, at the [percentiles](crate::comparison::PERCENTILES), in seconds.
    pub rtts: [Option<f64>; 2],
    /// Independent losses, as if each retransmission followed a loss.
    pub loss: Loss,
    /// Bytes of data in a full segment.
    pub mss: u32,
    /// Bytes received.
    pub bytes: u64,
    /// Duration at the receiver, including the data in flight when the sender ended.
    pub took: Span,
    /// Segments retransmitted.
    pub retransmits: u64,
    /// The variant of the sender, if the log names its congestion control. The name is that of Linux if the host that
    /// wrote the log has Linux.
    pub control: Option<String>,
    /// Whether the host that wrote the log received (`-R`).
    pub receives: bool,
    /// Whether both hosts sent data (`--bidir`): the values describe the data sent by the host that wrote the log.
    pub both_ways: bool,
}

#[derive(Deserialize)]
struct IperfDocument {
    start: IperfStart,
    intervals: Vec<IperfInterval>,
    end: IperfEnd,
}

/// The error message of a failed test. The log of such a test may have no other field.
#[derive(Deserialize)]
struct IperfFailure {
    error: String,
}

#[derive(Deserialize)]
struct IperfStart {
    tcp_mss_default: Option<u32>,
    tcp_mss: Option<u32>,
    test_start: TestStart,
    system_info: Option<String>,
}

#[derive(Deserialize)]
struct TestStart {
    protocol: String,
    /// 1 if the server sends.
    reverse: Option<u8>,
}

#[derive(Deserialize)]
struct IperfInterval {
    sum: Sum,
    streams: Vec<IperfFlow>,
}

#[derive(Deserialize)]
struct Sum {
    seconds: f64,
    bits_per_second: f64,
}

#[derive(Deserialize)]
struct IperfFlow {
    /// Microseconds.
    rtt: Option<f64>,
}

#[derive(Deserialize)]
struct IperfEnd {
    streams: Vec<IperfEnds>,
    sum_sent: IperfSent,
    sum_received: IperfSent,
    /// The other direction of `--bidir`.
    sum_sent_bidir_reverse: Option<IgnoredAny>,
    sender_tcp_congestion: Option<String>,
}

#[derive(Deserialize)]
struct IperfEnds {
    sender: Option<IperfSender>,
}

#[derive(Deserialize)]
struct IperfSender {
    min_rtt: Option<f64>,
    max_rtt: Option<f64>,
    /// Whether the host that wrote the log is the sender.
    sender: Option<bool>,
}

#[derive(Deserialize)]
struct IperfSent {
    bytes: f64,
    seconds: f64,
    retransmits: Option<u64>,
}

/// Bytes of IPv4 and TCP headers with timestamps, as Linux sends them.
const HEADERS: f64 = 52.0;

impl Iperf {
    /// Whether a text looks like what iperf3 prints without `-J`.
    pub fn is_plain(text: &str) -> bool {
        let is_head = |line: &str| line.starts_with("[ ID] Interval") || line.starts_with("iperf3: error");
        text.lines().take(20).any(|line| is_head(line.trim_start()))
    }

    /// Reads a log.
    ///
    /// # Errors
    /// It is not the JSON of a TCP test, or reports an error.
    pub fn parse(text: &str) -> Result<Self, LogError> {
        if let Ok(IperfFailure { error }) = serde_json::from_str(text) {
            return Err(LogError(format!("iperf3 reports an error: {error}")));
        }
        let document: IperfDocument = serde_json::from_str(text)
            .map_err(|error| LogError(format!("expected what `iperf3 -c SERVER -J` prints: {error}")))?;
        if document.start.test_start.protocol != "TCP" {
            let protocol = document.start.test_start.protocol;
            return Err(LogError(format!("found a test of {protocol}, expected TCP: leave out -u")));
        }
        let is_linux = document.start.system_info.as_ref().is_some_and(|system| system.starts_with("Linux"));
        let mss = document.start.tcp_mss.or(document.start.tcp_mss_default).unwrap_or(1448).max(1);
        let wire = |bits: f64| bits * (f64::from(mss) + HEADERS) / f64::from(mss);
        let rates: Vec<f64> = document.intervals.iter().map(|interval| wire(interval.sum.bits_per_second)).collect();
        let IperfEnd { streams: ends, sum_sent, sum_received, sum_sent_bidir_reverse, sender_tcp_congestion } =
            document.end;
        let both_ways = sum_sent_bidir_reverse.is_some();
        let receives = document.start.test_start.reverse == Some(1);
        // The first intervals are slow start.
        let settled = || rates.iter().skip(2).copied();
        let mut sorted: Vec<f64> = settled().collect();
        sorted.sort_by(f64::total_cmp);
        let whole = wire(8.0 * sum_received.bytes / sum_received.seconds.max(1e-9));
        let median = sorted.get(sorted.len() / 2).copied().filter(|_| receives).unwrap_or(0.0);
        let rate = Rate::from_bits_per_sec(whole.max(median).clamp(0.0, 1e15).round() as u64);
        let rate = rate.ok_or_else(|| LogError("found no interval in which data arrived".to_owned()))?;
        let whole_seconds = document.intervals.iter().all(|interval| (interval.sum.seconds - 1.0).abs() < 0.1);
        let varies = receives
            && settled().count() > 4
            && settled().fold(0.0, f64::max) > crate::path::VARIES * settled().fold(f64::MAX, f64::min);
        let own = |sender: &&IperfSender| !both_ways || sender.sender != Some(false);
        let senders = || ends.iter().filter_map(|stream| stream.sender.as_ref()).filter(own);
        let sampled = || document.intervals.iter().flat_map(|interval| &interval.streams).filter_map(|flow| flow.rtt);
        let least = senders().filter_map(|sender| sender.min_rtt).chain(sampled()).fold(f64::INFINITY, f64::min);
        let most = senders().filter_map(|sender| sender.max_rtt).chain(sampled()).fold(0.0, f64::max);
        let micros = |micros: f64| Span::from_nanos((micros * 1e3).round() as u64);
        let mut samples: Vec<f64> = sampled().map(|micros| micros / 1e6).collect();
        samples.sort_by(f64::total_cmp);
        let percentile =
            |share: f64| samples.get((samples.len().saturating_sub(1) as f64 * share).round() as usize).copied();
        let retransmits = sum_sent.retransmits.unwrap_or(0);
        let segments = (sum_sent.bytes / f64::from(mss)).ceil() as u64;
        let retransmits_at_most = retransmits.min(segments);
        let interval = stats::proportion::wilson(retransmits_at_most, segments);
        let share = Estimate { value: retransmits_at_most as f64 / segments.max(1) as f64, interval };
        Ok(Iperf {
            rate,
            rates: Some(rates.clone()).filter(|_| varies && whole_seconds),
            rtt: (least.is_finite() && least > 0.0).then(|| [micros(least), micros(most)]),
            rtts: crate::comparison::PERCENTILES.map(percentile),
            loss: if retransmits == 0 { Loss::None(share) } else { Loss::Uniform(share) },
            mss,
            bytes: sum_received.bytes as u64,
            took: Span::from_nanos((sum_received.seconds.clamp(0.0, 1e9) * 1e9) as u64),
            retransmits,
            control: sender_tcp_congestion.map(|name| if is_linux { name_linux_variant(name) } else { name }),
            receives,
            both_ways,
        })
    }
}

/// The variant with the Linux implementation of a congestion control.
fn name_linux_variant(control: String) -> String {
    match control.as_str() {
        "cubic" => "linux".to_owned(),
        "reno" => "linux-reno".to_owned(),
        _ => control,
    }
}

/// The log of `ping HOST`, with or without -D.
#[derive(Clone, PartialEq, Debug)]
pub struct Ping {
    /// Round trips, in order of the requests.
    pub rtts: Vec<Span>,
    /// Losses in the order of the requests. A lost request and a lost reply look the same.
    pub loss: Loss,
    /// Requests up to the last that was answered.
    pub requests: u64,
}

impl Ping {
    /// Whether a text looks like a log of ping, also of one that nothing answered.
    pub fn is_log(text: &str) -> bool {
        let is_reply = |line: &str| line.contains("icmp_seq=") && line.contains("time=");
        text.lines().take(20).any(|line| line.starts_with("PING ") || is_reply(line))
    }

    /// Reads a log.
    ///
    /// # Errors
    /// The log contains no reply.
    pub fn parse(text: &str) -> Result<Self, LogError> {
        let mut replies: Vec<(u32, Span)> = Vec::new();
        let mut rounds = 0;
        for line in text.lines() {
            let after = |key: &str| line.split(key).nth(1).and_then(|rest| rest.split_ascii_whitespace().next());
            let number = after("icmp_seq=").and_then(|number| number.parse::<u32>().ok().filter(|n| *n < 65_536));
            let millis = after("time=").and_then(|millis| millis.parse::<f64>().ok());
            let (Some(number), Some(millis)) = (number, millis.filter(|millis| (0.0..3_600_000.0).contains(millis)))
            else {
                continue;
            };
            // Numbers have 16 bits.
            let number = number + rounds * 65_536;
            let number = match replies.last() {
                Some((last, _)) if number + 32_768 < *last => {
                    rounds += 1;
                    number + 65_536
                }
                _ => number,
            };
            replies.push((number, Span::from_nanos((millis * 1e6).round() as u64)));
        }
        replies.sort_by_key(|(number, _)| *number);
        // "(DUP!)"
        replies.dedup_by_key(|(number, _)| *number);
        let (Some((first, _)), Some((last, _))) = (replies.first(), replies.last()) else {
            return Err(LogError(
                "found a log of ping without a reply, expected lines with icmp_seq= and time=".to_owned(),
            ));
        };
        let mut lost = vec![true; (last - first + 1) as usize];
        for (number, _) in &replies {
            lost[(number - first) as usize] = false;
        }
        Ok(Ping {
            loss: Loss::select_model(&lost),
            requests: lost.len() as u64,
            rtts: replies.into_iter().map(|(_, rtt)| rtt).collect(),
        })
    }

    /// The min RTT.
    pub fn min_rtt(&self) -> Span {
        self.rtts.iter().copied().min().unwrap_or_default()
    }
}
