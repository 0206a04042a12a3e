//! `/api/admin/library/{kind}/{id}`: the one door that writes what the deployment ships (F-006).

use countersign_connector::{
    Binding, BindingId, ConfigOverrides, ConnectorId, Health, Permissions, StoredConnector,
};
use countersign_identity::UserId;
use countersign_profile::{Profile, ProfileId, Template};
use countersign_store_catalog::{StoredPlaybook, system_profile_id};
use countersign_web::{Json, Problem};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use utoipa::ToSchema;

use super::profiles::problem;
use super::{Administrator, JsonOf, Named, now};
use crate::{Context, documents, saving};

/// A template's text.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = LibrarySource)]
pub(crate) struct Source {
    /// The YAML.
    yaml: String,
}

/// What was stored.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Shipped {
    /// `profiles`, `connectors` or `playbooks`.
    kind: String,
    /// What it is called by: the handle of a profile, the id of the others.
    id: String,
    /// The id of the record: differs from `id` for profiles.
    record: String,
}

/// Stores or replaces a template of the deployment. `id` must be the text's own: a profile's handle, else its id.
#[utoipa::path(
    put, path = "/library/{kind}/{id}", tag = "administration", request_body = Source,
    params(("kind" = String, Path, description = "`profiles`, `connectors` or `playbooks`"), ("id" = String, Path, description = "kebab-case")),
    responses((status = 200, body = Shipped), (status = 403, description = "PERMISSION_DENIED"), (status = 404, description = "NOT_FOUND"), (status = 422, description = "the text has errors"))
)]
pub(crate) async fn put(
    Named(ctx, Administrator(ref author), (kind, id)): Named<(String, String), Administrator>,
    Json(body): Json<Source>,
) -> JsonOf<Shipped> {
    let record = match kind.as_str() {
        "profiles" => profile(&ctx, &id, &body.yaml).await?,
        "connectors" => connector(&ctx, &id, body.yaml).await?,
        "playbooks" => playbook(&ctx, author, &id, body.yaml).await?,
        _ => {
            let problem = Problem::no_such("kind of document", &kind);
            return Err(problem.with_hint("use `connectors`, `playbooks` or `profiles`"));
        }
    };
    Ok(Json(Shipped { kind, id, record }))
}

fn same(own: &str, id: &str) -> Result<(), Problem> {
    if own == id {
        Ok(())
    } else {
        Err(Problem::field("yaml", format!("is called `{own}`, not `{id}`")))
    }
}

async fn connector(ctx: &Context, id: &str, yaml: String) -> Result<String, Problem> {
    let definition = documents::template(&yaml)?;
    same(definition.id.as_str(), id)?;
    let accepted = Vec::new();
    let stored = StoredConnector { owner: None, definition, yaml, updated_at: now(), accepted };
    ctx.catalog.connectors().put_system(&stored).await?;
    Ok(id.to_owned())
}

async fn playbook(
    ctx: &Context,
    author: &UserId,
    id: &str,
    yaml: String,
) -> Result<String, Problem> {
    let (playbook, _) = saving::playbook(ctx, author, &yaml).await?;
    same(&playbook.id, id)?;
    let at = now();
    let stored = StoredPlaybook {
        owner: None,
        yaml,
        playbook,
        revision: 1,
        created_at: at,
        updated_at: at,
        updated_by: None,
    };
    ctx.catalog.playbooks().put_system(&stored).await?;
    Ok(id.to_owned())
}

async fn profile(ctx: &Context, id: &str, yaml: &str) -> Result<String, Problem> {
    let template = Template::from_yaml(yaml).map_err(|error| problem(&error))?;
    let handle = &template.spec.handle;
    same(handle.as_str(), id)?;
    let at = now();
    let profile = Profile {
        id: system_profile_id(handle),
        user_id: None,
        is_active: true,
        version: 1,
        created_at: at,
        updated_at: at,
        spec: template.spec,
    };
    let bindings: Result<Vec<Binding>, Problem> = template
        .data_sources
        .iter()
        .enumerate()
        .map(|(n, name)| bound(&profile.id, n, name))
        .collect();
    let bindings = bindings?;
    ctx.catalog.profiles().put_system(&profile).await?;
    ctx.catalog.put_system_bindings(profile.id.as_str(), &bindings).await?;
    Ok(profile.id.to_string())
}

fn bound(profile: &ProfileId, n: usize, name: &str) -> Result<Binding, Problem> {
    let connector_id =
        ConnectorId::parse(name).map_err(Problem::at(format!("data_sources[{n}]")))?;
    let digest = Sha256::digest(format!("{profile}\0{connector_id}"));
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest[..16]);
    Ok(Binding {
        id: BindingId::from_bytes(bytes),
        profile_id: profile.to_string(),
        connector_id,
        credential: None,
        config_overrides: ConfigOverrides::default(),
        permissions: Permissions::default(),
        is_enabled: true,
        created_at: None,
        health: Health::default(),
    })
}

#[cfg(test)]
mod tests {
    use http::StatusCode;

    use super::*;

    #[test]
    fn a_template_keeps_the_name_of_its_address() {
        assert!(same("a", "a").is_ok());
        assert_eq!(same("a", "b").unwrap_err().status, StatusCode::UNPROCESSABLE_ENTITY.as_u16());
    }

    #[test]
    fn f_334_seeding_again_binds_the_same_bindings() {
        let profile = ProfileId::from_bytes([1; 16]);
        assert_eq!(
            bound(&profile, 0, "irs-990-xml").unwrap(),
            bound(&profile, 3, "irs-990-xml").unwrap()
        );
        assert!(bound(&profile, 0, "Not Kebab").is_err());
    }
}
