//! The action against files in memory and real servers on this machine.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use countersign_connector::{
    AgentConnector, Binding, BindingId, ConfigOverrides, ConnectorEffects, ConnectorId,
    ConnectorSource, Credential, CredentialId, CredentialSource, FileBody, FileEntry, FileId,
    Files, Health, HealthSink, Listing, Permissions, SourceError, SourceFuture, StoredConnector,
    keys,
};
use countersign_effect::Effect;
use countersign_failure::Class;
use countersign_http_out::{Egress, Policy};
use countersign_identity::UserId;
use countersign_registry::action::{
    ActionError, ActionFuture, Asking, Call, CallOf, Describe as _, EffectsOf, Handler, Permit,
    RunInfo,
};
use countersign_resilience::STAYS_OPEN;
use serde_json::{Map, Value, json};

use self::memory::Shared;
use crate::{ActionTools, Deps, Mode, Readers, Robots, Tokens, actions};

const FILINGS: &str = include_str!("../../../../../library/connectors/irs-990-xml.yaml");

macro_rules! filing {
    ($name:literal) => {
        include_bytes!(concat!("../../../../../library/filings/", $name, ".xml")).to_vec()
    };
}

fn user(byte: u8) -> UserId {
    UserId::from_bytes([byte; 16])
}

fn file_id(byte: u8) -> FileId {
    FileId::from_bytes([byte; 16])
}

/// A whole world in memory: one owner, one profile, one connector.
#[derive(Default)]
struct World {
    yaml: String,
    binding: Option<Binding>,
    files: BTreeMap<String, Vec<u8>>,
    broken: bool,
    health: Mutex<Vec<Health>>,
    asked: Mutex<Vec<(UserId, CredentialId, ConnectorId)>>,
    /// The parts of the owner's credential; a token when there are none.
    parts: Vec<(&'static str, &'static str)>,
    tokens: Tokens,
    /// What the tools answer, and what they were asked.
    tool: Option<Value>,
    used: Mutex<Vec<Call>>,
    shared: Shared,
}

impl World {
    fn new(yaml: &str) -> Self {
        let connector_id =
            countersign_connector::parse(yaml).definition.expect("a valid connector").id;
        let binding = Binding {
            id: BindingId::from_bytes([3; 16]),
            profile_id: "prof_1".to_owned(),
            connector_id,
            credential: Some(CredentialId::from_bytes([4; 16])),
            config_overrides: ConfigOverrides::default(),
            permissions: Permissions::default(),
            is_enabled: true,
            created_at: None,
            health: Health::Ok,
        };
        Self { yaml: yaml.to_owned(), binding: Some(binding), ..Self::default() }
    }

    fn bind(mut self, change: impl FnOnce(&mut Binding)) -> Self {
        change(self.binding.as_mut().unwrap());
        self
    }

    fn file(mut self, byte: u8, name: &str, bytes: Vec<u8>) -> Self {
        self.files.insert(keys::file_key(&user(1), &file_id(byte), name), bytes);
        self
    }

    fn in_folder(mut self, folder: &str, byte: u8, name: &str, bytes: Vec<u8>) -> Self {
        self.files.insert(keys::folder_key(&user(1), folder, &file_id(byte), name).unwrap(), bytes);
        self
    }
}

impl ConnectorSource for World {
    fn definition<'a>(
        &'a self,
        owner: &'a UserId,
        id: &'a ConnectorId,
    ) -> SourceFuture<'a, Option<StoredConnector>> {
        let definition = countersign_connector::parse(&self.yaml).definition.unwrap();
        let found = (*owner == user(1) && definition.id == *id).then(|| StoredConnector {
            owner: None,
            definition,
            yaml: self.yaml.clone(),
            updated_at: jiff::Timestamp::UNIX_EPOCH,
            accepted: Vec::new(),
        });
        Box::pin(async move { Ok(found) })
    }

    fn binding<'a>(&'a self, of: &'a AgentConnector) -> SourceFuture<'a, Option<Binding>> {
        let is_of = |binding: &Binding| {
            binding.profile_id == of.profile && binding.connector_id == of.connector
        };
        let found = self.binding.clone().filter(|found| of.owner == user(1) && is_of(found));
        Box::pin(async move { Ok(found) })
    }
}

impl HealthSink for World {
    fn note<'a>(&'a self, _: &'a UserId, _: &'a Binding, health: Health) -> SourceFuture<'a, ()> {
        self.health.lock().unwrap().push(health);
        Box::pin(async { Ok(()) })
    }
}

impl CredentialSource for World {
    fn credential<'a>(
        &'a self,
        owner: &'a UserId,
        id: &'a CredentialId,
        connector: &'a ConnectorId,
    ) -> SourceFuture<'a, Option<Credential>> {
        self.asked.lock().unwrap().push((owner.clone(), id.clone(), connector.clone()));
        let parts: &[_] =
            if self.parts.is_empty() { &[("token", "s3cr3t-token")] } else { &self.parts };
        let credential =
            parts.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        Box::pin(async move { Ok(Some(credential)) })
    }
}

impl Handler for World {
    fn name(&self) -> &'static str {
        "search_web"
    }

    fn run<'a>(&'a self, call: &'a Call) -> ActionFuture<'a, Value> {
        self.used.lock().unwrap().push(call.clone());
        let outcome =
            self.tool.clone().ok_or_else(|| ActionError::retryable("SEARCH_DOWN", "no search"));
        Box::pin(async move { outcome })
    }
}

struct Bytes(Vec<Vec<u8>>, bool);

#[derive(Debug, thiserror::Error)]
#[error("the bucket went away")]
struct Gone;

impl countersign_failure::Failure for Gone {
    fn code(&self) -> &'static str {
        "FILE_SOURCE"
    }

    fn class(&self) -> Class {
        Class::Retryable
    }
}

impl FileBody for Bytes {
    fn next(&mut self) -> SourceFuture<'_, Option<Vec<u8>>> {
        let piece = if self.0.is_empty() { None } else { Some(self.0.remove(0)) };
        let outcome = match piece {
            None if self.1 => Err(Box::new(Gone) as SourceError),
            piece => Ok(piece),
        };
        Box::pin(async move { outcome })
    }
}

impl Files for World {
    fn list<'a>(&'a self, prefix: &'a str, most: usize) -> SourceFuture<'a, Listing> {
        let found: Vec<FileEntry> = self
            .files
            .iter()
            .filter(|(key, _)| key.starts_with(prefix))
            .map(|(key, bytes)| FileEntry {
                key: key.clone(),
                bytes: bytes.len() as u64,
                modified_at: None,
                etag: None,
            })
            .collect();
        let truncated = found.len() > most;
        Box::pin(
            async move { Ok(Listing { files: found.into_iter().take(most).collect(), truncated }) },
        )
    }

    fn open<'a>(&'a self, key: &'a str) -> SourceFuture<'a, Box<dyn FileBody>> {
        let pieces = self.files[key].chunks(700).map(<[u8]>::to_vec).collect();
        let body = Bytes(pieces, self.broken);
        Box::pin(async move { Ok(Box::new(body) as Box<dyn FileBody>) })
    }
}

fn call_of(connector: &str, endpoint: &str, inputs: Value) -> Call {
    let object = |value: Value| value.as_object().cloned().unwrap_or_default();
    Call {
        run: "run_1".to_owned(),
        step: "read".to_owned(),
        owner: user(1),
        action: "call_connector".to_owned(),
        inputs: object(inputs),
        params: object(json!({ "connector": connector, "endpoint": endpoint })),
        idempotency_key: "run_1/read".to_owned(),
        output_schema: None,
        model: None,
        asking: Asking::default(),
        is_for_each_item: false,
        rewrite: None,
        permit: None,
        now: "2026-03-04T05:06:07Z".parse().unwrap(),
        remaining: Duration::from_secs(60),
        info: RunInfo {
            profile_id: "prof_1".to_owned(),
            profile_name: "Investigator".to_owned(),
            playbook_id: None,
            query: String::new(),
            run_context: "interactive".to_owned(),
            dry_run: false,
            invoked_by: user(1),
            team: None,
            started_at: jiff::Timestamp::UNIX_EPOCH,
            monitor: None,
            warnings: Vec::new(),
        },
    }
}

/// What a signer would be shown.
async fn described(world: &Arc<World>, call: &Call) -> Result<Effect, ActionError> {
    let calls = [CallOf { inputs: &call.inputs, key: &call.idempotency_key }];
    let of = EffectsOf {
        owner: &call.owner,
        profile_id: &call.info.profile_id,
        action: &call.action,
        params: &call.params,
        calls: &calls,
        ahead: None,
    };
    Ok(ConnectorEffects(world.clone()).describe(&of).await?.remove(0))
}

/// The call with its effect, as if it had been signed; a call without one as it is.
async fn signed(world: &Arc<World>, call: &Call) -> Call {
    let effect = described(world, call).await.ok();
    let permit =
        effect.map(|effect| Permit { effect, receipt: "rcpt_1".to_owned(), recheck: None });
    Call { permit, ..call.clone() }
}

async fn run_with(
    world: &Arc<World>,
    mode: Mode,
    policy: Policy,
    call: &Call,
) -> Result<Value, ActionError> {
    let call = match (mode, &call.permit) {
        (Mode::Write, None) => &signed(world, call).await,
        _ => call,
    };
    let deps = Deps {
        connectors: world.clone(),
        health: world.clone(),
        credentials: world.clone(),
        deployment: None,
        limits: world.clone(),
        rests_for: STAYS_OPEN,
        answers: world.clone(),
        announcer: world.clone(),
        files: world.clone(),
        readers: Readers::here(),
        robots: Robots::new(Egress::new(policy)),
        egress: Egress::new(policy),
        tokens: world.tokens.clone(),
        tools: Arc::new(ActionTools::new(vec![world.clone()])),
    };
    let call = permitted(&deps, mode, call).await;
    actions(deps, mode)[0].run(&call).await
}

/// A call with an effect comes with what was signed, as the step protocol gives it.
async fn permitted(deps: &Deps, mode: Mode, call: &Call) -> Call {
    let calls = [CallOf { inputs: &call.inputs, key: &call.idempotency_key }];
    let of = EffectsOf {
        owner: &call.owner,
        profile_id: &call.info.profile_id,
        action: &call.action,
        params: &call.params,
        calls: &calls,
        ahead: None,
    };
    let described = ConnectorEffects(deps.connectors.clone()).describe(&of).await;
    let permit = described.ok().filter(|_| mode == Mode::Write);
    let permit = permit.map(|mut effects| Permit {
        effect: effects.remove(0),
        receipt: "rcpt_1".to_owned(),
        recheck: None,
    });
    Call { permit, ..call.clone() }
}

async fn run(world: World, call: &Call) -> Result<Value, ActionError> {
    run_with(&Arc::new(world), Mode::Read, Policy { allow_loopback: true }, call).await
}

/// Checks the code of a refused call.
async fn check(world: World, call: &Call, code: &str) {
    let error = run(world, call).await.unwrap_err();
    assert_eq!(error.code, code, "{error}");
}

#[expect(clippy::needless_pass_by_value, reason = "test values are written inline")]
fn officers(source: Value) -> Call {
    call_of("irs-990-xml", "parse_990_officers", json!({ "source": source }))
}

fn own_fields(record: &Value) -> Map<String, Value> {
    record
        .as_object()
        .unwrap()
        .iter()
        .filter(|(name, _)| !name.starts_with('_'))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

mod api;
mod database;
mod details;
mod effects;
mod feeds;
mod fetching;
mod files;
mod formats;
mod graphql;
mod memory;
mod oauth;
mod pages;
mod resilience;
mod scraping;
mod second_reading;
mod step;
mod tool;
