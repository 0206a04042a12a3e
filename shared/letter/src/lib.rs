//! What an approver reads: mails (text and HTML) and the pages of the mail door.
//!
//! Two rules decide what may stand where:
//!
//! - **Mails** carry no untrusted text. Prompts, previews, step names, arguments and notes never reach a mail body; the
//!   only words from outside this crate are ids, times and [`Label`]s: names an owner or administrator chose, reduced to
//!   letters, digits, spaces and a few harmless marks, and cut to 60 characters.
//! - **Pages** show everything, as [`Shown`] text: escaped by the template engine, control, bidirectional and invisible
//!   characters replaced by visible marks, each piece isolated from the direction of its surroundings and bounded.
//!
//! Nothing here reads a clock, the environment or the network.

mod error;
pub mod mail;
pub mod page;
mod picture;
mod preview;
mod text;
mod when;

pub use error::LetterError;
pub use picture::{Picture, Stage, StagePlace, StepView};
pub use preview::{Column, Effect, Preview, Table};
pub use text::{Label, Part, Shown, fingerprint};
pub use when::{moment, until};
