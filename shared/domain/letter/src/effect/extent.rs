//! How much of a request is shown.

use countersign_effect::view::{Content, EffectView};

use crate::text::{MAX_SHOWN, Room, share};

use super::MAX_FIELD;

/// How much of a request is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// What fits a decision: of each value so many characters.
    Head(usize),
    /// All of it, for it is at most 256 KB: a page has room for more than that, but not for as many marks. Holds the
    /// characters of the request and the number of its values.
    Whole(usize, usize),
}

/// Characters of the page of one whole request.
const WHOLE_CHARACTERS: usize = 400_000;

/// Values on that page.
const WHOLE_FIELDS: usize = 4_000;

impl Extent {
    pub(super) fn whole(view: &EffectView) -> Self {
        let values = view.sections.iter().flat_map(|section| match &section.content {
            Content::Text(text) => vec![text.as_str()],
            Content::Fields(all) => all.iter().map(|field| field.value.as_str()).collect(),
        });
        let values: Vec<&str> = values.chain([view.target.path.as_str()]).collect();
        Self::Whole(values.iter().map(|value| value.chars().count()).sum(), values.len())
    }

    pub(super) fn room(self) -> Room {
        match self {
            Self::Head(limit) => Room::Each(limit),
            Self::Whole(all, _) => Room::Part { page: WHOLE_CHARACTERS, all },
        }
    }

    /// The characters of the target's path: it is never short of room.
    pub(super) fn path(self, path: &str) -> usize {
        self.room().of(path).max(MAX_SHOWN)
    }

    /// The characters of a name.
    pub(super) fn name(self) -> usize {
        match self {
            Self::Head(limit) => limit,
            Self::Whole(_, values) => share(WHOLE_CHARACTERS, values),
        }
    }

    pub(super) fn fields(self) -> usize {
        if matches!(self, Self::Head(_)) { MAX_FIELD } else { WHOLE_FIELDS }
    }
}
