//! Which to-dos are asked for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::todo::{State, Todo};
use crate::words::{Day, ListName, Tag};

/// Which states are asked for.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub enum Wanted {
    /// Only `TODO`.
    #[serde(rename = "TODO")]
    Todo,
    /// Only `NEXT`.
    #[serde(rename = "NEXT")]
    Next,
    /// Only `WAITING`.
    #[serde(rename = "WAITING")]
    Waiting,
    /// Only `DONE`.
    #[serde(rename = "DONE")]
    Done,
    /// All.
    #[default]
    #[serde(rename = "all")]
    All,
}

impl Wanted {
    /// Whether a state is asked for.
    #[must_use]
    pub fn takes(self, state: State) -> bool {
        match self {
            Self::Todo => state == State::Todo,
            Self::Next => state == State::Next,
            Self::Waiting => state == State::Waiting,
            Self::Done => state == State::Done,
            Self::All => true,
        }
    }
}

/// What to-dos must be like.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Their state.
    pub state: Wanted,
    /// Tags that they all have.
    pub tags: Vec<Tag>,
    /// Their deadline is before this day.
    pub deadline_before: Option<Day>,
    /// The list they belong to.
    pub file: Option<ListName>,
}

impl Filter {
    /// Whether a to-do is like that.
    #[must_use]
    pub fn takes(&self, todo: &Todo) -> bool {
        // Days of the same form sort as text.
        let in_time = self
            .deadline_before
            .as_ref()
            .is_none_or(|day| todo.deadline.as_ref().is_some_and(|deadline| deadline < day));
        self.state.takes(todo.state)
            && self.tags.iter().all(|tag| todo.tags.contains(tag))
            && in_time
            && self.file.as_ref().is_none_or(|file| *file == todo.file)
    }
}

/// Words that to-dos must have.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Search(Vec<String>);

impl Search {
    /// The words of a query.
    #[must_use]
    pub fn of(query: &str) -> Self {
        Self(query.split_whitespace().map(str::to_lowercase).collect())
    }

    /// Whether every word is somewhere in title, body or tags, in any case of letters.
    #[must_use]
    pub fn finds(&self, todo: &Todo) -> bool {
        let tags = todo.tags.iter().map(Tag::as_str);
        let texts = [todo.title.as_str(), todo.body.as_str()].into_iter().chain(tags);
        let texts: Vec<String> = texts.map(str::to_lowercase).collect();
        self.0.iter().all(|word| texts.iter().any(|text| text.contains(word)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::org::tests::todo;

    fn check(filter: &Filter, expect: bool) {
        let mut todo = todo("Call Bo");
        todo.tags = vec!["a".parse().unwrap(), "work".parse().unwrap()];
        todo.deadline = Some("2026-12-01".parse().unwrap());
        assert_eq!(filter.takes(&todo), expect, "{filter:?}");
    }

    #[test]
    fn f_076_every_filter_must_hold() {
        let all = Filter::default;
        let tags = |words: &[&str]| words.iter().map(|word| word.parse().unwrap()).collect();
        let before = |day: &str| Some(day.parse().unwrap());
        check(&all(), true);
        check(&Filter { state: Wanted::Todo, ..all() }, true);
        check(&Filter { state: Wanted::Done, ..all() }, false);
        check(&Filter { tags: tags(&["work", "a"]), ..all() }, true);
        check(&Filter { tags: tags(&["work", "b"]), ..all() }, false);
        check(&Filter { deadline_before: before("2026-12-02"), ..all() }, true);
        check(&Filter { deadline_before: before("2026-12-01"), ..all() }, false);
        check(&Filter { file: Some(ListName::default()), ..all() }, true);
        check(&Filter { file: Some("other.org".parse().unwrap()), ..all() }, false);
    }

    #[test]
    fn f_079_every_word_must_be_somewhere() {
        let mut todo = todo("Call BÖ about the grant");
        todo.body = "Number in the file".to_owned();
        todo.tags = vec!["work".parse().unwrap()];
        for (query, expect) in
            [("bö file", true), ("WORK grant", true), ("bö fax", false), ("", true), ("gran", true)]
        {
            assert_eq!(Search::of(query).finds(&todo), expect, "{query}");
        }
    }
}
