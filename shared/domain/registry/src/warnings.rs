//! What a call could not read: the first are kept, all are counted.

use serde_json::{Map, Value};

/// Warnings of one call: texts, or records with a `message` and the place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Warnings<T = String> {
    kept: Vec<T>,
    count: u64,
}

impl Warnings {
    /// How many are kept: one for each value that does not fit would be as large as the answer.
    pub const MAX: usize = 100;
}

impl<T> Warnings<T> {
    /// Adds one.
    pub fn push(&mut self, warning: impl Into<T>) {
        self.push_with(|| warning.into());
    }

    /// Adds one, which is made only if it is kept.
    pub fn push_with(&mut self, warning: impl FnOnce() -> T) {
        self.count += 1;
        if self.kept.len() < Warnings::MAX {
            self.kept.push(warning());
        }
    }

    /// Adds one that speaks of several, and stands before those that are kept: it must not be the one that is left out.
    pub fn push_for(&mut self, several: u64, warning: impl Into<T>) {
        self.count += several;
        self.kept.insert(0, warning.into());
        self.kept.truncate(Warnings::MAX);
    }

    /// Counts some that are not kept.
    pub fn count_more(&mut self, several: u64) {
        self.count += several;
    }

    /// Adds those of another part of the call.
    pub fn append(&mut self, other: Self) {
        self.count += other.count;
        self.kept.extend(other.kept);
        self.kept.truncate(Warnings::MAX);
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Those that are kept.
    #[must_use]
    pub fn kept(&self) -> &[T] {
        &self.kept
    }
}

impl Warnings {
    /// The same warnings in other words.
    #[must_use]
    pub fn reworded(self, words: impl FnMut(String) -> String) -> Self {
        Self { kept: self.kept.into_iter().map(words).collect(), ..self }
    }
}

impl<T: Into<Value>> Warnings<T> {
    /// Writes `warnings` and `warning_count` into a step's output.
    pub fn write(self, output: &mut Map<String, Value>) {
        let kept: Value = self.kept.into_iter().map(Into::into).collect();
        output.insert("warnings".to_owned(), kept);
        output.insert("warning_count".to_owned(), self.count.into());
    }
}

impl<S: Into<T>, T> Extend<S> for Warnings<T> {
    fn extend<I: IntoIterator<Item = S>>(&mut self, warnings: I) {
        warnings.into_iter().for_each(|warning| self.push(warning));
    }
}

impl<S: Into<String>> FromIterator<S> for Warnings {
    fn from_iter<I: IntoIterator<Item = S>>(warnings: I) -> Self {
        let mut all = Self::default();
        all.extend(warnings);
        all
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Map;

    use super::Warnings;

    #[test]
    fn f_311_all_are_counted_and_the_first_are_kept() {
        let mut warnings: Warnings = (0..70).map(|n| n.to_string()).collect();
        warnings.append((70..170).map(|n| n.to_string()).collect());
        assert_eq!(warnings.kept().last().map(String::as_str), Some("99"));
        warnings.push_for(30, "30 more");
        assert_eq!(warnings.kept().first().map(String::as_str), Some("30 more"));
        let mut output = Map::new();
        warnings.write(&mut output);
        assert_eq!(output["warning_count"], 200);
        assert_eq!(output["warnings"].as_array().map(Vec::len), Some(Warnings::MAX));
    }
}
