//! A change of a file as people read it.

use super::{Content, EffectView, Field, Section, SectionPart, Target, ValueKind};
use crate::file::{Excerpt, FileEdit, FileEffect, TextHash};

/// The owner's own documents take the place of a host.
const PLACE: &str = "documents";

/// The view of a change: every member once.
pub(super) fn view(file: &FileEffect) -> EffectView {
    let path = format!("/{}", file.path);
    EffectView {
        target: Target {
            method: file.action.method().to_owned(),
            url: format!("{PLACE}:{path}"),
            host: PLACE.to_owned(),
            unicode_host: None,
            port: None,
            path,
        },
        account: None,
        sections: vec![Section {
            part: SectionPart::Body,
            media: None,
            content: Content::Fields(fields(file)),
        }],
        via: file.action.name().to_owned(),
    }
}

fn fields(file: &FileEffect) -> Vec<Field> {
    let mut fields = vec![text("title", &file.title), text("document", &file.document)];
    fields.extend(file.to.iter().map(|to| text("to", to)));
    for (n, edit) in file.edits.iter().enumerate() {
        fields.extend(edited(n, edit));
    }
    fields.extend(file.text.iter().flat_map(excerpt));
    let days = file.restorable_days.iter();
    fields.extend(days.map(|days| number("restorable_days", u64::from(*days))));
    fields.extend(file.before.iter().flat_map(|hash| hashed("before", hash)));
    fields.extend(file.after.iter().flat_map(|hash| hashed("after", hash)));
    fields.push(text("key", &file.key));
    fields
}

fn edited(n: usize, edit: &FileEdit) -> Vec<Field> {
    let name = |part: &str| format!("edits[{n}].{part}");
    let mut fields = vec![text(&name("operation"), &edit.operation)];
    fields.extend(edit.target.iter().map(|target| text(&name("target"), target)));
    fields.push(text(&name("content"), &edit.content));
    fields
}

fn excerpt(excerpt: &Excerpt) -> [Field; 2] {
    [text("text", &excerpt.text), number("text.left_out", excerpt.left_out)]
}

fn hashed(name: &str, hash: &TextHash) -> [Field; 2] {
    [number(&format!("{name}.bytes"), hash.bytes), text(&format!("{name}.sha256"), &hash.sha256)]
}

fn text(name: &str, value: &str) -> Field {
    Field { name: name.to_owned(), value: value.to_owned(), kind: ValueKind::Text }
}

fn number(name: &str, value: u64) -> Field {
    Field { name: name.to_owned(), value: value.to_string(), kind: ValueKind::Number }
}

#[cfg(test)]
mod tests {
    use crate::Effect;
    use crate::file::{FileAction, FileEdit, TextHash};
    use crate::view::samples::removal;
    use crate::view::{Content, EffectView, changes};

    #[test]
    fn k_25_a_signer_sees_every_member_of_a_change() {
        let Effect::File(mut file) = removal() else { panic!("not a file") };
        file.action = FileAction::Patch;
        file.to = Some("archive/notes.md".to_owned());
        file.edits = vec![FileEdit {
            operation: "replace".to_owned(),
            target: Some("old words".to_owned()),
            content: "new words".to_owned(),
        }];
        file.after = Some(TextHash { bytes: 4_711, sha256: "ee".repeat(32) });
        let effect = Effect::File(file);
        let view = EffectView::of(&effect);
        let Content::Fields(fields) = &view.sections[0].content else { panic!("no fields") };
        let shown: Vec<&str> = fields.iter().map(|field| field.value.as_str()).collect();
        let place = [view.target.method.to_lowercase(), view.target.path[1..].to_owned()];
        fn leaves(value: &serde_json::Value, all: &mut Vec<String>) {
            match value {
                serde_json::Value::Object(map) => map.values().for_each(|one| leaves(one, all)),
                serde_json::Value::Array(list) => list.iter().for_each(|one| leaves(one, all)),
                serde_json::Value::String(text) => all.push(text.clone()),
                other => all.push(other.to_string()),
            }
        }
        let (mut all, mut json) = (Vec::new(), serde_json::to_value(&effect).unwrap());
        json.as_object_mut().unwrap().retain(|name, _| !["v", "family"].contains(&name.as_str()));
        leaves(&json, &mut all);
        for value in all {
            assert!(
                shown.contains(&value.as_str()) || place.contains(&value),
                "{value} is not shown"
            );
        }
    }

    #[test]
    fn k_25_what_changed_in_a_file_is_named() {
        let Effect::File(mut file) = removal() else { panic!("not a file") };
        let before = EffectView::of(&Effect::File(file.clone()));
        file.title = "Other".to_owned();
        let named: Vec<String> = changes(&before, &EffectView::of(&Effect::File(file)))
            .into_iter()
            .map(|change| change.name)
            .collect();
        assert_eq!(named, ["body title"]);
    }
}
