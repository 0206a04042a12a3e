//! Templates that a person completes: a copy with the addresses and selectors of one state, or the blocks of a contract.

use serde_json::json;
use wiremock::matchers::{path, query_param};
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::{Template, accept, calling, copy, found, output, own};
use crate::case::{Person, person, until};
use crate::provider::KEY;
use crate::provider_server;

/// Serves pages of an invented state, none of which looks as the template does.
async fn state() -> MockServer {
    let server = provider_server::start().await;
    let allowed = ResponseTemplate::new(200).set_body_string("User-agent: *\nAllow: /\n");
    Mock::given(path("/robots.txt")).respond_with(allowed).mount(&server).await;
    let page = |body: &str| {
        let page = format!("<!doctype html><title>State</title><main>{body}</main>");
        ResponseTemplate::new(200).set_body_raw(page, "text/html")
    };
    let found = "<ol id=hits><li><b>990011</b> <a href='/biz/990011'>OSTROM VANCE LLC</a> <i>Domestic LLC</i> <em>Active</em> <time>03/09/2011</time> <span>TIDEWATER REGISTRARS INC</span></ol>";
    let people = "<dl class=people><div><dt>VANCE, ELEANOR<dd class=role>Manager<dd class=at>12 Quay St, Dover<dd class=from>01/02/2012</div></dl>";
    let papers = "<ul class=papers><li data-no=AR77><b>Annual report</b> <time>04/30/2024</time> <a href='/doc/77.pdf'>PDF</a></ul>";
    let gifts = "<table id=g><tr class=g><td>THORNQUIST, M<td>$1,250.00<td>03/09/2024<td>HARBORLIGHT FOR STATE<td>MILL LTD<td>Engineer<td>Dover</table>";
    let lobby = "<table id=l><tr class=r><td>QUILLFEATHER, J<td>MILL LTD<td>QUAY PARTNERS<td><ul><li>Harbors<li>Tax</ul><td>01/15/2024<td></table>";
    let spent = "<table id=s><tr class=r><td>QUILLFEATHER, J<td>MILL LTD<td>$99.50<td>02/01/2024<td>HARBOR CLUB<td>Dinner</table>";
    for (at, with, body) in [
        ("/biz/find", ("words", "ostrom"), found),
        ("/gifts", ("who", "thornquist"), gifts),
        ("/lobby", ("who", "quillfeather"), lobby),
        ("/lobby/spent", ("who", "quillfeather"), spent),
    ] {
        let asked = Mock::given(path(at)).and(query_param(with.0, with.1));
        asked.respond_with(page(body)).mount(&server).await;
    }
    for (at, body) in [("/biz/990011/people", people), ("/biz/990011/papers", papers)] {
        Mock::given(path(at)).respond_with(page(body)).mount(&server).await;
    }
    server
}

/// What a person writes in place of the template's own addresses and selectors.
const REGISTRY: [(&str, &str); 21] = [
    ("    path: /entities\n", "    path: /biz/find\n"),
    ("      name: \"{name}\"", "      words: \"{name}\""),
    ("table.entities tbody tr", "'#hits > li'"),
    (
        "selector: td.id, type: string }\n      - { field: name",
        "selector: b, type: string }\n      - { field: name",
    ),
    ("field: name, selector: td.name a,", "field: name, selector: a,"),
    ("field: entity_type, selector: td.type", "field: entity_type, selector: i"),
    ("selector: td.status", "selector: em"),
    ("selector: td.formed", "selector: time"),
    ("selector: td.agent", "selector: span"),
    ("selector: td.name a, attr", "selector: a, attr"),
    ("/entities/{entity_id}/officers", "/biz/{entity_id}/people"),
    ("table.officers tbody tr", "dl.people > div"),
    ("field: name, selector: td.name, type", "field: name, selector: dt, type"),
    ("selector: td.title", "selector: dd.role"),
    ("selector: td.address", "selector: dd.at"),
    ("selector: td.since", "selector: dd.from"),
    ("/entities/{entity_id}/filings", "/biz/{entity_id}/papers"),
    ("table.filings tbody tr", "ul.papers > li"),
    ("field: filing_id, selector: td.id,", "field: filing_id, attr: data-no,"),
    ("field: filing_type, selector: td.type", "field: filing_type, selector: b"),
    ("selector: td.filed", "selector: time"),
];

const PAPERS: [(&str, &str); 1] = [("selector: td.document a", "selector: a")];

const GIFTS: [(&str, &str); 10] = [
    ("path: /contributions", "path: /gifts"),
    ("contributor: \"{name}\"", "who: \"{name}\""),
    ("table.contributions tbody tr", "'#g tr.g'"),
    ("td.contributor", "'td:nth-child(1)'"),
    ("td.amount", "'td:nth-child(2)'"),
    ("td.date", "'td:nth-child(3)'"),
    ("td.recipient", "'td:nth-child(4)'"),
    ("td.employer", "'td:nth-child(5)'"),
    ("td.occupation", "'td:nth-child(6)'"),
    ("td.address", "'td:nth-child(7)'"),
];

const LOBBY: [(&str, &str); 14] = [
    ("path: /registrations", "path: /lobby"),
    ("path: /expenditures", "path: /lobby/spent"),
    ("name: \"{name}\"", "who: \"{name}\""),
    ("table.registrations tbody tr", "'#l tr.r'"),
    ("table.expenditures tbody tr", "'#s tr.r'"),
    ("td.lobbyist", "'td:nth-child(1)'"),
    ("td.client", "'td:nth-child(2)'"),
    ("td.firm", "'td:nth-child(3)'"),
    ("td.subjects li", "'td:nth-child(4) li'"),
    ("td.registered", "'td:nth-child(5)'"),
    ("td.ended", "'td:nth-child(6)'"),
    ("field: amount, selector: td.amount", "field: amount, selector: 'td:nth-child(3)'"),
    ("field: date, selector: td.date", "field: date, selector: 'td:nth-child(4)'"),
    ("field: recipient, selector: td.recipient", "field: recipient, selector: 'td:nth-child(5)'"),
];

const PURPOSE: [(&str, &str); 1] = [("td.purpose", "'td:nth-child(6)'")];

/// Copies a template, writes the state's own into it and binds it.
async fn filled(ana: &Person, agent: &str, id: &str, site: &MockServer, own: &[(&str, &str)]) {
    let template = Template::read(id);
    let mut yaml = template.yaml.replace("https://registry.example.gov", &site.uri());
    yaml = yaml.replace("delay_seconds: 2", "delay_seconds: 0");
    for (shipped, here) in own {
        assert!(yaml.contains(shipped), "{id} has no `{shipped}`");
        yaml = yaml.replace(shipped, here);
    }
    copy(ana, &template, &yaml).await;
    ana.bind(agent, id).await;
}

const STEPS: &str = "id: read-a-state
name: Read a state
description: Reads its registers.
version: 1.0.0
execution_mode: deterministic
required_connectors: [state-corporate-registries, state-campaign-finance, state-lobbying]
steps:
  - {name: found, step_type: tool, action: call_connector, connector: state-corporate-registries, endpoint: search_entities, inputs: {name: ostrom}}
  - {name: people, step_type: tool, action: call_connector, connector: state-corporate-registries, endpoint: officers, inputs: {entity_id: \"{found.results[0].entity_id}\"}}
  - {name: papers, step_type: tool, action: call_connector, connector: state-corporate-registries, endpoint: filings, inputs: {entity_id: \"{found.results[0].entity_id}\"}}
  - {name: gifts, step_type: tool, action: call_connector, connector: state-campaign-finance, endpoint: contributions, inputs: {name: thornquist, from: \"2024-01-01\"}}
  - {name: lobby, step_type: tool, action: call_connector, connector: state-lobbying, endpoint: registrations, inputs: {name: quillfeather}}
  - {name: spent, step_type: tool, action: call_connector, connector: state-lobbying, endpoint: expenditures, inputs: {name: quillfeather}}
";

#[tokio::test]
async fn f_120_f_121_f_122_a_copy_with_a_states_addresses_and_selectors_reads_its_registers() {
    let site = state().await;
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    let registry = [&REGISTRY[..], &PAPERS].concat();
    filled(&ana, &agent, "state-corporate-registries", &site, &registry).await;
    filled(&ana, &agent, "state-campaign-finance", &site, &GIFTS).await;
    filled(&ana, &agent, "state-lobbying", &site, &[&LOBBY[..], &PURPOSE].concat()).await;
    ana.playbook(STEPS).await;
    let run = ana.start(&agent, "read-a-state", json!({})).await;
    ana.reaches(&run, "complete").await;
    let uri = site.uri();
    for (step, connector, endpoint, expect) in [
        (
            "found",
            "state-corporate-registries",
            "search_entities",
            json!({ "entity_id": "990011", "name": "OSTROM VANCE LLC", "entity_type": "Domestic LLC", "status": "Active", "formed": "2011-03-09", "registered_agent": "TIDEWATER REGISTRARS INC", "detail_url": format!("{uri}/biz/990011") }),
        ),
        (
            "people",
            "state-corporate-registries",
            "officers",
            json!({ "name": "VANCE, ELEANOR", "title": "Manager", "address": "12 Quay St, Dover", "since": "2012-01-02" }),
        ),
        (
            "papers",
            "state-corporate-registries",
            "filings",
            json!({ "filing_id": "AR77", "filing_type": "Annual report", "filed": "2024-04-30", "document_url": format!("{uri}/doc/77.pdf") }),
        ),
        (
            "gifts",
            "state-campaign-finance",
            "contributions",
            json!({ "donor_name": "THORNQUIST, M", "amount": "1250.00", "date": "2024-03-09", "recipient": "HARBORLIGHT FOR STATE", "employer": "MILL LTD", "occupation": "Engineer", "address": "Dover" }),
        ),
        (
            "lobby",
            "state-lobbying",
            "registrations",
            json!({ "lobbyist": "QUILLFEATHER, J", "client": "MILL LTD", "firm": "QUAY PARTNERS", "subjects": ["Harbors", "Tax"], "registered": "2024-01-15", "ended": null }),
        ),
        (
            "spent",
            "state-lobbying",
            "expenditures",
            json!({ "lobbyist": "QUILLFEATHER, J", "client": "MILL LTD", "amount": "99.50", "date": "2024-02-01", "recipient": "HARBOR CLUB", "purpose": "Dinner" }),
        ),
    ] {
        let read = output(&ana, &run, step).await;
        assert_eq!(
            (&read["count"], &read["warnings"]),
            (&json!(1), &json!([])),
            "{step}: {read:#}"
        );
        let record = own(connector, endpoint, &read["results"][0]);
        assert_eq!(record, expect, "{step}");
    }
}

#[tokio::test]
async fn f_116_a_copy_with_a_contracts_key_and_blocks_reads_profiles_and_hierarchies() {
    let template = Template::read("dnb-direct-plus");
    let served = template.served().await;
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    let moved = template.yaml.replace("https://plus.dnb.com", &served.server.uri());
    copy(&ana, &template, &moved).await;
    accept(&ana, template.id()).await;
    let credentials = json!({ "client_id": "a key of ana", "client_secret": KEY });
    let body = json!({ "connector_id": template.id(), "credentials": credentials });
    ana.post(&format!("/profiles/{agent}/data-sources"), &body).await;
    ana.playbook(&calling("read-contract", &[&template])).await;
    let run = ana.start(&agent, "read-contract", json!({})).await;
    let ended = ana.reaches(&run, "complete").await;
    assert_eq!(served.unexpected(), Vec::<String>::new(), "{ended:#}");
    insta::assert_json_snapshot!("contract", found(&ana, &run, &template).await);

    // The blocks of another contract are another line of the copy.
    let other = moved.replace("blockIDs: companyinfo_L1_v1", "blockIDs: companyinfo_L2_v1");
    let path = format!("{}/connectors/{}", crate::case::FACTORY, template.id());
    ana.door.put(&path, &json!({ "yaml": other })).await.unwrap();
    let asked = json!({ "endpoint": "company_profile", "inputs": { "duns": "990000001" }, "profile": agent });
    let said = ana.post(&format!("/connectors/{}/test", template.id()), &asked).await;
    assert_eq!(said["ok"], false, "the contract of the test has no such block: {said:#}");
    let wanted = until("the request", || async {
        served.unexpected().into_iter().find(|asked| asked.contains("companyinfo_L2_v1"))
    });
    assert!(wanted.await.starts_with("GET "));
    assert!(!said.to_string().contains(KEY), "{said:#}");
}
