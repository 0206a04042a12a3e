//! `/connectors/{id}/schema` (F-335).

use countersign_connector::{ConnectorId, EndpointTool, endpoint_contract, tool_of};
use countersign_registry::Slot;
use countersign_web::Json;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::answers::{SlotAnswer, ToolAnswer};
use super::{JsonOf, Named, Reader, found};

/// What an endpoint takes and gives.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct EndpointSchema {
    /// Its name.
    name: String,
    /// What it does.
    description: String,
    /// Its arguments.
    #[schema(value_type = Vec<SlotAnswer>)]
    inputs: Vec<Slot>,
    /// What comes back.
    #[schema(value_type = Vec<SlotAnswer>)]
    outputs: Vec<Slot>,
    /// The shape and the fields of the records: `type` (`record_set`, `object`, `scalar`) and `fields`.
    output_schema: Value,
    /// The endpoint as models are shown it: `name`, `description`, `input_schema` (JSON Schema).
    #[schema(value_type = ToolAnswer)]
    tool: EndpointTool,
    /// Whether its effect cannot be taken back.
    irreversible: bool,
}

/// The endpoints of a connector with their types.
#[utoipa::path(
    get, path = "/connectors/{id}/schema", tag = "connectors", params(("id" = String, Path, description = "kebab-case")),
    responses((status = 200, body = Vec<EndpointSchema>), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn schema(
    Named(ctx, Reader(ref user), id): Named<ConnectorId>,
) -> JsonOf<Vec<EndpointSchema>> {
    let connector = found(ctx.catalog.connectors().get(user, &id).await?)?;
    let definition = &connector.trusted(None);
    let schema = definition.endpoints.iter().filter_map(|(name, endpoint)| {
        let contract = endpoint_contract(definition, name)?;
        Some(EndpointSchema {
            name: name.clone(),
            description: endpoint.description.clone(),
            inputs: contract.inputs,
            outputs: contract.outputs,
            output_schema: endpoint.output.as_written(),
            tool: tool_of(definition, name)?,
            irreversible: contract.irreversible,
        })
    });
    Ok(Json(schema.collect()))
}
