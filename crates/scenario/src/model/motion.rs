//! Positions and motion of nodes.

use engine::{Length, Signed, Span, Speed};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A position on the plane: x and y.
pub type Position = [Signed<Length>; 2];

/// The motion of a node: at a velocity, or through waypoints.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Motion {
    /// Velocity along x and y, as ["5 m/s", "0 m/s"], to the end of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub velocity: Option<[Signed<Speed>; 2]>,
    /// Time at which the motion begins; default 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = Span::default()))]
    pub from: Option<Span>,
    /// Positions with times, in order. The motion between them is straight and uniform, and the node stays at the last
    /// position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waypoints: Option<Vec<Waypoint>>,
}

/// A position, and the time at which a node is there.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Waypoint {
    /// Time.
    pub at: Span,
    /// Position.
    pub position: Position,
}
