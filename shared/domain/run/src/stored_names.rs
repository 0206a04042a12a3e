//! Values that name something stored: in a run of a member of a team it would be looked up among what is the owner's (K-35).

use serde_json::Value;

/// The kinds of ids that name something which somebody has stored: `file_…`, `doc_…`, `expo_…`, `todo_…`.
const STORED: [&str; 4] = ["file_", "doc_", "expo_", "todo_"];

/// What a folder of uploads is named with.
const FOLDER: &str = "folders/";

/// Whether a value is or holds the id of something stored, or names a folder of uploads.
#[must_use]
pub fn names_stored(value: &Value) -> bool {
    match value {
        Value::String(text) => {
            let mut words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            text.trim_start().starts_with(FOLDER) || words.any(is_id)
        }
        Value::Array(items) => items.iter().any(names_stored),
        Value::Object(fields) => {
            fields.iter().any(|(name, value)| is_id(name) || names_stored(value))
        }
        _ => false,
    }
}

fn is_id(word: &str) -> bool {
    let id = STORED.iter().find_map(|prefix| word.strip_prefix(prefix));
    id.is_some_and(|id| id.len() == 32 && id.bytes().all(|b| b.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn k_35_a_member_names_nothing_that_is_stored() {
        let id = "0197c3a1b2c3d4e5f60718293a4b5c6d";
        for named in [
            json!(format!("file_{id}")),
            json!([{ "file": format!("doc_{id}") }]),
            json!({ format!("expo_{id}"): 1 }),
            json!(format!("see file_{id}, please")),
            json!({ "source": ["folders/private"] }),
            json!(format!("todo_{id}")),
        ] {
            assert!(names_stored(&named), "{named}");
        }
        for other in [json!("file_1"), json!(["filings"]), json!(format!("ent_{id}")), json!(7)] {
            assert!(!names_stored(&other), "{other}");
        }
    }
}
