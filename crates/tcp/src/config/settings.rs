//! Declaration of settings: from it follow the complete struct, and the table in which each key is optional.

use engine::Named;

/// Declares a struct of settings, its defaults, and the table in which users and presets set them.
///
/// A key is declared as `key: Type = default`, or as `key: Type as Written = default` if its type in tables differs
/// from its type in the struct. `#[given(...)]` adds attributes to the table's field. The first block declares fields
/// of the struct only, the second fields of the table only.
macro_rules! settings {
    (
        $(#[$whole_attr:meta])*
        pub struct $Whole:ident { $($(#[$own_attr:meta])* $own:ident: $own_type:ty = $own_default:expr,)* }
        $(#[$partial_attr:meta])*
        pub struct $Partial:ident { $($(#[$head_attr:meta])* $head:ident: $head_type:ty = $head_default:expr,)* }
        keys {$(
            $(#[doc = $doc:literal])* $(#[given($($given_attr:tt)*)])*
            $key:ident: $type:ty $(as $given:ty)? = $default:expr,
        )*}
    ) => {
        $(#[$whole_attr])*
        pub struct $Whole {
            $($(#[$own_attr])* pub $own: $own_type,)*
            $($(#[doc = $doc])* pub $key: $type,)*
        }

        impl Default for $Whole {
            fn default() -> Self {
                $Whole { $($own: $own_default,)* $($key: $default,)* }
            }
        }

        #[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        $(#[$partial_attr])*
        #[serde(deny_unknown_fields)]
        pub struct $Partial {
            $($(#[$head_attr])* pub $head: $head_type,)*
            $(
                $(#[doc = $doc])* $(#[$($given_attr)*])*
                #[serde(default, skip_serializing_if = "Option::is_none")]
                pub $key: Option<settings!(@given $type $(, $given)?)>,
            )*
        }

        impl Default for $Partial {
            fn default() -> Self {
                $Partial { $($head: $head_default,)* $($key: None,)* }
            }
        }

        impl $Whole {
            /// Replaces each setting whose key the table sets.
            pub fn merge(&mut self, table: &$Partial) {
                $(if let Some(given) = &table.$key {
                    $crate::config::settings::TableValue::<$type>::set(given, &mut self.$key);
                })*
            }
        }
    };
    (@given $type:ty) => { $type };
    (@given $type:ty, $given:ty) => { $given };
}

pub(super) use settings;

/// The value of a key in a table.
pub(super) trait TableValue<T> {
    /// Replaces `setting` by this value.
    fn set(&self, setting: &mut T);
}

impl<T: Clone> TableValue<T> for T {
    fn set(&self, setting: &mut T) {
        setting.clone_from(self);
    }
}

impl<T: Clone> TableValue<T> for Named<T> {
    fn set(&self, setting: &mut T) {
        setting.clone_from(&self.0);
    }
}

impl<T: Clone> TableValue<Option<T>> for T {
    fn set(&self, setting: &mut Option<T>) {
        *setting = Some(self.clone());
    }
}
