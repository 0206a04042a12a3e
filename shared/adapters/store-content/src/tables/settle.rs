//! Which rows are written, decided before anything is.

use std::collections::{BTreeMap, HashMap};

use countersign_report::table::Row;
use serde_json::{Map, Value};

use super::{OnConflict, StoredRow, Written};

/// The outcome: the items to put, in order, and what they count as.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Settled {
    pub(super) puts: Vec<StoredRow>,
    pub(super) written: Written,
}

/// Settles rows against those that stand. Rows of the same call found in the table were put by an interrupted attempt:
/// they count as then and are put again unchanged, so that attempts add up to one.
pub(super) fn settle(
    rows: Vec<Row>,
    existing: &HashMap<String, StoredRow>,
    on_conflict: OnConflict,
    call: &str,
    now: &str,
) -> Settled {
    let mut written = Written { inserted: 0, updated: 0, skipped: 0 };
    let mut puts: Vec<StoredRow> = Vec::with_capacity(rows.len());
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for (index, row) in rows.into_iter().enumerate() {
        if let Some(first) = seen.get(&row.id) {
            match on_conflict {
                OnConflict::Skip => written.skipped += 1,
                OnConflict::Update => {
                    written.updated += 1;
                    merge(&mut puts[*first], row.cells);
                }
            }
            continue;
        }
        let old = existing.get(&row.id);
        let own = old.is_some_and(|old| old.written_by == call);
        let inserted = old.is_none_or(|old| own && old.inserted);
        if !inserted && !own && on_conflict == OnConflict::Skip {
            written.skipped += 1;
            continue;
        }
        written.inserted += u64::from(inserted);
        written.updated += u64::from(!inserted);
        let place = old.map_or_else(|| format!("{now}#{index:08}"), |old| old.place.clone());
        let cells = old.map_or_else(|| "{}".to_owned(), |old| old.cells.clone());
        let mut put =
            StoredRow { id: row.id.clone(), cells, written_by: call.to_owned(), inserted, place };
        merge(&mut put, row.cells);
        seen.insert(row.id, puts.len());
        puts.push(put);
    }
    Settled { puts, written }
}

fn merge(row: &mut StoredRow, cells: Map<String, Value>) {
    let mut all = row.cells();
    all.extend(cells);
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
        let earlier =
            settle(before.iter().map(row).collect(), &table, OnConflict::Skip, "earlier", "t0");
        apply(&mut table, &earlier.puts);
        let settled = settle(rows.iter().map(row).collect(), &table, on_conflict, "call", "t1");
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
            let all = || rows.iter().map(row).collect::<Vec<_>>();
            let mut whole = Table::new();
            let earlier = settle(before.iter().map(row).collect(), &whole, OnConflict::Skip, "earlier", "t0");
            apply(&mut whole, &earlier.puts);
            let mut broken = whole.clone();

            let once = settle(all(), &whole, on_conflict, "call", "t1");
            apply(&mut whole, &once.puts);
            let first = settle(all(), &broken, on_conflict, "call", "t1");
            apply(&mut broken, &first.puts[..stop.min(first.puts.len())]);
            let second = settle(all(), &broken, on_conflict, "call", "t1");
            apply(&mut broken, &second.puts);

            prop_assert_eq!(second.written, once.written);
            prop_assert_eq!(broken, whole);
        }
    }
}
