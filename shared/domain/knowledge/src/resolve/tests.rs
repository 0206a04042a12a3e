mod time;

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::{Candidate, Known, Mention, Resolution, Settings, resolve};
use crate::error::KnowledgeError;
use crate::model::{EntityId, EntityType, ExternalId};
use crate::person::PersonName;

fn person(name: &str) -> Mention {
    Mention {
        name: name.to_owned(),
        entity_type: EntityType::Person,
        external_ids: BTreeSet::new(),
        context: BTreeSet::new(),
        places: BTreeSet::new(),
        confidence: 1.0,
    }
}

fn living_in(name: &str, town: &str) -> Mention {
    Mention { places: BTreeSet::from([town.to_owned()]), ..person(name) }
}

fn with_id(name: &str, scheme: &str, value: &str) -> Mention {
    Mention { external_ids: ExternalId::new(scheme, value).into_iter().collect(), ..person(name) }
}

fn seen_with(name: &str, company: &str) -> Mention {
    Mention { context: BTreeSet::from([company.to_owned()]), ..person(name) }
}

fn known(byte: u8, name: &str, ids: &[(&str, &str)]) -> Known {
    Known {
        id: EntityId::from_bytes([byte; 16]),
        canonical_name: PersonName::parse(name).display(),
        merged_names: BTreeSet::new(),
        names: BTreeSet::from([name.to_owned()]),
        entity_type: EntityType::Person,
        external_ids: ids.iter().filter_map(|(s, v)| ExternalId::new(s, v)).collect(),
        context: BTreeSet::new(),
        places: BTreeSet::new(),
    }
}

fn run(mentions: &[Mention], known: &[Known]) -> Resolution {
    resolve(mentions, known, &Settings::default()).unwrap()
}

/// `clusters` as `Name×members`, `doubts` as `Name?Candidate:reason`.
fn check(mentions: &[Mention], known: &[Known], clusters: &[&str], doubts: &[&str]) {
    let resolution = run(mentions, known);
    let found: Vec<String> = resolution
        .clusters
        .iter()
        .map(|c| format!("{}×{}", c.canonical_name, c.members.len()))
        .collect();
    assert_eq!(found, clusters, "{resolution:#?}");
    let name = |candidate: &Candidate| match candidate {
        Candidate::Cluster(index) => resolution.clusters[*index].canonical_name.clone(),
        Candidate::Known(_, name) => name.clone(),
    };
    let found: Vec<String> = resolution
        .ambiguous
        .iter()
        .map(|a| {
            format!(
                "{}?{}:{}",
                resolution.clusters[a.cluster].canonical_name,
                name(&a.candidate),
                a.reason
            )
        })
        .collect();
    assert_eq!(found, doubts, "{resolution:#?}");
}

#[test]
fn f_048_spellings_of_one_person_become_one() {
    let mentions = [
        person("SMITH, ROBERT A"),
        person("Bob Smith"),
        person("Robert Alan Smith"),
        person("JANE DOE"),
    ];
    check(&mentions, &[], &["Jane Doe×1", "Robert Alan Smith×3"], &[]);
    assert_eq!(run(&mentions, &[]).merge_count(), 2);
}

#[test]
fn k_71_one_name_in_two_towns_is_two_people_until_somebody_decides() {
    let (here, there) = (
        living_in("MARTIN HALLOWELL", "Sedgewick, OR"),
        living_in("Martin Hallowell", "Quay Harbor, NH"),
    );
    let two = ["Martin Hallowell (Quay Harbor, NH)×1", "Martin Hallowell (Sedgewick, OR)×2"];
    let doubt = "Martin Hallowell (Quay Harbor, NH)?Martin Hallowell (Sedgewick, OR):review_band";
    check(&[here.clone(), there.clone(), here.clone()], &[], &two, &[doubt]);
    let resolution = run(&[here.clone(), there.clone()], &[]);
    assert_eq!(
        resolution.ambiguous[0].why,
        "Same name, but different towns (Quay Harbor, NH and Sedgewick, OR); nobody has decided yet"
    );
    // A mention without a town joins neither, and joins neither of them to the other.
    let resolution = run(&[here.clone(), there.clone(), person("MARTIN HALLOWELL")], &[]);
    assert_eq!(resolution.clusters.len(), 3, "{resolution:#?}");
    let contested = resolution.ambiguous.iter().filter(|doubt| doubt.reason == "contested");
    let why: Vec<&str> = contested.map(|doubt| doubt.why.as_str()).collect();
    assert_eq!(why, ["Fits two people equally well; nobody has decided yet"; 2]);
    // Whoever moved and stayed on the same board is one person.
    let moved = |mention: &Mention| Mention {
        context: BTreeSet::from(["OWL FUND".to_owned()]),
        ..mention.clone()
    };
    check(&[moved(&here), moved(&there)], &[], &["Martin Hallowell×2"], &[]);
    // The graph remembers the town.
    let in_graph = Known {
        places: BTreeSet::from(["Sedgewick, OR".to_owned()]),
        ..known(1, "Martin Hallowell", &[])
    };
    let resolution = run(&[here, there], &[in_graph]);
    let mut found: Vec<(&str, bool)> = resolution
        .clusters
        .iter()
        .map(|cluster| (cluster.canonical_name.as_str(), cluster.known.is_some()))
        .collect();
    found.sort_unstable();
    let expect = [("Martin Hallowell", true), ("Martin Hallowell (Quay Harbor, NH)", false)];
    assert_eq!(found, expect, "{resolution:#?}");
}

#[test]
fn k_71_doubts_are_told_in_words() {
    for (a, b, expect) in [
        ("J SMITH", "JOHN SMITH", "Same surname, but one of them with an initial only"),
        (
            "JOHN SMITH JR",
            "JOHN SMITH",
            "Same name, but only one of them with a suffix such as Jr. or III",
        ),
        (
            "MARK JOHNSON",
            "MARK JOHNSTON",
            "Similar names, but the surnames are written differently",
        ),
        ("MARIA SMITH", "MARIO SMITH", "Same surname, but the given names are written differently"),
    ] {
        let resolution = run(&[person(a), person(b)], &[]);
        let why = &resolution.ambiguous[0].why;
        assert_eq!(*why, format!("{expect}; nobody has decided yet"), "{a} / {b}");
        assert!(!why.contains(|c: char| c == '_' || c.is_ascii_digit()), "{why}");
    }
}

#[test]
fn k_71_the_band_between_asks_a_person() {
    check(
        &[person("J SMITH"), person("JOHN SMITH")],
        &[],
        &["J. Smith×1", "John Smith×1"],
        &["J. Smith?John Smith:review_band"],
    );
}

#[test]
fn k_71_two_rivals_are_not_chosen_between() {
    let mentions = [person("JOHN A SMITH"), person("JOHN SMITH"), person("JOHN B SMITH")];
    let doubts = ["John A. Smith?John Smith:contested", "John Smith?John B. Smith:contested"];
    let resolution = run(&mentions, &[]);
    assert_eq!(resolution.clusters.len(), 3, "{resolution:#?}");
    assert_eq!(resolution.ambiguous.len(), doubts.len());
    assert!(resolution.ambiguous.iter().all(|a| a.reason == "contested"));
}

#[test]
fn k_71_a_weak_middle_joins_nobody() {
    let mentions = [person("JOHN SMITH"), person("J SMITH"), person("JANE SMITH")];
    let resolution = resolve(&mentions, &[], &Settings::new("fuzzy", 0.7).unwrap()).unwrap();
    let together = |a: usize, b: usize| {
        resolution.clusters.iter().any(|c| c.members.contains(&a) && c.members.contains(&b))
    };
    assert!(!together(0, 2), "{resolution:#?}");
}

#[test]
fn f_243_a_shared_acquaintance_settles_an_initial() {
    let mentions = [seen_with("J SMITH", "OWL FUND"), seen_with("JOHN SMITH", "OWL FUND")];
    check(&mentions, &[], &["John Smith×2"], &[]);
    let juniors = [seen_with("JOHN SMITH JR", "OWL FUND"), seen_with("JOHN SMITH", "OWL FUND")];
    check(
        &juniors,
        &[],
        &["John Smith×1", "John Smith Jr×1"],
        &["John Smith?John Smith Jr:review_band"],
    );
}

#[test]
fn k_71_external_ids_join_and_part() {
    check(
        &[with_id("R SMITH", "npi", "77"), with_id("Roberta Jones", "npi", "77")],
        &[],
        &["Roberta Jones×2"],
        &[],
    );
    let same_name = [with_id("ANN LEE", "npi", "1"), with_id("ANN LEE", "npi", "2")];
    check(&same_name, &[], &["Ann Lee×1", "Ann Lee (NPI 2)×1"], &[]);
}

#[test]
fn k_71_an_id_shared_by_a_junior_and_a_senior_is_a_contradiction() {
    let mentions = [with_id("JOHN SMITH JR", "npi", "1"), with_id("JOHN SMITH SR", "npi", "1")];
    check(
        &mentions,
        &[],
        &["John Smith Jr×1", "John Smith Sr×1"],
        &["John Smith Jr?John Smith Sr:contradiction"],
    );
}

#[test]
fn f_249_a_known_entity_is_recognised_and_keeps_its_name() {
    let graph = [known(1, "Robert A. Smith", &[]), known(2, "Jane Doe", &[])];
    let mentions = [person("BOB SMITH"), person("SMITH, ROBERT A")];
    check(&mentions, &graph, &["Robert A. Smith×2"], &[]);
    let cluster = &run(&mentions, &graph).clusters[0];
    assert_eq!((cluster.known.as_ref(), cluster.merge_count), (Some(&graph[0].id), 2));
}

#[test]
fn k_71_two_known_entities_are_never_joined_by_a_mention() {
    let graph = [known(1, "Ann Lee", &[("npi", "1")]), known(2, "Ann Lee", &[("npi", "2")])];
    let resolution = run(&[person("ANN LEE")], &graph);
    assert!(resolution.clusters[0].known.is_none());
    assert_eq!(resolution.ambiguous.len(), 2, "{resolution:#?}");
}

#[test]
fn f_244_exact_merges_only_the_same_name() {
    let settings = Settings::new("exact", 0.85).unwrap();
    let resolution = resolve(
        &[person("SMITH, ROBERT"), person("Robert Smith"), person("Bob Smith")],
        &[],
        &settings,
    )
    .unwrap();
    assert_eq!((resolution.clusters.len(), resolution.ambiguous.len()), (2, 0), "{resolution:#?}");
}

#[test]
fn f_244_ml_is_refused_by_name() {
    assert!(matches!(Settings::new("ml", 0.85), Err(KnowledgeError::UnknownStrategy { .. })));
    assert!(matches!(Settings::new("magic", 0.85), Err(KnowledgeError::UnknownStrategy { .. })));
    assert!(matches!(Settings::new("fuzzy", f64::NAN), Err(KnowledgeError::OutOfRange { .. })));
}

#[test]
fn f_246_a_low_threshold_asks_more_and_merges_no_more() {
    let low = Settings::new("fuzzy", 0.5).unwrap();
    assert_eq!((low.merge_at(), low.review_at()), (0.7, 0.5));
    let high = Settings::new("fuzzy", 0.95).unwrap();
    assert_eq!((high.merge_at(), high.review_at()), (0.95, 0.7));
}

/// Names from a small world, so that they meet: initials, nicknames, suffixes, ids, company.
fn mentions() -> impl Strategy<Value = Vec<Mention>> {
    let given = prop::sample::select(vec![
        "JOHN", "J", "JACK", "JANE", "ROBERT", "BOB", "R", "ROBERTA", "BILL", "WILLIAM",
    ]);
    let middle = prop::sample::select(vec!["", "", "A", "B", "ALAN"]);
    let surname = prop::sample::select(vec![
        "SMITH",
        "SMYTH",
        "SMITHE",
        "HENDERSON",
        "HENDERSEN",
        "SMITH-JONES",
    ]);
    let suffix = prop::sample::select(vec!["", "", "", "JR", "SR", "III"]);
    let id = prop::option::weighted(0.2, 1_u8..4);
    let company = prop::option::weighted(0.3, prop::sample::select(vec!["OWL FUND", "FOX FUND"]));
    let town = prop::option::weighted(0.3, prop::sample::select(vec!["Sedgewick", "Quay Harbor"]));
    let one = (given, middle, surname, suffix, id, company, town, 1_u8..100).prop_map(
        |(g, m, s, x, id, company, town, sure)| Mention {
            name: format!("{g} {m} {s} {x}"),
            entity_type: EntityType::Person,
            external_ids: id
                .and_then(|id| ExternalId::new("npi", &id.to_string()))
                .into_iter()
                .collect(),
            context: company.map(str::to_owned).into_iter().collect(),
            places: town.map(str::to_owned).into_iter().collect(),
            confidence: f64::from(sure) / 100.0,
        },
    );
    prop::collection::vec(one, 0..14)
}

/// Everything but the indices, which belong to the order.
fn shape(resolution: &Resolution, mentions: &[Mention]) -> Vec<String> {
    let cluster = |c: &super::Cluster| {
        let mut members: Vec<String> =
            c.members.iter().map(|m| format!("{:?}", mentions[*m])).collect();
        members.sort();
        format!(
            "{} {:?} {:?} {:?} {} {:?} {:?}",
            c.canonical_name, c.aliases, c.external_ids, c.places, c.confidence, c.links, members
        )
    };
    let doubts = resolution
        .ambiguous
        .iter()
        .map(|a| format!("{} {:?} {:?} {} {}", a.cluster, a.candidate, a.link, a.reason, a.why));
    resolution.clusters.iter().map(cluster).chain(doubts).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn k_71_the_order_of_the_input_does_not_matter(
        (mentions, shuffled) in mentions().prop_flat_map(|m| (Just(m.clone()), Just(m).prop_shuffle())),
        threshold in prop::sample::select(vec![0.6, 0.7, 0.8, 0.85, 0.95]),
    ) {
        let settings = Settings::new("fuzzy", threshold).unwrap();
        let graph = [known(1, "John A Smith", &[("npi", "1")]), known(2, "Robert Henderson", &[])];
        let one = resolve(&mentions, &graph, &settings).unwrap();
        let other = resolve(&shuffled, &graph, &settings).unwrap();
        prop_assert_eq!(shape(&one, &mentions), shape(&other, &shuffled));
    }

    #[test]
    fn k_71_nothing_that_contradicts_itself_is_merged_and_every_mention_has_one_place(mentions in mentions(), low: bool) {
        let settings = Settings::new("fuzzy", if low { 0.7 } else { 0.85 }).unwrap();
        let resolution = resolve(&mentions, &[], &settings).unwrap();
        let mut places: Vec<usize> = resolution.clusters.iter().flat_map(|c| c.members.clone()).collect();
        places.sort_unstable();
        prop_assert_eq!(places, (0..mentions.len()).collect::<Vec<_>>());
        for cluster in &resolution.clusters {
            let ids: BTreeSet<_> = cluster.members.iter().flat_map(|m| &mentions[*m].external_ids).collect();
            prop_assert!(ids.len() <= 1, "{:?}", cluster);
            let suffixes: BTreeSet<_> = cluster.members.iter().filter_map(|m| PersonName::parse(&mentions[*m].name).suffix).collect();
            prop_assert!(suffixes.len() <= 1, "{:?}", cluster);
        }
        let names: BTreeSet<_> = resolution.clusters.iter().map(|c| (&c.entity_type, crate::fold::fold(&c.canonical_name))).collect();
        prop_assert_eq!(names.len(), resolution.clusters.len());
    }

    #[test]
    fn k_71_what_was_resolved_is_recognised_again_and_nothing_is_new(mentions in mentions()) {
        let first = resolve(&mentions, &[], &Settings::default()).unwrap();
        let graph: Vec<Known> = first.clusters.iter().enumerate().map(|(n, c)| Known {
            id: EntityId::from_bytes([u8::try_from(n).unwrap(); 16]),
            canonical_name: c.canonical_name.clone(),
            merged_names: BTreeSet::new(),
            names: c.members.iter().map(|m| crate::fold::squeeze(&mentions[*m].name)).collect(),
            entity_type: c.entity_type.clone(),
            external_ids: c.external_ids.clone(),
            context: c.context.clone(),
            places: c.places.clone(),
        }).collect();
        let again = resolve(&mentions, &graph, &Settings::default()).unwrap();
        for cluster in &again.clusters {
            // A name without an id that several things carry stays in doubt; everything else is recognised.
            let plain = cluster.external_ids.is_empty();
            prop_assert!(cluster.known.is_some() || plain, "{:#?}\n{:#?}", first.clusters, cluster);
        }
    }
}
