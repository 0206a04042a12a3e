//! Connectors as documents: `/connectors` and `/connectors/{id}` (F-326…F-330).

use countersign_connector::{
    AuthField, Category, ConnectorDefinition, ConnectorId, Diagnostic, StoredConnector, Tag,
};
use countersign_identity::{Caller, UserId};
use countersign_store_catalog::Catalog;
use countersign_web::Problem;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::answers::{AuthFieldAnswer, DiagnosticAnswer};
use super::collection::described::Words;
use super::collection::{Author, Kind, More, Read};
use super::now;
use crate::pagination::ListQuery;
use crate::queries::ConnectorQuery;
use crate::{Context, documents};

/// A connector's text.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ConnectorSource)]
pub(crate) struct Source {
    /// The YAML.
    yaml: String,
}

/// A connector in a list.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ConnectorLine {
    /// Kebab-case, unique per owner.
    id: String,
    /// For people.
    name: String,
    /// One or two sentences.
    description: String,
    /// `rest_api`, `graphql`, `web_scraper`, `file_parser`, `rss_feed`, `existing_tool`.
    #[serde(rename = "type")]
    kind: &'static str,
    /// Semantic version.
    version: String,
    /// What it is about.
    #[schema(value_type = String)]
    category: Category,
    /// Words to find it by.
    #[schema(value_type = Vec<String>)]
    tags: Vec<Tag>,
    /// The form of the credentials it needs.
    #[schema(value_type = Vec<AuthFieldAnswer>)]
    auth_fields: Vec<AuthField>,
    /// Whether the deployment ships it.
    is_template: bool,
    /// The parts of the credential it needs.
    credential_fields: Vec<&'static str>,
    /// The names of its endpoints.
    endpoints: Vec<String>,
    /// When it was last written.
    #[schema(value_type = String, format = DateTime)]
    updated_at: Timestamp,
}

impl From<&StoredConnector> for ConnectorLine {
    fn from(stored: &StoredConnector) -> Self {
        let definition = &stored.definition;
        Self {
            id: definition.id.to_string(),
            name: definition.name.clone(),
            description: definition.description.clone(),
            kind: definition.kind(),
            version: definition.version.clone(),
            category: definition.category,
            tags: definition.tags.clone(),
            auth_fields: definition.auth_fields.clone(),
            is_template: stored.owner.is_none(),
            credential_fields: definition.credential_fields(),
            endpoints: definition.endpoints.keys().cloned().collect(),
            updated_at: stored.updated_at,
        }
    }
}

/// A connector.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ConnectorView {
    #[serde(flatten)]
    line: ConnectorLine,
    /// The validated form.
    #[schema(value_type = Object)]
    definition: ConnectorDefinition,
    /// The text it was read from.
    yaml: String,
    /// What its text says that is not used, when it was just written: with line and column.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<DiagnosticAnswer>)]
    warnings: Vec<Diagnostic>,
}

/// A connector of this person with this text, and what there is to say about it.
pub(super) fn read(owner: &UserId, yaml: String) -> Read<StoredConnector> {
    let (definition, warnings) = documents::connector(&yaml)?;
    let owner = Some(owner.clone());
    let connector =
        StoredConnector { owner, definition, yaml, updated_at: now(), accepted: Vec::new() };
    Ok((connector, warnings))
}

impl Kind for StoredConnector {
    const PLURAL: &'static str = "connectors";
    const WORDS: Words = Words {
        create: "Makes a connector of YAML.",
        list: "The caller's connectors, then the ones the deployment ships.",
        detail: "One connector: the caller's of this id, or the deployment's.",
        replace: "Replaces a connector's text. Its id cannot change.",
        delete: "Removes a connector of the caller that no agent has.",
        id: "kebab-case",
        invalid: "CONNECTOR_INVALID",
        changed: None,
        needed: Some("CONNECTOR_BOUND"),
    };

    const KINDS: &'static [&'static str] = &ConnectorDefinition::KINDS;

    type Draft = Source;
    type Change = Source;
    type Query = ConnectorQuery;
    type Warning = Diagnostic;
    type Line = ConnectorLine;
    type View = ConnectorView;

    async fn draft(_: &Context, author: Author<'_>, draft: &Source) -> Read<Self> {
        read(author.user, draft.yaml.clone())
    }

    async fn change(self, _: &Context, editor: &Caller, change: Source) -> Read<Self> {
        read(&editor.user, change.yaml)
    }

    /// One reaches databases, the other what the deployment itself has: both go where no allow-list of addresses looks.
    fn reserved(&self) -> Option<String> {
        let kind = self.definition.kind();
        let reaches_far = ["database", "existing_tool"].contains(&kind);
        reaches_far.then(|| format!("writing a connector of type `{kind}`"))
    }

    /// A connector that agents still have would leave its credentials to the next one of that name.
    async fn before_removal(&self, ctx: &Context) -> Result<(), Problem> {
        let holders = match &self.owner {
            Some(owner) => holders(&ctx.catalog, owner, &self.definition.id).await?,
            None => Vec::new(),
        };
        if holders.is_empty() {
            return Ok(());
        }
        let named = holders.iter().take(5).map(String::as_str).collect::<Vec<_>>().join(", ");
        let message = format!("{} agents have the connector: {named}", holders.len());
        let problem = Problem::conflict("CONNECTOR_BOUND", message);
        Err(problem.with_hint("remove it from their data sources first"))
    }

    fn listing(query: &ConnectorQuery) -> ListQuery {
        query.listing()
    }

    fn fits(&self, query: &ConnectorQuery) -> bool {
        query.takes(self)
    }

    fn view(self, warnings: Vec<Diagnostic>, _: More) -> ConnectorView {
        ConnectorView {
            line: ConnectorLine::from(&self),
            definition: self.definition,
            yaml: self.yaml,
            warnings,
        }
    }
}

/// The agents of a person that have a connector.
async fn holders(
    catalog: &Catalog,
    owner: &UserId,
    id: &ConnectorId,
) -> Result<Vec<String>, Problem> {
    let mut holders = Vec::new();
    for profile in catalog.profiles().all(owner).await? {
        let bindings = catalog.bindings(owner, profile.id.as_str()).await?;
        if bindings.iter().any(|binding| binding.connector_id == *id) {
            holders.push(format!("`{}` ({})", profile.spec.name, profile.id));
        }
    }
    Ok(holders)
}
