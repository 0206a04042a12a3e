//! Connectors called by runs. What a provider documents (`fixtures/` of the action's tests) is served from this machine, and
//! every request is compared with it. The people and organisations are invented.

mod auto_entities;
mod beside;
mod database;
mod failing;
mod filled_in;
mod limits;
mod logs;
mod rules;
mod shapes;
mod shipped;
mod web;

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use countersign_connector::{ConnectorDefinition, Endpoint, PROVENANCE_FIELDS, parse_template};
use serde_json::{Map, Value, json};
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

use crate::case::{FACTORY, Person, admin};
use crate::provider::{self, Case, Cases, KEY, Provider};
use crate::provider_server;
use crate::world::world;

/// A shipped connector, and what its provider documents.
pub(super) struct Template {
    definition: ConnectorDefinition,
    yaml: String,
    cases: Cases,
}

impl Template {
    pub(super) fn read(id: &str) -> Self {
        let project = &world().project;
        let read = |path: String| std::fs::read_to_string(project.join(path)).unwrap();
        let yaml = read(format!("library/connectors/{id}.yaml"));
        let cases = read(format!("shared/actions/actions-connect/tests/fixtures/{id}/cases.json"));
        let definition = parse_template(&yaml).definition.unwrap();
        Self { definition, yaml, cases: serde_json::from_str(&cases).unwrap() }
    }

    pub(super) fn id(&self) -> &str {
        self.definition.id.as_str()
    }

    fn endpoint(&self, name: &str) -> (&Endpoint, &Case) {
        (&self.definition.endpoints[name], &self.cases.endpoints[name])
    }

    /// The documented answer of an endpoint.
    pub(super) fn answer(&self, endpoint: &str) -> String {
        let folder =
            world().project.join("shared/actions/actions-connect/tests/fixtures").join(self.id());
        let files = ["json", "xml", "html"].map(|kind| folder.join(format!("{endpoint}.{kind}")));
        let file = files.iter().find(|file| file.exists()).unwrap();
        std::fs::read_to_string(file).unwrap()
    }

    /// The name of the step that calls an endpoint.
    fn step(&self, endpoint: &str) -> String {
        format!("{}_{endpoint}", self.id().replace('-', "_"))
    }

    /// The provider, with every endpoint at one address.
    pub(super) async fn served(&self) -> Served {
        let calls = self.cases.endpoints.iter().map(|(name, case)| {
            let pages = provider::pages(&self.definition.endpoints[name], &self.answer(name));
            Provider::new(&self.definition, &self.cases.auth, case, &pages)
        });
        let source =
            Source(Arc::new(Mutex::new(Heard { calls: calls.collect(), unexpected: Vec::new() })));
        let server = provider_server::start().await;
        Mock::given(any()).respond_with(source.clone()).mount(&server).await;
        Served { server, source }
    }
}

/// A provider that answers.
pub(super) struct Served {
    pub(super) server: MockServer,
    source: Source,
}

impl Served {
    /// What was asked and is in no documentation.
    pub(super) fn unexpected(&self) -> Vec<String> {
        self.source.0.lock().unwrap().unexpected.clone()
    }
}

#[derive(Clone)]
struct Source(Arc<Mutex<Heard>>);

struct Heard {
    calls: Vec<Provider>,
    unexpected: Vec<String>,
}

impl Respond for Source {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let mut heard = self.0.lock().unwrap();
        let beside = ["/robots.txt", "/v3/token"].contains(&request.url.path());
        let asked = heard.calls.iter().find(|call| beside || call.expects(request)).cloned();
        asked.map_or_else(
            || {
                heard.unexpected.push(format!("{} {}", request.method, request.url));
                ResponseTemplate::new(418)
            },
            |call| call.respond(request),
        )
    }
}

/// Binds a shipped connector to an agent, with a credential, at this address.
pub(super) async fn bind(ana: &Person, agent: &str, template: &Template, address: &str) {
    let overrides = provider::overrides(&template.definition, &template.cases.auth, address);
    bind_with(ana, agent, template, &json!(overrides)).await;
}

/// Binds a connector with a template's id to an agent, with a credential and these values of the binding's own.
async fn bind_with(ana: &Person, agent: &str, template: &Template, overrides: &Value) {
    let parts = template.definition.credential_fields();
    let credentials: Map<String, Value> =
        parts.iter().map(|part| ((*part).to_owned(), KEY.into())).collect();
    let mut body = json!({ "connector_id": template.id(), "config_overrides": overrides });
    if !credentials.is_empty() {
        body["credentials"] = credentials.into();
    }
    ana.post(&format!("/profiles/{agent}/data-sources"), &body).await;
}

/// Makes somebody's copy of a template what this text says.
pub(super) async fn copy(ana: &Person, template: &Template, yaml: &str) {
    let id = template.id();
    ana.post(&format!("/connectors/from-template/{id}"), &json!({})).await;
    let path = format!("{FACTORY}/connectors/{id}");
    ana.door.put(&path, &json!({ "yaml": yaml })).await.unwrap();
}

/// Lets an administrator accept what somebody's connector says to only read.
pub(super) async fn accept(ana: &Person, id: &str) {
    let list = format!("/api/admin/connectors/{}/{id}/safe-endpoints", ana.username);
    let door = admin(world());
    let seen = door.get(&list).await.unwrap();
    for endpoint in seen["endpoints"].as_array().unwrap() {
        let path = format!("{list}/{}", endpoint["endpoint"].as_str().unwrap());
        door.put(&path, &json!({ "definition": seen["definition"] })).await.unwrap();
    }
}

/// A playbook that calls every endpoint of these connectors with the documented arguments.
pub(super) fn calling(id: &str, templates: &[&Template]) -> String {
    let connectors: Vec<&str> = templates.iter().map(|template| template.id()).collect();
    let mut yaml = format!(
        "id: {id}\nname: Calls\ndescription: Calls every endpoint.\nversion: 1.0.0\nexecution_mode: deterministic\nrequired_connectors: [{}]\nsteps:\n",
        connectors.join(", ")
    );
    for template in templates {
        for (endpoint, case) in &template.cases.endpoints {
            let (step, inputs) = (template.step(endpoint), json!(escaped(&case.arguments)));
            writeln!(
                yaml,
                "  - {{name: {step}, step_type: tool, action: call_connector, connector: {}, endpoint: {endpoint}, inputs: {inputs}}}",
                template.id()
            )
            .unwrap();
        }
    }
    yaml
}

/// Arguments as a playbook writes them: a brace in a text is doubled.
fn escaped(arguments: &Map<String, Value>) -> Map<String, Value> {
    let value = |value: &Value| match value {
        Value::String(text) => text.replace('{', "{{").replace('}', "}}").into(),
        other => other.clone(),
    };
    arguments.iter().map(|(name, given)| (name.clone(), value(given))).collect()
}

/// What a step of a run found.
pub(super) async fn output(ana: &Person, run: &str, step: &str) -> Value {
    ana.get(&format!("/executions/{run}/outputs/{step}")).await["output"].clone()
}

/// What each endpoint of a connector gave a run, without where its records are from, which is checked; of several pages the
/// records of the last.
pub(super) async fn found(ana: &Person, run: &str, template: &Template) -> Value {
    let mut all = Map::new();
    for endpoint in template.definition.endpoints.keys() {
        let mut found = output(ana, run, &template.step(endpoint)).await;
        let (rules, case) = template.endpoint(endpoint);
        let pages = provider::pages(rules, &template.answer(endpoint));
        let records =
            found["results"].as_array().unwrap_or_else(|| panic!("{endpoint}: {found:#}"));
        assert_eq!(records.len(), pages.records(case.records), "{} {endpoint}", template.id());
        let last = records.iter().rev().take(case.records).rev();
        found["results"] = last.map(|record| own(template.id(), endpoint, record)).collect();
        all.insert(endpoint.clone(), found);
    }
    all.into()
}

/// A record's own fields.
pub(super) fn own(connector: &str, endpoint: &str, record: &Value) -> Value {
    let mut fields = record.as_object().unwrap().clone();
    assert_eq!((&fields["_source"], &fields["_endpoint"]), (&json!(connector), &json!(endpoint)));
    for (name, _) in PROVENANCE_FIELDS {
        fields.remove(name);
    }
    fields.remove("_entity_rules");
    fields.into()
}
