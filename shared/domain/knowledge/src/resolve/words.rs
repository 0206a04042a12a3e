//! Why two names were not joined, in a sentence for the people who read it.

use super::Node;
use super::cluster::Doubt;
use crate::compare::Reading;
use crate::model::EntityType;
use crate::organisation::OrganisationName;
use crate::person::PersonName;

/// The sentence. It has no score and no word of ours in it.
pub(super) fn why(nodes: &[Node], doubt: &Doubt) -> String {
    let (a, b) = (&nodes[doubt.edge.a], &nodes[doubt.edge.b]);
    let what = match doubt.reason {
        "contested" => format!("Fits two {} equally well", several(&a.subject.kind)),
        "contradiction" => "Same identification number, but the names contradict each other".into(),
        _ if doubt.edge.judgement.elsewhere => elsewhere(a, b, doubt.edge.judgement.exact),
        "weak_chain" => "Alike only by way of a third name".into(),
        _ => names(a.label(), b.label(), &a.subject.kind).to_owned(),
    };
    format!("{what}; nobody has decided yet")
}

fn several(kind: &EntityType) -> &'static str {
    match kind {
        EntityType::Person => "people",
        EntityType::Org => "organisations",
        _ => "things",
    }
}

fn elsewhere(a: &Node, b: &Node, exact: bool) -> String {
    let name = if exact { "Same name" } else { "Similar names" };
    let mut towns = [a, b].map(|node| node.subject.places.first().map_or("", String::as_str));
    towns.sort_unstable();
    format!("{name}, but different towns ({} and {})", towns[0], towns[1])
}

fn names(a: &str, b: &str, kind: &EntityType) -> &'static str {
    match (Reading::of(a, kind), Reading::of(b, kind)) {
        (Reading::Person(a), Reading::Person(b)) => people(&a, &b),
        (Reading::Organisation(a), Reading::Organisation(b)) => organisations(&a, &b),
        _ => "Similar names, but not alike enough to be sure",
    }
}

fn people(a: &PersonName, b: &PersonName) -> &'static str {
    if a.given.is_empty() || b.given.is_empty() {
        "Same surname, but one of them without a given name"
    } else if a.surname != b.surname {
        "Similar names, but the surnames are written differently"
    } else if a.given != b.given && (a.given.len() == 1 || b.given.len() == 1) {
        "Same surname, but one of them with an initial only"
    } else if a.given != b.given {
        "Same surname, but the given names are written differently"
    } else if a.suffix != b.suffix {
        "Same name, but only one of them with a suffix such as Jr. or III"
    } else {
        "Similar names, but not alike enough to be sure"
    }
}

fn organisations(a: &OrganisationName, b: &OrganisationName) -> &'static str {
    if a.key() == b.key() {
        "Same name, but different legal forms"
    } else {
        "Similar names, but not alike enough to be sure"
    }
}
