//! The environment of commands, reports about them, and wrong options.

use std::fs;
use std::process::Command;

use super::common::{command, ended, lasthop};
use super::{alone, permitted, prepared};

#[test]
fn command_keeps_user_directory_and_environment_and_returns_its_exit_code() {
    let _alone = alone();
    let dir = prepared("shell-kept");
    if let Err(reason) = permitted(&dir) {
        skip::skip!("{reason}");
    }
    let line = "echo $WORD $LASTHOP_NODE; pwd; id -u; ip -brief link | wc -l; exit 42";
    let mut run =
        command(&dir, &["shell", "hop.toml", "--node", "server", "--no-out", "--quiet", "--", "sh", "-c", line]);
    let run = ended(run.env("WORD", "kept").output().unwrap());
    let user = String::from_utf8(Command::new("id").arg("-u").output().unwrap().stdout).unwrap();
    assert_eq!(run.out, format!("kept server\n{}\n{user}2\n", dir.canonicalize().unwrap().display()));
    assert_eq!((run.code, run.err.as_str()), (Some(42), ""));
    let missing = lasthop(&dir, &["shell", "hop.toml", "--quiet", "--", "no-such-program"]);
    assert_eq!(missing.code, Some(127));
    assert_eq!(missing.err, "error: no-such-program: cannot be run: it was not found\n");
    assert!(!dir.join("results").exists(), "nothing ran");
    let unfit = lasthop(&dir, &["shell", "hop.toml", "--no-out", "--quiet", "--", "./hop.toml"]);
    assert!(unfit.code == Some(126) && unfit.err.contains("hop.toml: cannot be run"), "{:?} {}", unfit.code, unfit.err);
}

/// The captures of both ends are used to explain and draw the result directory, because a simulation cannot repeat the
/// run.
#[test]
fn result_of_real_hosts_is_explained_by_its_captures() {
    skip::need!("python3");
    let _alone = alone();
    let dir = prepared("shell-explain");
    if let Err(reason) = permitted(&dir) {
        skip::skip!("{reason}");
    }
    let words = ["shell", "hop.toml", "--out", "real", "--quiet", "--and", "server=python3 server.py 4", "--"];
    let run = lasthop(&dir, &[&words[..], &["python3", "client.py", "4"]].concat());
    assert_eq!(run.code, Some(0), "{}", run.err);
    let explained = lasthop(&dir, &["explain", "real"]);
    assert_eq!(explained.code, Some(0), "{}", explained.err);
    assert!(explained.out.starts_with("joined: stream 0 of real/server.pcapng"), "{}", explained.out);
    for made in ["plot", "report", "fit"].map(|command| lasthop(&dir, &[command, "real"])) {
        assert_eq!(made.code, Some(0), "{}", made.err);
    }
    assert!(dir.join("real/plots").is_dir() && dir.join("real.html").is_file());
    let wrong = lasthop(&dir, &["explain", "real", "--scheme", "snoop"]);
    assert_eq!(wrong.code, Some(2), "{}", wrong.err);
    let halves =
        ["shell", "hop.toml", "--scheme", "split", "--out", "halves", "--quiet", "--and", "server=python3 server.py 4"];
    let run = lasthop(&dir, &[&halves[..], &["--", "python3", "client.py", "4"]].concat());
    assert_eq!(run.code, Some(0), "{}", run.err);
    let explained = lasthop(&dir, &["explain", "halves"]);
    assert!(explained.err.contains("note: split splits the connections on the path"), "{}", explained.err);
    assert!(explained.code == Some(0) && !explained.out.contains("joined"), "{}", explained.out);
    // The result has one capture of each connection. The place of this capture can be given.
    let explained = lasthop(&dir, &["explain", "halves", "--at", "receiver"]);
    assert!(explained.code == Some(0) && explained.out.contains("captured at the receiver"), "{}", explained.err);
    let explained = lasthop(&dir, &["explain", "real", "--at", "receiver"]);
    assert!(explained.code == Some(2) && explained.err.contains("found two captures"), "{}", explained.err);
    let again = lasthop(&dir, &["shell", "hop.toml", "--out", "real", "--quiet", "--", "true"]);
    assert!(again.code == Some(2) && again.err.contains("real traffic cannot be repeated"), "{}", again.err);
    let run = lasthop(&dir, &["shell", "hop.toml", "--out", "idle", "--quiet", "--", "true"]);
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""));
    let explained = lasthop(&dir, &["explain", "idle"]);
    assert!(explained.code == Some(2) && explained.err.contains("expected a TCP connection"), "{}", explained.err);
}

#[test]
fn wrong_nodes_are_errors_with_a_suggestion() {
    let _alone = alone();
    let dir = prepared("shell-nodes");
    if let Err(reason) = permitted(&dir) {
        skip::skip!("{reason}");
    }
    let error = |words: &[&str]| {
        let run = lasthop(&dir, &[&["shell", "hop.toml", "--no-out"], words].concat());
        assert_eq!(run.code, Some(2), "{words:?}: {}", run.err);
        run.err
    };
    assert!(error(&["--node", "mobil"]).contains("mobile"));
    assert!(error(&["--and", "server"]).contains("NODE=COMMAND"));
    assert!(error(&["--and", "mobile=true"]).contains("already runs a command"));
    assert!(error(&["--outside=mobile"]).contains("the command's own"));
    assert!(error(&["--outside=sever"]).contains("server"));
    let emulated = lasthop(&dir, &["emulate", "hop.toml", "--no-out", "--tun", "server=tun7"]);
    assert_eq!(emulated.code, Some(2), "{}", emulated.err);
    assert!(emulated.err.contains("at least two devices"), "{}", emulated.err);
}

/// An ordinary user has /dev/net/tun as udev creates it. The user id is unchanged, and the command has no capabilities.
#[test]
fn ordinary_user_needs_no_root() {
    skip::need!("python3");
    skip::need!("unshare");
    let _alone = alone();
    let dir = prepared("shell-user");
    if let Err(reason) = permitted(&dir) {
        skip::skip!("{reason}");
    }
    fs::set_permissions(&dir, std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
    let private = dir.join("private");
    fs::create_dir_all(&private).unwrap();
    fs::set_permissions(&private, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    // The device and the mount belong to a mount namespace of this process.
    let script = "set -e; mknod tun c 10 200; chmod 666 tun; mount --bind tun /dev/net/tun; \
                  exec setpriv --reuid 12345 --regid 12345 --clear-groups \"$@\"";
    let user = |words: &[&str]| {
        let mut command = Command::new("unshare");
        command.args(["--mount", "sh", "-c", script, "sh"]).args(words).current_dir(&dir);
        // Node names resolve although the folder for temporary files belongs to another user.
        command.env("TMPDIR", &private);
        let output = command.output();
        let _ = fs::remove_file(dir.join("tun"));
        ended(output.unwrap())
    };
    let lasthop = env!("CARGO_BIN_EXE_lasthop");
    match user(&[lasthop, "shell", "--check"]) {
        check if check.code == Some(0) => {}
        check => skip::skip!("another user cannot be tried here: {}{}", check.out, check.err),
    }
    let line = "id -u; id -g; grep CapEff /proc/self/status; python3 client.py 4";
    let words = [
        lasthop,
        "shell",
        "hop.toml",
        "--quiet",
        "--out",
        "results",
        "--and",
        "server=env PATH=/usr/bin:/bin python3 server.py 4",
        "--",
    ];
    let expected =
        "12345\n12345\nCapEff:\t0000000000000000\nstream 400000 True\ndatagrams in order True most arrive True\n";
    let run = user(&[&words[..], &["env", "PATH=/usr/bin:/bin", "sh", "-c", line]].concat());
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert_eq!(run.out, expected, "{}", run.err);
}

#[test]
fn command_starts_when_the_server_listens() {
    skip::need!("python3");
    let _alone = alone();
    let dir = prepared("shell-awaited");
    if let Err(reason) = permitted(&dir) {
        skip::skip!("{reason}");
    }
    let client = "import socket; socket.create_connection(('server', 5001)); print('connected')";
    let late = "server=echo beginning; sleep 0.5; exec python3 server.py 4";
    let words = ["shell", "hop.toml", "--no-out", "--quiet", "--set", "links.air.channel.loss=0", "--and", late];
    let run = lasthop(&dir, &[&words[..], &["--", "python3", "-c", client]].concat());
    assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (Some(0), "connected\n", "server: beginning\n"));
}

#[test]
fn failures_of_other_commands_are_reported() {
    skip::need!("python3");
    let _alone = alone();
    let dir = prepared("shell-failures");
    if let Err(reason) = permitted(&dir) {
        skip::skip!("{reason}");
    }
    let run = |line: &str, command: &str| {
        let words = ["shell", "hop.toml", "--out", "kept", "--and", line, "--", "sh", "-c", command];
        lasthop(&dir, &words)
    };
    let missing = run("server=no-such-program -s", "echo started");
    assert_eq!((missing.code, missing.out.as_str()), (Some(1), ""), "{}", missing.err);
    assert!(missing.err.contains("`no-such-program -s`: has failed at server"), "{}", missing.err);
    assert!(missing.err.contains("exit code 127"), "{}", missing.err);
    assert!(!dir.join("kept").exists());
    // The command waits until the other command, which listens, is allowed to fail.
    let server = "import os, socket, time\n\
                  listener = socket.socket()\nlistener.bind(('', 5001))\nlistener.listen()\n\
                  while not os.path.exists('go'): time.sleep(0.01)\n\
                  raise SystemExit(3)";
    fs::write(dir.join("failing.py"), server).unwrap();
    let late = run("server=python3 failing.py", "touch go; sleep 1");
    assert_eq!(late.code, Some(0), "{}", late.err);
    assert!(late.err.contains("server: `python3 failing.py` has ended with exit code 3"), "{}", late.err);
    let report = fs::read_to_string(dir.join("kept/emulation.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    let ended = serde_json::json!([{ "node": "server", "command": "python3 failing.py", "exit_code": 3 }]);
    assert_eq!(report["ended"], ended);
}

/// An error for arguments that clap rejects includes a corrected line.
#[test]
fn rejected_arguments_of_shell_have_a_tip() {
    let dir = prepared("shell-arguments");
    for (words, tip) in [
        (&["shell", "hop.toml", "ping", "-c", "1", "server"][..], "`lasthop shell hop.toml -- ping -c 1 server`"),
        (
            &["-q", "shell", "hop.toml", "--seed", "7", "sh", "-c", "exit 3"],
            "`lasthop shell hop.toml --seed 7 -- sh -c 'exit 3'`",
        ),
        (&["shell", "ping-path.toml", "ping", "-c", "1"], "`lasthop shell ping-path.toml -- ping -c 1`"),
        (&["shell", "--check", "hop.toml"], "`lasthop shell --check`, without a scenario, tries"),
        (&["shell", "hop.toml", "--check"], "`lasthop check FILE` checks a scenario"),
        (&["shell", "hop.toml", "--nodee", "mobile"], "to pass '--nodee' as a value"),
    ] {
        let ended = lasthop(&dir, words);
        assert_eq!(ended.code, Some(2), "{words:?}: {}", ended.err);
        assert!(ended.err.contains(tip), "{words:?}: {}", ended.err);
        assert!(tip.contains("--nodee") || !ended.err.contains("to pass"), "{words:?}: {}", ended.err);
    }
    for words in [&["shell", "hop.toml", "-x", "--", "ping", "server"][..], &["run", "shell", "extra"]] {
        let ended = lasthop(&dir, words);
        assert!(ended.code == Some(2) && !ended.err.contains("put -- before"), "{}", ended.err);
    }
}
