//! Results as documents, tables and files.
//!
//! Everything here is deterministic and pure: the same data, layout and time give the same bytes, and no model is asked.
//!
//! - [`Layout`] and [`render`]: a value becomes Markdown, JSON, CSV or a structured object (F-136).
//! - [`file_name`]: `nonprofit_{entity_name}_{date}.md` becomes a name that is safe everywhere.
//! - [`WrittenDestination`] is what people write about where a result goes, [`Destination`] what it means (F-280…F-288).
//! - [`table`]: rows, columns, types and keys of workspace tables (F-289…F-291).

pub mod csv_text;
mod destination;
mod error;
mod file_name;
mod format;
mod layout;
pub mod linked;
pub mod markdown;
mod path;
pub mod plain;
mod render;
pub mod table;
mod transform;
mod written;

pub use destination::{
    AppendConfig, Destination, DestinationConfig, DocumentConfig, ExportConfig, GraphConfig,
    Prepared, TableConfig,
};
pub use error::{Misfit, ReportError};
pub use file_name::file_name;
pub use format::{Format, Rendered};
pub use layout::{CellFormat, Column, Currency, Layout, Section, SectionFormat};
pub use path::at;
pub use render::{Provenance, content, render, titled};
pub use transform::Transform;
pub use written::{GraphNamespace, MAX_DESTINATIONS, WrittenDestination};
