//! The texts of types as the document gives them: without what only those who work on this know.

use serde_json::Value;

/// Takes the names of requirements, `(K-50)` or `(F-091, F-161)`, and the marks of links between types out of every description.
pub(super) fn clean(value: &mut Value) {
    match value {
        Value::Array(all) => all.iter_mut().for_each(clean),
        Value::Object(members) => {
            for (name, member) in members {
                match member {
                    Value::String(text) if name == "description" || name == "summary" => {
                        *text = cleaned(text);
                    }
                    member => clean(member),
                }
            }
        }
        _ => {}
    }
}

fn cleaned(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('(') {
        out.push_str(before);
        match after.split_once(')') {
            Some((inner, after)) if names_requirements(inner) => {
                out.truncate(out.trim_end().len());
                rest = after;
            }
            _ => {
                out.push('(');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out.replace("[`", "`").replace("`]", "`")
}

/// Whether a text between brackets is names of requirements and nothing else.
fn names_requirements(inner: &str) -> bool {
    let names: Vec<&str> = inner.split([',', '…', ' ', '\n']).filter(|n| !n.is_empty()).collect();
    let is_name = |name: &&str| {
        let parts = name.split_once('-');
        parts.is_some_and(|(letter, number)| {
            letter.len() == 1
                && letter.bytes().all(|b| b.is_ascii_uppercase())
                && !number.is_empty()
                && number.bytes().all(|b| b.is_ascii_digit())
        })
    };
    !names.is_empty() && names.iter().all(is_name)
}

#[cfg(test)]
mod tests {
    use super::cleaned;

    #[test]
    fn names_of_requirements_and_marks_of_links_are_left_out() {
        for (text, expect) in [
            ("Whether it calls a model (K-58).", "Whether it calls a model."),
            ("Cannot be taken back (K-25): signed.", "Cannot be taken back: signed."),
            ("How (F-256…F-271, K-1); as `a (b)`.", "How; as `a (b)`."),
            ("The type (F-091,\nF-161).", "The type."),
            ("A list (of any kind) (", "A list (of any kind) ("),
            ("Implies [`writes`].", "Implies `writes`."),
        ] {
            assert_eq!(cleaned(text), expect);
        }
    }
}
