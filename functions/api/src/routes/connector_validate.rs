//! `/connectors/{id}/validate` (F-332).

use countersign_connector::{ConnectorId, Diagnostic, StoredConnector, parse, parse_template};
use countersign_document::Verdict;
use countersign_web::{FieldError, Json, Problem};
use serde::Deserialize;
use utoipa::ToSchema;

use super::answers::VerdictAnswer;
use super::{JsonOf, Named, Reader, found};

/// What to validate.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ConnectorDraft)]
pub(crate) struct Draft {
    /// A text that is not stored yet; the stored one when left out.
    #[serde(default)]
    yaml: Option<String>,
}

/// Validates a connector's text, stored or not, and reports every problem at once.
#[utoipa::path(
    post, path = "/connectors/{id}/validate", tag = "connectors", request_body = Draft,
    params(("id" = String, Path, description = "kebab-case")),
    responses(
        (status = 200, body = VerdictAnswer),
        (status = 404, description = "NOT_FOUND"),
        (status = 422, description = "INVALID_INPUT")
    )
)]
pub(crate) async fn validate(
    Named(ctx, Reader(ref owner), id): Named<ConnectorId>,
    Json(draft): Json<Draft>,
) -> JsonOf<Verdict<Diagnostic>> {
    let parsed = match draft.yaml {
        Some(yaml) => parse(&yaml),
        None => match found(ctx.catalog.connectors().get(owner, &id).await?)? {
            // What the deployment ships may say more than what people write.
            StoredConnector { owner: None, yaml, .. } => parse_template(&yaml),
            StoredConnector { yaml, .. } => parse(&yaml),
        },
    };
    if let Some(other) = parsed.definition.as_ref().filter(|definition| definition.id != id) {
        let error = FieldError::new("yaml", format!("is the connector `{}`", other.id));
        let hint = format!("the address is that of `{id}`; an id cannot change");
        return Err(Problem::invalid(vec![error.with_hint(hint)]));
    }
    let is_valid = parsed.definition.is_some();
    Ok(Json(Verdict::of(is_valid, parsed.diagnostics, Diagnostic::is_error)))
}
