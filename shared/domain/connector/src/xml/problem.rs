//! What the XML reader says of markup, in plain words.

use quick_xml::Error;
use quick_xml::errors::IllFormedError;
use quick_xml::escape::EscapeError;
use quick_xml::events::attributes::AttrError;

const UNCLOSED: &str =
    "a reference that begins with `&` does not end; a plain `&` is written `&amp;`";

/// Of references in the value of an attribute.
pub(super) fn of_value(error: &Error) -> &'static str {
    match error {
        Error::Escape(EscapeError::UnterminatedEntity(_)) => UNCLOSED,
        _ => "an attribute holds a reference that is not known",
    }
}

pub(super) fn of_attribute(error: &AttrError) -> &'static str {
    match error {
        AttrError::Duplicated(..) => "an attribute is given twice",
        AttrError::UnquotedValue(_) => "the value of an attribute is not in quotes",
        AttrError::ExpectedQuote(..) => "the value of an attribute does not end",
        AttrError::ExpectedEq(_) | AttrError::ExpectedValue(_) => "an attribute has no value",
    }
}

pub(super) fn of_markup(error: &Error) -> String {
    let told = match error {
        Error::IllFormed(IllFormedError::MismatchedEndTag { expected, found }) => {
            return format!("`</{found}>` stands where `</{expected}>` should");
        }
        Error::IllFormed(IllFormedError::UnmatchedEndTag(name)) => {
            return format!("`</{name}>` closes nothing");
        }
        Error::IllFormed(IllFormedError::DoubleHyphenInComment) => "a comment holds `--`",
        Error::IllFormed(IllFormedError::UnclosedReference) => UNCLOSED,
        Error::InvalidAttr(error) => of_attribute(error),
        _ => "the markup cannot be read",
    };
    told.to_owned()
}
