use std::sync::Arc;
use std::time::Duration;

use countersign_connector::{FileBody, FileEntry, Files, Listing, SourceFuture};
use countersign_identity::UserId;
use countersign_knowledge::discovered::Discovered;
use countersign_knowledge::graph::{GraphFuture, Scope};
use countersign_knowledge::{
    Discovery, DiscoveryId, DiscoveryStatus, DiscoveryType, EntityId, EntityType, Namespace,
};
use countersign_monitor::{MAX_BYTES, MAX_ITEMS, MAX_SEEN, MarkKind, Position};
use countersign_registry::action::{ActionError, ActionFuture, Asking, Call, RunInfo};
use countersign_run::Ancestry;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::{
    Detect, FolderChanges, Look, Namespaces, NewEntities, NewFiles, Origins, Seen, handlers,
};

/// A folder as the bucket lists it.
struct Folder(Vec<FileEntry>);

impl Files for Folder {
    fn list<'a>(&'a self, prefix: &'a str, most: usize) -> SourceFuture<'a, Listing> {
        let found = self.0.iter().filter(|file| file.key.starts_with(prefix)).cloned();
        let files: Vec<FileEntry> = found.take(most).collect();
        let truncated = self.0.len() > most;
        Box::pin(async move { Ok(Listing { files, truncated }) })
    }

    fn open<'a>(&'a self, _: &'a str) -> SourceFuture<'a, Box<dyn FileBody>> {
        unreachable!("a look reads no file")
    }
}

pub(crate) fn owner() -> UserId {
    UserId::from_bytes([1; 16])
}

pub(crate) fn now() -> Timestamp {
    "2026-11-20T08:00:00Z".parse().unwrap()
}

fn file(digit: char, name: &str, etag: &str, minutes_ago: i64) -> FileEntry {
    let id = format!("file_{}", digit.to_string().repeat(32));
    FileEntry {
        key: format!("uploads/{}/folders/filings/{id}/{name}", owner()),
        bytes: 10,
        modified_at: Some(now() - SignedDuration::from_mins(minutes_ago)),
        etag: Some(etag.to_owned()),
    }
}

pub(crate) fn call(action: &str, inputs: &Value, params: &Value) -> Call {
    let object = |value: &Value| value.as_object().cloned().unwrap();
    Call {
        run: "run".to_owned(),
        step: "look".to_owned(),
        owner: owner(),
        action: action.to_owned(),
        inputs: object(inputs),
        params: object(params),
        idempotency_key: "k".to_owned(),
        now: now(),
        remaining: Duration::from_secs(60),
        info: RunInfo {
            profile_id: String::new(),
            profile_name: String::new(),
            playbook_id: None,
            query: String::new(),
            run_context: "monitor".to_owned(),
            dry_run: false,
            invoked_by: owner(),
            team: None,
            started_at: now(),
            monitor: None,
            warnings: Vec::new(),
        },
        output_schema: None,
        model: None,
        asking: Asking::default(),
        is_for_each_item: false,
        rewrite: None,
        permit: None,
    }
}

pub(crate) async fn look(
    detect: &dyn Detect,
    call: &Call,
    previous: Option<&Position>,
) -> Result<Seen, ActionError> {
    detect.look(call, from(previous)).await
}

fn from(previous: Option<&Position>) -> Look<'_> {
    let late = SignedDuration::from_hours(1);
    let (most, bytes, memory) = (MAX_ITEMS, MAX_BYTES, MAX_SEEN);
    Look { previous, late, most, bytes, memory, last: None, is_kept: true, monitor: None }
}

#[tokio::test]
async fn f_058_new_files_of_a_type_are_found_once() {
    let before = Folder(vec![file('1', "a.xml", "1", 90)]);
    let call =
        call("detect_new_files", &json!({"folder_id": "filings"}), &json!({"file_types": ["XML"]}));
    let first = look(&NewFiles { files: Arc::new(before) }, &call, None).await.unwrap();
    assert_eq!(first.output["count"], 0, "F-219");
    let after = Folder(vec![
        file('1', "a.xml", "1", 90),
        file('2', "b.xml", "1", 5),
        file('3', "c.pdf", "1", 4),
    ]);
    let files = NewFiles { files: Arc::new(after) };
    let second = look(&files, &call, first.position.as_ref()).await.unwrap();
    let found = &second.output["files"][0];
    assert_eq!((&second.output["count"], &found["filename"]), (&json!(1), &json!("b.xml")));
    assert_eq!(found["source"], format!("folders/filings/file_{}", "2".repeat(32)));
    assert_eq!(second.output["previous_watermark"], "2026-11-20T06:30:00Z");
    assert_eq!(second.output["watermark"], "2026-11-20T07:55:00Z");
    let third = look(&files, &call, second.position.as_ref()).await.unwrap();
    assert_eq!(third.output["count"], 0);
}

#[tokio::test]
async fn f_059_changes_are_counted_by_their_kind() {
    let inputs = json!({"folder_id": "filings"});
    let call =
        call("detect_folder_changes", &inputs, &json!({"change_types": ["modified", "deleted"]}));
    let before = Folder(vec![file('1', "a.xml", "1", 9), file('2', "b.xml", "1", 9)]);
    let first = look(&FolderChanges { files: Arc::new(before) }, &call, None).await.unwrap();
    let after = Folder(vec![file('1', "a.xml", "2", 1), file('3', "c.xml", "1", 1)]);
    let changes = FolderChanges { files: Arc::new(after) };
    let second = look(&changes, &call, first.position.as_ref()).await.unwrap();
    let counts = ["added_count", "modified_count", "deleted_count", "count"];
    let counts = counts.map(|name| second.output[name].as_u64().unwrap());
    assert_eq!(counts, [0, 1, 1, 2], "only what is asked for: {:#}", second.output);
    assert_eq!(second.output["changes"][1]["filename"], "b.xml");
    let third = look(&changes, &call, second.position.as_ref()).await.unwrap();
    assert_eq!(third.output["count"], 0, "what was not asked for is known too");
}

#[tokio::test]
async fn a_folder_that_is_no_name_or_too_large_is_refused() {
    let files = Arc::new(Folder((0..600).map(|_| file('1', "a.xml", "1", 9)).collect()));
    let changes = FolderChanges { files };
    for (folder, code) in [("../x", "DETECT_ARGUMENT"), ("filings", "FOLDER_TOO_LARGE")] {
        let call = call("detect_folder_changes", &json!({"folder_id": folder}), &json!({}));
        assert_eq!(look(&changes, &call, None).await.unwrap_err().code, code);
    }
}

#[tokio::test]
async fn outside_a_monitor_everything_that_is_there_is_new() {
    let files: Arc<dyn Detect> =
        Arc::new(NewFiles { files: Arc::new(Folder(vec![file('1', "a.xml", "1", 90_000)])) });
    let call = call("detect_new_files", &json!({"folder_id": "filings"}), &json!({}));
    let handler = handlers(vec![files]).remove(0);
    let output = handler.run(&call).await.unwrap();
    assert_eq!((&output["count"], &output["previous_watermark"]), (&json!(1), &Value::Null));
}

/// What runs have found.
struct Graph(Vec<Discovery>);

impl Discovered for Graph {
    fn since<'a>(
        &'a self,
        _: &'a Scope,
        since: Option<Timestamp>,
        after: Option<&'a str>,
    ) -> GraphFuture<'a, (Vec<Discovery>, Option<String>)> {
        let is_late = |found: &&Discovery| since.is_none_or(|at| found.discovered_at >= at);
        let mut found: Vec<Discovery> = self.0.iter().filter(is_late).cloned().collect();
        found.sort_by_key(|found| found.discovered_at);
        let begin: usize = after.map_or(0, |after| after.parse().unwrap());
        let end = found.len().min(begin + 200);
        let next = (end < found.len()).then(|| end.to_string());
        let page = found[begin..end].to_vec();
        Box::pin(async move { Ok((page, next)) })
    }
}

impl Namespaces for Graph {
    fn first<'a>(&'a self, _: &'a Call) -> ActionFuture<'a, Namespace> {
        Box::pin(async { Ok(Namespace::default()) })
    }
}

fn discovery(digit: u8, kind: &str, confidence: f64, minutes_ago: i64) -> Discovery {
    Discovery {
        id: DiscoveryId::from_bytes([digit; 16]),
        execution_id: "run_1".to_owned(),
        user_id: owner(),
        namespace: Namespace::default(),
        status: DiscoveryStatus::Stored,
        discovery_type: DiscoveryType::NewEntity,
        entity_name: format!("E{digit}"),
        entity_type: EntityType::from(kind),
        entity_id: EntityId::from_bytes([digit; 16]),
        relationship_type: None,
        related_entity_name: None,
        source_connector: Some("notices".to_owned()),
        source_endpoint: None,
        confidence,
        details: serde_json::Map::new(),
        discovered_at: now() - SignedDuration::from_mins(minutes_ago),
    }
}

#[tokio::test]
async fn f_062_new_entities_of_a_kind_are_found_once() {
    let inputs = json!({"entity_types": ["org"]});
    let call = call("detect_new_entities", &inputs, &json!({"source_filter": "notices"}));
    let entities = |found: Vec<Discovery>| {
        let graph = Arc::new(Graph(found));
        NewEntities { discovered: graph.clone(), namespaces: graph, origins: None }
    };
    let old = discovery(1, "ORG", 0.9, 90);
    let first = look(&entities(vec![old.clone()]), &call, None).await.unwrap();
    assert_eq!(first.output["count"], 0, "F-219");
    let there = vec![
        discovery(2, "ORG", 0.9, 5),
        discovery(3, "PERSON", 0.9, 4),
        discovery(4, "ORG", 0.4, 3),
        Discovery { source_connector: None, ..discovery(5, "ORG", 0.9, 2) },
        old,
    ];
    let second = look(&entities(there), &call, first.position.as_ref()).await.unwrap();
    let names: Vec<&Value> =
        second.output["entities"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["E2"], "{:#}", second.output);
}

/// What led to runs, by their ids.
struct LedBy;

impl Origins for LedBy {
    fn led_to<'a>(&'a self, _: &'a Call, run: &'a str) -> ActionFuture<'a, Ancestry> {
        let chain =
            run.strip_prefix("run_of_").map(|all| all.split('+').map(str::to_owned).collect());
        let chain = chain.unwrap_or_default();
        Box::pin(async move { Ok(Ancestry { chain, others: Vec::new() }) })
    }
}

#[tokio::test]
async fn issue_14_what_a_monitor_has_led_to_itself_is_not_new_to_it() {
    let call = call("detect_new_entities", &json!({"entity_types": ["org"]}), &json!({}));
    let found = |digit, minutes, run: &str| Discovery {
        execution_id: run.to_owned(),
        ..discovery(digit, "ORG", 0.9, minutes)
    };
    let graph = Arc::new(Graph(vec![
        found(2, 9, "run_of_mon_1"),
        found(3, 8, "run_of_mon_2"),
        found(4, 7, "run_of_mon_1+trg_1"),
        found(5, 6, "run_by_ana"),
    ]));
    let origins: Option<Arc<dyn Origins>> = Some(Arc::new(LedBy));
    let entities = NewEntities { discovered: graph.clone(), namespaces: graph, origins };
    let start = Position::start(MarkKind::Timestamp);
    let of = |monitor| Look { most: 1, monitor, ..from(Some(&start)) };
    let seen = entities.look(&call, of(Some("mon_1"))).await.unwrap();
    let names = |seen: &Seen| seen.output["entities"][0]["name"].clone();
    assert_eq!((names(&seen), seen.keys.len()), (json!("E3"), 1), "{:#}", seen.output);
    assert_eq!((&seen.led_by.chain, &seen.led_by.others), (&vec!["mon_2".to_owned()], &Vec::new()));
    assert_eq!((seen.advances, &seen.metadata["own_left_out"]), (true, &json!(1)));
    let position = seen.position.unwrap();
    let next = Look { previous: Some(&position), ..of(Some("mon_1")) };
    assert_eq!(names(&entities.look(&call, next).await.unwrap()), "E5");
    assert_eq!(names(&entities.look(&call, of(Some("mon_3"))).await.unwrap()), "E2");
    assert_eq!(names(&entities.look(&call, of(None)).await.unwrap()), "E2", "a step of a run");
}

#[tokio::test]
async fn f_062_however_much_was_found_the_looks_go_through_it() {
    let call = call("detect_new_entities", &json!({"entity_types": ["org"]}), &json!({}));
    // Every tenth is of the kind that is looked for; a minute has 100.
    let discovered = |n: i64| {
        let kind = if n % 10 == 0 { "ORG" } else { "PERSON" };
        let mut one = discovery(1, kind, 0.9, 600 - n / 100);
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&n.to_be_bytes());
        one.entity_id = EntityId::from_bytes(bytes);
        one
    };
    let graph = Arc::new(Graph((0..25_000).map(discovered).collect()));
    let entities = NewEntities { discovered: graph.clone(), namespaces: graph, origins: None };
    let mut position = Position::start(MarkKind::Cursor);
    let mut keys = Vec::new();
    for _ in 0..10 {
        let seen = look(&entities, &call, Some(&position)).await.unwrap();
        keys.extend(seen.keys);
        position = seen.position.unwrap();
    }
    assert_eq!(keys.len(), 2_500, "each once, none left out");
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), 2_500);
}

#[tokio::test]
async fn f_062_more_within_the_overlap_than_a_look_reads_is_said() {
    let call = call("detect_new_entities", &json!({"entity_types": ["org"]}), &json!({}));
    let graph = Arc::new(Graph((0..10_100).map(|_| discovery(1, "PERSON", 0.9, 5)).collect()));
    let entities = NewEntities { discovered: graph.clone(), namespaces: graph, origins: None };
    let failed = look(&entities, &call, None).await.unwrap_err();
    assert_eq!(failed.code, "TOO_MANY_DISCOVERIES");
}
