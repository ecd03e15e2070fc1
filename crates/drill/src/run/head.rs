//! Options in a script's head.

use engine::Span;

use crate::code::Unsupported;
use crate::syntax::Place;
use crate::syntax::ast::HeadOption;

/// How far from its time a packet may come if the script says nothing: packetdrill's default.
const DEFAULT_TOLERANCE: Span = Span::from_millis(4);

/// Options that cannot matter, and why.
pub const WITHOUT_EFFECT: &[(&str, &str)] = &[
    ("local_ip", "addresses are not compared"),
    ("remote_ip", "addresses are not compared"),
    ("gateway_ip", "addresses are not compared"),
    ("netmask_ip", "addresses are not compared"),
    ("bind_port", "ports are not compared"),
    ("connect_port", "ports are not compared"),
    ("mss", "it only tells packetdrill how long segments put together for offload may be"),
    ("tcp_ts_ecr_scaled", "echoes are always scaled"),
    ("verbose", "the command says how much is printed"),
    ("debug", "the command says how much is printed"),
    ("code_command", "assertions are worked out here"),
    ("non_fatal", "what does not agree is an error"),
];

/// The contents of the head.
pub(super) struct Head {
    pub tolerance: Span,
    /// Time stamps are compared: packetdrill leaves them alone unless a script sets the length of a tick.
    pub ticks: bool,
    /// The longest packet that the device takes, and where that is said.
    pub mtu: Option<(Place, u32)>,
}

impl Default for Head {
    fn default() -> Self {
        Head { tolerance: DEFAULT_TOLERANCE, ticks: false, mtu: None }
    }
}

/// Reads the head.
pub(super) fn read(options: &[HeadOption]) -> Result<Head, Unsupported> {
    let mut head = Head::default();
    for option in options {
        let value = option.value.as_deref().unwrap_or_default();
        let written =
            if value.is_empty() { format!("--{}", option.name) } else { format!("--{}={value}", option.name) };
        let refused = || Unsupported { place: option.place, what: format!("the option {written}") };
        let number = || value.parse::<u64>().map_err(|_| refused());
        match option.name.as_str() {
            name if WITHOUT_EFFECT.iter().any(|(known, _)| *known == name) => {}
            "tolerance_usecs" => head.tolerance = Span::from_nanos(number()?.saturating_mul(1_000)),
            "ip_version" if value == "ipv4" => {}
            // Ours tick once a millisecond.
            "tcp_ts_tick_usecs" => match number()? {
                0 => head.ticks = false,
                1_000 => head.ticks = true,
                _ => return Err(refused()),
            },
            "mtu" => {
                let mtu = u32::try_from(number()?).ok().filter(|mtu| (41..=65_535).contains(mtu));
                head.mtu = Some((option.place, mtu.ok_or_else(refused)?));
            }
            _ => return Err(refused()),
        }
    }
    Ok(head)
}
