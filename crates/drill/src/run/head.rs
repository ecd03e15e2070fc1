//! Options at the head of a script.

use engine::Span;

use crate::code::Unsupported;
use crate::settings::IpVersion;
use crate::syntax::ScriptPlace;
use crate::syntax::ast::HeadOption;

/// Tolerance of times unless the script sets one: packetdrill's default.
const DEFAULT_TOLERANCE: Span = Span::from_millis(4);

/// Head options without effect, with the reason.
pub const WITHOUT_EFFECT: &[(&str, &str)] = &[
    ("local_ip", "addresses are not compared"),
    ("remote_ip", "addresses are not compared"),
    ("gateway_ip", "addresses are not compared"),
    ("netmask_ip", "addresses are not compared"),
    ("bind_port", "ports are not compared"),
    ("connect_port", "ports are not compared"),
    ("tcp_ts_ecr_scaled", "echoes are always scaled"),
    ("verbose", "set by the option --verbose of the command"),
    ("debug", "set by the option --verbose of the command"),
    ("code_command", "assertions are evaluated by lasthop"),
    ("send_omit_free", "data is a count of bytes"),
    ("non_fatal", "every deviation is an error"),
];

/// Settings from the head of a script.
pub(super) struct ScriptHead {
    pub tolerance: Span,
    /// True if time stamp values are compared; as in packetdrill only if the script sets the length of a tick.
    pub ticks: bool,
    /// Maximum packet size of the device in bytes, and the position of the option; `None` if not set.
    pub mtu: Option<(ScriptPlace, u32)>,
    /// Size of the segments in bytes of which a larger injected packet consists; `None` if not set.
    pub offload: Option<u32>,
    pub ip_version: IpVersion,
}

impl Default for ScriptHead {
    fn default() -> Self {
        ScriptHead { tolerance: DEFAULT_TOLERANCE, ticks: false, mtu: None, offload: None, ip_version: IpVersion::V4 }
    }
}

/// Reads the head options.
pub(super) fn read_head(options: &[HeadOption]) -> Result<ScriptHead, Unsupported> {
    let mut head = ScriptHead::default();
    for option in options {
        let value = option.value.as_deref().unwrap_or_default();
        let written =
            if value.is_empty() { format!("--{}", option.name) } else { format!("--{}={value}", option.name) };
        let refused = || Unsupported { place: option.place, what: format!("the option {written}") };
        let number = || value.parse::<u64>().map_err(|_| refused());
        match option.name.as_str() {
            name if WITHOUT_EFFECT.iter().any(|(known, _)| *known == name) => {}
            "tolerance_usecs" => head.tolerance = Span::from_nanos(number()?.saturating_mul(1_000)),
            "ip_version" => {
                head.ip_version = match value {
                    "ipv4" | "ipv4-mapped-ipv6" => IpVersion::V4,
                    "ipv6" => IpVersion::V6,
                    _ => return Err(refused()),
                }
            }
            // The clock of lasthop's time stamps ticks once per millisecond.
            "tcp_ts_tick_usecs" => match number()? {
                0 => head.ticks = false,
                1_000 => head.ticks = true,
                _ => return Err(refused()),
            },
            "mss" => head.offload = Some(u32::try_from(number()?).ok().filter(|size| *size > 0).ok_or_else(refused)?),
            "mtu" => {
                let mtu = u32::try_from(number()?).ok().filter(|mtu| (41..=65_535).contains(mtu));
                head.mtu = Some((option.place, mtu.ok_or_else(refused)?));
            }
            _ => return Err(refused()),
        }
    }
    Ok(head)
}
