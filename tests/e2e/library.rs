//! The shipped agents at work: copies of their profiles ask servers that answer as the providers document. The people and
//! organisations are invented.

mod nonprofits;

use serde_json::{Value, json};
use wiremock::matchers::{path, query_param};
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::case::{FACTORY, Person, person};
use crate::provider_server;

/// The connectors that ask for a key.
const KEYED: [&str; 4] = ["fec-contributions", "opensecrets", "congress-gov", "opencorporates"];

/// Somebody with a copy of a shipped agent whose sources are all at one server.
async fn analyst(handle: &str, server: &MockServer) -> (Person, String) {
    let ana = person("ana", &["global:analyst"]).await;
    let shipped = ana.get("/profiles?limit=100").await;
    let shipped = shipped["items"].as_array().unwrap().iter().find(|one| one["handle"] == handle);
    let shipped = shipped.unwrap_or_else(|| panic!("`{handle}` is not shipped"))["id"].clone();
    let copy = json!({ "handle": format!("{}-agent", ana.username) });
    let path = format!("/profiles/{}/duplicate", shipped.as_str().unwrap());
    let agent = ana.post(&path, &copy).await["id"].as_str().unwrap().to_owned();
    let sources = format!("{FACTORY}/profiles/{agent}/data-sources");
    for source in ana.door.get(&sources).await.unwrap().as_array().unwrap() {
        let (binding, connector) = (source["id"].as_str().unwrap(), &source["connector_id"]);
        if connector == "irs-990-xml" {
            continue;
        }
        if KEYED.iter().any(|keyed| connector == keyed) {
            let key = json!({ "api_key": "a key of ana" });
            ana.door.put(&format!("{sources}/{binding}/credentials"), &key).await.unwrap();
        }
        let here = json!({ "base_url": server.uri() });
        let change = json!({ "config_overrides": here, "permissions": {}, "is_enabled": true });
        ana.door.put(&format!("{sources}/{binding}"), &change).await.unwrap();
    }
    (ana, agent)
}

/// An answer at a path, for calls with this parameter.
async fn answers(server: &MockServer, at: &str, with: (&str, &str), body: &Value) {
    let found = ResponseTemplate::new(200).set_body_json(body);
    let when = Mock::given(path(at)).and(query_param(with.0, with.1));
    when.respond_with(found).mount(server).await;
}

/// An answer at a path to whatever nothing else answers.
async fn otherwise(server: &MockServer, at: &str, body: &Value) {
    let found = ResponseTemplate::new(200).set_body_json(body);
    Mock::given(path(at)).respond_with(found).with_priority(9).mount(server).await;
}

/// Asks the agent; the run when it is complete.
async fn asked(ana: &Person, agent: &str, question: &str, inputs: &Value) -> Value {
    let body = json!({ "profile": agent, "query": question, "inputs": inputs });
    let started = ana.post("/executions", &body).await;
    ana.reaches(started["id"].as_str().unwrap(), "complete").await
}

/// What a step of a run found.
async fn found(ana: &Person, run: &Value, step: &str) -> Value {
    let run = run["id"].as_str().unwrap();
    ana.get(&format!("/executions/{run}/outputs/{step}")).await["output"].clone()
}

/// The answer's text, without the marks that keep data from being Markdown.
fn content(run: &Value) -> String {
    let content = run["response"]["content"].as_str().unwrap_or_else(|| panic!("{run:#}"));
    let content = content.replace('\\', "");
    in_words(&content);
    content
}

/// A report is in words that people use: it names no field, step or code of ours, which are the only words with a `_`.
pub(crate) fn in_words(report: &str) {
    let words = report.split(|c: char| c.is_whitespace() || "|()[],;:*\"".contains(c));
    // An address is as its source writes it, and the run has an id by which it is found.
    let is_ours =
        |word: &&str| word.contains('_') && !word.contains('/') && !word.starts_with("`run_");
    let ours: Vec<_> = words.filter(is_ours).collect();
    assert!(ours.is_empty(), "{ours:?} in\n{report}");
}

/// Every destination was written.
fn all_written(run: &Value, expect: &[&str]) {
    let outputs = run["response"]["outputs"].as_array().unwrap();
    let written = outputs.iter().filter(|output| output["status"] == "success");
    let written: Vec<_> = written.map(|output| output["destination"].as_str().unwrap()).collect();
    for destination in expect {
        assert!(written.contains(destination), "`{destination}` is not in {outputs:#?}");
    }
    assert!(outputs.iter().all(|output| output["status"] != "error"), "{outputs:#?}");
}

/// A page of the commission's.
fn page(results: &[Value]) -> Value {
    json!({ "api_version": "1.0", "pagination": { "count": results.len(), "pages": 1, "per_page": 100, "page": 1, "last_indexes": null }, "results": results })
}

struct Gift<'a> {
    id: u32,
    donor: &'a str,
    employer: Option<&'a str>,
    kind: &'a str,
    amount: f64,
    day: &'a str,
    to: (&'a str, &'a str),
}

/// A row of Schedule A.
fn gift(Gift { id, donor, employer, kind, amount, day, to }: Gift<'_>) -> Value {
    json!({
        "committee_id": to.0, "committee": { "committee_id": to.0, "name": to.1 }, "contributor_name": donor,
        "contributor_employer": employer, "contributor_city": "DAYTON", "contributor_state": "OH", "contributor_zip": "454021111",
        "contribution_receipt_amount": amount, "contribution_receipt_date": day, "entity_type_desc": kind,
        "transaction_id": format!("SA11AI.{id}"), "two_year_transaction_period": 2024, "memo_text": null, "memoed_subtotal": false,
    })
}

const HOUSE: (&str, &str) = ("C00990011", "HARBORLIGHT FOR CONGRESS");
const LANTERN: (&str, &str) = ("C00990022", "LANTERN FUTURE PAC");

/// What the people of an employer gave, by two spellings of one donor, and what its PAC gave.
fn gifts() -> (Vec<Value>, Vec<Value>) {
    let of = |id, donor, amount, day, to| {
        let employer = Some("OSTROM VANCE LLC");
        gift(Gift { id, donor, employer, kind: "INDIVIDUAL", amount, day, to })
    };
    let people = vec![
        of(1, "THORNQUIST, MARGARET", 2000.0, "2024-03-09", HOUSE),
        of(2, "THORNQUIST, MARGARET E", 1800.0, "2024-03-01", HOUSE),
        of(3, "QUILLFEATHER, JON A", 250.0, "2024-03-09", HOUSE),
        of(4, "BELTRANE, JOAQUIN", 190.0, "2024-02-01", LANTERN),
        of(5, "BELTRANE, JOAQUIN", 195.0, "2024-02-08", LANTERN),
        of(6, "BELTRANE, JOAQUIN", 199.5, "2024-02-15", LANTERN),
    ];
    let pac = gift(Gift {
        id: 7,
        donor: "OSTROM VANCE LLC PAC",
        employer: None,
        kind: "POLITICAL ACTION COMMITTEE",
        amount: 5000.0,
        day: "2024-01-15",
        to: LANTERN,
    });
    // The source lists one gift under the name and under the employer.
    (vec![pac, people[0].clone()], people)
}

#[tokio::test]
async fn f_180_f_182_contributions_are_added_up_by_donor_and_recipient_and_flagged() {
    let server = provider_server::start().await;
    let (named, mut people) = gifts();
    // Its amount is in the first gift already.
    let mut memo = people[0].clone();
    memo["transaction_id"] = json!("SA11AI.8");
    memo["memoed_subtotal"] = json!(true);
    people.push(memo);
    let at = "/schedules/schedule_a/";
    answers(&server, at, ("contributor_name", "Ostrom Vance LLC"), &page(&named)).await;
    answers(&server, at, ("contributor_employer", "Ostrom Vance LLC"), &page(&people)).await;
    let members = json!({ "members": [
        { "name": "Quillfeather, Jon A.", "bioguideId": "Q990001", "partyName": "Independent", "state": "Ohio", "district": 3 },
        { "name": "Marrowby, Ada", "bioguideId": "M990002", "partyName": "Independent", "state": "Ohio" },
    ], "pagination": { "count": 2 } });
    otherwise(&server, "/member/congress/119", &members).await;
    opensecrets(&server, "Ostrom Vance").await;
    let (ana, agent) = analyst("political-finance-tracker", &server).await;
    let question = "Who gave money as an employee of \"Ostrom Vance LLC\"?";
    let inputs = json!({ "congress": 119, "opensecrets_name": "Ostrom Vance" });
    let run = asked(&ana, &agent, question, &inputs).await;
    assert_eq!(run["playbook_id"], "contribution-analysis", "{run:#}");
    assert_eq!(found(&ana, &run, "contributions").await["count"], 8, "a gift counts twice");
    assert_eq!(found(&ana, &run, "counted").await["count"], 7, "a memo item counts");
    assert_eq!(found(&ana, &run, "memo_items").await["count"], 1);
    let recipients = found(&ana, &run, "by_recipient").await;
    let total =
        |n: usize| (&recipients["data"][n]["committee_name"], &recipients["data"][n]["total"]);
    assert_eq!(total(0), (&json!(LANTERN.1), &json!("5584.5")), "{recipients:#}");
    assert_eq!(total(1), (&json!(HOUSE.1), &json!("4050")), "{recipients:#}");
    let over = found(&ana, &run, "over_limit").await;
    assert_eq!(
        (&over["count"], &over["data"][0]["total"]),
        (&json!(1), &json!("3800")),
        "{over:#}"
    );
    let bundled = found(&ana, &run, "bundled").await;
    assert_eq!((&bundled["count"], &bundled["data"][0]["donors"]), (&json!(1), &json!(2)));
    let split = found(&ana, &run, "split").await;
    assert_eq!((&split["count"], &split["data"][0]["gifts"]), (&json!(1), &json!(3)), "{split:#}");
    let in_congress = found(&ana, &run, "donors_in_congress").await;
    assert_eq!(in_congress["count"], 1, "{in_congress:#}");
    assert_eq!(in_congress["matches"][0]["entity_b"]["bioguide_id"], "Q990001");
    let said = content(&run);
    for part in [
        "# Contributions: Ostrom Vance LLC",
        "**Memo items left out:** 1",
        "| POLITICAL ACTION COMMITTEE | $5,000",
        "$5,584.50",
        "D000099001",
    ] {
        assert!(said.contains(part), "`{part}` is not in\n{said}");
    }
    all_written(&run, &["chat", "data_workspace_table", "knowledge_graph"]);
    let rows = ana.get("/workspaces/default/tables/contributions/rows?limit=100").await;
    let rows = rows["items"].as_array().unwrap();
    assert_eq!(rows.len(), 7, "{rows:#?}");
    let columns = ["donor_name", "donor_employer", "recipient", "amount", "date", "type"];
    let row = rows.iter().find(|row| row.to_string().contains("QUILLFEATHER")).unwrap().to_string();
    assert!(columns.iter().all(|column| row.contains(column)), "{row}");
    let known = ana.get("/knowledge/entities?q=thornquist").await;
    assert_eq!(known["items"].as_array().unwrap().len(), 1, "two spellings are one: {known:#}");
}

/// The organisation that OpenSecrets finds by these words.
async fn opensecrets(server: &MockServer, words: &str) {
    let found = json!({ "response": { "organization": [{ "@attributes": { "orgid": "D000099001", "orgname": words } }] } });
    answers(server, "/", ("org", words), &found).await;
}

fn committee(id: &str, name: &str, treasurer: &str) -> Value {
    json!({ "committee_id": id, "name": name, "committee_type_full": "PAC - Nonqualified", "treasurer_name": treasurer, "affiliated_committee_name": null, "candidate_ids": [], "cycles": [2024] })
}

#[tokio::test]
async fn f_180_f_182_the_network_of_a_committee_is_mapped() {
    let server = provider_server::start().await;
    let (lantern, harbor) = (
        committee(LANTERN.0, LANTERN.1, "VANCE, ELEANOR"),
        committee("C00990033", "HARBOR VICTORY FUND", "VANCE, ELEANOR"),
    );
    answers(
        &server,
        "/committees/",
        ("q", "Lantern Future PAC"),
        &page(std::slice::from_ref(&lantern)),
    )
    .await;
    answers(
        &server,
        "/committees/",
        ("treasurer_name", "VANCE, ELEANOR"),
        &page(&[lantern, harbor]),
    )
    .await;
    let from = |id, donor, kind, amount| {
        gift(Gift { id, donor, employer: None, kind, amount, day: "2024-05-01", to: LANTERN })
    };
    let received = [
        from(1, "HARBORLIGHT FOR CONGRESS", "COMMITTEE", 2000.0),
        from(2, "HARBORLIGHT FOR CONGRESS", "COMMITTEE", 500.0),
        from(3, "VANCE, ELEANOR", "INDIVIDUAL", 900.0),
        from(5, "VANCE, ELEANOR.", "INDIVIDUAL", 100.0),
    ];
    let mut given = from(4, LANTERN.1, "COMMITTEE", 1500.0);
    given["committee_id"] = json!(HOUSE.0);
    given["committee"]["name"] = json!(HOUSE.1);
    let at = "/schedules/schedule_a/";
    answers(&server, at, ("committee_id", LANTERN.0), &page(&received)).await;
    answers(&server, at, ("contributor_name", LANTERN.1), &page(&[given])).await;
    let report = json!({ "file_number": 1_790_001, "committee_id": LANTERN.0, "committee_name": LANTERN.1, "report_type_full": "JULY QUARTERLY", "total_receipts": 22400.5, "total_disbursements": 9120.0, "cash_on_hand_end_period": 18250.75 });
    answers(&server, "/filings/", ("committee_id", LANTERN.0), &page(&[report])).await;
    let (ana, agent) = analyst("political-finance-tracker", &server).await;
    let question = "Map the PAC network of \"Lantern Future PAC\"";
    let run = asked(&ana, &agent, question, &json!({})).await;
    assert_eq!(run["playbook_id"], "pac-network-mapping", "{run:#}");
    let transfers = found(&ana, &run, "transfers_in").await;
    assert_eq!(transfers["data"][0]["total"], "2500", "{transfers:#}");
    let people = found(&ana, &run, "people").await;
    assert_eq!((&people["count"], &people["data"][0]["total"]), (&json!(1), &json!("1000")));
    let both = found(&ana, &run, "both_ways").await;
    assert_eq!(
        (&both["count"], &both["matches"][0]["entity_b"]["total"]),
        (&json!(1), &json!("1500"))
    );
    // Of the treasurer's two committees, each with the donor of that name.
    assert_eq!(found(&ana, &run, "officers_who_give").await["count"], 2);
    let said = content(&run);
    for part in ["HARBOR VICTORY FUND", "$2,500", "JULY QUARTERLY", "$18,250.75"] {
        assert!(said.contains(part), "`{part}` is not in\n{said}");
    }
    all_written(&run, &["chat", "data_workspace_table", "knowledge_graph"]);
    otherwise(&server, "/committees/", &page(&[])).await;
    let run = asked(&ana, &agent, "PAC network of \"Nobody PAC\"", &json!({})).await;
    assert!(
        content(&run).contains("No committee has these words in its name: Nobody PAC"),
        "{run:#}"
    );
}

/// A company as OpenCorporates has it.
fn company(number: &str, name: &str, officers: &[&str]) -> Value {
    let officer = |name: &&str| json!({ "officer": { "name": name, "position": "director", "start_date": "2011-06-30", "end_date": null, "inactive": false, "occupation": "Engineer" } });
    json!({ "company": {
        "name": name, "company_number": number, "jurisdiction_code": "gb", "current_status": "Active", "inactive": false,
        "incorporation_date": "2011-06-30", "registered_address_in_full": "12 Quay Street, Dover", "agent_name": "Tidewater Registrars Ltd",
        "previous_names": [], "officers": officers.iter().map(officer).collect::<Vec<_>>(),
    } })
}

/// The registries: two companies of one name at one address, the first with these officers.
async fn registries(server: &MockServer, officers: &[&str]) {
    let first = company("09900011", "OSTROM VANCE LTD", officers);
    let second = company("09900012", "OSTROM VANCE HOLDINGS LTD", &[]);
    let list = json!({ "results": { "companies": [first, second], "page": 1, "per_page": 30, "total_pages": 1, "total_count": 2 } });
    answers(server, "/companies/search", ("q", "Ostrom Vance"), &list).await;
    otherwise(server, "/companies/gb/09900011", &json!({ "results": first })).await;
}

fn relation(property: &str, name: &str) -> Value {
    json!({
        "property": { "value": "http://www.wikidata.org/entity/P1" }, "propertyLabel": { "value": property },
        "value": { "value": "http://www.wikidata.org/entity/Q99000048" }, "valueLabel": { "value": name },
    })
}

fn hit(adsh: &str, filer: &str, form: &str) -> Value {
    json!({ "_id": format!("{adsh}:a.htm"), "_source": { "adsh": adsh, "display_names": [filer], "ciks": ["0009900044"], "form": form, "root_forms": [form], "file_date": "2024-02-21" } })
}

fn hits(found: &[Value]) -> Value {
    json!({ "hits": { "total": { "value": found.len() }, "hits": found } })
}

/// What Wikidata and the SEC's index have.
async fn encyclopedia(server: &MockServer) {
    let search =
        json!({ "search": [{ "id": "Q99000011", "label": "Ostrom Vance" }], "success": 1 });
    answers(server, "/w/api.php", ("search", "Ostrom Vance"), &search).await;
    let relations = [
        relation("parent organization", "Marrowby Group"),
        relation("has subsidiary", "Ostrom Tool Works"),
        relation("chief executive officer", "Eleanor Vance"),
        relation("headquarters location", "Dover"),
    ];
    otherwise(server, "/sparql", &json!({ "results": { "bindings": relations } })).await;
    let owners = [
        hit("0009900044-24-000001", "Thornquist Margaret  (CIK 0009900044)", "4"),
        hit("0009900044-24-000002", "Thornquist Margaret  (CIK 0009900044)", "4"),
    ];
    let forms = "3,4,5,SC 13D,SC 13G,SCHEDULE 13D,SCHEDULE 13G";
    answers(server, "/search-index", ("forms", forms), &hits(&owners)).await;
    let report = [hit("0009900011-24-000007", "OSTROM VANCE CORP  (OVC)", "10-K")];
    answers(server, "/search-index", ("forms", "10-K,20-F,DEF 14A"), &hits(&report)).await;
}

#[tokio::test]
async fn f_181_f_182_a_company_is_described_from_registries_wikidata_and_the_sec() {
    let server = provider_server::start().await;
    registries(&server, &["ELEANOR VANCE", "JON QUILLFEATHER"]).await;
    encyclopedia(&server).await;
    let agent = json!({ "officer": { "name": "TIDEWATER REGISTRARS LTD", "position": "agent", "start_date": "2012-03-01", "end_date": null, "jurisdiction_code": "gb", "company": { "name": "OLD MILL LTD", "company_number": "09900088", "jurisdiction_code": "gb", "opencorporates_url": "https://opencorporates.com/companies/gb/09900088" } } });
    let agents = json!({ "results": { "officers": [agent], "page": 1, "per_page": 30, "total_pages": 1, "total_count": 1 } });
    answers(&server, "/officers/search", ("q", "Tidewater Registrars Ltd"), &agents).await;
    let (ana, agent) = analyst("corporate-intelligence-analyst", &server).await;
    let question = "What is the corporate structure of \"Ostrom Vance\"?";
    let run = asked(&ana, &agent, question, &json!({})).await;
    assert_eq!(run["playbook_id"], "corporate-structure-analysis", "{run:#}");
    assert_eq!(found(&ana, &run, "hierarchy").await["count"], 2);
    assert_eq!(found(&ana, &run, "leaders").await["data"][0]["name"], "Eleanor Vance");
    assert_eq!(found(&ana, &run, "owners").await["data"][0]["reports"], 2);
    assert_eq!(found(&ana, &run, "at_one_address").await["data"][0]["companies"], 2);
    let said = content(&run);
    for part in [
        "Marrowby Group",
        "JON QUILLFEATHER",
        "Tidewater Registrars Ltd",
        "12 Quay Street, Dover | 2",
        "OLD MILL LTD",
    ] {
        assert!(said.contains(part), "`{part}` is not in\n{said}");
    }
    all_written(&run, &["chat", "document", "knowledge_graph"]);
    let documents = ana.get("/documents?folder=corporate-research").await;
    let name = documents["items"][0]["filename"].as_str().unwrap_or_default();
    assert!(name.starts_with("corp_ostrom_vance_"), "{documents:#}");
    let known = ana.get("/knowledge/entities?q=ostrom").await;
    assert!(known.to_string().contains("HOLDINGS"), "{known:#}");
}

#[tokio::test]
async fn f_181_a_source_that_cannot_be_asked_leaves_its_part_out_and_the_run_says_so() {
    let server = provider_server::start().await;
    registries(&server, &["ELEANOR VANCE"]).await;
    let gone = ResponseTemplate::new(403).set_body_string("Undeclared Automated Tool");
    Mock::given(path("/search-index")).respond_with(gone).mount(&server).await;
    otherwise(&server, "/w/api.php", &json!({ "search": [], "success": 1 })).await;
    let (ana, agent) = analyst("corporate-intelligence-analyst", &server).await;
    let body = json!({ "profile": agent, "query": "The corporate structure of \"Ostrom Vance\"" });
    let started = ana.post("/executions", &body).await;
    let run = ana.reaches(started["id"].as_str().unwrap(), "partial").await;
    let said = content(&run);
    assert!(said.contains("ELEANOR VANCE") && said.contains("could not be asked"), "{said}");
    assert!(run["steps"].to_string().contains("CONNECTOR_AUTH_FAILED"), "{run:#}");
}
