use std::collections::BTreeMap;

use countersign_run::{RunStatus, StepStatus};
use proptest::prelude::*;
use serde_json::json;

use super::*;

fn event(step: &str, n: u32, second: i64) -> Event {
    let at = Timestamp::from_second(1_800_000_000 + second).unwrap();
    let kind = EventKind::Resumed { reason: "lost".to_owned() };
    Event { step: step.to_owned(), attempt: 1, n, at, kind }
}

fn again(position: &Position) -> Position {
    Position::read(&position.id()).unwrap()
}

/// Everything that is told in these looks, by a reader who comes back with the last id before each or stays.
fn told(looks: &[Vec<Event>], comes_back: bool) -> Vec<Event> {
    let (mut position, mut told) = (Position::default(), Vec::new());
    for events in looks {
        loop {
            let (news, are_all) = position.news(events);
            for event in news {
                position.tell(event);
                told.push(event.clone());
                assert!(position.id().len() < MAX_ID);
            }
            if comes_back {
                position = again(&position);
            }
            if are_all {
                break;
            }
        }
    }
    told
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn r_102_every_event_is_told_once_in_whatever_order_they_are_written(
        // Written one after the other, each up to so many seconds after its time; some at one time.
        late in prop::collection::vec((0_i64..40, 0_i64..55), 1..40),
        looks in 1_usize..6,
        comes_back: bool,
    ) {
        let mut written = 0;
        let all: Vec<Event> = (0_u32..).zip(&late).map(|(n, (after, late))| {
            written += after;
            event("a", n, written - late)
        }).collect();
        let seen = (1..=looks).map(|look| all[..all.len() * look / looks].to_vec());
        let mut told = told(&seen.collect::<Vec<_>>(), comes_back);
        told.sort_by_key(|event| event.n);
        prop_assert_eq!(told, all);
    }

    #[test]
    fn r_101_r_102_the_parts_of_a_text_are_the_text(
        texts in prop::collection::vec(("[aé\u{1F989}]{0,12}", 1_u32..3), 1..8),
    ) {
        let (mut position, mut shown, mut turn_shown) = (Position::default(), String::new(), 0);
        for (text, turn) in &texts {
            let draft = Draft {
                step: "answer".to_owned(),
                turn: *turn,
                at: Timestamp::UNIX_EPOCH,
                texts: BTreeMap::from([("text".to_owned(), text.clone())]),
            };
            if turn_shown != *turn {
                (shown, turn_shown) = (String::new(), *turn);
            }
            position = again(&position);
            for part in position.parts(&draft) {
                shown = shown.chars().take(part.from).chain(part.text.chars()).collect();
            }
            prop_assert!(position.parts(&draft).is_empty(), "it is told once");
            prop_assert_eq!(&shown, text);
        }
    }
}

#[test]
fn many_events_at_one_time_are_told_once_and_ids_stay_short() {
    let mut events: Vec<Event> = (0..2_000).map(|n| event("a", n, 0)).collect();
    let kind = EventKind::Finished { status: RunStatus::Complete };
    events.insert(0, Event { kind, ..event("", 9, 0) });
    for comes_back in [false, true] {
        let told = told(&[events.clone()], comes_back);
        assert_eq!(told.len(), events.len());
        assert_eq!(told.last(), events.first(), "the end is told last");
        let mut numbers: Vec<u32> = told.iter().map(|event| event.n).collect();
        numbers.pop();
        numbers.sort_unstable();
        assert!(numbers.iter().copied().eq(0..2_000), "each once");
    }
}

#[test]
fn what_is_written_again_is_told_again() {
    let mut position = Position::default();
    position.tell(&event("a", 1, 0));
    assert_eq!(position.news(&[event("a", 1, 0)]).0.len(), 0);
    assert_eq!(position.news(&[event("a", 1, 90)]).0.len(), 1);
    assert_eq!(again(&position).news(&[event("a", 1, 90)]).0.len(), 1);
}

#[test]
fn only_ids_are_read() {
    assert_eq!(Position::read(&"A".repeat(MAX_ID + 1)), None);
    for no_id in ["", "x", "e30=", "bnVsbA", "eyJuYW1lZCI6Mn0"] {
        assert_eq!(Position::read(no_id), None, "{no_id}");
    }
    assert_eq!(Position::read(&Position::default().id()), Some(Position::default()));
}

#[test]
fn r_101_the_rest_of_an_answer_is_what_its_step_gave() {
    let mut position = Position::default();
    let texts = BTreeMap::from([("text".to_owned(), "An o".to_owned())]);
    let draft = Draft { step: "a".to_owned(), turn: 2, at: Timestamp::UNIX_EPOCH, texts };
    assert_eq!(position.parts(&draft).len(), 1);
    let rest = |output| again(&position).rest("a", &output);
    let part =
        |from: usize, text: &str| Part { field: "text".to_owned(), from, text: text.to_owned() };
    assert_eq!(rest(json!({ "text": "An owl." })), (2, vec![part(4, "wl.")]));
    assert_eq!(rest(json!({ "text": "A mouse." })), (2, vec![part(0, "A mouse.")]));
    assert_eq!(rest(json!({ "text": "An o" })), (2, vec![]));
    assert_eq!(rest(json!(null)), (2, vec![]), "its step failed");
    assert_eq!(position.clone().rest("b", &json!({ "text": "x" })), (0, vec![]));
    let (status, model) = (StepStatus::Done, None);
    let kind =
        EventKind::StepEnded { status, count: None, code: None, message: None, took_ms: 1, model };
    position.tell(&Event { kind, ..event("a", 9, 1) });
    assert!(!position.follows("a"));
}

#[test]
fn whoever_was_told_the_end_is_told_nothing_more() {
    let mut position = Position::default();
    let kind = EventKind::Finished { status: RunStatus::Complete };
    let end = Event { kind, ..event("", 2, 1) };
    assert_eq!(position.news(std::slice::from_ref(&end)).0, [&end]);
    position.tell(&end);
    assert!(again(&position).is_over());
    assert!(again(&position).news(&[end]).0.is_empty());
}
