//! The shipped library holds together: profile, playbook and connector compile with each other, and the playbook's
//! report says what stands in the shipped filings.

#![expect(clippy::unwrap_used, reason = "a test that cannot read its own library shall say where")]

use std::path::PathBuf;

use countersign_connector::{ConnectorDefinition, Operation, xml};
use countersign_document::broken_rules;
use countersign_identity::UserId;
use countersign_knowledge::cross::{Doubtful, Match, MatchStrategy, Question, Side, cross};
use countersign_knowledge::extract::{Request, extract};
use countersign_knowledge::{EntityType, Namespace, Settings, change};
use countersign_playbook::{
    Bindings, CompileContext, EndpointContract, PlaybookSource, StepKind, ValidPlaybook, compile,
    render,
};
use countersign_profile::{SkillType, Template};
use countersign_registry::{Reach, Registry};
use countersign_report::{Destination, DestinationConfig, Format, Provenance, WrittenDestination};
use countersign_wiring::{Runtime, Scope, resolve};
use serde_json::{Value, json};

fn library(path: &str) -> String {
    let place = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../library")).join(path);
    std::fs::read_to_string(&place).unwrap_or_else(|error| panic!("{}: {error}", place.display()))
}

fn connector() -> ConnectorDefinition {
    let parsed = countersign_connector::parse(&library("connectors/irs-990-xml.yaml"));
    parsed.definition.unwrap_or_else(|| panic!("{:?}", parsed.diagnostics))
}

fn playbook() -> ValidPlaybook {
    let connector = connector();
    let endpoints = connector.endpoints.keys().map(|name| {
        let contract = countersign_connector::endpoint_contract(&connector, name).unwrap();
        let endpoint = EndpointContract {
            description: String::new(),
            reach: Reach::Source,
            inputs: contract.inputs,
            outputs: contract.outputs,
            irreversible: contract.irreversible,
        };
        (name.clone(), endpoint)
    });
    let mut bindings = Bindings::none();
    bindings.bind("irs-990-xml", endpoints);
    let registry = Registry::builtin();
    let source = PlaybookSource::new(
        "officer-cross-reference.yaml",
        library("playbooks/officer-cross-reference.yaml"),
    );
    let compiled = compile(&source, &CompileContext::of(&registry).with(&bindings));
    let told = render::text(&source, &compiled.diagnostics, false);
    assert!(compiled.diagnostics.is_empty(), "{told}");
    compiled.playbook.unwrap()
}

fn actions(playbook: &ValidPlaybook) -> Vec<String> {
    let name = |kind: &StepKind| match kind {
        StepKind::Action { action, .. } => action.clone(),
        StepKind::Parallel { .. } => "parallel".to_owned(),
        StepKind::Approval { .. } => "approval".to_owned(),
    };
    playbook.steps.iter().map(|step| name(&step.kind)).collect()
}

#[test]
fn f_182_the_playbook_compiles_without_a_remark_and_writes_nothing_before_its_gate() {
    let actions = actions(&playbook());
    let gate = actions.iter().position(|action| action == "approval").unwrap();
    let registry = Registry::builtin();
    let writes = |action: &String| registry.get(action).is_some_and(|contract| contract.writes);
    assert!(!actions[..gate].iter().any(writes), "{actions:?}");
    let after = [
        "resolve_entities",
        "transform_data",
        "route_output",
        "write_journal_entry",
        "send_notification",
    ];
    assert_eq!(actions[gate + 1..], after);
}

#[test]
fn f_179_the_profile_is_valid_and_names_what_is_shipped() {
    let template = Template::from_yaml(&library("profiles/nonprofit-investigator.yaml")).unwrap();
    assert_eq!(
        (template.spec.name.as_str(), template.spec.icon.as_deref()),
        ("Nonprofit Investigator", Some("🔍"))
    );
    for source in &template.data_sources {
        library(&format!("connectors/{source}.yaml"));
    }
    let skills = template.spec.skills.iter();
    for skill in skills.filter(|skill| skill.skill_type == SkillType::Playbook) {
        library(&format!("playbooks/{}.yaml", skill.reference));
    }
    let namespaces = template.spec.knowledge_config.namespaces();
    assert!(namespaces.iter().map(Namespace::as_str).eq(["nonprofit_research"]));
}

/// What an endpoint finds in all shipped filings, with the fields a call adds.
fn read(endpoint: &str) -> Vec<Value> {
    let connector = connector();
    let Operation::ParseXml(rules) = &connector.endpoints[endpoint].operation else {
        panic!("not a parser")
    };
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../library/filings");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    let mut records = Vec::new();
    for file in files.iter().filter(|file| file.extension().is_some_and(|kind| kind == "xml")) {
        let bytes = std::fs::read(file).unwrap();
        let found = xml::extract(rules, bytes.as_slice(), &xml::Limits::for_megabytes(50)).unwrap();
        for mut record in found.records {
            record.insert(
                "_source_name".to_owned(),
                json!(file.file_name().unwrap().to_string_lossy()),
            );
            record.insert("_retrieved_at".to_owned(), json!("2026-11-21T10:00:00Z"));
            records.push(Value::Object(record));
        }
    }
    records
}

/// What the steps `entities` to `compared` make of the officers.
struct Compared {
    matches: Vec<Value>,
    doubtful: Vec<Value>,
    ambiguous: Value,
}

fn compared(officers: &[Value]) -> Compared {
    let rules =
        serde_json::to_value(&connector().endpoints["parse_990_officers"].entities.extraction);
    let request = Request {
        types: Some([EntityType::Person, EntityType::Org].into()),
        rules: serde_json::from_value(rules.unwrap()).unwrap(),
        ..Request::default()
    };
    let entities = extract(officers, &request).unwrap().entities;
    let resolution = countersign_knowledge::resolve(
        &change::mentions(&entities),
        &[],
        &Settings::new("fuzzy", 0.85).unwrap(),
    )
    .unwrap();
    let origin = change::Origin {
        owner: UserId::from_bytes([1; 16]),
        namespace: Namespace::default(),
        run: "run_1".into(),
        idempotency_key: "k".into(),
        now: "2026-11-21T10:00:00Z".parse().unwrap(),
    };
    let ambiguous = change::answer(&origin, entities.len(), &resolution)["ambiguous"].clone();
    let found = change::entities_of(&origin, &resolution);
    let mut people = officers.to_vec();
    for (mention, entity) in entities.iter().enumerate() {
        if entity.source_field == "name" {
            let (id, name) = &found[&mention];
            people[entity.source_record_index]["_entity_id"] = json!(id);
            people[entity.source_record_index]["_entity_name"] = json!(name);
        }
    }
    people.sort_by_key(|person| std::cmp::Reverse(person["tax_year"].as_i64()));
    let mut seen = std::collections::BTreeSet::new();
    people.retain(|person| {
        seen.insert(["_entity_id", "name", "ein"].map(|field| person[field].to_string()))
    });
    let question = Question {
        strategy: MatchStrategy::FuzzyName,
        threshold: 0.8,
        a: Side::default(),
        b: Side::default(),
        entity_type: None,
        distinct_field: Some("ein".to_owned()),
        entity_field: Some("_entity_id".to_owned()),
        doubts: serde_json::from_value(ambiguous.clone()).unwrap(),
    };
    let crossing = cross(&people, &people, &question).unwrap();
    let pair = |found: &Match| json!({"entity_a": people[found.a], "entity_b": people[found.b], "match_score": found.score, "match_method": found.method});
    let doubt = |found: &Doubtful| json!({"entity_a": people[found.a], "entity_b": people[found.b], "why": found.why});
    Compared {
        matches: crossing.matches.iter().map(pair).collect(),
        doubtful: crossing.doubtful.iter().map(doubt).collect(),
        ambiguous,
    }
}

/// The destinations of the step `publish`, with the playbook's inputs filled in as at run time.
fn destinations() -> Vec<Destination> {
    let playbook = playbook();
    let publish = playbook.steps.iter().find(|step| step.name == "publish").unwrap();
    let StepKind::Action { params, .. } = &publish.kind else { panic!("not an action") };
    let now = "2026-11-21T10:00:00Z".parse().unwrap();
    let scope =
        Scope::of_run(Runtime::at(now, "run_1")).with("entity_name", json!("Lantern & friends"));
    let resolved = resolve(&params["destinations"], &scope).unwrap();
    let written: Vec<WrittenDestination> = serde_json::from_value(resolved).unwrap();
    let broken = |one: &WrittenDestination| broken_rules(one, serde_json::to_value(one).unwrap());
    assert_eq!(written.iter().flat_map(broken).collect::<Vec<_>>(), []);
    written.into_iter().map(Destination::from).collect()
}

fn provenance() -> Provenance {
    Provenance {
        run: "run_1".into(),
        profile: "Nonprofit Investigator".into(),
        playbook: Some("officer-cross-reference".into()),
        query: "who sits on two boards?".into(),
        entity_name: "Lantern & friends".into(),
        at: "2026-11-21T10:00:00Z".parse().unwrap(),
        warnings: Vec::new(),
    }
}

fn rendered(kind: &str, format: Format) -> String {
    let officers = read("parse_990_officers");
    let Compared { matches, doubtful, ambiguous } = compared(&officers);
    let data = json!({
        "entity_name": "Lantern & friends", "organisations": read("parse_990"), "grants": read("parse_990_grants"),
        "matches": matches, "officers": officers, "doubtful": doubtful, "ambiguous": ambiguous, "ambiguous_left_out": 0,
        "spellings": [], "unreadable": [{"name": "notes.xml", "code": "FILE_EMPTY", "message": "the file is empty"}],
        "without_officers": [],
    });
    let all = destinations();
    let destination = all.iter().find(|destination| destination.kind() == kind).unwrap();
    assert_eq!(destination.format, format);
    let layout = match &destination.config {
        DestinationConfig::Document(config) => &config.layout,
        DestinationConfig::Export(config) => &config.layout,
        DestinationConfig::Chat(layout) => layout,
        DestinationConfig::Folder(config) => &config.layout,
        DestinationConfig::Append(config) => &config.layout,
        DestinationConfig::Table(_)
        | DestinationConfig::Database(_)
        | DestinationConfig::Graph(_) => panic!("it has no text"),
    };
    countersign_report::render(format, layout, &data, &provenance()).unwrap().body
}

#[test]
fn f_136_the_report_names_people_organisations_amounts_and_sources() {
    let report = rendered("document", Format::Markdown);
    for heading in [
        "# Officers in more than one organisation: Lantern \\& friends",
        "## Scope",
        "## Sources",
        "## Grants",
    ] {
        assert!(report.contains(heading), "{heading} is missing in\n{report}");
    }
    let people = report
        .split("## People in more than one organisation")
        .nth(1)
        .unwrap()
        .split("\n## ")
        .next()
        .unwrap();
    assert!(people.matches("\n### ").count() >= 2, "{people}");
    assert!(people.contains("· written ") && people.contains(" organisations"), "{people}");
    assert!(report.contains("\\$") && report.contains("- Run: `run_1`"), "{report}");
    if let Ok(place) = std::env::var("REPORT_TO") {
        std::fs::write(place, &report).unwrap();
    }
}

/// The part of a report under a heading.
fn part<'r>(report: &'r str, heading: &str) -> &'r str {
    let after = report.split(&format!("\n{heading}\n")).nth(1);
    let after = after.unwrap_or_else(|| panic!("no `{heading}` in\n{report}"));
    let level = heading.split(' ').next().unwrap_or_default();
    after.split(&format!("\n{level} ")).next().unwrap().split("\n## ").next().unwrap()
}

#[test]
fn f_179_the_report_keeps_apart_whom_the_resolver_keeps_apart() {
    let report = rendered("document", Format::Markdown);
    let people = part(&report, "## People in more than one organisation");
    // Two people of one name, in two towns, in two filings: neither is in more than one organisation.
    assert!(!people.contains("HALLOWELL"), "{people}");
    // Another namesake apart, who a third spelling would join by its likeness to both.
    let ours = part(people, "### Samuel T. Whitlock");
    assert!(!ours.contains("SAMUEL O") && !ours.contains("| SAM "), "{ours}");
    assert!(part(people, "### Cecily Ardwright").contains("In 2 organisations"), "{people}");
    let doubtful = part(&report, "## To be checked by a person");
    let why = "Same name, but different towns (Quay Harbor, NH and Sedgewick, OR); nobody has decided yet";
    let row = doubtful.lines().find(|line| line.contains(why));
    let row = row.unwrap_or_else(|| panic!("{doubtful}"));
    assert!(row.contains("MARROWBY FAMILY FOUNDATION") && row.contains("PELLWORTH"), "{row}");
}

#[test]
fn f_136_the_report_uses_words_people_use() {
    let report = rendered("document", Format::Markdown).replace('\\', "");
    for word in ["fuzzy", "review_band", "entity_", "match_", "PERSON", "FILE_EMPTY", "10:00:00"] {
        assert!(!report.contains(word), "`{word}` is in\n{report}");
    }
    let headings = report.lines().filter(|line| line.starts_with('|') || line.starts_with('#'));
    let titles =
        headings.clone().zip(headings.skip(1)).filter(|(_, rule)| rule.starts_with("| ---"));
    assert!(titles.count() >= 8, "{report}");
    assert!(report.contains("| 2026-11-21 10:00 UTC |"), "{report}");
    assert!(report.contains("| `notes.xml` | the file is empty |"), "{report}");
}

#[test]
fn f_285_the_export_has_a_row_per_appearance() {
    let csv = rendered("file_export", Format::Csv);
    let mut lines = csv.lines();
    assert!(
        lines.next().unwrap().starts_with("Resolved name,All spellings,Organisation,EIN,Tax year"),
        "{csv}"
    );
    assert!(lines.count() >= 4, "{csv}");
}

#[test]
fn f_289_every_shipped_filing_fits_the_table() {
    let all = destinations();
    let config = all.iter().find_map(|destination| match &destination.config {
        DestinationConfig::Table(config) => Some(config),
        _ => None,
    });
    let config = config.unwrap();
    let records = read("parse_990");
    let records: Vec<&Value> = records.iter().collect();
    let origin = countersign_report::table::RowOrigin {
        source: "run_1/publish".into(),
        query: "q".into(),
        at: "2026-11-21T10:00:00Z".parse().unwrap(),
    };
    let key = &config.deduplication_key;
    let rows = countersign_report::table::rows(
        &records,
        config.mapping.as_ref().unwrap(),
        key,
        &origin,
        "k",
    )
    .unwrap();
    assert_eq!(rows.len(), records.len());
    let ids: std::collections::BTreeSet<&String> = rows.iter().map(|row| &row.id).collect();
    assert_eq!(ids.len(), rows.len(), "two filings share ein, tax year and form");
}
