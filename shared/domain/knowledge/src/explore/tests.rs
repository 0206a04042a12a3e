use std::collections::BTreeSet;

use countersign_identity::UserId;
use futures::FutureExt as _;

use super::{Around, Budget, Expansion, Explore, Named, expand};
use crate::graph::{GraphFuture, Scope};
use crate::model::{Edge, Entity, EntityId, ExternalId, Namespace, Relationship};

/// People 0 to 9 in a row, each a relative of the next.
struct Row(Vec<Entity>, Vec<Edge>);

fn row() -> Row {
    let sample = |byte: u8| {
        let mut entity = crate::review::tests::entity(&format!("Person {byte}"), &[]);
        entity.id = EntityId::from_bytes([byte; 16]);
        entity
    };
    let entities: Vec<Entity> = (0..10).map(sample).collect();
    let edge = |pair: &[Entity]| crate::review::tests::edge(&pair[0].id, &pair[1].id, &[]);
    let edges = entities.windows(2).map(edge).collect();
    Row(entities, edges)
}

fn ready<'a, T: Send + 'a>(value: T) -> GraphFuture<'a, T> {
    Box::pin(std::future::ready(Ok(value)))
}

impl Explore for Row {
    fn named<'a>(&'a self, _: &'a Scope, _: &'a str, _: &'a mut Budget) -> GraphFuture<'a, Named> {
        ready(Named::default())
    }

    fn with_identifier<'a>(
        &'a self,
        _: &'a Scope,
        _: &'a ExternalId,
    ) -> GraphFuture<'a, Vec<Entity>> {
        ready(Vec::new())
    }

    fn by_ids<'a>(&'a self, _: &'a Scope, ids: BTreeSet<EntityId>) -> GraphFuture<'a, Vec<Entity>> {
        ready(self.0.iter().filter(|entity| ids.contains(&entity.id)).cloned().collect())
    }

    fn around<'a>(&'a self, _: &'a Scope, ids: &'a BTreeSet<EntityId>) -> GraphFuture<'a, Around> {
        let touches = |edge: &&Edge| ids.contains(&edge.from) || ids.contains(&edge.to);
        let edges = self.1.iter().filter(touches).cloned().collect();
        ready(Around { edges, is_cut: false })
    }
}

/// How many entities and relationships are found around person 4.
fn check(max_hops: u8, relationships: &[Relationship], expect: (usize, usize)) {
    let row = row();
    let scope = Scope { owner: UserId::from_bytes([1; 16]), namespace: Namespace::default() };
    let relationships = relationships.iter().copied().collect();
    let asked = Expansion { max_hops, relationships, types: BTreeSet::new() };
    let found =
        expand(&row, &scope, vec![row.0[4].clone()], &asked).now_or_never().unwrap().unwrap();
    assert_eq!((found.entities.len(), found.relationships.len()), expect, "{max_hops} hops");
}

#[test]
fn f_278_so_many_hops_are_taken_in_both_directions() {
    check(0, &[], (1, 0));
    check(1, &[], (3, 2));
    check(2, &[], (5, 4));
    check(2, &[Relationship::Funds], (1, 0));
    check(200, &[], (9, 8));
}

/// The relationships around person 1, of whom persons 0 and 2 say from either end that one funds the other.
fn funding(asked: &[Relationship]) -> Vec<(u8, Relationship, u8)> {
    let mut row = row();
    row.1.truncate(2);
    row.1[0].relationship = Relationship::FundedBy;
    row.1[1].relationship = Relationship::Funds;
    let same = Edge { from: row.0[1].id.clone(), to: row.0[0].id.clone(), ..row.1[1].clone() };
    row.1.push(same);
    let scope = Scope { owner: UserId::from_bytes([1; 16]), namespace: Namespace::default() };
    let relationships = asked.iter().copied().collect();
    let asked = Expansion { max_hops: 1, relationships, types: BTreeSet::new() };
    let found = expand(&row, &scope, vec![row.0[1].clone()], &asked).now_or_never();
    let number = |id: &EntityId| row.0.iter().position(|one| one.id == *id).unwrap() as u8;
    let edges = found.unwrap().unwrap().relationships;
    edges.iter().map(|edge| (number(&edge.from), edge.relationship, number(&edge.to))).collect()
}

#[test]
fn f_258_f_262_a_relationship_is_found_from_either_end_and_is_one() {
    use Relationship::{Controls, FundedBy, Funds};
    assert_eq!(funding(&[Funds]), [(1, Funds, 0), (1, Funds, 2)]);
    assert_eq!(funding(&[FundedBy]), [(0, FundedBy, 1), (2, FundedBy, 1)]);
    assert_eq!(funding(&[]), [(0, FundedBy, 1), (1, Funds, 2)]);
    assert_eq!(funding(&[Controls]), []);
}

#[test]
fn f_258_f_262_turning_a_relationship_twice_gives_it_back() {
    for relationship in Relationship::ALL {
        let edge = Edge { relationship, ..row().1[0].clone() };
        let Some(turned) = edge.turned() else { continue };
        assert_eq!(turned.turned(), Some(edge.clone()));
        assert_eq!(turned.relationship.properties(), relationship.properties());
    }
}
