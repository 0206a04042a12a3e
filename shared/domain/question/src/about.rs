//! What a person says of themselves, for the models that answer their questions. They write it; from what they
//! ask something is [learned](crate::Learned) only if they want that, and it is kept apart (K-45).

use countersign_document::{List, Text};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::Learned;

/// The longest fact or preference, in characters.
pub(crate) const MAX: usize = 200;

/// What a person says of themselves.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AboutPerson {
    /// Who they are. It is shown to no model that looks on the web.
    #[serde(default)]
    pub critical_facts: Facts,
    /// How they want to be answered.
    #[serde(default)]
    pub preferences: Preferences,
    /// Whether a model may learn more of it from what they ask.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub learn: bool,
}

/// Who a person is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PersonFacts")]
pub struct Facts {
    /// How they want to be called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_name: Option<Text<MAX>>,
    /// For whom they work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub company_name: Option<Text<MAX>>,
    /// As what.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job_title: Option<Text<MAX>>,
    /// On what, up to 10 projects.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub recent_projects: List<Text<MAX>, 0, 10>,
}

fn is_empty(projects: &[Text<MAX>]) -> bool {
    projects.is_empty()
}

/// How a person wants to be answered.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "PersonPreferences")]
pub struct Preferences {
    /// Such as `formal`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tone: Option<Text<MAX>>,
    /// Such as `brief`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail_level: Option<Text<MAX>>,
    /// Such as `German`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<Text<MAX>>,
}

impl AboutPerson {
    /// The same, with what was learned where they say nothing themselves.
    #[must_use]
    pub fn with(&self, learned: &Learned) -> Self {
        let mut all = self.clone();
        let (facts, preferences) = (&learned.critical_facts, &learned.preferences);
        for (own, other) in [
            (&mut all.critical_facts.user_name, &facts.user_name),
            (&mut all.critical_facts.company_name, &facts.company_name),
            (&mut all.critical_facts.job_title, &facts.job_title),
            (&mut all.preferences.tone, &preferences.tone),
            (&mut all.preferences.detail_level, &preferences.detail_level),
            (&mut all.preferences.language, &preferences.language),
        ] {
            *own = own.take().or_else(|| other.clone());
        }
        if all.critical_facts.recent_projects.is_empty() {
            all.critical_facts.recent_projects = facts.recent_projects.clone();
        }
        all
    }

    /// What a model is shown: everything, or only how they want to be answered. None when they say nothing of it.
    #[must_use]
    pub fn shown(&self, is_on_web: bool) -> Option<Value> {
        let mut shown = json!({ "preferences": self.preferences });
        if !is_on_web {
            shown["critical_facts"] = json!(self.critical_facts);
        }
        let fields = shown.as_object_mut()?;
        fields.retain(|_, value| value.as_object().is_some_and(|said| !said.is_empty()));
        (!fields.is_empty()).then_some(shown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(written: Value, is_on_web: bool, expect: Option<&Value>) {
        let about: AboutPerson = serde_json::from_value(written).unwrap();
        assert_eq!(about.shown(is_on_web).as_ref(), expect, "{about:?}");
    }

    #[test]
    fn r_036_k_45_the_web_is_shown_only_how_somebody_wants_to_be_answered() {
        let facts = json!({ "user_name": "Ana", "recent_projects": ["Owls"] });
        let both = json!({ "critical_facts": facts, "preferences": { "language": "German" } });
        check(both.clone(), false, Some(&both));
        check(both, true, Some(&json!({ "preferences": { "language": "German" } })));
        check(json!({ "critical_facts": facts }), true, None);
        check(json!({ "critical_facts": { "recent_projects": [] } }), false, None);
        check(json!({}), false, None);
    }

    #[test]
    fn r_084_what_is_said_has_bounds() {
        let read = |written: Value| serde_json::from_value::<AboutPerson>(written).is_ok();
        assert!(read(json!({ "preferences": { "tone": "x".repeat(MAX) } })));
        assert!(!read(json!({ "preferences": { "tone": "x".repeat(MAX + 1) } })));
        assert!(!read(json!({ "preferences": { "tone": " " } })));
        assert!(!read(json!({ "critical_facts": { "recent_projects": vec!["x"; 11] } })));
        assert!(!read(json!({ "critical_facts": { "password": "x" } })));
    }
}
