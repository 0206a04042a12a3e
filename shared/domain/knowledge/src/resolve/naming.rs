//! From groups of nodes to clusters with unique canonical names.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::cluster::{Clustering, Doubt, Edge};
use super::{
    Ambiguity, Candidate, Cluster, Known, Link, MAX_AMBIGUOUS, MAX_CANDIDATES, Mention, Node,
    Resolution, words,
};
use crate::fold::fold;
use crate::model::{EntityType, ExternalId};
use crate::organisation::OrganisationName;
use crate::person::PersonName;
use crate::rows::MatchMethod;

pub(super) fn assemble(
    nodes: &[Node],
    clustering: Clustering,
    mentions: &[Mention],
    known: &[Known],
) -> Resolution {
    let mut built: Vec<(Vec<usize>, Cluster)> = Vec::new();
    let mut used: BTreeMap<usize, Vec<Edge>> = BTreeMap::new();
    for edge in clustering.used {
        used.entry(edge.a).or_default().push(edge);
    }
    for group in clustering.groups {
        // A known entity nothing was merged into is not part of the answer.
        if group.iter().any(|node| !nodes[*node].members.is_empty()) {
            let cluster = build(nodes, &group, &used, known);
            built.push((group, cluster));
        }
    }
    let names = |c: &Cluster| {
        (
            c.entity_type.clone(),
            c.canonical_name.clone(),
            c.external_ids.clone(),
            c.aliases.clone(),
            c.context.clone(),
            c.places.clone(),
        )
    };
    built.sort_by_cached_key(|(_, cluster)| names(cluster));
    make_unique(&mut built, known);
    let place: BTreeMap<usize, usize> = built
        .iter()
        .enumerate()
        .flat_map(|(at, (group, _))| group.iter().map(move |node| (*node, at)))
        .collect();
    let clusters: Vec<Cluster> = built.into_iter().map(|(_, cluster)| cluster).collect();
    debug_assert!(clusters.iter().map(|c| c.members.len()).sum::<usize>() <= mentions.len());
    let (mut ambiguous, left_out) =
        ambiguities(nodes, &clustering.doubts, &place, &clusters, known);
    ambiguous.sort_by(|x, y| (&x.0, &x.1).cmp(&(&y.0, &y.1)));
    Resolution {
        clusters,
        ambiguous: ambiguous.into_iter().map(|(_, _, ambiguity)| ambiguity).collect(),
        left_out,
    }
}

fn build(
    nodes: &[Node],
    group: &[usize],
    used: &BTreeMap<usize, Vec<Edge>>,
    known: &[Known],
) -> Cluster {
    let recognised = group.iter().find_map(|node| nodes[*node].known).map(|index| &known[index]);
    let kind = nodes[group[0]].subject.kind.clone();
    let mut spellings: BTreeMap<&str, usize> = BTreeMap::new();
    for (name, count) in group.iter().flat_map(|node| &nodes[*node].spellings) {
        *spellings.entry(name).or_default() += count;
    }
    let given = group.iter().filter(|node| nodes[**node].known.is_none());
    let written: BTreeSet<&String> = given.flat_map(|node| nodes[*node].spellings.keys()).collect();
    let canonical_name = recognised
        .map_or_else(|| canonical(&kind, &spellings), |known| known.canonical_name.clone());
    let mut members: Vec<usize> =
        group.iter().flat_map(|node| nodes[*node].members.iter().copied()).collect();
    members.sort_unstable();
    let inner: Vec<&Edge> = group.iter().filter_map(|node| used.get(node)).flatten().collect();
    let weakest = inner.iter().map(|edge| edge.judgement.score).fold(1.0, f64::min);
    let surest = group
        .iter()
        .filter(|node| nodes[**node].known.is_none())
        .map(|node| nodes[*node].confidence)
        .fold(0.0, f64::max);
    let mut links: Vec<Link> = group.iter().flat_map(|node| same_form(&nodes[*node])).collect();
    links.extend(inner.iter().map(|edge| link(nodes, edge)));
    Cluster {
        aliases: spellings
            .keys()
            .filter(|name| **name != canonical_name)
            .map(|name| (*name).to_owned())
            .collect(),
        spellings: written.len(),
        merge_count: if recognised.is_some() { members.len() } else { members.len() - 1 },
        members,
        confidence: round(surest * weakest),
        external_ids: group
            .iter()
            .flat_map(|node| nodes[*node].subject.ids.iter().cloned())
            .collect(),
        context: group
            .iter()
            .flat_map(|node| nodes[*node].subject.context.iter().cloned())
            .collect(),
        places: group.iter().flat_map(|node| nodes[*node].subject.places.iter().cloned()).collect(),
        known: recognised.map(|known| known.id.clone()),
        links,
        canonical_name,
        entity_type: kind,
    }
}

/// Four decimals: what a score means, and the same on every machine.
pub(crate) fn round(score: f64) -> f64 {
    (score * 10_000.0).round() / 10_000.0
}

/// Spellings that are the same name after normalising.
fn same_form(node: &Node) -> Vec<Link> {
    if node.known.is_some() {
        return Vec::new();
    }
    let label = node.label();
    let others = node.spellings.keys().filter(|name| *name != label);
    let exact = |name: &String| Link {
        source_name: name.clone(),
        target_name: label.to_owned(),
        score: 1.0,
        method: MatchMethod::ExactName,
        jaro_winkler: 1.0,
        shared_id: false,
        shared_context: BTreeSet::new(),
    };
    others.map(exact).collect()
}

fn link(nodes: &[Node], edge: &Edge) -> Link {
    // The known side, or the first by order, is what the other was joined to.
    let (source, target) =
        if nodes[edge.a].known.is_some() { (edge.a, edge.b) } else { (edge.b, edge.a) };
    let (source, target) =
        if nodes[source].known.is_some() { (target, source) } else { (source, target) };
    let shared = nodes[source].subject.context.intersection(&nodes[target].subject.context);
    Link {
        source_name: nodes[source].label().to_owned(),
        target_name: nodes[target].label().to_owned(),
        score: round(edge.judgement.score),
        method: edge.judgement.method,
        jaro_winkler: round(edge.judgement.jaro_winkler),
        shared_id: edge.judgement.shared_id,
        shared_context: shared.take(10).cloned().collect(),
    }
}

/// The fullest spelling; persons are written in reading order.
pub(crate) fn canonical(kind: &EntityType, spellings: &BTreeMap<&str, usize>) -> String {
    let weight = |name: &str, count: usize| match kind {
        EntityType::Person => {
            let name = PersonName::parse(name);
            (name.completeness(), name.given.len(), count)
        }
        EntityType::Org => (
            OrganisationName::parse(name).words.len(),
            usize::from(name.chars().any(char::is_lowercase)),
            count,
        ),
        _ => (0, usize::from(name.chars().any(char::is_lowercase)), count),
    };
    let best =
        spellings.iter().max_by_key(|(name, count)| (weight(name, **count), Reverse(**name)));
    let name = best.map_or("", |(name, _)| *name);
    if *kind == EntityType::Person { PersonName::parse(name).display() } else { name.to_owned() }
}

/// Adds a qualifier where two things that are not one carry the same name (ADR 0010).
fn make_unique(built: &mut [(Vec<usize>, Cluster)], known: &[Known]) {
    let mut taken: BTreeSet<(EntityType, String)> = known
        .iter()
        .flat_map(|known| {
            let names = std::iter::once(&known.canonical_name).chain(&known.merged_names);
            names.map(|name| (known.entity_type.clone(), fold(name)))
        })
        .collect();
    let shared = shared_names(built, &taken);
    // The number that the next of one name would have: not looked for from the beginning each time.
    let mut numbers: BTreeMap<(EntityType, String), u32> = BTreeMap::new();
    for (_, cluster) in built.iter_mut().filter(|(_, cluster)| cluster.known.is_none()) {
        let base = cluster.canonical_name.clone();
        let id = cluster.external_ids.first().map(|ExternalId { scheme, value }| {
            format!("{base} ({} {value})", scheme.to_uppercase().replace('_', " "))
        });
        let place = cluster.places.first().map(|place| format!("{base} ({place})"));
        let next = numbers.entry((cluster.entity_type.clone(), fold(&base))).or_insert(2);
        let numbered = (*next..).map(|n| {
            *next = n;
            format!("{base} ({n})")
        });
        let free = |name: &String| !taken.contains(&(cluster.entity_type.clone(), fold(name)));
        // Of two people with one name, both get their town, so that neither looks like the only one.
        let plain = Some(base.clone()).filter(|_| {
            place.is_none() || !shared.contains(&(cluster.entity_type.clone(), fold(&base)))
        });
        let name = plain.into_iter().chain(id).chain(place).chain(numbered).find(free);
        if let Some(name) = name {
            taken.insert((cluster.entity_type.clone(), fold(&name)));
            if name != base {
                cluster.aliases.insert(base);
            }
            cluster.canonical_name = name;
        }
    }
}

/// The names that more than one thing goes by.
fn shared_names(
    built: &[(Vec<usize>, Cluster)],
    taken: &BTreeSet<(EntityType, String)>,
) -> BTreeSet<(EntityType, String)> {
    let mut seen = taken.clone();
    let new = built.iter().map(|(_, cluster)| cluster).filter(|cluster| cluster.known.is_none());
    new.map(|cluster| (cluster.entity_type.clone(), fold(&cluster.canonical_name)))
        .filter(|name| !seen.insert(name.clone()))
        .collect()
}

/// The two names, for sorting, and the doubt.
type Doubtful = (String, String, Ambiguity);

/// One entry per pair of things, the best evidence first, and how many more there are: nobody reviews the hundredth candidate
/// for one name.
fn ambiguities(
    nodes: &[Node],
    doubts: &[Doubt],
    place: &BTreeMap<usize, usize>,
    clusters: &[Cluster],
    known: &[Known],
) -> (Vec<Doubtful>, usize) {
    let (mut seen, mut per_cluster) = (BTreeSet::new(), BTreeMap::<usize, usize>::new());
    let (mut found, mut left_out) = (Vec::new(), 0);
    for doubt in doubts {
        let (near, far) = match (place.get(&doubt.edge.a), place.get(&doubt.edge.b)) {
            (Some(a), Some(b)) => (*a.min(b), Ok(*a.max(b))),
            (Some(a), None) => (*a, Err(doubt.edge.b)),
            (None, Some(b)) => (*b, Err(doubt.edge.a)),
            (None, None) => continue,
        };
        if !seen.insert((near, far)) {
            continue;
        }
        let candidate = match far {
            Ok(index) => Candidate::Cluster(index),
            Err(node) => match nodes[node].known.map(|index| &known[index]) {
                Some(known) => Candidate::Known(known.id.clone(), known.canonical_name.clone()),
                None => continue,
            },
        };
        let count = per_cluster.entry(near).or_default();
        *count += 1;
        if *count > MAX_CANDIDATES || found.len() >= MAX_AMBIGUOUS {
            left_out += 1;
            continue;
        }
        let other = match &candidate {
            Candidate::Cluster(index) => clusters[*index].canonical_name.clone(),
            Candidate::Known(_, name) => name.clone(),
        };
        let link = link(nodes, &doubt.edge);
        let why = words::why(nodes, doubt);
        found.push((
            clusters[near].canonical_name.clone(),
            other,
            Ambiguity { cluster: near, candidate, link, reason: doubt.reason, why },
        ));
    }
    (found, left_out)
}
