//! Cells that are merged over several rows: a workbook has their value in the first row only.

use std::collections::{BTreeMap, VecDeque};

use calamine::XlsxError;
use serde_json::Value;

use super::{Book, Cells};
use crate::limits::Limits;

/// The merged regions of a sheet, from its first row to its last.
#[derive(Default)]
pub(super) struct Merged {
    /// Those that begin below, by their first row.
    ahead: VecDeque<Region>,
    /// Those of the rows that are read, by their column.
    open: BTreeMap<usize, (Region, Value)>,
    /// The last row of the header, or 0.
    header: u32,
}

/// The first column of a merged region; what it covers beside that stays empty.
#[derive(Debug, Clone, Copy)]
struct Region {
    column: usize,
    first: u32,
    last: u32,
}

impl Merged {
    pub(super) fn of(
        workbook: &mut Book,
        sheet: &str,
        header: Option<u32>,
    ) -> Result<Self, XlsxError> {
        let regions = workbook.merge_cells_by_sheet_name(sheet)?.into_iter();
        let regions = regions.filter(|region| region.end.0 > region.start.0);
        let mut ahead: Vec<Region> = regions
            .map(|region| Region {
                column: region.start.1 as usize,
                first: region.start.0,
                last: region.end.0,
            })
            .collect();
        ahead.sort_by_key(|region| region.first);
        Ok(Self { ahead: ahead.into(), open: BTreeMap::new(), header: header.unwrap_or(0) })
    }

    /// Fills the empty cells of a row from those that are merged with them, except by figures: each would be counted again.
    pub(super) fn fill(
        &mut self,
        row: &mut Cells,
        limits: &Limits,
    ) -> Result<(), (&'static str, usize)> {
        self.open.retain(|_, (region, _)| region.last >= row.row);
        for (column, (region, value)) in &self.open {
            // What is written in the header or above it is not a value of the rows below.
            let is_value = region.first >= self.header || row.row < self.header;
            if !is_value || row.has(*column) {
                continue;
            }
            if value.is_number() {
                row.merged.insert(*column);
            } else {
                row.put(*column, value.clone(), limits)?;
                row.copied.insert(*column);
            }
        }
        while let Some(region) = self.ahead.pop_front_if(|region| region.first <= row.row) {
            let value = row.own(region.column).filter(|_| region.first == row.row);
            if let Some(value) = value {
                self.open.insert(region.column, (region, value));
            }
        }
        Ok(())
    }
}
