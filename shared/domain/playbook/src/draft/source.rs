//! Where the parts of a playbook are written.

use countersign_document::{Mended, Part, Tree};

use crate::outline::Outline;
use crate::sink::{Spot, Text};
use crate::written::Playbook;

/// A playbook as it is written, and what can be read of it.
#[derive(Clone, Copy)]
pub(crate) struct Source<'d> {
    pub(crate) tree: &'d Tree,
    pub(crate) outline: &'d Outline,
    pub(crate) read: &'d Mended<Playbook>,
}

impl<'d> Source<'d> {
    /// Where a value is.
    pub(super) fn spot(self, pointer: &str) -> Spot {
        self.tree.part(pointer).map(|part| part.bytes().into()).unwrap_or_default()
    }

    /// Where a key is.
    pub(super) fn key_spot(self, pointer: &str) -> Spot {
        self.tree.part(pointer).map(|part| part.key_bytes().into()).unwrap_or_default()
    }

    /// A value and where it is, unless it is a sample.
    pub(super) fn placed<T>(self, pointer: &str, value: Option<T>) -> Option<(T, Spot)> {
        let value = value.filter(|_| !self.read.is_sample(pointer))?;
        Some((value, self.spot(pointer)))
    }

    /// A text and where it is, unless it is a sample.
    pub(super) fn text(self, pointer: &str, text: Option<&str>) -> Option<Text> {
        let (text, spot) = self.placed(pointer, text)?;
        Some(Text { text: text.to_owned(), spot })
    }

    /// A name as it is written, broken or not: what refers to it is not to blame.
    pub(super) fn name(self, pointer: &str) -> Option<Text> {
        let part = self.tree.part(pointer)?;
        let text = part.value().as_str().filter(|text| !text.trim().is_empty())?;
        Some(Text { text: text.to_owned(), spot: part.bytes().into() })
    }

    /// The entries of a mapping.
    pub(super) fn entries(self, pointer: &str) -> Vec<(Text, Part<'d>)> {
        let placed = |(key, part): (&str, Part<'d>)| {
            (Text { text: key.to_owned(), spot: part.key_bytes().into() }, part)
        };
        self.tree.part(pointer).into_iter().flat_map(Part::entries).map(placed).collect()
    }
}
