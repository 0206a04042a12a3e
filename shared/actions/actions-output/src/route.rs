//! `route_output` (F-053, F-280…F-294).

use std::sync::Arc;

use countersign_actions_knowledge::GraphPort;
use countersign_failure::Class;
use countersign_registry::Perform;
use countersign_registry::action::{ActionError, Call};
use countersign_registry::actions::route_output as declared;
use countersign_report::table::{Mapping, rows, schema};
use countersign_report::{
    Destination, DestinationConfig, DocumentConfig, ExportConfig, GraphConfig, Layout, Provenance,
    TableConfig, WrittenDestination, at, file_name, render, titled,
};
use countersign_store_content::{
    DEFAULT_WORKSPACE, Document, DocumentId, Export, ExportId, NewDocument, NewExport, OnConflict,
    RowWrite, derived,
};
use countersign_wiring::{Condition, Scope};
use serde_json::{Value, json};

use crate::content_port::ContentPort;
use crate::defaults::ProfileOutputs;
use crate::save::{origin, records};

/// Sends data to destinations, each on its own.
pub(crate) struct RouteOutput {
    pub(crate) content: Arc<dyn ContentPort>,
    pub(crate) graph: Arc<dyn GraphPort>,
    pub(crate) profiles: Arc<dyn ProfileOutputs>,
}

/// What became of one destination.
enum Routed {
    Done(Value),
    Skipped,
    Failed(ActionError),
}

impl Perform for RouteOutput {
    type Action = declared::RouteOutput;

    async fn perform(
        &self,
        call: &Call,
        inputs: declared::Inputs,
        params: declared::Params,
    ) -> Result<declared::Output, ActionError> {
        let destinations = self.destinations(call, params.destinations).await?;
        let places = Places { content: &*self.content, graph: &*self.graph };
        report(places.send_all(call, &destinations, &inputs.data).await?)
    }
}

/// Writes data to destinations, each on its own, for a step or for the end of a run: the row of each, in order. The call says
/// whose data it is; a repeated call with the same idempotency key writes nothing again.
///
/// # Errors
/// [`ActionError`] when a condition cannot be read; nothing is written then.
pub async fn route(
    places: Places<'_>,
    call: &Call,
    destinations: &[Destination],
    data: &Value,
) -> Result<Vec<declared::Routed>, ActionError> {
    let routed = places.send_all(call, destinations, data).await?;
    Ok(routed.into_iter().map(|(kind, outcome)| row(kind, outcome)).collect())
}

impl RouteOutput {
    /// The step's own destinations, else the profile's.
    async fn destinations(
        &self,
        call: &Call,
        written: Option<Vec<WrittenDestination>>,
    ) -> Result<Vec<Destination>, ActionError> {
        if let Some(written) = written {
            return Ok(written.into_iter().map(Destination::from).collect());
        }
        let own = self.profiles.destinations(&call.owner, &call.info.profile_id).await?;
        if !own.is_empty() {
            return Ok(own);
        }
        let error = ActionError::terminal(
            "OUTPUT_NO_DESTINATION",
            "neither the step nor the profile names a destination",
        );
        let help = "name `destinations` in the step, or give the profile some in `output_config`";
        Err(error.with_help(help))
    }
}

/// What destinations write to.
#[derive(Clone, Copy)]
pub struct Places<'p> {
    /// Documents, tables and files.
    pub content: &'p dyn ContentPort,
    /// The knowledge graph.
    pub graph: &'p dyn GraphPort,
}

impl Places<'_> {
    async fn send_all(
        &self,
        call: &Call,
        destinations: &[Destination],
        data: &Value,
    ) -> Result<Vec<(&'static str, Routed)>, ActionError> {
        let conditions = conditions(destinations)?;
        let mut routed = Vec::with_capacity(destinations.len());
        for (index, (destination, condition)) in destinations.iter().zip(&conditions).enumerate() {
            let wanted = condition.as_ref().is_none_or(|condition| condition.holds(&scope(data)));
            let outcome = if wanted {
                self.send(call, index, destination, data).await
            } else {
                Routed::Skipped
            };
            routed.push((destination.kind(), outcome));
        }
        Ok(routed)
    }

    async fn send(
        &self,
        call: &Call,
        index: usize,
        destination: &Destination,
        data: &Value,
    ) -> Routed {
        let from = provenance(call, data);
        let data = destination.prepared(data);
        let sent = match &destination.config {
            DestinationConfig::Document(config) => {
                self.document(call, index, destination, config, &data, &from).await
            }
            DestinationConfig::Table(config) => self.table(call, index, config, &data).await,
            DestinationConfig::Chat(layout) => chat(destination, layout, &data, &from),
            DestinationConfig::Export(config) => {
                self.export(call, index, destination, config, &data, &from).await
            }
            DestinationConfig::Graph(config) => self.graph(call, index, config, &data).await,
        };
        sent.map_or_else(Routed::Failed, Routed::Done)
    }

    async fn document(
        &self,
        call: &Call,
        index: usize,
        destination: &Destination,
        config: &DocumentConfig,
        data: &Value,
        from: &Provenance,
    ) -> Result<Value, ActionError> {
        let rendered = render(destination.format, &config.layout, data, from)
            .map_err(|error| ActionError::from_failure(&error))?;
        if let Some(folder) = &config.folder_id {
            self.content.folder(&call.owner, folder, config.create_if_missing, call.now).await?;
        }
        let filename = file_name(
            &config.filename_template,
            &from.entity_name,
            call.now,
            destination.format.extension(),
        );
        let document = Document {
            id: DocumentId::from_bytes(derived(&[
                "document",
                &call.idempotency_key,
                &index.to_string(),
            ])),
            owner: call.owner.clone(),
            title: config
                .layout
                .title
                .as_deref()
                .map_or_else(|| filename.clone(), |title| titled(title, from)),
            filename,
            folder_id: config.folder_id.clone(),
            media_type: destination.format.media_type().to_owned(),
            bytes: rendered.body.len() as u64,
            run: call.run.clone(),
            created_at: call.now,
        };
        let stands = self.content.document(&NewDocument { document, body: rendered.body }).await?;
        Ok(json!({
            "document_id": stands.id, "filename": stands.filename, "folder_id": stands.folder_id, "title": stands.title,
            "bytes": stands.bytes,
        }))
    }

    async fn table(
        &self,
        call: &Call,
        index: usize,
        config: &TableConfig,
        data: &Value,
    ) -> Result<Value, ActionError> {
        let place = if config.source.is_empty() { "data" } else { &config.source };
        let records = records(at(data, &config.source).unwrap_or(&Value::Null), place)?;
        let mapping = config.mapping.clone().unwrap_or_else(|| Mapping::inferred(&records));
        let workspace = config.workspace_id.as_deref().unwrap_or(DEFAULT_WORKSPACE);
        let done = |inserted: u64, skipped: u64| json!({"workspace_id": workspace, "table_name": config.table_name, "rows_inserted": inserted, "rows_skipped": skipped});
        if records.is_empty() {
            return Ok(done(0, 0));
        }
        let key = &config.deduplication_key;
        let idempotency_key = format!("{}/{index}", call.idempotency_key);
        let made = rows(&records, &mapping, key, &origin(call), &idempotency_key);
        let write = RowWrite {
            owner: &call.owner,
            workspace,
            table: &config.table_name,
            create_if_missing: config.create_if_missing,
            schema: schema(&mapping, key),
            rows: made.map_err(|error| ActionError::from_failure(&error))?,
            on_conflict: OnConflict::Skip,
            idempotency_key: &idempotency_key,
            now: call.now,
        };
        let (_, written) = self.content.rows(write).await?;
        Ok(done(written.inserted, written.skipped))
    }

    async fn graph(
        &self,
        call: &Call,
        index: usize,
        config: &GraphConfig,
        data: &Value,
    ) -> Result<Value, ActionError> {
        let place = if config.source.is_empty() { "data" } else { &config.source };
        let items = records(at(data, &config.source).unwrap_or(&Value::Null), place)?;
        let items: Vec<Value> = items.into_iter().cloned().collect();
        let key = format!("{}/{index}", call.idempotency_key);
        self.graph.keep(call, &key, config, &items).await
    }

    async fn export(
        &self,
        call: &Call,
        index: usize,
        destination: &Destination,
        config: &ExportConfig,
        data: &Value,
        from: &Provenance,
    ) -> Result<Value, ActionError> {
        let rendered = render(destination.format, &config.layout, data, from)
            .map_err(|error| ActionError::from_failure(&error))?;
        let export = Export {
            id: ExportId::from_bytes(derived(&[
                "export",
                &call.idempotency_key,
                &index.to_string(),
            ])),
            owner: call.owner.clone(),
            filename: file_name(
                &config.filename_template,
                &from.entity_name,
                call.now,
                destination.format.extension(),
            ),
            media_type: destination.format.media_type().to_owned(),
            bytes: rendered.body.len() as u64,
            run: call.run.clone(),
            created_at: call.now,
        };
        let stands =
            self.content.export(&NewExport { export, body: rendered.body.into_bytes() }).await?;
        Ok(json!({
            "export_id": stands.id, "filename": stands.filename, "media_type": stands.media_type, "bytes": stands.bytes,
            "records": rendered.records,
        }))
    }
}

fn chat(
    destination: &Destination,
    layout: &Layout,
    data: &Value,
    from: &Provenance,
) -> Result<Value, ActionError> {
    let rendered = render(destination.format, layout, data, from)
        .map_err(|error| ActionError::from_failure(&error))?;
    Ok(json!({"format": destination.format, "content": rendered.body}))
}

fn conditions(destinations: &[Destination]) -> Result<Vec<Option<Condition>>, ActionError> {
    let read = |(index, destination): (usize, &Destination)| {
        let refused = |error: countersign_wiring::SyntaxError| {
            let message =
                format!("the output is not valid: destinations[{index}].condition: {error}");
            ActionError::terminal("OUTPUT_INVALID", message)
        };
        destination.condition.as_deref().map(Condition::parse).transpose().map_err(refused)
    };
    destinations.iter().enumerate().map(read).collect()
}

/// What a condition can name: `data`, `count`, and the fields of the data when it is an object.
fn scope(data: &Value) -> Scope<'_> {
    let mut scope = Scope::new();
    for (name, value) in data.as_object().into_iter().flatten() {
        scope.lend(name, value);
    }
    scope.lend("data", data);
    let count =
        data.as_array().map(Vec::len).map(Value::from).or_else(|| data.get("count").cloned());
    scope.with("count", count.unwrap_or(Value::Null))
}

fn provenance(call: &Call, data: &Value) -> Provenance {
    Provenance {
        run: call.run.clone(),
        profile: call.info.profile_name.clone(),
        playbook: call.info.playbook_id.clone(),
        query: call.info.query.clone(),
        entity_name: data.get("entity_name").and_then(Value::as_str).unwrap_or_default().to_owned(),
        at: call.now,
        warnings: call.info.warnings.clone(),
    }
}

/// One row per destination (F-292). When nothing was reached the step fails, so that its `on_error` applies.
fn report(routed: Vec<(&'static str, Routed)>) -> Result<declared::Output, ActionError> {
    let failed = routed.iter().filter(|(_, outcome)| matches!(outcome, Routed::Failed(_))).count();
    if failed > 0 && failed == routed.len() {
        return Err(all_failed(routed));
    }
    let routed_to = routed.into_iter().map(|(kind, outcome)| row(kind, outcome)).collect();
    Ok(declared::Output { routed_to, success: failed == 0 })
}

fn row(destination: &'static str, outcome: Routed) -> declared::Routed {
    let row = |status, details| declared::Routed { destination, status, details, error: None };
    match outcome {
        Routed::Done(details) => row("success", details),
        Routed::Skipped => row("skipped", "the condition is false".into()),
        Routed::Failed(ActionError { code, message, help, .. }) => {
            let error = json!({"code": code, "message": message, "help": help});
            declared::Routed { error: Some(error), ..row("error", Value::Null) }
        }
    }
}

fn all_failed(routed: Vec<(&'static str, Routed)>) -> ActionError {
    let errors: Vec<(&str, ActionError)> =
        routed
            .into_iter()
            .filter_map(|(kind, outcome)| {
                if let Routed::Failed(error) = outcome { Some((kind, error)) } else { None }
            })
            .collect();
    let passing = errors.iter().any(|(_, error)| error.class == Class::Retryable);
    let told: Vec<String> = errors
        .iter()
        .map(|(kind, error)| format!("{kind}: {} {}", error.code, error.message))
        .collect();
    let message = format!("no destination was reached: {}", told.join("; "));
    let error = if passing {
        ActionError::retryable("OUTPUT_NOT_ROUTED", message)
    } else {
        ActionError::terminal("OUTPUT_NOT_ROUTED", message)
    };
    match errors.into_iter().find_map(|(_, error)| error.help) {
        Some(help) => error.with_help(help),
        None => error,
    }
}
