//! A graph for tests.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use countersign_identity::UserId;
use countersign_knowledge::change::Changes;
use countersign_knowledge::explore::{Around, Budget, Explore, Named};
use countersign_knowledge::fold::search_words;
use countersign_knowledge::graph::{
    Applied, CallState, Deferred, EdgeKey, GoesOn, Graph, GraphError, GraphFuture, Planned, Scope,
};
use countersign_knowledge::{
    Edge, Entity, EntityId, ExternalId, KnowledgeError, Mention, Namespace, ReviewId,
};
use countersign_registry::action::ActionFuture;
use jiff::Timestamp;

use crate::ProfileNamespaces;

/// A graph in memory that can be made to fail after so many steps.
#[derive(Default)]
pub(super) struct Memory {
    pub(super) state: Mutex<State>,
}

#[derive(Default)]
pub(super) struct State {
    pub(super) calls: BTreeMap<String, (Planned, bool)>,
    pub(super) deferred: BTreeMap<String, Deferred>,
    pub(super) entities: BTreeMap<String, Entity>,
    pub(super) edges: BTreeMap<EdgeKey, Edge>,
    pub(super) rows: BTreeSet<String>,
    pub(super) reviews: BTreeSet<String>,
    pub(super) rejected: BTreeSet<ReviewId>,
    pub(super) pending: usize,
    pub(super) writes: usize,
    pub(super) fail_after: Option<usize>,
    /// How often something was looked for by name, and how much of the budget names take.
    pub(super) searches: usize,
    pub(super) costs: BTreeMap<String, usize>,
    /// What somebody else writes just before the next plan is applied.
    pub(super) meanwhile: Vec<Entity>,
}

impl State {
    fn step(&mut self) -> Result<(), GraphError> {
        if let Some(left) = &mut self.fail_after {
            if *left == 0 {
                self.fail_after = None;
                return Err(Box::new(KnowledgeError::BadParam {
                    name: "crash",
                    problem: "killed".to_owned(),
                }));
            }
            *left -= 1;
        }
        self.writes += 1;
        Ok(())
    }

    fn apply(&mut self, changes: &Changes) -> Result<Applied, GraphError> {
        for entity in std::mem::take(&mut self.meanwhile) {
            self.entities.insert(entity.id.to_string(), entity);
        }
        let stands = |new: &Entity| self.entities.get(new.id.as_str());
        if changes.entities.iter().any(|new| stands(new).is_some_and(|old| old.contradicts(new))) {
            return Ok(Applied::Contradicted);
        }
        for entity in &changes.entities {
            self.step()?;
            self.entities
                .entry(entity.id.to_string())
                .and_modify(|e| e.absorb(entity))
                .or_insert_with(|| entity.clone());
        }
        for edge in &changes.edges {
            self.step()?;
            let key = (edge.from.clone(), edge.relationship, edge.to.clone());
            self.edges.entry(key).and_modify(|e| e.absorb(edge)).or_insert_with(|| edge.clone());
        }
        self.rows.extend(changes.log.iter().map(|row| row.id.to_string()));
        self.rows.extend(changes.discoveries.iter().map(|row| row.id.to_string()));
        self.reviews.extend(changes.reviews.iter().map(|row| row.id.to_string()));
        Ok(Applied::Whole)
    }
}

fn ready<'a, T: Send + 'a>(value: Result<T, GraphError>) -> GraphFuture<'a, T> {
    Box::pin(std::future::ready(value))
}

impl Graph for Memory {
    fn call<'a>(&'a self, scope: &'a Scope, key: &'a str) -> GraphFuture<'a, CallState> {
        let state = self.state.lock().unwrap();
        let key = format!("{}{key}", scope.owner);
        ready(Ok(match state.calls.get(&key) {
            None => match state.deferred.get(&key) {
                Some(deferred) => CallState::Deferred(Box::new(deferred.clone())),
                None => CallState::New,
            },
            Some((planned, true)) => CallState::Done(planned.answer.clone()),
            Some((planned, false)) => CallState::Planned(Box::new(planned.clone())),
        }))
    }

    fn candidates<'a>(
        &'a self,
        scope: &'a Scope,
        _: &'a [Mention],
    ) -> GraphFuture<'a, Vec<Entity>> {
        let state = self.state.lock().unwrap();
        ready(Ok(state
            .entities
            .values()
            .filter(|e| e.user_id == scope.owner && e.namespace == scope.namespace)
            .cloned()
            .collect()))
    }

    fn existing<'a>(
        &'a self,
        _: &'a Scope,
        edges: &'a [Edge],
        _: &'a [Entity],
    ) -> GraphFuture<'a, BTreeSet<EdgeKey>> {
        let state = self.state.lock().unwrap();
        let keys = edges.iter().map(|e| (e.from.clone(), e.relationship, e.to.clone()));
        ready(Ok(keys.filter(|key| state.edges.contains_key(key)).collect()))
    }

    fn rejected<'a>(
        &'a self,
        _: &'a Scope,
        reviews: &'a [ReviewId],
    ) -> GraphFuture<'a, BTreeSet<ReviewId>> {
        let state = self.state.lock().unwrap();
        ready(Ok(reviews.iter().filter(|id| state.rejected.contains(*id)).cloned().collect()))
    }

    fn defer<'a>(
        &'a self,
        scope: &'a Scope,
        key: &'a str,
        deferred: &'a Deferred,
        _: Timestamp,
    ) -> GraphFuture<'a, CallState> {
        let mut state = self.state.lock().unwrap();
        state.deferred.entry(format!("{}{key}", scope.owner)).or_insert_with(|| deferred.clone());
        ready(Ok(CallState::Deferred(Box::new(deferred.clone()))))
    }

    fn discard_plan<'a>(
        &'a self,
        scope: &'a Scope,
        key: &'a str,
        from: &'a Deferred,
        at: Timestamp,
    ) -> GraphFuture<'a, CallState> {
        self.state.lock().unwrap().calls.remove(&format!("{}{key}", scope.owner));
        self.defer(scope, key, from, at)
    }

    fn plan<'a>(
        &'a self,
        scope: &'a Scope,
        key: &'a str,
        planned: &'a Planned,
    ) -> GraphFuture<'a, CallState> {
        let mut state = self.state.lock().unwrap();
        if let Err(error) = state.step() {
            return ready(Err(error));
        }
        let key = format!("{}{key}", scope.owner);
        state.deferred.remove(&key);
        state.calls.insert(key, (planned.clone(), false));
        ready(Ok(CallState::Planned(Box::new(planned.clone()))))
    }

    fn apply<'a>(
        &'a self,
        _: &'a Scope,
        _: &'a str,
        changes: &'a Changes,
        _: GoesOn<'a>,
    ) -> GraphFuture<'a, Applied> {
        ready(self.state.lock().unwrap().apply(changes))
    }

    fn pending<'a>(&'a self, _: &'a Scope, changes: &'a Changes) -> GraphFuture<'a, ()> {
        let mut state = self.state.lock().unwrap();
        state.pending = changes.discoveries.len();
        ready(Ok(()))
    }

    fn finish<'a>(&'a self, scope: &'a Scope, key: &'a str) -> GraphFuture<'a, ()> {
        let mut state = self.state.lock().unwrap();
        if let Err(error) = state.step() {
            return ready(Err(error));
        }
        if let Some((_, done)) = state.calls.get_mut(&format!("{}{key}", scope.owner)) {
            *done = true;
        }
        ready(Ok(()))
    }
}

impl Explore for Memory {
    fn named<'a>(
        &'a self,
        scope: &'a Scope,
        text: &'a str,
        budget: &'a mut Budget,
    ) -> GraphFuture<'a, Named> {
        let mut state = self.state.lock().unwrap();
        state.searches += 1;
        let costs = state.costs.get(text).copied().unwrap_or_default();
        let is_cut = costs > budget.pointers;
        budget.pointers = budget.pointers.saturating_sub(costs);
        let words = search_words(text);
        let is_named = |entity: &&Entity| {
            entity.user_id == scope.owner
                && entity.namespace == scope.namespace
                && entity.has_words(&words)
        };
        let entities = state.entities.values().filter(is_named).cloned().collect();
        ready(Ok(Named { entities, is_cut }))
    }

    fn with_identifier<'a>(
        &'a self,
        scope: &'a Scope,
        id: &'a ExternalId,
    ) -> GraphFuture<'a, Vec<Entity>> {
        let state = self.state.lock().unwrap();
        let has = |entity: &&Entity| {
            entity.user_id == scope.owner
                && entity.namespace == scope.namespace
                && entity.external_ids.contains(id)
        };
        ready(Ok(state.entities.values().filter(has).cloned().collect()))
    }

    fn by_ids<'a>(&'a self, _: &'a Scope, ids: BTreeSet<EntityId>) -> GraphFuture<'a, Vec<Entity>> {
        let state = self.state.lock().unwrap();
        let found = state.entities.values().filter(|entity| ids.contains(&entity.id));
        ready(Ok(found.cloned().collect()))
    }

    fn around<'a>(&'a self, _: &'a Scope, ids: &'a BTreeSet<EntityId>) -> GraphFuture<'a, Around> {
        let state = self.state.lock().unwrap();
        let touches = |edge: &&Edge| ids.contains(&edge.from) || ids.contains(&edge.to);
        let edges = state.edges.values().filter(touches).cloned().collect();
        ready(Ok(Around { edges, is_cut: false }))
    }
}

impl ProfileNamespaces for Memory {
    fn namespaces<'a>(
        &'a self,
        _: &'a UserId,
        profile: &'a str,
    ) -> ActionFuture<'a, Vec<Namespace>> {
        let named: &[&str] = if profile == "prof_2" { &["nonprofits", "politics"] } else { &[] };
        let named = named.iter().map(|name| Namespace::parse(name).unwrap()).collect();
        Box::pin(std::future::ready(Ok(named)))
    }
}
