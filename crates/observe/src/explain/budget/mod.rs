//! The time budget of each flow: every moment has exactly one cause, so that the causes add up to the flow's time.
//!
//! At each moment the first of these rules that applies gives the cause.
//!
//! 1. The slowest hop transmits packets of the flow, or a link layer there waits for its acknowledgment: `link-rate`;
//!    `bad-air` for attempts that fail. In a medium, exchanges decide: see rule 3.
//! 2. Data of the flow waits at the slowest hop, which transmits packets of other flows: `others-queue`. The link is
//!    interrupted: `outage`.
//! 3. Packets of the flow are at stations of a medium. Once the exchanges are known, their time is charged: to
//!    `link-rate` if they carried packets of the flow, to `collision` and `bad-air` if those failed, to `others-queue` if
//!    the same station sent for another flow, to `contention` if another station sent. Interframe spaces and back-offs
//!    belong to `link-rate`.
//! 4. Packets of the flow wait at any other hop: `own-queue` behind others of the flow, `others-queue`, `outage`.
//! 5. A link layer will repeat a packet of the flow after a failed attempt: `bad-air`.
//! 6. The reason for which the sender is blocked. The repair of a lost segment precedes other reasons until the segment
//!    is acknowledged.
//!
//! The slowest hop is the one with the longest time for a full segment among those that have delivered data of the flow,
//! see `flow`; until a first segment has crossed a hop, it is any hop that transmits.
//!
//! The flow's backlog at the slowest hop costs no time by this definition, because the hop transmits. The delay that it
//! causes is charged to the other flows.

mod account;
mod cause;

pub(super) use account::{Account, StandingQueue};
pub use cause::Cause;
pub(super) use cause::MergedCause;
