//! The entities that the steps of a run reported.

use std::collections::BTreeMap;

use countersign_run::EntityCounts;
use serde_json::Value;

use crate::entry::Mention;

/// Actions whose outputs an entry is made of: what was found and what was written.
pub const TELLING: [&str; 3] = ["resolve_entities", "route_output", "save_to_workspace"];

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

impl Entities {
    /// Those in the outputs of steps that resolved names. An entity is new when the step that met it first says that the
    /// graph did not know it: a later step of the same run finds it there.
    pub fn of<'v>(outputs: impl IntoIterator<Item = &'v Value>) -> Self {
        let mut met: BTreeMap<String, bool> = BTreeMap::new();
        let mut found = Self::default();
        for output in outputs {
            let Some(resolved) = output.get("resolved").and_then(Value::as_array) else { continue };
            found.counts.relationships_discovered += count(output.get("new_relationships"));
            found.counts.merged += count(output.get("merge_count"));
            found.counts.ambiguous += count(output.get("ambiguous_left_out"));
            found.counts.ambiguous +=
                output.get("ambiguous").and_then(Value::as_array).map_or(0, Vec::len) as u64;
            for entity in resolved {
                found.meet(&mut met, entity);
            }
        }
        found
    }

    fn meet(&mut self, met: &mut BTreeMap<String, bool>, entity: &Value) {
        let Some(mention) = Mention::read(entity) else { return };
        if met.insert(identity(entity, &mention), true).is_some() {
            return;
        }
        self.counts.resolved += 1;
        if entity.get("is_known").and_then(Value::as_bool) == Some(false) {
            self.counts.discovered += 1;
            if self.discovered.len() < MAX_NAMED {
                self.discovered.push(mention.clone());
            }
        }
        if self.mentioned.len() < MAX_NAMED {
            self.mentioned.push(mention);
        }
    }

    /// The same in a sentence; none when there are none.
    pub(crate) fn sentence(&self) -> Option<String> {
        let EntityCounts { resolved, discovered, .. } = self.counts;
        let entities = if resolved == 1 { "entity" } else { "entities" };
        (resolved > 0).then(|| format!("{resolved} {entities}, {discovered} new."))
    }
}

fn count(value: Option<&Value>) -> u64 {
    value.and_then(Value::as_u64).unwrap_or_default()
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
        let found = Entities::of(outputs);
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
        let counts = Entities::of(&outputs).counts;
        assert_eq!((counts.resolved, counts.discovered), (1, 1));
    }

    #[test]
    fn f_317_merged_and_doubtful_names_are_counted() {
        let output = json!({"resolved": [], "merge_count": 4, "ambiguous": [{}, {}], "ambiguous_left_out": 3});
        let counts = Entities::of([&output]).counts;
        assert_eq!((counts.merged, counts.ambiguous), (4, 5));
        assert_eq!(Entities::default().sentence(), None);
    }
}
