//! Where nodes are, and how they move.

use engine::{Length, Signed, Span, Speed};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A place on the plane: x and y.
pub type Position = [Signed<Length>; 2];

/// How a node moves: at a velocity, or from one place to the next.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Motion {
    /// How fast along x and y, as ["5 m/s", "0 m/s"], to the end of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub velocity: Option<[Signed<Speed>; 2]>,
    /// When that begins; at once if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Span>,
    /// Where it is when, in order; straight and even between, and at the last to the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waypoints: Option<Vec<Waypoint>>,
}

/// A place and when a node is there.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Waypoint {
    /// When.
    pub at: Span,
    /// Where.
    pub position: Position,
}
