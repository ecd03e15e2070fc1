//! Registries, which are enums whose members, such as schemes, are added by one line each.

pub mod files;
pub mod members;

use std::borrow::Cow;
use std::fmt::Arguments;

pub use files::{ContentFault, FileReader, FileSetting};
pub use members::MemberVisitor;

/// An error in a member's settings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The setting.
    pub key: Cow<'static, str>,
    /// Index of the wrong entry, from 0, if the setting is a list and only that entry is wrong.
    pub entry: Option<usize>,
    /// The value found, if any.
    pub found: Option<String>,
    /// The expected value, or the error.
    pub expected: String,
    /// The hint.
    pub hint: Option<String>,
}

impl Fault {
    /// Creates a fault: `found` at `key`, where `expected` should be.
    pub fn new(key: impl Into<Cow<'static, str>>, found: impl ToString, expected: impl Into<String>) -> Self {
        Fault { key: key.into(), entry: None, found: Some(found.to_string()), expected: expected.into(), hint: None }
    }

    /// Sets the index of the only wrong entry of a list.
    pub fn entry(mut self, number: usize) -> Self {
        self.entry = Some(number);
        self
    }

    /// Sets the hint.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Returns a fault if a count is zero or more than `most`.
    pub fn unless_some(key: &'static str, count: u32, most: u32) -> Option<Self> {
        (!(1..=most).contains(&count)).then(|| Fault::new(key, count, format!("1 to {most}")))
    }

    /// Returns a fault if `value` is not a probability.
    pub fn unless_probability(key: &'static str, value: f64) -> Option<Self> {
        (!(0.0..=1.0).contains(&value)).then(|| Fault::new(key, value, "a probability, 0 to 1"))
    }
}

/// The interface of a member's settings. The defaults are for members without settings, and for settings without
/// invalid values, files and other members.
pub trait Settings {
    /// The setting whose value alone may stand for the member, in registries that have a usual member: `"30 kB"`.
    const BARE_VALUE: Option<&'static str> = None;

    /// Returns the errors, beyond those that their types exclude.
    fn check(&self) -> Vec<Fault> {
        Vec::new()
    }

    /// Sets unset settings to the values of the thesis's program [goel1997 appendix B].
    fn goel1997(&mut self) {}

    /// Passes each setting that names a file to `reader`. `key` is the key of the member. A scenario with other errors
    /// is checked before files are read. Therefore `check` and `build` must accept settings that name a file.
    fn read_files<F: FileReader>(&mut self, key: Arguments<'_>, reader: &mut F) {
        let _ = (key, reader);
    }

    /// Calls [`Open::visit`](crate::Open::visit) for each member in the settings; `key` is the key of the member
    /// itself.
    fn visit_members<V: MemberVisitor>(&mut self, key: Arguments<'_>, visitor: &mut V) {
        let _ = (key, visitor);
    }

    /// Returns what a lint expects instead, if the member has no effect with these settings.
    fn without_effect(&self) -> Option<&'static str> {
        None
    }
}

/// The settings of a member without any, whose module says `pub use engine::registry::NoSettings as Config;`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoSettings {}

impl Settings for NoSettings {}

/// Properties common to all registries.
pub trait Registry {
    /// Every member: its name in scenarios, and one line about it.
    fn members() -> &'static [(&'static str, &'static str)];

    /// The members for which a value alone may stand, each with the setting that has the value.
    fn bare_values() -> impl Iterator<Item = (&'static str, &'static str)>;

    /// Passes each setting of the member that names a file to `reader`: see [`Settings::read_files`].
    fn read_files<F: FileReader>(&mut self, key: Arguments<'_>, reader: &mut F);

    /// Visits the members in the settings of the member: see [`Settings::visit_members`].
    fn visit_members<V: MemberVisitor>(&mut self, key: Arguments<'_>, visitor: &mut V);
}

/// Returns the registry's own member called `name` with its default settings; `None` if there is no such member, or if
/// that member has settings without defaults.
pub fn by_name<T: Registry + serde::de::DeserializeOwned>(name: &str) -> Option<T> {
    T::members().iter().find(|(known, _)| *known == name)?;
    crate::tagged::deserialize_name(name).ok()
}

/// States in a registry's JSON Schema that exactly one of its members matches. The derived schema does not state this,
/// because of the variant `Custom`, which it omits.
#[doc(hidden)]
pub fn one_of(schema: &mut schemars::Schema) {
    let keys = std::mem::take(schema.ensure_object());
    for (key, value) in keys {
        schema.insert(if key == "anyOf" { "oneOf".to_owned() } else { key }, value);
    }
}

/// Declares the members of a registry: an enum of their settings, and the items derived from it.
///
/// Each line names a member as scenarios write it, the module that holds it, and one line about it. The module
/// provides `Config`, its settings (serde and JSON Schema derived, defaults given, [`Settings`] implemented), with a
/// method `build`. A member without settings ends its line with `no settings`; its module provides [`NoSettings`] as
/// `Config`, and a function `build`. From the line come the member's `kind` in scenarios, its part of the JSON Schema,
/// its row in `lasthop list`, and its turn in the contract tests.
///
/// ```text
/// engine::registry! {
///     /// What happens to frames in the air.
///     pub enum ChannelConfig: "channel" => build(stream: Stream) -> Box<dyn Channel> {
///         Perfect => perfect, "perfect", "Nothing is ever lost", no settings;
///         TwoState => two_state, "two-state", "GOOD and BAD states with exponential stays";
///     }
/// }
/// ```
///
/// Each registry also has a variant `Custom` for outside members: see [`Members`](crate::Members). An unknown kind is
/// read as an outside member, and then looked up in the table.
///
/// `build` of the enum calls `build` of the member. With `=> build() -> T, traits() -> Traits` each module also has a
/// function `traits`, which returns the properties that no setting changes, and the enum has one that calls it.
///
/// With `=> build(..) -> T, with traits: Traits` a line may end with `with traits`: then the settings have a method
/// `traits`, or the module of a member without settings has such a function. Other members have the default.
#[macro_export]
macro_rules! registry {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident : $what:literal => build($arg:ident : $type:ty) -> $built:ty
        $(, with traits: $traits:ty)? {
            $($variant:ident => $module:ident, $key:literal, $summary:literal $(, $word:ident $noun:ident)*;)+
        }
    ) => {
        $crate::registry! { @settings $(#[$meta])* $vis enum $name : $what { $($variant => $module, $key, $summary;)+ } }

        impl $name {
            /// Builds the member from these settings.
            pub fn build(&self, $arg: $type) -> $built {
                match self {
                    $(Self::$variant(config) => $crate::registry!(@build config $module ($arg) $($word $noun)*),)+
                    Self::Custom(custom) => custom.build($arg),
                }
            }
        }

        $crate::registry! { @traits $name ($($traits)?) { $($variant => $module ($($word $noun)*);)+ } }
        $crate::registry! { @open $name : $what, $type, $built, ($($traits)?) }
    };
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident : $what:literal => build() -> $built:ty {
            $($variant:ident => $module:ident, $key:literal, $summary:literal $(, $no:ident settings)?;)+
        }
    ) => {
        $crate::registry! { @settings $(#[$meta])* $vis enum $name : $what { $($variant => $module, $key, $summary;)+ } }
        $crate::registry! { @plain $name -> $built { $($variant => $module $(, $no)?;)+ } }
        $crate::registry! { @open $name : $what, (), $built, () }
    };
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident : $what:literal => build() -> $built:ty, $fact:ident() -> $facts:ty {
            $($variant:ident => $module:ident, $key:literal, $summary:literal $(, $no:ident settings)?;)+
        }
    ) => {
        $crate::registry! { @settings $(#[$meta])* $vis enum $name : $what { $($variant => $module, $key, $summary;)+ } }
        $crate::registry! { @plain $name -> $built { $($variant => $module $(, $no)?;)+ } }
        $crate::registry! { @open $name : $what, (), $built, ($facts) }

        impl $name {
            /// The member's properties that do not depend on its settings.
            pub fn $fact(&self) -> $facts {
                match self {
                    $(Self::$variant(_) => $module::$fact(),)+
                    Self::Custom(custom) => custom.traits(),
                }
            }
        }
    };
    (@traits $name:ident () $members:tt) => {};
    (@traits $name:ident ($traits:ty) { $($variant:ident => $module:ident $words:tt;)+ }) => {
        impl $name {
            /// The member's properties.
            pub fn traits(&self) -> $traits {
                match self {
                    $(Self::$variant(config) => $crate::registry!(@traits_of config $module $words),)+
                    Self::Custom(custom) => custom.traits(),
                }
            }
        }
    };
    (@traits_of $config:ident $module:ident (with traits)) => {
        $config.traits()
    };
    (@traits_of $config:ident $module:ident (no settings with traits)) => {{
        let $crate::registry::NoSettings {} = $config;
        $module::traits()
    }};
    (@traits_of $config:ident $module:ident $words:tt) => {{
        let _ = $config;
        Default::default()
    }};
    (@plain $name:ident -> $built:ty { $($variant:ident => $module:ident $(, $no:ident)?;)+ }) => {
        impl $name {
            /// Builds the member from these settings.
            pub fn build(&self) -> $built {
                match self {
                    $(Self::$variant(config) => $crate::registry!(@build config $module () $($no settings)?),)+
                    Self::Custom(custom) => custom.build(()),
                }
            }
        }
    };
    (@open $name:ident : $what:literal, $arg:ty, $built:ty, ($traits:ty)) => {
        $crate::registry! { @open $name : $what, $arg, $built, $traits }
    };
    (@open $name:ident : $what:literal, $arg:ty, $built:ty, $traits:ty) => {
        impl $crate::Open for $name {
            const WHAT: &'static str = $what;
            type Arg = $arg;
            type Built = $built;
            type Traits = $traits;

            fn custom(&self) -> Option<&$crate::Custom<Self>> {
                if let Self::Custom(custom) = self { Some(custom) } else { None }
            }

            fn custom_mut(&mut self) -> Option<&mut $crate::Custom<Self>> {
                if let Self::Custom(custom) = self { Some(custom) } else { None }
            }
        }

        impl From<$crate::Custom<$name>> for $name {
            fn from(custom: $crate::Custom<$name>) -> Self {
                Self::Custom(custom)
            }
        }
    };
    (@build $config:ident $module:ident ($($arg:ident)?) no settings $(with traits)?) => {{
        let $crate::registry::NoSettings {} = $config;
        $module::build($($arg)?)
    }};
    (@build $config:ident $module:ident ($($arg:ident)?) $(with traits)?) => {
        $config.build($($arg)?)
    };
    (
        @settings $(#[$meta:meta])*
        $vis:vis enum $name:ident : $what:literal {
            $($variant:ident => $module:ident, $key:literal, $summary:literal;)+
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, PartialEq, Debug, $crate::serde::Serialize, $crate::schemars::JsonSchema)]
        #[serde(crate = "engine::serde", tag = "kind")]
        #[schemars(crate = "engine::schemars", transform = $crate::registry::one_of)]
        #[non_exhaustive]
        $vis enum $name {
            $(
                #[doc = $summary]
                #[serde(rename = $key)]
                $variant($module::Config),
            )+
            /// An outside member.
            #[serde(untagged)]
            #[schemars(skip)]
            Custom($crate::Custom<$name>),
        }

        impl $name {
            /// Every member: its name in scenarios, and one line about it.
            pub const MEMBERS: &'static [(&'static str, &'static str)] = &[$(($key, $summary)),+];

            /// The errors of the settings.
            pub fn check(&self) -> Vec<$crate::registry::Fault> {
                match self {
                    $(Self::$variant(config) => $crate::registry::Settings::check(config),)+
                    Self::Custom(custom) => custom.check(),
                }
            }

            /// Sets unset settings to the values of the thesis's program [goel1997 appendix B]. An outside member is
            /// unchanged.
            pub fn goel1997(&mut self) {
                match self {
                    $(Self::$variant(config) => $crate::registry::Settings::goel1997(config),)+
                    Self::Custom(_) => {}
                }
            }

            /// Returns the settings that a lint expects instead, if the member has no effect with these settings.
            pub fn without_effect(&self) -> Option<&'static str> {
                match self {
                    $(Self::$variant(config) => $crate::registry::Settings::without_effect(config),)+
                    Self::Custom(custom) => custom.without_effect(),
                }
            }

            /// The member's name in scenarios.
            pub fn name(&self) -> &str {
                match self {
                    $(Self::$variant(_) => $key,)+
                    Self::Custom(custom) => custom.name(),
                }
            }
        }

        impl $crate::registry::Registry for $name {
            fn members() -> &'static [(&'static str, &'static str)] {
                Self::MEMBERS
            }

            fn bare_values() -> impl Iterator<Item = (&'static str, &'static str)> {
                let all = [$(($key, <$module::Config as $crate::registry::Settings>::BARE_VALUE)),+];
                all.into_iter().filter_map(|(kind, key)| Some((kind, key?)))
            }

            fn read_files<F: $crate::registry::FileReader>(
                &mut self,
                key: ::std::fmt::Arguments<'_>,
                reader: &mut F,
            ) {
                match self {
                    $(Self::$variant(config) => $crate::registry::Settings::read_files(config, key, reader),)+
                    Self::Custom(custom) => custom.read_files(key, reader),
                }
            }

            fn visit_members<V: $crate::registry::MemberVisitor>(
                &mut self,
                key: ::std::fmt::Arguments<'_>,
                visitor: &mut V,
            ) {
                match self {
                    $(Self::$variant(config) => $crate::registry::Settings::visit_members(config, key, visitor),)+
                    Self::Custom(_) => {}
                }
            }
        }

        impl<'de> $crate::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::tagged::deserialize_tagged(deserializer)
            }
        }

        impl<'de> $crate::tagged::Tagged<'de> for $name {
            fn settings<D: $crate::serde::Deserializer<'de>>(kind: &str, settings: D) -> Result<Self, D::Error> {
                match kind {
                    $($key => $crate::serde::Deserialize::deserialize(settings).map(Self::$variant),)+
                    // The error for this name lists the registry's own members.
                    "" => Err($crate::serde::de::Error::unknown_variant(kind, &[$($key),+])),
                    _ => $crate::Custom::read(kind, settings).map(Self::Custom),
                }
            }
        }
    };
}
