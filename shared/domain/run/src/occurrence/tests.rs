use super::*;

fn check(text: &str, fits: bool) {
    assert_eq!(OccurrenceId::parse(text).is_ok(), fits, "{text}");
}

#[test]
fn p_003_an_occurrence_is_named_after_its_source_and_time() {
    let source = format!("sched_{}", "0".repeat(32));
    let due: Timestamp = "2026-11-24T06:00:00Z".parse().unwrap();
    let id = OccurrenceId::new(&source, due);
    assert_eq!(id.as_str(), format!("{source}-20261124T060000Z"));
    assert_eq!((id.source(), id.place()), (source.as_str(), "20261124T060000Z"));
    assert_eq!(OccurrenceId::parse(id.as_str()), Ok(id.clone()));
    assert_eq!(id.run(0), id.run(0));
    assert_ne!(id.run(0), id.run(1));
    check(&format!("{source}-20261131T060000Z"), false);
    check(&format!("{source}-20261124T0600Z"), false);
    check(&format!("{source}x-20261124T060000Z"), false);
    check("sched_1-20261124T060000Z", false);
    check(&format!("{source}-20261124T060000Z-"), false);
    check(&format!("{source}-20261124T060000Z-0011"), false);
    check(&format!("{source}-20261124T060000Z-00112233445566zz"), false);
    check(&format!("{source}-20261124T060000Z-0011223344556677-1"), false);
    check("", false);
}

#[test]
fn two_events_of_one_second_have_an_occurrence_each() {
    let source = format!("trig_{}", "0".repeat(32));
    let at: Timestamp = "2026-11-24T06:00:00Z".parse().unwrap();
    let (one, other) =
        (OccurrenceId::of_event(&source, at, "a"), OccurrenceId::of_event(&source, at, "b"));
    assert_ne!(one, other);
    assert_eq!(one, OccurrenceId::of_event(&source, at, "a"), "it follows from the event");
    assert_eq!(OccurrenceId::parse(one.as_str()), Ok(one.clone()));
    assert_eq!(one.source(), source);
    assert!(one.place().starts_with("20261124T060000Z-"), "{one}");
    assert_ne!(one.run(0), other.run(0));
}

#[test]
fn issue_14_events_of_one_second_are_in_the_order_of_their_times() {
    let source = format!("trig_{}", "0".repeat(32));
    let start: Timestamp = "2026-11-24T06:00:00Z".parse().unwrap();
    let of = |micros: i64| {
        let at = start + jiff::SignedDuration::from_micros(micros);
        OccurrenceId::of_event(&source, at, &format!("event {micros}"))
    };
    let in_order: Vec<_> = [0, 1, 15, 16, 999, 65_536, 999_999, 1_000_000].map(of).into();
    let mut sorted = in_order.clone();
    sorted.sort_by(|one, other| one.place().cmp(other.place()));
    assert_eq!(sorted, in_order);
    assert!(in_order.iter().all(|id| OccurrenceId::parse(id.as_str()).as_ref() == Ok(id)));
}
