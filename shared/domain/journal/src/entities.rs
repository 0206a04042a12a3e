//! The entities that a run met: in steps that resolved names, and in what was written to the knowledge graph.

use std::collections::{BTreeMap, BTreeSet};

use countersign_run::EntityCounts;
use serde_json::Value;

use crate::entry::Mention;

/// Actions whose outputs an entry is made of: what was found and what was written.
pub const TELLING: [&str; 3] = ["resolve_entities", "route_output", "save_to_workspace"];

/// The destination whose rows say which entities were written.
pub const GRAPH: &str = "knowledge_graph";

/// An entry names at most so many entities.
const MAX_NAMED: usize = 200;

/// The entities of a run, each once however many steps named it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Entities {
    /// All of them, the first 200.
    pub mentioned: Vec<Mention>,
    /// Those that the knowledge graph did not have before the run, the first 200.
    pub discovered: Vec<Mention>,
    /// How many there are.
    pub counts: EntityCounts,
}

/// What was met before, so that it counts once.
#[derive(Default)]
struct AlreadyMet {
    /// Whether each was called new.
    entities: BTreeMap<String, bool>,
    pairs: BTreeSet<(String, String)>,
}

impl Entities {
    /// Those in the outputs of steps that resolved names (`resolved`), and in the reports of what was written to the graph
    /// (`written`). An entity is new when one of them says that the graph did not know it: whatever comes later in the same run
    /// finds it there. Of a list that names only the first, the others count each time.
    pub fn of<'v>(
        resolved: impl IntoIterator<Item = &'v Value>,
        written: impl IntoIterator<Item = &'v Value>,
    ) -> Self {
        let (mut found, mut met) = (Self::default(), AlreadyMet::default());
        for output in resolved {
            found.add(&mut met, output, of_output(output));
        }
        for details in written {
            found.add(&mut met, details, of_details(details));
        }
        found
    }

    /// Adds what a list names, and of its totals what it does not name.
    fn add(&mut self, met: &mut AlreadyMet, list: &Value, totals: EntityCounts) {
        let mut listed = EntityCounts::default();
        for entity in items(list, "resolved") {
            let Some(mention) = Mention::read(entity) else { continue };
            let counts = of_entity(entity);
            listed = sum(listed, counts);
            let is_new = counts.discovered > 0;
            match met.entities.get_mut(&identity(entity, &mention)) {
                None => {
                    met.entities.insert(identity(entity, &mention), is_new);
                    self.counts = sum(self.counts, counts);
                    self.meet(mention, is_new);
                }
                Some(was_new) if is_new && !*was_new => {
                    *was_new = true;
                    self.counts.discovered += 1;
                    self.discover(mention);
                }
                Some(_) => {}
            }
        }
        for pair in items(list, "ambiguous") {
            listed.ambiguous += 1;
            if pair_of(pair).is_none_or(|pair| met.pairs.insert(pair)) {
                self.counts.ambiguous += 1;
            }
        }
        self.counts = sum(self.counts, rest(totals, listed));
    }

    fn meet(&mut self, mention: Mention, is_new: bool) {
        if is_new {
            self.discover(mention.clone());
        }
        if self.mentioned.len() < MAX_NAMED {
            self.mentioned.push(mention);
        }
    }

    fn discover(&mut self, mention: Mention) {
        if self.discovered.len() < MAX_NAMED {
            self.discovered.push(mention);
        }
    }

    /// The same in a sentence; none when there are none.
    pub(crate) fn sentence(&self) -> Option<String> {
        let EntityCounts { resolved, discovered, .. } = self.counts;
        let entities = if resolved == 1 { "entity" } else { "entities" };
        (resolved > 0).then(|| format!("{resolved} {entities}, {discovered} new."))
    }
}

/// What the output of a `route_output` step says of its writes to the graph.
pub fn written_to_graph(output: &Value) -> impl Iterator<Item = &Value> {
    let rows = items(output, "routed_to").iter();
    rows.filter(|row| row["destination"] == GRAPH).map(|row| &row["details"])
}

fn count(of: &Value, name: &str) -> u64 {
    of.get(name).and_then(Value::as_u64).unwrap_or_default()
}

fn items<'v>(of: &'v Value, name: &str) -> &'v [Value] {
    of[name].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// What one entity adds.
fn of_entity(entity: &Value) -> EntityCounts {
    let is_new = entity.get("is_known").and_then(Value::as_bool) == Some(false);
    EntityCounts {
        resolved: 1,
        discovered: u64::from(is_new),
        merged: count(entity, "merge_count"),
        ..EntityCounts::default()
    }
}

/// The totals of an output of `resolve_entities`, which names every entity.
fn of_output(output: &Value) -> EntityCounts {
    let entities = items(output, "resolved").iter().filter(|one| Mention::read(one).is_some());
    let named = entities.map(of_entity).fold(EntityCounts::default(), sum);
    EntityCounts {
        merged: count(output, "merge_count"),
        ambiguous: items(output, "ambiguous").len() as u64 + count(output, "ambiguous_left_out"),
        relationships_discovered: count(output, "new_relationships"),
        ..named
    }
}

/// The totals of what was written to the graph.
fn of_details(details: &Value) -> EntityCounts {
    EntityCounts {
        resolved: count(details, "entities"),
        discovered: count(details, "new_entities"),
        merged: count(details, "merged"),
        ambiguous: count(details, "to_review"),
        relationships_discovered: count(details, "new_relationships"),
    }
}

fn sum(one: EntityCounts, other: EntityCounts) -> EntityCounts {
    EntityCounts {
        resolved: one.resolved + other.resolved,
        discovered: one.discovered + other.discovered,
        merged: one.merged + other.merged,
        ambiguous: one.ambiguous + other.ambiguous,
        relationships_discovered: one.relationships_discovered + other.relationships_discovered,
    }
}

fn rest(all: EntityCounts, listed: EntityCounts) -> EntityCounts {
    EntityCounts {
        resolved: all.resolved.saturating_sub(listed.resolved),
        discovered: all.discovered.saturating_sub(listed.discovered),
        merged: all.merged.saturating_sub(listed.merged),
        ambiguous: all.ambiguous.saturating_sub(listed.ambiguous),
        relationships_discovered: all.relationships_discovered,
    }
}

/// The two of a doubtful pair, in one order.
fn pair_of(pair: &Value) -> Option<(String, String)> {
    let id = |name: &str| pair.get(name).and_then(Value::as_str).map(str::to_owned);
    let (one, other) = (id("entity_id")?, id("candidate_id")?);
    Some(if one <= other { (one, other) } else { (other, one) })
}

/// What tells an entity from the others: its id, else its name and type.
fn identity(entity: &Value, mention: &Mention) -> String {
    let id = entity.get("entity_id").and_then(Value::as_str);
    let of_name = || {
        let kind = mention.entity_type.as_deref().unwrap_or_default();
        format!("{kind}\n{}", Mention::key(&mention.name))
    };
    id.map_or_else(of_name, str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Entities;

    fn names(outputs: &[Value]) -> (Vec<String>, Vec<String>) {
        let found = Entities::of(outputs, []);
        let names =
            |all: Vec<crate::Mention>| all.into_iter().map(|mention| mention.name).collect();
        (names(found.mentioned), names(found.discovered))
    }

    fn entity(id: &str, name: &str, is_known: bool) -> Value {
        json!({"canonical_name": name, "type": "ORG", "entity_id": id, "is_known": is_known})
    }

    #[test]
    fn f_404_only_what_the_graph_did_not_have_is_discovered() {
        let outputs = [
            json!({"resolved": [entity("e1", "Owl Fund", true), entity("e2", "River Trust", false)]}),
            json!({"count": 3}),
        ];
        let (mentioned, discovered) = names(&outputs);
        assert_eq!(mentioned, ["Owl Fund", "River Trust"]);
        assert_eq!(discovered, ["River Trust"]);
    }

    #[test]
    fn f_404_an_entity_is_new_once_and_stays_new_within_its_run() {
        let outputs = [
            json!({"resolved": [entity("e2", "River Trust", false)]}),
            json!({"resolved": [entity("e2", "River Trust", true), entity("e2", "RIVER TRUST", true)]}),
        ];
        assert_eq!(
            names(&outputs),
            (vec!["River Trust".to_owned()], vec!["River Trust".to_owned()])
        );
        let counts = Entities::of(&outputs, []).counts;
        assert_eq!((counts.resolved, counts.discovered), (1, 1));
    }

    #[test]
    fn f_317_merged_and_doubtful_names_are_counted() {
        let output = json!({"resolved": [], "merge_count": 4, "ambiguous": [{}, {}], "ambiguous_left_out": 3});
        let counts = Entities::of([&output], []).counts;
        assert_eq!((counts.merged, counts.ambiguous), (4, 5));
        assert_eq!(Entities::default().sentence(), None);
    }

    #[test]
    fn f_316_f_317_f_404_what_was_written_to_the_graph_counts_once_with_what_steps_resolved() {
        let met = |id: &str, is_known: bool| json!({"canonical_name": id, "type": "ORG", "entity_id": id, "is_known": is_known, "merge_count": 1});
        let pair = |one: &str, other: &str| json!({"entity_id": one, "candidate_id": other});
        let step = json!({"resolved": [met("a", false), met("b", true)], "merge_count": 2, "ambiguous": [pair("a", "b")],
            "new_relationships": 1});
        let written = json!({"entities": 5, "new_entities": 2, "merged": 4, "to_review": 3, "new_relationships": 2,
            "resolved": [met("c", false), met("a", true)], "ambiguous": [pair("b", "a"), pair("c", "d")]});
        let found = Entities::of([&step], [&written]);
        let mentioned: Vec<&str> = found.mentioned.iter().map(|one| one.name.as_str()).collect();
        let discovered: Vec<&str> = found.discovered.iter().map(|one| one.name.as_str()).collect();
        assert_eq!((mentioned, discovered), (vec!["a", "b", "c"], vec!["a", "c"]));
        let counts = found.counts;
        // Listed: a, b and c; of the five written three are not listed, one of them new.
        assert_eq!(
            (counts.resolved, counts.discovered, counts.relationships_discovered),
            (6, 3, 3)
        );
        assert_eq!((counts.merged, counts.ambiguous), (5, 3));
        // Also where the graph was written first.
        let step = json!({"resolved": [met("c", true)]});
        let written = json!({"entities": 1, "new_entities": 1, "resolved": [met("c", false)]});
        let found = Entities::of([&step], [&written]);
        assert_eq!((found.counts.resolved, found.counts.discovered), (1, 1));
        assert_eq!((found.mentioned.len(), found.discovered.len()), (1, 1));
    }
}
