//! What is new in a list to whose end new items are added (F-213).

use crate::error::LookError;
use crate::mark::{MarkKind, Position};
use crate::novel::{Found, Novel};

/// What lies behind a position in such a list. The value of a position is how many items are known; without one, all that are
/// there are known from now on (F-219).
///
/// # Errors
/// [`LookError::Replaced`] when there are fewer items than are known: nobody can say which of them are new.
pub fn appended(
    previous: Option<&Position>,
    there: Vec<Found>,
    most: usize,
) -> Result<Novel, LookError> {
    let count = there.len();
    let known = previous.map_or(count, |position| position.value.as_deref().map_or(0, offset));
    if known > count {
        return Err(LookError::Replaced { known, count });
    }
    let behind = there.into_iter().enumerate().skip(known).take(most);
    let items: Vec<Found> =
        behind.map(|(place, found)| Found { key: format!("#{}", place + 1), ..found }).collect();
    let end = known + items.len();
    let position = Position { value: Some(end.to_string()), ..Position::start(MarkKind::Offset) };
    Ok(Novel { items, position, has_more: end < count })
}

/// A value of another kind is no offset: nothing is known by it.
fn offset(value: &str) -> usize {
    value.parse().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn list(length: usize) -> Vec<Found> {
        let one = |n: usize| Found { key: "same".to_owned(), at: None, record: json!(n % 2) };
        (0..length).map(one).collect()
    }

    #[test]
    fn f_213_a_list_that_became_shorter_was_replaced() {
        let first = appended(None, list(3), 10).unwrap();
        assert_eq!((first.items.len(), first.position.value.as_deref()), (0, Some("3")));
        let shorter = appended(Some(&first.position), list(2), 10);
        assert_eq!(shorter, Err(LookError::Replaced { known: 3, count: 2 }));
        let reset = Position::start(MarkKind::Offset);
        assert_eq!(appended(Some(&reset), list(2), 10).unwrap().items.len(), 2, "F-215");
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
            let mut position = appended(None, list(length), most).unwrap().position;
            let mut keys = Vec::new();
            for grow in grows {
                length += grow;
                loop {
                    let found = appended(Some(&position), list(length), most).unwrap();
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
