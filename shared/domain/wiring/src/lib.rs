//! Wiring: how steps name each other's results (F-154…F-158), and the types of what flows (F-161).
//!
//! - [`Reference`]: `step.results[0].name`, with `[*]` for every item of a list.
//! - [`Template`]: text in which `{reference}` is replaced; `{{` and `}}` are braces.
//! - [`resolve`] and [`bind`]: replace the references of a JSON value; `bind` also checks it against typed slots.
//! - [`Condition`]: `{x.count} > 0 AND NOT {e[0].type} == 'ORG'`.
//! - [`compatible`], [`type_of_path`], [`type_of_value`], [`coerce`]: types before and during a run.
//!
//! Everything here takes untrusted text: lengths, depths and counts are bounded and nothing panics. Values that come
//! from a reference are never read as templates again.

mod bind;
mod coerce;
pub mod condition;
mod error;
mod gap;
mod reference;
mod resolve;
mod scope;
mod template;
mod types;

pub use bind::{SlotError, SlotProblem, all_or_errors, bind, bind_open};
pub use coerce::{TypeError, coerce};
pub use condition::Condition;
pub use error::{SyntaxError, WiringError};
pub use gap::{gap, is_gap};
pub use reference::{Reference, Segment};
pub use resolve::{Undefined, literal, map_references, references, render, resolve, texts};
pub use scope::{Person, Runtime, Scope, runtime_type};
pub use template::{Part, Template, literal_text};
pub use types::{Compat, PathError, compatible, type_of_path, type_of_value};
