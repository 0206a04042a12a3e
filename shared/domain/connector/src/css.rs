//! CSS selectors as a connector writes them: checked here, run by `pages`.

use std::fmt;

use cssparser::{BasicParseErrorKind, ParseErrorKind, ToCss};
use precomputed_hash::PrecomputedHash;
use selectors::parser::{self, ParseRelative, SelectorList, SelectorParseErrorKind};
use serde::{Deserialize, Serialize};

/// The longest selector: it also bounds how deep `:not(…)` and its like nest.
const MAX_LENGTH: usize = 500;

/// Why a text is not a selector.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a CSS selector: {reason}")]
pub struct InvalidSelector {
    /// Its beginning.
    pub text: String,
    /// What is wrong.
    pub reason: &'static str,
}

/// A CSS selector, such as `table.results > tbody > tr`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CssSelector(String);

impl CssSelector {
    /// Reads a selector or a list of alternatives with commas between them.
    ///
    /// # Errors
    /// [`InvalidSelector`] when it is not one, or has pseudo-classes that only mean something in a browser.
    pub fn parse(text: &str) -> Result<Self, InvalidSelector> {
        let refuse = |reason| InvalidSelector { text: text.chars().take(80).collect(), reason };
        if text.len() > MAX_LENGTH {
            return Err(refuse("it is longer than 500 bytes"));
        }
        let mut input = cssparser::Parser::new(text);
        match SelectorList::parse(&Grammar, &mut input, ParseRelative::No) {
            Ok(_) => Ok(Self(text.to_owned())),
            Err(error) => Err(refuse(reason(&error.kind))),
        }
    }

    /// As written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for CssSelector {
    type Error = InvalidSelector;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
    }
}

impl From<CssSelector> for String {
    fn from(selector: CssSelector) -> Self {
        selector.0
    }
}

impl fmt::Display for CssSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn reason(kind: &ParseErrorKind<SelectorParseErrorKind>) -> &'static str {
    use SelectorParseErrorKind as Kind;
    match kind {
        ParseErrorKind::Basic(BasicParseErrorKind::EndOfInput) => "it ends too early",
        ParseErrorKind::Basic(_) => "it has a character that cannot stand there",
        ParseErrorKind::Custom(kind) => match kind {
            Kind::EmptySelector => "it is empty, or a part of it does not begin like a selector",
            Kind::DanglingCombinator => "nothing follows `>`, `+` or `~`",
            Kind::ClassNeedsIdent => "a class needs a name after the dot",
            Kind::UnsupportedPseudoClassOrElement
            | Kind::NoIdentForPseudo
            | Kind::PseudoElementExpectedColon
            | Kind::PseudoElementExpectedIdent => {
                "a pseudo-class or pseudo-element is not known; use `attr` for attributes"
            }
            Kind::UnexpectedTokenInAttributeSelector
            | Kind::BadValueInAttr
            | Kind::NoQualifiedNameInAttributeSelector
            | Kind::InvalidQualNameInAttr
            | Kind::ExpectedBarInAttr => "what stands in `[…]` is not an attribute test",
            Kind::ExpectedNamespace => "namespaces are not supported",
            _ => "it cannot be read",
        },
    }
}

/// What the crate that runs selectors understands: nothing that depends on a browser's state.
struct Grammar;

impl<'i> parser::Parser<'i> for Grammar {
    type Impl = Names;
    type Error = SelectorParseErrorKind;

    fn parse_is_and_where(&self) -> bool {
        true
    }

    fn parse_has(&self) -> bool {
        true
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Names;

impl parser::SelectorImpl for Names {
    type AttrValue = Name;
    type Identifier = Name;
    type LocalName = Name;
    type NamespacePrefix = Name;
    type NamespaceUrl = Name;
    type BorrowedNamespaceUrl = Name;
    type BorrowedLocalName = Name;
    type NonTSPseudoClass = Pseudo;
    type PseudoElement = Pseudo;
    type ExtraMatchingData<'a> = ();
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Name(String);

impl From<&str> for Name {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl AsRef<str> for Name {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl ToCss for Name {
    fn to_css<W: fmt::Write>(&self, into: &mut W) -> fmt::Result {
        into.write_str(&self.0)
    }
}

impl PrecomputedHash for Name {
    // Selectors are only read here, never matched, so that nothing looks this up.
    fn precomputed_hash(&self) -> u32 {
        0
    }
}

/// There is none: an enum without variants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pseudo {}

impl ToCss for Pseudo {
    fn to_css<W: fmt::Write>(&self, _: &mut W) -> fmt::Result {
        match *self {}
    }
}

impl parser::NonTSPseudoClass for Pseudo {
    fn is_active_or_hover(&self) -> bool {
        match *self {}
    }

    fn is_user_action_state(&self) -> bool {
        match *self {}
    }
}

impl parser::PseudoElement for Pseudo {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::CssSelector;

    #[test]
    fn f_098_selectors_of_real_pages_are_read() {
        for text in [
            "tr",
            "table.results > tbody > tr:not(.head)",
            "#main a[href^='/case/'], .list li:nth-child(2n+1)",
            "div:has(> h2) + p",
            ":is(h1, h2) ~ ul li:first-child",
            "a[rel=next]",
            "*",
        ] {
            assert_eq!(CssSelector::parse(text).unwrap().as_str(), text);
        }
    }

    #[test]
    fn f_098_what_is_no_selector_says_why() {
        for (text, reason) in [
            ("", "empty"),
            ("tr,", "empty"),
            ("tr >", "nothing follows"),
            ("a..b", "class needs a name"),
            ("a:hover", "not known"),
            ("a::attr(href)", "not known"),
            ("a[=x]", "attribute test"),
            ("<td>", "does not begin"),
            ("tr]", "cannot stand there"),
            ("svg|a", "namespaces"),
        ] {
            let error = CssSelector::parse(text).unwrap_err();
            assert!(error.to_string().contains(reason), "{text}: {error}");
        }
        assert!(CssSelector::parse(&":not(".repeat(10_000)).is_err());
        assert!(serde_json::from_str::<CssSelector>("\"tr >\"").is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[-a-z#.:>+~()*\\[\\]='\", \\\\]{0,40}") {
            let _ = CssSelector::parse(&text);
        }
    }
}
