use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use crate::{
    ChangeKind, Found, Held, MAX_SEEN, MarkKind, Novel, Overlap, Position, changes, novel,
};

fn at(minute: i64) -> Timestamp {
    Timestamp::from_second(1_700_000_000 + 60 * minute).unwrap()
}

fn item(key: &str, minute: Option<i64>) -> Found {
    Found { key: key.to_owned(), at: minute.map(at), record: json!({ "key": key }) }
}

fn look(previous: Option<&Position>, there: Vec<Found>, late: i64, most: usize) -> Novel {
    let late = SignedDuration::from_mins(late);
    let how = Overlap { kind: MarkKind::Cursor, late, now: at(10_000), most };
    novel(previous, there, how)
}

fn keys(novel: &Novel) -> Vec<&str> {
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
    let first = changes(None, &[held("a", "1"), held("b", "1")]);
    assert!(first.changes.is_empty(), "F-219");
    let second = changes(Some(&first.position), &[held("b", "2"), held("c", "1")]);
    let told: Vec<_> = second.changes.iter().map(|c| (c.kind, c.name.as_str())).collect();
    let expect = [
        (ChangeKind::Added, "c.xml"),
        (ChangeKind::Modified, "b.xml"),
        (ChangeKind::Deleted, "a.xml"),
    ];
    assert_eq!(told, expect);
    assert_ne!(first.position.value, second.position.value);
    assert!(changes(Some(&second.position), &[held("c", "1"), held("b", "2")]).changes.is_empty());
}
