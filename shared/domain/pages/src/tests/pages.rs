//! One page for `crawl_url`.

use serde_json::{Value, json};

use super::{html, url};
use crate::{Body, ExtractMode, Page, PageError, read_page};

const ARTICLE: &str = r#"<!doctype html><html lang="en"><head>
<title>River cleared of barges | The Daily</title>
<meta name="Description" content="Six barges   were moved.">
<meta property="og:site_name" content="The Daily">
<meta name="author" content="A. Writer">
<meta property="article:published_time" content="2026-03-01T08:00:00Z">
<link rel="canonical" href="/river">
<style>p { color: red }</style></head><body>
<nav><a href="/">Home</a> <a href="/sport">Sport</a></nav>
<article><h1>River cleared of barges</h1>
<p>Six barges that had blocked the river since Monday were moved on Thursday, the harbour office said, after crews had
worked through the night with two tugs, a floating crane and a team of divers who had come from the coast to help them.</p>
<h2>What happened</h2>
<p>The barges had broken loose in the storm, and <a href="https://harbour.example.org/report#p3">the report</a> says that
their lines were older than the rules allow; the owner, asked about it, said that the lines had been tested in autumn,
and that every one of them had held, which two of the crews, who asked not to be named, said they could not confirm.</p>
<table><caption>Barges</caption><tr><th>Name</th><th>Tons</th></tr><tr><td>Anna</td><td>900</td></tr></table>
</article><script>alert('x')</script><footer>© The Daily</footer></body></html>"#;

fn read(mode: ExtractMode) -> Page {
    read_page(&html(&url(), ARTICLE.as_bytes()), mode, 10_000, &|| true).unwrap()
}

#[test]
fn f_046_text_is_what_the_page_is_about() {
    let page = read(ExtractMode::Text);
    let content = page.content.as_str().unwrap();
    assert!(
        content.contains("Six barges that had blocked") && content.contains("tested in autumn"),
        "{content}"
    );
    assert!(
        !content.contains("alert") && !content.contains("Sport") && !content.contains("color"),
        "{content}"
    );
    assert!(page.title.contains("River cleared of barges"), "{}", page.title);
}

#[test]
fn f_046_metadata_and_links_are_those_of_the_page() {
    let page = read(ExtractMode::Text);
    let known = [
        "description",
        "author",
        "site_name",
        "published",
        "language",
        "canonical_url",
        "truncated",
        "encoding",
    ];
    let found: Vec<Value> = known.iter().map(|name| page.metadata[*name].clone()).collect();
    let expect = json!([
        "Six barges were moved.",
        "A. Writer",
        "The Daily",
        "2026-03-01T08:00:00Z",
        "en",
        "https://example.org/river",
        false,
        "UTF-8"
    ]);
    assert_eq!(Value::from(found), expect);
    let links: Vec<_> =
        page.links.iter().map(|link| (link.url.as_str(), link.text.as_str())).collect();
    let expect = [
        ("https://example.org/", "Home"),
        ("https://example.org/sport", "Sport"),
        ("https://harbour.example.org/report", "the report"),
    ];
    assert_eq!(links, expect);
}

#[test]
fn f_046_markdown_keeps_headings_and_links() {
    let page = read(ExtractMode::Markdown);
    let content = page.content.as_str().unwrap();
    assert!(content.contains("## What happened"), "{content}");
    assert!(content.contains("[the report](https://harbour.example.org/report#p3)"), "{content}");
}

#[test]
fn f_046_structured_has_sections_and_tables() {
    let content = read(ExtractMode::Structured).content;
    let headings: Vec<_> = content["sections"]
        .as_array()
        .unwrap()
        .iter()
        .map(|s| s["heading"].as_str().unwrap())
        .collect();
    assert!(headings.contains(&"What happened"), "{content:#}");
    assert_eq!(
        content["tables"][0],
        json!({ "caption": "Barges", "headers": ["Name", "Tons"], "rows": [["Anna", "900"]] })
    );
}

#[test]
fn f_046_content_is_cut_and_says_so() {
    for mode in [ExtractMode::Text, ExtractMode::Markdown, ExtractMode::Structured] {
        let page = read_page(&html(&url(), ARTICLE.as_bytes()), mode, 40, &|| true).unwrap();
        assert_eq!(page.metadata["truncated"], true, "{mode:?}");
        let text = page.content.as_str().map_or_else(|| page.content.to_string(), str::to_owned);
        assert!(text.chars().count() < 300, "{text}");
    }
}

#[test]
fn f_046_cells_of_a_row_that_are_left_out_are_said() {
    for (count, is_cut) in [(100, false), (101, true)] {
        let page = format!("<table><tr>{}</table>", "<td>1".repeat(count));
        let url = url();
        let body = html(&url, page.as_bytes());
        let page = read_page(&body, ExtractMode::Structured, 10_000, &|| true).unwrap();
        assert_eq!(page.metadata["truncated"], is_cut);
        assert_eq!(page.content["tables"][0]["rows"][0].as_array().map(Vec::len), Some(100));
    }
}

#[test]
fn f_046_a_page_without_an_article_is_read_as_it_stands() {
    let page = read_page(
        &html(&url(), b"<title>T</title><p>one<p>two <b>three</b>"),
        ExtractMode::Text,
        100,
        &|| true,
    )
    .unwrap();
    let words: Vec<_> = page.content.as_str().unwrap().split_whitespace().collect();
    assert_eq!((words, page.title.as_str()), (vec!["one", "two", "three"], "T"));
}

#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "test values are written inline")]
fn check(content_type: Option<&str>, bytes: &[u8], mode: ExtractMode, expect: Value) {
    let page = read_page(&Body { url: &url(), content_type, bytes }, mode, 100, &|| true).unwrap();
    assert_eq!(page.content, expect);
}

#[test]
fn f_046_texts_and_json_are_read_too() {
    check(Some("text/plain; charset=utf-8"), b" a <b>\n c ", ExtractMode::Text, json!("a <b>\n c"));
    check(
        Some("application/ld+json"),
        b"{\"a\": [1]}",
        ExtractMode::Structured,
        json!({ "a": [1] }),
    );
    check(None, b" {\"a\": 1}", ExtractMode::Text, json!("{\"a\": 1}"));
    check(Some("application/json"), b"[1", ExtractMode::Structured, json!("[1"));
    check(Some("application/json"), b"[1]", ExtractMode::Markdown, json!("```json\n[1]\n```"));
    check(None, b"<!DOCTYPE html><p>x", ExtractMode::Text, json!("x"));
    check(Some("application/rss+xml"), b"<rss/>", ExtractMode::Text, json!("<rss/>"));
}

#[test]
fn f_046_a_pdf_and_what_is_no_text_are_refused() {
    let read = |content_type, bytes: &[u8]| {
        read_page(&Body { url: &url(), content_type, bytes }, ExtractMode::Text, 100, &|| true)
            .unwrap_err()
    };
    assert_eq!(read(Some("application/pdf"), b""), PageError::Pdf);
    assert_eq!(read(Some("text/html"), b"\n%PDF-1.4"), PageError::Pdf);
    assert_eq!(read(Some("image/png; x"), b"\x89PNG"), PageError::Format("image/png".to_owned()));
    assert_eq!(read(None, b"MZ\0\0"), PageError::Format("binary data".to_owned()));
}
