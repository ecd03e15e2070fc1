//! A network namespace with a TUN device for one script. The host's network is not changed.

use std::fs;
use std::io;
use std::net::Ipv4Addr;

use drill::settings::{HostSetting, LINUX, SUITE, WITHOUT_EFFECT};
use host::ip::{run_ip, run_program};
use host::namespace;
use host::tun::Tun;

/// Address of the host under test, equal to the first node's address in a lasthop network.
pub const LOCAL: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 1);
/// Address of the script's side, equal to the second node's address in a lasthop network.
pub const REMOTE: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 2);

const DEVICE: &str = "tun0";

/// Moves this process, which must be single-threaded, into a new network namespace with a TUN device. `Err` names the
/// operation that the machine does not permit.
pub fn enter_namespace() -> Result<Tun, String> {
    enter_namespace_as(LOCAL)
}

/// Enters a namespace as [`enter_namespace`] does, with `address` as the host's address.
pub fn enter_namespace_as(address: Ipv4Addr) -> Result<Tun, String> {
    let device = || {
        namespace::enter_namespace()?;
        let device = Tun::new(DEVICE, 1500)?;
        device.configure(address, None)?;
        Ok(device)
    };
    let device = device().map_err(|error: host::Error| error.to_string())?;
    // A new namespace has the kernel's defaults except for these parameters.
    for (name, value) in LINUX {
        set_parameter(name, value)?;
    }
    Ok(device)
}

/// Returns true if this kernel has the congestion control `name`.
pub fn has_control(name: &str) -> bool {
    let all = fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control").unwrap_or_default();
    all.split_whitespace().any(|known| known == name)
}

/// Applies a setting in the current namespace. `Err` names a setting that cannot be applied.
pub fn apply_setting(device: &Tun, setting: &HostSetting) -> Result<(), String> {
    match setting {
        HostSetting::SuiteDefaults => SUITE.iter().try_for_each(|(name, value)| set_parameter(name, value)),
        HostSetting::Parameter { name, value } => set_parameter(name, value),
        HostSetting::Cubic { name, value } => {
            let path = format!("/sys/module/tcp_cubic/parameters/{name}");
            let now = fs::read_to_string(&path).map_err(|error| format!("CUBIC's parameter {name}: {error}"))?;
            if now.trim() == value {
                Ok(())
            } else {
                Err(format!(
                    "the module parameter {name} of CUBIC is global to the machine: found {now}, expected {value}"
                ))
            }
        }
        HostSetting::FairQueue => {
            run_program("tc", &["qdisc", "replace", "dev", DEVICE, "root", "fq"]).map_err(|error| error.to_string())
        }
        HostSetting::Route { initial_window, rto_min, control } => {
            let mut words = vec!["route".to_owned(), "change".into(), "default".into(), "dev".into(), DEVICE.into()];
            let mut add = |key: &str, value: Option<String>| {
                words.extend(value.into_iter().flat_map(|value| [key.to_owned(), value]));
            };
            add("initcwnd", initial_window.map(|window| window.to_string()));
            add("rto_min", rto_min.map(|span| format!("{}ms", span.as_nanos() / 1_000_000)));
            add("congctl", control.clone());
            run_ip(&words.iter().map(String::as_str).collect::<Vec<_>>()).map_err(|error| error.to_string())
        }
        // Injected packets are not segmented.
        HostSetting::Offload(_) => Ok(()),
        HostSetting::Ip(_) => Err("IPv6".into()),
        HostSetting::File { path, .. } => Err(format!("the file {path}")),
        HostSetting::Mtu(mtu) => {
            let mtu = u16::try_from(*mtu).map_err(|_| format!("an MTU of {mtu}"))?;
            device.set_mtu(mtu).map_err(|error| format!("an MTU of {mtu}: {error}"))
        }
    }
}

/// Sets a sysctl of the network namespace; parameters that are global to the machine are refused.
pub fn set_parameter(name: &str, value: &str) -> Result<(), String> {
    if !name.starts_with("net.") || name.contains("..") || name.contains('/') {
        return Err(format!("the parameter {name}: it is global to the machine"));
    }
    let path = format!("/proc/sys/{}", name.replace('.', "/"));
    match fs::write(path, value) {
        Ok(()) => Ok(()),
        // A parameter of a feature that this kernel was built without is ignored if the feature has no effect.
        Err(error)
            if error.kind() == io::ErrorKind::NotFound && WITHOUT_EFFECT.iter().any(|(known, _)| *known == name) =>
        {
            Ok(())
        }
        Err(error) => Err(format!("{name}={value}: {error}")),
    }
}
