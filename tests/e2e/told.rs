//! Who is told what when a run is over, and what its record says of those who decided.

use countersign_cli::mailbox::Mail;
use serde_json::{Value, json};

use crate::case::{FACTORY, Person, gated, person, rows, step, until};
use crate::world::world;

/// A playbook whose only step cannot be done.
const BROKEN: &str = r#"
id: told-broken
name: Broken
description: Fails.
version: 1.0.0
execution_mode: deterministic
inputs:
  - {name: rows, type: list, required: true}
  - {name: strategy, type: string, default: ml}
steps:
  - name: fails
    step_type: tool
    action: extract_entities
    inputs: {data: "{rows}"}
    params: {strategy: "{strategy}"}
    on_error: stop
"#;

/// A playbook that asks nobody.
const COMPUTE: &str = r#"
id: told-compute
name: Compute
description: Computes.
version: 1.0.0
execution_mode: deterministic
inputs:
  - {name: rows, type: list, required: true}
steps:
  - name: large
    step_type: tool
    action: transform_data
    inputs: {data: "{rows}"}
    operations: [{type: limit, value: 1}]
"#;

/// A note that no mail may carry.
const NOTE: &str = "not these; see https://evil.example/pay";

async fn approver(name: &str) -> Person {
    person(name, &["global:analyst", "decide"]).await
}

/// The mails to a person about the end of a run. A mail that asks for a signature names the run too.
async fn about(person: &Person, run: &str) -> Vec<Mail> {
    let mut mails = world().mailbox().to(&person.email).await.unwrap();
    mails.retain(|mail| mail.text.contains(run) && mail.subject.starts_with("Test agent: "));
    mails
}

/// The one mail about the end of a run.
async fn told(person: &Person, run: &str) -> Mail {
    let mails = until(&format!("a mail about `{run}`"), || async {
        let mails = about(person, run).await;
        (!mails.is_empty()).then_some(mails)
    })
    .await;
    let [mail] = mails.as_slice() else { panic!("told {} times", mails.len()) };
    mail.clone()
}

async fn decide(person: &Person, run: &str, word: &str, note: &str) -> String {
    let request = person.request(run).await;
    let path = format!("/approvals/{}", request["approval"].as_str().unwrap());
    let seen = person.get(&path).await;
    let decision = json!({ "digest": seen["digest"], "version": seen["version"], "note": note });
    person.post(&format!("{path}/{word}"), &decision).await;
    path
}

async fn start_interactive(ana: &Person, agent: &str, playbook: &str) -> String {
    let body = json!({ "profile": agent, "playbook": playbook, "inputs": rows(), "run_context": "interactive" });
    ana.post("/executions", &body).await["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_164_a_denied_run_is_told_once_and_its_record_holds_the_note() {
    let (ana, maria) = (person("ana", &["global:analyst"]).await, approver("maria").await);
    let agent = ana.agent(&[&maria]).await;
    ana.playbook(&gated("told-denied", "")).await;
    let run = start_interactive(&ana, &agent, "told-denied").await;
    decide(&maria, &run, "reject", NOTE).await;
    let done = ana.reaches(&run, "rejected").await;
    let record = &done["approvals"][0];
    assert_eq!(record["approval"], step(&done, "sign_off")["approval_id"]);
    assert_eq!(
        (&record["step"], &record["status"], &record["by"], &record["note"]),
        (&json!("sign_off"), &json!("denied"), &json!(maria.username), &json!(NOTE))
    );
    assert!(record["at"].is_string() && record["waits_for"] == json!([]), "{record:#}");
    let mail = told(&ana, &run).await;
    assert!(mail.subject.ends_with(": denied"), "{}", mail.subject);
    let says = format!("denied by {}", maria.username);
    let noted = format!("{} left a note", maria.username);
    for body in [&mail.text, &mail.html] {
        assert!(body.contains(&says) && body.contains(&noted), "{body}");
        assert!(!body.contains("evil"), "the mail carries the note: {body}");
        assert!(body.contains(&format!("countersign show {run}")), "{body}");
        assert!(!body.contains("/api/"), "an address that a browser cannot open: {body}");
    }
    assert!(about(&maria, &run).await.is_empty(), "who decided is not told of the end");
    let journal = ana.get(&format!("/profiles/{agent}/journal")).await;
    let entry = &journal["items"][0];
    assert_eq!(entry["approvals"][0]["decisions"][0]["note"], NOTE, "{entry:#}");
    assert!(entry["summary"].as_str().unwrap().contains(NOTE), "{entry:#}");
}

#[tokio::test]
async fn k_13_a_gate_that_was_skipped_is_told_when_the_run_is_over() {
    let (ana, maria) = (person("ana", &["global:analyst"]).await, approver("maria").await);
    let agent = ana.agent(&[&maria]).await;
    ana.playbook(&gated("told-skipped", "    on_reject: skip")).await;
    let run = start_interactive(&ana, &agent, "told-skipped").await;
    decide(&maria, &run, "reject", "").await;
    ana.reaches(&run, "partial").await;
    let mail = told(&ana, &run).await;
    assert!(mail.text.contains("the run went on without the steps behind it"), "{}", mail.text);
    assert!(!mail.text.contains("left a note"), "{}", mail.text);
}

#[tokio::test]
async fn k_12_k_61_a_run_that_nobody_signed_in_time_is_told_and_listed() {
    let (ana, maria) = (person("ana", &["global:analyst"]).await, approver("maria").await);
    let agent = ana.agent(&[&maria]).await;
    let saved = json!({ "yaml": gated("told-late", "    timeout_minutes: 1") });
    let saved = ana.post("/playbooks", &saved).await;
    let warned = saved["warnings"].as_array().unwrap();
    assert!(warned.iter().any(|warning| warning["code"] == "P107"), "{warned:?}");
    let run = start_interactive(&ana, &agent, "told-late").await;
    let over = until("the run times out", || async {
        let now = ana.run(&run).await;
        (now["state"] == "timeout").then_some(now)
    });
    let done = tokio::time::timeout(std::time::Duration::from_secs(240), over).await.unwrap();
    let record = &done["approvals"][0];
    assert_eq!((&record["status"], &record["by"]), (&json!("timed_out"), &Value::Null));
    let listed = ana.get("/executions?status=timeout").await;
    let listed: Vec<&Value> = listed["items"].as_array().unwrap().iter().collect();
    assert_eq!((listed.len(), &listed[0]["id"]), (1, &json!(run)), "{listed:#?}");
    // A monitor that finds nothing new has no run: its state says `suppressed`.
    let refused = ana.refused("/executions?status=suppressed", None).await;
    assert_eq!(refused, (422, "INVALID_INPUT".to_owned()));
    let mail = told(&ana, &run).await;
    assert!(mail.subject.ends_with(": not signed in time"), "{}", mail.subject);
    assert!(mail.text.contains("not decided in time"), "{}", mail.text);
}

#[tokio::test]
async fn f_190_a_failed_run_and_a_cancelled_one_are_told() {
    let (ana, maria) = (person("ana", &["global:analyst"]).await, approver("maria").await);
    let agent = ana.agent(&[&maria]).await;
    ana.playbook(BROKEN).await;
    ana.playbook(&gated("told-cancelled", "")).await;
    let failed = start_interactive(&ana, &agent, "told-broken").await;
    ana.reaches(&failed, "error").await;
    let mail = told(&ana, &failed).await;
    assert!(mail.subject.ends_with(": ended with an error"), "{}", mail.subject);
    assert!(mail.text.contains("STEP_INPUT_INVALID"), "{}", mail.text);
    let cancelled = start_interactive(&ana, &agent, "told-cancelled").await;
    maria.request(&cancelled).await;
    ana.post(&format!("/executions/{cancelled}/cancel"), &json!({})).await;
    let done = ana.reaches(&cancelled, "cancelled").await;
    assert_eq!(done["approvals"][0]["status"], "cancelled");
    let mail = told(&ana, &cancelled).await;
    assert!(mail.text.contains(&format!("Cancelled by {}", ana.username)), "{}", mail.text);
}

#[tokio::test]
async fn f_190_a_success_is_mailed_unless_somebody_waited_for_it() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.playbook(COMPUTE).await;
    let watched = start_interactive(&ana, &agent, "told-compute").await;
    ana.reaches(&watched, "complete").await;
    let unwatched = ana.start(&agent, "told-compute", rows()).await;
    ana.reaches(&unwatched, "complete").await;
    let mail = told(&ana, &unwatched).await;
    assert!(mail.subject.ends_with(": complete"), "{}", mail.subject);
    // The other run was over before this one began: its mail would have been queued first.
    assert!(about(&ana, &watched).await.is_empty(), "a success that was waited for was mailed");
}

#[tokio::test]
async fn a_164_an_open_request_says_how_many_signed_and_whom_it_waits_for() {
    let ana = person("ana", &["global:analyst"]).await;
    let (maria, tom) = (approver("maria").await, approver("tom").await);
    let agent = ana.agent(&[&maria, &tom]).await;
    ana.playbook(&gated("told-two", "    quorum: 2")).await;
    let run = ana.start(&agent, "told-two", rows()).await;
    ana.reaches(&run, "awaiting_approval").await;
    let path = decide(&maria, &run, "approve", "looks right").await;
    let open = &ana.run(&run).await["approvals"][0];
    let waits = json!([tom.username]);
    for said in [open, &tom.get(&path).await] {
        assert_eq!(
            (&said["status"], &said["given"], &said["needed"], &said["waits_for"]),
            (&json!("pending"), &json!(1), &json!(2), &waits),
            "{said:#}"
        );
    }
    assert_eq!(open["decisions"][0]["note"], "looks right", "{open:#}");
    decide(&tom, &run, "reject", "one is wrong").await;
    let done = ana.reaches(&run, "rejected").await;
    let [first, second] = done["approvals"][0]["decisions"].as_array().unwrap().as_slice() else {
        panic!("{done:#}")
    };
    assert_eq!((&first["by"], &first["verdict"]), (&json!(maria.username), &json!("approve")));
    assert_eq!((&second["by"], &second["note"]), (&json!(tom.username), &json!("one is wrong")));
    // A closed request, and the refusal of whoever comes too late, name people and show no ids.
    let closed = maria.get(&path).await;
    assert_eq!(closed["closed"]["by"]["username"], json!(tom.username), "{closed:#}");
    assert!(!closed["closed"].to_string().contains("user_"), "{closed:#}");
    assert!(!closed["votes"].to_string().contains("user_"), "{closed:#}");
    let decision = json!({ "digest": closed["digest"], "version": closed["version"] });
    let late = format!("{FACTORY}{path}/reject");
    let refused = maria.door.post(&late, &decision).await.unwrap_err().to_string();
    assert!(refused.contains(&format!("denied by {}", tom.username)), "{refused}");
    assert!(!refused.contains("user_"), "{refused}");
}

#[tokio::test]
async fn k_16_a_gate_of_an_interactive_run_waits_a_week() {
    let ana = approver("ana").await;
    let agent = ana.agent(&[]).await;
    ana.playbook(&gated("told-week", "")).await;
    // She would sign herself: nothing says that she sits in front of it.
    let run = start_interactive(&ana, &agent, "told-week").await;
    let request = ana.request(&run).await;
    let at = |name: &str| request[name].as_str().unwrap().parse::<jiff::Timestamp>().unwrap();
    let lifetime = at("deadline").duration_since(at("opened_at"));
    assert_eq!(lifetime, jiff::SignedDuration::from_hours(7 * 24));
}

const ADDRESS: &str = r#"
id: told-address
name: Told addresses
description: Writes and tells what came from outside.
version: 1.0.0
execution_mode: deterministic
inputs:
  - {name: rows, type: list, required: true}
steps:
  - name: first
    step_type: tool
    action: transform_data
    inputs: {data: "{rows}"}
    operations: [{type: limit, value: 1}]
  - name: write
    step_type: tool
    action: route_output
    inputs: {data: "{first.data}"}
    params:
      destinations:
        - type: document
          format: markdown
          config: {folder_id: told, create_if_missing: true, filename_template: "told_{date}.md"}
  - name: tell
    step_type: tool
    action: send_notification
    inputs: {message: "Found {first.data[0].name}"}
    params: {title: "Pay at evil.example", action_url: "https://evil.example/account", action_label: Pay}
"#;

#[tokio::test]
async fn issue_11_an_address_from_outside_is_no_link_in_a_document_nor_in_a_mail() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    ana.playbook(ADDRESS).await;
    let rows = json!({ "rows": [{ "name": "see https://evil.example/pay, www.evil.example, pay@evil.example or evil.example" }] });
    let run = ana.start(&agent, "told-address", rows).await;
    ana.reaches(&run, "complete").await;
    let documents = ana.get("/documents?folder=told").await;
    let id = documents["items"][0]["id"].as_str().unwrap().to_owned();
    let body = ana.get(&format!("/documents/{id}")).await["body"].as_str().unwrap().to_owned();
    // As code it is nobody's link, whatever shows the document.
    for address in ["https://evil.example/pay", "www.evil.example", "pay@evil.example"] {
        assert!(body.contains(&format!("`{address}`")), "{address}: {body}");
    }
    let mail = until("the mail of the notification", || async {
        let mails = world().mailbox().to(&ana.email).await.unwrap();
        mails.into_iter().find(|mail| mail.text.contains("Found see"))
    })
    .await;
    assert!(!mail.text.contains("evil.example"), "{}", mail.text);
    assert!(mail.text.contains("https[:]//evil[.]example/pay"), "{}", mail.text);
    // What the agent says is quoted, and not in the subject; its own address is none of this deployment.
    assert_eq!(mail.subject, "Message of agent Test agent");
    assert!(mail.text.starts_with("The agent Test agent wrote this in run run_"), "{}", mail.text);
    assert!(mail.text.contains("> Found see"), "{}", mail.text);
    let outside = "An address outside of this deployment: https[:]//evil[.]example/account";
    assert!(mail.text.contains(outside), "{}", mail.text);
}

#[tokio::test]
async fn f_147_r_052_a_request_and_a_run_say_what_each_step_does_and_when() {
    let ana = person("ana", &["global:analyst"]).await;
    let maria = approver("maria").await;
    let agent = ana.agent(&[&maria]).await;
    let (large, keep) = ("  - name: large\n", "  - name: keep\n");
    let described = gated("told-steps", "")
        .replace(large, &format!("{large}    description: Takes large rows\n"))
        .replace(keep, &format!("{keep}    condition: \"{{large.count}} > 0\"\n"));
    ana.playbook(&described).await;
    let run = ana.start(&agent, "told-steps", rows()).await;
    let asked = maria.request(&run).await["approval"].as_str().unwrap().to_owned();
    let request = maria.get(&format!("/approvals/{asked}")).await;
    let waits = ana.run(&run).await;
    for shown in [&request["steps"], &waits["steps"]] {
        assert_eq!(shown[0]["description"], "Takes large rows", "{shown:#}");
        assert_eq!(
            (&shown[0]["condition"], &shown[2]["description"]),
            (&json!(null), &json!(null))
        );
        assert!(shown[2]["condition"].as_str().unwrap().contains("large.count"), "{shown:#}");
    }
    let statuses = waits["steps"].as_array().unwrap().iter().map(|step| &step["status"]);
    assert_eq!(statuses.collect::<Vec<_>>(), ["done", "waiting", "pending"], "{waits:#}");
}
