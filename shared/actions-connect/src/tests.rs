//! The action against files in memory and real servers on this machine.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use countersign_connector::{
    Binding, BindingId, ConfigOverrides, ConnectorId, ConnectorSource, Credential, CredentialId,
    CredentialSource, FileId, Health, HealthSink, Permissions, SourceError, StoredConnector, keys,
};
use countersign_failure::Class;
use countersign_http_out::{Egress, Policy};
use countersign_identity::UserId;
use countersign_registry::action::{ActionError, Call, RunInfo};
use futures::future::BoxFuture;
use serde_json::{Map, Value, json};
use wiremock::matchers::{header, method, path, query_param};
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::{Deps, FileBody, FileEntry, Files, Listing, Mode, actions};

const FILINGS: &str = include_str!("../../../library/connectors/irs-990-xml.yaml");

macro_rules! filing {
    ($name:literal) => {
        include_bytes!(concat!("../../../library/filings/", $name, ".xml")).to_vec()
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
    ) -> BoxFuture<'a, Result<Option<StoredConnector>, SourceError>> {
        let definition = countersign_connector::parse(&self.yaml).definition.unwrap();
        let found = (*owner == user(1) && definition.id == *id).then(|| StoredConnector {
            owner: None,
            definition,
            yaml: self.yaml.clone(),
            updated_at: jiff::Timestamp::UNIX_EPOCH,
        });
        Box::pin(async move { Ok(found) })
    }

    fn binding<'a>(
        &'a self,
        owner: &'a UserId,
        profile: &'a str,
        connector: &'a ConnectorId,
    ) -> BoxFuture<'a, Result<Option<Binding>, SourceError>> {
        let found = self.binding.clone().filter(|binding| {
            *owner == user(1) && binding.profile_id == profile && binding.connector_id == *connector
        });
        Box::pin(async move { Ok(found) })
    }
}

impl HealthSink for World {
    fn note<'a>(
        &'a self,
        _: &'a UserId,
        _: &'a Binding,
        health: Health,
    ) -> BoxFuture<'a, Result<(), SourceError>> {
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
    ) -> BoxFuture<'a, Result<Option<Credential>, SourceError>> {
        self.asked.lock().unwrap().push((owner.clone(), id.clone(), connector.clone()));
        let credential = [("token".to_owned(), "s3cr3t-token".to_owned())].into_iter().collect();
        Box::pin(async move { Ok(Some(credential)) })
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
    fn next(&mut self) -> BoxFuture<'_, Result<Option<Vec<u8>>, SourceError>> {
        let piece = if self.0.is_empty() { None } else { Some(self.0.remove(0)) };
        let outcome = match piece {
            None if self.1 => Err(Box::new(Gone) as SourceError),
            piece => Ok(piece),
        };
        Box::pin(async move { outcome })
    }
}

impl Files for World {
    fn list<'a>(
        &'a self,
        prefix: &'a str,
        most: usize,
    ) -> BoxFuture<'a, Result<Listing, SourceError>> {
        let found: Vec<FileEntry> = self
            .files
            .iter()
            .filter(|(key, _)| key.starts_with(prefix))
            .map(|(key, bytes)| FileEntry { key: key.clone(), bytes: bytes.len() as u64 })
            .collect();
        let truncated = found.len() > most;
        Box::pin(
            async move { Ok(Listing { files: found.into_iter().take(most).collect(), truncated }) },
        )
    }

    fn open<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Box<dyn FileBody>, SourceError>> {
        let pieces = self.files[key].chunks(700).map(<[u8]>::to_vec).collect();
        let body = Bytes(pieces, self.broken);
        Box::pin(async move { Ok(Box::new(body) as Box<dyn FileBody>) })
    }
}

#[expect(clippy::needless_pass_by_value, reason = "test values are written inline")]
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
        now: "2026-03-04T05:06:07Z".parse().unwrap(),
        remaining: Duration::from_secs(60),
        info: RunInfo {
            profile_id: "prof_1".to_owned(),
            profile_name: "Investigator".to_owned(),
            playbook_id: None,
            query: String::new(),
            run_context: "interactive".to_owned(),
            invoked_by: user(1),
            started_at: jiff::Timestamp::UNIX_EPOCH,
        },
    }
}

async fn run_with(
    world: &Arc<World>,
    mode: Mode,
    policy: Policy,
    call: &Call,
) -> Result<Value, ActionError> {
    let deps = Deps {
        connectors: world.clone(),
        health: world.clone(),
        credentials: world.clone(),
        files: world.clone(),
        egress: Egress::new(policy).unwrap(),
    };
    actions(deps, mode)[0].run(call).await
}

async fn run(world: World, call: &Call) -> Result<Value, ActionError> {
    run_with(&Arc::new(world), Mode::Read, Policy { allow_loopback: true }, call).await
}

/// Checks the code of a refused call.
async fn check(world: World, call: &Call, code: &str) {
    let error = run(world, call).await.unwrap_err();
    assert_eq!(error.code, code, "{error}");
}

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

#[tokio::test]
async fn f_128_an_upload_is_read_with_its_provenance() {
    let world = World::new(FILINGS).file(7, "willow.xml", filing!("willow-creek-2021-990ez"));
    let output = run(world, &officers(json!(file_id(7).as_str()))).await.unwrap();
    assert_eq!(
        (&output["count"], &output["has_more"], &output["files_read"]),
        (&json!(5), &json!(false), &json!(1))
    );
    let first = &output["results"][0];
    assert_eq!(own_fields(first)["name"], "Margaret Thornquist");
    let expect = json!({
        "_source": "irs-990-xml", "_endpoint": "parse_990_officers", "_source_ref": file_id(7).as_str(),
        "_source_name": "willow.xml", "_retrieved_at": "2026-03-04T05:06:07Z", "_entity_type": "nonprofit_officer",
        "_entities": {
            "name": { "type": "PERSON", "relationship": "OFFICER_OF" },
            "organization_name": { "type": "ORG", "relationship": null },
        },
    });
    for (key, value) in expect.as_object().unwrap() {
        assert_eq!(&first[key], value, "{key}");
    }
}

#[tokio::test]
async fn f_042_the_output_has_exactly_the_contracts_slots() {
    let world = World::new(FILINGS).file(7, "a.xml", filing!("tidewater-2022-990ez"));
    let output = run(world, &officers(json!([file_id(7).as_str()]))).await.unwrap();
    let definition = countersign_connector::parse(FILINGS).definition.unwrap();
    let contract =
        countersign_connector::endpoint_contract(&definition, "parse_990_officers").unwrap();
    let mut slots: Vec<&str> = contract.outputs.iter().map(|slot| slot.name.as_str()).collect();
    let mut keys: Vec<&str> = output.as_object().unwrap().keys().map(String::as_str).collect();
    slots.sort_unstable();
    keys.sort_unstable();
    assert_eq!(keys, slots);
}

#[tokio::test]
async fn f_099_one_bad_file_of_many_is_reported_and_the_rest_is_read() {
    let cut = filing!("harborlight-2021-990")[..5_000].to_vec();
    let world = World::new(FILINGS)
        .in_folder("spring", 1, "a.xml", filing!("tidewater-2022-990ez"))
        .in_folder("spring", 2, "cut.xml", cut)
        .in_folder(
            "spring",
            3,
            "bomb.xml",
            b"<!DOCTYPE a [<!ENTITY b 'c'>]><Return>&b;</Return>".to_vec(),
        )
        .in_folder("spring", 4, "notes.pdf", b"%PDF".to_vec())
        .in_folder("spring", 5, "z.xml", filing!("copperleaf-2020-990ez"));
    let output = run(world, &officers(json!("folders/spring"))).await.unwrap();
    assert_eq!((&output["count"], &output["files_read"]), (&json!(7), &json!(2)));
    let codes: Vec<_> = output["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|error| (error["name"].as_str().unwrap(), error["code"].as_str().unwrap()))
        .collect();
    assert_eq!(
        codes,
        [
            ("cut.xml", "FILE_TRUNCATED"),
            ("bomb.xml", "FILE_DTD_REFUSED"),
            ("notes.pdf", "FILE_FORMAT")
        ]
    );
}

#[tokio::test]
async fn f_099_when_nothing_can_be_read_the_step_fails() {
    let id = || json!(file_id(7).as_str());
    check(
        World::new(FILINGS).file(7, "a.xml", b"<Return><a>".to_vec()),
        &officers(id()),
        "FILE_TRUNCATED",
    )
    .await;
    let large = World::new(FILINGS)
        .file(7, "a.xml", vec![b' '; 2 * 1024 * 1024])
        .bind(|binding| binding.config_overrides.max_file_size_mb = Some(1));
    check(large, &officers(id()), "FILE_TOO_LARGE").await;
    let broken = World {
        broken: true,
        ..World::new(FILINGS).file(7, "a.xml", filing!("tidewater-2022-990ez"))
    };
    let error = run(broken, &officers(id())).await.unwrap_err();
    assert_eq!((error.code, error.class), ("FILE_SOURCE", Class::Retryable), "{error}");
}

#[tokio::test]
async fn f_005_files_of_others_do_not_exist() {
    let world = || World::new(FILINGS).file(7, "a.xml", filing!("tidewater-2022-990ez"));
    check(world(), &officers(json!(file_id(8).as_str())), "CONNECTOR_SOURCE").await;
    for source in [
        "../../uploads",
        "folders/../x",
        "folders/",
        "folders/a/b",
        "",
        "https://example.com/a.xml",
        "/etc/passwd",
    ] {
        check(world(), &officers(json!(source)), "CONNECTOR_SOURCE").await;
    }
    check(world(), &officers(json!([])), "CONNECTOR_ARGUMENT").await;
    check(world(), &officers(json!(7)), "CONNECTOR_ARGUMENT").await;
    let other = Call { owner: user(2), ..officers(json!(file_id(7).as_str())) };
    check(world(), &other, "CONNECTOR_UNKNOWN").await;
}

#[tokio::test]
async fn f_008_bindings_decide_what_may_be_called() {
    let call = officers(json!(file_id(7).as_str()));
    check(World { binding: None, ..World::new(FILINGS) }, &call, "CONNECTOR_NOT_BOUND").await;
    check(
        World::new(FILINGS).bind(|binding| binding.is_enabled = false),
        &call,
        "CONNECTOR_DISABLED",
    )
    .await;
    let only = |names: &[&str]| Some(names.iter().map(|name| (*name).to_owned()).collect());
    check(
        World::new(FILINGS)
            .bind(|binding| binding.permissions.allowed_endpoints = only(&["parse_990"])),
        &call,
        "CONNECTOR_ENDPOINT_NOT_ALLOWED",
    )
    .await;
    check(
        World::new(FILINGS).bind(|binding| binding.permissions.allowed_endpoints = only(&[])),
        &call,
        "CONNECTOR_ENDPOINT_NOT_ALLOWED",
    )
    .await;
    check(
        World::new(FILINGS),
        &call_of("irs-990-xml", "nope", json!({})),
        "CONNECTOR_ENDPOINT_UNKNOWN",
    )
    .await;
    check(World::new(FILINGS), &call_of("nope", "parse_990", json!({})), "CONNECTOR_UNKNOWN").await;
    check(World::new(FILINGS), &call_of("No Such", "parse_990", json!({})), "CONNECTOR_UNKNOWN")
        .await;
}

fn api(server: &MockServer) -> String {
    format!(
        "
id: api
name: API
type: rest_api
version: 1.0.0
connection:
  base_url: {}
  auth: {{ type: bearer_token }}
  timeout_seconds: 1
endpoints:
  search:
    description: searches
    path: /search
    parameters: [{{ name: q, type: string, required: true }}]
    pagination: {{ type: page, page_size: 2, max_pages: 3 }}
    response_mapping: {{ results_path: items, fields: {{ title: name }} }}
  create:
    description: creates
    method: POST
    path: /items
    parameters: [{{ name: name, type: string }}]
",
        server.uri()
    )
}

fn search() -> Call {
    call_of("api", "search", json!({ "q": "x" }))
}

fn items(names: &[&str]) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_json(
        json!({ "items": names.iter().map(|name| json!({ "name": name })).collect::<Vec<_>>() }),
    )
}

#[tokio::test]
async fn f_096_pages_are_followed_with_the_owners_credential() {
    let server = MockServer::start().await;
    let page = |number: &str| {
        Mock::given(path("/search"))
            .and(query_param("page", number))
            .and(query_param("q", "x"))
            .and(header("authorization", "Bearer s3cr3t-token"))
    };
    page("1").respond_with(items(&["a", "b"])).mount(&server).await;
    page("2").respond_with(items(&["c"])).mount(&server).await;
    let world = Arc::new(World::new(&api(&server)));
    let output =
        run_with(&world, Mode::Read, Policy { allow_loopback: true }, &search()).await.unwrap();
    let titles: Vec<_> = output["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|record| record["title"].clone())
        .collect();
    assert_eq!(titles, ["a", "b", "c"]);
    assert_eq!(
        (&output["has_more"], &output["_has_more"], &output["_next_cursor"]),
        (&json!(false), &json!(false), &Value::Null)
    );
    assert_eq!(output["results"][2]["_source_ref"], format!("{}/search", server.uri()));
    let asked = world.asked.lock().unwrap();
    assert_eq!(
        asked[0],
        (user(1), CredentialId::from_bytes([4; 16]), ConnectorId::parse("api").unwrap()),
        "K-37"
    );
}

#[tokio::test]
async fn f_309_what_was_read_before_a_failure_is_kept_and_said() {
    let server = MockServer::start().await;
    Mock::given(query_param("page", "1")).respond_with(items(&["a", "b"])).mount(&server).await;
    Mock::given(query_param("page", "2"))
        .respond_with(ResponseTemplate::new(500))
        .mount(&server)
        .await;
    let output = run(World::new(&api(&server)), &search()).await.unwrap();
    assert_eq!(
        (&output["count"], &output["has_more"], &output["_next_cursor"]),
        (&json!(2), &json!(true), &json!(2))
    );
    assert!(output["warnings"][0].as_str().unwrap().contains("page 2"), "{output}");
}

#[tokio::test]
async fn f_306_a_refused_credential_marks_the_binding() {
    let server = MockServer::start().await;
    Mock::given(path("/search"))
        .respond_with(ResponseTemplate::new(401))
        .expect(1)
        .mount(&server)
        .await;
    let world = Arc::new(World::new(&api(&server)));
    let error =
        run_with(&world, Mode::Read, Policy { allow_loopback: true }, &search()).await.unwrap_err();
    assert_eq!((error.code, error.class), ("CONNECTOR_AUTH_FAILED", Class::Terminal));
    assert_eq!(*world.health.lock().unwrap(), [Health::AuthFailed]);
}

#[tokio::test]
async fn f_307_a_throttled_call_is_tried_three_times_more() {
    let server = MockServer::start().await;
    let later = ResponseTemplate::new(429).insert_header("retry-after", "0");
    Mock::given(path("/search"))
        .respond_with(later.clone())
        .up_to_n_times(3)
        .with_priority(1)
        .mount(&server)
        .await;
    Mock::given(path("/search")).respond_with(items(&["a"])).mount(&server).await;
    assert_eq!(run(World::new(&api(&server)), &search()).await.unwrap()["count"], 1);
    let always = MockServer::start().await;
    Mock::given(path("/search")).respond_with(later).expect(4).mount(&always).await;
    let error = run(World::new(&api(&always)), &search()).await.unwrap_err();
    assert_eq!((error.code, error.class), ("CONNECTOR_THROTTLED", Class::Retryable));
}

#[tokio::test]
async fn f_308_and_f_310_a_failure_is_tried_once_more() {
    let server = MockServer::start().await;
    Mock::given(path("/search"))
        .respond_with(ResponseTemplate::new(503))
        .up_to_n_times(1)
        .with_priority(1)
        .mount(&server)
        .await;
    Mock::given(path("/search")).respond_with(items(&["a"])).mount(&server).await;
    assert_eq!(run(World::new(&api(&server)), &search()).await.unwrap()["count"], 1);
    let down = MockServer::start().await;
    Mock::given(path("/search"))
        .respond_with(ResponseTemplate::new(503))
        .expect(2)
        .mount(&down)
        .await;
    let world = Arc::new(World::new(&api(&down)));
    let error =
        run_with(&world, Mode::Read, Policy { allow_loopback: true }, &search()).await.unwrap_err();
    assert_eq!((error.code, error.class), ("CONNECTOR_UNAVAILABLE", Class::Retryable));
    assert_eq!(*world.health.lock().unwrap(), [Health::Unavailable]);
}

#[tokio::test]
async fn f_309_a_timeout_is_tried_once_with_twice_the_time() {
    let server = MockServer::start().await;
    let slow = items(&["a"]).set_delay(Duration::from_millis(1_500));
    Mock::given(path("/search")).respond_with(slow).expect(2).mount(&server).await;
    assert_eq!(
        run(World::new(&api(&server)), &search()).await.unwrap()["count"],
        1,
        "1 s, then 2 s"
    );
}

#[tokio::test]
async fn f_311_a_malformed_answer_is_empty_and_said() {
    for body in ["<html>", "{\"other\": []}", ""] {
        let server = MockServer::start().await;
        Mock::given(path("/search"))
            .respond_with(ResponseTemplate::new(200).set_body_string(body))
            .mount(&server)
            .await;
        let output = run(World::new(&api(&server)), &search()).await.unwrap();
        assert_eq!((&output["count"], &output["has_more"]), (&json!(0), &json!(false)), "{body}");
        assert!(output["warnings"][0].as_str().unwrap().contains("not as expected"), "{output}");
    }
}

#[tokio::test]
async fn k_42_a_key_quoted_back_by_the_source_is_not_shown() {
    let server = MockServer::start().await;
    Mock::given(path("/search"))
        .respond_with(ResponseTemplate::new(400).set_body_string("bad token: s3cr3t-token\n\u{7}"))
        .mount(&server)
        .await;
    let error = run(World::new(&api(&server)), &search()).await.unwrap_err();
    assert_eq!(error.code, "CONNECTOR_REFUSED");
    assert!(error.message.ends_with("bad token: [redacted]"), "{error}");
}

#[tokio::test]
async fn k_25_reading_and_writing_functions_refuse_each_others_endpoints() {
    let server = MockServer::start().await;
    let world = Arc::new(World::new(&api(&server)));
    let local = Policy { allow_loopback: true };
    let create = call_of("api", "create", json!({ "name": "a" }));
    for (mode, call) in [(Mode::Read, &create), (Mode::Write, &search())] {
        let error = run_with(&world, mode, local, call).await.unwrap_err();
        assert_eq!(error.code, "CONNECTOR_WRONG_FUNCTION", "{error}");
    }
    assert!(server.received_requests().await.unwrap().is_empty());
}

#[tokio::test]
async fn k_49_an_effect_carries_its_key_and_is_never_repeated() {
    let server = MockServer::start().await;
    Mock::given(method("POST"))
        .and(header("idempotency-key", "run_1/read"))
        .respond_with(ResponseTemplate::new(201).set_body_json(json!({ "id": 1 })))
        .up_to_n_times(1)
        .with_priority(1)
        .mount(&server)
        .await;
    Mock::given(method("POST"))
        .respond_with(ResponseTemplate::new(502))
        .expect(1)
        .mount(&server)
        .await;
    let world = Arc::new(World::new(&api(&server)));
    let local = Policy { allow_loopback: true };
    let create = call_of("api", "create", json!({ "name": "a" }));
    assert_eq!(run_with(&world, Mode::Write, local, &create).await.unwrap()["results"][0]["id"], 1);
    let error = run_with(&world, Mode::Write, local, &create).await.unwrap_err();
    assert_eq!((error.code, error.class), ("CONNECTOR_IN_DOUBT", Class::Terminal));
}

#[tokio::test]
async fn k_38_an_overridden_address_is_held_to_the_same_rules() {
    let server = MockServer::start().await;
    let world = World::new(&api(&server)).bind(|binding| {
        binding.config_overrides.base_url = Some("https://169.254.169.254/latest".to_owned());
    });
    check(world, &search(), "EGRESS_REFUSED").await;
    let closed = Arc::new(World::new(&api(&server)));
    let error = run_with(&closed, Mode::Read, Policy::default(), &search()).await.unwrap_err();
    assert_eq!(error.code, "EGRESS_REFUSED");
}

#[tokio::test]
async fn f_099_a_url_is_read_through_the_guard() {
    let server = MockServer::start().await;
    Mock::given(path("/a.xml"))
        .respond_with(ResponseTemplate::new(200).set_body_bytes(filing!("tidewater-2022-990ez")))
        .mount(&server)
        .await;
    let yaml = FILINGS.replace("source: upload", "source: url");
    let address = format!("{}/a.xml?key=s3cr3t", server.uri());
    let output = run(World::new(&yaml), &officers(json!(address.clone()))).await.unwrap();
    assert_eq!(
        (&output["count"], &output["results"][0]["_source_name"]),
        (&json!(4), &json!("a.xml"))
    );
    assert!(!output.to_string().contains("s3cr3t"));
    check(World::new(&yaml), &officers(json!(format!("{}/no.xml", server.uri()))), "FILE_SOURCE")
        .await;
    check(World::new(&yaml), &officers(json!("https://10.0.0.1/a.xml")), "EGRESS_REFUSED").await;
}

#[tokio::test]
async fn f_099_a_directory_is_read_whole() {
    let yaml = FILINGS.replace("source: upload", "source: directory");
    let world = World::new(&yaml)
        .in_folder("all", 1, "a.xml", filing!("st-brannoc-2021-990"))
        .in_folder("all", 2, "b.xml", filing!("aldermoor-2010-990"))
        .file(3, "not-in-it.xml", filing!("tidewater-2022-990ez"));
    let output = run(world, &officers(json!("all"))).await.unwrap();
    assert_eq!((&output["count"], &output["files_read"]), (&json!(137), &json!(2)));
}
