//! The canonical form of a value, from which a store's keys are computed: its content without the names of its fields.
//!
//! Every value becomes bytes: a tag and its content. A struct is the list of its fields' values in order, without their
//! names; trailing fields that are `None` or skipped are left out. A field may therefore be renamed, and a field that
//! is `None` by default may be added at the end, without a change of the form. An enum's variant has the name that
//! scenarios give it. Maps, which only settings of outside members contain, are sorted by key. Integers of any width
//! have one form.
//!
//! Moving a field, or adding one before others, changes the form: [`FORM`] must then be raised, and stores are rekeyed.

use std::fmt;

use serde::ser::{self, Serialize};

/// Version of the form, part of every key.
pub(crate) const FORM: u32 = 2;

/// The canonical form of a value.
///
/// # Errors
///
/// If `Serialize` of the value fails.
pub(super) fn encode_canonical<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, Unwritable> {
    let mut form = Form(Vec::new());
    value.serialize(&mut form)?;
    Ok(form.0)
}

const NONE: u8 = b'n';

/// The reason why a value has no canonical form.
#[derive(Debug)]
pub(super) struct Unwritable(String);

impl fmt::Display for Unwritable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unwritable {}

impl ser::Error for Unwritable {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Unwritable(message.to_string())
    }
}

struct Form(Vec<u8>);

impl Form {
    fn long(&mut self, tag: u8, bytes: &[u8]) {
        self.0.push(tag);
        self.0.extend((bytes.len() as u64).to_be_bytes());
        self.0.extend(bytes);
    }

    fn integer(&mut self, value: i128) {
        self.0.push(b'i');
        self.0.extend(value.to_be_bytes());
    }

    fn float(&mut self, value: f64) {
        // -0 and 0 have the same form.
        let value = if value == 0.0 { 0.0 } else { value };
        self.0.push(b'f');
        self.0.extend(value.to_bits().to_be_bytes());
    }

    fn open(&mut self, tag: u8) -> Fields<'_> {
        self.0.push(tag);
        Fields { form: self, skipped: 0 }
    }

    fn variant(&mut self, name: &str) {
        self.long(b'v', name.as_bytes());
    }
}

macro_rules! integers {
    ($($method:ident: $type:ty),*) => {
        $(fn $method(self, value: $type) -> Result<(), Unwritable> {
            self.integer(i128::from(value));
            Ok(())
        })*
    };
}

impl<'a> ser::Serializer for &'a mut Form {
    type Ok = ();
    type Error = Unwritable;
    type SerializeSeq = Fields<'a>;
    type SerializeTuple = Fields<'a>;
    type SerializeTupleStruct = Fields<'a>;
    type SerializeTupleVariant = Fields<'a>;
    type SerializeMap = Entries<'a>;
    type SerializeStruct = Fields<'a>;
    type SerializeStructVariant = Fields<'a>;

    integers! {
        serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64
    }

    fn serialize_i128(self, value: i128) -> Result<(), Unwritable> {
        self.integer(value);
        Ok(())
    }

    fn serialize_u128(self, value: u128) -> Result<(), Unwritable> {
        let value = i128::try_from(value).map_err(|_| Unwritable(format!("{value} is too large")))?;
        self.integer(value);
        Ok(())
    }

    fn serialize_bool(self, value: bool) -> Result<(), Unwritable> {
        self.0.extend([b'b', u8::from(value)]);
        Ok(())
    }

    fn serialize_f32(self, value: f32) -> Result<(), Unwritable> {
        self.float(f64::from(value));
        Ok(())
    }

    fn serialize_f64(self, value: f64) -> Result<(), Unwritable> {
        self.float(value);
        Ok(())
    }

    fn serialize_char(self, value: char) -> Result<(), Unwritable> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Result<(), Unwritable> {
        self.long(b's', value.as_bytes());
        Ok(())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), Unwritable> {
        self.long(b'y', value);
        Ok(())
    }

    fn serialize_none(self) -> Result<(), Unwritable> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Unwritable> {
        self.0.push(b'o');
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Unwritable> {
        self.0.push(NONE);
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Unwritable> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), Unwritable> {
        self.variant(variant);
        self.serialize_unit()
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<(), Unwritable> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Unwritable> {
        self.variant(variant);
        value.serialize(self)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Fields<'a>, Unwritable> {
        Ok(self.open(b'['))
    }

    fn serialize_tuple(self, _: usize) -> Result<Fields<'a>, Unwritable> {
        Ok(self.open(b'['))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Fields<'a>, Unwritable> {
        Ok(self.open(b'['))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Fields<'a>, Unwritable> {
        self.variant(variant);
        Ok(self.open(b'['))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Entries<'a>, Unwritable> {
        Ok(Entries { form: self, entries: Vec::new() })
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Fields<'a>, Unwritable> {
        Ok(self.open(b'('))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Fields<'a>, Unwritable> {
        self.variant(variant);
        Ok(self.open(b'('))
    }

    /// Members from outside write name, settings and version to formats that are not human-readable.
    fn is_human_readable(&self) -> bool {
        false
    }
}

/// Values in order, up to an end mark.
struct Fields<'a> {
    form: &'a mut Form,
    /// Number of fields without a value since the last field with a value.
    skipped: usize,
}

impl Fields<'_> {
    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Unwritable> {
        value.serialize(&mut *self.form)
    }

    fn field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Unwritable> {
        let start = self.form.0.len();
        self.form.0.extend(std::iter::repeat_n(NONE, self.skipped));
        let value_start = self.form.0.len();
        self.element(value)?;
        if self.form.0[value_start..] == [NONE] {
            self.form.0.truncate(start);
            self.skipped += 1;
        } else {
            self.skipped = 0;
        }
        Ok(())
    }

    fn close(self, tag: u8) -> Result<(), Unwritable> {
        self.form.0.push(tag);
        Ok(())
    }
}

macro_rules! lists {
    ($($trait:ident: $method:ident),*) => {
        $(impl ser::$trait for Fields<'_> {
            type Ok = ();
            type Error = Unwritable;
            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Unwritable> {
                self.element(value)
            }
            fn end(self) -> Result<(), Unwritable> {
                self.close(b']')
            }
        })*
    };
}

lists! {
    SerializeSeq: serialize_element, SerializeTuple: serialize_element,
    SerializeTupleStruct: serialize_field, SerializeTupleVariant: serialize_field
}

macro_rules! structs {
    ($($trait:ident),*) => {
        $(impl ser::$trait for Fields<'_> {
            type Ok = ();
            type Error = Unwritable;
            fn serialize_field<T: Serialize + ?Sized>(&mut self, _: &'static str, value: &T) -> Result<(), Unwritable> {
                self.field(value)
            }
            fn skip_field(&mut self, _: &'static str) -> Result<(), Unwritable> {
                self.skipped += 1;
                Ok(())
            }
            fn end(self) -> Result<(), Unwritable> {
                self.close(b')')
            }
        })*
    };
}

structs! { SerializeStruct, SerializeStructVariant }

/// Entries of a map, sorted at its end.
struct Entries<'a> {
    form: &'a mut Form,
    entries: Vec<(Vec<u8>, Vec<u8>)>,
}

impl ser::SerializeMap for Entries<'_> {
    type Ok = ();
    type Error = Unwritable;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Unwritable> {
        self.entries.push((encode_canonical(key)?, Vec::new()));
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Unwritable> {
        if let Some((_, last)) = self.entries.last_mut() {
            *last = encode_canonical(value)?;
        }
        Ok(())
    }

    fn end(mut self) -> Result<(), Unwritable> {
        self.entries.sort();
        self.form.0.push(b'{');
        for (key, value) in self.entries {
            self.form.0.extend(key);
            self.form.0.extend(value);
        }
        self.form.0.push(b'}');
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use serde::Serialize;

    fn form<T: Serialize>(value: &T) -> Vec<u8> {
        encode_canonical(value).unwrap()
    }

    #[derive(Serialize)]
    struct Before {
        rate: u32,
        #[serde(skip_serializing_if = "Option::is_none")]
        loss: Option<f64>,
        kind: Kind,
    }

    #[derive(Serialize)]
    struct Renamed {
        bandwidth: u64,
        packet_loss: Option<f64>,
        sort: Kind,
        added: Option<u8>,
        #[serde(skip_serializing_if = "is_zero")]
        also_added: u8,
    }

    #[derive(Serialize, Clone, Copy)]
    #[serde(rename_all = "kebab-case")]
    enum Kind {
        OneWay,
        Both { count: u8 },
    }

    #[derive(Serialize)]
    #[serde(tag = "kind", rename_all = "kebab-case")]
    enum Member {
        Uniform { loss: f64 },
        Perfect,
    }

    fn is_zero(value: &u8) -> bool {
        *value == 0
    }

    #[test]
    fn canonical_form_is_independent_of_field_names_and_integer_widths() {
        for (loss, kind) in [(None, Kind::OneWay), (Some(0.1), Kind::Both { count: 2 })] {
            let before = Before { rate: 7, loss, kind };
            let renamed = Renamed { bandwidth: 7, packet_loss: loss, sort: kind, added: None, also_added: 0 };
            assert_eq!(form(&before), form(&renamed));
            assert_ne!(form(&before), form(&Renamed { added: Some(0), ..renamed }));
        }
    }

    #[test]
    fn canonical_form_depends_on_every_value() {
        let forms = [
            form(&Before { rate: 7, loss: None, kind: Kind::OneWay }),
            form(&Before { rate: 8, loss: None, kind: Kind::OneWay }),
            form(&Before { rate: 7, loss: Some(0.0), kind: Kind::OneWay }),
            form(&Before { rate: 7, loss: None, kind: Kind::Both { count: 0 } }),
            form(&Before { rate: 7, loss: None, kind: Kind::Both { count: 1 } }),
            form(&Member::Uniform { loss: 0.0 }),
            form(&Member::Uniform { loss: 1.0 }),
            form(&Member::Perfect),
            form(&(Some(None::<u8>), 1)),
            form(&(None::<Option<u8>>, 1)),
            form(&["ab", "c"]),
            form(&["a", "bc"]),
            form(&(["a", "b"], ["c"])),
            form(&(["a"], ["b", "c"])),
            form(&1),
            form(&1.0),
            form(&true),
            form(&"1"),
        ];
        for (at, one) in forms.iter().enumerate() {
            assert!(!forms[..at].contains(one), "{at}");
        }
        assert_eq!(form(&-0.0), form(&0.0));
    }

    #[test]
    fn canonical_form_is_independent_of_map_order() {
        let one: BTreeMap<&str, u8> = [("a", 1), ("b", 2)].into();
        let other = serde_json::json!({ "b": 2, "a": 1 });
        assert_eq!(form(&one), form(&other));
    }
}
