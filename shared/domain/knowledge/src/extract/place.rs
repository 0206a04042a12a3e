//! Where a person is reached: evidence when two carry one name.

use serde_json::{Map, Value};

use super::Extracted;
use crate::fold::fold;
use crate::model::EntityType;

/// The town in the fields beside a person's name: `city` and `state`, or `donor_city` and `donor_state` beside
/// `donor_name`. Filings often give the organisation's office for its people, so the organisation's own town is no
/// evidence and counts as none.
pub(super) fn place(fields: &Map<String, Value>, entity: &Extracted) -> Option<String> {
    if entity.entity_type != EntityType::Person || entity.source_field.contains('.') {
        return None;
    }
    let prefix = entity.source_field.strip_suffix("name")?;
    let text = |key: String| {
        let text = fields.get(&key)?.as_str().map(fold)?;
        (!text.is_empty()).then_some(text)
    };
    let (city, state) = (text(format!("{prefix}city"))?, text(format!("{prefix}state")));
    let office = ["organization", "organisation"].iter().any(|of| {
        let same_state = |theirs: String| state.as_ref().is_none_or(|own| *own == theirs);
        text(format!("{of}_city")).is_some_and(|theirs| theirs == city)
            && text(format!("{of}_state")).is_none_or(same_state)
    });
    (!office).then(|| shown(&city, state.as_deref()))
}

/// `SEDGEWICK`, `OR` as `Sedgewick, OR`: the same for every way of writing it.
fn shown(city: &str, state: Option<&str>) -> String {
    let word = |word: &str| {
        let (first, rest) = word.split_at(word.len().min(1));
        format!("{first}{}", rest.to_lowercase())
    };
    let city = city.split(' ').map(word).collect::<Vec<_>>().join(" ");
    state.map_or_else(|| city.clone(), |state| format!("{city}, {state}"))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::extract::{Request, Rule, extract};

    fn check(record: &Value, field: &str, expect: Option<&str>) {
        let rule =
            Rule { field: field.to_owned(), entity_type: "PERSON".into(), relationship_type: None };
        let request = Request { rules: vec![rule], ..Request::default() };
        let found = extract(std::slice::from_ref(record), &request).unwrap().entities;
        let person = found.iter().find(|entity| entity.source_field == field).unwrap();
        assert_eq!(person.place.as_deref(), expect, "{record}");
    }

    #[test]
    fn f_047_a_town_is_evidence_unless_it_is_the_organisations() {
        let filed = |city: Value, office: &str| json!({"name": "MARTIN HALLOWELL", "city": city, "state": "OR", "organization_name": "MARROWBY FAMILY FOUNDATION", "organization_city": office, "organization_state": "OR"});
        check(&filed(json!("SEDGEWICK"), "MARROWBY"), "name", Some("Sedgewick, OR"));
        check(&filed(json!("Marrowby"), "MARROWBY"), "name", None);
        check(&filed(Value::Null, "MARROWBY"), "name", None);
        let gift =
            json!({"donor_name": "ANN LEE", "donor_city": "PORT  ELLERY", "city": "BRANNOC"});
        check(&gift, "donor_name", Some("Port Ellery"));
    }
}
