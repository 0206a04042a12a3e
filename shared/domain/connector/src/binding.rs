//! What ties a connector to a profile, and where the runtime reads both.

use countersign_failure::Failure;
use countersign_identity::UserId;
use futures::future::BoxFuture;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::header::HeaderOverrides;
use crate::model::{ConnectorDefinition, ConnectorId, RateLimit};
use crate::secret::Credential;
use crate::trust::AcceptedEndpoint;

countersign_ids::prefixed_id! {
    /// The binding of a connector to a profile.
    pub struct BindingId("bind");
}

countersign_ids::prefixed_id! {
    /// A stored credential in the owner's vault.
    pub struct CredentialId("cred");
}

countersign_ids::prefixed_id! {
    /// An uploaded file.
    pub struct FileId("file");
}

/// A connector as stored: its owner, and the YAML it came from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoredConnector {
    /// `None` for a system template: everybody reads it, nobody writes it (F-006).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<UserId>,
    /// The validated form.
    pub definition: ConnectorDefinition,
    /// The text it was parsed from, for the editor.
    pub yaml: String,
    /// When it was last written.
    pub updated_at: Timestamp,
    /// What administrators accepted of it; see [`StoredConnector::trusted`]. A new text starts without.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accepted: Vec<AcceptedEndpoint>,
}

/// What an agent may do with a connector (F-008). A misspelt key must not read as "everything"; what is stored was
/// written from this type and has no others.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "BindingPermissions")]
pub struct Permissions {
    /// The only endpoints it may call; `None` allows all, an empty list none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed_endpoints: Option<Vec<String>>,
    /// A lower rate than the connector's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_limit_override: Option<RateLimit>,
}

impl Permissions {
    /// Whether an endpoint may be called.
    #[must_use]
    pub fn allows(&self, endpoint: &str) -> bool {
        self.allowed_endpoints
            .as_ref()
            .is_none_or(|allowed| allowed.iter().any(|name| name == endpoint))
    }
}

/// Connection values a binding replaces (F-104).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "BindingOverrides")]
pub struct ConfigOverrides {
    /// Another base URL; held to the same egress rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// Another timeout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<u32>,
    /// Headers in place of the connector's.
    #[serde(default, skip_serializing_if = "HeaderOverrides::is_empty")]
    pub headers: HeaderOverrides,
    /// Another rate, such as that of a paid plan: only where the rate is the owner's own, by their credential.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_limit: Option<RateLimit>,
    /// A smaller file size; a larger one than the connector's is ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_file_size_mb: Option<u32>,
}

/// How a binding fares (F-094).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "BindingHealth")]
pub enum Health {
    /// Never called, or the last call succeeded.
    #[default]
    Ok,
    /// The source refused the credential; it must be entered again (F-306).
    AuthFailed,
    /// The last call found the source down.
    Unavailable,
}

/// A connector bound to a profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Binding {
    /// Its id.
    pub id: BindingId,
    /// The profile, `prof_…`.
    pub profile_id: String,
    /// The connector.
    pub connector_id: ConnectorId,
    /// The credential in the owner's vault, if the connector needs one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credential: Option<CredentialId>,
    /// Replaced connection values.
    #[serde(default)]
    pub config_overrides: ConfigOverrides,
    /// What the agent may do.
    #[serde(default)]
    pub permissions: Permissions,
    /// Whether it may be called at all.
    pub is_enabled: bool,
    /// When it was made; none of those that the deployment ships, and of those of earlier releases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Timestamp>,
    /// How it fares.
    #[serde(default)]
    pub health: Health,
}

/// Any adapter's failure.
pub type SourceError = Box<dyn Failure>;

/// An answer that is waited for.
pub type SourceFuture<'a, T> = BoxFuture<'a, Result<T, SourceError>>;

/// A connector as one agent calls it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AgentConnector {
    /// Whose agent.
    pub owner: UserId,
    /// The agent's profile, `prof_…`.
    pub profile: String,
    /// The connector.
    pub connector: ConnectorId,
}

/// Reads connectors and bindings. `store-catalog` implements it.
pub trait ConnectorSource: Send + Sync {
    /// The owner's connector of that name, or the system's; `None` when there is neither.
    fn definition<'a>(
        &'a self,
        owner: &'a UserId,
        id: &'a ConnectorId,
    ) -> SourceFuture<'a, Option<StoredConnector>>;

    /// The binding of a connector to a profile, which is the owner's or a system profile.
    fn binding<'a>(&'a self, of: &'a AgentConnector) -> SourceFuture<'a, Option<Binding>>;

    /// Both. A store that can read them with one request does.
    fn bound<'a>(&'a self, of: &'a AgentConnector) -> SourceFuture<'a, Found> {
        Box::pin(async move {
            let connector = self.definition(&of.owner, &of.connector).await?;
            Ok(Found { connector, binding: self.binding(of).await? })
        })
    }
}

/// What there is of a connector and its binding.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The owner's connector, or the system's.
    pub connector: Option<StoredConnector>,
    /// Its binding to the profile.
    pub binding: Option<Binding>,
}

/// Notes how a binding fares. `store-catalog` implements it.
pub trait HealthSink: Send + Sync {
    /// Stores the health of a binding; an unknown binding is not an error.
    fn note<'a>(
        &'a self,
        owner: &'a UserId,
        binding: &'a Binding,
        health: Health,
    ) -> SourceFuture<'a, ()>;
}

/// Reads credentials (K-37): only the owner's own, and only for the connector they were entered for.
/// `store-vault` implements it.
pub trait CredentialSource: Send + Sync {
    /// The credential, or `None` when the owner has none of this id for this connector.
    fn credential<'a>(
        &'a self,
        owner: &'a UserId,
        id: &'a CredentialId,
        connector: &'a ConnectorId,
    ) -> SourceFuture<'a, Option<Credential>>;
}

/// Keys of uploaded files in the data bucket.
///
/// A file lies under `uploads/{owner}/{file_id}/{name}`, one of a folder under
/// `uploads/{owner}/folders/{folder}/{file_id}/{name}`.
pub mod keys {
    use countersign_document::is_folder;
    use countersign_identity::UserId;

    use super::FileId;

    /// The prefix of everything the owner uploaded.
    #[must_use]
    pub fn owner_prefix(owner: &UserId) -> String {
        format!("uploads/{owner}/")
    }

    /// The prefix under which exactly one object lies: the file.
    #[must_use]
    pub fn file_prefix(owner: &UserId, file: &FileId) -> String {
        format!("uploads/{owner}/{file}/")
    }

    /// The prefix of every file outside folders.
    #[must_use]
    pub fn loose_prefix(owner: &UserId) -> String {
        format!("{}{}_", owner_prefix(owner), FileId::PREFIX)
    }

    /// The key of a file outside folders.
    #[must_use]
    pub fn file_key(owner: &UserId, file: &FileId, name: &str) -> String {
        format!("{}{}", file_prefix(owner, file), safe_name(name))
    }

    /// The prefix of a folder, or `None` when that cannot be its name.
    #[must_use]
    pub fn folder_prefix(owner: &UserId, folder: &str) -> Option<String> {
        is_folder(folder).then(|| format!("uploads/{owner}/folders/{folder}/"))
    }

    /// What a call names as the source of a file: its id, with its folder before it if it lies in one.
    #[must_use]
    pub fn source(folder: Option<&str>, file: &FileId) -> String {
        folder.map_or_else(|| file.to_string(), |folder| format!("folders/{folder}/{file}"))
    }

    /// The prefix under which the files of a source lie: of one file, or of all in a folder.
    #[must_use]
    pub fn source_prefix(owner: &UserId, source: &str) -> Option<String> {
        let Some(place) = source.strip_prefix("folders/") else {
            return Some(file_prefix(owner, &FileId::parse(source).ok()?));
        };
        match place.trim_end_matches('/').split_once('/') {
            None => folder_prefix(owner, place.trim_end_matches('/')),
            Some((folder, file)) => {
                let file = FileId::parse(file).ok()?;
                Some(format!("{}{file}/", folder_prefix(owner, folder)?))
            }
        }
    }

    /// The same of a source that is one file; none of a folder, whatever its name looks like.
    #[must_use]
    pub fn file_of_source(owner: &UserId, source: &str) -> Option<String> {
        let Some((place, file)) = source.rsplit_once('/') else {
            return Some(file_prefix(owner, &FileId::parse(source).ok()?));
        };
        let folder = folder_prefix(owner, place.strip_prefix("folders/")?)?;
        Some(format!("{folder}{}/", FileId::parse(file).ok()?))
    }

    /// The key of a file in a folder.
    #[must_use]
    pub fn folder_key(owner: &UserId, folder: &str, file: &FileId, name: &str) -> Option<String> {
        Some(format!("{}{file}/{}", folder_prefix(owner, folder)?, safe_name(name)))
    }

    /// The file's id and name in a key, when it is one of `owner`.
    #[must_use]
    pub fn parse(owner: &UserId, key: &str) -> Option<(FileId, String)> {
        let rest = key.strip_prefix(&owner_prefix(owner))?;
        let mut parts = rest.rsplitn(3, '/');
        let (name, id) = (parts.next()?, parts.next()?);
        Some((FileId::parse(id).ok()?, name.to_owned()))
    }

    /// Whose a file in a folder is, the folder, the file's id and its name, when a key is that of one.
    #[must_use]
    pub fn in_folder(key: &str) -> Option<(UserId, &str, FileId, &str)> {
        let mut parts = key.strip_prefix("uploads/")?.split('/');
        let owner = UserId::parse(parts.next()?).ok()?;
        let folder = parts.next().filter(|word| *word == "folders").and_then(|_| parts.next())?;
        folder_prefix(&owner, folder)?;
        let file = FileId::parse(parts.next()?).ok()?;
        let name = parts.next().filter(|name| !name.is_empty())?;
        parts.next().is_none().then_some((owner, folder, file, name))
    }

    /// A file name that cannot leave its place: one segment, no control characters, at most 120 characters.
    #[must_use]
    pub fn safe_name(name: &str) -> String {
        let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
        let kept: String = last
            .chars()
            .map(|c| if c.is_alphanumeric() || "._- ".contains(c) { c } else { '_' })
            .take(120)
            .collect();
        let trimmed = kept.trim_matches(['.', ' ']);
        if trimmed.is_empty() { "file".to_owned() } else { trimmed.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use countersign_identity::UserId;

    use super::{FileId, keys};

    #[track_caller]
    fn check(source: &str, below: Option<&str>) {
        let owner = UserId::from_bytes([1; 16]);
        let expect = below.map(|below| format!("uploads/{owner}/{below}/"));
        assert_eq!(keys::file_of_source(&owner, source), expect, "{source}");
        if expect.is_some() {
            assert_eq!(keys::source_prefix(&owner, source), expect, "a step reads the same");
        }
    }

    #[test]
    fn f_059_a_source_that_is_removed_is_one_file_and_never_a_folder() {
        let file = FileId::from_bytes([2; 16]);
        let (loose, held) = (keys::source(None, &file), keys::source(Some("in-2026"), &file));
        check(&loose, Some(&loose));
        check(&held, Some(&held));
        // A folder may have any name, also one that looks like a file.
        let folder = format!("folders/{file}");
        for other in ["", "folders/in-2026", &folder, &format!("{folder}/"), "../x", "folders/../x"]
        {
            check(other, None);
        }
        for other in [format!("other/a/{file}"), format!("folders/a/b/{file}"), format!("a/{file}")]
        {
            check(&other, None);
        }
        let owner = UserId::from_bytes([1; 16]);
        assert!(keys::file_key(&owner, &file, "a.xml").starts_with(&keys::loose_prefix(&owner)));
        let held = keys::folder_key(&owner, "in", &file, "a.xml").unwrap();
        assert!(!held.starts_with(&keys::loose_prefix(&owner)), "it lies in a folder");
    }
}
