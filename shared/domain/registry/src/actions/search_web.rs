//! Searches the web.

use super::{records, texts};
use crate::contract::{Contract, Slot};
use crate::data_type::DataType;

pub(super) fn contract() -> Contract {
    let results = records(&[
        ("title", DataType::String),
        ("url", DataType::String),
        ("snippet", DataType::String),
        ("source", DataType::String),
    ]);
    Contract {
        inputs: vec![Slot::required("query", DataType::String, "What to look for.")],
        params: vec![
            Slot::optional("max_results", DataType::Integer, "At most this many, 1 to 50.").or(10),
            Slot::optional(
                "categories",
                texts(),
                "Where to look, such as general or news; left out, everywhere.",
            ),
        ],
        outputs: vec![
            Slot::required("results", results, "The best first; source is the site."),
            Slot::required("count", DataType::Integer, "How many there are."),
        ],
        ..Contract::reading("search_web", "tool-web", "Searches the web.")
    }
}
