use proptest::prelude::*;

use super::{Reading, compare};
use crate::model::EntityType;

#[derive(Debug, PartialEq)]
enum Band {
    Merge,
    Review,
    Apart,
    Conflict,
}

fn check(a: &str, b: &str, kind: &EntityType, expect: &Band) {
    for (a, b) in [(a, b), (b, a)] {
        let like = compare(&Reading::of(a, kind), &Reading::of(b, kind));
        let band = match like.score {
            _ if like.conflict => Band::Conflict,
            s if s >= 0.85 => Band::Merge,
            s if s >= 0.7 => Band::Review,
            _ => Band::Apart,
        };
        assert_eq!(&band, expect, "{a} / {b}: {like:?}");
    }
}

fn person(a: &str, b: &str, expect: &Band) {
    check(a, b, &EntityType::Person, expect);
}

fn org(a: &str, b: &str, expect: &Band) {
    check(a, b, &EntityType::Org, expect);
}

#[test]
fn k_71_the_same_person_written_differently() {
    person("SMITH, ROBERT A", "Robert Smith", &Band::Merge);
    person("Bob Smith", "ROBERT SMITH", &Band::Merge);
    person("J. A. Smith", "John Alan Smith", &Band::Merge);
    person("Robert A. Hendersen", "ROBERT ALLEN HENDERSON", &Band::Merge);
    person("MARIA NUÑEZ", "Maria Nunez", &Band::Merge);
    person("Catherine Lee", "KATHRYN LEE", &Band::Merge);
    person("AMARA OYELARAN PIKE", "Amara Oyelaran-Pike", &Band::Merge);
}

#[test]
fn k_71_doubts_go_to_a_person() {
    person("J SMITH", "JOHN SMITH", &Band::Review);
    person("M THORNQUIST", "PEGGY THORNQUIST", &Band::Review);
    person("JOHN SMITH JR", "JOHN SMITH", &Band::Review);
    person("MARK JOHNSON", "MARK JOHNSTON", &Band::Review);
    person("MARIA SMITH", "MARIO SMITH", &Band::Review);
    person("ANN SMITH-JONES", "ANN JONES", &Band::Review);
    person("J ROBERT SMITH", "ROBERT SMITH", &Band::Review);
}

#[test]
fn k_71_different_people_stay_apart() {
    person("JOHN SMITH JR", "JOHN SMITH SR", &Band::Conflict);
    person("JOHN A SMITH", "JOHN B SMITH", &Band::Apart);
    person("JOHN SMITH", "JANE SMITH", &Band::Apart);
    person("JOHN SMITH", "JOHN JONES", &Band::Apart);
    person("ROBERT LEE", "RICHARD LEE", &Band::Apart);
}

#[test]
fn k_71_organisations() {
    org("The Harbor Light Foundation, Inc.", "HARBOR LIGHT FDN", &Band::Merge);
    org("HARBOUR LIGHT FOUNDATION", "HARBOR LIGHT FOUNDATION", &Band::Merge);
    org("ACME LLC", "ACME INC", &Band::Review);
    org("RIVER FUND", "RIVER FUND OF OHIO", &Band::Review);
    org("ACLU", "American Civil Liberties Union", &Band::Review);
    org("NORTH RIVER FUND", "SOUTH RIVER FUND", &Band::Apart);
    org("ELKS LODGE 12", "ELKS LODGE 14", &Band::Conflict);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn comparing_is_symmetric_in_range_and_sure_of_itself(a in "[A-Za-z.,' -]{0,30}", b in "[A-Za-z.,' -]{0,30}", is_org: bool) {
        let kind = if is_org { EntityType::Org } else { EntityType::Person };
        let (a, b) = (Reading::of(&a, &kind), Reading::of(&b, &kind));
        let (ab, ba) = (compare(&a, &b), compare(&b, &a));
        prop_assert!((ab.score - ba.score).abs() < 1e-9, "{:?} {:?}", ab, ba);
        prop_assert!((0.0..=1.0).contains(&ab.score));
        prop_assert!(!compare(&a, &a).conflict);
    }
}
