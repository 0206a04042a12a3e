//! Records that matched each other, as groups: one person in several filings.
//!
//! The input is the `matches` of `cross_reference` (F-049): pairs `{entity_a, entity_b, match_score, match_method}`.
//! Pairs that share a record belong together. A group counts only when its records differ in the `across` field, so
//! that one person in two years of the same organisation is not a finding.

use std::collections::{BTreeMap, BTreeSet};

use countersign_canonical::canonical;
use countersign_knowledge::fold::fold;
use serde_json::{Value, json};

use crate::path::at;

/// Which fields of a record mean what.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LinkedBy {
    /// The field with the record's name.
    pub name: String,
    /// The field that must differ within a group, such as the organisation's number; none keeps every group.
    pub across: Option<String>,
    /// The field with the resolved entity. With it, records belong together when it is equal and never otherwise.
    pub entity: Option<String>,
    /// The field with the group's heading; the most frequent name when there is none.
    pub heading: Option<String>,
}

/// Records that belong together.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// The most frequent spelling; among equals the longest, then the first in the alphabet.
    pub name: String,
    /// Every spelling, sorted.
    pub spellings: Vec<String>,
    /// The records, without repeats, in the order of their first match.
    pub records: Vec<Value>,
    /// How many different values of the `across` field; 0 when there is none.
    pub across: usize,
    /// The weakest link that holds the group together.
    pub lowest_score: f64,
    /// How the records were matched.
    pub methods: Vec<String>,
    /// Whether some records hang together only through others: A like B, B like C, A not like C. Such a group may be
    /// several people.
    pub chained: bool,
}

impl Group {
    /// The group as a record, for tables, CSV and JSON.
    #[must_use]
    pub fn to_value(&self) -> Value {
        json!({
            "name": self.name, "spellings": self.spellings, "records": self.records, "across": self.across,
            "lowest_score": self.lowest_score, "methods": self.methods, "chained": self.chained,
        })
    }
}

/// The groups of a list of matches, the widest first, then by name.
#[must_use]
pub fn groups(matches: &[Value], by: &LinkedBy) -> Vec<Group> {
    let mut forest = Forest::default();
    let mut links: Vec<Link> = Vec::new();
    for pair in matches {
        let (Some(a), Some(b)) = (pair.get("entity_a"), pair.get("entity_b")) else { continue };
        let (a, b) = (forest.node(a), forest.node(b));
        if a != b {
            if !forest.is_one(a, b, by) {
                continue;
            }
            forest.join(a, b);
            let score = pair.get("match_score").and_then(Value::as_f64).unwrap_or(1.0);
            let method =
                pair.get("match_method").and_then(Value::as_str).unwrap_or("unknown").to_owned();
            links.push(Link { a: a.min(b), b: a.max(b), score, method });
        }
    }
    let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for node in 0..forest.records.len() {
        members.entry(forest.root(node)).or_default().push(node);
    }
    let mut found: Vec<Group> = members
        .iter()
        .filter(|(_, nodes)| nodes.len() > 1)
        .map(|(root, nodes)| {
            let own: Vec<&Link> =
                links.iter().filter(|link| forest.root(link.a) == *root).collect();
            group(nodes.iter().map(|node| forest.records[*node].clone()).collect(), &own, by)
        })
        .filter(|group| by.across.is_none() || group.across > 1)
        .collect();
    found.sort_by(|a, b| b.across.cmp(&a.across).then_with(|| a.name.cmp(&b.name)));
    found
}

/// The entity a record is about, where the records say so.
fn entity_of<'r>(record: &'r Value, by: &LinkedBy) -> Option<&'r Value> {
    at(record, by.entity.as_ref()?).filter(|entity| !entity.is_null())
}

fn group(records: Vec<Value>, links: &[&Link], by: &LinkedBy) -> Group {
    let names: Vec<String> = records.iter().map(|record| name_of(record, &by.name)).collect();
    let spellings: BTreeSet<&String> = names.iter().collect();
    let count = |name: &String| names.iter().filter(|other| *other == name).count();
    let name = spellings
        .iter()
        .max_by(|a, b| count(a).cmp(&count(b)).then(a.len().cmp(&b.len())).then_with(|| b.cmp(a)))
        .map_or_else(String::new, |name| (**name).clone());
    let across = by.across.as_ref().map_or(0, |field| {
        records
            .iter()
            .filter_map(|record| at(record, field).and_then(told_apart_by))
            .collect::<BTreeSet<_>>()
            .len()
    });
    let pairs: BTreeSet<(usize, usize)> = links.iter().map(|link| (link.a, link.b)).collect();
    let heading = by.heading.as_ref().and_then(|field| at(records.first()?, field)?.as_str());
    Group {
        // Records of one resolved entity hang together by what was resolved, not by these pairs.
        chained: by.entity.is_none() && pairs.len() < records.len() * (records.len() - 1) / 2,
        name: heading.map_or(name, str::to_owned),
        spellings: spellings.into_iter().cloned().collect(),
        across,
        lowest_score: links.iter().map(|link| link.score).fold(1.0, f64::min),
        methods: links
            .iter()
            .map(|link| link.method.clone())
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect(),
        records,
    }
}

/// By what a value is another one: a text as names are compared, so that two spellings are one. What is not known is none.
fn told_apart_by(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(fold(text)).filter(|folded| !folded.is_empty()),
        other => Some(other.to_string()),
    }
}

fn name_of(record: &Value, field: &str) -> String {
    let value = at(record, field).unwrap_or(record);
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Two records that matched.
struct Link {
    a: usize,
    b: usize,
    score: f64,
    method: String,
}

/// Which records hang together; records are told apart by their canonical JSON.
#[derive(Default)]
struct Forest {
    index: BTreeMap<String, usize>,
    records: Vec<Value>,
    parent: Vec<usize>,
}

impl Forest {
    fn node(&mut self, record: &Value) -> usize {
        let key = canonical(record).unwrap_or_else(|_| record.to_string());
        if let Some(node) = self.index.get(&key) {
            return *node;
        }
        let node = self.records.len();
        self.index.insert(key, node);
        self.records.push(record.clone());
        self.parent.push(node);
        node
    }

    /// Whether two records may stand together.
    fn is_one(&self, a: usize, b: usize, by: &LinkedBy) -> bool {
        let (one, other) = (entity_of(&self.records[a], by), entity_of(&self.records[b], by));
        by.entity.is_none() || one.is_some() && one == other
    }

    fn root(&self, mut node: usize) -> usize {
        while self.parent[node] != node {
            node = self.parent[node];
        }
        node
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b)] = a.min(b);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::{Group, LinkedBy, groups};

    fn person(name: &str, ein: &str) -> Value {
        json!({"name": name, "ein": ein})
    }

    fn pair(a: &Value, b: &Value, score: f64) -> Value {
        json!({"entity_a": a, "entity_b": b, "match_score": score, "match_method": "fuzzy_name"})
    }

    fn by_ein() -> LinkedBy {
        LinkedBy { name: "name".into(), across: Some("ein".into()), ..LinkedBy::default() }
    }

    fn check(matches: &[Value], expect: &[(&str, usize, usize, f64)]) {
        let found: Vec<Group> = groups(matches, &by_ein());
        let told: Vec<(&str, usize, usize, f64)> = found
            .iter()
            .map(|g| (g.name.as_str(), g.records.len(), g.across, g.lowest_score))
            .collect();
        assert_eq!(told, expect);
    }

    #[test]
    fn f_049_matches_become_people_across_organisations() {
        let (a, b, c) = (
            person("MARIA ALVAREZ", "1"),
            person("Maria T Alvarez", "2"),
            person("M ALVAREZ", "3"),
        );
        check(&[pair(&a, &b, 0.95), pair(&b, &c, 0.84)], &[("Maria T Alvarez", 3, 3, 0.84)]);
        let same_filer = person("MARIA ALVARES", "1");
        check(&[pair(&a, &same_filer, 0.98)], &[]);
        check(&[pair(&a, &a, 1.0)], &[]);
        check(&[json!({"entity_a": a})], &[]);
    }

    #[test]
    fn f_049_spellings_of_one_organisation_and_unknown_ones_do_not_count_across() {
        let of = |name: &str, org: Value| json!({ "name": name, "ein": org });
        let (a, b) = (of("MARIA A", json!("Lantern Fund")), of("MARIA A.", json!("LANTERN FUND.")));
        let unknown = of("Maria A", Value::Null);
        check(&[pair(&a, &b, 0.95), pair(&a, &unknown, 0.95)], &[]);
        let other = of("M A", json!("River Trust"));
        check(&[pair(&a, &b, 0.95), pair(&b, &other, 0.9)], &[("MARIA A.", 3, 2, 0.9)]);
    }

    #[test]
    fn a_group_says_when_it_is_only_a_chain() {
        let (a, b, c) = (
            person("SAMUEL O WHITLOCK", "1"),
            person("SAM WHITLOCK", "2"),
            person("SAMUEL T WHITLOCK", "3"),
        );
        let chain = [pair(&a, &b, 0.9), pair(&b, &c, 0.9)];
        let ring = [pair(&a, &b, 0.9), pair(&b, &c, 0.9), pair(&c, &a, 0.9)];
        let chained = |matches: &[Value]| groups(matches, &by_ein())[0].chained;
        assert_eq!((chained(&chain), chained(&ring)), (true, false));
    }

    #[test]
    fn f_049_a_group_is_one_resolved_entity_whatever_the_names_say() {
        let of = |name: &str, ein: &str, entity: &str| json!({"name": name, "ein": ein, "_entity_id": entity, "_entity_name": format!("{name} ({entity})")});
        let (o, sam, t) = (
            of("SAMUEL O WHITLOCK", "1", "o"),
            of("SAM WHITLOCK", "2", "o"),
            of("SAMUEL T WHITLOCK", "3", "t"),
        );
        let namesake = of("SAMUEL O WHITLOCK", "4", "t");
        let nobody = json!({"name": "SAM WHITLOCK", "ein": "5", "_entity_id": null});
        let matches = [
            pair(&o, &sam, 0.9),
            pair(&sam, &t, 0.9),
            pair(&o, &namesake, 1.0),
            pair(&namesake, &t, 1.0),
            pair(&sam, &nobody, 1.0),
        ];
        let by = LinkedBy {
            entity: Some("_entity_id".into()),
            heading: Some("_entity_name".into()),
            ..by_ein()
        };
        let found = groups(&matches, &by);
        let told: Vec<(&str, usize, bool)> =
            found.iter().map(|g| (g.name.as_str(), g.records.len(), g.chained)).collect();
        assert_eq!(
            told,
            [("SAMUEL O WHITLOCK (o)", 2, false), ("SAMUEL T WHITLOCK (t)", 2, false)]
        );
        // By names alone they would all be one.
        assert_eq!(groups(&matches, &by_ein()).len(), 1);
    }

    #[test]
    fn the_widest_group_stands_first() {
        let wide = [person("Z", "1"), person("Z.", "2"), person("Z", "3")];
        let narrow = [person("A", "1"), person("A.", "2")];
        check(
            &[
                pair(&narrow[0], &narrow[1], 0.9),
                pair(&wide[0], &wide[1], 0.9),
                pair(&wide[0], &wide[2], 1.0),
            ],
            &[("Z", 3, 3, 0.9), ("A.", 2, 2, 0.9)],
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        #[test]
        fn groups_are_the_same_in_any_order(pairs in prop::collection::vec((0u8..8, 0u8..8), 0..12), turn in 0usize..12) {
            let node = |n: u8| person(&format!("p{n}"), &n.to_string());
            let matches: Vec<Value> = pairs.iter().map(|(a, b)| pair(&node(*a), &node(*b), 0.9)).collect();
            let mut turned = matches.clone();
            let middle = turn.min(turned.len());
            turned.rotate_left(middle);
            let told = |m: &[Value]| groups(m, &by_ein()).into_iter().map(|g| (g.name, g.spellings)).collect::<Vec<_>>();
            prop_assert_eq!(told(&matches), told(&turned));
        }
    }
}
