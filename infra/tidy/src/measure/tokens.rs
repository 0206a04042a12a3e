//! A source file as a flat list of tokens with their lines, without comments and without tests.

use std::ops::RangeInclusive;
use std::str::FromStr;

use proc_macro2::{Delimiter, Group, LineColumn, Span, TokenStream, TokenTree};

/// What a token is, as far as the figures care.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name or a keyword.
    Word,
    /// A string, a character, a number.
    Literal,
    /// A single character of punctuation; brackets among them.
    Mark,
}

/// One token.
#[derive(Debug, Clone)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) text: String,
    pub(super) lines: (usize, usize),
    /// For an opening bracket: how many tokens on its closing one is.
    pub(super) to_close: usize,
}

impl Token {
    /// Whether this is the punctuation or the word `text`.
    pub(super) fn is(&self, text: &str) -> bool {
        self.kind != Kind::Literal && self.text == text
    }

    /// The lines it covers.
    pub(super) fn lines(&self) -> RangeInclusive<usize> {
        self.lines.0..=self.lines.1
    }
}

/// Whether tokens from `at` on are these.
pub(super) fn starts(tokens: &[Token], at: usize, texts: &[&str]) -> bool {
    texts
        .iter()
        .enumerate()
        .all(|(nth, text)| tokens.get(at + nth).is_some_and(|token| token.is(text)))
}

/// The tokens of a file, comments left out.
///
/// # Errors
/// What the tokenizer says when the text is not Rust.
pub(super) fn read(text: &str) -> Result<Vec<Token>, String> {
    let stream = TokenStream::from_str(text).map_err(|error| error.to_string())?;
    let mut reading = Reading { lines: text.lines().collect(), tokens: Vec::new() };
    reading.stream(stream);
    Ok(reading.tokens)
}

struct Reading<'t> {
    lines: Vec<&'t str>,
    tokens: Vec<Token>,
}

impl Reading<'_> {
    fn stream(&mut self, stream: TokenStream) {
        let mut trees = stream.into_iter().peekable();
        while let Some(tree) = trees.next() {
            // The tokenizer makes an attribute of a documentation comment: `#`, perhaps `!`, and brackets.
            if is(&tree, '#') && !self.is_written(tree.span().start()) {
                trees.next_if(|tree| is(tree, '!'));
                trees.next();
                continue;
            }
            match tree {
                TokenTree::Group(group) => self.group(&group),
                TokenTree::Ident(name) => self.push(Kind::Word, name.to_string(), name.span()),
                TokenTree::Literal(value) => {
                    self.push(Kind::Literal, value.to_string(), value.span());
                }
                TokenTree::Punct(mark) => {
                    self.push(Kind::Mark, mark.as_char().to_string(), mark.span());
                }
            }
        }
    }

    fn group(&mut self, group: &Group) {
        let (open, close) = match group.delimiter() {
            Delimiter::Brace => ("{", "}"),
            Delimiter::Bracket => ("[", "]"),
            Delimiter::Parenthesis | Delimiter::None => ("(", ")"),
        };
        let opened = self.tokens.len();
        self.push(Kind::Mark, open.to_owned(), group.span_open());
        self.stream(group.stream());
        self.tokens[opened].to_close = self.tokens.len() - opened;
        self.push(Kind::Mark, close.to_owned(), group.span_close());
    }

    fn push(&mut self, kind: Kind, text: String, span: Span) {
        let lines = (span.start().line, span.end().line);
        self.tokens.push(Token { kind, text, lines, to_close: 0 });
    }

    /// Whether the text itself has a `#` there.
    fn is_written(&self, at: LineColumn) -> bool {
        let line = at.line.checked_sub(1).and_then(|line| self.lines.get(line));
        line.is_some_and(|line| line.chars().nth(at.column) == Some('#'))
    }
}

fn is(tree: &TokenTree, mark: char) -> bool {
    matches!(tree, TokenTree::Punct(punct) if punct.as_char() == mark)
}

/// A file without its tests.
pub(super) struct Production {
    pub(super) tokens: Vec<Token>,
    /// Modules in files of their own that only tests are built with.
    pub(super) test_modules: Vec<String>,
}

/// Leaves out every item that is built for tests only.
pub(super) fn production(all: &[Token]) -> Production {
    let mut found = Production { tokens: Vec::new(), test_modules: Vec::new() };
    let mut at = 0;
    while at < all.len() {
        if is_test_attribute(all, at) {
            let end = item_end(all, at);
            let name = all[at..end].iter().position(|token| token.is("mod"));
            if let (Some(name), true) = (name, all[end - 1].is(";")) {
                found.test_modules.extend(all.get(at + name + 1).map(|token| token.text.clone()));
            }
            at = end;
        } else {
            found.tokens.push(all[at].clone());
            at += 1;
        }
    }
    close_again(&mut found.tokens);
    found
}

/// Whether `#[test]`, `#[….test]`, `#[cfg(test)]` or `#[cfg(all(test, …))]` stands here.
fn is_test_attribute(tokens: &[Token], at: usize) -> bool {
    if !starts(tokens, at, &["#", "["]) {
        return false;
    }
    let end = at + 1 + tokens[at + 1].to_close;
    let last_is_test = tokens[end - 1].is("test");
    starts(tokens, at + 2, &["cfg", "(", "test", ")"])
        || starts(tokens, at + 2, &["cfg", "(", "all", "(", "test"])
        || (last_is_test && !tokens[at + 2].is("cfg"))
}

/// Items that end with a semicolon even after a bracket.
const STATEMENTS: [&str; 5] = ["use", "const", "static", "type", "let"];
const ITEMS: [&str; 8] = ["fn", "struct", "enum", "trait", "impl", "mod", "union", "macro_rules"];

/// One past the last token of the item whose attributes begin here.
fn item_end(tokens: &[Token], start: usize) -> usize {
    let mut at = start;
    while starts(tokens, at, &["#", "["]) {
        at += 2 + tokens[at + 1].to_close;
    }
    let (mut is_item, mut is_statement) = (false, false);
    while let Some(token) = tokens.get(at) {
        is_item |= ITEMS.iter().any(|word| token.is(word));
        is_statement |= !is_item && STATEMENTS.iter().any(|word| token.is(word));
        let ends_list = !is_item && !is_statement && token.is(",");
        if token.is(";") || ends_list || (token.is("{") && !is_statement) {
            return at + token.to_close + 1;
        }
        if [")", "]", "}"].iter().any(|close| token.is(close)) {
            return at;
        }
        at += token.to_close + 1;
    }
    tokens.len()
}

/// Says again how far each closing bracket is, after tokens between have gone.
fn close_again(tokens: &mut [Token]) {
    let mut open = Vec::new();
    for at in 0..tokens.len() {
        if ["(", "[", "{"].iter().any(|mark| tokens[at].is(mark)) {
            open.push(at);
        } else if [")", "]", "}"].iter().any(|mark| tokens[at].is(mark))
            && let Some(opened) = open.pop()
        {
            tokens[opened].to_close = at - opened;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{production, read};

    #[track_caller]
    fn check(text: &str, tokens: &str, test_modules: &[&str]) {
        let found = production(&read(text).unwrap());
        let texts: Vec<_> = found.tokens.iter().map(|token| token.text.as_str()).collect();
        assert_eq!(texts.join(" "), tokens);
        assert_eq!(found.test_modules, test_modules);
    }

    #[test]
    fn comments_are_left_out_and_attributes_are_not() {
        check(
            "//! x\n/// y\n#[must_use] fn f() { /* z */ 1 // w\n}",
            "# [ must_use ] fn f ( ) { 1 }",
            &[],
        );
    }

    #[test]
    fn tests_are_left_out() {
        check("#[cfg(test)] mod tests { fn t() {} } fn f() {}", "fn f ( ) { }", &[]);
        check("#[cfg(test)] mod tests; fn f() {}", "fn f ( ) { }", &["tests"]);
        check("#[test] fn t() {} fn f() {}", "fn f ( ) { }", &[]);
        check("#[tokio::test] async fn t() {} fn f() {}", "fn f ( ) { }", &[]);
        check("#[cfg(test)] use a::{b, c}; fn f() {}", "fn f ( ) { }", &[]);
        check("struct S { #[cfg(test)] a: u8, b: u8 }", "struct S { b : u8 }", &[]);
    }

    #[test]
    fn what_is_only_left_out_of_tests_stays() {
        check("#[cfg(not(test))] fn f() {}", "# [ cfg ( not ( test ) ) ] fn f ( ) { }", &[]);
    }

    #[test]
    fn brackets_know_their_end_when_a_test_between_has_gone() {
        let found = production(&read("mod m { #[test] fn t() {} fn f() {} }").unwrap());
        let open = found.tokens.iter().position(|token| token.is("{")).unwrap();
        assert_eq!(open + found.tokens[open].to_close, found.tokens.len() - 1);
    }
}
