//! What the declared types say is what stored playbooks were checked against.

use countersign_registry::Registry;
use serde_json::Value;

const STORED: &str = include_str!("contracts.json");

/// Set to write the file instead of comparing it.
const WRITE: &str = "COUNTERSIGN_WRITE_CONTRACTS";

/// The contract without the schemas of its slots, which say more than was stored.
fn without_schemas(mut contract: Value) -> Value {
    for side in ["inputs", "params", "outputs"] {
        for slot in contract[side].as_array_mut().into_iter().flatten() {
            slot.as_object_mut().map(|slot| slot.remove("schema"));
        }
    }
    contract
}

#[test]
fn f_037_declared_contracts_are_those_that_stored_playbooks_were_checked_against() {
    let stored: Vec<Value> = serde_json::from_str(STORED).unwrap();
    let registry = Registry::builtin();
    let declared = registry.iter().map(|contract| serde_json::to_value(contract).unwrap());
    let declared: Vec<Value> = declared.map(without_schemas).collect();
    if std::env::var_os(WRITE).is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/contracts.json");
        std::fs::write(path, format!("{:#}\n", Value::Array(declared.clone()))).unwrap();
        return;
    }
    assert_eq!(declared.len(), stored.len());
    for (declared, stored) in declared.iter().zip(&stored) {
        assert_eq!(declared, stored, "{declared:#}");
    }
}
