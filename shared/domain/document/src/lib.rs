//! Documents that people write, such as connectors and profiles.
//!
//! A kind of document is one Rust type that derives [`serde::Deserialize`] and [`schemars::JsonSchema`] and implements
//! [`Document`]. The type is all there is to say about its shape:
//!
//! - [`read`] parses YAML (or JSON) with the position of every key and value. serde decides whether the text fits. When
//!   it does not, the JSON Schema explains it: every structural problem at once, each with its position and a hint. What
//!   is broken is replaced by samples, so that [`Document::rules`] still check the rest.
//! - [`mended`] gives what can be read of a broken document, for kinds whose checks go on when the shape is known.
//! - [`schema`] is the published JSON Schema, [`table`] the documentation of a type's keys.
//! - [`Problem`] is what is wrong, in one form for the command line ([`text`]), the REST API (its `Serialize`) and pages.
//!
//! Because serde decides alone, a constraint must be part of a type: [`text_type!`] and [`Text`] for strings, [`Whole`] for numbers,
//! [`List`] and [`Named`] for collections, `#[serde(deny_unknown_fields)]` on every struct. An attribute that only the
//! schema knows, such as `#[schemars(range(…))]`, would not be enforced.
//!
//! What messages need beyond the schema is said beside it, with `#[schemars(extend(…))]`, and left out of what is
//! published: `"x-code"` is the code of a wrong value, `"x-missing-code"` that of a key that is left out, `"x-hint"` what to
//! do about either, `"x-refused"` words that are known and not accepted, each with the reason. `"x-elsewhere"` of a struct has
//! the `code`, `message` and `hint` of keys that people write in the wrong place.
//!
//! The schema validator is large. Only [`read`], [`read_value`] and [`mended`] refer to it, and they make it when the first document
//! is refused: a function that only loads stored documents does not contain it.

// The macros name the crate, and its own tests use them.
#[cfg(test)]
extern crate self as countersign_document;

mod bounded;
mod elsewhere;
mod entry_count;
mod explain;
mod folder;
mod inside;
mod kind;
mod mend;
mod merge_patch;
mod named;
mod nearest;
mod normal;
mod number;
mod one_or_many;
mod part;
mod problem;
mod read;
mod remarked;
mod remarks;
mod render;
mod repair;
mod repeated;
mod rules;
mod schema;
mod span;
mod syntax;
mod table;
mod tagged;
mod text;
mod tree;
mod verdict;
mod whole;
pub mod words;
mod wrappers;

pub use bounded::{MaybeBlank, Text};
pub use folder::{FOLDER_PATTERN, FOLDER_RULE, folder_name, is_folder};
pub use inside::{inside, inside_mut, lone_key};
pub use kind::{Document, broken_rules};
pub use merge_patch::merge_patch;
pub use named::Named;
pub use nearest::{did_you_mean, listed, nearest};
pub use number::{List, Whole};
pub use one_or_many::OneOrMany;
pub use part::Part;
pub use problem::{Problem, Related, Severity};
pub use read::{Mended, Reading, mended, read, read_value, read_value_with, read_with};
pub use render::text;
pub use repeated::repeated;
pub use rules::Rules;
pub use schema::schema;
pub use span::Span;
pub use table::table;
pub use tagged::without_null;
pub use text::{Form, Refused, form, register};
pub use tree::{Limits, Tree, escaped};
pub use verdict::Verdict;

pub use wrappers::{AnyCase, DefaultTag, Tagless};

/// What the macros refer to.
#[doc(hidden)]
pub mod private {
    pub use schemars;
    pub use serde;
}

#[cfg(test)]
mod tests;
