//! Networks of many topologies: all bytes arrive, and shared links are shared correctly.

use path::LinkEvent;
use sim::{Event, NodeEvent, Results};
use testkit::{build_network, record_events, run_network};

/// Checks that all bytes of every flow arrived, once and in order, and that links neither created nor lost packets
/// without counting them.
fn conserved(text: &str) -> Results {
    let network = build_network(text);
    let (results, events) = record_events(&network);
    for (spec, flow) in network.flows.iter().zip(&results.flows) {
        assert!(flow.completed.is_some(), "{} did not complete", spec.name);
        assert_eq!(Some(flow.bytes_delivered), spec.traffic.total(), "{}", spec.name);
    }
    let mut sent = 0u64;
    let mut ended = 0u64;
    for (_, event) in &events {
        match event {
            Event::Node { event: NodeEvent::Sent { .. }, .. } => sent += 1,
            Event::Node { event: NodeEvent::Received { .. } | NodeEvent::BufferFull { .. }, .. } => ended += 1,
            Event::Link { event: LinkEvent::Lost { .. } | LinkEvent::QueueFull { .. }, .. } => ended += 1,
            _ => {}
        }
    }
    let given_up: u64 =
        results.links.iter().flat_map(|link| link.directions).map(|direction| direction.packets_dropped).sum();
    let pipes_lost = events
        .iter()
        .filter(|(_, e)| matches!(e, Event::Link { event: LinkEvent::Lost { .. } | LinkEvent::QueueFull { .. }, .. }));
    let lost_in_stations = given_up - pipes_lost.count() as u64;
    // Packets delivered twice by a link layer count twice at the end; packets in flight at the end of the run are not
    // counted.
    assert!(ended + lost_in_stations <= sent, "{ended} + {lost_in_stations} packets ended, {sent} sent");
    assert!(sent - ended - lost_in_stations < 8, "{} packets unaccounted for", sent - ended - lost_in_stations);
    results
}

/// Hosts a, b, c; routers r, s; base stations x, y.
const NODES: &str = r#"
    duration = "2000 s"
    [nodes]
    a = { kind = "host" }
    b = { kind = "host" }
    c = { kind = "host" }
    r = { kind = "router" }
    s = { kind = "router" }
    x = { kind = "base-station" }
    y = { kind = "base-station" }
"#;

fn wired(name: &str, between: [&str; 2]) -> String {
    let [one, other] = between;
    format!(
        "[links.{name}]\nkind = \"wired\"\nbetween = [\"{one}\", \"{other}\"]\nrate = \"8 Mbps\"\ndelay = \"20 ms\"\n"
    )
}

fn wireless(name: &str, between: [&str; 2]) -> String {
    let [one, other] = between;
    format!(
        "[links.{name}]\nkind = \"wireless\"\nbetween = [\"{one}\", \"{other}\"]\nrate = \"1 Mbps\"\ndelay = \"1 ms\"\n\
         arq = \"stop-and-wait\"\nchannel = {{ kind = \"two-state\", mean_good = \"1 s\", mean_bad = \"100 ms\" }}\n"
    )
}

fn flow(name: &str, from: &str, to: &str, bytes: &str) -> String {
    format!("[flows.{name}]\nfrom = \"{from}\"\nto = \"{to}\"\nbytes = \"{bytes}\"\nmss = \"1000 B\"\n")
}

#[test]
fn flows_in_both_directions_complete_over_several_wireless_hops() {
    for scheme in ["unmodified", "simple-icmp", "refined-icmp"] {
        let text = [
            &format!("scheme = \"{scheme}\""),
            NODES,
            &wireless("first", ["a", "x"]),
            &wired("middle", ["x", "y"]),
            &wireless("last", ["y", "b"]),
            &wired("side", ["y", "c"]),
            &flow("there", "a", "b", "300 kB"),
            &flow("back", "b", "a", "300 kB"),
            &flow("again", "a", "b", "100 kB"),
            &flow("side", "c", "a", "100 kB"),
        ];
        let results = conserved(&text.join("\n"));
        assert!(results.links[0].directions[0].frames_corrupted > 0, "the air did nothing");
    }
}

#[test]
fn wireless_source_is_notified_by_its_own_link_layer() {
    for scheme in ["simple-icmp", "refined-icmp"] {
        let text = [
            &format!("scheme = \"{scheme}\""),
            NODES,
            &wireless("air", ["a", "x"]),
            &wired("wire", ["x", "b"]),
            &flow("upload", "a", "b", "2 MB"),
        ];
        let results = conserved(&text.join("\n"));
        let sender = results.flows[0].sender;
        assert!(sender.notices_defer > 0, "no DEFER reached the source");
        assert_eq!(sender.notices_retransmit > 0, scheme == "refined-icmp");
    }
}

/// Of two paths with three and two hops the shorter one is used. If the shorter one is missing, the longer one is used.
#[test]
fn path_with_the_fewest_hops_is_used() {
    let long = [wired("1", ["a", "r"]), wired("2", ["r", "s"]), wired("3", ["s", "b"])].concat();
    let short = wired("4", ["r", "b"]);
    let flow = flow("f", "a", "b", "10 kB");
    let frames = |links: &str| {
        let results = run_network(&build_network(&format!("{NODES}{links}{flow}")));
        results.links.iter().map(|link| link.directions[0].frames_sent).collect::<Vec<_>>()
    };
    assert_eq!(frames(&(long.clone() + &short)), [10, 0, 0, 10]);
    assert_eq!(frames(&long), [10, 10, 10]);
}

/// With two parallel links, and with two parallel routers, those that are named first carry all traffic, in both
/// directions.
#[test]
fn link_named_first_is_used_among_equal_paths() {
    let links = [
        wired("1", ["a", "s"]),
        wired("2", ["a", "r"]),
        wired("3", ["r", "b"]),
        wired("4", ["s", "b"]),
        wired("5", ["s", "b"]),
    ];
    let results = run_network(&build_network(&format!("{NODES}{}{}", links.concat(), flow("f", "a", "b", "10 kB"))));
    let carried: Vec<[bool; 2]> =
        results.links.iter().map(|link| link.directions.map(|direction| direction.packets_delivered > 0)).collect();
    // Packets go forward over links 1 and 4, and back over links 3 and 2, because b lists link 3 before link 4.
    assert_eq!(carried, [[true, false], [false, true], [false, true], [true, false], [false, false]]);
}

/// The example in docs/scenario.md: the directions have separate links and rates.
#[test]
fn directions_over_separate_links_have_separate_rates() {
    let guide = include_str!("../../../docs/scenario.md");
    let section = guide.split("## Different paths each way").nth(1).expect("the section is there");
    let example = section.split("```").nth(1).and_then(|block| block.strip_prefix("toml")).expect("it has an example");
    let results = run_network(&build_network(&format!(
        "duration = \"100 s\"\n{example}{}",
        flow("f", "server", "home", "100 kB")
    )));
    let carried = results
        .links
        .iter()
        .map(|link| link.directions.map(|direction| direction.packets_delivered > 0))
        .collect::<Vec<_>>();
    assert_eq!(carried, [[true, false]; 4]);
}

/// A path through host c is not used.
#[test]
fn hosts_do_not_forward() {
    let text = format!("{NODES}{}{}{}", wired("1", ["a", "c"]), wired("2", ["c", "b"]), flow("f", "a", "b", "10 kB"));
    let problems = scenario::check(&testkit::read_scenario(&text)).unwrap_err();
    assert!(problems[0].to_string().contains("can be reached"), "{}", problems[0]);
}

/// 4 packets of 1040 bytes fit into 4500 bytes; of a burst of 10 at 100 Mbps into 8 Mbps the rest is dropped: a packet
/// takes 1.04 ms to leave, and the ten arrive 83.2 us apart.
#[test]
fn router_buffer_is_counted_in_bytes() {
    let text = format!(
        "{}{}{}{}",
        NODES.replace("r = { kind = \"router\" }", "r = { kind = \"router\", buffer = \"4500 B\" }"),
        wired("in", ["a", "r"]).replace("8 Mbps", "100 Mbps"),
        wired("out", ["r", "b"]),
        flow("f", "a", "b", "10 kB") + "tcp.initial_window = 10\n"
    );
    let (results, events) = record_events(&build_network(&text));
    let first_drop = events.iter().find_map(|(_, event)| match event {
        Event::Node { event: NodeEvent::BufferFull { packet }, .. } => packet.data().map(|segment| segment.seq.0),
        _ => None,
    });
    assert_eq!(first_drop, Some(4000), "the fifth packet is the first that finds no room");
    assert_eq!(results.buffer_full, [0, 0, 0, 6, 0, 0, 0], "six packets dropped at r, none elsewhere");
    assert_eq!(results.flows[0].bytes_delivered, 10_000);
}

/// A queue of 3 packets, without the one in transmission, drops the fifth packet of a burst.
#[test]
fn queue_limit_excludes_the_packet_in_transmission() {
    let text = format!(
        "{NODES}{}{}",
        wired("in", ["a", "b"]) + "queue = \"3 packets\"\n",
        flow("f", "a", "b", "10 kB") + "tcp.initial_window = 10\n"
    );
    let (results, events) = record_events(&build_network(&text));
    let first_drop = events.iter().find_map(|(_, event)| match event {
        Event::Link { event: LinkEvent::QueueFull { packet, .. }, .. } => packet.data().map(|segment| segment.seq.0),
        _ => None,
    });
    assert_eq!(first_drop, Some(4000));
    assert_eq!(results.links[0].directions[0].queue_full, 6);
}

/// Two wires have the same rate. Each packet of a burst arrives at the second wire at the moment at which the previous
/// packet leaves. Without a queue every other packet is dropped if arrivals come first. With a queue of one packet no
/// packet is dropped.
#[test]
fn departure_frees_its_place_for_a_simultaneous_arrival_unless_arrivals_come_first() {
    let dropped = |queue: &str| {
        let links = wired("in", ["a", "r"]) + &wired("out", ["r", "b"]) + queue;
        let text = format!("{NODES}{links}\n{}tcp.initial_window = 10\n", flow("f", "a", "b", "10 kB"));
        let (_, events) = record_events(&build_network(&text));
        let first = events.iter().filter_map(|(at, event)| match event {
            Event::Link { event: LinkEvent::QueueFull { packet, .. }, .. } if at.as_nanos() < 40_000_000 => {
                packet.data()
            }
            _ => None,
        });
        first.map(|segment| segment.seq.0 / 1000).collect::<Vec<_>>()
    };
    assert_eq!(dropped("queue = \"0 packets\""), [0; 0]);
    assert_eq!(dropped("queue = \"0 packets\"\nqueue_tie = \"arrival-first\""), [1, 3, 5, 7, 9]);
    assert_eq!(dropped("queue = \"1 packets\"\nqueue_tie = \"arrival-first\""), [0; 0]);
}

/// Segments of 1459 bytes in packets of 1499 over 400 Gbps: 29.98 ns each, so at most 1459 / 1499 of the rate is payload.
#[test]
fn payload_is_at_most_its_share_of_a_fast_link() {
    let text = r#"
        duration = "1 s"
        nodes = { a = { kind = "host" }, b = { kind = "host" } }
        links.l = { kind = "wired", between = ["a", "b"], rate = "400 Gbps", delay = "1 us", queue = "unlimited" }
        [flows.f]
        from = "a"
        to = "b"
        mss = "1459 B"
        bytes = "29180000 B"
        receive_window = "64 MiB"
        tcp = { initial_window = 1000, initial_ssthresh = "512 MiB" }
    "#;
    let goodput = run_network(&build_network(text)).flows[0].goodput_bps().unwrap();
    let most = 400e9 * 1459.0 / 1499.0;
    assert!(goodput <= most && goodput > 0.95 * most, "{goodput} of {most} bit/s");
}

/// A limit in bytes is below the packet size, on a wire and on a link with a link layer. Packets that find the
/// transmitter idle are sent. The rest of the burst is dropped, and retransmitted one by one.
#[test]
fn queue_smaller_than_a_packet_passes_packets_to_an_idle_transmitter() {
    for queue in ["0 packets", "1039 B"] {
        for link in [wired("link", ["a", "b"]), wireless("link", ["a", "b"])] {
            let text = format!("{NODES}{link}queue = \"{queue}\"\n{}", flow("f", "a", "b", "3 kB"));
            let text = text.replace("mean_bad = \"100 ms\"", "mean_bad = \"0 s\"") + "tcp.initial_window = 3\n";
            let results = run_network(&build_network(&text));
            assert!(results.flows[0].completed.is_some(), "{queue}: {text}");
            assert_eq!(results.flows[0].bytes_delivered, 3000);
            assert!(results.links[0].directions[0].queue_full >= 2, "{queue}: the burst waited");
        }
    }
}

/// A packet of 1,040 bytes takes 8.32 s at 1 kbps; 2 s after a burst of three, the busy time is 2 s, not 25.
#[test]
fn busy_time_of_a_link_does_not_exceed_the_run() {
    let links = [
        "kind = \"wired\"",
        "kind = \"wireless\"\narq = \"stop-and-wait\"",
        "kind = \"wireless\"\narq = \"stop-and-wait\"\nchannel = { kind = \"scripted\", drop = [0] }",
    ];
    for link in links {
        let link = format!("[links.link]\n{link}\nbetween = [\"a\", \"b\"]\nrate = \"1 kbps\"\ndelay = \"1 ms\"\n");
        let flow =
            flow("f", "a", "b", "3 kB") + "start = \"1 s\"\ntcp.initial_window = 3\ntcp.initial_rto = \"60 s\"\n";
        let results = run_network(&build_network(&format!("{}{link}{flow}", NODES.replace("2000 s", "3 s"))));
        assert_eq!(results.links[0].directions[0].busy, engine::Span::from_secs(2), "{link}");
        assert_eq!(results.links[0].directions[1].busy, engine::Span::ZERO, "{link}");
        assert_eq!(results.links[0].directions[0].frames_sent, 1, "{link}");
    }
}

/// The rate is not defined at time 0.
#[test]
fn goodput_is_zero_at_time_zero() {
    let network = build_network(&format!("{NODES}{}{}", wired("1", ["a", "b"]), flow("f", "a", "b", "3 kB")));
    assert_eq!(sim::World::new(&network, false).results().flows[0].goodput_bps(), None);
    assert!(run_network(&network).flows[0].goodput_bps().is_some());
}

/// There are only three segments, so that a loss is recovered by the timer.
#[test]
fn receiver_counts_duplicate_segments() {
    let link = wired("1", ["a", "b"]) + "channel = { kind = \"scripted\", drop = [1] }\n";
    let of = |link: &str| {
        let flow = flow("f", "a", "b", "3 kB") + "tcp.initial_window = 3\n";
        run_network(&build_network(&format!("{NODES}{link}{flow}"))).flows[0].clone()
    };
    assert_eq!(of(&wired("1", ["a", "b"])).segments_duplicate, 0);
    // Segments 0, 1 and 2 are sent, 1 is lost, and 2 waits behind the hole. The timer retransmits 1, whose
    // acknowledgment covers 2 as well.
    let lost = of(&link);
    assert_eq!((lost.sender.segments_retransmitted, lost.segments_duplicate), (1, 0));
    // The acknowledgments of all three segments are lost. After the timeout only segment 0 arrives again.
    let link = link.replace("drop = [1]", "drop_backward = [0, 1, 2]");
    let unheard = of(&link);
    assert_eq!((unheard.sender.segments_retransmitted, unheard.segments_duplicate), (1, 1));
}

/// The router delays each packet by 7 ms, in both directions. A round trip grows by 14 ms, and packets do not wait for
/// each other.
#[test]
fn processing_delay_is_the_same_for_every_packet() {
    let of = |delay: &str| {
        let nodes = NODES.replace(
            "r = { kind = \"router\" }",
            &format!("r = {{ kind = \"router\", processing_delay = \"{delay}\" }}"),
        );
        let links = wired("in", ["a", "r"]) + &wired("out", ["r", "b"]);
        let text = format!("{nodes}{links}{}", flow("f", "a", "b", "10 kB") + "tcp.initial_window = 10\n");
        run_network(&build_network(&text)).flows[0].completed.unwrap().as_nanos()
    };
    assert_eq!(of("7 ms") - of("0 ms"), 14_000_000);
}

/// Returns a scenario with one transmitter for an unfaded mobile (`b`) and a mobile in fades (`c`).
fn two_mobiles(head: &str, scheduler: &str, fades: &str) -> String {
    let station = format!("x = {{ kind = \"base-station\", radio = \"shared\", scheduler = \"{scheduler}\" }}");
    let nodes = NODES.replace("x = { kind = \"base-station\" }", &station).replace("2000 s", "100 s");
    let without_channel = |link: String| {
        link.lines().filter(|line| !line.starts_with("channel")).fold(String::new(), |all, line| all + line + "\n")
    };
    let clear = without_channel(wireless("clear", ["x", "b"]));
    let faded = without_channel(wireless("faded", ["x", "c"])) + "channel = " + fades + "\n";
    let endless =
        |name: &str, to: &str| flow(name, "a", to, "1 B").replace("bytes = \"1 B\"", "receive_window = \"16 kB\"");
    format!(
        "{head}\n{nodes}{}{clear}{faded}{}{}",
        wired("wire", ["a", "x"]),
        endless("clear", "b"),
        endless("faded", "c")
    )
}

/// Head-of-line blocking by calculation. While the other mobile fades, its frame fails every 8.32 + 2 + 0.112 + 1 =
/// 11.432 ms, and a frame for the unfaded mobile takes 10.432 ms. Round robin places one failure between two deliveries
/// to the unfaded mobile: 21.864 ms. FIFO places all nine attempts at every packet of the faded mobile that is queued
/// before it. With channel states the gap is that of round robin, but occurs once per 100 ms: 400 ms contain four
/// failures and (400 - 4 x 11.432) / 10.432 = 33.9 deliveries, where round robin has 400 / 21.864 = 18.3.
#[test]
fn only_fifo_blocks_the_unfaded_mobile() {
    let arrivals = |scheduler: &str| {
        let fades = "{ kind = \"scripted\", bad = [[\"10 s\", \"10.4 s\"]] }";
        let (_, events) = record_events(&build_network(&two_mobiles("", scheduler, fades)));
        events
            .iter()
            .filter_map(|(at, event)| match event {
                Event::Receiver { flow, event: tcp::Event::SegmentReceived { .. } } if flow.number() == 0 => {
                    Some(at.as_nanos() / 1000)
                }
                _ => None,
            })
            .filter(|at| (9_900_000..12_000_000).contains(at))
            .collect::<Vec<u64>>()
    };
    let longest_gap = |scheduler: &str| {
        let arrivals = arrivals(scheduler);
        arrivals.windows(2).map(|pair| pair[1] - pair[0]).max().expect("packets arrive around the fade")
    };
    let in_the_fade =
        |scheduler: &str| arrivals(scheduler).iter().filter(|at| (10_000_000..10_400_000).contains(*at)).count();
    assert_eq!(longest_gap("round-robin"), 21_864);
    assert_eq!(longest_gap("channel-state"), 21_864);
    assert!(longest_gap("fifo") >= 9 * 11_432, "{}", longest_gap("fifo"));
    let counts = ["fifo", "round-robin", "channel-state"].map(in_the_fade);
    assert!(counts[0] <= 9 && (17..=19).contains(&counts[1]) && (33..=35).contains(&counts[2]), "{counts:?}");
}

/// The observation of BBKT96 that led the thesis to round robin: under FIFO the total throughput is lower and shared
/// less fairly. Paired over 200 seeds, Student's t at 95 %, with the thesis's TCP; with RFC 6298's rule for doubled
/// timeouts it is only shared less fairly (docs/models/links-and-queues.md).
#[test]
fn round_robin_has_higher_throughput_and_fairness_than_fifo() {
    let of = |scheduler: &str, seed: u64| {
        let fades = "{ kind = \"two-state\", mean_good = \"1 s\", mean_bad = \"400 ms\" }";
        let results = run_network(&build_network(&two_mobiles(
            &format!("profile = \"goel1997\"\nseed = {seed}"),
            scheduler,
            fades,
        )));
        [0, 1].map(|flow: usize| results.flows[flow].goodput_bps().expect("100 s have passed"))
    };
    let lower_bound = |gains: &[f64]| {
        let n = gains.len() as f64;
        let mean = gains.iter().sum::<f64>() / n;
        let variance = gains.iter().map(|gain| (gain - mean) * (gain - mean)).sum::<f64>() / (n - 1.0);
        mean - 1.972 * (variance / n).sqrt()
    };
    let runs: Vec<_> = (1..=200).map(|seed| (of("round-robin", seed), of("fifo", seed))).collect();
    let totals: Vec<f64> = runs.iter().map(|(robin, fifo)| robin[0] + robin[1] - fifo[0] - fifo[1]).collect();
    assert!(lower_bound(&totals) > 0.0, "no more in all: {totals:?}");
    let shares: Vec<f64> = runs.iter().map(|(robin, fifo)| robin[1] / robin[0] - fifo[1] / fifo[0]).collect();
    assert!(lower_bound(&shares) > 0.0, "no fairer: {shares:?}");
}
