//! A page as data: its sections under their headings, and its tables.

use ego_tree::NodeRef;
use scraper::{ElementRef, Html, Node};
use serde_json::{Value, json};

use crate::document::selector;
use crate::text::{line, words};

/// Sections of one page.
const MAX_SECTIONS: usize = 500;
/// Tables of one page.
const MAX_TABLES: usize = 50;
/// Rows of one table.
const MAX_ROWS: usize = 1_000;
/// Cells of one row.
const MAX_CELLS: usize = 100;

/// `{sections: [{level, heading, text}], tables: [{caption, headers, rows}]}` within `room` characters, and whether
/// something was left out.
pub(crate) fn structured(html: &Html, room: usize) -> (Value, bool) {
    let mut budget = Budget { left: room, cut: false };
    let sections = sections(html, &mut budget);
    let tables = tables(html, &mut budget);
    (json!({ "sections": sections, "tables": tables }), budget.cut)
}

/// The characters that may still be returned.
struct Budget {
    left: usize,
    cut: bool,
}

impl Budget {
    fn take(&mut self, mut text: String) -> String {
        let end = text.floor_char_boundary(self.left);
        if end < text.len() {
            self.cut = true;
            text.truncate(end);
        }
        self.left -= text.len();
        text
    }

    fn is_spent(&mut self, count: usize, most: usize) -> bool {
        let spent = count >= most || self.left == 0;
        self.cut |= spent;
        spent
    }
}

#[derive(Default)]
struct Section {
    level: u8,
    heading: String,
    text: String,
}

impl Section {
    fn is_empty(&self) -> bool {
        self.heading.is_empty() && self.text.trim().is_empty()
    }

    fn into_json(self, budget: &mut Budget) -> Value {
        let lines: Vec<String> =
            self.text.lines().map(words).filter(|line| !line.is_empty()).collect();
        json!({
            "level": self.level,
            "heading": budget.take(self.heading),
            "text": budget.take(lines.join("\n")),
        })
    }
}

fn sections(html: &Html, budget: &mut Budget) -> Vec<Value> {
    let mut done: Vec<Value> = Vec::new();
    let mut current = Section::default();
    let mut skipped: Option<ego_tree::NodeId> = None;
    for node in html.tree.root().descendants() {
        if skipped.is_some_and(|outer| node.ancestors().any(|above| above.id() == outer)) {
            continue;
        }
        skipped = None;
        match node.value() {
            Node::Element(element) => match element.name() {
                name @ ("h1" | "h2" | "h3" | "h4" | "h5" | "h6") => {
                    let finished = std::mem::replace(&mut current, heading(node, name));
                    skipped = Some(node.id());
                    if !finished.is_empty() {
                        if budget.is_spent(done.len(), MAX_SECTIONS) {
                            return done;
                        }
                        done.push(finished.into_json(budget));
                    }
                }
                // Tables have a place of their own.
                "table" | "script" | "style" | "noscript" | "template" | "svg" | "head" => {
                    skipped = Some(node.id());
                }
                "p" | "div" | "li" | "br" | "tr" | "dt" | "dd" | "blockquote" | "section"
                | "pre" => {
                    current.text.push('\n');
                }
                _ => {}
            },
            Node::Text(text) => current.text.push_str(text),
            _ => {}
        }
    }
    if !current.is_empty() && !budget.is_spent(done.len(), MAX_SECTIONS) {
        done.push(current.into_json(budget));
    }
    done
}

fn heading(node: NodeRef<'_, Node>, name: &str) -> Section {
    let level = name.as_bytes().last().map_or(0, |digit| digit - b'0');
    let heading = ElementRef::wrap(node).map(line).unwrap_or_default();
    Section { level, heading, text: String::new() }
}

fn tables(html: &Html, budget: &mut Budget) -> Vec<Value> {
    let (Some(tables), Some(rows)) = (selector("table"), selector("tr")) else { return Vec::new() };
    let (Some(cells), Some(heads), Some(captions)) =
        (selector("td, th"), selector("th"), selector("caption"))
    else {
        return Vec::new();
    };
    let mut found = Vec::new();
    // A table that holds tables is layout; the inner ones are the data.
    for table in html.select(&tables).filter(|table| table.select(&tables).next().is_none()) {
        if budget.is_spent(found.len(), MAX_TABLES) {
            break;
        }
        let mut lines: Vec<Vec<String>> = Vec::new();
        let mut headers: Vec<String> = Vec::new();
        for row in table.select(&rows) {
            if budget.is_spent(lines.len(), MAX_ROWS) {
                break;
            }
            budget.cut |= row.select(&cells).nth(MAX_CELLS).is_some();
            let texts: Vec<String> =
                row.select(&cells).take(MAX_CELLS).map(|cell| budget.take(line(cell))).collect();
            let all_heads = row.select(&heads).take(MAX_CELLS).count() == texts.len();
            if headers.is_empty() && lines.is_empty() && all_heads {
                headers = texts;
            } else if !texts.is_empty() {
                lines.push(texts);
            }
        }
        let caption = table.select(&captions).next().map(line).unwrap_or_default();
        if !lines.is_empty() {
            found.push(
                json!({ "caption": budget.take(caption), "headers": headers, "rows": lines }),
            );
        }
    }
    found
}
