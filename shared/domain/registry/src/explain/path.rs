//! Where in an argument a problem is.

use std::fmt;

use countersign_document::words;

/// A step into a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// A key of a mapping.
    Key(String),
    /// An entry of a list, from 0.
    Entry(usize),
}

/// The way from the params, or the inputs, of a call to a value in them: `operations[1].field`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Path(Vec<Step>);

impl Path {
    /// The way to a param or an input.
    #[must_use]
    pub fn of(name: &str) -> Self {
        Self::default().key(name)
    }

    /// Reads what [`fmt::Display`] writes.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let steps = text.split(['.', '[']).filter(|part| !part.is_empty()).map(|part| {
            let entry = part.strip_suffix(']').and_then(|entry| entry.parse().ok());
            entry.map_or_else(|| Step::Key(part.to_owned()), Step::Entry)
        });
        Self(steps.collect())
    }

    /// The way to a key below.
    #[must_use]
    pub fn key(&self, key: &str) -> Self {
        self.then(Step::Key(key.to_owned()))
    }

    /// Whether what is there may decide which fields records have: a value to compare with, a number of rows and a threshold
    /// do not.
    pub(crate) fn names_fields(&self) -> bool {
        const OTHERS: [&str; 4] = ["value", "count", "threshold", "match_threshold"];
        !matches!(self.0.last(), Some(Step::Key(key)) if OTHERS.contains(&key.as_str()))
    }

    /// The way to an entry below.
    #[must_use]
    pub fn entry(&self, entry: usize) -> Self {
        self.then(Step::Entry(entry))
    }

    /// The way to what a JSON pointer leads to from here.
    #[must_use]
    pub fn pointer(&self, pointer: &str) -> Self {
        pointer.split('/').skip(1).fold(self.clone(), |at, step| match step.parse() {
            Ok(entry) => at.entry(entry),
            Err(_) => at.key(&step.replace("~1", "/").replace("~0", "~")),
        })
    }

    /// The steps, from the outside.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.0
    }

    /// Whether one of the two leads through the other.
    #[must_use]
    pub fn touches(&self, other: &Self) -> bool {
        self.0.starts_with(&other.0) || other.0.starts_with(&self.0)
    }

    /// What stands there, for a message.
    #[must_use]
    pub fn what(&self) -> String {
        match self.0.as_slice() {
            [.., Step::Key(list), Step::Entry(entry)] => words::entry(list, *entry),
            [.., Step::Entry(entry)] => format!("entry {}", entry + 1),
            [.., Step::Key(key)] => format!("`{}`", words::shortened(key)),
            [] => "the value".to_owned(),
        }
    }

    fn then(&self, step: Step) -> Self {
        Self(self.0.iter().cloned().chain([step]).collect())
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, step) in self.0.iter().enumerate() {
            match step {
                Step::Key(key) if at == 0 => f.write_str(key)?,
                Step::Key(key) => write!(f, ".{key}")?,
                Step::Entry(entry) => write!(f, "[{entry}]")?,
            }
        }
        Ok(())
    }
}
