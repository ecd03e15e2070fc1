//! The input language of the thesis's own program [goel1997 B.2, B.3]: `datafile.dat` becomes a [`Scenario`].
//!
//! ```text
//! # Comments begin with # and end with the line.
//! wired_link
//! {
//!     link_id = 101
//!     latency = 492        # one attribute a line; a semicolon may follow the value
//!     ...
//! }
//! ```
//!
//! | component | attributes |
//! |---|---|
//! | `simulator` | `system_simulation_time` ms, `print_interval` ms (0: never), `read_from_trace` 0, 1 or 2; *`scheme`*, *`seed`*, *flags* |
//! | `wired_source_node`, `wireless_source_node` | `node_id`, `dest_id`, `num_of_pkts_to_send`, `pkt_size` bytes of data, `recv_wnd_size` KB of 1024 bytes; *`start_time`* ms, *`scheme`* |
//! | `normal_router_node` | `node_id`, `buffer_size` bytes, `processing_delay` ms |
//! | `base_station` | the same; *`scheme`*, *`scheduler`*, *`radio`* |
//! | `wired_sink_node`, `wireless_sink_node` | `node_id` |
//! | `wired_link` | `link_id`, `bandwidth` bits/s, `latency` ms, `node_id1`, `node_id2`, `loss_probability`, `random_seed` |
//! | `wireless_link` | `link_id`, `bandwidth` bits/s, `latency` ms, `node_id1`, `node_id2`, `mean_exp_distrib_good_state` s, `mean_exp_distrib_bad_state` s, `random_seed`; *`bad_interval`* ms ms |
//! | `shared_links` | `link_id`, once for each link |
//!
//! Attributes in italics are not in the thesis and may be left out:
//! - `scheme` (`unmodified`, `simple-icmp`, `refined-icmp`): of all nodes, or of one. The thesis compiled it in.
//! - `seed`: the random seed, in addition to each link's `random_seed`.
//! - flags, 0 or 1 [goel1997 4.2 (7)]: `trace_seqno`, `trace_ackno`, `trace_congestion`, `trace_threshold`, `trace_wless_state`,
//!   `trace_router_pkt_arrival`, `trace_swnd_size` (1 if not given) and `trace_events` (0), one for each trace; `event_corrupted`,
//!   `event_given_up`, `event_lost`, `event_dropped`, `event_fast_retransmit`, `event_timeout`, `event_retransmitted`, `event_icmp`,
//!   `event_state` (1), one for each kind of event in the event trace. The thesis has such flags and does not name them.
//! - `start_time`: when a source begins; the thesis mentions it without naming an attribute.
//! - `scheduler` (`round-robin`, `fifo`, `channel-state`) and `radio` (`per-link`, `shared`) of a base station.
//! - `bad_interval = 940 1040`, repeatable: when the air is BAD under `read_from_trace = 2`. The thesis had
//!   these times in its source text.
//!
//! Where the thesis is silent:
//! - Only `shared_links` depends on the order of components.
//! - `print_interval` and `read_from_trace` may be missing, with a warning: then nothing is printed, and the air
//!   follows its means and is not recorded. Every other attribute of the thesis must be given.
//! - A wireless link has the link layer of 4.3.1 if both its ends implement it (`base_station`,
//!   `wireless_source_node`, `wireless_sink_node`), none if neither does; one alone is an error.
//! - `read_from_trace` 0 and 2 need exactly one wireless link; 1 with another number records nothing and warns.
//! - Sinks receive from one source each.
//!
//! Links that share a bandwidth become a medium under IEEE 802.11 DCF; `shared.rs` describes the conversion, and the
//! settings of a `wireless_link` without a counterpart.

mod components;
mod fields;
mod lexer;
mod links;
#[cfg(test)]
mod mistakes;
mod origins;
mod parser;
mod quantities;
pub(crate) mod report;
mod shared;
pub mod trace_file;
mod translate;

use crate::Scenario;
use crate::problem::Problem;
use origins::Origins;
use report::Report;

/// The file with the times of the channel's changes; its name is fixed [goel1997 B.3.1].
pub const TRACE_FILE: &str = "trace.dat";

/// The result of parsing a datafile.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The scenario. Its wireless channel names [`TRACE_FILE`] if the trace is to be read.
    pub scenario: Scenario,
    /// The use of [`TRACE_FILE`], if any.
    pub uses_trace: Option<TraceUse>,
    /// Valid, but probably not as intended.
    pub warnings: Vec<Problem>,
    file: String,
    origins: Origins,
}

/// The use of [`TRACE_FILE`] for a wireless link, named as in the scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TraceUse {
    /// Read the channel's states from the file (`read_from_trace` 0).
    Read {
        /// The link.
        link: String,
    },
    /// Write the channel's states to the file (`read_from_trace` 1 and 2).
    Record {
        /// The link.
        link: String,
    },
}

/// Line and column from 1, and the text of the line.
type Place = ((usize, usize), String);

/// Reads a datafile. `file` is its name in messages. Reports all errors of single components or, if there are none, all
/// errors of references between components.
pub fn parse(file: &str, text: &[u8]) -> Result<Parsed, Vec<Problem>> {
    let text = report::decode_text(file, text).map_err(|problem| vec![problem])?;
    let mut report = Report::new(file, text);
    let tokens = lexer::tokenize_text(text);
    lexer::check_ascii(&tokens, &mut report);
    if !report.is_empty() {
        return Err(report.finish());
    }
    let blocks = parser::parse_blocks(&tokens, &mut report);
    let components: Vec<_> = blocks.iter().filter_map(|block| components::read_component(block, &mut report)).collect();
    if !report.is_empty() {
        return Err(report.finish());
    }
    translate::translate_components(&blocks, &components, report)
}

impl Parsed {
    /// Translates a problem of the scenario to one of the datafile, as far as its key allows.
    pub fn locate(&self, mut problem: Problem) -> Problem {
        problem.file.get_or_insert_with(|| self.file.clone());
        self.origins.locate(problem)
    }
}
