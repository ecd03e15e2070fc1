//! The command `lasthop compare`.

use crate::common;

use common::{file, fine, lasthop, scratch};
use serde_json::Value;

fn compared(text: &str) -> Vec<Value> {
    serde_json::from_str::<Value>(text).unwrap().as_array().unwrap().clone()
}

fn row<'a>(path: &'a Value, scheme: &str) -> &'a Value {
    path["schemes"].as_array().unwrap().iter().find(|row| row["scheme"] == scheme).unwrap()
}

/// Under random losses a split connection has a higher goodput than a sender that treats every loss as congestion, at
/// the cost of state in the base station and of end-to-end semantics.
#[test]
fn compare_reports_gain_and_cost_of_a_scheme() {
    let dir = scratch("compare");
    let wan =
        ["compare", "--paths", "wan-random-loss", "--schemes", "split, unmodified", "--replications", "8", "--json"];
    let all = compared(&fine(&dir, &wan));
    assert_eq!((all.len(), all[0]["path"].as_str()), (1, Some("wan-random-loss")));
    let [unmodified, split] = ["unmodified", "split"].map(|scheme| row(&all[0], scheme));
    // The baseline is the scheme `unmodified`, in any position of --schemes.
    assert!(unmodified["change_percent"].is_null() && unmodified["n"] == 8, "{unmodified}");
    let low = split["change_percent_ci"][0].as_f64().unwrap();
    assert!(low > 20.0, "{split}");
    assert_eq!(
        (unmodified["end_to_end_semantics"].as_str(), split["end_to_end_semantics"].as_str()),
        (Some("kept"), Some("lost"))
    );
    assert_eq!(
        (unmodified["changes"].to_string(), split["changes"].to_string()),
        ("[]".into(), "[\"base station\"]".into())
    );
    assert_eq!(unmodified["state_bytes_per_flow"], 0.0);
    let state = split["state_bytes_per_flow"].as_f64().unwrap();
    assert!((4096.0..=4096.0 + 2.0 * 65_535.0).contains(&state), "{state}");
    let air = |row: &Value| row["airtime_s_per_mb"].as_f64().unwrap();
    // 1 MB takes 4 s at 2 Mbps, plus headers and acknowledgments.
    assert!(air(split) > 4.0 && air(split) < 5.0 && air(unmodified) > 4.0, "{} {}", air(split), air(unmodified));
    // A second comparison reads all results from the store, starts no run, and gives equal rows.
    let again = lasthop(&dir, &wan);
    assert_eq!(compared(&again.out), all);
    assert!(again.err.contains("0 runs, 16 were already stored"), "{}", again.err);
}

/// All schemes on all paths, with one short run each.
#[test]
fn every_scheme_runs_on_every_path() {
    let dir = scratch("compare-all");
    let all = compared(&fine(&dir, &["compare", "--replications", "1", "--set", "duration=5 s", "--json"]));
    assert_eq!(all.len(), 15);
    let listed = fine(&dir, &["list", "schemes"]);
    let names: Vec<&str> = listed.lines().skip(1).filter_map(|line| line.split_whitespace().next()).collect();
    for path in &all {
        for name in &names {
            assert!(row(path, name)["goodput_bps"].is_f64(), "{name}: {path}");
        }
    }
    let table = fine(&dir, &["compare", "--replications", "1", "--set", "duration=5 s", "--paths", "lan"]);
    let heads = table.lines().filter(|line| line.starts_with("scheme ")).count();
    assert_eq!(heads, 5, "{table}");
    for name in names {
        assert_eq!(table.lines().filter(|line| line.split_whitespace().next() == Some(name)).count(), 5, "{table}");
    }
}

/// Other nodes implement the schemes for uploads. The row of a scheme without effect on uploads says so.
#[test]
fn uploads_are_compared_under_the_schemes_that_apply() {
    let dir = scratch("compare-upload");
    let args = ["compare", "--paths", "wan-upload", "--replications", "3"];
    let all = compared(&fine(&dir, &[&args[..], &["--json"]].concat()));
    let changes = |scheme: &str| row(&all[0], scheme)["changes"].to_string();
    assert_eq!(changes("eln"), "[\"sender\",\"base station\"]");
    assert_eq!((changes("tack"), changes("snoop")), ("[\"base station\"]".into(), "[]".into()));
    // balakrishnan1998 reports at least twice the throughput at such loss rates.
    assert!(row(&all[0], "eln")["change_percent_ci"][0].as_f64().unwrap() > 30.0, "{}", all[0]);
    let same = |scheme: &str| row(&all[0], scheme)["same_as_first"].as_bool();
    assert_eq!(["eln", "tack", "snoop", "freeze-tcp"].map(same), [Some(false), Some(false), Some(true), Some(true)]);
    // The state is at the node that implements the scheme.
    assert!(row(&all[0], "tack")["state_bytes_per_flow"].as_f64() > Some(0.0));

    let shown = lasthop(&dir, &args);
    let snoop = shown.out.lines().find(|line| line.starts_with("snoop ")).unwrap();
    let dashes = snoop.split_whitespace().filter(|cell| *cell == "-").count();
    assert!(snoop.contains("none: for downloads") && dashes == 2, "{snoop}");
    assert!(!shown.err.contains("warning"), "{}", shown.err);
}

/// `compare` replaces the schemes of the scenario's nodes and ignores its sweep.
#[test]
fn compare_accepts_a_scenario_file() {
    let dir = scratch("compare-own");
    let example = file("examples/goel1997-satellite.toml");
    let schemes = ["--schemes", "unmodified,refined-icmp", "--replications", "2"];
    let args = [&["compare", "--scenario", example.as_str(), "--json"], &schemes[..]].concat();
    let all = compared(&fine(&dir, &args));
    assert_eq!((all.len(), all[0]["schemes"].as_array().unwrap().len()), (1, 2));
    assert!(row(&all[0], "refined-icmp")["goodput_bps"].as_f64() > row(&all[0], "unmodified")["goodput_bps"].as_f64());
}

#[test]
fn unknown_names_and_invalid_settings_are_refused() {
    let dir = scratch("compare-wrong");
    let wrong = |args: &[&str], parts: &[&str]| {
        let ended = lasthop(&dir, args);
        assert_eq!((ended.code, ended.out.as_str()), (Some(2), ""), "{args:?}");
        for part in parts {
            assert!(ended.err.contains(part), "{args:?}: {part} is not in {}", ended.err);
        }
    };
    wrong(&["compare", "--schemes", "refined"], &["--schemes", "\"refined\"", "lasthop list schemes"]);
    wrong(&["compare", "--paths", "wan-burst"], &["--paths", "did you mean \"wan-bursts\"?"]);
    wrong(&["compare", "--paths", "lan", "--scenario", "x.toml"], &["cannot be used with"]);
    wrong(&["compare", "--scenario", "x.toml"], &["x.toml", "cannot be read"]);
    wrong(&["compare", "--replications", "0"], &["--replications", "1 to 1000000"]);
    wrong(&["compare", "--set", "duraton=5 s"], &["duraton", "duration"]);
    let nothing = lasthop(&dir, &["compare", "--paths", "lan-bursts", "--set", "duration=0 s"]).err;
    assert!(nothing.contains("--set duration=0 s") && !nothing.contains("lan-bursts"), "{nothing}");
    assert!(!dir.join("results").exists(), "all settings are checked before the first run");
}

/// A download of 200 kB and a download that fails, as programs for both ends.
const TRANSFER: [&str; 2] = [
    "import socket, sys\n\
     listener = socket.create_server(('', 5001))\n\
     while True:\n    connection, there = listener.accept()\n    connection.sendall(b'x' * 200000)\n    connection.close()\n",
    "import socket, sys, time\n\
     for attempt in range(100):\n\
     \x20   try:\n        connection = socket.create_connection(('server', 5001))\n        break\n\
     \x20   except ConnectionRefusedError:\n        time.sleep(0.05)\n\
     received = 0\n\
     while bytes := connection.recv(65536):\n    received += len(bytes)\n\
     print('received', received)\n\
     sys.exit(received != 200000)\n",
];

/// Real ends have a row for each scheme that needs no part in the sender. Finished runs are not repeated.
#[cfg(target_os = "linux")]
#[test]
fn compare_with_shell_measures_real_and_simulated_ends() {
    skip::need!("python3");
    let dir = scratch("compare-shell");
    if lasthop(&dir, &["shell", "--check"]).code != Some(0) {
        skip::skip!("no namespaces here");
    }
    let scenario = "duration = '60 s'\n[nodes]\nserver = { kind = 'host' }\nstation = { kind = 'base-station' }\nmobile = { kind = 'host' }\n\
        [links.wire]\nkind = 'wired'\nbetween = ['server', 'station']\nrate = '100 Mbps'\ndelay = '5 ms'\n\
        [links.air]\nkind = 'wireless'\nbetween = ['station', 'mobile']\nrate = '10 Mbps'\ndelay = '5 ms'\n\
        channel = { kind = 'uniform', loss = 0.01 }\n\
        [flows.download]\nfrom = 'server'\nto = 'mobile'\nbytes = '200 kB'\n";
    std::fs::write(dir.join("hop.toml"), scenario).unwrap();
    for (name, text) in ["server.py", "client.py"].into_iter().zip(TRANSFER) {
        std::fs::write(dir.join(name), text).unwrap();
    }
    let schemes = "unmodified,snoop,refined-icmp";
    let with = |command: &'static str| {
        let words = ["compare", "hop.toml", "--schemes", schemes, "--replications", "2", "--shell", command];
        [&words[..], &["--and", "server=python3 server.py", "--json"]].concat()
    };
    let run = lasthop(&dir, &with("python3 client.py"));
    assert_eq!(run.code, Some(0), "{}", run.err);
    let all = compared(&run.out);
    for scheme in ["unmodified", "snoop"] {
        let real = row(&all[0]["real"], scheme);
        // Of 9.7 bits at most 8 are data. Headers take the rest of 10 Mbps.
        let goodput = real["goodput_bps"].as_f64().unwrap();
        assert!(real["n"] == 2 && goodput > 1e5 && goodput < 9.7e6, "{real}");
        // 200 kB in packets of 1500 bytes over 10 Mbps take 0.166 s, and more with retransmissions.
        let air = real["airtime_s_per_mb"].as_f64().unwrap();
        assert!((0.8..2.0).contains(&air), "{real}");
        assert!(row(&all[0], scheme)["goodput_bps"].is_f64(), "{}", all[0]);
        let log = std::fs::read_to_string(dir.join(format!("results/hop-compared-shell/{scheme}/1/commands.log")));
        assert_eq!(log.unwrap(), "received 200000\n");
    }
    assert!(row(&all[0]["real"], "refined-icmp")["goodput_bps"].is_null(), "{}", all[0]["real"]);
    let again = lasthop(&dir, &with("python3 client.py"));
    assert!(again.err.contains(", 4 were already there"), "{}", again.err);
    assert_eq!(compared(&again.out), all);
    let failed = lasthop(&dir, &with("echo no server here; exit 3"));
    assert_eq!(failed.code, Some(1), "{}", failed.err);
    let expected = "error: unmodified, replication 0: the command ended with exit code 3\n  | no server here\n";
    assert!(failed.err.contains(expected), "{}", failed.err);
    // A run with another command does not replace earlier measurements.
    let kept = lasthop(&dir, &with("python3 client.py"));
    assert!(kept.err.contains(", 4 were already there"), "{}", kept.err);
    let server = "server=echo no port here; exit 4";
    let refused = lasthop(&dir, &["compare", "hop.toml", "--shell", "true", "--and", server]);
    assert_eq!(refused.code, Some(1), "{}", refused.err);
    assert!(refused.err.contains("exit code 4\n  | no port here\n"), "{}", refused.err);
    let unknown = lasthop(&dir, &["compare", "hop.toml", "--out", "new.sqlite", "--shell", "true", "--node", "mobil"]);
    assert!(unknown.code == Some(2) && !dir.join("new.sqlite").exists(), "{}", unknown.err);
    let wrong = lasthop(&dir, &["compare", "hop.toml", "--and", "server=true"]);
    assert_eq!(wrong.code, Some(2), "{}", wrong.err);
}
