use countersign_run::Ancestry;

use crate::{Edge, MAX_CHAIN, TriggerId, circle, looped};

fn edge(after: &str, starts: &str) -> Edge {
    Edge { after: after.to_owned(), starts: starts.to_owned() }
}

fn check(new: (&str, &str), others: &[(&str, &str)], expect: Option<&[&str]>) {
    let others: Vec<Edge> = others.iter().map(|(after, starts)| edge(after, starts)).collect();
    let found = circle(&edge(new.0, new.1), &others);
    let expect = expect.map(|path| path.iter().map(|&one| one.to_owned()).collect::<Vec<_>>());
    assert_eq!(found, expect, "{new:?} {others:?}");
}

#[test]
fn a_circle_of_triggers_is_found_with_its_path() {
    check(("a", "a"), &[], Some(&["a", "a"]));
    check(("a", "b"), &[], None);
    check(("a", "b"), &[("b", "a")], Some(&["a", "b", "a"]));
    check(("a", "b"), &[("b", "c"), ("c", "a")], Some(&["a", "b", "c", "a"]));
    check(("a", "b"), &[("b", "c"), ("b", "d"), ("d", "c")], None);
    // A circle of others is not one that this trigger closes.
    check(("a", "b"), &[("b", "c"), ("c", "b")], None);
}

#[test]
fn a_trigger_behind_itself_and_a_long_chain_are_stopped() {
    let trigger = |n: u8| TriggerId::from_bytes([n; 16]);
    let chain = |length: usize| -> Ancestry {
        let ids = (0..length).map(|n| trigger(u8::try_from(n).unwrap()).to_string());
        Ancestry { chain: ids.collect(), others: Vec::new() }
    };
    assert_eq!(looped(&chain(0), &trigger(0)), None);
    assert_eq!(looped(&chain(MAX_CHAIN - 1), &trigger(200)), None);
    assert!(looped(&chain(MAX_CHAIN), &trigger(200)).unwrap().contains("10 triggers"));
    let others = Ancestry { others: chain(20).chain, ..chain(0) };
    assert_eq!(looped(&others, &trigger(200)), None, "they do not stand in a row");
    assert!(looped(&others, &trigger(7)).is_some());
    let found = looped(&chain(2), &trigger(0)).unwrap();
    assert!(found.ends_with(&format!("{} → {}", trigger(1), trigger(0))), "{found}");
}
