//! What people sort connectors by (F-106).

use crate::diagnostic::Diagnostics;
use crate::model::{Category, Tag};
use crate::yaml::{Mapping, as_text, nearest};

/// Tags of one connector.
pub(crate) const MOST_TAGS: usize = 20;

pub(super) fn category(map: &mut Mapping<'_>, out: &mut Diagnostics) -> Category {
    let Some((text, at)) = map.text("category", out) else { return Category::default() };
    if let Some(category) = Category::ALL.into_iter().find(|category| category.as_str() == text) {
        return category;
    }
    let names = Category::ALL.map(Category::as_str);
    let hint = match nearest(text, names.into_iter()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("use {}", names.join(", ")),
    };
    out.hinted("category", at, format!("`{text}` is not a category"), hint);
    Category::default()
}

/// The tags, each once, in their order.
pub(super) fn tags(map: &mut Mapping<'_>, out: &mut Diagnostics) -> Vec<Tag> {
    let mut tags: Vec<Tag> = Vec::new();
    let nodes = map.list("tags", out);
    for node in nodes {
        let Some(text) = as_text(node, "a tag", out) else { continue };
        match Tag::parse(text) {
            Ok(tag) if !tags.contains(&tag) => tags.push(tag),
            Ok(_) => {}
            Err(error) => out.error("tag", node.at, error.to_string()),
        }
    }
    if let Some(node) = nodes.get(MOST_TAGS) {
        out.error("tag", node.at, format!("a connector has at most {MOST_TAGS} tags"));
    }
    tags
}
