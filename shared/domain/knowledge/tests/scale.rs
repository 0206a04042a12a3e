//! Ten thousand names: that blocking keeps the number of comparisons bounded shows in that this test ends at all.

use std::collections::BTreeSet;

use countersign_knowledge::{EntityType, Mention, Settings, resolve};

/// Names of a made-up directory: surnames of two syllables, a few given names each, every third person twice.
fn directory(count: usize) -> Vec<Mention> {
    const STARTS: [&str; 20] = [
        "BRA", "COR", "DEL", "FEN", "GAR", "HOL", "KEL", "LAN", "MOR", "NOR", "PEL", "QUI", "RAS",
        "SOL", "TOR", "VAN", "WEL", "YOR", "ZEN", "ARM",
    ];
    const MIDDLES: [&str; 10] = ["A", "E", "I", "O", "U", "AN", "EN", "IN", "ON", "UN"];
    const ENDS: [&str; 20] = [
        "TON", "SEN", "BERG", "MAN", "WOOD", "FIELD", "LEY", "FORD", "STEIN", "DALE", "WELL",
        "RICK", "MORE", "GATE", "HURST", "COTT", "DER", "VITZ", "SKY", "NAR",
    ];
    const GIVEN: [&str; 12] = [
        "ROBERT", "MARY", "JAMES", "LINDA", "JOHN", "SUSAN", "DAVID", "KAREN", "PETER", "HELEN",
        "ALICE", "VICTOR",
    ];
    let name = |n: usize| {
        let surname =
            format!("{}{}{}", STARTS[n % 20], MIDDLES[(n / 20) % 10], ENDS[(n / 200) % 20]);
        (GIVEN[(n / 4_000 + n) % 12], surname)
    };
    let mention = |n: usize| {
        let (given, surname) = name(n - n % 3 / 2);
        let name =
            if n % 3 == 2 { format!("{surname}, {given}") } else { format!("{given} {surname}") };
        Mention {
            name,
            entity_type: EntityType::Person,
            external_ids: BTreeSet::new(),
            context: BTreeSet::new(),
            places: BTreeSet::new(),
            confidence: 1.0,
        }
    };
    (0..count).map(mention).collect()
}

#[test]
fn f_048_ten_thousand_names_resolve() {
    let mentions = directory(10_000);
    let started = std::time::Instant::now();
    let resolution = resolve(&mentions, &[], &Settings::default()).unwrap();
    println!(
        "10,000 names: {} entities, {} doubts, {:?}",
        resolution.clusters.len(),
        resolution.ambiguous.len(),
        started.elapsed()
    );
    assert_eq!(resolution.clusters.iter().map(|c| c.members.len()).sum::<usize>(), 10_000);
    assert!(resolution.merge_count() >= 3_333);
}

#[test]
fn f_048_three_thousand_namesakes_resolve_too() {
    let mentions: Vec<Mention> = (0..3_000)
        .map(|n: u32| {
            let letters: String = [n / 676, n / 26, n]
                .iter()
                .filter_map(|d| char::from_digit(10 + d % 26, 36))
                .collect();
            let name = format!("J{} SMITH", letters.to_uppercase());
            Mention {
                name,
                entity_type: EntityType::Person,
                external_ids: BTreeSet::new(),
                context: BTreeSet::new(),
                places: BTreeSet::new(),
                confidence: 1.0,
            }
        })
        .collect();
    let started = std::time::Instant::now();
    let resolution = resolve(&mentions, &[], &Settings::default()).unwrap();
    println!(
        "3,000 namesakes: {} entities, {} doubts, {:?}",
        resolution.clusters.len(),
        resolution.ambiguous.len(),
        started.elapsed()
    );
    assert_eq!(resolution.clusters.iter().map(|c| c.members.len()).sum::<usize>(), 3_000);
    assert!(resolution.ambiguous.len() <= 2_000 && resolution.left_out > 0);
}
