//! Requests of a step that were struck out, and the form that strikes out more.

use std::collections::BTreeMap;

use super::{EffectGroup, Requests};
use crate::preview::StrikeMark;
use crate::text::Shown;

/// What was struck out of a step's requests, and whether the reader may change that.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Strikes {
    /// Who struck a request out, and when, by the request's number from 1.
    pub by: BTreeMap<u64, Shown>,
    /// Whether the reader may strike out and restore.
    pub open: bool,
}

/// The form that strikes out the marked requests of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StrikeForm {
    /// Its id, which every mark names.
    pub id: String,
    /// Where it is sent.
    pub action: String,
    /// The step.
    pub step: String,
    /// The first request that has a mark.
    pub first: u64,
    /// The last request that has one.
    pub last: u64,
}

impl Strikes {
    /// How many of these requests are struck out.
    pub(super) fn among(&self, numbers: impl Iterator<Item = u64>) -> u64 {
        numbers.filter(|n| self.by.contains_key(n)).count() as u64
    }

    fn mark(&self, number: u64, form: &str) -> StrikeMark {
        let form = self.open.then(|| form.to_owned());
        StrikeMark { number, by: self.by.get(&number).cloned(), form }
    }
}

impl EffectGroup {
    /// Marks what is shown of a step with several requests.
    pub(super) fn mark(&mut self, first: u64, strikes: &Strikes, form: &str) {
        match &mut self.table {
            Some(table) => {
                for row in &mut table.rows {
                    row.mark = Some(strikes.mark(row.number, form));
                }
            }
            None => self.mark = Some(strikes.mark(first, form)),
        }
    }

    /// How many of its requests are left.
    #[must_use]
    pub fn left(&self) -> u64 {
        self.count.saturating_sub(self.struck)
    }

    /// How many the sum is about: `all 40 together`, `38 of 40, 2 struck out`.
    #[must_use]
    pub fn summed(&self) -> String {
        match self.struck {
            0 => format!("all {} together", self.count),
            struck => format!("{} of {}, {struck} struck out", self.left(), self.count),
        }
    }

    /// What the table of its requests is called.
    #[must_use]
    pub fn caption(&self) -> String {
        let shown = self.table.as_ref().map_or(1, |table| table.rows.len());
        let is_cut = usize::try_from(self.count).is_ok_and(|count| count > shown);
        match (is_cut, self.struck) {
            (true, 0) => format!("Showing {shown} of {} requests", self.count),
            (true, struck) => {
                format!("Showing {shown} of {} requests, {struck} struck out", self.count)
            }
            (false, 0) => format!("All {} requests", self.count),
            (false, struck) => {
                format!("{} of {} requests, {struck} struck out", self.left(), self.count)
            }
        }
    }

    /// How many of the requests that are shown are left.
    pub(super) fn shown_left(&self) -> u64 {
        let left = |mark: &Option<StrikeMark>| !mark.as_ref().is_some_and(StrikeMark::is_struck);
        match &self.table {
            Some(table) => table.rows.iter().filter(|row| left(&row.mark)).count() as u64,
            None => u64::from(left(&self.mark)),
        }
    }

    /// How many of the requests that are shown are struck out.
    pub(super) fn shown_struck(&self) -> u64 {
        let shown = self.table.as_ref().map_or(1, |table| table.rows.len() as u64);
        shown - self.shown_left()
    }
}

impl Requests {
    /// Ends the groups of a step with the form for its marks.
    pub(super) fn add_form(&mut self, id: &str, step: &str, last: u64, page: &str) {
        let Some(group) = self.groups.last_mut() else { return };
        group.form = Some(StrikeForm {
            id: id.to_owned(),
            action: format!("{page}/strike"),
            step: step.to_owned(),
            first: 1,
            last,
        });
    }

    /// How many of those that are not shown are struck out, in words.
    #[must_use]
    pub fn rest_struck(&self) -> Option<String> {
        match self.left_out_struck {
            0 => None,
            1 => Some("1 more is struck out.".to_owned()),
            count => {
                Some(format!("{} more are struck out.", crate::text::grouped(&count.to_string())))
            }
        }
    }
}
