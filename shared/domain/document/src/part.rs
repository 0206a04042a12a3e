//! Parts of a document, each with the bytes it is written in.

use std::ops::Range;

use serde_json::Value;

use crate::tree::Mark;

/// A part of a document that was read from a text: its value, and where it is written.
#[derive(Debug, Clone, Copy)]
pub struct Part<'t> {
    value: &'t Value,
    mark: Option<&'t Mark>,
}

impl<'t> Part<'t> {
    pub(crate) fn new(value: &'t Value, mark: &'t Mark) -> Self {
        Self { value, mark: Some(mark) }
    }

    /// The value.
    #[must_use]
    pub fn value(self) -> &'t Value {
        self.value
    }

    /// The bytes of the value.
    #[must_use]
    pub fn bytes(self) -> Range<usize> {
        self.mark.map(|mark| mark.value.clone()).unwrap_or_default()
    }

    /// The bytes of the key in front of the value; of what has none, those of the value.
    #[must_use]
    pub fn key_bytes(self) -> Range<usize> {
        let key = self.mark.and_then(|mark| mark.key.clone());
        key.unwrap_or_else(|| self.bytes())
    }

    /// The value under a key.
    #[must_use]
    pub fn get(self, key: &str) -> Option<Self> {
        let value = self.value.as_object()?.get(key)?;
        Some(Self { value, mark: self.mark.and_then(|mark| mark.below.at_key(key)) })
    }

    /// An entry of a list, from 0.
    #[must_use]
    pub fn entry(self, n: usize) -> Option<Self> {
        let value = self.value.as_array()?.get(n)?;
        Some(Self { value, mark: self.mark.and_then(|mark| mark.below.at(n)) })
    }

    /// The part under a key, or at a position.
    pub(crate) fn below(self, key: &str) -> Option<Self> {
        self.get(key).or_else(|| self.entry(key.parse().ok()?))
    }

    /// The keys of a mapping with their values, as they are written; of anything else none.
    pub fn entries(self) -> impl Iterator<Item = (&'t str, Self)> {
        let keys = self.value.as_object().into_iter().flatten();
        keys.filter_map(move |(key, _)| Some((key.as_str(), self.get(key)?)))
    }

    /// The entries of a list; of anything else none.
    pub fn items(self) -> impl Iterator<Item = Self> {
        let count = self.value.as_array().map_or(0, Vec::len);
        (0..count).filter_map(move |n| self.entry(n))
    }
}
