//! The macro that declares a part of the summary, with each field and each metric in one place.

/// Declares one part of a summary: a struct and, from the same lines, its metrics, JSON, schema and reference table.
///
/// A field reads `name: Type [unit] = value;`, a metric `name: Type [metric unit, Better] = value;`. A metric that is a
/// column of the table of `lasthop run` has a third entry, the column heading. `was "name"` before the `=` is a former
/// name of the field: summaries with this name can still be read. The doc comment is the definition: its first sentence
/// is shown by `lasthop list metrics`, the whole text by the schema and by docs/metrics.md.
///
/// All fields are written by every run, so that the keys of a summary do not depend on settings; a field that does not
/// apply is null, or an empty list. Earlier versions wrote fields below `optional` only where they applied: if one is
/// missing, its default applies. Metrics below `derived` are computed from the others and not written.
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
///     optional {}
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
        optional {
            $(
                $(#[doc = $o_doc:literal])*
                $o_field:ident : $o_type:ty [$($o_kind:tt)*] $(was $o_was:literal)* = $o_value:expr;
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
                $(#[doc = $o_doc])*
                $(#[serde(alias = $o_was)])*
                #[serde(default)]
                pub $o_field: $o_type,
            )*
        }

        impl $name {
            fn $of($at: $source) -> Self {
                $name { $($field: $value,)* $($o_field: $o_value,)* }
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
                @static true [$($o_kind)*] $scope $o_field, [$($o_doc),*], [$($o_was),*], |it| Number::number(&it.$o_field)
            })*
            $(summary_part! {
                @static false [$($d_kind)*] $scope $d_field, [$($d_doc),*], [$($d_was),*], $d_value
            })*

            /// The fields in the order in which they are written, followed by the derived metrics.
            pub static FIELDS: &[Field] = &[
                $(summary_part!(@field [$($kind)*] $field, [$($doc),*], [$($was),*], Presence::Required),)*
                $(summary_part!(@field [$($o_kind)*] $o_field, [$($o_doc),*], [$($o_was),*], Presence::Optional),)*
                $(summary_part!(@field [$($d_kind)*] $d_field, [$($d_doc),*], [$($d_was),*], Presence::Derived),)*
            ];
        }
    };
    (@static $optional:literal [metric $unit:literal, $better:ident $(, $head:literal)?] $scope:ident $field:ident, [$($doc:literal),*],
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
            optional: $optional,
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
