//! Results as documents, tables and files.
//!
//! Everything here is deterministic and pure: the same data, layout and time give the same bytes, and no model is asked.
//!
//! - [`Layout`] and [`render`]: a value becomes Markdown, JSON, CSV or a structured object (F-136).
//! - [`file_name`]: `nonprofit_{entity_name}_{date}.md` becomes a name that is safe everywhere.
//! - [`Destination`]: where a result goes (F-280…F-288), parsed with every problem at its field path.
//! - [`table`]: rows, columns, types and keys of workspace tables (F-289…F-291).
//! - [`fields`]: reading a JSON object field by field, which the other domain crates use too.

pub mod csv_text;
mod destination;
mod error;
pub mod fields;
mod file_name;
mod format;
mod layout;
pub mod linked;
pub mod markdown;
mod path;
mod render;
pub mod table;

pub use destination::{
    Destination, DestinationConfig, DocumentConfig, ExportConfig, TableConfig, Transform,
};
pub use error::ReportError;
pub use file_name::file_name;
pub use format::{Format, Rendered};
pub use layout::{CellFormat, Column, Currency, Layout, Section, SectionFormat};
pub use path::at;
pub use render::{Provenance, render, titled};
