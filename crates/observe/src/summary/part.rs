//! The macro that declares a part of the summary, with each field and each metric in one place.

/// Declares one part of a summary: a struct and, from the same lines, its metrics, JSON, schema and reference table.
///
/// A field reads `name: Type [unit] = value;`, a metric `name: Type [metric unit, Better] = value;`. A metric that is a
/// column of the table of `lasthop run` has a third entry, the column heading. `was "name"` before the `=` is a former
/// name of the field: summaries with this name can still be read. The doc comment is the definition: its first sentence
/// is shown by `lasthop list metrics`, the whole text by the schema and by docs/metrics.md.
///
/// All fields are written by every run, so that the keys of a summary do not depend on settings; a field that does not
/// apply is null, or an empty list. Stores, and summaries of earlier versions, have fields below `sparse` only where they
/// applied: if one is missing, its default applies. Metrics below `derived` are computed from the others and not written.
///
/// ```text
/// summary_part! {
///     /// One flow.
///     pub struct FlowSummary in flow: Flow = of(at: &FlowSource<'_>) {
///         /// Name in the scenario.
///         name: String ["text"] = at.spec.name.clone();
///         /// Segments with data that TCP sent, retransmissions included.
///         segments_sent: u64 [metric "segments", Neither, "segments"] = at.result.sender.segments_sent;
///     }
///     sparse {}
///     derived {}
/// }
/// ```
///
/// The module (`flow`) has each metric as a static under its own name, such as `flow::segments_sent`, and `FIELDS`.
macro_rules! summary_part {
    (
        $(#[doc = $about:literal])*
        pub struct $name:ident in $module:ident : $scope:ident = $of:ident($at:ident : $source:ty) {
            $(
                $(#[doc = $doc:literal])*
                $field:ident : $type:ty [$($kind:tt)*] $(was $was:literal)* = $value:expr;
            )*
        }
        sparse {
            $(
                $(#[doc = $s_doc:literal])*
                $s_field:ident : $s_type:ty [$($s_kind:tt)*] $(was $s_was:literal)* = $s_value:expr;
            )*
        }
        derived {
            $(
                $(#[doc = $d_doc:literal])*
                $d_field:ident [$($d_kind:tt)*] $(was $d_was:literal)* = $d_value:expr;
            )*
        }
    ) => {
        $(#[doc = $about])*
        #[derive(Clone, PartialEq, Debug, Default, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        pub struct $name {
            $(
                $(#[doc = $doc])*
                $(#[serde(alias = $was)])*
                pub $field: $type,
            )*
            $(
                $(#[doc = $s_doc])*
                $(#[serde(alias = $s_was)])*
                #[serde(default)]
                pub $s_field: $s_type,
            )*
        }

        impl $name {
            fn $of($at: $source) -> Self {
                $name { $($field: $value,)* $($s_field: $s_value,)* }
            }
        }

        #[doc = concat!("The fields and metrics of [`", stringify!($name), "`](super::", stringify!($name), ").")]
        #[allow(non_upper_case_globals, missing_docs)]
        pub mod $module {
            #[allow(unused_imports)]
            use super::*;
            #[allow(unused_imports)]
            use $crate::summary::{Better, Field, Get, Metric, Number, Presence, Scope};

            $(summary_part! {
                @static false [$($kind)*] $scope $field, [$($doc),*], [$($was),*], |it| Number::number(&it.$field)
            })*
            $(summary_part! {
                @static true [$($s_kind)*] $scope $s_field, [$($s_doc),*], [$($s_was),*], |it| Number::number(&it.$s_field)
            })*
            $(summary_part! {
                @static false [$($d_kind)*] $scope $d_field, [$($d_doc),*], [$($d_was),*], $d_value
            })*

            /// The fields in the order in which they are written, followed by the derived metrics.
            pub static FIELDS: &[Field] = &[
                $(summary_part!(@field [$($kind)*] $field, [$($doc),*], [$($was),*], Presence::Required),)*
                $(summary_part!(@field [$($s_kind)*] $s_field, [$($s_doc),*], [$($s_was),*], Presence::Sparse),)*
                $(summary_part!(@field [$($d_kind)*] $d_field, [$($d_doc),*], [$($d_was),*], Presence::Derived),)*
            ];
        }
    };
    (@static $sparse:literal [metric $unit:literal, $better:ident $(, $head:literal)?] $scope:ident $field:ident, [$($doc:literal),*],
        [$($was:literal),*], $get:expr) => {
        #[doc = concat!($($doc),*)]
        pub static $field: Metric = Metric {
            name: stringify!($field),
            unit: $unit,
            scope: Scope::$scope,
            better: Better::$better,
            definition: $crate::summary::first_sentence(concat!($($doc),*)),
            head: [$($head,)? stringify!($field)][0],
            was: &[$($was),*],
            sparse: $sparse,
            get: Get::$scope($get),
        };
    };
    (@static $($plain:tt)*) => {};
    (@field [metric $unit:literal, $better:ident $(, $head:literal)?] $field:ident, [$($doc:literal),*],
        [$($was:literal),*], $presence:expr) => {
        Field {
            name: stringify!($field),
            unit: $unit,
            text: concat!($($doc),*),
            was: &[$($was),*],
            presence: $presence,
            metric: Some(&$field),
        }
    };
    (@field [$unit:literal] $field:ident, [$($doc:literal),*], [$($was:literal),*], $presence:expr) => {
        Field {
            name: stringify!($field),
            unit: $unit,
            text: concat!($($doc),*),
            was: &[$($was),*],
            presence: $presence,
            metric: None,
        }
    };
}

pub(crate) use summary_part;
