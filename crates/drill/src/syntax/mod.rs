//! The language of Google's packetdrill: parser, syntax tree and printer.
//!
//! Source: the language as public scripts use it. The parser was derived from scripts and their behaviour, not from
//! packetdrill's own parser.

pub mod ast;
mod expr;
mod packet;
mod parser;
mod print;
pub mod token;

use std::fmt;

pub use crate::place::ScriptPlace;
pub use ast::Script;
pub use parser::parse_script;

/// A syntax error of a script.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SyntaxError {
    /// Position in the script.
    pub place: ScriptPlace,
    /// The text found.
    pub found: String,
    /// The expected syntax.
    pub expected: String,
    /// The hint.
    pub hint: Option<String>,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ScriptPlace { line, column } = self.place;
        write!(f, "{line}:{column}: found {}, expected {}", self.found, self.expected)
    }
}

impl std::error::Error for SyntaxError {}
