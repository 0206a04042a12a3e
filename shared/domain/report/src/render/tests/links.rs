//! What a viewer of GitHub's Markdown makes of a report: no link comes out of data.

use markdown::mdast::Node;
use markdown::{ParseOptions, to_mdast};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::render;
use super::{from, layout};
use crate::format::Format;
use crate::markdown::line;

const OWN: &str = "https://own.example/runs/1";

/// The document as a viewer reads it, with the autolinks of GitHub.
fn read(text: &str) -> Node {
    to_mdast(text, &ParseOptions::gfm()).unwrap()
}

/// Every address that a click would open or a viewer would load.
fn addresses(node: &Node, found: &mut Vec<String>) {
    match node {
        Node::Link(link) => found.push(link.url.clone()),
        Node::Image(image) => found.push(image.url.clone()),
        Node::Definition(definition) => found.push(definition.url.clone()),
        Node::LinkReference(_)
        | Node::ImageReference(_)
        | Node::FootnoteReference(_)
        | Node::Html(_) => {
            found.push(format!("{node:?}"));
        }
        _ => {}
    }
    for child in node.children().into_iter().flatten() {
        addresses(child, found);
    }
}

/// The words of a document.
fn words(node: &Node) -> String {
    match node {
        Node::Text(text) => text.value.clone(),
        Node::InlineCode(code) => code.value.clone(),
        _ => node.children().into_iter().flatten().map(words).collect(),
    }
}

/// Text of somebody who wants a link.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "http",
        "https",
        "ftp",
        ":",
        "//",
        "://",
        "www.",
        "WWW.",
        "evil",
        "evil.example",
        ".com",
        "@",
        "a@b.co",
        "mailto:",
        "xmpp:",
        "<",
        ">",
        "[",
        "]",
        "(",
        ")",
        "](",
        "![x",
        "`",
        "``",
        "|",
        "\\",
        "\\\\",
        "*",
        "_",
        "~",
        "&",
        "&#58;",
        "!",
        " ",
        "\n",
        "\t",
        "-",
        "#",
        "1.",
        "=",
        "+",
        "é",
        "。",
        "\u{200b}",
        "\u{202e}",
        "/x?y=z#w",
        "127.0.0.1",
        "[1]: ",
    ]);
    let pieces = prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat());
    prop_oneof![4 => pieces, 1 => ".{0,30}"]
}

/// A report that writes `texts` wherever data and names of a run can stand.
fn report(texts: &[String]) -> String {
    let rows: Vec<Value> =
        texts.iter().map(|text| json!({"name": text, "org": text, "n": [text, 1]})).collect();
    let pairs: Vec<Value> = rows
        .iter()
        .map(|row| json!({"entity_a": row, "entity_b": row, "match_score": 0.9, "match_method": texts[0]}))
        .collect();
    let shape = json!({
        "title": "{entity_name}",
        "template": format!("# Ours\n\nSee [the run]({OWN}), {{first}} and **{{first}}**.\n\n{{sections}}"),
        "sections": [
            {"title": "T", "source": "rows", "format": "table"}, {"title": "L", "source": "texts", "format": "list"},
            {"title": "F", "source": "rows.0", "format": "facts"}, {"title": "P", "source": "first", "format": "text"},
            {"title": "J", "source": "rows", "format": "json"}, {"title": "M", "source": "pairs", "format": "linked"},
            {"title": "C", "source": "rows", "format": "table", "columns": [{"field": "org", "title": "O", "format": "money"}]},
        ],
    });
    let provenance = super::Provenance {
        profile: texts[0].clone(),
        playbook: Some(texts[0].clone()),
        query: texts[0].clone(),
        entity_name: texts[0].clone(),
        ..from()
    };
    let data = json!({"rows": rows, "texts": texts, "first": texts[0], "pairs": pairs});
    render(Format::Markdown, &layout(&shape), &data, &provenance).unwrap().body
}

#[test]
fn f_136_the_reader_of_these_tests_links_what_viewers_link() {
    for text in ["http://a.b", "www.a.b", "a@b.co", "<xy:z>", "[a](b)", "mailto:a@b.co"] {
        let mut found = Vec::new();
        addresses(&read(text), &mut found);
        assert_eq!(found.len(), 1, "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]
    #[test]
    fn f_136_only_the_layout_makes_links(texts in prop::collection::vec(hostile(), 1..4)) {
        let body = report(&texts);
        let mut found = Vec::new();
        addresses(&read(&body), &mut found);
        prop_assert_eq!(found, vec![OWN.to_owned()], "{}", body);
    }

    #[test]
    fn f_136_what_somebody_wrote_stays_readable(text in hostile()) {
        let read = words(&read(&line(&text)));
        prop_assert_eq!(read, crate::markdown::visible(&text));
    }
}
