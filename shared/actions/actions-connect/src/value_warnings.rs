//! What is said of single values of files: all are counted, and of each file and field some are listed.

use std::collections::BTreeMap;

use countersign_registry::Warnings;
use serde_json::{Value, json};

/// Files and fields whose counts are named when not all warnings are listed.
const MAX_NAMED: usize = 10;

/// The warnings about one field of one file.
#[derive(Default)]
struct OfField {
    file: String,
    field: String,
    count: u64,
    first: Vec<Value>,
}

/// Warnings about values, by file and field in the order of the first.
#[derive(Default)]
pub(crate) struct ValueWarnings {
    places: BTreeMap<(usize, String), usize>,
    all: Vec<OfField>,
}

impl ValueWarnings {
    /// Adds one about a field of the file with this number.
    pub(crate) fn push(
        &mut self,
        file: (usize, &str),
        field: &str,
        warning: impl FnOnce() -> Value,
    ) {
        let of = self.of(file, field);
        of.count += 1;
        if of.first.len() < Warnings::MAX {
            of.first.push(warning());
        }
    }

    /// Counts warnings that were not written out.
    pub(crate) fn count(&mut self, file: (usize, &str), field: &str, count: u64) {
        self.of(file, field).count += count;
    }

    fn of(&mut self, (number, name): (usize, &str), field: &str) -> &mut OfField {
        let all = &mut self.all;
        let place = self.places.entry((number, field.to_owned())).or_insert_with(|| {
            all.push(OfField {
                file: name.to_owned(),
                field: field.to_owned(),
                ..OfField::default()
            });
            all.len() - 1
        });
        &mut all[*place]
    }

    /// Appends these warnings to those about whole files, up to the limit of a step. When not all fit, they are taken from each
    /// file and field in turn, so that one with many does not hide the others, and the first warning gives the counts.
    pub(crate) fn add_to(self, warnings: &mut Warnings<Value>) {
        let all: u64 = self.all.iter().map(|of| of.count).sum();
        let room = Warnings::MAX.saturating_sub(warnings.kept().len() + 1);
        if all <= room as u64 && self.all.iter().all(|of| of.count == of.first.len() as u64) {
            self.all.into_iter().flat_map(|of| of.first).for_each(|one| warnings.push(one));
            return;
        }
        warnings.push_for(0, json!({ "message": self.counts(all) }));
        let shares = self.shares(room);
        for (of, share) in self.all.into_iter().zip(shares) {
            let unlisted = of.count - share as u64;
            of.first.into_iter().take(share).for_each(|one| warnings.push(one));
            warnings.count_more(unlisted);
        }
    }

    /// How many of each are listed.
    fn shares(&self, room: usize) -> Vec<usize> {
        let mut shares = vec![0; self.all.len()];
        let mut left = room;
        loop {
            let before = left;
            for (of, share) in self.all.iter().zip(&mut shares) {
                if left > 0 && *share < of.first.len() {
                    *share += 1;
                    left -= 1;
                }
            }
            if left == before {
                return shares;
            }
        }
    }

    fn counts(&self, all: u64) -> String {
        let mut most: Vec<&OfField> = self.all.iter().collect();
        most.sort_by_key(|of| std::cmp::Reverse(of.count));
        let named = most.iter().take(MAX_NAMED).map(|of| {
            let field =
                if of.field.is_empty() { String::new() } else { format!(" about `{}`", of.field) };
            format!("{}{field} of `{}`", of.count, of.file)
        });
        let mut named: Vec<String> = named.collect();
        if most.len() > MAX_NAMED {
            let rest: u64 = most.iter().skip(MAX_NAMED).map(|of| of.count).sum();
            named.push(format!("{rest} about others"));
        }
        format!("{all} warnings about values, of which not all are listed: {}", named.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(found: ValueWarnings, before: usize) -> (u64, Vec<String>) {
        let mut warnings = Warnings::default();
        (0..before).for_each(|n| warnings.push(json!({ "message": format!("file {n}") })));
        found.add_to(&mut warnings);
        let text = |one: &Value| one["message"].as_str().unwrap().to_owned();
        (warnings.count(), warnings.kept().iter().map(text).collect())
    }

    fn add(found: &mut ValueWarnings, file: (usize, &str), field: &str, count: usize) {
        for n in 0..count {
            found.push(file, field, || json!({ "message": format!("{field} {n}") }));
        }
    }

    #[test]
    fn f_311_a_file_with_many_warnings_hides_no_other() {
        let mut found = ValueWarnings::default();
        add(&mut found, (0, "big.csv"), "day", 1_000);
        found.count((0, "big.csv"), "day", 52);
        add(&mut found, (0, "big.csv"), "amount", 2);
        add(&mut found, (1, "small.csv"), "amount", 2);
        let (count, texts) = told(found, 1);
        assert_eq!(count, 1_057);
        assert_eq!(
            texts[0],
            "1056 warnings about values, of which not all are listed: 1052 about `day` of `big.csv`, 2 about `amount` of `big.csv`, 2 about `amount` of `small.csv`"
        );
        assert_eq!((texts[1].as_str(), texts.len()), ("file 0", Warnings::MAX));
        let of = |field: &str| texts.iter().filter(|text| text.starts_with(field)).count();
        assert_eq!((of("amount"), of("day")), (4, Warnings::MAX - 6));
    }

    #[test]
    fn f_311_when_there_is_room_all_are_listed_and_nothing_is_added() {
        let mut found = ValueWarnings::default();
        add(&mut found, (0, "a.csv"), "day", 3);
        add(&mut found, (1, "b.csv"), "day", 1);
        assert_eq!(
            told(found, 0),
            (4, ["day 0", "day 1", "day 2", "day 0"].map(str::to_owned).to_vec())
        );
    }

    #[test]
    fn f_311_many_fields_are_counted_together() {
        let mut found = ValueWarnings::default();
        for n in 0..300 {
            add(&mut found, (0, "wide.csv"), &format!("f{n}"), 1);
        }
        let (count, texts) = told(found, 0);
        assert_eq!((count, texts.len()), (300, Warnings::MAX));
        assert!(texts[0].ends_with("290 about others"), "{}", texts[0]);
    }
}
