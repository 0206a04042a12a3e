//! Reads one web page.

use super::records;
use crate::contract::{Contract, Slot};
use crate::data_type::DataType;

pub(super) fn contract() -> Contract {
    let links = records(&[("url", DataType::String), ("text", DataType::String)]);
    Contract {
        inputs: vec![Slot::required("url", DataType::String, "The page's public HTTPS address.")],
        params: vec![
            Slot::optional("extract_mode", DataType::String, "How the content is returned.")
                .or("text")
                .one_of(&["text", "markdown", "structured"]),
        ],
        outputs: vec![
            Slot::required(
                "content",
                DataType::Any,
                "What the page is about: a text; sections and tables when structured.",
            ),
            Slot::required("title", DataType::String, "The page's title; empty without one."),
            Slot::required(
                "metadata",
                DataType::Object,
                "What the page says of itself, where it was found, and whether it was cut.",
            ),
            Slot::required("links", links, "Where the page leads."),
        ],
        ..Contract::reading("crawl_url", "tool-web", "Reads one web page.")
    }
}
