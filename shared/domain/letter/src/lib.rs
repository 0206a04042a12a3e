//! What an approver reads: mails (text and HTML) and the pages of the mail door.
//!
//! Two rules decide what may stand where:
//!
//! - **Mails** carry no untrusted text. Prompts, previews, step names, arguments and notes never reach a mail body; the
//!   only words from outside this crate are ids, times and [`Label`]s: names an owner or administrator chose, reduced to
//!   letters, digits, spaces and a few harmless marks, and cut to 60 characters.
//! - **Pages** show everything, as [`Shown`] text: escaped by the template engine, characters that people cannot see or would
//!   misread marked, each piece isolated from the direction of its surroundings. What is shortened says by how much, and
//!   links to all of it.
//!
//! Nothing here reads a clock, the environment or the network.

mod currency;
mod effect;
mod error;
mod format;
pub mod mail;
pub mod page;
mod picture;
mod preview;
mod sends;
mod strike_verbs;
mod text;
mod when;

pub use effect::{
    About, EffectGroup, FieldView, Requests, SectionView, StrikeForm, Strikes, TargetView, Weight,
    amounts,
};
pub use error::LetterError;
pub use format::formatted;
pub use picture::{Picture, Stage, StagePlace, StepView};
pub use preview::{Cell, Heading, Line, Preview, Role, Row, StrikeMark, Table};
pub use sends::approving_sends;
pub use strike_verbs::StrikeVerbs;
pub use text::{Label, Mark, Part, Shown, fingerprint};
pub use when::{moment, until};
