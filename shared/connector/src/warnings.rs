//! What could not be read: the first are kept, all are counted.

use serde_json::{Map, Value};

/// Warnings of one call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Warnings {
    kept: Vec<String>,
    count: u64,
}

impl Warnings {
    /// How many are kept: one for each value that does not fit would be as large as the answer.
    pub const MOST: usize = 100;

    /// Adds one.
    pub fn push(&mut self, warning: impl Into<String>) {
        self.count += 1;
        if self.kept.len() < Self::MOST {
            self.kept.push(warning.into());
        }
    }

    /// Adds those of another part of the call.
    pub fn append(&mut self, other: Self) {
        self.count += other.count;
        self.kept.extend(other.kept);
        self.kept.truncate(Self::MOST);
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Those that are kept.
    #[must_use]
    pub fn kept(&self) -> &[String] {
        &self.kept
    }

    /// Writes `warnings` and `warning_count` into a step's output.
    pub fn write(self, output: &mut Map<String, Value>) {
        output.insert("warnings".to_owned(), self.kept.into());
        output.insert("warning_count".to_owned(), self.count.into());
    }
}

impl<S: Into<String>> Extend<S> for Warnings {
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
        let mut output = Map::new();
        warnings.write(&mut output);
        assert_eq!(output["warning_count"], 170);
        assert_eq!(output["warnings"].as_array().map(Vec::len), Some(Warnings::MOST));
    }
}
