//! Every template of the library, called through the real action against a server that answers as its provider
//! documents: `fixtures/{template}/{endpoint}.*` are the answers, `cases.json` says what must be asked and what refusals
//! look like. A template or an endpoint without a fixture fails here.

#![expect(clippy::unwrap_used, reason = "a test that cannot read its own library shall say where")]

#[expect(dead_code, reason = "what only the tests through the API ask of a provider")]
mod provider;
mod support;

use std::collections::BTreeSet;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::Arc;

use countersign_connector::{
    Connection, ConnectorDefinition, Endpoint, Operation, OutputSchema, OutputShape,
    PROVENANCE_FIELDS, is_irreversible, parse_template,
};
use countersign_registry::DataType;
use countersign_registry::action::Handler;
use futures::{FutureExt as _, StreamExt as _};
use provider::{Case, Cases, KEY, Provider, Refusal, pages};
use serde_json::{Map, Value};
use support::{Answering, World};
use wiremock::matchers::{any, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

const HERE: &str = env!("CARGO_MANIFEST_DIR");

/// A template with its fixtures.
struct Template {
    definition: ConnectorDefinition,
    cases: Cases,
}

impl Template {
    fn id(&self) -> &str {
        self.definition.id.as_str()
    }

    /// A database is not a server that could be served here; `postgres-out` asks a real one.
    fn is_database(&self) -> bool {
        matches!(self.definition.connection, Connection::Database(_))
    }

    fn fixture(&self, endpoint: &str) -> String {
        let folder = PathBuf::from(HERE).join("tests/fixtures").join(self.id());
        let found = ["json", "xml", "html"].map(|kind| folder.join(format!("{endpoint}.{kind}")));
        let file = found.iter().find(|file| file.exists());
        let file = file.unwrap_or_else(|| panic!("{}: `{endpoint}` has no fixture", self.id()));
        std::fs::read_to_string(file).unwrap()
    }

    /// What the address of one record answers, where the endpoint's answer only lists them.
    fn detail(&self, endpoint: &str) -> Option<String> {
        let folder = PathBuf::from(HERE).join("tests/fixtures").join(self.id());
        std::fs::read_to_string(folder.join(format!("{endpoint}.detail.json"))).ok()
    }

    fn world(&self, server: &MockServer) -> World {
        let mut definition = self.definition.clone();
        provider::bring_home(&mut definition, &server.uri());
        let mut overrides = provider::overrides(&definition, &self.cases.auth, &server.uri());
        // An address of the binding's own would void what the template calls safe, and what it queries.
        let address = match &mut definition.connection {
            Connection::RestApi(rest) => Some(&mut rest.base_url),
            Connection::Graphql(graphql) => Some(&mut graphql.endpoint),
            _ => None,
        };
        if let Some(address) = address
            && let Some(home) = overrides.base_url.take()
        {
            *address = home;
        }
        World { definition, overrides, file: Vec::new(), tools: Vec::new() }
    }
}

/// Those that only send, which nothing here may do without a signature: `tests/e2e/channels.rs` signs and sends.
const SENDING: [&str; 3] = ["discord", "slack", "telegram"];

fn ids() -> BTreeSet<String> {
    let folder = std::fs::read_dir(format!("{HERE}/../../../library/connectors")).unwrap();
    let files = folder.map(|entry| entry.unwrap().path());
    let ids = files.map(|file| file.file_stem().unwrap().to_string_lossy().into_owned());
    ids.filter(|id| !SENDING.contains(&id.as_str())).collect()
}

fn templates() -> Vec<Template> {
    let read = |id: String| {
        let text = std::fs::read_to_string(format!("{HERE}/../../../library/connectors/{id}.yaml"))
            .unwrap();
        let parsed = parse_template(&text);
        assert!(parsed.diagnostics.is_empty(), "{id}: {:#?}", parsed.diagnostics);
        let mut definition = parsed.definition.unwrap();
        // What has an effect is signed and sent by end-to-end tests.
        definition.endpoints.retain(|_, endpoint| !is_irreversible(endpoint));
        let cases = std::fs::read_to_string(format!("{HERE}/tests/fixtures/{id}/cases.json"));
        let cases = cases.unwrap_or_else(|error| panic!("{id} has no fixtures: {error}"));
        let cases = serde_json::from_str(&cases).unwrap_or_else(|error| panic!("{id}: {error}"));
        Template { definition, cases }
    };
    ids().into_iter().map(read).collect()
}

#[test]
fn f_109_to_f_126_every_template_has_its_fixtures() {
    for template in templates() {
        let id = template.id();
        let endpoints: BTreeSet<&String> = template.definition.endpoints.keys().collect();
        assert_eq!(endpoints, template.cases.endpoints.keys().collect(), "{id}");
        if template.is_database() {
            continue;
        }
        endpoints
            .iter()
            .for_each(|name| assert!(!template.fixture(name).is_empty(), "{id} {name}"));
        let remote = !matches!(
            template.definition.connection,
            Connection::FileParser(_) | Connection::ExistingTool(_)
        );
        assert_eq!(remote, !template.cases.errors.is_empty(), "{id}: the provider's refusals");
    }
    let folders = std::fs::read_dir(format!("{HERE}/tests/fixtures")).unwrap();
    let folders: BTreeSet<String> =
        folders.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    assert_eq!(folders, ids(), "fixtures of a template that is not there");
}

/// The sources of each tier, the first first.
const TIERS: [&[&str]; 4] = [
    &["fec-contributions", "propublica-nonprofit", "sec-edgar", "opensecrets", "usaspending"],
    &["opencorporates", "wikidata", "dnb-direct-plus"],
    &["federal-register", "federal-register-rss", "congress-gov", "courtlistener"],
    &["state-corporate-registries", "state-campaign-finance", "state-lobbying"],
];

#[test]
fn f_130_no_tier_is_begun_before_those_above_it_are_complete() {
    let shipped = ids();
    let missing = |tier: &[&str]| tier.iter().any(|id| !shipped.contains(*id));
    let complete = TIERS.iter().take_while(|tier| !missing(tier)).count();
    let begun = TIERS.iter().rposition(|tier| tier.iter().any(|id| shipped.contains(*id)));
    assert!(begun.is_some_and(|last| last <= complete), "complete: {complete}, begun: {begun:?}");
}

#[test]
fn f_106_every_template_can_be_found_and_filled_in() {
    for template in templates() {
        let (id, definition) = (template.id(), &template.definition);
        assert!(ids().contains(id), "{id} stands in a file of another name");
        assert!(!definition.description.is_empty() && !definition.tags.is_empty(), "{id}");
        let form: Vec<&str> =
            definition.auth_fields.iter().map(|field| field.name.as_str()).collect();
        assert_eq!(form, definition.credential_fields(), "{id}: the credentials form");
        for (name, endpoint) in &definition.endpoints {
            assert!(!endpoint.description.is_empty(), "{id} {name}");
            let typed = !endpoint.entities.entity_type.is_empty();
            assert!(typed || passes_through(endpoint), "{id} {name}: what a record is");
            let untyped = endpoint.output.fields.iter().find(|f| f.data_type == DataType::Any);
            assert!(untyped.is_none(), "{id} {name}: {untyped:?} has no type");
        }
    }
}

/// Whether the output of an action of this system comes back as it is: what a record is, the action says.
fn passes_through(endpoint: &Endpoint) -> bool {
    matches!(&endpoint.operation, Operation::Tool(rules) if rules.passthrough)
}

#[tokio::test]
async fn f_109_to_f_126_every_endpoint_asks_and_reads_as_its_provider_documents() {
    let templates = templates();
    let served = templates.iter().filter(|template| !template.is_database());
    let calls = served.flat_map(|template| {
        template.definition.endpoints.keys().map(move |endpoint| answered(template, endpoint))
    });
    all(calls).await;
}

/// Awaits them to their end, a few at a time, also when some fail: each says why for itself.
async fn all(checks: impl Iterator<Item = impl Future<Output = ()>>) {
    let caught = checks.map(|check| AssertUnwindSafe(check).catch_unwind());
    let outcomes: Vec<_> = futures::stream::iter(caught).buffer_unordered(8).collect().await;
    let failed = outcomes.iter().filter(|outcome| outcome.is_err()).count();
    assert_eq!(failed, 0, "of {}", outcomes.len());
}

async fn answered(template: &Template, endpoint: &str) {
    let what = format!("{} {endpoint}", template.id());
    let case = &template.cases.endpoints[endpoint];
    let rules = &template.definition.endpoints[endpoint];
    let fixture = template.fixture(endpoint);
    let server = MockServer::builder().start().await;
    let mut world = template.world(&server);
    world.file = fixture.clone().into_bytes();
    world.tools = tool(case, &fixture).into_iter().collect();
    let pages = pages(rules, &fixture);
    assert_eq!(case.next.is_some(), pages.bodies.len() > 1, "{what}: `next` says what page 2 asks");
    let provider = Provider::new(&template.definition, &template.cases.auth, case, &pages)
        .detailed(template.detail(endpoint));
    Mock::given(any()).respond_with(provider.clone()).mount(&server).await;
    let output = support::run(world, endpoint, &case.arguments)
        .await
        .unwrap_or_else(|error| panic!("{what}: {error} {:?}", provider.complaints()));
    assert_eq!(provider.complaints(), Vec::<String>::new(), "{what}");
    let asked = if case.is_local() { 0 } else { pages.bodies.len() };
    assert_eq!(provider.answered(), asked, "{what}: {output}");
    let mut one = [output.clone()];
    for said in ["_has_more", "warnings", "warning_count"] {
        one[0].as_object_mut().unwrap().remove(said);
    }
    let records = match rules.output.shape {
        OutputShape::RecordSet => output["results"].as_array().map(Vec::as_slice),
        OutputShape::Object | OutputShape::Scalar => Some(&one[..]),
    };
    let records = records.unwrap_or_else(|| panic!("{what}: {output}"));
    assert_eq!(records.len(), pages.records(case.records), "{what}: {output}");
    // The fixture of an endpoint that reads one page names a second.
    let is_limit = |warning: &Value| warning.as_str().is_some_and(|w| w.contains("limit reached"));
    let warnings: Vec<&Value> = output["warnings"].as_array().into_iter().flatten().collect();
    assert!(warnings.iter().all(|warning| is_limit(warning)), "{what}: {warnings:?}");
    let is_cut = output["has_more"] == true && !provider::wants_the_first_only(rules);
    assert_eq!(!warnings.is_empty(), is_cut, "{what}: {warnings:?}");
    if !rules.output.fields.is_empty() {
        check_records(&what, template, rules, records);
    }
}

/// The action an `existing_tool` stands for.
fn tool(case: &Case, answer: &str) -> Option<Arc<dyn Handler>> {
    let name = case.request.strip_prefix("TOOL ")?;
    let inputs = case.arguments.clone().into_iter().collect();
    let answer = serde_json::from_str(answer).unwrap();
    Some(Arc::new(Answering { name: name.to_owned().leak(), inputs, answer }))
}

/// Fields and types are the declared ones, every field is found somewhere, and each record says where it came from.
fn check_records(what: &str, template: &Template, endpoint: &Endpoint, records: &[Value]) {
    let OutputSchema { fields, .. } = &endpoint.output;
    let declared: BTreeSet<&str> = fields.iter().map(|field| field.name.as_str()).collect();
    for record in records {
        let record = record.as_object().unwrap();
        let provenance: Vec<&str> = PROVENANCE_FIELDS.iter().map(|(name, _)| *name).collect();
        let own = record.keys().map(String::as_str);
        let own = own.filter(|name| !provenance.contains(name) && *name != "_entity_rules");
        assert_eq!(own.collect::<BTreeSet<_>>(), declared, "{what}");
        for field in fields {
            let value = &record[&field.name];
            assert!(fits(value, &field.data_type), "{what}: `{}` is {value}", field.name);
        }
        check_provenance(what, template, endpoint, record);
    }
    for field in fields {
        let found = records.iter().any(|record| !record[&field.name].is_null());
        assert!(found, "{what}: the mapping of `{}` finds nothing", field.name);
    }
    for rule in &endpoint.entities.extraction {
        assert!(declared.contains(rule.field.as_str()), "{what}: no field `{}`", rule.field);
    }
}

fn check_provenance(
    what: &str,
    template: &Template,
    endpoint: &Endpoint,
    record: &Map<String, Value>,
) {
    assert_eq!(record["_source"], template.id(), "{what}");
    assert_eq!(record["_entity_type"], endpoint.entities.entity_type, "{what}");
    assert_eq!(record["_retrieved_at"], "2026-03-04T05:06:07Z", "{what}");
    let reference = record["_source_ref"].as_str().unwrap();
    assert!(!reference.is_empty() && !reference.contains(KEY), "{what}: {reference}");
    let rules = serde_json::to_value(&endpoint.entities.extraction).unwrap();
    assert_eq!(record["_entity_rules"], rules, "{what}");
}

fn fits(value: &Value, data_type: &DataType) -> bool {
    value.is_null()
        || match data_type {
            DataType::String => value.is_string(),
            DataType::Date => value.as_str().is_some_and(|text| {
                let day = text.get(..10).and_then(|day| day.parse::<jiff::civil::Date>().ok());
                day.is_some()
            }),
            DataType::Number => value.is_number(),
            DataType::Decimal => value.is_string(),
            DataType::Integer => value.is_i64() || value.is_u64(),
            DataType::Boolean => value.is_boolean(),
            DataType::Object | DataType::Record(_) => value.is_object(),
            DataType::Array(item) => {
                value.as_array().is_some_and(|items| items.iter().all(|value| fits(value, item)))
            }
            DataType::Any => true,
        }
}

#[tokio::test]
async fn f_306_to_f_311_every_documented_refusal_has_its_code_and_a_readable_message() {
    let templates = templates();
    let calls = templates.iter().flat_map(|template| {
        template.cases.errors.iter().map(move |refusal| refused(template, refusal))
    });
    all(calls).await;
}

async fn refused(template: &Template, refusal: &Refusal) {
    let what = format!("{} {} {}", template.id(), refusal.endpoint, refusal.status);
    let server = MockServer::builder().start().await;
    let missing = ResponseTemplate::new(404);
    Mock::given(path("/robots.txt")).respond_with(missing).with_priority(1).mount(&server).await;
    for at in provider::TOKENS {
        let token = provider::token();
        Mock::given(path(at)).respond_with(token).with_priority(1).mount(&server).await;
    }
    Mock::given(any()).respond_with(refusal.answer()).mount(&server).await;
    let arguments = &template.cases.endpoints[&refusal.endpoint].arguments;
    let outcome = support::run(template.world(&server), &refusal.endpoint, arguments).await;
    let error = outcome.err().unwrap_or_else(|| panic!("{what}: an answer"));
    assert_eq!(error.code, refusal.code, "{what}: {error}");
    assert!(error.message.contains(&refusal.message), "{what}: {error}");
    assert!(!error.message.contains(KEY), "{what}: {error}");
}

/// Wikidata's queries are fixed text with places for identifiers: what could end a name or a literal is refused, and
/// nothing is sent.
#[tokio::test]
async fn f_115_no_argument_can_change_a_query() {
    let templates = templates();
    let wikidata = templates.iter().find(|template| template.id() == "wikidata").unwrap();
    for id in ["Q1 } #", "Q1>", "Q1\"", "", "Q1.", "Q1;", "Q1\u{a0}", "Q\u{ff11}", "../Q1", "{id}"]
    {
        let server = MockServer::builder().start().await;
        let arguments = [("id".to_owned(), Value::from(id))].into_iter().collect();
        let outcome = support::run(wikidata.world(&server), "relationships", &arguments).await;
        assert_eq!(outcome.unwrap_err().code, "CONNECTOR_ARGUMENT", "{id}");
        assert!(server.received_requests().await.unwrap().is_empty(), "{id}");
    }
}

#[tokio::test]
async fn f_125_a_database_is_asked_nothing_but_to_read() {
    let templates = templates();
    let database = templates.iter().find(|template| template.is_database()).unwrap();
    let server = MockServer::builder().start().await;
    for sql in ["delete from donors", "select 1; drop table donors", "select 1 for update", "begin"]
    {
        let arguments = [("sql".to_owned(), Value::from(sql))].into_iter().collect();
        let outcome = support::run(database.world(&server), "query", &arguments).await;
        assert_eq!(outcome.unwrap_err().code, "DATABASE_STATEMENT", "{sql}");
    }
}
