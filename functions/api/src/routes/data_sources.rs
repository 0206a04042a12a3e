//! `/profiles/{id}/data-sources`: binding connectors to an agent (F-395).

use std::collections::BTreeMap;

use axum::response::Response;
use countersign_connector::{
    Binding, BindingId, ConfigOverrides, ConnectorId, CredentialId, Health, Permissions, Refusal,
    StoredConnector,
};
use countersign_profile::{Profile, ProfileId};
use countersign_web::idempotency::{Attempt, Key};
use countersign_web::{FieldError, Json, Problem};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::answers::{OverridesAnswer, PermissionsAnswer};
use super::collection::changeable;
use super::credential_parts::CredentialParts;
use super::{Analyst, JsonOf, Named, Reader, found, now};
use crate::idempotency::{created, do_once};

/// A connector to bind.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewDataSource {
    /// The connector, by id.
    connector_id: String,
    /// Connection values to replace, by type: `base_url`, `timeout_seconds`, `headers`, `max_file_size_mb`.
    #[serde(default)]
    #[schema(value_type = Object)]
    config_overrides: ConfigOverrides,
    /// `allowed_endpoints`, `rate_limit_override`.
    #[serde(default)]
    #[schema(value_type = Object)]
    permissions: Permissions,
    /// Whether the agent may use it.
    #[serde(default = "yes")]
    is_enabled: bool,
    /// The parts of the credential, such as `api_key`. Encrypted, and never given back.
    #[serde(default)]
    credentials: CredentialParts,
}

fn yes() -> bool {
    true
}

/// A bound connector. What its credential is cannot be read, only that there is one.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DataSource {
    /// `bind_…`.
    #[schema(value_type = String)]
    id: BindingId,
    /// The agent.
    profile_id: String,
    /// The connector.
    #[schema(value_type = String)]
    connector_id: ConnectorId,
    /// Whether a credential is stored.
    has_credential: bool,
    /// Replaced connection values.
    #[schema(value_type = OverridesAnswer)]
    config_overrides: ConfigOverrides,
    /// What the agent may do.
    #[schema(value_type = PermissionsAnswer)]
    permissions: Permissions,
    /// Whether the agent may use it.
    is_enabled: bool,
    /// When it was bound; none of what the deployment ships, and of earlier releases.
    #[schema(value_type = Option<String>, format = DateTime)]
    created_at: Option<Timestamp>,
    /// `ok`, `auth_failed` or `unavailable`.
    #[schema(value_type = String)]
    health: Health,
}

impl From<Binding> for DataSource {
    fn from(binding: Binding) -> Self {
        Self {
            id: binding.id,
            profile_id: binding.profile_id,
            connector_id: binding.connector_id,
            has_credential: binding.credential.is_some(),
            config_overrides: binding.config_overrides,
            permissions: binding.permissions,
            is_enabled: binding.is_enabled,
            created_at: binding.created_at,
            health: binding.health,
        }
    }
}

/// Binds a connector to an agent, with its credential.
#[utoipa::path(
    post, path = "/profiles/{id}/data-sources", tag = "profiles", request_body = NewDataSource,
    params(("id" = String, Path, description = "`prof_…`"), ("Idempotency-Key" = Option<String>, Header)),
    responses((status = 201, body = DataSource), (status = 409, description = "NAME_TAKEN: the connector is bound already"), (status = 422, description = "INVALID_INPUT"))
)]
pub(crate) async fn create(
    Named(ctx, Analyst(ref owner), profile): Named<ProfileId, Analyst>,
    key: Key,
    Json(body): Json<NewDataSource>,
) -> Result<Response, Problem> {
    changeable::<Profile>(&ctx, owner, &profile).await?;
    let attempt =
        Attempt::new(owner, &format!("POST /profiles/{profile}/data-sources"), key, &body)?;
    do_once(&ctx, &attempt, async {
        let id = ConnectorId::parse(&body.connector_id).map_err(Problem::at("connector_id"))?;
        let connector = ctx.catalog.connectors().get(owner, &id).await?;
        let connector = connector.ok_or_else(|| {
            Problem::field("connector_id", format!("there is no connector `{id}`"))
        })?;
        let overrides = body.config_overrides.clone();
        let config_overrides = check_binding(overrides, &body.permissions, &connector);
        let parts = &body.credentials.0;
        let own = check_own_credential(&body.config_overrides, !parts.is_empty(), &connector);
        let sendable = if parts.is_empty() { Ok(()) } else { check_credentials(parts, &connector) };
        let (config_overrides, _) = Problem::both(config_overrides, Problem::both(sendable, own))?;
        let credential = (!parts.is_empty()).then(|| CredentialId::from_bytes(attempt.id()));
        let sealed = match &credential {
            Some(credential) => Some(ctx.vault.sealed(owner, credential, &id, parts, now()).await?),
            None => None,
        };
        let binding = Binding {
            id: BindingId::from_bytes(attempt.id()),
            profile_id: profile.to_string(),
            connector_id: id,
            credential,
            config_overrides,
            permissions: body.permissions.clone(),
            is_enabled: body.is_enabled,
            created_at: Some(now()),
            health: Health::default(),
        };
        let stored = ctx.catalog.create_binding(owner, &binding, sealed).await?;
        let place = format!("/api/agent-factory/profiles/{profile}/data-sources/{}", stored.id);
        created(place, &DataSource::from(stored))
    })
    .await
}

/// The connectors of an agent.
#[utoipa::path(
    get, path = "/profiles/{id}/data-sources", tag = "profiles", params(("id" = String, Path, description = "`prof_…`")),
    responses((status = 200, body = Vec<DataSource>), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn list(
    Named(ctx, Reader(ref owner), id): Named<ProfileId>,
) -> JsonOf<Vec<DataSource>> {
    found(ctx.catalog.profiles().get(owner, &id).await?)?;
    let bindings = ctx.catalog.bindings(owner, id.as_str()).await?;
    Ok(Json(bindings.into_iter().map(DataSource::from).collect()))
}

/// Only the parts the connector asks for, all of them, and of characters that a call can be sent with.
pub(super) fn check_credentials(
    parts: &BTreeMap<String, String>,
    connector: &StoredConnector,
) -> Result<(), Problem> {
    let wanted = connector.definition.credential_fields();
    let named: Vec<&str> =
        connector.definition.auth_fields.iter().map(|field| field.name.as_str()).collect();
    let known = |name: &str| wanted.contains(&name) || named.contains(&name);
    let unknown = parts.keys().filter(|name| !known(name));
    let mut errors: Vec<FieldError> = unknown
        .map(|name| {
            FieldError::new(format!("credentials.{name}"), "is nothing this connector asks for")
        })
        .collect();
    let missing = wanted.iter().filter(|name| parts.get(**name).is_none_or(String::is_empty));
    errors.extend(missing.map(|name| FieldError::new(format!("credentials.{name}"), "is missing")));
    let auth = connector.definition.connection.auth();
    let refused = parts.iter().filter_map(|(name, value)| {
        let why = auth?.refuses(name, value)?;
        Some(FieldError::new(format!("credentials.{name}"), why))
    });
    errors.extend(refused);
    if errors.is_empty() { Ok(()) } else { Err(Problem::invalid(errors)) }
}

/// The overrides as they are kept, when the connector takes them and the permissions.
pub(super) fn check_binding(
    overrides: ConfigOverrides,
    permissions: &Permissions,
    connector: &StoredConnector,
) -> Result<ConfigOverrides, Problem> {
    let taken = connector.definition.bindable(overrides, permissions);
    let error = |Refusal { path, message, hint }| FieldError { path, message, hint };
    taken.map_err(|refusals| Problem::invalid(refusals.into_iter().map(error).collect()))
}

/// What changes where a shipped connector's calls go needs a credential of its own: the deployment's stays where the template
/// leads (K-37).
pub(super) fn check_own_credential(
    overrides: &ConfigOverrides,
    has_credential: bool,
    connector: &StoredConnector,
) -> Result<(), Problem> {
    if has_credential || !connector.needs_own_credential(overrides) {
        return Ok(());
    }
    let message = "the deployment's credential goes with the connector's own address, headers and rate only: other values need a credential of your own";
    let problem = FieldError::new("config_overrides", message);
    let hint = "enter the data source's `credentials` first, or leave these values out";
    Err(Problem::invalid(vec![problem.with_hint(hint)]))
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use axum::extract::FromRequest as _;
    use http::{Request, header};
    use serde_json::{Value, json};

    use super::*;
    use crate::documents;
    use crate::routes::data_source::Change;

    const YAML: &str = "id: shelf\nname: Shelf\ntype: rest_api\nversion: 1.0.0\nconnection: { base_url: 'https://a.example' }\nendpoints:\n  list: { description: all, path: / }\n";

    async fn read<T: serde::de::DeserializeOwned>(body: &Value) -> Result<T, Problem> {
        let request = Request::post("/")
            .header(header::CONTENT_TYPE, "application/json")
            .body(Body::from(body.to_string()))
            .unwrap();
        Json::<T>::from_request(request, &()).await.map(|Json(body)| body)
    }

    /// What both doors that write a binding say: the status, and every place with its hint.
    async fn check(said: Value, expect: &[(&str, Option<&str>)]) {
        let connector = StoredConnector {
            owner: None,
            definition: documents::connector(YAML).unwrap().0,
            yaml: YAML.to_owned(),
            updated_at: now(),
            accepted: Vec::new(),
        };
        let with = |key: &str, value: Value| {
            let mut body = said.clone();
            body[key] = value;
            body
        };
        let new = read::<NewDataSource>(&with("connector_id", "shelf".into())).await;
        let new = new
            .and_then(|body| check_binding(body.config_overrides, &body.permissions, &connector));
        let mut whole = json!({ "is_enabled": true, "config_overrides": {}, "permissions": {} });
        whole.as_object_mut().unwrap().extend(said.as_object().unwrap().clone());
        let change = read::<Change>(&whole).await;
        let change = change
            .and_then(|body| check_binding(body.config_overrides, &body.permissions, &connector));
        for outcome in [new, change] {
            let problem = outcome.err().map(|problem| (problem.status, problem.errors.clone()));
            let (status, errors) = problem.unwrap_or_default();
            assert_eq!(status, if expect.is_empty() { 0 } else { 422 }, "{said}");
            let places: Vec<_> =
                errors.iter().map(|error| (error.path.as_str(), error.hint.as_deref())).collect();
            assert_eq!(places, expect, "{said}");
        }
    }

    #[tokio::test]
    async fn f_008_a_misspelt_permission_is_refused_and_named() {
        check(json!({ "permissions": { "allowed_endpoints": ["list"] } }), &[]).await;
        let misspelt = json!({ "permissions": { "allowed_endpoint": ["list"] } });
        let known = "known: `allowed_endpoints` or `rate_limit_override`";
        check(misspelt, &[("permissions.allowed_endpoint", Some(known))]).await;
        let rate = json!({ "permissions": { "rate_limit_override": { "per_minute": 1 } } });
        let known = "known: `requests_per_second`, `requests_per_minute`, `requests_per_hour`, `requests_per_day`, `requests_per_month`";
        check(rate, &[("permissions.rate_limit_override.per_minute", Some(known))]).await;
        let unknown = json!({ "permissions": { "allowed_endpoints": ["lst"] } });
        let place = "permissions.allowed_endpoints[0]";
        check(unknown, &[(place, Some("did you mean `list`?"))]).await;
    }

    #[tokio::test]
    async fn f_104_an_override_is_refused_at_the_door() {
        check(json!({ "config_overrides": { "base_url": "https://b.example/" } }), &[]).await;
        let misspelt = json!({ "config_overrides": { "base_ulr": "https://b.example" } });
        let known =
            "known: `base_url`, `timeout_seconds`, `headers`, `rate_limit`, `max_file_size_mb`";
        check(misspelt, &[("config_overrides.base_ulr", Some(known))]).await;
        for wrong in ["http://b.example", "https://me:secret@b.example", "b"] {
            let said = json!({ "config_overrides": { "base_url": wrong } });
            check(said, &[("config_overrides.base_url", None)]).await;
        }
        let none = json!({ "permissions": { "rate_limit_override": { "requests_per_day": 0 } } });
        check(none, &[("permissions.rate_limit_override.requests_per_day", None)]).await;
        let file = json!({ "config_overrides": { "max_file_size_mb": 1 } });
        let hint = "a connector of type rest_api takes base_url, timeout_seconds, headers";
        check(file, &[("config_overrides.max_file_size_mb", Some(hint))]).await;
    }

    #[test]
    fn f_009_a_credential_that_no_call_could_carry_is_refused_and_not_quoted() {
        let check = |auth: &str, parts: &[(&str, &str)], expect: &[&str]| {
            let yaml = YAML.replace("a.example'", &format!("a.example', auth: {auth}"));
            let definition = documents::connector(&yaml).unwrap().0;
            let (owner, updated_at, accepted) = (None, now(), Vec::new());
            let connector = StoredConnector { owner, definition, yaml, updated_at, accepted };
            let parts = parts.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
            let problem = check_credentials(&parts.collect(), &connector).err();
            let errors = problem.map(|problem| problem.errors.clone()).unwrap_or_default();
            let paths: Vec<&str> = errors.iter().map(|error| error.path.as_str()).collect();
            assert_eq!(paths, expect, "{auth}");
            assert!(errors.iter().all(|error| !error.message.contains("s3cr3t")), "{errors:?}");
        };
        let token = "credentials.token";
        check("{ type: bearer_token }", &[("token", "s3cr3t")], &[]);
        check("{ type: bearer_token }", &[("token", "s3cr3t ")], &[token]);
        check("{ type: bearer_token }", &[("token", "s3cr3t\u{e4}")], &[token]);
        check("{ type: api_key, key_param: k }", &[("api_key", "s3cr3t\u{e4}")], &[]);
        let basic = |name| [("username", name), ("password", "s3cr3t:\u{e4}")];
        check("{ type: basic }", &basic("ada"), &[]);
        check("{ type: basic }", &basic("ada:s3cr3t"), &["credentials.username"]);
    }
}
