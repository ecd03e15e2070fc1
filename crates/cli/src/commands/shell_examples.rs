//! Examples of `lasthop shell` and `lasthop emulate`, whose help is the same on every system.

use crate::command_groups::Example;

/// Examples in the help of `lasthop shell`.
pub const EXAMPLES: &[Example] = &[
    ("lasthop shell examples/snoop.toml", "Open a shell on the mobile host"),
    ("lasthop shell examples/snoop.toml --and 'server=iperf3 -s' -- iperf3 -c server", "Measure with iperf3"),
    ("lasthop shell --check", "Report whether this machine permits emulation"),
];

/// Examples in the help of `lasthop emulate`.
pub const EMULATE_EXAMPLES: &[Example] = &[
    ("lasthop emulate examples/snoop.toml --tun server=tun0 --tun mobile=tun1", "Put the network between two devices"),
    ("lasthop emulate examples/snoop.toml --tun server=tun0 --tun mobile=tun1 --no-out", "The same, without captures"),
];
