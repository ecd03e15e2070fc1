//! Recognition of the shell commands that scripts use.

use engine::Span;

use super::HostSetting;
use crate::syntax::ScriptPlace;
use crate::syntax::ast::Commands;

/// Splits a text of commands into single commands with their positions. Removes comments, and joins continued lines.
pub fn split_commands(commands: &Commands) -> Vec<(ScriptPlace, String)> {
    let mut out = Vec::new();
    let mut pending: Option<(ScriptPlace, String)> = None;
    for (number, line) in commands.text.lines().enumerate() {
        let column = if number == 0 { commands.place.column } else { 1 };
        let place = ScriptPlace { line: commands.place.line + number, column: column + count_indent(line) };
        let line = line.split(" #").next().unwrap_or_default();
        let line = if line.trim_start().starts_with('#') { "" } else { line };
        let (start, mut text) = pending.take().unwrap_or((place, String::new()));
        match line.trim_end().strip_suffix('\\') {
            Some(begun) => {
                text.push_str(begun);
                text.push(' ');
                pending = Some((start, text));
            }
            None => {
                text.push_str(line);
                let parts = text.split("&&").flat_map(|part| part.split(';'));
                out.extend(parts.map(str::trim).filter(|part| !part.is_empty()).map(|part| (start, part.to_owned())));
            }
        }
    }
    out.extend(pending.map(|(place, text)| (place, text.trim().to_owned())));
    out
}

fn count_indent(line: &str) -> usize {
    line.chars().take_while(|c| c.is_whitespace()).count()
}

/// Splits a command into words; quotes keep white space.
fn split_words(command: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    let mut quote = None;
    for c in command.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, c) if c.is_whitespace() => out.push(String::new()),
            (_, c) => out.last_mut().expect("there is one").push(c),
        }
    }
    out.retain(|word| !word.is_empty());
    out
}

/// Removes redirections such as `2>&1` and `> /dev/null`, which have no effect here. The target of `echo` is kept.
fn without_redirections(words: Vec<String>) -> Vec<String> {
    let echo = words.first().is_some_and(|program| program == "echo");
    let mut out = Vec::new();
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        match word.trim_start_matches(|c: char| c == '&' || c.is_ascii_digit()).strip_prefix('>') {
            Some(_) if echo && !word.starts_with('2') => out.push(word),
            // The file name is the next word.
            Some("" | ">") => drop(words.next()),
            Some(_) => {}
            None => out.push(word),
        }
    }
    out
}

/// Returns the settings that a command makes. `Err` names an unsupported command.
pub fn recognize_command(command: &str) -> Result<Vec<HostSetting>, String> {
    let words = without_redirections(split_words(command));
    let unsupported = || format!("the command `{command}`");
    let Some((program, args)) = words.split_first() else { return Ok(Vec::new()) };
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let name = program.rsplit('/').next().unwrap_or(program);
    Ok(match (name, &args[..]) {
        ("defaults.sh", _) => vec![HostSetting::SuiteDefaults],
        // Settings end with the script, so there is nothing to restore.
        (name, _) if name.starts_with("sysctl_restore_") => Vec::new(),
        ("sysctl", args) => args
            .iter()
            .filter(|arg| !arg.starts_with('-'))
            .map(|arg| parse_assignment(arg))
            .collect::<Result<_, _>>()?,
        ("set_sysctls.py", args) => {
            let path = |arg: &&str| parse_assignment(arg.strip_prefix("/proc/sys/").ok_or_else(unsupported)?);
            args.iter().map(path).collect::<Result<_, _>>()?
        }
        ("echo", [value, ">", path]) => {
            let value = (*value).to_owned();
            vec![match path.strip_prefix("/sys/module/tcp_cubic/parameters/") {
                Some(name) => HostSetting::Cubic { name: name.to_owned(), value },
                None => {
                    let name = path.strip_prefix("/proc/sys/").ok_or_else(unsupported)?.replace('/', ".");
                    HostSetting::Parameter { name, value }
                }
            }]
        }
        ("tc", ["qdisc", "add" | "replace", "dev", _, "root", "pfifo" | "pfifo_fast"]) => Vec::new(),
        ("tc", ["qdisc", "add" | "replace", "dev", _, "root", "fq", ..]) => vec![HostSetting::FairQueue],
        ("ip", ["tcp_metrics", "flush", ..]) => Vec::new(),
        ("rm", ["-f", _]) => Vec::new(),
        ("dd", args) => vec![parse_zeros(args).ok_or_else(unsupported)?],
        // The kernel's table of sockets is not modelled; the search has no effect on packets.
        ("grep", args) if args.iter().any(|arg| arg.starts_with("/proc/net/tcp")) => Vec::new(),
        // Counters of the kernel are not part of the packets; scripts print and search them.
        ("nstat", _) => Vec::new(),
        ("ip", ["link", "set", "dev", _, "mtu", mtu] | ["link", "set", _, "mtu", mtu]) => {
            let mtu = mtu.parse().ok().filter(|mtu| (41..=65_535).contains(mtu)).ok_or_else(unsupported)?;
            vec![HostSetting::Mtu(mtu)]
        }
        // Segments are never joined for offload.
        ("ethtool", ["-K", ..]) => Vec::new(),
        ("ip", ["route", "add" | "change" | "replace", args @ ..]) => vec![parse_route(args).ok_or_else(unsupported)?],
        _ => return Err(unsupported()),
    })
}

/// Returns the file of zeros that the arguments of `dd` create; `None` if they create anything else.
fn parse_zeros(args: &[&str]) -> Option<HostSetting> {
    let value = |key: &str| args.iter().find_map(|arg| arg.strip_prefix(key)?.strip_prefix('='));
    if value("if") != Some("/dev/zero") || args.iter().any(|arg| !arg.contains('=')) {
        return None;
    }
    let number = |key| value(key)?.parse::<u64>().ok();
    Some(HostSetting::File { path: value("of")?.to_owned(), size: number("bs")?.checked_mul(number("count")?)? })
}

/// Parses an assignment such as `net.ipv4.tcp_x=1`; slashes may replace dots.
fn parse_assignment(text: &str) -> Result<HostSetting, String> {
    let (name, value) = text.split_once('=').ok_or_else(|| format!("the parameter {text} without a value"))?;
    let value: Vec<String> = value.split_whitespace().map(worked_out).collect();
    Ok(HostSetting::Parameter { name: name.trim().replace('/', "."), value: value.join(" ") })
}

/// Replaces a product such as `$((32*1024*1024))` by its value. Any other word is returned unchanged.
fn worked_out(word: &str) -> String {
    let inner = word.strip_prefix("$((").and_then(|word| word.strip_suffix("))"));
    let product = inner.and_then(|inner| {
        inner.split('*').try_fold(1u64, |product, factor| product.checked_mul(factor.trim().parse().ok()?))
    });
    product.map_or_else(|| word.to_owned(), |product| product.to_string())
}

/// Returns the setting that the arguments of `ip route` make; `None` if they are not supported.
fn parse_route(args: &[&str]) -> Option<HostSetting> {
    let (mut initial_window, mut rto_min, mut control) = (None, None, None);
    let mut args = args.iter().copied();
    while let Some(key) = args.next() {
        match key {
            "initcwnd" => initial_window = Some(args.next()?.parse().ok()?),
            "rto_min" => rto_min = Some(parse_span(args.next()?)?),
            "congctl" => control = Some(args.next()?.to_owned()),
            "dev" | "via" | "scope" | "src" | "proto" | "metric" | "table" => {
                args.next()?;
            }
            "lock" => {}
            key if key.starts_with(|c: char| c.is_ascii_digit()) || key == "default" => {}
            _ => return None,
        }
    }
    Some(HostSetting::Route { initial_window, rto_min, control })
}

/// Parses a duration such as `5ms` or `1s`. A number without a unit is in milliseconds.
fn parse_span(text: &str) -> Option<Span> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let number: u64 = text[..digits].parse().ok()?;
    let nanos = match &text[digits..] {
        "s" => 1_000_000_000,
        "" | "ms" => 1_000_000,
        "us" => 1_000,
        _ => return None,
    };
    Some(Span::from_nanos(number.checked_mul(nanos)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::Unsupported;
    use crate::settings::{Ecn, HostSettings};

    fn applied(text: &str) -> Result<HostSettings, Unsupported> {
        let mut settings = HostSettings::default();
        let commands = Commands { place: ScriptPlace { line: 3, column: 2 }, text: text.into() };
        for (place, command) in split_commands(&commands) {
            let all = recognize_command(&command).map_err(|what| Unsupported { place, what })?;
            for setting in &all {
                settings.put(setting).map_err(|what| Unsupported { place, what })?;
            }
        }
        Ok(settings)
    }

    #[test]
    fn commands_of_the_public_suites_change_settings() {
        let settings = applied(
            "../../common/defaults.sh\n# of no concern: sysctl -q net.ipv4.tcp_sack=0\ntc qdisc replace dev tun0 root fq\n\
             sysctl -q net.ipv4.tcp_ecn=1  # fully enabled\nsysctl -e -q net/ipv4/tcp_min_tso_segs=4\n\
             ./set_sysctls.py /proc/sys/net/ipv4/tcp_timestamps=0 \\\n\t\t /proc/sys/net/ipv4/tcp_reordering=5\n\
             echo 2 > /sys/module/tcp_cubic/parameters/hystart_detect\n/tmp/sysctl_restore_${PPID}.sh\n\
             sysctl -q net.ipv4.tcp_rmem=\"4096 1000 $((2*1000))\"\nip tcp_metrics flush all > /dev/null 2>&1\n\
             sysctl -q net.ipv4.tcp_sack=0 2>/dev/null >>log\necho 0 > /proc/sys/net/ipv4/tcp_dsack 2> /dev/null\n\
             ip route change 192.168.0.0/16 dev tun0 scope link initcwnd 4 rto_min 5ms\n",
        )
        .unwrap();
        assert_eq!(
            settings,
            HostSettings {
                ecn: Ecn::Request,
                sack: false,
                duplicate_sack: false,
                timestamps: false,
                reordering: 5,
                hystart_detect: 2,
                receive_buffer: (1000, 2000),
                send_buffer: 262_144,
                syn_retries: 5,
                restart_after_idle: false,
                initial_window: Some(4),
                min_offload: 4,
                rto_min: Some(Span::from_millis(5)),
                ..HostSettings::default()
            }
        );
    }

    #[test]
    fn unsupported_commands_are_reported_with_their_place() {
        for (text, line, column, what) in [
            ("reboot", 3, 2, "the command `reboot`"),
            ("defaults.sh\n  sysctl -q net.ipv4.tcp_ecn=6", 4, 3, "net.ipv4.tcp_ecn=6"),
            (
                "sysctl -q net.ipv4.tcp_fakk=1",
                3,
                2,
                "the parameter net.ipv4.tcp_fakk (did you mean \"net.ipv4.tcp_fack\"?)",
            ),
            ("sysctl net.ipv4.tcp_sack=yes", 3, 2, "net.ipv4.tcp_sack=yes"),
            (
                "\ntc qdisc replace dev tun0 root pfifo limit 0",
                4,
                1,
                "the command `tc qdisc replace dev tun0 root pfifo limit 0`",
            ),
            ("ip route add blackhole 10.0.0.0/8", 3, 2, "the command `ip route add blackhole 10.0.0.0/8`"),
        ] {
            let unsupported = applied(text).unwrap_err();
            assert_eq!((unsupported.what.as_str(), unsupported.place), (what, ScriptPlace { line, column }), "{text}");
        }
    }
}
