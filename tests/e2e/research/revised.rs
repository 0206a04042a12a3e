//! Approvers ask for changes of what a model has drafted, and are asked again (R-060…R-063, K-09).

use countersign_cli::approver::Approver;
use countersign_cli::mailbox::Mail;
use serde_json::{Value, json};

use super::endpoints::register;
use super::proposals::{ASKS, DRAFTS, QUESTION, Scene};
use super::skill::OFFICERS;
use super::{Stage, stage};
use crate::case::{FACTORY, PATIENCE, Person, Refusal, admin, person_in, refusal, step, until};
use crate::models::said;

const LESS: &str = r#"{"results": [{"amount": "12.50"}]}"#;
const NONE: &str = r#"{"results": []}"#;
const OTHER: &str = r#"{"results": [{"amount": "3.00"}]}"#;
const ADDED: &str = "Leave out the \"7.00\", which was paid in May.";
const INSTEAD: &str = "Book 3.00 for the meal of May.";

#[tokio::test]
async fn r_060_r_061_r_062_r_063_k_09_what_a_model_wrote_is_rewritten_as_an_approver_says_and_signed()
 {
    let stage = stage("countersign-revised", &[]).await;
    let yaml = register(&stage.server.uri());
    stage.who.post("/connectors", &json!({ "yaml": yaml })).await;
    stage.who.playbook(OFFICERS).await;
    let scene = Scene::of(&stage).await;
    stage.who.bind(&scene.agent, "register").await;
    scene.drafts_are_written_anew().await;
    a_report_is_written_anew(&stage, &scene.maria).await;
}

/// A report that two people sign before it is kept; what is computed of it before the gate is computed again.
const REPORT: &str = r#"
id: revised-report
name: Report
description: Writes a report, and keeps it when two people have read it.
version: 1.0.0
inputs:
  - {name: notes, type: list, required: true}
steps:
  - name: other
    step_type: llm_task
    action: llm_analyze
    inputs: {data: "{notes}"}
    params: {instructions: Say something else.}
    output_schema: {type: object, fields: [{name: text, type: string}]}
  - name: write
    step_type: llm_task
    action: synthesize_report
    inputs: {data: "{notes}"}
    params: {instructions: Write a report.}
    output_schema: {type: object, fields: [{name: report, type: string}]}
  - name: wrap
    step_type: tool
    action: transform_data
    inputs: {data: [{text: "{write.report}", beside: "{other.text}"}]}
    operations: [{type: limit, value: 1}]
  - name: ask
    step_type: approval
    preview_from: wrap.data
    prompt: Keep it?
    quorum: 2
    approvers: [APPROVERS]
    revise: [write]
  - name: keep
    step_type: tool
    action: write_journal_entry
    inputs: {summary: "{wrap.data[0].text}"}
"#;

async fn a_report_is_written_anew(stage: &Stage, maria: &Person) {
    let cyd = person_in(&stage.there, "cyd", &["global:analyst", "decide"]).await;
    // Named as well, but may not sign yet.
    let ben = person_in(&stage.there, "ben", &["global:analyst"]).await;
    let approvers = format!("{}, {}, {}", maria.username, cyd.username, ben.username);
    stage.who.playbook(&REPORT.replace("APPROVERS", &approvers)).await;
    let written = |field: &str, text: &str| said(&json!({ field: text }).to_string());
    stage
        .answers(vec![
            written("text", "Aside."),
            written("report", "Long."),
            written("report", "Short."),
        ])
        .await;
    let run = stage.who.start(&stage.agent, "revised-report", json!({ "notes": ["a"] })).await;
    let first = newest(maria, &run, &[]).await;
    let approve = |seen: &Value| json!({ "digest": seen["digest"], "version": seen["version"] });
    maria.post(&path(&first, "approve"), &approve(&first)).await;
    let capabilities = format!("/api/admin/users/{}/capabilities", ben.username);
    let decide = json!({ "capability": "decide" });
    admin(&stage.there).post(&capabilities, &decide).await.unwrap();
    cyd.post(&path(&first, "revise"), &wish(&first, "enhance", "Be short.")).await;

    // Maria's vote was for what she saw. She is asked again, and everything else is as it was.
    let second = newest(maria, &run, &[&first]).await;
    assert_eq!((&second["given"], &second["needed"]), (&json!(0), &json!(2)), "{second:#}");
    let shown = second["preview"].to_string();
    assert!(shown.contains("Short.") && shown.contains("Aside."), "{second:#}");
    let earlier = async |who: &Person| who.get(&path(&second, "rounds")).await["items"].clone();
    assert_eq!(earlier(maria).await[0]["approval"], first["id"]);
    assert_eq!(earlier(&ben).await, json!([]), "he was not asked then");
    assert_eq!(ben.refused(&path(&first, "rounds"), None).await.0, 404);
    for who in [maria, &cyd] {
        who.post(&path(&second, "approve"), &approve(&second)).await;
    }
    let done = stage.who.reaches(&run, "complete").await;
    assert_eq!(stage.asked().await.len(), 3, "only what was to be changed was asked for again");
    assert_eq!(done["warnings"].as_array().unwrap().len(), 2, "each step warns once: {done:#}");
    let kept = stage.who.get(&format!("/profiles/{}/journal", stage.agent)).await.to_string();
    assert!(kept.contains("Short.") && !kept.contains("Long."), "{kept}");
}

/// The open request of a run that is none of these, as somebody who may sign it sees it.
async fn newest(who: &Person, run: &str, before: &[&Value]) -> Value {
    let is_new = |request: &Value| before.iter().all(|one| one["id"] != request["approval"]);
    let request = until("a request that is not closed", || async {
        let page = who.get("/approvals?status=pending").await;
        let mut of_run = page["items"].as_array().unwrap().iter().filter(|one| one["run"] == run);
        of_run.find(|request| is_new(request)).cloned()
    });
    let id = request.await["approval"].as_str().unwrap().to_owned();
    who.get(&format!("/approvals/{id}")).await
}

impl Scene<'_> {
    async fn drafts_are_written_anew(&self) {
        self.answers(&[ASKS, DRAFTS, LESS, NONE, OTHER]).await;
        let run = self.ask().await;
        self.stage.who.reaches(&run, "awaiting_approval").await;
        let first = newest(&self.maria, &run, &[]).await;
        assert_eq!(first["revisable"], json!(["draft_register__book"]), "{first:#}");
        self.what_is_no_wish_changes_nothing(&first).await;

        let receipt = self.wishes(&first, "enhance", ADDED).await;
        assert_eq!(self.wishes(&first, "enhance", ADDED).await, receipt, "it is the same wish");
        self.nothing_can_be_decided_any_more(&first).await;
        let second = newest(&self.maria, &run, &[&first]).await;
        assert_ne!(first["digest"], second["digest"]);
        assert_eq!(second["effects"][0]["count"], 1, "{second:#}");
        let remarks = second["remarks"].to_string();
        assert!(
            remarks.contains("asked for changes") && remarks.contains("paid in May"),
            "{remarks}"
        );
        self.the_model_was_told_both().await;
        assert_eq!(self.booked().await, Vec::<Value>::new(), "nobody has signed");

        // A gate that would be skipped now asks all the same: somebody wanted to see what comes of their words.
        self.wishes(&second, "enhance", "Leave out the rest.").await;
        let empty = newest(&self.maria, &run, &[&first, &second]).await;
        assert_eq!(empty["effects"], json!([]), "{empty:#}");
        let remarks = empty["remarks"].to_string();
        assert!(remarks.contains("Nobody would be asked here any more"), "{remarks}");
        let prompt = empty["prompt"].as_str().unwrap();
        assert!(!prompt.contains("drafted"), "no call is shown: {prompt}");

        self.by_mail(&empty, "override", INSTEAD).await;
        let third = newest(&self.maria, &run, &[&first, &second, &empty]).await;
        self.the_model_was_told_the_new_task().await;
        let decision = json!({ "digest": third["digest"], "version": third["version"] });
        self.maria.post(&path(&third, "approve"), &decision).await;
        let done = self.stage.who.reaches(&run, "complete").await;
        assert_eq!(self.booked().await, [json!({ "amount": "3.00" })]);
        self.the_record_has_all_of_it(&done).await;
        let before = [empty, second, first];
        self.the_rounds_before_are_a_list(&third, &before.map(|one| one["id"].clone())).await;

        // A repetition drafts what was signed, and sends nothing of it again.
        self.answers(&[]).await;
        let again = self.repeat(&run).await;
        let seen = newest(&self.maria, &again, &[]).await;
        assert!(seen.to_string().contains("calls made before: 1"), "{seen:#}");
        assert_eq!(self.stage.asked().await.len(), 0, "no model was asked");
        let decision = json!({ "digest": seen["digest"], "version": seen["version"] });
        self.maria.post(&path(&seen, "approve"), &decision).await;
        self.stage.who.reaches(&again, "complete").await;
        assert_eq!(self.booked().await.len(), 0);
    }

    /// What the gate asked before, the latest first, with what was wanted each time.
    async fn the_rounds_before_are_a_list(&self, last: &Value, before: &[Value; 3]) {
        let rounds = self.maria.get(&path(last, "rounds?limit=2")).await;
        let next = format!("rounds?limit=2&cursor={}", rounds["next"].as_str().unwrap());
        let earliest = self.maria.get(&path(last, &next)).await;
        assert_eq!(earliest["next"], Value::Null, "{earliest:#}");
        let pages = [&rounds, &earliest].map(|page| page["items"].as_array().unwrap().clone());
        let all = pages.concat();
        let told = |field: &str| all.iter().map(|one| one[field].clone()).collect::<Vec<_>>();
        assert_eq!(
            (told("approval"), told("round")),
            (before.to_vec(), vec![json!(2), json!(1), json!(0)])
        );
        let wanted = all.iter().map(|one| &one["closed"]["revision"]);
        let wanted: Vec<Value> =
            wanted.map(|one| json!([one["mode"], one["instructions"]])).collect();
        let expect = [
            json!(["override", INSTEAD]),
            json!(["enhance", "Leave out the rest."]),
            json!(["enhance", ADDED]),
        ];
        assert_eq!(wanted, expect, "{all:#?}");
        assert_eq!(all[0]["closed"]["by"]["username"], self.maria.username, "{all:#?}");
        let of_first =
            self.maria.get(&format!("/approvals/{}/rounds", before[2].as_str().unwrap())).await;
        assert_eq!(of_first["items"], json!([]), "nothing was before it");
    }

    async fn wishes(&self, seen: &Value, mode: &str, instructions: &str) -> Value {
        let wish = wish(seen, mode, instructions);
        let answer = self.maria.post(&path(seen, "revise"), &wish).await;
        assert_eq!(answer["status"], "superseded", "{answer:#}");
        answer["receipt"].clone()
    }

    async fn what_is_no_wish_changes_nothing(&self, seen: &Value) {
        let is_refused = async |body: &Value, status: u16, code: &str, place: Option<&str>| {
            let refusal = refused(&self.maria, &path(seen, "revise"), body).await;
            assert_eq!((refusal.status, refusal.code.as_str()), (status, code), "{}", refusal.said);
            assert_eq!(refusal.places.first().map(String::as_str), place, "{}", refusal.said);
        };
        let blank = wish(seen, "enhance", "  ");
        is_refused(&blank, 422, "INSTRUCTIONS_MISSING", Some("instructions")).await;
        let long = wish(seen, "enhance", &"x".repeat(2_001));
        is_refused(&long, 422, "INSTRUCTIONS_TOO_LONG", Some("instructions")).await;
        let mut unclear = wish(seen, "enhance", ADDED);
        unclear.as_object_mut().expect("an object").remove("mode");
        is_refused(&unclear, 422, "INVALID_INPUT", Some("mode")).await;
        let mut unseen = wish(seen, "enhance", ADDED);
        unseen["digest"] = "0".repeat(64).into();
        is_refused(&unseen, 409, "PREVIEW_CHANGED", None).await;
        is_refused(&json!({ "digest": seen["digest"], "mode": "enhance", "instructions": ADDED, "note": "x" }), 422, "INVALID_INPUT", Some("note")).await;
        let refusal =
            refused(&self.stage.who, &path(seen, "revise"), &wish(seen, "enhance", ADDED)).await;
        assert_eq!(refusal.code, "NOT_AN_APPROVER", "whoever asked does not sign");
    }

    async fn nothing_can_be_decided_any_more(&self, seen: &Value) {
        let decision = json!({ "digest": seen["digest"], "version": seen["version"] });
        for verdict in ["approve", "reject"] {
            let refusal = refused(&self.maria, &path(seen, verdict), &decision).await;
            assert_eq!((refusal.status, refusal.code.as_str()), (409, "APPROVAL_SUPERSEDED"));
            assert!(
                refusal.said.contains(&format!("asked for by {}", self.maria.username)),
                "{}",
                refusal.said
            );
        }
    }

    /// Task, draft and instructions, each in its place.
    async fn the_model_was_told_both(&self) {
        let told = self.stage.asked().await.pop().unwrap()["messages"][1]["content"]
            .as_str()
            .unwrap()
            .to_owned();
        let task = told.find("Task:\nDraft the calls of register/book").unwrap();
        let also = told.find("Also required").unwrap();
        let before = told.find("You have answered before").unwrap();
        assert!(task < also && also < before, "{told}");
        assert!(told[also..before].contains(&format!("- {ADDED}")), "{told}");
        assert!(told[before..].contains("12.50") && told[before..].contains("7.00"), "{told}");
        assert!(told.contains(QUESTION), "{told}");
    }

    async fn the_model_was_told_the_new_task(&self) {
        let told = self.stage.asked().await.pop().unwrap()["messages"][1]["content"]
            .as_str()
            .unwrap()
            .to_owned();
        assert!(told.starts_with(&format!("Task:\n{INSTEAD}\n")), "{told}");
        assert!(told.contains("for reference only:\nDraft the calls"), "{told}");
        assert!(!told.contains(ADDED), "the new task replaces what was added before: {told}");
    }

    /// The page behind the mailed link, and the code that confirms these instructions.
    async fn by_mail(&self, seen: &Value, decision: &str, instructions: &str) {
        let approver = Approver::new(self.stage.there.mailbox(), &self.maria.email).unwrap();
        // Mails of earlier requests may come late.
        let id = seen["id"].as_str().unwrap();
        let of_request = |mail: &Mail| {
            let link = mail.link().filter(|_| mail.text.contains(id))?;
            Some((link.to_owned(), mail.subject.clone()))
        };
        let mails = self.stage.there.mailbox();
        let (link, subject) = mails.wait(&self.maria.email, 0, PATIENCE, of_request).await.unwrap();
        assert!(subject.starts_with("Asked again after changes"), "{subject}");
        let page = approver.open(&link).await.unwrap();
        assert!(page.html.contains("Ask for changes"), "{}", page.html);
        let form = [("decision", decision), ("note", instructions)];
        let answer = approver.send_form(&link, &page, &form).await.unwrap();
        assert!(answer.html.contains("You asked for something else instead"), "{}", answer.html);
        let closed = approver.open(&link).await.unwrap();
        assert!(closed.html.contains("Changes were asked for"), "{}", closed.html);
    }

    async fn the_record_has_all_of_it(&self, done: &Value) {
        let requests = done["approvals"].as_array().unwrap();
        let ends: Vec<&str> = requests.iter().map(|one| one["status"].as_str().unwrap()).collect();
        assert_eq!(ends, ["superseded", "superseded", "superseded", "approved"], "{done:#}");
        let said = [&requests[0]["decisions"][0], &requests[2]["decisions"][0]];
        assert_eq!(said.map(|one| &one["verdict"]), [&json!("enhance"), &json!("override")]);
        assert_eq!(said.map(|one| &one["note"]), [&json!(ADDED), &json!(INSTEAD)]);
        assert_eq!(step(done, "answer")["status"], "done", "{done:#}");
        assert_eq!(self.stage.asked().await.len(), 5, "the answer was not asked for again");
        // What the run gives back is what was done in the end, not what was asked.
        let content = done["response"]["content"].as_str().unwrap();
        assert!(content.contains("3.00") && content.contains("**Done:** 1"), "{content}");
        let events = self
            .stage
            .who
            .get(&format!("/executions/{}/events", done["id"].as_str().unwrap()))
            .await;
        let events = events.as_array().or(events["items"].as_array()).unwrap();
        assert_eq!(
            events.iter().filter(|event| event["kind"] == "revised").count(),
            3,
            "{events:#?}"
        );
    }
}

fn path(seen: &Value, what: &str) -> String {
    format!("/approvals/{}/{what}", seen["id"].as_str().unwrap())
}

async fn refused(who: &Person, path: &str, body: &Value) -> Refusal {
    refusal(who.door.post(&format!("{FACTORY}{path}"), body).await)
}

fn wish(seen: &Value, mode: &str, instructions: &str) -> Value {
    json!({ "digest": seen["digest"], "version": seen["version"], "mode": mode, "instructions": instructions })
}
