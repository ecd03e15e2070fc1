//! One line adds a scheme.

/// What every registry can say of itself.
pub trait Registry {
    /// Every member: its name in scenarios, and one line about it.
    fn members() -> &'static [(&'static str, &'static str)];
}

/// Declares the members of a registry: an enum of their settings, and what the rest of the program derives from it.
///
/// Each line names a member as scenarios write it, the module that holds it, and one line about it. The module
/// provides `Config`, its settings (serde and JSON Schema derived, defaults given). From the line come the member's
/// `kind` in scenarios, its part of the JSON Schema, its row in `lasthop list`, and its turn in the contract tests.
///
/// ```ignore
/// engine::registry! {
///     /// What happens to frames in the air.
///     pub enum ChannelConfig: "channel" => build(stream: Stream) -> Box<dyn Channel> {
///         TwoState => two_state, "two-state", "GOOD and BAD states with exponential stays";
///     }
/// }
/// ```
///
/// `build` of the enum calls `Config::build` of the member's module.
#[macro_export]
macro_rules! registry {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident : $what:literal => build($arg:ident : $type:ty) -> $built:ty {
            $($variant:ident => $module:ident, $key:literal, $summary:literal;)+
        }
    ) => {
        $crate::registry! { @settings $(#[$meta])* $vis enum $name : $what { $($variant => $module, $key, $summary;)+ } }

        impl $name {
            /// Makes the thing that these settings describe.
            pub fn build(&self, $arg: $type) -> $built {
                match self { $(Self::$variant(config) => config.build($arg)),+ }
            }
        }
    };
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident : $what:literal => build() -> $built:ty {
            $($variant:ident => $module:ident, $key:literal, $summary:literal;)+
        }
    ) => {
        $crate::registry! { @settings $(#[$meta])* $vis enum $name : $what { $($variant => $module, $key, $summary;)+ } }

        impl $name {
            /// Makes the thing that these settings describe.
            pub fn build(&self) -> $built {
                match self { $(Self::$variant(config) => config.build()),+ }
            }
        }
    };
    (
        @settings $(#[$meta:meta])*
        $vis:vis enum $name:ident : $what:literal {
            $($variant:ident => $module:ident, $key:literal, $summary:literal;)+
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, PartialEq, Debug, $crate::serde::Serialize, $crate::serde::Deserialize, $crate::schemars::JsonSchema)]
        #[serde(crate = "engine::serde", tag = "kind")]
        #[schemars(crate = "engine::schemars")]
        $vis enum $name {
            $(
                #[doc = $summary]
                #[serde(rename = $key)]
                $variant($module::Config),
            )+
        }

        impl $name {
            /// What the members of this registry are.
            pub const WHAT: &'static str = $what;
            /// Every member: its name in scenarios, and one line about it.
            pub const MEMBERS: &'static [(&'static str, &'static str)] = &[$(($key, $summary)),+];

            /// The member's name in scenarios.
            pub fn name(&self) -> &'static str {
                match self { $(Self::$variant(_) => $key),+ }
            }
        }

        impl $crate::registry::Registry for $name {
            fn members() -> &'static [(&'static str, &'static str)] {
                Self::MEMBERS
            }
        }
    };
}
