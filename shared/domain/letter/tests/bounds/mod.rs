//! No content makes a page larger than an answer of a Lambda may be, and what is left out for it is counted and linked.

#![expect(clippy::unwrap_used, reason = "constants of the tests")]

use countersign_approval::Layout;
use countersign_effect::Effect;
use countersign_effect::view::{EffectView, samples};
use countersign_letter::page::{EffectPage, ROWS_PER_PAGE, RowsPage};
use countersign_letter::{About, EffectGroup, Preview, Requests, Shown};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::sample;

/// A Lambda answers with 6 MB at most; the rest is for headers and for JSON around the page.
const MAX: usize = 5_500_000;

/// What a request sends.
#[derive(Debug, Clone)]
struct Content {
    /// Repeated to fill a value.
    piece: &'static str,
    requests: usize,
    fields: usize,
    characters: usize,
    name: usize,
    /// Whether each request goes to a place of its own.
    apart: bool,
}

/// Letters, markup that is escaped, characters that are marked, wide ones, and mixtures.
const PIECES: [&str; 8] =
    ["a", "\"", "\u{200B}", "\u{E0041}", "\u{10FFFF}", "a\u{200B}", "\u{410}a", "株"];

fn content() -> impl Strategy<Value = Content> {
    let piece = prop::sample::select(&PIECES[..]);
    let sizes = (1..=12_usize, 1..=70_usize, 1..=300_usize, 1..=60_usize);
    (piece, sizes, any::<bool>()).prop_map(
        |(piece, (requests, fields, characters, name), apart)| Content {
            piece,
            requests,
            fields,
            characters,
            name,
            apart,
        },
    )
}

impl Content {
    /// An object of about so many bytes at most.
    fn record(&self, n: usize, bytes: usize) -> Value {
        let value = self.text(self.characters.min(bytes / self.fields / 4));
        let name = self.text(self.name.min(bytes / self.fields / 4));
        let field = |at: usize| (format!("{name}{at}"), json!(format!("{n}{value}")));
        Value::Object((0..self.fields).map(field).collect::<Map<_, _>>())
    }

    fn text(&self, characters: usize) -> String {
        self.piece.chars().cycle().take(characters).collect()
    }

    fn view(&self, n: usize) -> EffectView {
        let Effect::Http(mut http) = samples::payment() else { panic!("not HTTP") };
        let bytes = (1_000_000 / self.requests).min(256 * 1024);
        http.body.as_mut().unwrap().text = self.record(n, bytes).to_string();
        if self.apart {
            http.via.endpoint = format!("pay-{n}");
        }
        EffectView::of(&Effect::Http(http))
    }
}

fn about() -> About<'static> {
    About { step: "pay", description: "", action: "call_connector", irreversible: true }
}

fn decision(content: &Content) -> String {
    let views: Vec<EffectView> = (0..content.requests).map(|n| content.view(n)).collect();
    let mut page = sample::payment();
    page.effects = Requests::default();
    // Two steps, so that the first leaves room for the second.
    let (first, rest) = views.split_at(views.len() / 2);
    for (step, views) in [("pay", first), ("tell", rest)] {
        let about = About { step, ..about() };
        let link = Some(sample::LINK);
        page.effects.push(about, views, views.len() as u64, &Layout::default(), link);
    }
    let rows: Vec<Value> = (0..100).map(|n| content.record(n, 64 * 1024 / 100)).collect();
    page.preview = Preview::head(&Value::Array(rows), &Layout::default(), 100, None);
    page.prompt = Shown::prose(&content.text(100_000), 10_000);
    page.html().unwrap()
}

fn whole(content: &Content) -> String {
    let request = EffectGroup::whole(about(), &content.view(1), &Layout::default());
    EffectPage { request, ..sample::effect_page() }.html().unwrap()
}

fn rows(content: &Content) -> String {
    let rows: Vec<Value> = (0..100).map(|n| content.record(n, 20 * 1024)).collect();
    let preview = Preview::page(&Value::Array(rows), &Layout::default(), 1, ROWS_PER_PAGE);
    RowsPage { preview, ..sample::rows_page() }.html().unwrap()
}

fn check(content: &Content) {
    for (page, html) in
        [("decision", decision(content)), ("request", whole(content)), ("rows", rows(content))]
    {
        assert!(html.len() <= MAX, "{page}: {} bytes of {content:?}", html.len());
    }
}

#[test]
fn f_200_the_worst_pages_still_fit_an_answer() {
    let shapes = [(50, 60, 1_000, 1, true), (50, 60, 1, 60, false), (3, 5_000, 2, 8, false)];
    for piece in ["\"", "\u{200B}", "a\u{200B}", "\u{10FFFF}"] {
        for (requests, fields, characters, name, apart) in shapes {
            check(&Content { piece, requests, fields, characters, name, apart });
        }
    }
}

#[test]
fn f_200_marked_characters_count_for_more_and_are_counted_when_left_out() {
    let content = Content {
        piece: "\u{200B}",
        requests: 1,
        fields: 2,
        characters: 1_000,
        name: 1,
        apart: false,
    };
    let html = decision(&content);
    assert!(html.contains("characters left out"), "{html}");
    assert!(html.contains(&format!("href=\"{}/effects/tell/1\"", sample::LINK)));
    // A page of its own has room for all of it.
    assert!(!whole(&content).contains("characters left out"));
    let full = Content { characters: 60_000, ..content };
    let html = whole(&full);
    assert!(html.contains("characters left out") && html.contains("GET /api/agent-factory/"));
}

#[test]
fn f_200_ordinary_requests_are_shown_whole() {
    for (requests, fields, characters) in [(40, 8, 300), (1, 50, 900), (20, 15, 300)] {
        let piece = "Nordwind & Söhne, ";
        let content = Content { piece, requests, fields, characters, name: 12, apart: false };
        let views: Vec<EffectView> = (0..requests).map(|n| content.view(n)).collect();
        let mut page = sample::payment();
        page.effects = Requests::default();
        page.effects.push(about(), &views, requests as u64, &Layout::default(), Some(sample::LINK));
        let html = page.html().unwrap();
        assert!(!html.contains("left out"), "{content:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn f_200_no_content_makes_a_page_too_large(content in content()) {
        for html in [decision(&content), whole(&content)] {
            prop_assert!(html.len() <= MAX, "{} bytes", html.len());
        }
    }
}
