//! Common names of keys, among them the names in ns-2, ns-3, INET, netem, Mahimahi and Linux.

/// The path of each key, `*` for a name of the scenario, and other names for it. Case, `_` and `-` do not matter.
pub(super) const SYNONYMS: &[(&str, &[&str])] = &[
    ("title", &["name", "description", "caption"]),
    (
        "duration",
        &["stop", "stop_time", "end", "end_time", "time", "sim_time", "sim_time_limit", "simulation_time", "runtime"],
    ),
    ("seed", &["rng_seed", "seed_set", "global_seed"]),
    ("replication", &["run", "rng_run", "run_number", "repetition"]),
    ("scheme", &["agent", "proxy", "pep"]),
    ("output.traces", &["trace", "pcap", "enable_pcap", "tracing"]),
    ("output.print_interval", &["sampling_interval", "stats_interval"]),
    ("sweep.replications", &["repetitions", "runs", "repeat", "num_runs"]),
    ("sweep.axes", &["grid", "parameters", "iteration_variables"]),
    ("links.*.kind", &["type", "link_type"]),
    ("links.*.between", &["nodes", "ends", "endpoints", "connects"]),
    ("links.*.rate", &["bandwidth", "bw", "data_rate", "bit_rate", "capacity", "speed", "link_rate", "throughput"]),
    ("links.*.delay", &["latency", "propagation_delay", "prop_delay", "owd", "one_way_delay"]),
    (
        "links.*.queue",
        &[
            "buffer",
            "buffer_size",
            "queue_size",
            "queue_limit",
            "queue_length",
            "limit",
            "max_packets",
            "max_size",
            "txqueuelen",
        ],
    ),
    ("links.*.ecn_threshold", &["marking_threshold", "mark_threshold", "ecn_mark_threshold"]),
    (
        "links.*.loss",
        &[
            "loss_rate",
            "loss_probability",
            "loss_ratio",
            "per",
            "plr",
            "packet_error_rate",
            "packet_loss",
            "error_rate",
            "drop_rate",
        ],
    ),
    ("links.*.channel", &["error_model", "receive_error_model", "loss_model", "fading"]),
    ("links.*.channel.rate", &["ber", "bit_error_rate"]),
    ("links.*.jitter", &["delay_variation", "delay_jitter"]),
    ("links.*.jitter.reordering", &["reorder", "allow_reordering"]),
    ("links.*.outages", &["outage", "disconnections"]),
    ("links.*.delay_spikes", &["delay_spike"]),
    ("links.*.delivery_trace", &["trace", "mahimahi", "delivery_opportunities"]),
    ("links.*.delivery_trace.forward", &["uplink", "uplink_trace"]),
    ("links.*.delivery_trace.backward", &["downlink", "downlink_trace"]),
    ("links.*.link_trace", &["rate_table", "bandwidth_trace", "rate_trace"]),
    ("links.*.medium", &["cell", "wifi", "ssid", "shared_channel"]),
    ("links.*.arq", &["link_layer", "harq", "rlc", "link_retransmission"]),
    ("links.*.arq.max_transmissions", &["max_attempts", "max_retries", "retry_limit", "retries", "attempts"]),
    ("links.*.random_seed", &["rng_seed"]),
    ("media.*.standard", &["phy", "wifi_standard", "phy_mode", "op_mode"]),
    ("media.*.rate", &["bandwidth", "data_rate", "bit_rate", "data_mode", "phy_rate"]),
    ("media.*.basic_rates", &["control_mode", "basic_rate", "basic_rate_set", "control_rate"]),
    ("media.*.rate_control", &["remote_station_manager", "station_manager", "rate_manager", "rate_adaptation"]),
    ("media.*.rts_threshold", &["rts", "rts_cts", "rts_cts_threshold"]),
    ("media.*.fragmentation_threshold", &["frag_threshold"]),
    ("media.*.short_retry_limit", &["max_ssrc", "ssrl", "short_retries"]),
    ("media.*.long_retry_limit", &["max_slrc", "slrl", "long_retries"]),
    ("media.*.cw_min", &["min_cw", "acw_min", "contention_window"]),
    ("media.*.cw_max", &["max_cw", "acw_max"]),
    ("media.*.slot", &["slot_time", "aslottime"]),
    ("media.*.sifs", &["sifs_time", "asifstime"]),
    ("media.*.delay", &["latency", "propagation_delay"]),
    ("media.*.range", &["tx_range", "transmission_range", "communication_range", "max_range", "radius"]),
    ("media.*.carrier_sense_range", &["cs_range", "sensing_range", "interference_range"]),
    ("media.*.capture", &["capture_threshold", "sinr_threshold", "sir"]),
    ("media.*.path_loss", &["path_loss_exponent", "propagation_loss", "propagation_loss_model"]),
    ("media.*.aggregation", &["ampdu", "a_mpdu", "ampdu_size"]),
    ("media.*.beacon_interval", &["beacon", "beacon_period"]),
    ("flows.*.from", &["src", "source", "sender", "client"]),
    ("flows.*.to", &["dst", "dest", "destination", "receiver", "sink", "server"]),
    (
        "flows.*.bytes",
        &[
            "size",
            "file_size",
            "flow_size",
            "transfer_size",
            "send_bytes",
            "max_bytes",
            "total_bytes",
            "amount",
            "volume",
            "data",
        ],
    ),
    ("flows.*.mss", &["segment_size", "max_segment_size", "packet_size", "pkt_size", "mtu", "payload", "payload_size"]),
    (
        "flows.*.receive_window",
        &[
            "rwnd",
            "rcv_wnd",
            "awnd",
            "receiver_window",
            "recv_window",
            "advertised_window",
            "rcv_buf",
            "rcv_buf_size",
            "receive_buffer",
            "max_window",
        ],
    ),
    ("flows.*.start", &["start_time", "begin", "start_at"]),
    ("flows.*.tcp.variant", &["tcp_type", "socket_type", "flavor", "flavour", "tcp_variant", "tcp_algorithm_class"]),
    ("flows.*.tcp.recovery", &["loss_recovery", "recovery_type"]),
    (
        "flows.*.tcp.control",
        &["cc", "cca", "congestion", "congestion_control", "tcp_congestion_control", "cong_control", "algorithm"],
    ),
    (
        "flows.*.tcp.initial_window",
        &["iw", "icw", "init_cwnd", "initial_cwnd", "cwnd", "initial_congestion_window", "congestion_window"],
    ),
    (
        "flows.*.tcp.initial_ssthresh",
        &["ssthresh", "init_ssthresh", "initial_slow_start_threshold", "slow_start_threshold"],
    ),
    ("flows.*.tcp.min_rto", &["rto_min", "tcp_rto_min", "minimum_rto"]),
    ("flows.*.tcp.max_rto", &["rto_max", "maximum_rto"]),
    ("flows.*.tcp.initial_rto", &["rto", "rto_init", "rto_initial", "init_rto", "connection_timeout"]),
    ("flows.*.tcp.rto_granularity", &["clock_granularity", "tick", "tcp_tick", "timer_granularity"]),
    ("flows.*.tcp.delayed_ack", &["delack", "del_ack", "delayed_acks", "delayed_acks_enabled"]),
    ("flows.*.tcp.delayed_ack.every", &["delack_count", "del_ack_count", "ack_frequency"]),
    ("flows.*.tcp.delayed_ack.delay", &["delack_timeout", "del_ack_timeout", "ack_delay"]),
    ("flows.*.tcp.nagle", &["nodelay", "no_delay", "tcp_nodelay"]),
    ("flows.*.tcp.limited_transmit", &["limited_transmit_enabled", "early_retransmit"]),
    ("flows.*.tcp.frto", &["f_rto", "tcp_frto"]),
    ("flows.*.tcp.sack", &["tcp_sack", "sack_permitted", "sack_support", "use_sack"]),
    ("flows.*.tcp.dsack", &["tcp_dsack", "d_sack"]),
    ("flows.*.tcp.timestamps", &["tcp_timestamps", "timestamp", "timestamp_support"]),
    ("flows.*.tcp.window_scaling", &["wscale", "window_scale", "tcp_window_scaling", "window_scaling_support"]),
    ("flows.*.tcp.ecn", &["tcp_ecn", "use_ecn", "ecn_willingness"]),
    ("flows.*.tcp.retries.syn", &["tcp_syn_retries", "syn_retries", "conn_count"]),
    ("flows.*.tcp.retries.data", &["tcp_retries2", "data_retries"]),
    ("flows.*.tcp.restart_after_idle", &["slow_start_after_idle", "tcp_slow_start_after_idle"]),
    ("flows.*.tcp.time_wait", &["msl", "time_wait_timeout"]),
    ("flows.*.tcp.fin_timeout", &["tcp_fin_timeout", "fin_wait_2_timeout", "linger2"]),
    ("nodes.*.kind", &["type", "node_type"]),
    ("nodes.*.count", &["number", "num", "n", "num_nodes"]),
    ("nodes.*.buffer", &["buffer_size", "queue", "queue_size", "memory"]),
    ("nodes.*.processing_delay", &["proc_delay", "forwarding_delay", "latency"]),
    ("nodes.*.scheduler", &["scheduling", "scheduling_policy"]),
    ("nodes.*.position", &["location", "coordinates", "pos", "initial_position"]),
    ("nodes.*.motion", &["mobility", "mobility_model", "movement"]),
    ("nodes.*.motion.velocity", &["speed"]),
    ("nodes.*.motion.waypoints", &["positions", "trajectory"]),
    ("nodes.*.association", &["handover", "handoff", "roaming"]),
    ("nodes.*.association.handover_gap", &["handover_delay", "handoff_delay", "interruption_time"]),
    ("nodes.*.association.hysteresis", &["handover_margin", "a3_offset"]),
];

#[cfg(test)]
mod tests {
    use super::SYNONYMS;
    use crate::key_path::parse_key_path;
    use crate::keys::Shape;

    /// The table of a key's path, with a name for each `*`, and the key.
    fn place(path: &str) -> (Shape<'static>, &str) {
        let (table, key) = path.rsplit_once('.').unwrap_or(("", path));
        (Shape::at(&parse_key_path(&table.replace('*', "any"))), key)
    }

    #[test]
    fn every_synonym_maps_to_a_key_and_is_not_a_key_itself() {
        assert!(SYNONYMS.iter().map(|(_, names)| names.len()).sum::<usize>() >= 100);
        for (path, names) in SYNONYMS {
            let (table, key) = place(path);
            assert!(table.keys().contains(&key), "{path} is no key");
            for name in *names {
                assert!(!table.keys().contains(name), "{name} is a key beside {path}");
                let again = names.iter().filter(|other| *other == name).count();
                assert_eq!(again, 1, "{name} of {path}");
            }
        }
    }

    #[test]
    fn synonym_maps_to_one_key_per_table() {
        for (path, names) in SYNONYMS {
            let table = |path: &str| path.rsplit_once('.').map(|(table, _)| table.to_owned());
            for (other, others) in SYNONYMS.iter().filter(|(other, _)| other != path && table(other) == table(path)) {
                assert!(names.iter().all(|name| !others.contains(name)), "{path} and {other}");
            }
        }
    }
}
