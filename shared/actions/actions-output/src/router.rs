//! Writing to each kind of destination.

use std::time::{Duration, Instant};

use countersign_actions_knowledge::GraphPort;
use countersign_registry::action::{ActionError, Call};
use countersign_report::table::{Mapping, rows, schema};
use countersign_report::{
    AppendConfig, Destination, DestinationConfig, DocumentConfig, ExportConfig, GraphConfig,
    Layout, Prepared, Provenance, Rendered, TableConfig, file_name, render, titled,
};
use countersign_store_content::{
    DEFAULT_WORKSPACE, Document, DocumentId, Export, ExportId, NewDocument, NewExport, OnConflict,
    RowWrite, derived,
};
use countersign_wiring::Condition;
use serde_json::{Value, json};

use crate::collapsed::{by_key_of, skipped};
use crate::content_port::{Addition, ContentPort};
use crate::route::{conditions, scope};
use crate::routed::Routed;
use crate::save::{known_key, origin, records_at};

/// Where links of results begin: paths of this deployment's API.
const API: &str = "/api/agent-factory";

/// How often a destination is tried that fails by something that passes, and how long the first pause is.
const TRIES: u32 = 3;
const FIRST_PAUSE: Duration = Duration::from_millis(400);

/// What destinations write to.
#[derive(Clone, Copy)]
pub struct OutputPorts<'p> {
    /// Documents, tables and files.
    pub content: &'p dyn ContentPort,
    /// The knowledge graph.
    pub graph: &'p dyn GraphPort,
}

impl OutputPorts<'_> {
    pub(crate) async fn send_all(
        &self,
        call: &Call,
        destinations: &[Destination],
        data: &Value,
    ) -> Result<Vec<(&'static str, Routed)>, ActionError> {
        let conditions = conditions(destinations)?;
        let mut routed = Vec::with_capacity(destinations.len());
        for (index, (destination, condition)) in destinations.iter().zip(&conditions).enumerate() {
            let one = (destination, condition.as_ref());
            routed.push((destination.kind(), self.send_one(call, index, one, data).await));
        }
        Ok(routed)
    }

    /// Writes to a destination where its condition holds.
    pub(crate) async fn send_one(
        &self,
        call: &Call,
        index: usize,
        (destination, condition): (&Destination, Option<&Condition>),
        data: &Value,
    ) -> Routed {
        let scope = scope(data);
        if let Some(condition) = condition.filter(|condition| !condition.holds(&scope)) {
            return Routed::Skipped(condition.undecided(&scope));
        }
        self.send_patiently(call, index, destination, data).await
    }

    /// Tries again what fails by something that passes: what was written has an id that follows from the call.
    async fn send_patiently(
        &self,
        call: &Call,
        index: usize,
        destination: &Destination,
        data: &Value,
    ) -> Routed {
        let begun = Instant::now();
        let mut pause = FIRST_PAUSE;
        for _ in 1..TRIES {
            let routed = self.send(call, index, destination, data).await;
            let left = call.remaining.saturating_sub(begun.elapsed());
            if !routed.passes() || left < pause * 4 {
                return routed;
            }
            tokio::time::sleep(pause).await;
            pause *= 2;
        }
        self.send(call, index, destination, data).await
    }

    async fn send(
        &self,
        call: &Call,
        index: usize,
        destination: &Destination,
        data: &Value,
    ) -> Routed {
        let from = provenance(call, entity_name(call, data));
        let Prepared { data, notes } = match destination.prepared(data) {
            Ok(prepared) => prepared,
            Err(error) => return Routed::Failed(ActionError::from_failure(&error)),
        };
        let said: Vec<String> =
            notes.iter().map(|note| format!("{}: {note}", destination.kind())).collect();
        let file = File { call, index, destination, data: &data, from: &from };
        let sent = match &destination.config {
            DestinationConfig::Document(config) | DestinationConfig::Folder(config) => {
                self.document(&file, config).await
            }
            DestinationConfig::Append(config) => self.append(&file, config).await,
            DestinationConfig::Table(config) => {
                self.table(call, &index.to_string(), config, &data).await
            }
            DestinationConfig::Database(tables) => {
                return self.database(call, index, tables, &data).await.warned(&said);
            }
            DestinationConfig::Graph(config) => self.graph(call, index, config, &data).await,
            DestinationConfig::Chat(layout) => chat(&file, layout),
            DestinationConfig::Export(config) => self.export(&file, config).await,
        };
        sent.map_or_else(Routed::Failed, Routed::Done).warned(&said)
    }

    async fn graph(
        &self,
        call: &Call,
        index: usize,
        config: &GraphConfig,
        data: &Value,
    ) -> Result<Value, ActionError> {
        let items = records_at(data, &config.source)?;
        let items: Vec<Value> = items.into_iter().cloned().collect();
        let key = format!("{}/{index}", call.idempotency_key);
        self.graph.keep(call, &key, config, &items).await
    }

    async fn document(
        &self,
        file: &File<'_>,
        config: &DocumentConfig,
    ) -> Result<Value, ActionError> {
        let (call, rendered) = (file.call, file.rendered(&config.layout)?);
        if let Some(folder) = &config.folder_id {
            self.content.folder(&call.owner, folder, config.create_if_missing, call.now).await?;
        }
        let filename = file.name(&config.filename_template);
        let document = Document {
            id: DocumentId::from_bytes(file.id("document")),
            owner: call.owner.clone(),
            title: config
                .layout
                .title
                .as_ref()
                .or(config.title.as_ref())
                .map_or_else(|| filename.clone(), |title| titled(title, file.from)),
            filename,
            folder_id: config.folder_id.clone(),
            media_type: file.destination.format.media_type().to_owned(),
            bytes: rendered.body.len() as u64,
            run: call.run.clone(),
            created_at: call.now,
            updated_at: None,
        };
        let stands = self.content.document(&NewDocument { document, body: rendered.body }).await?;
        Ok(json!({
            "document_id": stands.id, "filename": stands.filename, "folder_id": stands.folder_id, "title": stands.title,
            "bytes": stands.bytes,
        }))
    }

    /// Adds text to a document, once.
    async fn append(&self, file: &File<'_>, config: &AppendConfig) -> Result<Value, ActionError> {
        let (call, rendered) = (file.call, file.rendered(&config.layout)?);
        let added = rendered.body.len();
        let addition = Addition {
            owner: &call.owner,
            document: &config.document_id,
            text: rendered.body,
            idempotency_key: &format!("{}/{}", call.idempotency_key, file.index),
            now: call.now,
        };
        let stands = self.content.append(addition).await?;
        Ok(json!({
            "document_id": stands.id, "filename": stands.filename, "title": stands.title, "bytes": stands.bytes,
            "bytes_added": added,
        }))
    }

    /// Writes tables, each on its own.
    async fn database(
        &self,
        call: &Call,
        index: usize,
        tables: &[TableConfig],
        data: &Value,
    ) -> Routed {
        let (mut rows, mut failed) = (Vec::with_capacity(tables.len()), Vec::new());
        for (n, table) in tables.iter().enumerate() {
            let name = &table.table_name;
            rows.push(match self.table(call, &format!("{index}/{n}"), table, data).await {
                Ok(row) => row,
                Err(error) => {
                    let row = json!({"table_name": name, "error": told(call, &error)});
                    failed.push((name, error));
                    row
                }
            });
        }
        let details = json!({ "tables": rows });
        let (count, all) = (failed.len(), tables.len());
        match failed.into_iter().next() {
            None => Routed::Done(details),
            Some((name, error)) => {
                let message =
                    format!("{count} of {all} tables: `{name}` {}: {}", error.code, error.message);
                Routed::Partly(details, ActionError { message, ..error })
            }
        }
    }

    async fn table(
        &self,
        call: &Call,
        place_in_call: &str,
        config: &TableConfig,
        data: &Value,
    ) -> Result<Value, ActionError> {
        let records = records_at(data, &config.source)?;
        let workspace = config.workspace_id.as_deref().unwrap_or(DEFAULT_WORKSPACE);
        let done = |inserted: u64, skipped: u64| json!({"workspace_id": workspace, "table_name": config.table_name, "rows_inserted": inserted, "rows_skipped": skipped});
        if records.is_empty() {
            return Ok(done(0, 0));
        }
        let mapping = config.mapping.clone().map_or_else(|| Mapping::inferred(&records), Ok);
        let mapping = mapping.map_err(|error| ActionError::from_failure(&error))?;
        let unknown = mapping.unknown(&records).into_iter().map(|(column, from)| {
            format!(
                "table `{}`: no record has `{from}`, so that `{column}` has no value",
                config.table_name
            )
        });
        let mut warnings: Vec<String> = unknown.collect();
        let key = &config.deduplication_key;
        known_key(key, &mapping, "deduplication_key")?;
        let idempotency_key = format!("{}/{place_in_call}", call.idempotency_key);
        let made = rows(&records, &mapping, key, &origin(call), &idempotency_key);
        let made = made.map_err(|error| ActionError::from_failure(&error))?;
        let told = made.clone();
        let write = RowWrite {
            owner: &call.owner,
            workspace,
            table: &config.table_name,
            create_if_missing: config.create_if_missing,
            schema: schema(&mapping, key),
            rows: made,
            on_conflict: OnConflict::Skip,
            idempotency_key: &idempotency_key,
            now: call.now,
        };
        let (info, written) = self.content.rows(write).await?;
        let (told, key) = by_key_of(told, key.clone(), info.schema);
        warnings.extend(skipped(&told, &key, &config.table_name));
        let mut details = done(written.inserted, written.skipped);
        if !warnings.is_empty() {
            details["warnings"] = json!(warnings);
        }
        Ok(details)
    }

    async fn export(&self, file: &File<'_>, config: &ExportConfig) -> Result<Value, ActionError> {
        let (call, rendered) = (file.call, file.rendered(&config.layout)?);
        let export = Export {
            id: ExportId::from_bytes(file.id("export")),
            owner: call.owner.clone(),
            filename: file.name(&config.filename_template),
            media_type: file.destination.format.media_type().to_owned(),
            bytes: rendered.body.len() as u64,
            run: call.run.clone(),
            created_at: call.now,
        };
        let stands =
            self.content.export(&NewExport { export, body: rendered.body.into_bytes() }).await?;
        Ok(json!({
            "export_id": stands.id, "filename": stands.filename, "media_type": stands.media_type, "bytes": stands.bytes,
            "records": rendered.records, "link": format!("{API}/exports/{}", stands.id),
        }))
    }
}

/// What is said of an error, with the link to try again: it starts a run that does the rest of this one.
#[must_use]
pub fn told(call: &Call, error: &ActionError) -> Value {
    let retry = format!("{API}/executions/{}/repeat", call.run);
    json!({"code": error.code, "message": error.message, "help": error.help, "retry": retry})
}

/// What a destination is written from: a text that is made of the data.
struct File<'f> {
    call: &'f Call,
    /// Which of the call's destinations it is.
    index: usize,
    destination: &'f Destination,
    data: &'f Value,
    from: &'f Provenance,
}

impl File<'_> {
    fn rendered(&self, layout: &Layout) -> Result<Rendered, ActionError> {
        let rendered = render(self.destination.format, layout, self.data, self.from);
        rendered.map_err(|error| ActionError::from_failure(&error))
    }

    /// The id of what is made: the same call makes the same one.
    fn id(&self, kind: &str) -> [u8; 16] {
        derived(&[kind, &self.call.idempotency_key, &self.index.to_string()])
    }

    fn name(&self, template: &str) -> String {
        let extension = self.destination.format.extension();
        file_name(template, &self.from.entity_name, self.call.now, extension)
    }
}

fn chat(file: &File<'_>, layout: &Layout) -> Result<Value, ActionError> {
    let rendered = file.rendered(layout)?;
    Ok(json!({"format": file.destination.format, "content": rendered.body}))
}

/// What the result is about: its own `entity_name`, else the input of that name of the run whose end writes it.
fn entity_name<'a>(call: &'a Call, data: &'a Value) -> Option<&'a str> {
    let text = |value: &'a Value| value.as_str().filter(|text| !text.trim().is_empty());
    let own = data.get("entity_name").and_then(text);
    own.or_else(|| call.inputs.get("entity_name").and_then(text))
}

/// Where what a call writes comes from; it is about this entity, if any.
#[must_use]
pub fn provenance(call: &Call, entity_name: Option<&str>) -> Provenance {
    Provenance {
        run: call.run.clone(),
        profile: call.info.profile_name.clone(),
        playbook: call.info.playbook_id.clone(),
        query: call.info.query.clone(),
        entity_name: entity_name.unwrap_or_default().to_owned(),
        at: call.now,
        warnings: call.info.warnings.clone(),
    }
}
