//! Cells that are merged: a workbook has their value in the first of them only.

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

#[derive(Debug, Clone, Copy)]
struct Region {
    column: usize,
    last_column: usize,
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
        let mut ahead: Vec<Region> = regions
            .map(|region| Region {
                column: region.start.1 as usize,
                last_column: region.end.1 as usize,
                first: region.start.0,
                last: region.end.0,
            })
            .collect();
        ahead.sort_by_key(|region| region.first);
        Ok(Self { ahead: ahead.into(), open: BTreeMap::new(), header: header.unwrap_or(0) })
    }

    /// Fills the first column of regions that began above. Not by figures: each would be counted again.
    pub(super) fn fill(
        &mut self,
        row: &mut Cells,
        limits: &Limits,
    ) -> Result<(), (&'static str, usize)> {
        self.open.retain(|_, (region, _)| region.last >= row.row);
        for (column, (region, value)) in &self.open {
            if !self.is_value(region, row.row) {
                continue;
            }
            if value.is_number() && region.first >= self.header {
                row.merged.push((*column, region.last_column));
            } else if !row.has(*column) {
                row.put(*column, value.clone(), limits)?;
                row.copied.insert(*column);
            }
        }
        while let Some(region) = self.ahead.pop_front_if(|region| region.first <= row.row) {
            self.begin(region, row);
        }
        row.merged.sort_unstable();
        Ok(())
    }

    fn begin(&mut self, region: Region, row: &mut Cells) {
        let value = row.own(region.column).filter(|_| region.first == row.row);
        let Some(value) = value else { return };
        let is_wide = region.last_column > region.column;
        if is_wide && value.is_number() && region.first >= self.header {
            row.merged.push((region.column + 1, region.last_column));
        }
        self.open.insert(region.column, (region, value));
    }

    /// Whether a region has a value of a row: what begins in the header or above it has none of the rows below.
    fn is_value(&self, region: &Region, row: u32) -> bool {
        region.first >= self.header || row < self.header
    }
}
