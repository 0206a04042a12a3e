//! Tests of agents and playbooks: what has an effect is left out, and says so (F-325, F-341, K-46).

use serde_json::{Value, json};

use crate::case::{Person, gated, person, rows, step};
use crate::effects::{Elsewhere, payer, playbook};
use crate::filings::{GOOD, upload};
use crate::provider_server;

/// What a step of a run answered.
async fn output(who: &Person, run: &Value, name: &str) -> Value {
    let id = run["id"].as_str().unwrap();
    who.get(&format!("/executions/{id}/outputs/{name}")).await["output"].clone()
}

/// Starts a test and waits for its end.
async fn tested(who: &Person, path: &str, body: &Value) -> Value {
    let started = who.post(path, body).await;
    who.reaches(started["id"].as_str().unwrap(), "complete").await
}

#[tokio::test]
async fn f_325_a_test_of_an_agent_shows_the_payment_and_makes_none() {
    let (elsewhere, maria) =
        (Elsewhere::open().await, person("maria", &["global:analyst", "decide"]).await);
    let (ana, agent) = payer(&elsewhere, &maria).await;
    let gate = "  - {name: ask, step_type: approval, prompt: \"Pay {amount}?\"}";
    ana.playbook(&playbook("pay-tested", gate)).await;
    ana.playbook(&playbook("pay-tested-alone", "")).await;
    for id in ["pay-tested", "pay-tested-alone"] {
        let body = json!({ "playbook": id, "inputs": { "amount": "12.50" }, "query": "pay it" });
        let run = tested(&ana, &format!("/profiles/{agent}/test"), &body).await;
        assert_eq!(run["dry_run"], "reads", "{run:#}");
        let report = run["response"]["content"].as_str().unwrap();
        assert!(report.starts_with("**This was a test:"), "{report}");
        let mark = output(&ana, &run, "pay").await["_dry_run"].clone();
        assert_eq!(mark["output_from"], "blank", "{mark:#}");
        assert_eq!(mark["would_get"]["inputs"]["amount"], "12.50", "{mark:#}");
        if id == "pay-tested" {
            let asked = step(&run, "ask");
            assert_eq!((&asked["status"], &asked["code"]), (&json!("skipped"), &json!("DRY_RUN")));
            assert!(asked["message"].as_str().unwrap().contains("Pay 12.50?"), "{asked:#}");
        }
        assert_eq!(step(&run, "pay")["code"], "DRY_RUN", "a step that was left out says so");
    }
    assert_eq!(elsewhere.posts(), 0, "a test has paid");
    let waiting = maria.get("/approvals?status=pending").await;
    assert_eq!(waiting["items"], json!([]), "a test has asked somebody");
    let journal = ana.get(&format!("/profiles/{agent}/journal")).await;
    assert_eq!(journal["items"], json!([]), "a test stands in the journal");
}

#[tokio::test]
async fn f_325_a_test_shows_the_payment_of_each_item_and_makes_none() {
    let (elsewhere, maria) =
        (Elsewhere::open().await, person("maria", &["global:analyst", "decide"]).await);
    let (ana, agent) = payer(&elsewhere, &maria).await;
    ana.playbook(&pay_each("pay-each-tested")).await;
    let body = json!({
        "playbook": "pay-each-tested", "inputs": { "amounts": ["1.00", "2.50"] }, "query": "pay them",
    });
    let run = tested(&ana, &format!("/profiles/{agent}/test"), &body).await;
    assert_eq!(step(&run, "pay")["code"], "DRY_RUN", "{run:#}");
    let said = output(&ana, &run, "pay").await;
    let would = &said["_dry_run"]["would_get"];
    let call = |n: usize| {
        (would["first"][n]["key"].clone(), would["first"][n]["inputs"]["amount"].clone())
    };
    assert_eq!(would["calls"], 2, "{said:#}");
    assert_eq!((call(0), call(1)), ((json!("0"), json!("1.00")), (json!("1"), json!("2.50"))));
    assert_eq!((&said["results"], &said["done"]), (&json!([]), &json!(0)), "{said:#}");
    assert_eq!(elsewhere.posts(), 0, "a test has paid");
}

/// A playbook that books a payment for each of its amounts.
fn pay_each(id: &str) -> String {
    playbook(id, "").replace("{name: amount, type: string", "{name: amounts, type: list").replace(
        "inputs: {amount: \"{amount}\"}",
        "for_each: {in: amounts}\n    inputs: {amount: \"{item}\"}",
    )
}

#[tokio::test]
async fn f_325_a_test_of_an_agent_reads_and_writes_nothing() {
    let ana = person("ana", &["global:analyst"]).await;
    let filings = upload(&ana, vec![("a.xml".to_owned(), GOOD.as_bytes().to_vec())]).await;
    let inputs = json!({ "filings": filings });
    let body = json!({ "playbook": "officer-cross-reference", "inputs": inputs });
    let run = tested(&ana, "/profiles/@nonprofit-investigator/test", &body).await;
    let officers = output(&ana, &run, "officers").await;
    assert_eq!(officers["results"][0]["name"], "ANN LEE", "{officers:#}");
    assert!(officers.get("_dry_run").is_none(), "{officers:#}");
    assert_eq!(step(&run, "sign_off")["code"], "DRY_RUN", "{run:#}");
    let resolved = output(&ana, &run, "resolved").await;
    assert_eq!(resolved["resolved"][0]["canonical_name"], "Ann Lee", "{resolved:#}");
    let again = tested(&ana, "/profiles/@nonprofit-investigator/test", &body).await;
    assert_eq!(
        output(&ana, &again, "resolved").await["resolved"][0]["is_known"],
        false,
        "a test has remembered"
    );
    for place in ["/documents", "/workspaces/research/tables", "/exports"] {
        let found = ana.get(place).await;
        assert_eq!(found["items"], json!([]), "a test has written to {place}");
    }
}

#[tokio::test]
async fn f_341_a_playbook_is_tried_with_sample_data_and_without_an_agent() {
    let elsewhere = Elsewhere::open().await;
    let ana = person("ana", &["global:analyst"]).await;
    ana.playbook(&playbook("pay-sampled", "")).await;
    let samples = json!({ "pay": { "results": [{ "id": "p1", "state": "booked" }] } });
    let body = json!({ "inputs": { "amount": "1.00" }, "samples": samples });
    let run = tested(&ana, "/playbooks/pay-sampled/test", &body).await;
    assert_eq!((&run["dry_run"], &run["profile_id"]), (&json!("samples"), &json!("")));
    let said = output(&ana, &run, "pay").await;
    assert_eq!(
        (&said["results"][0]["id"], &said["_dry_run"]["output_from"]),
        (&json!("p1"), &json!("sample"))
    );
    assert_eq!(elsewhere.posts(), 0);

    ana.playbook(&gated("rows-sampled", "")).await;
    let run = tested(&ana, "/playbooks/rows-sampled/test", &json!({ "inputs": rows() })).await;
    assert_eq!(output(&ana, &run, "large").await["count"], 2, "what computes is done");
    let kept = output(&ana, &run, "keep").await;
    assert_eq!(kept["_dry_run"]["would_get"]["inputs"]["data"].as_array().unwrap().len(), 2);
    let tables = ana.get("/workspaces/default/tables").await;
    assert_eq!(tables["items"], json!([]), "a test has written a table");
}

#[tokio::test]
async fn f_341_a_gate_of_a_test_is_decided_by_its_sample() {
    let ana = person("ana", &["global:analyst"]).await;
    ana.playbook(&gated("rows-denied", "")).await;
    let samples = json!({ "sign_off": { "decision": "denied" } });
    let body = json!({ "inputs": rows(), "samples": samples });
    let started = ana.post("/playbooks/rows-denied/test", &body).await;
    let run = ana.reaches(started["id"].as_str().unwrap(), "rejected").await;
    assert_eq!(step(&run, "keep")["status"], "not_run", "{run:#}");
}

#[tokio::test]
async fn k_46_a_test_tells_nobody_that_a_credential_is_refused() {
    let server = provider_server::start().await;
    let refusing = wiremock::Mock::given(wiremock::matchers::any());
    refusing.respond_with(wiremock::ResponseTemplate::new(401)).mount(&server).await;
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    let yaml = format!(
        "id: refusing\nname: Refusing\ntype: rest_api\nversion: 1.0.0\ndescription: Refuses.\nconnection: {{ base_url: '{}', auth: {{ type: bearer_token }} }}\nendpoints:\n  get: {{ description: Reads., path: /x }}\n",
        server.uri()
    );
    ana.post("/connectors", &json!({ "yaml": yaml })).await;
    let credentials = json!({ "token": "a-token-of-the-test" });
    let bound = json!({ "connector_id": "refusing", "credentials": credentials });
    let source = ana.post(&format!("/profiles/{agent}/data-sources"), &bound).await;
    ana.playbook("id: refused\nname: Refused\ndescription: Reads.\nversion: 1.0.0\nexecution_mode: deterministic\nrequired_connectors: [refusing]\nsteps:\n  - {name: get, step_type: tool, action: call_connector, connector: refusing, endpoint: get}\n").await;
    let body = json!({ "playbook": "refused" });
    let started = ana.post(&format!("/profiles/{agent}/test"), &body).await;
    let run = ana.reaches(started["id"].as_str().unwrap(), "error").await;
    assert_eq!(step(&run, "get")["code"], "CONNECTOR_AUTH_FAILED", "{run:#}");
    let path = format!("/profiles/{agent}/data-sources/{}", source["id"].as_str().unwrap());
    assert_eq!(ana.get(&path).await["health"], "ok", "a test has changed the data source");
}

#[tokio::test]
async fn f_325_an_agent_without_the_connector_is_told_before_anything_starts() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    let body =
        json!({ "playbook": "officer-cross-reference", "inputs": { "filings": "folders/none" } });
    let path = format!("/profiles/{agent}/test");
    assert_eq!(ana.refused(&path, Some(&body)).await.0, 422);
    assert_eq!(ana.get("/executions").await["items"], json!([]), "something was started");
}

#[tokio::test]
async fn f_341_samples_and_inputs_that_do_not_fit_are_told_before_anything_starts() {
    let ana = person("ana", &["global:analyst"]).await;
    ana.playbook(&gated("rows-refused", "")).await;
    let refused = |body: Value| {
        let door = &ana.door;
        async move {
            let path = "/api/agent-factory/playbooks/rows-refused/test";
            door.post(path, &body).await.unwrap_err().to_string()
        }
    };
    let samples = json!({
        "larg": {}, "sign_off": {}, "keep": { "rows_inserted": "many", "rows": 1 }, "large": [],
    });
    let said = refused(json!({ "inputs": rows(), "samples": samples })).await;
    for part in ["samples.larg", "`large`?", "samples.sign_off", "keep.rows_inserted", "keep.rows"]
    {
        assert!(said.contains(part), "`{part}` is not in {said}");
    }
    let many: serde_json::Map<String, Value> =
        (0..60_000).map(|n| (format!("n{n}"), Value::Null)).collect();
    let said = refused(json!({ "inputs": many.clone() })).await;
    assert!(said.len() < 10_000, "{} bytes", said.len());
    let said = refused(json!({ "inputs": rows(), "samples": many })).await;
    assert!(said.contains("more than a playbook has steps"), "{said}");
    let said = refused(json!({ "inputs": { "rows": 5 } })).await;
    assert!(said.contains("inputs.rows"), "{said}");
    assert_eq!(ana.get("/executions").await["items"], json!([]), "something was started");
    assert_eq!(ana.refused("/playbooks/nobodys/test", Some(&json!({}))).await.0, 404);
    assert_eq!(ana.refused("/profiles/nobodys/test", Some(&json!({}))).await.0, 404);
}
