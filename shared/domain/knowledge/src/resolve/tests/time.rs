//! A resolution asks again and again whether it may go on, whatever the names are.

use std::cell::Cell;
use std::collections::BTreeSet;

use super::{living_in, person, with_id};
use crate::model::ExternalId;
use crate::resolve::{Mention, Settings, resolve_while};

/// How often it is asked, and whether it comes to its end.
fn asked(mentions: &[Mention], most: usize) -> (usize, bool) {
    let count = Cell::new(0);
    let goes_on = || {
        count.set(count.get() + 1);
        count.get() <= most
    };
    let resolved = resolve_while(mentions, &[], &Settings::default(), &goes_on).unwrap();
    (count.get(), resolved.is_some())
}

#[test]
fn f_250_rivals_that_each_have_a_scheme_of_their_own_are_broken_off() {
    let mentions: Vec<Mention> =
        (0..60).map(|n| with_id("Ann Lee", &format!("scheme_{n}"), "1")).collect();
    let (count, is_done) = asked(&mentions, usize::MAX);
    assert!(count > 200 && is_done, "asked {count} times");
    assert_eq!(asked(&mentions, 50), (51, false));
}

#[test]
fn f_250_long_names_are_asked_about_more_often_than_short_ones() {
    let named = |middle: &str, n: usize| {
        let id = ExternalId::new("npi", &format!("{n}")).into_iter().collect::<BTreeSet<_>>();
        Mention { external_ids: id, ..person(&format!("Ann {middle} Lee")) }
    };
    let all = |middle: &str| (0..20).map(|n| named(middle, n)).collect::<Vec<_>>();
    let (short, is_done) = asked(&all("Jo"), usize::MAX);
    assert!(short < 20 && is_done, "asked {short} times");
    let (long, is_done) = asked(&all(&"jo".repeat(300)), usize::MAX);
    assert!(long >= 190 && is_done, "190 pairs, asked {long} times");
}

#[test]
fn f_272_names_that_cannot_be_told_apart_are_numbered_one_after_the_other() {
    let towns = (0..200).map(|n| living_in("Ann Lee", &format!("Brannoc{}", ".".repeat(n))));
    let mentions: Vec<Mention> = towns.collect();
    let resolved = resolve_while(&mentions, &[], &Settings::default(), &|| true).unwrap().unwrap();
    let names: BTreeSet<&str> =
        resolved.clusters.iter().map(|cluster| cluster.canonical_name.as_str()).collect();
    assert_eq!(names.len(), 200);
    assert!(names.contains("Ann Lee (Brannoc)") && names.contains("Ann Lee (200)"), "{names:?}");
}
