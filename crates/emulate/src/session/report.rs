//! Report of an emulation, as `emulation.json`.

use std::collections::BTreeSet;
use std::fmt::Write;

use engine::{Histogram, Span};
use lab::load::Loaded;
use serde::Serialize;
use tcp::response::ResponseConfig;
use wire::Addr;

use super::commands::Commands;
use super::{Plan, RealHost};
use crate::emulator::{Counts, Emulator};
use crate::lateness::Lateness;

/// A run with real hosts.
#[derive(Clone, Debug, Serialize)]
pub struct EmulationReport {
    /// The title of the scenario.
    pub title: String,
    /// The version of the simulated model.
    pub model: u32,
    /// The nodes that were real hosts, with their IPv4 addresses and commands. The node of the main command is first.
    pub nodes: Vec<NodeReport>,
    /// The command's exit code.
    pub exit_code: u8,
    /// The other commands that ended before the main command.
    pub ended: Vec<EndedReport>,
    /// The release of the kernel.
    pub kernel: String,
    /// Congestion control of the kernel's TCP, unless a program selects another.
    pub congestion_control: String,
    /// Whether a signal to lasthop, such as Ctrl-C, arrived during the run.
    pub interrupted: bool,
    /// Whether emulation had real-time priority.
    pub real_time: bool,
    /// Duration in seconds.
    pub duration_s: f64,
    /// TCP connections.
    pub connections: usize,
    /// Numbers of packets.
    pub packets: Counts,
    /// Time at which the first packet entered, in seconds from the start.
    pub began_s: Option<f64>,
    /// Bytes of data that real hosts received: of TCP without repetitions, and of UDP.
    pub bytes_delivered: u64,
    /// Goodput in bits per second, from the first packet to the latest new data; `None` without data.
    pub goodput_bps: Option<f64>,
    /// The lateness of packets that left the emulation.
    pub lateness: LatenessReport,
    /// Periods in which emulation fell behind real time.
    pub behind: Vec<Behind>,
}

/// A node that was a real host.
#[derive(Clone, Debug, Serialize)]
pub struct NodeReport {
    /// Name of the node.
    pub node: String,
    /// Address of the node.
    pub address: String,
    /// The command that ran at the node.
    pub command: String,
}

/// A command of `--and` that ended without a signal from lasthop.
#[derive(Clone, Debug, Serialize)]
pub struct EndedReport {
    /// Name of the node of the command.
    pub node: String,
    /// The command that ran at the node.
    pub command: String,
    /// Exit code of the command: 128 plus the signal's number if a signal ended the command.
    pub exit_code: u8,
}

/// Times from the arrival of packets in the simulation until they were written to their hosts.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct LatenessReport {
    /// Number of packets.
    pub packets: u64,
    /// Median in microseconds, and so on.
    pub p50_us: f64,
    /// 99th percentile.
    pub p99_us: f64,
    /// Maximum.
    pub max_us: f64,
}

/// A period in which packets were more than 1 ms late.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Behind {
    /// Beginning of the period, in seconds from the start.
    pub from_s: f64,
    /// End of the period, in seconds from the start.
    pub to_s: f64,
    /// Packets that were late.
    pub packets: u64,
    /// The maximum lateness in milliseconds.
    pub max_ms: f64,
}

impl LatenessReport {
    /// The quantiles of a histogram of nanoseconds.
    pub fn of(all: &Histogram) -> Self {
        let us = |nanos: Option<u64>| nanos.unwrap_or(0) as f64 / 1e3;
        LatenessReport {
            packets: all.count(),
            p50_us: us(all.quantile(0.5)),
            p99_us: us(all.quantile(0.99)),
            max_us: us(all.max()),
        }
    }
}

/// The nodes of a plan with their commands.
pub fn report_nodes(plan: &Plan) -> Vec<NodeReport> {
    let command = plan.command.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ");
    let of_place = |(number, place): (usize, &RealHost)| NodeReport {
        node: place.name.clone(),
        address: std::net::Ipv4Addr::from(Addr::of_node(place.node)).to_string(),
        command: place.command.clone().unwrap_or_else(|| if number == 0 { command.clone() } else { String::new() }),
    };
    plan.places.iter().enumerate().map(of_place).collect()
}

/// A setting of the kernel, by its path in `/proc/sys`; empty where it cannot be read.
fn read_kernel_setting(setting: &str) -> String {
    std::fs::read_to_string(format!("/proc/sys/{setting}")).unwrap_or_default().trim().to_owned()
}

fn span_to_ms(span: Span) -> f64 {
    span.as_secs_f64() * 1e3
}

impl EmulationReport {
    /// The report of a plan whose `commands` have ended, the first one with `exit_code`.
    pub(super) fn of(
        loaded: &Loaded,
        plan: &Plan,
        emulator: &Emulator,
        lateness: &Lateness,
        exit_code: u8,
        commands: &Commands,
    ) -> Self {
        let ended = commands.ended_peers().into_iter().map(|(index, exit_code)| EndedReport {
            node: plan.places[index].name.clone(),
            command: plan.places[index].command.clone().unwrap_or_default(),
            exit_code,
        });
        let behind = lateness.behind().iter().map(|period| Behind {
            from_s: period.from.as_secs_f64(),
            to_s: period.to.as_secs_f64(),
            packets: period.packets,
            max_ms: span_to_ms(period.max),
        });
        EmulationReport {
            title: loaded.title().to_owned(),
            model: sim::MODEL_VERSION,
            nodes: report_nodes(plan),
            exit_code,
            ended: ended.collect(),
            kernel: read_kernel_setting("kernel/osrelease"),
            congestion_control: read_kernel_setting("net/ipv4/tcp_congestion_control"),
            interrupted: commands.is_interrupted(),
            real_time: plan.real_time,
            duration_s: emulator.world().now().as_secs_f64(),
            connections: emulator.connections(),
            packets: emulator.counts(),
            began_s: emulator.delivered_data().began().map(|began| began.as_secs_f64()),
            bytes_delivered: emulator.delivered_data().bytes(),
            goodput_bps: emulator.delivered_data().goodput_bps(),
            lateness: LatenessReport::of(lateness.all()),
            behind: behind.collect(),
        }
    }

    /// The report in a few lines: packets, lateness, and warnings.
    pub fn text(&self) -> String {
        let (packets, late) = (&self.packets, &self.lateness);
        let mut out = format!(
            "{:.1} s: {} entered ({}), {} left unchanged ({} of them ECN-marked), {} changed or made on the path\n",
            self.duration_s,
            render_count(packets.entered, "packet"),
            render_count(self.connections, "TCP connection"),
            packets.verbatim,
            packets.marked,
            packets.rebuilt,
        );
        // Text in memory.
        let _ = writeln!(
            out,
            "lateness of emulation: p50 {:.0} us, p99 {:.0} us, maximum {:.0} us",
            late.p50_us, late.p99_us, late.max_us
        );
        out
    }

    /// Notes for the user on the quality of the emulation; empty without problems.
    pub fn warnings(&self) -> Vec<String> {
        let mut out: Vec<String> = Vec::new();
        if let Some(worst) = self.behind.iter().max_by(|a, b| a.max_ms.total_cmp(&b.max_ms)) {
            let late: u64 = self.behind.iter().map(|period| period.packets).sum();
            out.push(format!(
                "emulation fell behind real time: {late} of {} more than 1 ms late, in {}; the worst from {:.3} s to {:.3} s, \
                 by {:.1} ms. An idle machine, or --real-time as root, reduces this",
                render_count(self.lateness.packets, "packet"),
                render_count(self.behind.len(), "period"),
                worst.from_s,
                worst.to_s,
                worst.max_ms
            ));
        }
        if self.packets.messages > 0 {
            out.push(format!(
                "{} of the scheme to the sender dropped: Linux does not implement the sender's part of the scheme",
                render_count(self.packets.messages, "message")
            ));
        }
        if self.packets.forgotten > 0 {
            out.push(format!(
                "{} dropped: their bytes were no longer stored",
                render_count(self.packets.forgotten, "packet")
            ));
        }
        out
    }
}

/// A number with its unit.
fn render_count(number: impl std::fmt::Display, what: &str) -> String {
    let number = number.to_string();
    let ending = if number == "1" { "" } else { "s" };
    format!("{number} {what}{ending}")
}

/// Lists, as warnings, the schemes of the scenario that need a part in the sender, which Linux does not implement.
pub fn without_sender(loaded: &Loaded) -> Vec<String> {
    let names: BTreeSet<&str> = loaded.network.nodes.iter().map(|node| node.agent.name()).collect();
    let warning = |name| {
        format!(
            "{name} needs a part in the sender that Linux does not implement: the scheme has no \
                                  effect here"
        )
    };
    names.into_iter().filter(|name| needs_sender(name)).map(warning).collect()
}

/// Whether a scheme has a part in the sender.
pub fn needs_sender(scheme: &str) -> bool {
    scheme != "unmodified" && ResponseConfig::MEMBERS.iter().any(|(name, _)| *name == scheme)
}
