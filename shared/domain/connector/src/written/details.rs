//! `details`: the request for each record of an answer that only lists them.

use countersign_document::{Rules, escaped};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;

use super::placeholders::{self, Scalar};
use super::text::UrlPath;
use crate::embed;
use crate::model::{Auth, DetailRules};
use crate::request;

/// The request for each record, where the answer only lists them.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Details {
    /// Appended to the base URL; `{name}` is replaced by a value of the record as the answer lists it.
    path: UrlPath,
    /// Fixed query parameters.
    #[serde(default)]
    query: IndexMap<String, Scalar>,
}

impl Details {
    pub(super) fn model(&self) -> DetailRules {
        DetailRules { path: self.path.as_str().to_owned(), query: placeholders::texts(&self.query) }
    }

    pub(super) fn rules(&self, auth: Option<&Auth>, rules: &mut Rules<'_>) {
        let names = request::placeholders(self.path.as_str()).unwrap_or_default();
        if names.is_empty() && rules.is_sound("/path") {
            let message = "the path is the same for every record";
            let hint = "name a value of the listed record, such as `{id}`".to_owned();
            rules.hinted("details", "/path", message, hint);
        }
        let key = match auth {
            Some(Auth::ApiKeyQuery { key_param }) => Some(key_param.as_str()),
            _ => None,
        };
        for (name, value) in &self.query {
            let pointer = format!("/query/{}", escaped(name));
            if key == Some(name) {
                let message = format!("`{name}` is the parameter of the key");
                rules.at_key("query", &pointer, message, None);
            } else if !embed::names(&value.text()).is_empty() {
                rules.error("placeholder", &pointer, "here a value is sent as it is written");
            }
        }
    }
}
