//! Decides which names mean the same entity, without remembering it.

use super::{records, resolve_entities, rows};
use crate::contract::{Contract, Slot};
use crate::data_type::DataType;

pub(super) fn contract() -> Contract {
    let resolving = resolve_entities::contract();
    let mut inputs = resolving.inputs;
    inputs.push(Slot::optional(
        "records",
        rows(),
        "The records the entities were found in; they come back with their entity.",
    ));
    let mut params = resolving.params;
    params.push(
        Slot::optional(
            "record_field",
            DataType::String,
            "The field that names what a record is about.",
        )
        .or("name"),
    );
    let doubt = records(&[
        ("entity", DataType::String),
        ("candidate", DataType::String),
        ("type", DataType::String),
        ("entity_id", DataType::String),
        ("candidate_id", DataType::String),
        ("confidence", DataType::Number),
        ("reason", DataType::String),
        ("why", DataType::String),
    ]);
    let resolved = resolving.outputs.into_iter().filter(|slot| slot.name != "ambiguous");
    let mut outputs: Vec<Slot> = resolved.collect();
    outputs.push(Slot::required(
        "ambiguous",
        doubt,
        "Pairs too alike to keep apart and not alike enough to merge; `why` says it in a sentence.",
    ));
    outputs.push(Slot::required(
        "ambiguous_left_out",
        DataType::Integer,
        "How many further pairs there are.",
    ));
    outputs.push(Slot::required(
        "records",
        rows(),
        "The given records with `_entity_id` and `_entity_name`; null where a record names nothing.",
    ));
    Contract {
        inputs,
        params,
        outputs,
        ..Contract::reading(
            "match_entities",
            "tool-knowledge",
            "Says which names mean the same entity, and remembers nothing.",
        )
    }
}
