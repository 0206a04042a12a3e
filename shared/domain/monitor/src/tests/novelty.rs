use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use crate::{
    ChangeKind, Found, Held, LookError, MAX_BYTES, MAX_ITEMS, MAX_SEEN, MarkKind, NewItems,
    Overlap, Position, Taken, Watermark, changes, novel,
};

fn at(minute: i64) -> Timestamp {
    Timestamp::from_second(1_700_000_000 + 60 * minute).unwrap()
}

fn item(key: &str, minute: Option<i64>) -> Found {
    Found { key: key.to_owned(), at: minute.map(at), record: json!({ "key": key }) }
}

fn look(previous: Option<&Position>, there: Vec<Found>, late: i64, most: usize) -> NewItems {
    novel(previous, there, overlap(late, most)).unwrap()
}

fn overlap(late: i64, most: usize) -> Overlap {
    Overlap {
        kind: MarkKind::Cursor,
        late: SignedDuration::from_mins(late),
        now: at(10_000),
        most,
        bytes: MAX_BYTES,
        memory: MAX_SEEN,
        is_cut: false,
    }
}

/// The same of an answer that its source has cut.
fn cut(previous: Option<&Position>, there: Vec<Found>) -> Result<NewItems, LookError> {
    novel(previous, there, Overlap { is_cut: true, ..overlap(60, 10) })
}

fn of_one_day(count: usize) -> Vec<Found> {
    (0..count).map(|n| item(&n.to_string(), Some(5))).collect()
}

fn keys(novel: &NewItems) -> Vec<&str> {
    novel.items.iter().map(|found| found.key.as_str()).collect()
}

#[test]
fn f_219_the_first_look_is_where_it_begins() {
    let first = look(None, vec![item("a", Some(1)), item("b", None)], 60, 10);
    assert_eq!(keys(&first), [""; 0]);
    let second = look(
        Some(&first.position),
        vec![item("a", Some(1)), item("b", None), item("c", Some(2))],
        60,
        10,
    );
    assert_eq!(keys(&second), ["c"]);
    let start = Position::start(MarkKind::Cursor);
    let all = look(Some(&start), vec![item("b", None), item("a", Some(1))], 60, 10);
    assert_eq!(keys(&all), ["a", "b"], "F-215: after a reset everything is new, the oldest first");
}

#[test]
fn what_comes_late_is_new_within_the_overlap_and_once() {
    let first = look(None, vec![item("new", Some(100))], 60, 10);
    let there = || vec![item("new", Some(100)), item("late", Some(50)), item("too-late", Some(39))];
    let second = look(Some(&first.position), there(), 60, 10);
    assert_eq!(keys(&second), ["late"]);
    let third = look(Some(&second.position), there(), 60, 10);
    assert_eq!(keys(&third), [""; 0]);
}

#[test]
fn what_does_not_fit_into_a_batch_is_new_at_the_next_look() {
    let start = Position::start(MarkKind::Cursor);
    let there = || (0..5).map(|n| item(&n.to_string(), (n < 4).then_some(n))).collect::<Vec<_>>();
    let first = look(Some(&start), there(), 60, 3);
    assert_eq!((keys(&first), first.has_more), (vec!["0", "1", "2"], true));
    let second = look(Some(&first.position), there(), 60, 3);
    assert_eq!((keys(&second), second.has_more), (vec!["3", "4"], false));
    assert_eq!(keys(&look(Some(&second.position), there(), 60, 3)), [""; 0]);
}

#[test]
fn a_date_in_the_future_does_not_hide_what_comes_before_it() {
    let first = look(None, vec![item("future", Some(1_000_000))], 60, 10);
    assert_eq!(first.position.value, Some(at(10_000).to_string()));
    let second = look(Some(&first.position), vec![item("now", Some(9_990))], 60, 10);
    assert_eq!(keys(&second), ["now"]);
}

#[test]
fn what_is_remembered_is_bounded_and_nothing_comes_twice_for_it() {
    let many = i64::try_from(MAX_SEEN).unwrap() + 500;
    let there = || (0..many).map(|n| item(&n.to_string(), Some(n))).collect::<Vec<_>>();
    let first = look(None, there(), 1_000_000, 10);
    assert_eq!(first.position.seen.len(), MAX_SEEN);
    assert_eq!(keys(&look(Some(&first.position), there(), 1_000_000, 10)), [""; 0]);
}

#[test]
fn f_059_changes_of_a_folder_are_told_by_their_hashes() {
    let held = |id: &str, hash: &str| Held {
        id: id.to_owned(),
        name: format!("{id}.xml"),
        hash: hash.to_owned(),
    };
    let first = changes(None, &[held("a", "1"), held("b", "1")], ALL);
    assert!(first.changes.is_empty(), "F-219");
    let second = changes(Some(&first.position), &[held("b", "2"), held("c", "1")], ALL);
    let told: Vec<_> = second.changes.iter().map(|c| (c.kind, c.name.as_str())).collect();
    let expect = [
        (ChangeKind::Added, "c.xml"),
        (ChangeKind::Modified, "b.xml"),
        (ChangeKind::Deleted, "a.xml"),
    ];
    assert_eq!(told, expect);
    assert_ne!(first.position.value, second.position.value);
    assert!(
        changes(Some(&second.position), &[held("c", "1"), held("b", "2")], ALL).changes.is_empty()
    );
}

#[test]
fn f_213_items_of_one_date_are_never_passed_over() {
    let mut position = Position::start(MarkKind::Cursor);
    let mut found = Vec::new();
    for _ in 0..6 {
        let seen = look(Some(&position), of_one_day(MAX_SEEN), 60, MAX_ITEMS);
        found.push(seen.items.len());
        position = seen.position;
    }
    assert_eq!(found, [1_000, 1_000, 1_000, 1_000, 1_000, 0]);
    let one_more = novel(Some(&position), of_one_day(MAX_SEEN + 1), overlap(60, MAX_ITEMS));
    assert_eq!(one_more, Err(LookError::TooMany { memory: MAX_SEEN }));

    let baseline = look(None, of_one_day(2_500), 60, MAX_ITEMS).position;
    assert_eq!(keys(&look(Some(&baseline), of_one_day(2_501), 60, MAX_ITEMS)), ["2500"]);
    let too_many = novel(None, of_one_day(MAX_SEEN + 1), overlap(60, MAX_ITEMS));
    assert_eq!(too_many, Err(LookError::TooMany { memory: MAX_SEEN }));
}

#[test]
fn f_213_items_without_a_date_are_bounded_and_hide_no_others() {
    let undated = |from: usize, count: usize| {
        (from..from + count).map(|n| item(&format!("u{n}"), None)).collect::<Vec<_>>()
    };
    let too_many = novel(None, undated(0, MAX_SEEN + 1), overlap(60, 10));
    assert_eq!(too_many, Err(LookError::TooMany { memory: MAX_SEEN }));
    // Those that are gone make room, and an item that is dated before that look is still new.
    let first = look(None, undated(0, MAX_SEEN), 100_000, 10).position;
    let mut there = undated(MAX_SEEN, 5);
    there.push(item("late", Some(3)));
    let second = look(Some(&first), there, 100_000, 10);
    assert_eq!((second.items.len(), second.position.seen.len()), (6, MAX_SEEN));
}

#[test]
fn f_060_one_key_under_several_dates_is_one_item() {
    let start = Position::start(MarkKind::Cursor);
    let there = || vec![item("guid", Some(1)), item("other", Some(2)), item("guid", Some(3))];
    let first = look(Some(&start), there(), 60, 10);
    assert_eq!(keys(&first), ["other", "guid"]);
    assert_eq!(first.items[1].at, Some(at(3)), "as it is dated last");
    assert_eq!(keys(&look(Some(&first.position), there(), 60, 10)), [""; 0]);
}

#[test]
fn f_060_a_cut_answer_counts_when_it_goes_back_behind_the_overlap() {
    let newest_first = |minutes: &[i64]| {
        minutes.iter().map(|n| item(&n.to_string(), Some(*n))).collect::<Vec<_>>()
    };
    let first = cut(None, newest_first(&[200, 150, 100])).unwrap().position;
    assert_eq!(keys(&cut(Some(&first), newest_first(&[210, 200, 139])).unwrap()), ["210"]);
    for there in [&[210, 200, 140][..], &[100, 150, 210], &[139], &[]] {
        let failed = cut(Some(&first), newest_first(there));
        assert_eq!(failed, Err(LookError::Incomplete), "{there:?}");
    }
    assert_eq!(cut(None, newest_first(&[200, 150])), Err(LookError::Incomplete), "F-219");
    let mut undated = newest_first(&[210, 100]);
    undated.push(item("undated", None));
    assert_eq!(cut(Some(&first), undated), Err(LookError::Incomplete));
    // After a reset what came back is new, and what is behind it counts as known.
    let start = Position::start(MarkKind::Cursor);
    let all = cut(Some(&start), newest_first(&[200, 150, 100])).unwrap();
    assert_eq!(keys(&all), ["100", "150", "200"]);
    assert_eq!(keys(&cut(Some(&all.position), newest_first(&[200, 150, 100])).unwrap()), [""; 0]);
    // Once a whole answer had nothing, a cut one may not leave anything out.
    let empty = look(Some(&start), Vec::new(), 60, 10).position;
    assert_eq!(cut(Some(&empty), newest_first(&[200, 150, 100])), Err(LookError::Incomplete));
}

#[test]
fn f_406_where_a_step_looks_elsewhere_its_watermark_has_never_looked() {
    let source = |folder: &str| json!({ "folder_id": folder }).as_object().cloned().unwrap();
    let position = look(None, of_one_day(3), 60, 10).position;
    let mark = Watermark::new("look").moved(position, at(1)).looked(0, at(1));
    let mark = Watermark { metadata: source("a"), ..mark };
    let check = |folder: &str, kind: MarkKind, is_kept: bool| {
        let seen = mark.clone().for_source(kind, &source(folder));
        let kept = (seen.position.is_some(), seen.last_checked_at.is_some());
        assert_eq!((kept, seen.version), ((is_kept, is_kept), mark.version), "{folder}");
    };
    check("a", MarkKind::Cursor, true);
    check("b", MarkKind::Cursor, false);
    check("a", MarkKind::Hash, false);
    let reset = mark.clone().reset(at(2)).for_source(MarkKind::Cursor, &source("b"));
    assert!(reset.position.unwrap().is_start(), "F-215: everything is new, wherever it looks");
}

/// An item with a record of so many bytes.
fn large(key: &str, minute: i64, bytes: usize) -> Found {
    Found { record: json!("x".repeat(bytes - 2)), ..item(key, Some(minute)) }
}

#[test]
fn f_213_what_a_batch_has_no_bytes_for_is_new_at_the_next_look() {
    let start = Position::start(MarkKind::Cursor);
    let there = vec![large("a", 1, 40), large("b", 2, 60), large("c", 3, 10), large("d", 4, 100)];
    let how = Overlap { bytes: 100, ..overlap(60, 10) };
    let first = novel(Some(&start), there.clone(), how).unwrap();
    assert_eq!((keys(&first), first.has_more), (vec!["a", "b"], true));
    let second = novel(Some(&first.position), there.clone(), how).unwrap();
    assert_eq!((keys(&second), second.has_more), (vec!["c"], true));
    let third = novel(Some(&second.position), there.clone(), how).unwrap();
    assert_eq!((keys(&third), third.has_more), (vec!["d"], false));
    let none = novel(Some(&third.position), there, how).unwrap();
    assert_eq!(keys(&none), [""; 0]);
}

#[test]
fn f_213_an_item_that_no_batch_holds_is_alone_and_told_by_its_name() {
    let start = Position::start(MarkKind::Cursor);
    let there = vec![large("small", 1, 10), large("huge", 2, 101)];
    let how = Overlap { bytes: 100, ..overlap(60, 10) };
    let first = novel(Some(&start), there.clone(), how).unwrap();
    assert_eq!(keys(&first), ["small"], "what is before it is processed");
    let alone = novel(Some(&first.position), there.clone(), how).unwrap();
    let said = "the new item `huge` has 101 bytes, and a batch holds at most 100";
    assert_eq!(alone.too_large.map(|one| one.reason().message).as_deref(), Some(said));
    assert!(alone.items.is_empty() && !alone.has_more);
    let behind = novel(Some(&alone.position), there.clone(), how).unwrap();
    assert_eq!((behind.items.len(), behind.too_large), (0, None), "the position is behind it");
    // At a first look it is known from then on.
    assert!(novel(None, there, how).is_ok());
}

/// Every change of a folder.
const ALL: Taken<'_> = Taken { kinds: &[], most: usize::MAX };

#[test]
fn f_219_what_a_batch_does_not_hold_of_a_folders_changes_is_found_at_the_next_look() {
    let held = |id: &str, hash: &str| Held {
        id: id.to_owned(),
        name: format!("{id}.pdf"),
        hash: hash.to_owned(),
    };
    let mut position = changes(None, &[held("a", "1"), held("b", "1")], ALL).position;
    let there = [held("b", "2"), held("c", "1"), held("d", "1")];
    let mut found = Vec::new();
    for _ in 0..4 {
        let looked = changes(Some(&position), &there, Taken { most: 1, ..ALL });
        found.extend(looked.changes.into_iter().map(|one| (one.kind, one.id)));
        position = looked.position;
    }
    let expect = [
        (ChangeKind::Added, "c"),
        (ChangeKind::Added, "d"),
        (ChangeKind::Modified, "b"),
        (ChangeKind::Deleted, "a"),
    ];
    assert_eq!(found, expect.map(|(kind, id)| (kind, id.to_owned())));
    let all = changes(None, &there, ALL).position;
    assert_eq!(position, all, "and then all is known");
    let deleted = Taken { kinds: &[ChangeKind::Deleted], most: 1 };
    let looked = changes(Some(&all), &[held("b", "3"), held("e", "1")], deleted);
    assert_eq!(looked.changes.len(), 1, "others are not asked for");
    assert!(looked.position.seen.contains_key("e"));
}
