//! How much is read of one file.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use countersign_connector::xml;
use serde::{Deserialize, Serialize};

use crate::error::FormatError;

/// Bounds on one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Bytes of the file.
    pub max_bytes: u64,
    /// Bytes of everything packed in the file, unpacked.
    pub max_unpacked_bytes: u64,
    /// Parts of a packed file.
    pub max_parts: usize,
    /// Records.
    pub max_records: usize,
    /// Rows looked at, with those that hold no record.
    pub max_rows: u64,
    /// Columns of a table.
    pub max_columns: usize,
    /// Pages.
    pub max_pages: usize,
    /// Values inside each other.
    pub max_depth: usize,
    /// Bytes of one value.
    pub max_value_bytes: usize,
    /// Bytes of one record before it is mapped.
    pub max_record_bytes: usize,
    /// Bytes of all values kept.
    pub max_kept_bytes: u64,
    /// Bytes of a page whose whole tree is held.
    pub max_page_bytes: u64,
}

impl Limits {
    /// The bounds for files of up to `megabytes`.
    #[must_use]
    pub fn for_megabytes(megabytes: u32) -> Self {
        const MIB: u64 = 1024 * 1024;
        Self {
            max_bytes: u64::from(megabytes) * MIB,
            max_unpacked_bytes: 128 * MIB,
            max_parts: 4_096,
            max_records: 100_000,
            max_rows: 1_048_576,
            max_columns: 16_384,
            max_pages: 2_000,
            max_depth: 128,
            max_value_bytes: MIB as usize,
            max_record_bytes: 4 * MIB as usize,
            max_kept_bytes: 192 * MIB,
            max_page_bytes: 16 * MIB,
        }
    }

    pub(crate) fn of_xml(&self) -> xml::Limits {
        let megabytes = u32::try_from(self.max_bytes / (1024 * 1024)).unwrap_or(u32::MAX);
        xml::Limits {
            max_bytes: self.max_bytes,
            max_records: self.max_records as u64,
            ..xml::Limits::for_megabytes(megabytes)
        }
    }
}

/// Says that nobody waits any more. Readers look at it between records and pages.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Nobody waits any more.
    pub fn now(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(crate) fn check(&self) -> Result<(), FormatError> {
        if self.is_set() { Err(FormatError::Time) } else { Ok(()) }
    }

    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
