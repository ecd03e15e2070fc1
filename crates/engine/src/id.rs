//! Ids: numbers of items, with a type for each kind of item, and lists that ids index.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut, Range};

/// The number of an item in an [`IdVec`]: [`define_ids!`](crate::define_ids) defines types of ids.
pub trait Id: Copy {
    /// The id of the item with this index.
    fn from_index(index: usize) -> Self;
    /// The index of the item.
    fn index(self) -> usize;
}

/// A list indexed by ids of one type.
#[derive(Clone, PartialEq, Debug)]
pub struct IdVec<I, T> {
    items: Vec<T>,
    ids: PhantomData<fn(I)>,
}

impl<I, T> Default for IdVec<I, T> {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl<I, T> From<Vec<T>> for IdVec<I, T> {
    fn from(items: Vec<T>) -> Self {
        IdVec { items, ids: PhantomData }
    }
}

impl<I, T> FromIterator<T> for IdVec<I, T> {
    fn from_iter<A: IntoIterator<Item = T>>(items: A) -> Self {
        Vec::from_iter(items).into()
    }
}

impl<I: Id, T> IdVec<I, T> {
    /// Appends an item; returns its id.
    pub fn push(&mut self, item: T) -> I {
        let id = self.next_id();
        self.items.push(item);
        id
    }

    /// The id of the item appended next.
    pub fn next_id(&self) -> I {
        I::from_index(self.items.len())
    }

    /// The number of items.
    #[inline]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether the list has no items.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Returns the item with this id, if it exists.
    #[inline]
    pub fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.index())
    }

    /// Returns the item with this id as a mutable reference, if it exists.
    #[inline]
    pub fn get_mut(&mut self, id: I) -> Option<&mut T> {
        self.items.get_mut(id.index())
    }

    /// The ids of all items.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + use<I, T> {
        (0..self.items.len()).map(I::from_index)
    }

    /// All items, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    /// All items in order, to be changed.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.items.iter_mut()
    }

    /// All items with their ids.
    pub fn enumerate(&self) -> impl Iterator<Item = (I, &T)> {
        self.ids().zip(&self.items)
    }

    /// The items as a slice.
    #[inline]
    pub fn as_slice(&self) -> &[T] {
        &self.items
    }

    /// The items as a slice, to be changed.
    #[inline]
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.items
    }

    /// Returns the items from one id up to, not including, another, as mutable references.
    pub fn range_mut(&mut self, range: Range<I>) -> &mut [T] {
        &mut self.items[range.start.index()..range.end.index()]
    }
}

impl<I: Id, T> Index<I> for IdVec<I, T> {
    type Output = T;
    #[inline]
    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for IdVec<I, T> {
    #[inline]
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}

impl<'a, I, T> IntoIterator for &'a IdVec<I, T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}

impl<'a, I, T> IntoIterator for &'a mut IdVec<I, T> {
    type Item = &'a mut T;
    type IntoIter = std::slice::IterMut<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.items.iter_mut()
    }
}

impl<I, T> IntoIterator for IdVec<I, T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;
    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
    }
}

/// Defines types of ids, which hold 32 bits.
///
/// ```
/// use engine::id::IdVec;
///
/// engine::define_ids! {
///     /// The number of a node.
///     pub struct NodeId;
///     /// The number of a link.
///     pub struct LinkId;
/// }
///
/// let mut names = IdVec::<NodeId, &str>::default();
/// let (host, router) = (names.push("host"), names.push("router"));
/// assert_eq!((names[host], names[router]), ("host", "router"));
/// assert_eq!(names.get(NodeId::new(2)), None);
/// ```
///
/// An id of one type does not index a list of another:
///
/// ```compile_fail,E0277
/// # use engine::id::IdVec;
/// # engine::define_ids! {
/// #     /// The number of a node.
/// #     pub struct NodeId;
/// #     /// The number of a link.
/// #     pub struct LinkId;
/// # }
/// let names = IdVec::<NodeId, &str>::from(vec!["host"]);
/// names[LinkId::new(0)];
/// ```
#[macro_export]
macro_rules! define_ids {
    ($($(#[$attribute:meta])* $visibility:vis struct $Id:ident;)*) => {$(
        $(#[$attribute])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        $visibility struct $Id(u32);

        #[allow(dead_code, reason = "some ids are only made from indices, and some are in no file")]
        impl $Id {
            /// The id with this number.
            #[inline]
            $visibility const fn new(number: u32) -> Self {
                $Id(number)
            }

            /// The id of the item with this index.
            #[inline]
            $visibility const fn from_index(index: usize) -> Self {
                $Id(index as u32)
            }

            /// The number of the id, as in files.
            #[inline]
            $visibility const fn number(self) -> u32 {
                self.0
            }

            /// The index of the item in lists.
            #[inline]
            $visibility const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl $crate::id::Id for $Id {
            #[inline]
            fn from_index(index: usize) -> Self {
                $Id::from_index(index)
            }

            #[inline]
            fn index(self) -> usize {
                $Id::index(self)
            }
        }
    )*};
}
