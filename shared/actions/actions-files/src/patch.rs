//! Changing a text by edits (K-47). Pure: gate and step make the same text of the same edits.

use countersign_effect::FileEdit;
use countersign_registry::action::ActionError;
use countersign_registry::actions::patch_file::Edit;

/// The text after all edits, in order. An edit whose target is not there exactly once changes nothing at all.
///
/// # Errors
/// `PATCH_TARGET_NOT_FOUND`, `PATCH_TARGET_NOT_UNIQUE`, with the edit's place.
pub(crate) fn patched(text: &str, edits: &[FileEdit]) -> Result<String, ActionError> {
    let mut text = text.to_owned();
    for (n, edit) in edits.iter().enumerate() {
        text = one(&text, edit).map_err(|found| refused(n, &found))?;
    }
    Ok(text)
}

/// How often a target is there.
enum Found {
    Never,
    Several,
}

fn one(text: &str, edit: &FileEdit) -> Result<String, Found> {
    let FileEdit { operation, target, content } = edit;
    let place = || place(text, target.as_deref().unwrap_or_default());
    Ok(match operation.as_str() {
        "append" => format!("{text}{content}"),
        "prepend" => format!("{content}{text}"),
        "insert" => {
            let (_, end) = place()?;
            format!("{}{content}{}", &text[..end], &text[end..])
        }
        _ => {
            let (start, end) = place()?;
            format!("{}{content}{}", &text[..start], &text[end..])
        }
    })
}

/// Where the target begins and ends, when it is there once. Places that overlap are several.
fn place(text: &str, target: &str) -> Result<(usize, usize), Found> {
    let start = text.find(target).filter(|_| !target.is_empty()).ok_or(Found::Never)?;
    let behind = start + text[start..].chars().next().map_or(1, char::len_utf8);
    if text[behind..].contains(target) {
        return Err(Found::Several);
    }
    Ok((start, start + target.len()))
}

fn refused(n: usize, found: &Found) -> ActionError {
    match found {
        Found::Never => ActionError::terminal(
            "PATCH_TARGET_NOT_FOUND",
            format!("edits[{n}].target: the text does not contain it"),
        )
        .with_help("the target has to be a part of the text, letter by letter, as the edits before leave it"),
        Found::Several => ActionError::terminal(
            "PATCH_TARGET_NOT_UNIQUE",
            format!("edits[{n}].target: the text contains it more than once"),
        )
        .with_help("use a longer target that is there only once"),
    }
}

/// The edits as an effect has them.
pub(crate) fn written(edits: Vec<Edit>) -> Vec<FileEdit> {
    let edit = |operation: &str, target, content| FileEdit {
        operation: operation.to_owned(),
        target,
        content,
    };
    let write = |one: Edit| match one {
        Edit::Append { content } => edit("append", None, content),
        Edit::Prepend { content } => edit("prepend", None, content),
        Edit::Replace { target, content } => edit("replace", Some(target), content),
        Edit::Insert { target, content } => edit("insert", Some(target), content),
    };
    edits.into_iter().map(write).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, edits: Vec<Edit>, expect: Result<&str, &str>) {
        let found = patched(text, &written(edits));
        let found = found.as_deref().map_err(|error| (error.code, error.message.as_str()));
        match (found, expect) {
            (Ok(text), expect) => assert_eq!(Ok(text), expect),
            (Err((code, _)), expect) => assert_eq!(Err(code), expect),
        }
    }

    #[test]
    fn f_083_k_47_each_edit_sees_what_the_one_before_left() {
        let append = |content: &str| Edit::Append { content: content.into() };
        let prepend = |content: &str| Edit::Prepend { content: content.into() };
        let replace = |target: &str, content: &str| Edit::Replace {
            target: target.into(),
            content: content.into(),
        };
        let insert = |target: &str, content: &str| Edit::Insert {
            target: target.into(),
            content: content.into(),
        };
        check("a", vec![append("b"), prepend("c")], Ok("cab"));
        check("one two", vec![replace("two", "three"), insert("one", " and")], Ok("one and three"));
        check("one", vec![append(" two"), replace("two", "")], Ok("one "));
        check("größe", vec![replace("ö", "oe"), insert("ß", "!")], Ok("groeß!e"));
        check("a a", vec![replace("a", "b")], Err("PATCH_TARGET_NOT_UNIQUE"));
        check("aaa", vec![insert("aa", "b")], Err("PATCH_TARGET_NOT_UNIQUE"));
        check("a", vec![replace("b", "c")], Err("PATCH_TARGET_NOT_FOUND"));
        check("", vec![replace("", "c")], Err("PATCH_TARGET_NOT_FOUND"));
        check("a", vec![replace("a", "b"), replace("a", "c")], Err("PATCH_TARGET_NOT_FOUND"));
        let error = patched("a", &written(vec![replace("a", "b"), replace("x", "c")])).unwrap_err();
        assert!(error.message.starts_with("edits[1].target"), "{}", error.message);
    }

    /// The places of a target, character by character.
    fn places(text: &[char], target: &[char]) -> Vec<usize> {
        if target.is_empty() {
            return Vec::new();
        }
        (0..text.len()).filter(|start| text[*start..].starts_with(target)).collect()
    }

    /// The same, as plainly as it can be said.
    fn reference(text: &str, edits: &[FileEdit]) -> Option<String> {
        let mut text: Vec<char> = text.chars().collect();
        for edit in edits {
            let content: Vec<char> = edit.content.chars().collect();
            let target: Vec<char> = edit.target.iter().flat_map(|target| target.chars()).collect();
            let range = match edit.operation.as_str() {
                "append" => text.len()..text.len(),
                "prepend" => 0..0,
                operation => match places(&text, &target).as_slice() {
                    [only] if operation == "insert" => only + target.len()..only + target.len(),
                    [only] => *only..only + target.len(),
                    _ => return None,
                },
            };
            text.splice(range, content);
        }
        Some(text.into_iter().collect())
    }

    fn edit() -> impl Strategy<Value = FileEdit> {
        let operation = prop::sample::select(vec!["append", "prepend", "replace", "insert"]);
        (operation, "[abö]{0,2}", "[abö\n]{0,3}").prop_map(|(operation, target, content)| {
            let target = matches!(operation, "replace" | "insert").then_some(target);
            FileEdit { operation: operation.to_owned(), target, content }
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn f_083_k_47_edits_do_what_they_say(text in "[abö\n]{0,8}", edits in prop::collection::vec(edit(), 0..5)) {
            prop_assert_eq!(patched(&text, &edits).ok(), reference(&text, &edits));
        }
    }
}
