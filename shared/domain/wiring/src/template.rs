//! Texts with references in braces.

use std::fmt;
use std::ops::Range;

use winnow::Parser;
use winnow::ascii::multispace0;
use winnow::combinator::delimited;
use winnow::error::{ErrMode, StrContext, StrContextValue};

use crate::error::SyntaxError;
use crate::reference::{MAX_REFERENCE, Reference, reference};

/// The longest template, in bytes: as long as a playbook may be.
const MAX_TEMPLATE: usize = 256 * 1024;
/// The most references in one text.
const MAX_REFERENCES: usize = 1_000;

/// A piece of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Text as it is, escapes already replaced.
    Text(String),
    /// A reference, and where it stands in the template with its braces, in bytes.
    Reference(Reference, Range<usize>),
}

/// A text in which `{reference}` is replaced; `{{` and `}}` stand for braces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    parts: Vec<Part>,
}

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    /// [`SyntaxError`] with the place of a brace that neither encloses a reference nor is doubled.
    pub fn parse(text: &str) -> Result<Self, SyntaxError> {
        if text.len() > MAX_TEMPLATE {
            return Err(SyntaxError::new(
                0,
                format!("the text is longer than {MAX_TEMPLATE} bytes"),
            ));
        }
        let mut template = Self { parts: Vec::new() };
        let mut rest = text;
        while !rest.is_empty() {
            rest = template.take(text, rest)?;
        }
        if template.references().count() > MAX_REFERENCES {
            return Err(SyntaxError::new(
                0,
                format!("the text has more than {MAX_REFERENCES} references"),
            ));
        }
        Ok(template)
    }

    /// The pieces in order.
    #[must_use]
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The references in order.
    pub fn references(&self) -> impl Iterator<Item = &Reference> {
        self.parts.iter().filter_map(|part| match part {
            Part::Reference(reference, _) => Some(reference),
            Part::Text(_) => None,
        })
    }

    /// The reference when it is all there is: its value then keeps its type (F-157).
    #[must_use]
    pub fn whole(&self) -> Option<&Reference> {
        match self.parts.as_slice() {
            [Part::Reference(reference, _)] => Some(reference),
            _ => None,
        }
    }

    /// The text, when there are no references.
    #[must_use]
    pub fn literal(&self) -> Option<String> {
        self.parts
            .iter()
            .map(|part| match part {
                Part::Text(text) => Some(text.as_str()),
                Part::Reference(..) => None,
            })
            .collect()
    }

    /// The same text with other references.
    #[must_use]
    pub fn map(&self, change: &dyn Fn(&Reference) -> Reference) -> Self {
        let parts = self.parts.iter().map(|part| match part {
            Part::Text(text) => Part::Text(text.clone()),
            Part::Reference(reference, place) => Part::Reference(change(reference), place.clone()),
        });
        Self { parts: parts.collect() }
    }

    /// Takes one piece off the front of `rest` and gives back what remains.
    fn take<'a>(&mut self, text: &'a str, rest: &'a str) -> Result<&'a str, SyntaxError> {
        let at = text.len() - rest.len();
        for (escape, brace) in [("{{", "{"), ("}}", "}")] {
            if let Some(after) = rest.strip_prefix(escape) {
                self.push_text(brace);
                return Ok(after);
            }
        }
        match rest.as_bytes().first() {
            Some(b'{') => self.take_reference(at, rest),
            Some(b'}') => {
                Err(SyntaxError::new(at, "a `}` without its `{`")
                    .with_help("write `}}` for a brace"))
            }
            _ => {
                let end = rest.find(['{', '}']).unwrap_or(rest.len());
                self.push_text(&rest[..end]);
                Ok(&rest[end..])
            }
        }
    }

    fn take_reference<'a>(&mut self, at: usize, rest: &'a str) -> Result<&'a str, SyntaxError> {
        let inside = &rest[1..];
        let Some(close) = inside.find('}').filter(|close| *close <= MAX_REFERENCE + 64) else {
            return Err(
                SyntaxError::new(at, "a `{` without its `}`").with_help("write `{{` for a brace")
            );
        };
        let mut remaining = &inside[..close];
        match delimited(multispace0, reference, multispace0).parse_next(&mut remaining) {
            Ok(reference) if remaining.is_empty() => {
                self.parts.push(Part::Reference(reference, at..at + close + 2));
                Ok(&inside[close + 1..])
            }
            parsed => {
                let wrong = at + 1 + (close - remaining.len());
                Err(not_a_reference(wrong, &inside[..close], parsed.err()))
            }
        }
    }

    fn push_text(&mut self, text: &str) {
        if let Some(Part::Text(last)) = self.parts.last_mut() {
            last.push_str(text);
        } else {
            self.parts.push(Part::Text(text.to_owned()));
        }
    }
}

fn not_a_reference(
    at: usize,
    inside: &str,
    error: Option<ErrMode<winnow::error::ContextError>>,
) -> SyntaxError {
    let shown: String = inside.chars().take(40).collect();
    let inner = error.and_then(|error| error.into_inner().ok());
    let wanted = inner.as_ref().and_then(|error| {
        error.context().find_map(|context| match context {
            StrContext::Expected(StrContextValue::Description(what)) => Some(what.to_string()),
            _ => None,
        })
    });
    let message = match wanted {
        Some(what) => format!("`{{{shown}}}` is not a reference: expected {what}"),
        None => format!("`{{{shown}}}` is not a reference"),
    };
    SyntaxError::new(at, message)
        .with_help("write references as `{step.field}`, `{step.list[0].field}` or `{step.list[*].field}`, and `{{` for a brace")
}

/// A text that a template gives back as it is: its braces are doubled, so that nothing in it is a reference.
#[must_use]
pub fn literal_text(text: &str) -> String {
    text.replace('{', "{{").replace('}', "}}")
}

impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parts.iter().try_for_each(|part| match part {
            Part::Text(text) => f.write_str(&literal_text(text)),
            Part::Reference(reference, _) => write!(f, "{{{reference}}}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::reference::tests::any_reference;

    /// Text pieces stand as they are, references in angle brackets.
    fn check(text: &str, expect: &str) {
        let got = match Template::parse(text) {
            Ok(template) => template
                .parts()
                .iter()
                .map(|part| match part {
                    Part::Text(text) => text.clone(),
                    Part::Reference(reference, place) => {
                        assert!(
                            text[place.clone()].starts_with('{')
                                && text[place.clone()].ends_with('}')
                        );
                        format!("<{reference}>")
                    }
                })
                .collect(),
            Err(error) => format!("{}: {error}", error.at),
        };
        assert_eq!(got, expect, "{text}");
    }

    #[test]
    fn f_157_whole_and_embedded_references() {
        check("{a.b}", "<a.b>");
        check("from { a.b[*].c } on", "from <a.b[*].c> on");
        check("{a}{b}", "<a><b>");
        check("no reference", "no reference");
        assert!(Template::parse("{a}").unwrap().whole().is_some());
        assert!(Template::parse(" {a}").unwrap().whole().is_none());
        assert_eq!(Template::parse("x{{y}}").unwrap().literal().as_deref(), Some("x{y}"));
    }

    #[test]
    fn doubled_braces_are_braces() {
        check("{{a}}", "{a}");
        check("{{{a}}}", "{<a>}");
        check("{{}}", "{}");
    }

    #[test]
    fn lonely_braces_are_located() {
        check("ab {", "3: a `{` without its `}`");
        check("ab } c", "3: a `}` without its `{`");
        check(
            "é {a.}",
            "6: `{a.}` is not a reference: expected a name of letters, digits, `_` and `-`",
        );
        check(
            "{\"a\": 1}",
            "1: `{\"a\": 1}` is not a reference: expected a name of letters, digits, `_` and `-`",
        );
        check("{}", "1: `{}` is not a reference: expected a name of letters, digits, `_` and `-`");
        check("{a + b}", "3: `{a + b}` is not a reference");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn templates_survive_printing(texts in prop::collection::vec("[a-z{} ]{0,6}", 1..5), reference in any_reference()) {
            let escaped: Vec<String> = texts.iter().map(|t| t.replace('{', "{{").replace('}', "}}")).collect();
            let source = escaped.join(&format!("{{{reference}}}"));
            let template = Template::parse(&source).unwrap();
            prop_assert_eq!(template.references().count(), texts.len() - 1);
            prop_assert_eq!(template.to_string(), source);
        }

        #[test]
        fn reading_never_panics_and_locates(text in "[{}a.\\[\\]* é0-9]{0,40}") {
            if let Err(error) = Template::parse(&text) {
                prop_assert!(text.is_char_boundary(error.at));
            }
        }
    }
}
