//! A member of a registry that a program outside of this workspace adds.

use std::fmt::{self, Arguments};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::ser::{Error, SerializeMap};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use super::{Factory, Member, Unreadable};
use crate::registry::{Fault, FileReader, Registry};
use crate::setting::Setting;

/// A registry to which a program adds members in a table of [`Members`](crate::Members). The macro
/// [`registry!`](crate::registry!) implements it.
pub trait Open: Registry + JsonSchema + From<Custom<Self>> + 'static {
    /// Kind of the registry's members, in one or two words.
    const WHAT: &'static str;
    /// Argument of `build`; `()` if there is none.
    type Arg;
    /// Result of `build`.
    type Built;
    /// Properties of a member that do not depend on its settings; `()` in most registries. Members that declare no
    /// properties have the default.
    type Traits: Default;

    /// Returns the outside member, if this is one.
    fn custom(&self) -> Option<&Custom<Self>>;
    /// Returns the outside member as a mutable reference, to resolve it.
    fn custom_mut(&mut self) -> Option<&mut Custom<Self>>;

    /// Passes first the members in the settings, then the member itself to `visitor`. `key` is the key of the member.
    fn visit<V: MemberVisitor>(&mut self, key: Arguments<'_>, visitor: &mut V) {
        self.visit_members(key, visitor);
        visitor.visit_member(key, self);
    }
}

/// Visits the members of registries in a scenario, including members in the settings of other members.
pub trait MemberVisitor {
    /// Visits the member at `key`, such as `flows.download.tcp.control`.
    fn visit_member<R: Open>(&mut self, key: Arguments<'_>, member: &mut R);
}

/// An outside member of the registry `R`: its name and settings and, once it is resolved in a table of
/// [`Members`](crate::Members), its factory.
///
/// Two outside members are equal if their names, settings and versions are equal.
pub struct Custom<R: Open> {
    name: String,
    settings: Map<String, Value>,
    binding: Option<Binding<R>>,
}

/// The result of a factory for the settings.
struct Binding<R: Open> {
    factory: Arc<dyn Factory<R>>,
    version: Option<String>,
    member: Arc<dyn Member<R>>,
}

impl<R: Open> Custom<R> {
    /// Creates a member called `name` with these settings, not yet resolved.
    pub fn new(name: impl Into<String>, settings: Map<String, Value>) -> Self {
        Custom { name: name.into(), settings, binding: None }
    }

    /// Reads the settings of the member called `name`.
    ///
    /// # Errors
    /// Errors of the deserializer, and a number that is not finite, which settings cannot hold.
    pub fn read<'de, D: Deserializer<'de>>(name: &str, settings: D) -> Result<Self, D::Error> {
        match Setting::deserialize(settings)? {
            Setting(Value::Object(settings)) => Ok(Custom::new(name, settings)),
            Setting(_) => Err(serde::de::Error::custom("a table of settings")),
        }
    }

    /// Returns the name of the member in scenarios.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Settings of the member as given, without `kind`.
    pub fn settings(&self) -> &Map<String, Value> {
        &self.settings
    }

    /// Returns the version of the member's factory; `None` also before the member is resolved.
    pub fn version(&self) -> Option<&str> {
        self.binding.as_ref()?.version.as_deref()
    }

    /// Returns true if a table of [`Members`](crate::Members) has resolved the member, so that the member can build.
    pub fn is_resolved(&self) -> bool {
        self.binding.is_some()
    }

    /// Creates the member by `factory`, from the settings.
    pub(super) fn bind(&mut self, factory: &Arc<dyn Factory<R>>) -> Result<(), Unreadable> {
        let (member, version) = (factory.read(&self.settings)?, factory.version().map(str::to_owned));
        self.binding = Some(Binding { factory: factory.clone(), version, member });
        Ok(())
    }

    /// Replaces each setting that names a file by a setting with the content of the file, and creates the member again.
    /// A member that is not resolved remains unchanged.
    pub fn read_files<F: FileReader>(&mut self, key: Arguments<'_>, reader: &mut F) {
        let Some(binding) = &self.binding else { return };
        let mut contents = Map::new();
        for file in binding.member.files() {
            let Some(Value::String(name)) = self.settings.get(file.key) else { continue };
            if let Some(content) = file.read(key, name, reader) {
                self.settings.shift_remove(file.key);
                contents.insert(file.content_key.to_owned(), content);
            }
        }
        if contents.is_empty() {
            return;
        }
        self.settings.extend(contents);
        let factory = binding.factory.clone();
        if let Err(Unreadable { path, message }) = self.bind(&factory) {
            let point = if path.is_empty() { "" } else { "." };
            reader.refuse(format_args!("{key}{point}{path}"), message);
        }
    }

    /// Returns what a lint expects instead, if the member has no effect with these settings.
    pub fn without_effect(&self) -> Option<&'static str> {
        self.binding.as_ref().and_then(|binding| binding.member.without_effect())
    }

    /// Returns the errors of the settings; an unresolved member is itself an error.
    pub fn check(&self) -> Vec<Fault> {
        match &self.binding {
            Some(binding) => binding.member.check(),
            None => {
                let known: Vec<&str> = R::members().iter().map(|(name, _)| *name).collect();
                vec![Fault::new("kind", format!("\"{}\"", self.name), format!("one of: {}", known.join(", ")))]
            }
        }
    }

    /// Returns the properties of the member.
    ///
    /// # Panics
    ///
    /// If the member is not resolved, which [`check`](Self::check) reports.
    pub fn traits(&self) -> R::Traits {
        self.member().traits()
    }

    /// Builds the member from its settings.
    ///
    /// # Panics
    ///
    /// If the member is not resolved, which [`check`](Self::check) reports.
    pub fn build(&self, arg: R::Arg) -> R::Built {
        self.member().build(arg)
    }

    fn member(&self) -> &dyn Member<R> {
        let binding = self.binding.as_ref();
        &*binding.expect("an outside member must be resolved in `Members` before it can build").member
    }
}

impl<R: Open> Clone for Binding<R> {
    fn clone(&self) -> Self {
        Binding { factory: self.factory.clone(), version: self.version.clone(), member: self.member.clone() }
    }
}

impl<R: Open> Clone for Custom<R> {
    fn clone(&self) -> Self {
        Custom { name: self.name.clone(), settings: self.settings.clone(), binding: self.binding.clone() }
    }
}

impl<R: Open> PartialEq for Custom<R> {
    fn eq(&self, other: &Self) -> bool {
        (&self.name, &self.settings, self.version()) == (&other.name, &other.settings, other.version())
    }
}

impl<R: Open> fmt::Debug for Custom<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut it = f.debug_struct("Custom");
        it.field("name", &self.name).field("settings", &self.settings).field("version", &self.version()).finish()
    }
}

/// Serializes the form used in scenarios to readable formats. Binary formats, from which store keys are computed,
/// receive name, settings and version; there a member without a version is an error.
impl<R: Open> Serialize for Custom<R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !serializer.is_human_readable() {
            let Some(version) = self.version() else {
                return Err(S::Error::custom(format!("{} \"{}\" has no version", R::WHAT, self.name)));
            };
            return (&self.name, &self.settings, version).serialize(serializer);
        }
        let mut map = serializer.serialize_map(Some(1 + self.settings.len()))?;
        map.serialize_entry("kind", &self.name)?;
        for (key, value) in &self.settings {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}
