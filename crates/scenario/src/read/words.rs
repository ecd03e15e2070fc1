//! Descriptions of types in messages.

pub(super) const BOOL: &str = "true or false";
pub(super) const NUMBER: &str = "a number";
pub(super) const LIST: &str = "a list, in brackets";
pub(super) const TABLE: &str = "a table";
pub(super) const TEXT: &str = "text in quotes";
/// The expected value where a string names one of several choices.
pub(super) const NAME: &str = "a name in quotes";
/// Types of most counts, whose range a check knows.
pub(super) const U32: &str = "a whole number, 0 to 4294967295";

pub(super) fn whole_number(min: i64, max: i64) -> String {
    format!("a whole number, {min} to {max}")
}

pub(super) fn list_of(length: usize) -> String {
    format!("a list of {length}, in brackets")
}
