//! A network of its own for a script: a namespace, its device, its settings. Nothing outside is touched.

use std::fs;
use std::io;
use std::net::Ipv4Addr;
use std::process::Command;

use drill::settings::{LINUX, SUITE, Setting, WITHOUT_EFFECT};
use nix::errno::Errno;
use nix::sched::{CloneFlags, unshare};
use tun_rs::{DeviceBuilder, SyncDevice};

/// The host under test, and the script's end: the first two nodes of our networks.
pub const LOCAL: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 1);
pub const REMOTE: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 2);

const DEVICE: &str = "tun0";

/// Moves this process, which must have one thread, into a new network namespace with a device to the script's end.
/// `Err` says what the machine does not allow.
pub fn enter() -> Result<SyncDevice, String> {
    enter_as(LOCAL)
}

/// The same with another address of the host.
pub fn enter_as(address: Ipv4Addr) -> Result<SyncDevice, String> {
    unshare(CloneFlags::CLONE_NEWNET).map_err(|error| match error {
        Errno::EPERM => "a network namespace is for root only (CAP_SYS_ADMIN): run it as root".to_owned(),
        error => format!("no network namespace: {error}"),
    })?;
    let device = DeviceBuilder::new().name(DEVICE).mtu(1500).build_sync().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => "there is no /dev/net/tun: the kernel has no TUN devices (CONFIG_TUN)".to_owned(),
        _ => format!("no TUN device: {error}"),
    })?;
    device.set_nonblocking(true).map_err(|error| format!("no TUN device that does not block: {error}"))?;
    ip(&["link", "set", "lo", "up"])?;
    ip(&["address", "add", &format!("{address}/8"), "dev", DEVICE])?;
    ip(&["link", "set", DEVICE, "up"])?;
    ip(&["route", "add", "default", "dev", DEVICE])?;
    // A new namespace begins with the kernel's defaults, but for these.
    for (name, value) in LINUX {
        parameter(name, value)?;
    }
    Ok(device)
}

/// The congestion controls that this kernel has.
pub fn has_control(name: &str) -> bool {
    let all = fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control").unwrap_or_default();
    all.split_whitespace().any(|known| known == name)
}

/// Puts a setting into effect in this namespace. `Err` says what cannot be.
pub fn set(device: &SyncDevice, setting: &Setting) -> Result<(), String> {
    match setting {
        Setting::SuiteDefaults => SUITE.iter().try_for_each(|(name, value)| parameter(name, value)),
        Setting::Parameter { name, value } => parameter(name, value),
        Setting::Cubic { name, value } => {
            let path = format!("/sys/module/tcp_cubic/parameters/{name}");
            let now = fs::read_to_string(&path).map_err(|error| format!("CUBIC's parameter {name}: {error}"))?;
            match now.trim() == value {
                true => Ok(()),
                false => {
                    Err(format!("{value} for CUBIC's parameter {name}, which is the whole machine's: it is {now}"))
                }
            }
        }
        Setting::FairQueue => command("tc", &["qdisc", "replace", "dev", DEVICE, "root", "fq"]),
        Setting::Route { initial_window, rto_min, control } => {
            let mut words = vec!["route".to_owned(), "change".into(), "default".into(), "dev".into(), DEVICE.into()];
            let mut say = |key: &str, value: Option<String>| {
                words.extend(value.into_iter().flat_map(|value| [key.to_owned(), value]));
            };
            say("initcwnd", initial_window.map(|window| window.to_string()));
            say("rto_min", rto_min.map(|span| format!("{}ms", span.as_nanos() / 1_000_000)));
            say("congctl", control.clone());
            ip(&words.iter().map(String::as_str).collect::<Vec<_>>())
        }
        Setting::Mtu(mtu) => {
            let mtu = u16::try_from(*mtu).map_err(|_| format!("an MTU of {mtu}"))?;
            device.set_mtu(mtu).map_err(|error| format!("an MTU of {mtu}: {error}"))
        }
    }
}

/// Sets a parameter of the namespace's; those of the whole machine are not there in `net`.
pub fn parameter(name: &str, value: &str) -> Result<(), String> {
    if !name.starts_with("net.") || name.contains("..") || name.contains('/') {
        return Err(format!("the parameter {name}, which is the whole machine's"));
    }
    let path = format!("/proc/sys/{}", name.replace('.', "/"));
    match fs::write(path, value) {
        Ok(()) => Ok(()),
        // A feature that this kernel was built without is off.
        Err(error)
            if error.kind() == io::ErrorKind::NotFound && WITHOUT_EFFECT.iter().any(|(known, _)| *known == name) =>
        {
            Ok(())
        }
        Err(error) => Err(format!("{name}={value}: {error}")),
    }
}

/// Runs `ip` in this namespace.
pub fn ip(words: &[&str]) -> Result<(), String> {
    command("ip", words)
}

/// Runs a command in this namespace.
fn command(program: &str, words: &[&str]) -> Result<(), String> {
    let line = || format!("`{program} {}`", words.join(" "));
    let ran = Command::new(program).args(words).output().map_err(|error| format!("cannot run {}: {error}", line()))?;
    match ran.status.success() {
        true => Ok(()),
        false => Err(format!("{}: {}", line(), String::from_utf8_lossy(&ran.stderr).trim())),
    }
}
