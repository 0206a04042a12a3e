//! Which rows are written, decided before anything is.

use std::collections::{BTreeMap, HashMap};

use countersign_report::table::Row;
use serde_json::{Map, Value};

use super::{OnConflict, StoredRow, Written};

/// The outcome: the items to put, in order, and what all rows count as.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Settled {
    pub(super) puts: Vec<StoredRow>,
    pub(super) written: Written,
}

/// Settles rows against those that stand. Rows of the same call found in the table were put by an interrupted attempt, or a
/// moment ago: they count as then and are not put again, so that attempts add up to one.
pub(super) fn settle(
    rows: &[Row],
    existing: &HashMap<String, StoredRow>,
    on_conflict: OnConflict,
    call: &str,
    now: &str,
) -> Settled {
    let mut written = Written { inserted: 0, updated: 0, skipped: 0 };
    let mut puts: Vec<StoredRow> = Vec::with_capacity(rows.len());
    // Where the row of an id is among the puts; none of one that stays as it stands.
    let mut seen: BTreeMap<&str, Option<usize>> = BTreeMap::new();
    for (index, row) in rows.iter().enumerate() {
        if let Some(first) = seen.get(row.id.as_str()) {
            match (on_conflict, first) {
                (OnConflict::Update, Some(first)) => {
                    written.updated += 1;
                    merge(&mut puts[*first], &row.cells);
                }
                _ => written.skipped += 1,
            }
            continue;
        }
        let old = existing.get(&row.id);
        let own = old.is_some_and(|old| old.written_by == call);
        let inserted = old.is_none_or(|old| old.inserted_by() == Some(call));
        let stays = old.is_some() && !own && on_conflict == OnConflict::Skip;
        written.inserted += u64::from(inserted);
        written.updated += u64::from(!inserted && !stays);
        written.skipped += u64::from(!inserted && stays);
        if stays {
            seen.insert(&row.id, None);
            continue;
        }
        let mut put = match old {
            Some(old) => old.next(call),
            None => StoredRow::new(&row.id, call, format!("{now}#{index:08}")),
        };
        merge(&mut put, &row.cells);
        seen.insert(&row.id, Some(puts.len()));
        puts.push(put);
    }
    puts.retain(|put| existing.get(&put.id).is_none_or(|old| put.changes(old)));
    Settled { puts, written }
}

fn merge(row: &mut StoredRow, cells: &Map<String, Value>) {
    let mut all = row.cells();
    all.extend(cells.clone());
    row.cells = Value::Object(all).to_string();
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use countersign_report::table::Row;
    use proptest::prelude::*;
    use serde_json::json;

    use super::{OnConflict, StoredRow, Written, settle};

    type Table = HashMap<String, StoredRow>;

    fn row((id, value): &(u8, u8)) -> Row {
        Row { id: id.to_string(), cells: json!({"value": value}).as_object().unwrap().clone() }
    }

    fn all(rows: &[(u8, u8)]) -> Vec<Row> {
        rows.iter().map(row).collect()
    }

    /// Puts a row if what stands under its id is what was seen there, as the database does.
    fn put_if(table: &mut Table, put: &StoredRow, seen: &Table) -> bool {
        let version = |table: &Table| table.get(&put.id).map(|row| row.version);
        let is_same = version(table) == version(seen);
        if is_same {
            table.insert(put.id.clone(), put.clone());
        }
        is_same
    }

    fn apply(table: &mut Table, puts: &[StoredRow]) {
        for put in puts {
            table.insert(put.id.clone(), put.clone());
        }
    }

    fn check(
        before: &[(u8, u8)],
        rows: &[(u8, u8)],
        on_conflict: OnConflict,
        expect: (u64, u64, u64),
        after: &[(u8, u8)],
    ) {
        let mut table = Table::new();
        let earlier = settle(&all(before), &table, OnConflict::Skip, "earlier", "t0");
        apply(&mut table, &earlier.puts);
        let settled = settle(&all(rows), &table, on_conflict, "call", "t1");
        let (inserted, updated, skipped) = expect;
        assert_eq!(settled.written, Written { inserted, updated, skipped });
        apply(&mut table, &settled.puts);
        let mut stand: Vec<(u8, u64)> = table
            .values()
            .map(|row| (row.id.parse().unwrap(), row.cells()["value"].as_u64().unwrap()))
            .collect();
        stand.sort_unstable();
        assert_eq!(
            stand,
            after.iter().map(|(id, value)| (*id, u64::from(*value))).collect::<Vec<_>>()
        );
    }

    #[test]
    fn f_290_a_row_whose_key_stands_is_skipped() {
        check(
            &[(1, 10)],
            &[(1, 11), (2, 20), (2, 21)],
            OnConflict::Skip,
            (1, 0, 2),
            &[(1, 10), (2, 20)],
        );
        check(&[], &[], OnConflict::Skip, (0, 0, 0), &[]);
    }

    #[test]
    fn f_052_a_row_whose_key_stands_is_updated() {
        check(
            &[(1, 10)],
            &[(1, 11), (2, 20), (2, 21)],
            OnConflict::Update,
            (1, 2, 0),
            &[(1, 11), (2, 21)],
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]
        #[test]
        fn an_interrupted_call_adds_up_to_one(
            before in prop::collection::vec((0u8..6, 0u8..9), 0..6),
            rows in prop::collection::vec((0u8..9, 0u8..9), 0..12),
            stop in 0usize..12,
            update in any::<bool>(),
        ) {
            let on_conflict = if update { OnConflict::Update } else { OnConflict::Skip };
            let rows = all(&rows);
            let mut whole = Table::new();
            let earlier = settle(&all(&before), &whole, OnConflict::Skip, "earlier", "t0");
            apply(&mut whole, &earlier.puts);
            let mut broken = whole.clone();

            let once = settle(&rows, &whole, on_conflict, "call", "t1");
            apply(&mut whole, &once.puts);
            let first = settle(&rows, &broken, on_conflict, "call", "t1");
            apply(&mut broken, &first.puts[..stop.min(first.puts.len())]);
            let second = settle(&rows, &broken, on_conflict, "call", "t1");
            apply(&mut broken, &second.puts);

            prop_assert_eq!(second.written, once.written);
            prop_assert_eq!(broken, whole);
        }

        #[test]
        fn f_290_rows_of_two_calls_at_once_are_inserted_once(
            before in prop::collection::vec((0u8..6, 0u8..9), 0..6),
            rows in prop::collection::vec((0u8..9, 0u8..9), 0..12),
            other in prop::collection::vec((0u8..9, 0u8..9), 0..12),
            stop in 0usize..12,
            update in any::<bool>(),
        ) {
            let on_conflict = if update { OnConflict::Update } else { OnConflict::Skip };
            let mut table = Table::new();
            let earlier = settle(&all(&before), &table, OnConflict::Skip, "earlier", "t0");
            apply(&mut table, &earlier.puts);
            let stood = table.len() as u64;

            // One call has read and put a part of its rows when the other one comes and goes.
            let (rows, mut seen) = (all(&rows), table.clone());
            let first = settle(&rows, &seen, on_conflict, "call", "t1");
            let (some, rest) = first.puts.split_at(stop.min(first.puts.len()));
            apply(&mut table, some);
            apply(&mut seen, some);
            let others = settle(&all(&other), &table, on_conflict, "other", "t2");
            apply(&mut table, &others.puts);
            for put in rest {
                if put_if(&mut table, put, &seen) {
                    seen.insert(put.id.clone(), put.clone());
                } else if let Some(stands) = table.get(&put.id) {
                    seen.insert(put.id.clone(), stands.clone());
                }
            }
            let again = settle(&rows, &seen, on_conflict, "call", "t1");
            for put in &again.puts {
                prop_assert!(put_if(&mut table, put, &seen));
            }
            let grown = table.len() as u64 - stood;
            prop_assert_eq!(again.written.inserted + others.written.inserted, grown);
            // Whoever comes again after all of this counts the same.
            let repeated = settle(&rows, &table, on_conflict, "call", "t1");
            prop_assert_eq!(repeated.written, again.written);
        }
    }
}
