//! Reads files, pages and feeds that strangers made, in a child process that is killed when it takes too long or too much
//! memory (ADR 18).
//!
//! A function starts *itself* with one word more ([`child`], the first line of its `main`). The child has an empty
//! environment, no files to open, and limits of memory and computing time that it sets before it looks at anything. It
//! reads the job and the document from its standard input and writes what it found, line by line, to its standard output.
//! The readers themselves are `countersign-formats` and `countersign-pages`.

mod answer;
mod child;
mod ended;
#[cfg(debug_assertions)]
mod here;
mod job;
mod readers;
mod wire;

pub use child::child;
pub use readers::{Bounds, Readers};
