//! Which change makes a broken part fit its schema.

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind as Kind;
use serde_json::Value;

use crate::elsewhere::tag;
use crate::explain::{Explainer, meant, strings};
use crate::mend::{Mend, meant_word};
use crate::tree::escaped;
use crate::words::{REFUSED, is_index};

impl Explainer<'_> {
    /// What has to be changed so that the rest can be checked.
    pub(crate) fn mend(&self, error: &ValidationError<'_>) -> Vec<Mend> {
        let pointer = error.instance_path().as_str();
        let below = |key: &str| format!("{pointer}/{}", escaped(key));
        let around = self.around(error);
        match error.kind() {
            Kind::AdditionalProperties { unexpected } => {
                unexpected.iter().map(|key| Mend::Drop(below(key))).collect()
            }
            Kind::PropertyNames { error } => {
                vec![Mend::Remove(below(error.instance().as_str().unwrap_or_default()))]
            }
            Kind::Required { property } => {
                let key = property.as_str().unwrap_or_default();
                let own = around.map_or(&Value::Null, |schema| &schema["properties"][key]);
                if is_tag(around, key) {
                    return vec![self.likely(pointer, around)];
                }
                vec![Mend::Put(below(key), self.schema.sample(own))]
            }
            Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
                match meant(pointer, context) {
                    Some(meant) => meant.iter().flat_map(|error| self.mend(error)).collect(),
                    None => vec![self.replace(error)],
                }
            }
            Kind::Enum { options } => {
                let words = strings(options);
                let is_refused =
                    |word: &str| around.is_some_and(|one| one[REFUSED][word].is_string());
                let value = error.instance();
                let known = value.as_str().filter(|word| !is_refused(word));
                let meant = known.and_then(|word| meant_word(pointer, word, &words));
                let above = pointer.rsplit_once('/').map_or("", |(above, _)| above);
                match meant {
                    Some(meant) => vec![meant],
                    None if self.is_tag_of_parent(error) => {
                        vec![self.likely(above, self.parent(error))]
                    }
                    None => vec![self.replace(error)],
                }
            }
            Kind::FalseSchema | Kind::MinProperties { .. } | Kind::Type { .. }
                if pointer.is_empty() =>
            {
                vec![self.stand_in("", Some(&self.schema.0))]
            }
            Kind::MaxItems { limit } => {
                let most = usize::try_from(*limit).unwrap_or(usize::MAX);
                vec![Mend::Cut(pointer.to_owned(), most)]
            }
            Kind::Pattern { .. } if self.has_form(error) => Vec::new(),
            _ => vec![self.replace(error)],
        }
    }

    /// The word of a tag is the one whose mapping has most of the keys that are written. When these say nothing, a sample
    /// is in place of the whole mapping.
    fn likely(&self, pointer: &str, schema: Option<&Value>) -> Mend {
        let written = self.tree.value.pointer(pointer).and_then(Value::as_object);
        let is_own = |branch: &Value, key: &String| {
            branch["then"]["properties"].get(key).is_some_and(Value::is_object)
        };
        let count = |branch: &Value| {
            let keys = written.into_iter().flatten().map(|(key, _)| key);
            keys.filter(|key| is_own(branch, key)).count()
        };
        let branches = schema.and_then(|schema| schema["allOf"].as_array());
        // The case of an unknown word has no word of its own.
        let branches: Vec<&Value> =
            branches.into_iter().flatten().filter(|branch| tag(branch).is_some()).collect();
        let counts: Vec<usize> = branches.iter().copied().map(count).collect();
        let most = counts.iter().max().copied().unwrap_or_default();
        let first = counts.iter().position(|count| *count == most);
        let branch = first.and_then(|n| branches.get(n)).and_then(|branch| tag(branch));
        match branch.filter(|_| counts.iter().any(|count| *count < most)) {
            Some((tag, word)) => Mend::Meant(format!("{pointer}/{}", escaped(tag)), word.into()),
            None => self.stand_in(pointer, schema),
        }
    }

    /// A sample in place of a whole mapping.
    fn stand_in(&self, pointer: &str, schema: Option<&Value>) -> Mend {
        Mend::Put(
            pointer.to_owned(),
            schema.map_or(Value::Null, |schema| self.schema.sample(schema)),
        )
    }

    /// What may be left out is; what must be there, or is an entry of a list, becomes a sample.
    fn replace(&self, error: &ValidationError<'_>) -> Mend {
        let pointer = error.instance_path().as_str();
        let key = pointer.rsplit('/').next().unwrap_or_default();
        if pointer.is_empty() || is_index(key) || self.must_be_there(error) {
            return self.stand_in(pointer, self.around(error));
        }
        Mend::Remove(pointer.to_owned())
    }

    /// Whether the mapping around a value requires it.
    fn must_be_there(&self, error: &ValidationError<'_>) -> bool {
        let key = error.instance_path().as_str().rsplit('/').next().unwrap_or_default();
        let required = self.parent(error).and_then(|parent| parent["required"].as_array());
        required.is_some_and(|names| names.iter().any(|name| name == key))
    }

    /// The schema of the mapping around a value. The evaluation path leads through names of definitions.
    fn parent(&self, error: &ValidationError<'_>) -> Option<&Value> {
        let key = error.instance_path().as_str().rsplit('/').next().unwrap_or_default();
        let path = error.evaluation_path().as_str();
        let at = path.rfind(&format!("/properties/{key}"))?;
        self.evaluated(&path[..at])
    }

    /// The schema at an evaluation path.
    pub(crate) fn evaluated(&self, path: &str) -> Option<&Value> {
        let mut schema = &self.schema.0;
        for key in path.split('/').skip(1) {
            schema = match key {
                "$ref" => self.schema.resolved(schema),
                key => schema.pointer(&format!("/{key}"))?,
            };
        }
        Some(schema)
    }

    fn is_tag_of_parent(&self, error: &ValidationError<'_>) -> bool {
        let key = error.instance_path().as_str().rsplit('/').next().unwrap_or_default();
        is_tag(self.parent(error), key)
    }
}

/// Whether a key decides which other keys a mapping has.
fn is_tag(schema: Option<&Value>, key: &str) -> bool {
    let branches = schema.and_then(|schema| schema["allOf"].as_array());
    branches
        .is_some_and(|all| all.iter().any(|branch| branch["if"]["properties"].get(key).is_some()))
}
