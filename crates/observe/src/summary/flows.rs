//! The flows of a summary.

use engine::{Histogram, Span};
use indexmap::IndexMap;
use scenario::Scenario;
use sim::delay::{Delays, FlowDelays};
use sim::{DatagramResult, FlowResult, FlowSpec, Network, Transport};

use super::distribution;
use super::part::summary_part;

struct FlowSource<'a> {
    delays: Option<&'a FlowDelays>,
    scenario: &'a Scenario,
    network: &'a Network,
    spec: &'a FlowSpec,
    result: &'a FlowResult,
}

/// Every flow, in the order of the scenario.
pub(super) fn summarize_flows(
    scenario: &Scenario,
    network: &Network,
    results: &sim::Results,
    delays: Option<&Delays>,
) -> Vec<FlowSummary> {
    let flows = network.flows.iter().zip(&results.flows).enumerate();
    let summary = |(number, (spec, result))| {
        let delays = delays.and_then(|delays| delays.flow(number));
        FlowSummary::of(&FlowSource { scenario, network, spec, result, delays })
    };
    flows.map(summary).collect()
}

/// The round-trip times of a flow of echo requests, or the samples of a connection's sender.
fn select_rtt_delays<'a>(at: &FlowSource<'a>) -> Option<&'a Histogram> {
    match &at.result.datagrams {
        Some(datagrams) => datagrams.round_trip.then_some(&datagrams.delay),
        None => at.delays.map(|delays| &delays.rtt),
    }
}

/// The one-way delays of a flow's data.
fn select_one_way_delays<'a>(at: &FlowSource<'a>) -> Option<&'a Histogram> {
    match &at.result.datagrams {
        Some(datagrams) => (!datagrams.round_trip).then_some(&datagrams.delay),
        None => at.delays.map(|delays| &delays.one_way),
    }
}

fn find_flow_variant(at: &FlowSource<'_>) -> Option<String> {
    at.scenario.flows.get(&at.spec.name).map(|flow| flow.tcp.variant().to_owned())
}

/// A result that the flow's application has under this name.
fn find_application_result(at: &FlowSource<'_>, name: &str) -> Option<f64> {
    at.result.application.iter().find(|result| result.name == name).and_then(|result| result.value)
}

/// The results of an outside application, by their names.
fn outside_results(at: &FlowSource<'_>) -> IndexMap<String, Option<f64>> {
    let outside = matches!(at.spec.traffic, sim::ApplicationConfig::Custom(_));
    let results = at.result.application.iter().filter(|_| outside);
    results.map(|result| (result.name.to_owned(), result.value)).collect()
}

/// A result of a flow of datagrams.
fn map_datagram_result<T>(at: &FlowSource<'_>, get: impl FnOnce(&DatagramResult) -> T) -> Option<T> {
    at.result.datagrams.as_ref().map(get)
}

fn compute_datagram_loss(datagrams: &DatagramResult) -> Option<f64> {
    (datagrams.sent > 0).then(|| 1.0 - datagrams.received as f64 / datagrams.sent as f64)
}

summary_part! {
    /// One flow: a connection of the scenario and its application.
    pub struct FlowSummary in flow: Flow = of(at: &FlowSource<'_>) {
        /// Name in the scenario.
        name: String ["text"] = at.spec.name.clone();
        /// Node that sends the data.
        from: String ["text"] = at.network.nodes[at.spec.from].name.clone();
        /// Node that receives the data.
        to: String ["text"] = at.network.nodes[at.spec.to].name.clone();
        /// `tcp.variant` of the scenario.
        variant: Option<String> ["text"] = find_flow_variant(at);
        /// Whether every byte was acknowledged at the sender.
        completed: bool [metric "0 or 1", Higher] = at.result.completed.is_some();
        /// Time from the flow's start to the last acknowledgment at the sender. Null unless completed.
        completion_time_s: Option<f64> [metric "s", Lower, "completed in"] =
            at.result.completed.map(|_| at.result.elapsed.as_secs_f64());
        /// The reason why the connection failed: `refused`, `reset` or `timed-out` (no response after `tcp.retries`
        /// retransmissions). A failure at the receiver is reported only if the flow is incomplete. The table shows it
        /// in a line below the flows.
        failure: Option<String> ["text or null"] = at.result.failure.map(|failure| failure.name().to_owned());
        /// Data received in order, without headers and repetitions, per second of the flow's time. That is 8 x
        /// `bytes_delivered` / elapsed, where elapsed is `completion_time_s` or, unless completed, the time from the
        /// flow's start to the end of the run. Null if no time elapsed.
        goodput_bps: Option<f64> [metric "bit/s", Higher, "goodput"] = at.result.goodput_bps();
        /// Data received in order at the receiver.
        bytes_delivered: u64 [metric "bytes", Higher] = at.result.bytes_delivered;
        /// Longest time without new data in order at the receiver, from the flow's start until all of it had arrived or
        /// the run ended. Data behind a hole is not in order until the hole is filled. It shows the effect of a
        /// timeout, a handover or a fade on the application; without any of these it is a round trip of a small window.
        /// Null if no time elapsed.
        max_pause_s: Option<f64> [metric "s", Lower] was "longest_pause_s" = at.result.longest_pause.map(Span::as_secs_f64);
        /// Segments that arrived although all their bytes had arrived before. They were retransmitted needlessly, or
        /// delivered twice by a link layer.
        segments_duplicate: u64 [metric "segments", Lower, "duplicates"] = at.result.segments_duplicate;
        /// Segments with data that TCP handed to IP, retransmissions included.
        segments_sent: u64 [metric "segments", Neither, "segments"] = at.result.sender.segments_sent;
        /// Of `segments_sent`, retransmissions for any reason. These are fast retransmit, timeout (each segment
        /// retransmitted after it), and message.
        segments_retransmitted: u64 [metric "segments", Lower, "resent"] = at.result.sender.segments_retransmitted;
        /// Segments that recovery retransmitted without a timeout and without a message. A recovery retransmits one
        /// segment or more, so this is not the number of recoveries; Tahoe resends the whole window this way.
        /// Recoveries of the Refined scheme begin at the first duplicate, retransmit nothing and are not counted.
        fast_retransmits: u64 [metric "segments", Neither, "fast rtx"] = at.result.sender.fast_retransmits;
        /// Expiries of the retransmission timer.
        timeouts: u64 [metric "count", Lower, "timeouts"] = at.result.sender.timeouts;
        /// Tail loss probes (TLP) sent [RFC8985 s7]. A probe is new data or a retransmission of the last segment; both
        /// count in `segments_sent`, the retransmission in `segments_retransmitted` too.
        tail_probes: u64 [metric "segments", Neither] = at.result.sender.probes;
        /// Reductions of the window that were taken back because the loss was spurious (F-RTO, Eifel, duplicates
        /// reported by SACK).
        reductions_undone: u64 [metric "count", Neither] = at.result.sender.undone;
        /// Reductions of the window because of ECN marks, at most one in each round trip [RFC3168 s6.1.2]. A control
        /// that answers each mark in proportion (DCTCP) is not counted.
        reductions_by_ecn: u64 [metric "count", Neither] = at.result.sender.marks;
        /// ICMP-DEFER messages about this flow received at the sender, whether or not its scheme uses them.
        icmp_defer: u64 [metric "messages", Neither, "DEFER"] = at.result.sender.notices_defer;
        /// ICMP-RETRANSMIT messages about this flow received at the sender, whether or not its scheme uses them.
        icmp_retransmit: u64 [metric "messages", Neither, "RETRANSMIT"] = at.result.sender.notices_retransmit;
    }
    sparse {
        /// Segments that arrived with data and were discarded unread: outside the window, with an unacceptable
        /// acknowledgment, or too old by their timestamp ([PAWS](models/tcp-connection.md#rules)). Every other segment
        /// that arrived is in `segments_duplicate` or brought new data.
        segments_discarded: u64 [metric "segments", Lower] = at.result.segments_discarded;
        /// Transport protocol: `tcp`, `udp` or `icmp-echo`.
        transport: Transport ["text"] = at.spec.transport;
        /// Class of the packets (DSCP): the name of a standard class, such as `CS0`, or the number.
        class: String ["text"] = at.spec.class.to_string();
        /// Datagrams or echo requests sent. Null for flows over TCP, as are the following metrics.
        datagrams_sent: Option<u64> [metric "datagrams", Neither, "datagrams"] = map_datagram_result(at, |datagrams| datagrams.sent);
        /// Share of the datagrams sent that had not arrived at the end of the run, including datagrams in flight; of
        /// echo requests, the share without a reply.
        datagrams_lost: Option<f64> [metric "share", Lower, "lost"] = map_datagram_result(at, compute_datagram_loss).flatten();
        /// Datagrams that arrived after one with a higher number.
        datagrams_reordered: Option<u64> [metric "datagrams", Lower] = map_datagram_result(at, |datagrams| datagrams.reordered);
        /// Mean round-trip time measured by the sender, from unambiguous samples or from all echo replies. Null without
        /// a sample, and unless delays are measured (by `lasthop run`, and by a sweep with a metric of delay), as are
        /// the next nine metrics.
        rtt_mean_s: Option<f64> [metric "s", Lower] = select_rtt_delays(at).and_then(distribution::mean_in_seconds);
        /// Median round-trip time, within 1 %.
        rtt_p50_s: Option<f64> [metric "s", Lower, "RTT p50"] = select_rtt_delays(at).and_then(|all| distribution::quantile_in_seconds(all, 0.5));
        /// The round-trip time that 95 % do not exceed, within 1 %.
        rtt_p95_s: Option<f64> [metric "s", Lower, "p95"] = select_rtt_delays(at).and_then(|all| distribution::quantile_in_seconds(all, 0.95));
        /// The round-trip time that 99 % do not exceed, within 1 %.
        rtt_p99_s: Option<f64> [metric "s", Lower, "p99"] = select_rtt_delays(at).and_then(|all| distribution::quantile_in_seconds(all, 0.99));
        /// Maximum round-trip time.
        rtt_max_s: Option<f64> [metric "s", Lower, "max"] = select_rtt_delays(at).and_then(distribution::max_in_seconds);
        /// Mean one-way delay of segments with data: from their transmission by TCP to their arrival at the receiver.
        /// Lost segments do not count. For datagrams the mean includes all that arrived, and always has a value.
        delay_mean_s: Option<f64> [metric "s", Lower] = select_one_way_delays(at).and_then(distribution::mean_in_seconds);
        /// Median one-way delay, within 1 %.
        delay_p50_s: Option<f64> [metric "s", Lower, "delay p50"] = select_one_way_delays(at).and_then(|all| distribution::quantile_in_seconds(all, 0.5));
        /// One-way delay that 95 % of the segments do not exceed, within 1 %.
        delay_p95_s: Option<f64> [metric "s", Lower, "p95"] = select_one_way_delays(at).and_then(|all| distribution::quantile_in_seconds(all, 0.95));
        /// One-way delay that 99 % of the segments do not exceed, within 1 %.
        delay_p99_s: Option<f64> [metric "s", Lower, "p99"] = select_one_way_delays(at).and_then(|all| distribution::quantile_in_seconds(all, 0.99));
        /// Maximum one-way delay.
        delay_max_s: Option<f64> [metric "s", Lower, "max"] = select_one_way_delays(at).and_then(distribution::max_in_seconds);
        /// Jitter of the one-way delays of segments, defined as `jitter_s`. Null unless delays are measured.
        delay_jitter_s: Option<f64> [metric "s", Lower] =
            at.delays.filter(|_| at.result.datagrams.is_none()).and_then(|delays| delays.jitter.get().map(Span::as_secs_f64));
        /// Interarrival jitter at the end of the run [RFC3550 s6.4.1]. It is the mean change of the one-way delay from
        /// one arrival to the next, with most weight on the last sixteen arrivals. For echo replies it is the jitter of
        /// the round-trip time. Null for flows over TCP.
        jitter_s: Option<f64> [metric "s", Lower, "jitter"] =
            map_datagram_result(at, |datagrams| datagrams.jitter.map(Span::as_secs_f64)).flatten();
        /// Mean opinion score of a telephone call, 1 (bad) to 4.5, by the E-model of ITU-T G.107. See the model
        /// [traffic](models/traffic.md#voip). Null except for `voip`, as are the next four metrics.
        mos: Option<f64> [metric "1 to 4.5", Higher, "MOS"] = find_application_result(at, "mos");
        /// Rating of the E-model, 0 to 93.2.
        r_factor: Option<f64> [metric "0 to 93.2", Higher] = find_application_result(at, "r_factor");
        /// Share of the packets of speech that were not played, because they were lost or late.
        speech_lost: Option<f64> [metric "share", Lower] = find_application_result(at, "speech_lost");
        /// Share of the arrived packets of speech that came too late for the jitter buffer.
        late: Option<f64> [metric "share", Lower] = find_application_result(at, "late");
        /// Delay from mouth to ear. It consists of the packet time, the look-ahead of the codec, the minimum delay of
        /// the network and the jitter buffer.
        mouth_to_ear_s: Option<f64> [metric "s", Lower] = find_application_result(at, "mouth_to_ear_s");
        /// Number of pages whose objects have all arrived. Null except for `requests`, as are the next five metrics.
        pages: Option<f64> [metric "pages", Higher, "pages"] = find_application_result(at, "pages");
        /// Objects that have arrived.
        objects: Option<f64> [metric "objects", Higher] = find_application_result(at, "objects");
        /// Mean time from the request for a page to the arrival of its last object.
        page_time_mean_s: Option<f64> [metric "s", Lower, "page time"] = find_application_result(at, "page_time_mean_s");
        /// Median of the page times, within 1 %.
        page_time_p50_s: Option<f64> [metric "s", Lower] = find_application_result(at, "page_time_p50_s");
        /// The page time that 95 % of the pages do not exceed, within 1 %.
        page_time_p95_s: Option<f64> [metric "s", Lower] = find_application_result(at, "page_time_p95_s");
        /// Longest page time.
        page_time_max_s: Option<f64> [metric "s", Lower] = find_application_result(at, "page_time_max_s");
        /// Data received in order at the sending end. Null if the receiving end sends no data: only `requests`, `video`,
        /// `duplex` and applications from outside let it send.
        bytes_back: Option<u64> [metric "bytes", Higher] = at.result.bytes_back;
        /// Data received in order at the sending end, in bits per second of the flow's time. The time is that of
        /// `goodput_bps`.
        goodput_back_bps: Option<f64> [metric "bit/s", Higher, "goodput back"] = at.result.goodput_back_bps();
        /// Segments of video that have arrived. Null except for `video`, as the next five.
        video_segments: Option<f64> [metric "segments", Higher] = find_application_result(at, "video_segments");
        /// Mean bit rate of the segments played.
        video_bit_rate_bps: Option<f64> [metric "bit/s", Higher, "video rate"] = find_application_result(at, "video_bit_rate_bps");
        /// Number of segments with another bit rate than the previous one.
        video_switches: Option<f64> [metric "count", Lower] = find_application_result(at, "video_switches");
        /// Time from the start to the first picture. Null before that.
        video_startup_s: Option<f64> [metric "s", Lower] = find_application_result(at, "video_startup_s");
        /// Interruptions of playback because the buffer was empty.
        stalls: Option<f64> [metric "count", Lower, "stalls"] = find_application_result(at, "stalls");
        /// Total time of these interruptions.
        stalled_s: Option<f64> [metric "s", Lower, "stalled"] = find_application_result(at, "stalled_s");
        /// Results of an application from outside, by their names. Empty for other applications.
        application: IndexMap<String, Option<f64>> ["numbers by name"] = outside_results(at);
    }
    derived {}
}
