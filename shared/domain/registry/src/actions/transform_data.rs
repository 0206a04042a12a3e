//! Filters, sorts, groups, deduplicates and cuts a list of records.

use serde_json::json;

use super::{records, rows};
use crate::contract::{Contract, Slot};
use crate::data_type::DataType;
use crate::items::Items;

pub(super) fn contract() -> Contract {
    Contract {
        inputs: vec![Slot::required("data", rows(), "The records.")],
        params: vec![
            Slot::optional(
                "operations",
                rows(),
                "Applied in order: filter, sort, aggregate {group_by, function, field, as}, deduplicate, limit.",
            )
            .or(json!([]))
            .of_items(operations()),
        ],
        outputs: vec![
            Slot::required("data", rows(), "The records that are left, in order."),
            Slot::required("count", DataType::Integer, "How many are left."),
            Slot::required(
                "warnings",
                records(&[
                    ("record", DataType::Integer),
                    ("field", DataType::String),
                    ("text", DataType::String),
                    ("message", DataType::String),
                ]),
                "Records that a filter left out because it could not compare them: the first hundred.",
            ),
            Slot::required("warning_count", DataType::Integer, "How many there are."),
        ],
        ..Contract::reading("transform_data", "tool-data", "Filters, sorts, groups, deduplicates and limits records.")
    }
}

fn operations() -> Items {
    let keys = [
        "type",
        "field",
        "operator",
        "value",
        "direction",
        "group_by",
        "function",
        "as",
        "fields",
        "count",
        "limit",
    ];
    Items::with(&keys)
        .needing("type")
        .choosing("type", &["filter", "sort", "aggregate", "deduplicate", "limit"])
        .choosing("operator", &["eq", "ne", "gt", "gte", "lt", "lte", "contains", "in"])
        .choosing("direction", &["asc", "desc"])
        .choosing("function", &["sum", "count", "avg", "min", "max", "count_distinct"])
}
