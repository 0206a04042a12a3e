//! One owner, one profile and one connector in memory, in front of the real action.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use countersign_actions_connect::{ActionTools, Deps, Mode, Readers, Robots, Tokens, actions};
use countersign_connector::{
    AgentConnector, Announcer, Binding, BindingId, ConfigOverrides, ConnectorDefinition,
    ConnectorId, ConnectorSource, Credential, CredentialId, CredentialSource, FileBody, FileEntry,
    FileId, Files, Health, HealthSink, Listing, Permissions, SourceFuture, StoredConnector, keys,
};
use countersign_http_out::{Egress, Policy};
use countersign_identity::UserId;
use countersign_registry::action::{ActionError, ActionFuture, Asking, Call, Handler, RunInfo};
use countersign_resilience::{
    Admission, Admitted, AnswerKey, Answers, Budget, CachedAnswer, CallLimits, LimitFuture,
    LimitKey, Permit, Report, STAYS_OPEN, SourceState,
};
use jiff::Timestamp;
use serde_json::{Map, Value};

use crate::provider::KEY;

/// What the action reads from.
pub(crate) struct World {
    pub(crate) definition: ConnectorDefinition,
    pub(crate) overrides: ConfigOverrides,
    pub(crate) file: Vec<u8>,
    pub(crate) tools: Vec<Arc<dyn Handler>>,
}

fn owner() -> UserId {
    UserId::from_bytes([1; 16])
}

fn file_id() -> FileId {
    FileId::from_bytes([7; 16])
}

/// Calls an endpoint as a step of a run does.
pub(crate) async fn run(
    world: World,
    endpoint: &str,
    arguments: &Map<String, Value>,
) -> Result<Value, ActionError> {
    let call = call(world.definition.id.as_str(), endpoint, arguments);
    let tools = Arc::new(ActionTools::new(world.tools.clone()));
    let world = Arc::new(world);
    let egress = || Egress::new(Policy { allow_loopback: true });
    let deps = Deps {
        connectors: world.clone(),
        health: world.clone(),
        credentials: world.clone(),
        deployment: None,
        limits: world.clone(),
        rests_for: STAYS_OPEN,
        answers: world.clone(),
        announcer: world.clone(),
        files: world,
        readers: Readers::here(),
        robots: Robots::new(egress()),
        egress: egress(),
        tokens: Tokens::default(),
        tools,
    };
    actions(deps, Mode::Read)[0].run(&call).await
}

fn call(connector: &str, endpoint: &str, arguments: &Map<String, Value>) -> Call {
    let mut inputs = arguments.clone();
    if let Some(source) = inputs.get_mut("source") {
        *source = file_id().as_str().into();
    }
    let named = [("connector", connector), ("endpoint", endpoint)];
    Call {
        run: "run_1".to_owned(),
        step: "read".to_owned(),
        owner: owner(),
        action: "call_connector".to_owned(),
        inputs,
        params: named
            .map(|(name, value)| (name.to_owned(), Value::from(value)))
            .into_iter()
            .collect(),
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
            invoked_by: owner(),
            team: None,
            started_at: Timestamp::UNIX_EPOCH,
            monitor: None,
            warnings: Vec::new(),
        },
    }
}

impl ConnectorSource for World {
    fn definition<'a>(
        &'a self,
        _: &'a UserId,
        _: &'a ConnectorId,
    ) -> SourceFuture<'a, Option<StoredConnector>> {
        let found = StoredConnector {
            owner: None,
            definition: self.definition.clone(),
            yaml: String::new(),
            updated_at: Timestamp::UNIX_EPOCH,
            accepted: Vec::new(),
        };
        Box::pin(async move { Ok(Some(found)) })
    }

    fn binding<'a>(&'a self, of: &'a AgentConnector) -> SourceFuture<'a, Option<Binding>> {
        let binding = Binding {
            id: BindingId::from_bytes([3; 16]),
            profile_id: of.profile.clone(),
            connector_id: of.connector.clone(),
            credential: Some(CredentialId::from_bytes([4; 16])),
            config_overrides: self.overrides.clone(),
            permissions: Permissions::default(),
            is_enabled: true,
            created_at: None,
            health: Health::Ok,
        };
        Box::pin(async move { Ok(Some(binding)) })
    }
}

impl HealthSink for World {
    fn note<'a>(&'a self, _: &'a UserId, _: &'a Binding, _: Health) -> SourceFuture<'a, ()> {
        Box::pin(async { Ok(()) })
    }
}

impl CredentialSource for World {
    fn credential<'a>(
        &'a self,
        _: &'a UserId,
        _: &'a CredentialId,
        _: &'a ConnectorId,
    ) -> SourceFuture<'a, Option<Credential>> {
        let parts = self.definition.credential_fields().into_iter();
        let credential: Credential = parts.map(|part| (part.to_owned(), value(part))).collect();
        Box::pin(async move { Ok(Some(credential)) })
    }
}

/// Every call is the first: nothing is spent, nothing rests, nothing is kept.
impl CallLimits for World {
    fn permit<'a>(
        &'a self,
        _: &'a LimitKey,
        _: &'a Budget,
        _: Timestamp,
        _: Duration,
    ) -> LimitFuture<'a, Permit> {
        Box::pin(async { Ok(Permit::Go) })
    }

    fn admit<'a>(
        &'a self,
        _: &'a LimitKey,
        _: &'a str,
        _: Timestamp,
        _: Duration,
    ) -> LimitFuture<'a, Admitted> {
        Box::pin(async { Ok(Admitted { admission: Admission::Pass, seen: None }) })
    }

    fn report<'a>(
        &'a self,
        _: &'a LimitKey,
        _: Option<SourceState>,
        _: &'a Report,
    ) -> LimitFuture<'a, ()> {
        Box::pin(async { Ok(()) })
    }
}

impl Answers for World {
    fn last<'a>(&'a self, _: &'a AnswerKey) -> LimitFuture<'a, Option<CachedAnswer>> {
        Box::pin(async { Ok(None) })
    }

    fn keep<'a>(&'a self, _: &'a AnswerKey, _: &'a CachedAnswer) -> LimitFuture<'a, ()> {
        Box::pin(async { Ok(()) })
    }
}

impl Announcer for World {
    fn auth_failed<'a>(
        &'a self,
        _: &'a UserId,
        _: &'a Binding,
        _: Timestamp,
    ) -> SourceFuture<'a, ()> {
        Box::pin(async { Ok(()) })
    }
}

fn value(part: &str) -> String {
    match part {
        "connection_string" => format!("postgres://reader:{KEY}@db.example.org/registry"),
        _ => KEY.to_owned(),
    }
}

struct Bytes(Option<Vec<u8>>);

impl FileBody for Bytes {
    fn next(&mut self) -> SourceFuture<'_, Option<Vec<u8>>> {
        let piece = self.0.take();
        Box::pin(async move { Ok(piece) })
    }
}

impl Files for World {
    fn list<'a>(&'a self, _: &'a str, _: usize) -> SourceFuture<'a, Listing> {
        let key = keys::file_key(&owner(), &file_id(), "filing.xml");
        let files =
            vec![FileEntry { key, bytes: self.file.len() as u64, modified_at: None, etag: None }];
        Box::pin(async move { Ok(Listing { files, truncated: false }) })
    }

    fn open<'a>(&'a self, _: &'a str) -> SourceFuture<'a, Box<dyn FileBody>> {
        let body = Bytes(Some(self.file.clone()));
        Box::pin(async move { Ok(Box::new(body) as Box<dyn FileBody>) })
    }
}

/// An action that answers with one value, and refuses to be another.
pub(crate) struct Answering {
    pub(crate) name: &'static str,
    pub(crate) inputs: BTreeMap<String, Value>,
    pub(crate) answer: Value,
}

impl Handler for Answering {
    fn name(&self) -> &'static str {
        self.name
    }

    fn run<'a>(&'a self, call: &'a Call) -> ActionFuture<'a, Value> {
        let given: BTreeMap<_, _> =
            call.inputs.clone().into_iter().chain(call.params.clone()).collect();
        assert_eq!(given, self.inputs, "{}", self.name);
        let answer = self.answer.clone();
        Box::pin(async move { Ok(answer) })
    }
}
