//! Where an answer says whether its call succeeded.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::json_path::JsonPath;
use crate::model;

/// An answer of a good status that may be a refusal all the same.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SuccessRule {
    /// Where `true` means success and `false` failure. An answer without either leaves open what an effect came to.
    path: JsonPath,
    /// Where a failure says why.
    reason: JsonPath,
    /// Reasons by which the credential is refused.
    #[serde(default)]
    denied: Vec<String>,
    /// Reasons by which the source asks to be called later: it did nothing.
    #[serde(default)]
    throttled: Vec<String>,
    /// Reasons after which it may have been done all the same.
    #[serde(default)]
    in_doubt: Vec<String>,
}

impl SuccessRule {
    pub(super) fn model(self) -> model::SuccessRule {
        let Self { path, reason, denied, throttled, in_doubt } = self;
        model::SuccessRule { path, reason, denied, throttled, in_doubt }
    }
}
