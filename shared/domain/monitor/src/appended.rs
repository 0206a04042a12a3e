//! What is new in a list to whose end new items are added (F-213).

use crate::error::LookError;
use crate::mark::{MarkKind, Position};
use crate::new_items::{Found, NewItems, Overlap, room};

/// What lies behind a position in such a list. The value of a position is how many items are known; without one, all that are
/// there are known from now on (F-219).
///
/// # Errors
/// [`LookError::Replaced`] when there are fewer items than are known: nobody can say which of them are new.
pub fn appended(
    previous: Option<&Position>,
    there: Vec<Found>,
    how: Overlap,
) -> Result<NewItems, LookError> {
    let count = there.len();
    let known = previous.map_or(count, |position| position.value.as_deref().map_or(0, offset));
    if known > count {
        return Err(LookError::Replaced { known, count });
    }
    let behind = there.into_iter().enumerate().skip(known);
    let mut items: Vec<Found> =
        behind.map(|(place, found)| Found { key: format!("#{}", place + 1), ..found }).collect();
    let room = room(items.iter(), how);
    items.truncate(room.count());
    let end = known + items.len();
    let position = Position { value: Some(end.to_string()), ..Position::start(MarkKind::Offset) };
    Ok(room.novel(items, position, end < count))
}

/// A value of another kind is no offset: nothing is known by it.
fn offset(value: &str) -> usize {
    value.parse().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use jiff::{SignedDuration, Timestamp};
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn list(length: usize) -> Vec<Found> {
        let one = |n: usize| Found { key: "same".to_owned(), at: None, record: json!(n % 2) };
        (0..length).map(one).collect()
    }

    fn how(most: usize) -> Overlap {
        let (late, now) = (SignedDuration::ZERO, Timestamp::UNIX_EPOCH);
        let kind = MarkKind::Offset;
        Overlap { kind, late, now, most, bytes: 1_000, memory: 10, is_cut: false }
    }

    #[test]
    fn f_213_what_is_added_has_the_bound_of_a_batch_in_bytes() {
        let long = |_| Found { key: String::new(), at: None, record: json!("x".repeat(400)) };
        let all: Vec<Found> = (0..5).map(long).collect();
        let start = Position::start(MarkKind::Offset);
        let found = appended(Some(&start), all.clone(), how(10)).unwrap();
        assert_eq!((found.items.len(), found.has_more), (2, true));
        let tight = Overlap { bytes: 100, ..how(10) };
        let alone = appended(Some(&start), all, tight).unwrap();
        assert_eq!((alone.items.len(), alone.has_more), (0, true));
        assert_eq!(alone.position.value.as_deref(), Some("1"), "the next look goes on behind it");
        assert_eq!(alone.too_large.map(|one| one.key).as_deref(), Some("#1"));
    }

    #[test]
    fn f_213_a_list_that_became_shorter_was_replaced() {
        let first = appended(None, list(3), how(10)).unwrap();
        assert_eq!((first.items.len(), first.position.value.as_deref()), (0, Some("3")));
        let shorter = appended(Some(&first.position), list(2), how(10));
        assert_eq!(shorter, Err(LookError::Replaced { known: 3, count: 2 }));
        let reset = Position::start(MarkKind::Offset);
        assert_eq!(appended(Some(&reset), list(2), how(10)).unwrap().items.len(), 2, "F-215");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn f_213_each_item_behind_the_first_look_comes_once_and_in_order(
            begin in 0_usize..20,
            grows in proptest::collection::vec(0_usize..9, 1..12),
            most in 1_usize..6,
        ) {
            let mut length = begin;
            let mut position = appended(None, list(length), how(most)).unwrap().position;
            let mut keys = Vec::new();
            for grow in grows {
                length += grow;
                loop {
                    let found = appended(Some(&position), list(length), how(most)).unwrap();
                    prop_assert!(found.items.len() <= most);
                    keys.extend(found.items.into_iter().map(|found| found.key));
                    position = found.position;
                    if !found.has_more {
                        break;
                    }
                }
            }
            let expect: Vec<String> = (begin + 1..=length).map(|n| format!("#{n}")).collect();
            prop_assert_eq!(keys, expect);
        }
    }
}
