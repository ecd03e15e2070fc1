//! Members that a program adds to the registries of this workspace, in a table that it passes to the loader.
//!
//! A [`Factory`] creates a [`Member`] from the settings in a scenario, and the member builds a value of the type that
//! the registry's own members build. [`Kind`] is the factory of members whose settings are a type with serde and JSON
//! Schema.

mod custom;
mod files;

use std::any::{Any, TypeId};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

pub use custom::{Custom, MemberVisitor, Open};
pub use files::MemberFile;

use crate::registry::Fault;

/// Typed settings that build the same type as the members of `R`.
pub trait Member<R: Open>: Send + Sync {
    /// Returns the errors of the settings, beyond those that their types exclude. [`build`](Self::build) is called only
    /// if there are no errors.
    fn check(&self) -> Vec<Fault> {
        Vec::new()
    }

    /// Returns the properties required of each member by the registry, such as [`Open::Traits`] of a scheme.
    fn traits(&self) -> R::Traits {
        R::Traits::default()
    }

    /// Returns the settings that name files. The loader replaces each by the content of the file, and then calls
    /// [`Factory::read`] again. A scenario with other errors is checked before files are read, so `check` and `build`
    /// must accept settings that name a file.
    fn files(&self) -> Vec<MemberFile> {
        Vec::new()
    }

    /// Returns what a lint expects instead, if the member has no effect with these settings.
    fn without_effect(&self) -> Option<&'static str> {
        None
    }

    /// Builds the member from these settings. `arg` is `()` if the registry's own members take no argument.
    fn build(&self, arg: R::Arg) -> R::Built;
}

/// Creates members of `R` from the settings in a scenario.
pub trait Factory<R: Open>: Send + Sync {
    /// The member's `kind` in scenarios.
    fn name(&self) -> &str;

    /// Description of the member in one line.
    fn summary(&self) -> &str;

    /// Returns the version of the member, which must change whenever the same settings may give other results. Stores
    /// refuse the results of a member without a version.
    fn version(&self) -> Option<&str>;

    /// Returns the JSON Schema of the member's settings, which is an object without `kind`.
    fn schema(&self, generator: &mut SchemaGenerator) -> Schema;

    /// Reads the settings: all keys of the member's table except `kind`.
    ///
    /// # Errors
    /// The first setting that is unknown, missing or of another type. Values are checked later, by [`Member::check`].
    fn read(&self, settings: &Map<String, Value>) -> Result<Arc<dyn Member<R>>, Unreadable>;
}

/// An invalid setting.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unreadable {
    /// The setting, as `parts[0].delay`; empty for the whole table.
    pub path: String,
    /// The error message of `serde`.
    pub message: String,
}

/// A factory of members with settings of the type `C`.
pub struct Kind<C> {
    name: Cow<'static, str>,
    summary: Cow<'static, str>,
    version: Option<Cow<'static, str>>,
    settings: PhantomData<fn() -> C>,
}

impl<C> Kind<C> {
    /// Creates the factory of a member called `name` in scenarios, with one line about it.
    pub fn new(name: impl Into<Cow<'static, str>>, summary: impl Into<Cow<'static, str>>) -> Self {
        Kind { name: name.into(), summary: summary.into(), version: None, settings: PhantomData }
    }

    /// Sets the version, so that stores accept results of the member: see [`Factory::version`].
    pub fn version(self, version: impl Into<Cow<'static, str>>) -> Self {
        Kind { version: Some(version.into()), ..self }
    }
}

impl<R: Open, C: Member<R> + DeserializeOwned + JsonSchema + 'static> Factory<R> for Kind<C> {
    fn name(&self) -> &str {
        &self.name
    }

    fn summary(&self) -> &str {
        &self.summary
    }

    fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    fn schema(&self, generator: &mut SchemaGenerator) -> Schema {
        C::json_schema(generator)
    }

    fn read(&self, settings: &Map<String, Value>) -> Result<Arc<dyn Member<R>>, Unreadable> {
        let settings = Value::Object(settings.clone());
        match serde_path_to_error::deserialize::<_, C>(settings) {
            Ok(member) => Ok(Arc::new(member)),
            Err(error) => {
                let path = error.path().to_string();
                let path = if path == "." { String::new() } else { path };
                Err(Unreadable { path, message: error.inner().to_string() })
            }
        }
    }
}

/// A name that cannot be added to a registry.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NameError {
    /// The registry, or the table, already has a member of this name.
    #[error("there is already a {registry} called \"{name}\"")]
    Taken {
        /// Kind of the registry's members.
        registry: &'static str,
        /// The name.
        name: String,
    },
    /// The name does not start with a lower-case letter, or has characters other than lower-case letters, digits and
    /// `-`.
    #[error("a name of a {registry} is a lower-case letter and then such letters, digits or -, not \"{name}\"")]
    Characters {
        /// Kind of the registry's members.
        registry: &'static str,
        /// The name.
        name: String,
    },
    /// The name has another meaning in scenarios, see [`RESERVED`].
    #[error("a {registry} cannot be called \"{name}\", which has another meaning in scenarios")]
    Reserved {
        /// Kind of the registry's members.
        registry: &'static str,
        /// The name.
        name: String,
    },
}

/// Names not available to members: in a scenario, a queue with this text has no limit.
pub const RESERVED: [&str; 1] = ["unlimited"];

/// Returns true if a text has the form of a member's name: a lower-case letter, then such letters, digits and `-`.
pub fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}

/// An error of resolving a member or its settings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unresolved {
    /// Neither the registry nor the table has a member of this name.
    Unknown {
        /// The name in the scenario.
        name: String,
        /// The names of all members: first the registry's own members, then the members of the table.
        known: Vec<String>,
    },
    /// The settings of the member cannot be read.
    Settings(Unreadable),
}

impl fmt::Display for Unresolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unresolved::Unknown { name, known } => {
                write!(f, "found \"{name}\", expected one of: {}", known.join(", "))
            }
            Unresolved::Settings(Unreadable { path, message }) if path.is_empty() => f.write_str(message),
            Unresolved::Settings(Unreadable { path, message }) => write!(f, "{path}: {message}"),
        }
    }
}

/// A member of a table: an entry of [`Members::list`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListedMember {
    /// Kind of the member's registry, such as `congestion control`.
    pub registry: &'static str,
    /// Name of the member in scenarios.
    pub name: String,
    /// Description of the member in one line.
    pub summary: String,
    /// Version of the member, if any.
    pub version: Option<String>,
}

/// Members that a program adds to registries.
///
/// ```text
/// let mut members = Members::default();
/// members.add::<ControlConfig>(Kind::<Aimd>::new("aimd", "Additive increase, multiplicative decrease").version("1"))?;
/// ```
#[derive(Clone, Default)]
pub struct Members {
    /// A `Factories<R>` for each registry `R`.
    factories: BTreeMap<TypeId, Arc<dyn Any + Send + Sync>>,
    schemata: Vec<Arc<dyn MemberSchema>>,
    list: Vec<ListedMember>,
}

/// The factories of one registry.
type Factories<R> = Vec<Arc<dyn Factory<R>>>;

impl Members {
    /// Adds a member to the registry `R`.
    ///
    /// # Errors
    /// A name that the registry or this table already has, or that scenarios cannot write.
    pub fn add<R: Open>(&mut self, factory: impl Factory<R> + 'static) -> Result<&mut Self, NameError> {
        self.add_shared::<R>(Arc::new(factory))
    }

    /// Adds a shared factory as [`add`](Self::add) does.
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add).
    pub fn add_shared<R: Open>(&mut self, factory: Arc<dyn Factory<R>>) -> Result<&mut Self, NameError> {
        let (registry, name) = (R::WHAT, factory.name().to_owned());
        if !is_name(&name) {
            return Err(NameError::Characters { registry, name });
        }
        if RESERVED.contains(&&*name) {
            return Err(NameError::Reserved { registry, name });
        }
        if self.names::<R>().any(|known| known == name) {
            return Err(NameError::Taken { registry, name });
        }
        let listed = ListedMember {
            registry,
            name,
            summary: factory.summary().to_owned(),
            version: factory.version().map(str::to_owned),
        };
        self.list.push(listed);
        self.schemata.push(Arc::new(InRegistry(factory.clone())));
        let mut all = self.of::<R>().to_vec();
        all.push(factory);
        self.factories.insert(TypeId::of::<R>(), Arc::new(all));
        Ok(self)
    }

    /// The factories for the registry `R`, in the order in which they were added.
    fn of<R: Open>(&self) -> &[Arc<dyn Factory<R>>] {
        let all = self.factories.get(&TypeId::of::<R>()).and_then(|all| all.downcast_ref::<Factories<R>>());
        all.map_or(&[], Vec::as_slice)
    }

    /// The names of all members of `R`: first the registry's own members, then the members of this table.
    pub fn names<R: Open>(&self) -> impl Iterator<Item = &str> {
        let own = R::members().iter().map(|(name, _)| *name);
        own.chain(self.of::<R>().iter().map(|factory| factory.name()))
    }

    /// Every member of this table, in the order in which they were added.
    pub fn list(&self) -> &[ListedMember] {
        &self.list
    }

    /// Returns the member of `R` called `name` with its default settings; `None` if this table does not have that
    /// member.
    ///
    /// # Errors
    /// A member that has settings without defaults.
    pub fn by_name<R: Open>(&self, name: &str) -> Result<Option<R>, Unreadable> {
        let mut member = R::from(crate::Custom::new(name, Map::new()));
        match self.resolve(&mut member) {
            Ok(()) => Ok(Some(member)),
            Err(Unresolved::Unknown { .. }) => Ok(None),
            Err(Unresolved::Settings(error)) => Err(error),
        }
    }

    /// Binds an outside member to its factory in this table. The registry's own members and members resolved by another
    /// table are unchanged.
    ///
    /// # Errors
    ///
    /// A member that is not in this table, or a setting that its factory cannot read.
    pub fn resolve<R: Open>(&self, member: &mut R) -> Result<(), Unresolved> {
        let Some(custom) = member.custom_mut() else { return Ok(()) };
        let Some(factory) = self.of::<R>().iter().find(|factory| factory.name() == custom.name()) else {
            if custom.is_resolved() {
                return Ok(());
            }
            let known = self.names::<R>().map(str::to_owned).collect();
            return Err(Unresolved::Unknown { name: custom.name().to_owned(), known });
        };
        custom.bind(factory).map_err(Unresolved::Settings)
    }

    /// Returns the JSON Schema of `T` with the members of this table added to the registries.
    pub fn schema<T: JsonSchema>(&self) -> Value {
        let mut generator = schemars::generate::SchemaSettings::default().into_generator();
        let mut root = generator.root_schema_for::<T>().to_value();
        for schema in &self.schemata {
            schema.add(&mut generator);
        }
        root["$defs"] = Value::Object(generator.take_definitions(true));
        root
    }
}

impl fmt::Debug for Members {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.list).finish()
    }
}

/// Adds a member to its registry's JSON Schema.
trait MemberSchema: Send + Sync {
    fn add(&self, generator: &mut SchemaGenerator);
}

struct InRegistry<R: Open>(Arc<dyn Factory<R>>);

impl<R: Open> MemberSchema for InRegistry<R> {
    fn add(&self, generator: &mut SchemaGenerator) {
        let name = self.0.name();
        let mut schema = self.0.schema(generator);
        // A schema may also be `true`, which allows any settings.
        let table = schema.ensure_object();
        table.insert("description".into(), self.0.summary().into());
        let kind = serde_json::json!({ "type": "string", "const": name });
        match table.get_mut("properties").and_then(Value::as_object_mut) {
            Some(properties) => drop(properties.insert("kind".into(), kind)),
            None => drop(table.insert("properties".into(), serde_json::json!({ "kind": kind }))),
        }
        match table.get_mut("required").and_then(Value::as_array_mut) {
            Some(required) => required.insert(0, "kind".into()),
            None => drop(table.insert("required".into(), serde_json::json!(["kind"]))),
        }
        let table = schema.to_value();
        let definitions = generator.definitions_mut();
        let registry = R::schema_name();
        if let Some(Value::Array(tables)) = definitions.get_mut(&*registry).and_then(|it| it.get_mut("oneOf")) {
            tables.push(table);
        }
        let names = definitions.get_mut(&format!("{registry}OrName")).and_then(|it| it.pointer_mut("/anyOf/0/enum"));
        if let Some(Value::Array(names)) = names {
            names.push(name.into());
        }
    }
}
