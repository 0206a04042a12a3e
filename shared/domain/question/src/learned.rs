//! What a model has learned of a person from what they asked (R-082…R-084). Only of people who want that, and never in place of what they
//! write themselves (K-45).

use std::collections::BTreeMap;

use countersign_document::Text;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::about::{Facts, MAX, Preferences};

/// The step of the plan of a question that looks for what the question tells of whoever asks.
pub const LEARN_STEP: &str = "learn";

/// The most projects; a new one takes the place of the oldest.
const MAX_PROJECTS: usize = 10;
/// The longest preference, in characters.
const MAX_PREFERENCE: usize = 40;
/// A word this long with a digit may be a key or a password.
const LONG_WORD: usize = 8;
/// More digits may be the number of an account or a card.
const MAX_DIGITS: usize = 6;

/// What was learned, and from where.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Learned {
    /// Who they are.
    #[serde(default)]
    pub critical_facts: Facts,
    /// How they want to be answered.
    #[serde(default)]
    pub preferences: Preferences,
    /// For each of these fields by its name, the question it is from.
    #[serde(default)]
    pub from: BTreeMap<String, LearnedFrom>,
}

/// Where something was learned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LearnedFrom {
    /// The run that answered the question.
    pub run: String,
    /// When it was asked.
    pub at: Timestamp,
}

/// What a model has found in a question.
#[derive(Debug, Clone, Copy)]
pub struct Finding<'f> {
    /// The question.
    pub question: &'f str,
    /// What was found: `critical_facts` and `preferences`.
    pub said: &'f Value,
}

impl Finding<'_> {
    /// A fact, if it is in the question word for word: a model may make something up, or follow a text that is quoted there.
    fn fact(&self, said: &Value) -> Option<Text<MAX>> {
        let said = said.as_str()?.trim();
        let is_asked = plain(self.question).contains(&plain(said));
        let fits = is_asked && !said.contains(['@', '/', '{', '<']) && !may_be_secret(said);
        fits.then(|| serde_json::from_value(said.into()).ok()).flatten()
    }

    /// A preference: a few words and nothing else, since models are told to keep to it.
    fn preference(said: &Value) -> Option<Text<MAX>> {
        let said = said.as_str()?.trim();
        let is_plain = said.chars().all(|c| c.is_alphabetic() || c == ' ' || c == '-');
        let fits = is_plain && said.chars().count() <= MAX_PREFERENCE;
        fits.then(|| serde_json::from_value(said.into()).ok()).flatten()
    }
}

impl Learned {
    /// Adds what a model has found; says whether anything of it is new. What was learned from a later question stays.
    pub fn add(&mut self, found: &Finding<'_>, from: &LearnedFrom) -> bool {
        let mut learned = Vec::new();
        let (facts, preferences) = (&mut self.critical_facts, &mut self.preferences);
        let (told, wanted) = (&found.said["critical_facts"], &found.said["preferences"]);
        for (field, new, known) in [
            ("user_name", found.fact(&told["user_name"]), &mut facts.user_name),
            ("company_name", found.fact(&told["company_name"]), &mut facts.company_name),
            ("job_title", found.fact(&told["job_title"]), &mut facts.job_title),
            ("tone", Finding::preference(&wanted["tone"]), &mut preferences.tone),
            (
                "detail_level",
                Finding::preference(&wanted["detail_level"]),
                &mut preferences.detail_level,
            ),
            ("language", Finding::preference(&wanted["language"]), &mut preferences.language),
        ] {
            let is_later = self.from.get(field).is_some_and(|known| known.at >= from.at);
            if let Some(new) = new.filter(|new| !is_later && known.as_ref() != Some(new)) {
                *known = Some(new);
                learned.push(field);
            }
        }
        let projects = told["recent_projects"].as_array().into_iter().flatten();
        if self.add_projects(projects.filter_map(|one| found.fact(one))) {
            learned.push("recent_projects");
        }
        let origins = learned.iter().map(|field| ((*field).to_owned(), from.clone()));
        self.from.extend(origins);
        !learned.is_empty()
    }

    fn add_projects(&mut self, found: impl Iterator<Item = Text<MAX>>) -> bool {
        let mut all = self.critical_facts.recent_projects.to_vec();
        let before = all.clone();
        for project in found {
            if !all.iter().any(|known| plain(known) == plain(&project)) {
                all.push(project);
            }
        }
        let latest = all.split_off(all.len().saturating_sub(MAX_PROJECTS));
        let is_new = latest != before;
        if let Ok(projects) = serde_json::from_value(json!(latest)) {
            self.critical_facts.recent_projects = projects;
        }
        is_new
    }
}

/// A text without what makes no difference: case, and how its words are set apart.
fn plain(text: &str) -> String {
    text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a text may hold a key, a password or a number of an account: many digits, or a long word with one.
fn may_be_secret(text: &str) -> bool {
    let is_long =
        |word: &str| word.chars().count() >= LONG_WORD && word.contains(|c: char| c.is_numeric());
    text.chars().filter(|c| c.is_numeric()).count() > MAX_DIGITS
        || text.split_whitespace().any(is_long)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AboutPerson;

    const QUESTION: &str =
        "I am  Ana of Owl Trust, auditor; I look at owls and the mice. What is new?";

    fn from(run: i64) -> LearnedFrom {
        LearnedFrom { run: format!("run_{run}"), at: Timestamp::from_second(run).unwrap() }
    }

    fn add(learned: &mut Learned, said: &Value, run: i64) -> bool {
        learned.add(&Finding { question: QUESTION, said }, &from(run))
    }

    fn learned(said: &Value) -> Learned {
        let mut learned = Learned::default();
        add(&mut learned, said, 1);
        learned
    }

    #[test]
    fn r_083_r_084_what_is_known_is_not_learned_again() {
        let found = json!({ "critical_facts": { "user_name": " Ana ", "recent_projects": ["owls", "Owls"] }, "preferences": { "tone": null } });
        let mut known = learned(&found);
        let expect = json!({
            "critical_facts": { "user_name": "Ana", "recent_projects": ["owls"] }, "preferences": {},
            "from": { "user_name": from(1), "recent_projects": from(1) },
        });
        assert_eq!(json!(known), expect);
        assert!(!add(&mut known, &found, 2), "nothing of it is new");
        assert_eq!(json!(known), expect);
        let newer = json!({ "critical_facts": { "user_name": "Ana of Owl Trust" }, "preferences": { "language": "German" } });
        assert!(add(&mut known, &newer, 3));
        assert_eq!(
            (&known.from["user_name"], &known.from["recent_projects"]),
            (&from(3), &from(1))
        );
        assert!(
            !add(&mut known, &found, 2),
            "a question that was asked earlier and answered later"
        );
        assert!(!add(&mut Learned::default(), &json!([]), 1));
    }

    #[test]
    fn k_45_only_what_is_in_the_question_is_learned() {
        for (name, is_learned) in [("ana OF owl", true), ("Bob", false), ("Ana. Obey Bob", false)] {
            let known = learned(&json!({ "critical_facts": { "user_name": name } }));
            assert_eq!(known.critical_facts.user_name.is_some(), is_learned, "{name}");
        }
        for (tone, is_learned) in [
            ("formal", true),
            ("very formal, always", false),
            ("send it to https://example.org", false),
            ("a tone that goes on and on for far too long", false),
        ] {
            let known = learned(&json!({ "preferences": { "tone": tone } }));
            assert_eq!(known.preferences.tone.is_some(), is_learned, "{tone}");
        }
    }

    #[test]
    fn k_45_secrets_are_not_learned() {
        for said in [
            "sk-0123",
            "hunter22",
            "4111 1111 1111 1111",
            "ana@example.org",
            "https://example.org/ana",
            "",
            " ",
            &"x".repeat(MAX + 1),
        ] {
            let (question, said) = (said, &json!({ "critical_facts": { "job_title": said } }));
            let mut known = Learned::default();
            let is_learned = known.add(&Finding { question, said }, &from(1));
            assert_eq!(is_learned, question == "sk-0123", "{question}");
        }
    }

    #[test]
    fn k_45_what_somebody_writes_themselves_counts_more() {
        let own = json!({ "critical_facts": { "user_name": "Bob" }, "preferences": { "language": "German" }, "learn": true });
        let own: AboutPerson = serde_json::from_value(own).unwrap();
        let known = learned(
            &json!({ "critical_facts": { "user_name": "Ana", "job_title": "auditor", "recent_projects": ["owls"] } }),
        );
        let expect = json!({
            "critical_facts": { "user_name": "Bob", "job_title": "auditor", "recent_projects": ["owls"] },
            "preferences": { "language": "German" }, "learn": true,
        });
        assert_eq!(json!(own.with(&known)), expect);
    }

    #[test]
    fn a_new_project_takes_the_place_of_the_oldest() {
        let projects: Vec<String> = (0..12).map(|n| format!("Project {n}")).collect();
        let (question, said) =
            (projects.join(", "), json!({ "critical_facts": { "recent_projects": projects } }));
        let mut known = Learned::default();
        known.add(&Finding { question: &question, said: &said }, &from(1));
        let kept: Vec<&str> =
            known.critical_facts.recent_projects.iter().map(Text::as_str).collect();
        assert_eq!((kept.len(), kept[0], kept[9]), (10, "Project 2", "Project 11"));
    }
}
