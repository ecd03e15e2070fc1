//! Lints: settings that are valid and probably not intended. Each has a file, and a line in the table below; the page
//! docs/lints.md is generated from the table.

mod absence_after_end;
mod aggregation_off;
mod arrival_load;
mod buffer_size;
mod dead_channel;
mod differentiation_unused;
mod dsack_undo_unused;
mod ecn_threshold;
mod ecn_without_marks;
mod half_scheme;
mod link_out_of_range;
mod marks_without_ecn;
mod motion_after_end;
mod paths;
mod position_without_range;
mod proxy_leg_options;
mod proxy_window;
mod prr_unused;
mod queue_below_packet;
mod rate_control_stuck;
mod rate_control_without_choice;
mod rate_reach;
mod recovery_without_sack;
mod scheme_out_of_place;
mod scheme_without_filters;
mod scheme_without_link_layer;
mod scheme_without_losses;
mod scheme_without_states;
mod send_buffer_below_bdp;
mod shared_radio_unused;
mod short_run;
#[cfg(test)]
mod testing;
mod weak_signal;
mod window_below_bdp;

use engine::Members;
use path::LinkDirection;
use sim::{LinkSpec, Network};

use crate::incidence::Incidence;
use crate::model::Scenario;
use crate::problem::Problem;
use crate::routes::Route;

/// The input of a lint: a scenario without errors, and its network.
pub(crate) struct Context<'a> {
    /// The scenario as written, for settings that the network does not distinguish from defaults.
    pub scenario: &'a Scenario,
    /// Outside members that the scenario may name.
    pub members: &'a Members,
    /// The network.
    pub network: &'a Network,
    /// The route of each flow, and then of each arrival process, in both directions.
    pub routes: &'a [[Route; 2]],
    /// The links of each node and medium.
    pub incidence: &'a Incidence,
}

impl Context<'_> {
    /// The key of a setting of a direction of a link: `links.NAME.queue`, or `links.NAME.queue.backward` if the
    /// directions have separate values.
    fn key(&self, link: &LinkSpec, direction: usize, setting: &str) -> String {
        let way = self.scenario.links.get(&link.name).map(|given| given.way(LinkDirection::BOTH[direction]));
        format!("links.{}.{}", link.name, way.map_or_else(|| setting.to_owned(), |way| way.key(setting)))
    }
}

/// A lint.
pub struct Lint {
    /// Name of the lint, shown in its warnings.
    pub name: &'static str,
    /// Condition that the lint reports, in a sentence.
    pub finds: &'static str,
    /// The formula of a limit, with its source; empty for a condition without a number.
    pub limit: &'static str,
    check: fn(&Context<'_>) -> Vec<Problem>,
}

/// Declares the table: module, name and condition of each lint.
macro_rules! lints {
    ($($module:ident, $name:literal, $finds:literal $(, $limit:literal)?;)+) => {
        /// Every lint, in the order in which their warnings appear.
        pub const LINTS: &[Lint] = &[$(Lint { name: $name, finds: $finds, limit: concat!("" $(, $limit)?), check: $module::check },)+];

        /// For each lint a scenario that it reports, and one that it accepts.
        #[cfg(test)]
        const EXAMPLES: &[(&str, fn() -> [String; 2])] = &[$(($name, $module::tests::examples),)+];
    };
}

lints! {
    scheme_without_link_layer, "scheme-without-link-layer",
        "A base station's scheme depends on reports of a link layer, and none of its links has one.";
    half_scheme, "half-scheme",
        "A scheme with a part at the sender and one at the base station is set at only one of them.";
    scheme_out_of_place, "scheme-out-of-place",
        "A scheme is for the other direction of data, or for other nodes than the one it is set for.";
    scheme_without_states, "scheme-without-states",
        "A scheme depends on predicted fades, and no link of the node has a channel with states.";
    scheme_without_losses, "scheme-without-losses",
        "A scheme that acts on losses, and radio links that lose nothing; or no flow over TCP crosses them.",
        "Losses need a channel with a loss probability or states, an outage or recording of the link, or a medium.";
    proxy_window, "proxy-window",
        "A node that splits connections keeps or advertises less than the bandwidth-delay product of a bulk transfer.",
        "min(B, 65535 B x 2^shift) < R (t1 + t2); B: the node's `buffer`, or the flow's receive window, shift: the \
         receiver's window scale, R: the rate of the slowest link, t1 and t2: the round trips on both sides of the node \
         (RFC 7323 s1.1, s2.3).";
    proxy_leg_options, "proxy-leg-options",
        "A leg of a split connection whose recovery needs SACK, and SACK is not negotiated.",
        "A leg has SACK if both SYNs permit it (RFC 2018 s2), without a handshake if `assume_sack` is set.";
    scheme_without_filters, "scheme-without-filters",
        "`packet-control` with both of its filters switched off.";
    weak_signal, "weak-signal",
        "A signal never reaches the level that the rate of its link needs.";
    dead_channel, "dead-channel",
        "A channel loses practically every full segment of a flow.",
        "Less than one in 10^9 arrives: 8 L p > 21 for packets of L bytes and a bit error rate p, as (1 - p)^(8 L) < e^(-8 L p).";
    queue_below_packet, "queue-below-packet",
        "A queue is smaller than a packet of a flow over the link.";
    ecn_threshold, "ecn-threshold",
        "A queue is full before it exceeds its ECN threshold, so nothing is marked.";
    link_out_of_range, "link-out-of-range",
        "The ends of a link are out of range of each other at the start, or for the whole run.";
    rate_reach, "rate-reach",
        "The ends of a link are never within the range of its fixed rate.";
    position_without_range, "position-without-range",
        "A node has a position or a motion, and no medium of its links has a `range`.";
    motion_after_end, "motion-after-end",
        "A motion begins after the end of the run.";
    shared_radio_unused, "shared-radio-unused",
        "`radio = \"shared\"` at a node whose wireless links all belong to media.";
    aggregation_off, "aggregation-off",
        "A medium of 802.11n without `aggregation`.",
        "Share of the airtime with data: T / (DIFS + cw_min / 2 slots + frame + SIFS + ACK), one station without collisions \
         (Bianchi 2000); aggregates: 802.11-2012 s8.6.1.";
    rate_control_stuck, "rate-control-stuck",
        "A rate control that stays at its highest rate though every frame at this rate fails.",
        "The rate control is built and told of failures at its highest rate, and successes at others, for the whole run.";
    rate_control_without_choice, "rate-control-without-choice",
        "A rate control has no rate to choose below the one that is set.";
    absence_after_end, "absence-after-end",
        "All absences of a channel begin after the end of the run.";
    recovery_without_sack, "recovery-without-sack",
        "A loss recovery that needs SACK runs without it and falls back to NewReno.";
    differentiation_unused, "differentiation-unused",
        "A loss differentiation with Tahoe, whose recovery does not use it.";
    prr_unused, "prr-unused",
        "`prr = true` with a congestion control that regulates recovery itself.";
    dsack_undo_unused, "dsack-undo-unused",
        "`dsack_undo = true` with a recovery that does not read SACK blocks.";
    ecn_without_marks, "ecn-without-marks",
        "A flow requests ECN, and no queue on its route marks packets.";
    marks_without_ecn, "marks-without-ecn",
        "A queue was asked to mark packets, and no flow over its link uses ECN.";
    arrival_load, "arrival-load",
        "Flows arrive with more data than a link on their route carries, or with sizes that have no mean.";
    window_below_bdp, "window-below-bdp",
        "Windows of bulk transfers are together less than the bandwidth-delay product of the bottleneck that they share.",
        "sum W / t < R; W: the receive window, t: the round trip without waiting, R: the rate of the bottleneck (RFC 7323 \
         s1.1). In a medium R is without overhead; behind a node that splits the connection, t is the round trip from it on. A \
         written window of Reno without SACK counts as intended.";
    send_buffer_below_bdp, "send-buffer-below-bdp",
        "Send buffers of bulk transfers are together less than the bandwidth-delay product of the bottleneck that they share.",
        "sum B / t < R; B: the largest send buffer, t: the round trip without waiting, R: the rate of the bottleneck (RFC 7323 \
         s1.1). Flows through a node that splits the connection are not compared.";
    buffer_size, "buffer-size",
        "The buffer in front of a bottleneck is less than a quarter of the bandwidth-delay product, or more than four times of it.",
        "B < R t / (4 sqrt(n)) for n flows (Appenzeller 2004), or a standing queue of more than 4 R t and 100 ms (Gettys 2011, \
         RFC 8289); the default limit counts as a written one.";
    short_run, "short-run",
        "Slow start takes more than a tenth of the run.",
        "duration < 10 t log2(W / IW); W: the share of the bandwidth-delay product, IW: the initial window.";
}

/// The warnings about a scenario without errors.
pub(crate) fn warnings(context: &Context<'_>) -> Vec<Problem> {
    let named = |lint: &'static Lint| {
        (lint.check)(context).into_iter().map(|warning| Problem { lint: Some(lint.name), ..warning })
    };
    LINTS.iter().flat_map(named).collect()
}

/// The reference page, docs/lints.md.
pub fn page() -> String {
    let mut page = String::from(
        "# Lints\n\nA valid scenario may still contain settings that are probably not intended. `lasthop check`, and every command that reads a \
         scenario,\nprints a warning then; it ends with the name of the lint in brackets. Warnings do not stop a run.\n\n\
         | lint | finds |\n|---|---|\n",
    );
    for lint in LINTS {
        page.push_str(&format!("| `{}` | {} |\n", lint.name, lint.finds));
    }
    page.push_str("\n## Limits\n\nA lint with a limit computes it from the scenario:\n\n| lint | limit |\n|---|---|\n");
    for lint in LINTS.iter().filter(|lint| !lint.limit.is_empty()) {
        page.push_str(&format!("| `{}` | {} |\n", lint.name, lint.limit.replace('|', "\\|")));
    }
    page
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::testing::lints_of;
    use super::*;

    #[test]
    fn each_lint_warns_of_the_wrong_example_but_not_of_the_corrected_one() {
        for (name, examples) in EXAMPLES {
            let [wrong, right] = examples();
            assert_eq!(lints_of(&wrong).into_iter().collect::<BTreeSet<_>>(), BTreeSet::from([*name]), "{wrong}");
            assert!(!lints_of(&right).contains(name), "{name}: {right}");
        }
    }

    #[test]
    fn names_are_the_modules_in_kebab_case_and_unique() {
        let names: BTreeSet<&str> = LINTS.iter().map(|lint| lint.name).collect();
        assert_eq!(names.len(), LINTS.len());
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lint");
        let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let modules = files.map(|file| file.file_stem().unwrap().to_str().unwrap().replace('_', "-"));
        let helpers = ["mod", "paths", "testing"];
        let modules: BTreeSet<String> = modules.filter(|name| !helpers.contains(&&**name)).collect();
        assert_eq!(modules, names.iter().map(|name| (*name).to_owned()).collect());
    }

    /// `UPDATE_GOLDEN=1` rewrites the page.
    #[test]
    fn reference_page_is_made_from_the_table() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/lints.md");
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write(&file, page()).unwrap();
        }
        assert_eq!(std::fs::read_to_string(file).unwrap(), page(), "UPDATE_GOLDEN=1 writes it");
    }
}
