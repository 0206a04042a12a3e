//! References: `step.results[0].name`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use winnow::Parser;
use winnow::ascii::dec_uint;
use winnow::combinator::{alt, cut_err, delimited, preceded, repeat};
use winnow::error::{ContextError, ErrMode, ParseError, StrContext, StrContextValue};
use winnow::token::take_while;

use crate::error::SyntaxError;

/// The longest name of a variable, step or field, in bytes.
const MAX_NAME: usize = 128;
/// The most segments a reference may have after its first name.
const MAX_SEGMENTS: usize = 32;
/// The longest reference, in bytes.
pub(crate) const MAX_REFERENCE: usize = 1_000;

/// What parsers of this crate return.
pub(crate) type Parsed<T> = Result<T, ErrMode<ContextError>>;

/// One move from a value to a part of it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Segment {
    /// `.name`: a field of an object.
    Field(String),
    /// `[3]`: an item of a list, counted from 0.
    Index(usize),
    /// `[*]`: every item of a list. What follows is applied to each item; items without it are left out.
    Every,
}

/// A path into the values of a run (F-154).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Reference {
    root: String,
    segments: Vec<Segment>,
}

impl Reference {
    /// Reads a reference, written without its braces.
    ///
    /// # Errors
    /// [`SyntaxError`] with the place of the first character that does not fit.
    pub fn parse(text: &str) -> Result<Self, SyntaxError> {
        if text.len() > MAX_REFERENCE {
            return Err(SyntaxError::new(
                0,
                format!("the reference is longer than {MAX_REFERENCE} characters"),
            ));
        }
        reference.parse(text).map_err(|error| explain(&error))
    }

    /// The variable or step it starts from.
    #[must_use]
    pub fn root(&self) -> &str {
        &self.root
    }

    /// The moves from there.
    #[must_use]
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The same path from another name.
    #[must_use]
    pub fn with_root(&self, root: &str) -> Self {
        Self { root: root.to_owned(), segments: self.segments.clone() }
    }

    /// The path without its first field: `a.b.c` becomes `b.c`. Nothing when it does not start with a field.
    #[must_use]
    pub fn below_first_field(&self) -> Option<Self> {
        let (Segment::Field(field), rest) = self.segments.split_first()? else { return None };
        Some(Self { root: field.clone(), segments: rest.to_vec() })
    }
}

/// Whether a text can be the name of a variable, a step or a field.
pub(crate) fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '-'
}

/// Parses a reference at the start of the input.
pub(crate) fn reference(input: &mut &str) -> Parsed<Reference> {
    let root = name.parse_next(input)?;
    let segments: Vec<Segment> = repeat(0..=MAX_SEGMENTS, segment).parse_next(input)?;
    Ok(Reference { root, segments })
}

fn segment(input: &mut &str) -> Parsed<Segment> {
    alt((
        preceded('.', cut_err(name)).map(Segment::Field),
        delimited('[', cut_err(position), cut_err(']').context(expected("`]`"))),
    ))
    .parse_next(input)
}

fn position(input: &mut &str) -> Parsed<Segment> {
    alt((
        '*'.value(Segment::Every),
        dec_uint.verify(|&at: &u32| at <= 1_000_000).map(|at: u32| Segment::Index(at as usize)),
    ))
    .context(expected("a position such as `0`, or `*`"))
    .parse_next(input)
}

fn name(input: &mut &str) -> Parsed<String> {
    take_while(1.., is_name_char)
        .verify(|name: &str| name.len() <= MAX_NAME)
        .context(expected("a name of letters, digits, `_` and `-`"))
        .map(str::to_owned)
        .parse_next(input)
}

/// Says what would have fitted.
pub(crate) fn expected(what: &'static str) -> StrContext {
    StrContext::Expected(StrContextValue::Description(what))
}

/// Turns the parser's error into ours.
pub(crate) fn explain(error: &ParseError<&str, ContextError>) -> SyntaxError {
    let text = *error.input();
    let at = boundary(text, error.offset());
    let found =
        text[at..].chars().next().map_or_else(|| "the end".to_owned(), |c| format!("`{c}`"));
    let wanted = error.inner().context().find_map(|context| match context {
        StrContext::Expected(StrContextValue::Description(what)) => Some(*what),
        _ => None,
    });
    match wanted {
        Some(what) => SyntaxError::new(at, format!("expected {what}, found {found}")),
        None => SyntaxError::new(at, format!("unexpected {found}")),
    }
}

fn boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.root)?;
        self.segments.iter().try_for_each(|segment| match segment {
            Segment::Field(name) => write!(f, ".{name}"),
            Segment::Index(at) => write!(f, "[{at}]"),
            Segment::Every => f.write_str("[*]"),
        })
    }
}

impl FromStr for Reference {
    type Err = SyntaxError;
    fn from_str(text: &str) -> Result<Self, SyntaxError> {
        Self::parse(text)
    }
}

impl TryFrom<String> for Reference {
    type Error = SyntaxError;
    fn try_from(text: String) -> Result<Self, SyntaxError> {
        Self::parse(&text)
    }
}

impl From<Reference> for String {
    fn from(reference: Reference) -> String {
        reference.to_string()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, expect: Result<&[Segment], &str>) {
        match (Reference::parse(text), expect) {
            (Ok(reference), Ok(segments)) => assert_eq!(reference.segments(), segments, "{text}"),
            (Err(error), Err(message)) => {
                assert_eq!(format!("{}: {}", error.at, error.message), message, "{text}");
            }
            (got, _) => panic!("{text}: {got:?}"),
        }
    }

    #[test]
    fn f_154_reference_forms() {
        let field = |name: &str| Segment::Field(name.to_owned());
        check("var", Ok(&[]));
        check("step.field", Ok(&[field("field")]));
        check("step.results[0].name", Ok(&[field("results"), Segment::Index(0), field("name")]));
        check("step.entities[*].name", Ok(&[field("entities"), Segment::Every, field("name")]));
        check("30_days_ago", Ok(&[]));
    }

    #[test]
    fn what_is_no_reference_is_located() {
        check("", Err("0: expected a name of letters, digits, `_` and `-`, found the end"));
        check("a.", Err("2: expected a name of letters, digits, `_` and `-`, found the end"));
        check("a[x]", Err("2: expected a position such as `0`, or `*`, found `x`"));
        check("a[1", Err("3: expected `]`, found the end"));
        check("a b", Err("1: unexpected ` `"));
        check("a[99999999999]", Err("2: expected a position such as `0`, or `*`, found `9`"));
        check(&format!("a{}", "[0]".repeat(40)), Err("97: unexpected `[`"));
    }

    pub(crate) fn any_reference() -> impl Strategy<Value = Reference> {
        let name = "[A-Za-z_][A-Za-z0-9_-]{0,12}";
        let segment = prop_oneof![
            name.prop_map(Segment::Field),
            (0usize..1_000_000).prop_map(Segment::Index),
            Just(Segment::Every)
        ];
        (name, prop::collection::vec(segment, 0..8))
            .prop_map(|(root, segments)| Reference { root, segments })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn f_154_references_survive_printing(reference in any_reference()) {
            prop_assert_eq!(Reference::parse(&reference.to_string()), Ok(reference));
        }

        #[test]
        fn reading_never_panics_and_locates(text in any::<String>()) {
            if let Err(error) = Reference::parse(&text) {
                prop_assert!(text.is_char_boundary(error.at));
            }
        }
    }
}
