//! Completion in bash, by the script that `lasthop completions` prints.

use crate::common;

use std::fs;
use std::path::Path;
use std::process::Command;

use common::{command, file, fine, lasthop, scratch};

/// Splits a line at blanks, and around `=` and `:`, as bash does into `COMP_WORDS`.
fn split_words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for c in line.chars() {
        match (c, words.last_mut()) {
            (' ', _) => words.push(String::new()),
            ('=' | ':', Some(last)) if last.is_empty() => {
                last.push(c);
                words.push(String::new());
            }
            ('=' | ':', _) => words.extend([c.to_string(), String::new()]),
            (c, Some(last)) => last.push(c),
            (_, None) => {}
        }
    }
    // The word at the cursor is `=` itself if the line ends with `=`.
    if line.ends_with(['=', ':']) {
        words.pop();
    }
    words
}

/// Returns the completions by bash for the last word of a line, without the part before `=` and `:`.
fn complete(dir: &Path, line: &str) -> Vec<String> {
    let words = split_words(line);
    let last = words.last().map_or("", |word| if word == "=" { "" } else { word });
    let list = words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" ");
    let script = format!(
        "set -e; source <(lasthop completions bash); set +e\nCOMP_WORDS=({list}); COMP_CWORD={}\nCOMP_LINE='{line}'; \
         COMP_POINT={}\n_lasthop lasthop '{last}' x\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"\n",
        words.len() - 1,
        line.len(),
    );
    let programs = Path::new(env!("CARGO_BIN_EXE_lasthop")).parent().unwrap();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    let output = Command::new("bash").args(["-c", &script]).current_dir(dir).env("PATH", path).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{line}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

#[test]
fn bash_completes_commands_options_and_names() {
    skip::need!("bash");
    let dir = scratch("completion-names");
    for (line, expected) in [
        ("lasthop ste", &["steady"][..]),
        ("lasthop run x.toml --print", &["--print-events"]),
        ("lasthop run x.toml --scheme refi", &["refined-icmp"]),
        ("lasthop run --scheme=refi", &["refined-icmp"]),
        ("lasthop web x.toml --scheme refi", &["refined-icmp"]),
        ("lasthop plot x.toml --scheme unmodified,refi", &["unmodified,refined-icmp"]),
        ("lasthop compare --schemes unmodified,refi", &["unmodified,refined-icmp"]),
        ("lasthop compare --paths sat", &["satellite"]),
        ("lasthop run x.toml --trace seqno,cong", &["seqno,congestion"]),
        ("lasthop sweep x.toml --metric goodput_bp", &["goodput_bps"]),
        ("lasthop export s.sqlite --format csv,par", &["csv,parquet"]),
        ("lasthop import x --format mahi", &["mahimahi"]),
        ("lasthop reproduce goel", &["goel1997"]),
        ("lasthop fit x.pcap --variant linux-", &["linux-reno"]),
        ("lasthop list chan", &["channels"]),
        ("lasthop completions fi", &["fish"]),
        ("lasthop run x.toml --seed ", &[]),
        ("lasthop run x.toml --scheme no-such", &[]),
    ] {
        assert_eq!(complete(&dir, line), expected, "{line}");
    }
}

#[test]
fn bash_completes_names_from_the_scenario() {
    skip::need!("bash");
    let dir = scratch("completion-scenario");
    fs::copy(file("examples/two-mobiles.toml"), dir.join("two.toml")).unwrap();
    for (line, expected) in [
        ("lasthop run two.toml --set links.far.rat", &["links.far.rate="][..]),
        ("lasthop run two.toml --set flows.far.tcp.var", &["flows.far.tcp.variant="]),
        // bash keeps the part before the `=`.
        ("lasthop run two.toml --set flows.far.tcp.variant=cub", &["cubic"]),
        // A name alone stands for the table.
        ("lasthop run two.toml --set flows.far.tcp=cub", &["cubic"]),
        ("lasthop run two.toml --set scheme=refi", &["refined-icmp"]),
        ("lasthop new a.toml --like sat", &["satellite"]),
        ("lasthop explain two.toml --flow ", &["far", "near"]),
        ("lasthop explain --flow fa", &[]),
        ("lasthop shell two.toml --node st", &["station"]),
        ("lasthop run tw", &["two.toml"]),
    ] {
        assert_eq!(complete(&dir, line), expected, "{line}");
    }
    // Many keys are completed step by step.
    let keys = complete(&dir, "lasthop run two.toml --set ");
    assert!(keys.iter().any(|key| key == "links.") && keys.iter().any(|key| key == "duration="), "{keys:?}");
    assert!(complete(&dir, "lasthop run two.toml --set flows.far.tcp.variant=").len() > 5);
}

/// A completion prints no errors, whatever the file is.
#[test]
fn completion_prints_no_error_for_files_that_do_not_parse() {
    skip::need!("bash");
    let dir = scratch("completion-broken");
    let write = |name: &str, text: &[u8]| fs::write(dir.join(name), text).unwrap();
    write("cut.toml", b"[links.air]\nrate = ");
    write("binary.toml", &[0xff, 0, 1]);
    // The values of a scenario need not be valid.
    write("wrong.toml", b"[flows.far]\nfrom = 3\n[flows.near]\nbytes = \"many\"\n");
    for name in ["cut.toml", "binary.toml", "missing.toml", ".", "-"] {
        assert_eq!(complete(&dir, &format!("lasthop run {name} --set links.")), [""; 0], "{name}");
        assert_eq!(complete(&dir, &format!("lasthop run {name} --scheme refi")), ["refined-icmp"], "{name}");
    }
    assert_eq!(complete(&dir, "lasthop explain wrong.toml --flow "), ["far", "near"]);
    // What no script sends.
    for args in [&[][..], &["--"], &["--", "lasthop", "run", "\u{1b}"]] {
        for shell in ["bash", "zsh", "fish", "elvish", "powershell", "no-such-shell"] {
            let output = command(&dir, args).env("LASTHOP_COMPLETE", shell).output().unwrap();
            assert!(output.status.success() && output.stderr.is_empty(), "{shell} {args:?}");
        }
    }
}

#[test]
fn completion_script_of_every_shell_calls_the_program() {
    let dir = scratch("completion-scripts");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = fine(&dir, &["completions", shell]);
        assert!(script.contains("LASTHOP_COMPLETE") && script.contains("lasthop"), "{shell}: {script}");
    }
    let refused = lasthop(&dir, &["completions", "tcsh"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("bash, elvish, fish, powershell, zsh"), "{}", refused.err);
}
