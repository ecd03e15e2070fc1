//! Processes and files left after signals and kills.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use super::common::{Ended, command, ended, send_signal};
use super::{alone, permitted, prepared};

/// The processes in a network namespace, as `/proc/PID/ns/net` names it.
fn inhabitants(namespace: &str) -> usize {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let links = processes.filter_map(|entry| fs::read_link(entry.path().join("ns/net")).ok());
    links.filter(|link| link.to_string_lossy() == namespace).count()
}

/// The machine's own network devices.
fn devices() -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir("/sys/class/net")
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into())
        .collect();
    names.sort();
    names
}

/// A shell whose command sleeps, and a background process of the shell.
fn sleeping(mut shell: Command, dir: &Path) -> (Child, String, u32) {
    let line = "sleep 300 & readlink /proc/self/ns/net > namespace.new; echo $$ >> namespace.new; \
                mv namespace.new namespace; exec sleep 300";
    shell.args(["shell", "hop.toml", "--out", "kept", "--", "sh", "-c", line]);
    let shell = shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut text = String::new();
    for _ in 0..500 {
        sleep(Duration::from_millis(20));
        if let Ok(read) = fs::read_to_string(dir.join("namespace")) {
            text = read;
            break;
        }
    }
    let (namespace, pid) = text.trim().split_once('\n').expect("the command has started");
    assert!(inhabitants(namespace) >= 2);
    (shell, namespace.to_owned(), pid.parse().unwrap())
}

/// Waits until no process is in the namespace.
fn gone(namespace: &str) -> bool {
    (0..500).any(|_| {
        sleep(Duration::from_millis(20));
        inhabitants(namespace) == 0
    })
}

#[test]
fn nothing_remains_after_signals_and_results_are_kept() {
    let _alone = alone();
    let dir = prepared("shell-signals");
    if let Err(reason) = permitted(&dir) {
        skip::skip!("{reason}");
    }
    let before = devices();
    // For each case: the signal, whether the command receives it instead of lasthop, and the exit code.
    for (signal, to_command, code) in [("INT", false, 130), ("TERM", false, 143), ("KILL", true, 137)] {
        let _ = fs::remove_file(dir.join("namespace"));
        let (shell, namespace, pid) = sleeping(command(&dir, &[]), &dir);
        send_signal(signal, if to_command { pid } else { shell.id() });
        let Ended { code: ended_with, err, .. } = ended(shell.wait_with_output().unwrap());
        assert_eq!(ended_with, Some(code), "{signal}: {err}");
        assert!(gone(&namespace), "{signal}: {} processes remain", inhabitants(&namespace));
        assert_eq!(devices(), before, "{signal}");
        assert!(dir.join("kept/emulation.json").exists() && dir.join("kept/mobile.pcapng").exists(), "{signal}: {err}");
        fs::remove_dir_all(dir.join("kept")).unwrap();
    }
}

/// The command ends with lasthop even if lasthop is killed, regardless of the name by which it was started.
#[test]
fn command_ends_when_lasthop_is_killed() {
    let _alone = alone();
    let dir = prepared("shell-killed");
    if let Err(reason) = permitted(&dir) {
        skip::skip!("{reason}");
    }
    let renamed = dir.join("hop-1.0");
    fs::hard_link(env!("CARGO_BIN_EXE_lasthop"), &renamed).unwrap();
    let mut by_other_name = Command::new(&renamed);
    by_other_name.current_dir(&dir);
    for program in [command(&dir, &[]), by_other_name] {
        let _ = fs::remove_file(dir.join("namespace"));
        let (mut shell, _, pid) = sleeping(program, &dir);
        shell.kill().unwrap();
        shell.wait().unwrap();
        let ended = (0..500).any(|_| {
            sleep(Duration::from_millis(20));
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            stat.is_empty() || stat.contains(") Z ")
        });
        assert!(ended, "the command still runs");
    }
}
