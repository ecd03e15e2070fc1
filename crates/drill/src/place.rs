//! Positions in a script.

/// Line and column in a script, counted from 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct ScriptPlace {
    /// Line.
    pub line: usize,
    /// Column, in characters.
    pub column: usize,
}
