//! Questions without a dialogue: what needs a signature is left out, and the answer says what.

use countersign_cli::token::login;
use countersign_identity::Scopes;
use reqwest::StatusCode;
use serde_json::{Value, json};

use super::endpoints::register;
use super::proposals::{ASKS, DRAFTS, QUESTION, Scene};
use super::skill::{ANSWER, OFFICERS, researcher};
use super::{Stage, stage};
use crate::case::{FACTORY, refusal, step};
use crate::models::said;

const QUERY: &str = "/api/query";
const RESPOND: &str = "/api/hitl/respond";

/// A call that asks for itself, and a row that says that it was made.
const PAYS: &str = "
id: pays-at-once
name: Pays
description: Books a payment.
version: 1.0.0
steps:
  - {name: pay, step_type: tool, action: call_connector, connector: register, endpoint: book, inputs: {amount: '3.00'}}
  - {name: rows, step_type: tool, action: transform_data, inputs: {data: [{paid: true}]}, params: {operations: []}}
  - {name: keep, step_type: tool, action: save_to_workspace, inputs: {data: '{rows.data}'}, params: {table_name: paid, create_if_missing: true}}
";

#[tokio::test]
async fn r_059_r_065_r_067_r_068_r_092_r_095_k_18_what_needs_a_signature_is_left_out_of_a_query() {
    let stage = stage("countersign-research-queries", &["StreamReaders=5"]).await;
    let yaml = register(&stage.server.uri());
    stage.who.post("/connectors", &json!({ "yaml": yaml })).await;
    stage.who.playbook(OFFICERS).await;
    let scene = Scene::of(&stage).await;
    stage.who.bind(&scene.agent, "register").await;
    let run = scene.nobody_is_asked().await;
    scene.a_repetition_asks(&run).await;
    scene.a_step_that_asks_for_itself_is_left_out().await;
    scene.whoever_wants_to_be_asked_is().await;
    scene.what_cannot_be_asked_so_is_refused().await;
    who_asks_and_what_was_said_is_known(&stage).await;
}

/// What whoever asks says of themselves, and what was asked before, is known without a dialogue and in a stream.
async fn who_asks_and_what_was_said_is_known(stage: &Stage) {
    let about = json!({ "critical_facts": { "user_name": "Ana of the Owls" } });
    stage.who.door.put(&format!("{FACTORY}/me/memory"), &about).await.unwrap();
    let agent = researcher(stage, &json!({}), &json!({})).await;
    stage.answers(vec![said(ANSWER)]).await;
    let (first, second) = ("Which funds filed in 2024?", "And which in 2023?");
    let body = json!({ "profile": agent, "query": first, "conversation": "new" });
    let line = stage.who.door.post(&format!("{QUERY}?wait=1"), &body).await.unwrap();
    let run = stage.who.reaches(line["id"].as_str().unwrap(), "complete").await;
    let told = async || stage.asked().await[0]["messages"].to_string();
    assert!(told().await.contains("Ana of the Owls"));

    stage.answers(vec![said(ANSWER)]).await;
    let conversation = &run["conversation_id"];
    let body = json!({ "profile": agent, "query": second, "conversation": conversation });
    let own = format!("executions/{}/events", run["id"].as_str().unwrap());
    let url = run["events_url"].as_str().unwrap().replace(&own, "query/stream");
    let scopes = Scopes::parse(["global:analyst"]);
    let token = login(&stage.there.stack, &stage.who.id, scopes).unwrap();
    let asking = reqwest::Client::new().post(url).bearer_auth(token).json(&body);
    let answer = asking.send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK);
    let place = answer.headers()["content-location"].to_str().unwrap().to_owned();
    let run = place.split('/').find(|part| part.starts_with("run_")).unwrap();
    stage.who.reaches(run, "complete").await;
    let told = told().await;
    assert!(told.contains("Ana of the Owls") && told.contains(first), "{told}");
}

impl Scene<'_> {
    /// A question whose answer is not waited for longer than a moment: on a busy machine it takes longer than any request waits.
    async fn query(&self, more: &Value) -> String {
        let mut body = json!({ "profile": self.agent, "query": QUESTION });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let path = format!("{QUERY}?wait=1");
        let answer = self.stage.who.door.post(&path, &body).await.unwrap();
        answer["id"].as_str().unwrap().to_owned()
    }

    async fn nobody_is_asked(&self) -> String {
        self.answers(&[ASKS, DRAFTS]).await;
        let id = self.query(&json!({})).await;
        let run = self.stage.who.reaches(&id, "partial").await;
        assert_eq!(run["approval_policy"], "skip", "{run:#}");
        assert_eq!(self.booked().await, Vec::<Value>::new(), "nobody has signed");
        assert_eq!(run["approvals"], json!([]), "{run:#}");
        for (name, status) in [("sign_off", "closed"), ("call_register__book", "not_run")] {
            let step = step(&run, name);
            assert_eq!(
                (&step["status"], &step["code"]),
                (&json!(status), &json!("GATE_NOT_ASKED"))
            );
        }
        let blocked = &run["response"]["blocked"][0];
        assert_eq!(
            (&blocked["step"], &blocked["task_done"], &blocked["error"]),
            (&json!("sign_off"), &json!(false), &json!("hitl_skipped_non_streaming")),
            "{run:#}"
        );
        let data = &blocked["partial_data"];
        assert_eq!(
            (&data["steps"], &data["tools"]),
            (&json!(["call_register__book"]), &json!(["register/book"])),
            "{run:#}"
        );
        let reason = data["reason"].as_str().unwrap();
        for part in ["Not sent: 2 requests", "repeat the run, and its gates ask"] {
            assert!(reason.contains(part), "`{part}` is not in {reason}");
        }
        let content = run["response"]["content"].as_str().unwrap();
        for part in ["It is owed 12.50 and 7.00.", "skips its gates", "repeat the run"] {
            assert!(content.contains(part), "`{part}` is not in {content}");
        }
        id
    }

    /// The models' answers are taken over, and people are asked for what was left out.
    async fn a_repetition_asks(&self, run: &str) {
        self.answers(&[]).await;
        let again = self.repeat(run).await;
        self.stage.who.reaches(&again, "awaiting_approval").await;
        self.respond(&again, &json!({ "decision": "approved" })).await;
        let again = self.stage.who.reaches(&again, "complete").await;
        assert_eq!(again["approval_policy"], "require", "{again:#}");
        let booked = [json!({ "amount": "12.50" }), json!({ "amount": "7.00" })];
        assert_eq!((self.stage.asked().await.len(), self.booked().await), (0, booked.to_vec()));
    }

    async fn a_step_that_asks_for_itself_is_left_out(&self) {
        self.stage.who.playbook(PAYS).await;
        self.answers(&[]).await;
        let body =
            json!({ "profile": self.agent, "playbook": "pays-at-once", "approval_policy": "skip" });
        let line = self.stage.who.post("/executions", &body).await;
        let run = self.stage.who.reaches(line["id"].as_str().unwrap(), "partial").await;
        let blocked = &run["response"]["blocked"][0];
        assert_eq!(
            (&blocked["step"], &blocked["partial_data"]["tools"]),
            (&json!("pay"), &json!(["register/book"])),
            "{run:#}"
        );
        let content = run["response"]["content"].as_str().unwrap();
        assert!(content.contains("Not done: “pay”"), "{content}");
        assert_eq!(self.booked().await, Vec::<Value>::new());
        // What only computes goes on; what would say that something was paid does not.
        assert_eq!(step(&run, "rows")["status"], "done", "{run:#}");
        let keep = step(&run, "keep");
        assert_eq!((&keep["status"], &keep["code"]), (&json!("not_run"), &json!("GATE_NOT_ASKED")));
    }

    async fn whoever_wants_to_be_asked_is(&self) {
        self.answers(&[ASKS, DRAFTS]).await;
        let run = self.query(&json!({ "approval_policy": "require" })).await;
        self.stage.who.reaches(&run, "awaiting_approval").await;
        let no = json!({ "decision": "denied", "note": "too much" });
        let (request, denied) = self.respond(&run, &no).await;
        let yes = json!({ "request_id": request["id"], "digest": request["digest"], "version": request["version"], "decision": "approved" });
        let late = refusal(self.maria.door.post(RESPOND, &yes).await);
        assert_eq!((late.status, late.code.as_str()), (409, "APPROVAL_CLOSED"), "{denied:#}");
        let run = self.stage.who.reaches(&run, "partial").await;
        let blocked = &run["response"]["blocked"][0];
        assert_eq!(blocked["error"], "denied_by_user", "{run:#}");
        let reason = format!("Denied by {}: too much", self.maria.username);
        assert_eq!(blocked["partial_data"]["reason"], reason.as_str(), "{run:#}");
        assert_eq!(self.booked().await, Vec::<Value>::new());
    }

    /// Maria's decision about the run: the request, and what she is answered.
    async fn respond(&self, run: &str, decision: &Value) -> (Value, Value) {
        let row = self.maria.request(run).await;
        let request =
            self.maria.get(&format!("/approvals/{}", row["approval"].as_str().unwrap())).await;
        let mut body = json!({ "request_id": request["id"] });
        body.as_object_mut().unwrap().extend(decision.as_object().unwrap().clone());
        let unseen = refusal(self.maria.door.post(RESPOND, &body).await);
        assert_eq!(unseen.status, 422, "without what was seen: {}", unseen.said);
        body["digest"] = request["digest"].clone();
        body["version"] = request["version"].clone();
        let answer = self.maria.door.post(RESPOND, &body).await.unwrap();
        (request, answer)
    }

    async fn what_cannot_be_asked_so_is_refused(&self) {
        self.answers(&[]).await;
        let query = json!({ "profile": self.agent, "query": QUESTION });
        let with = |name: &str, value: Value| {
            let mut body = query.clone();
            body[name] = value;
            body
        };
        for (path, body, place) in [
            (QUERY.to_owned(), with("approval_policy", "auto_approve".into()), "approval_policy"),
            (QUERY.to_owned(), with("query", " ".into()), "query"),
            (format!("{QUERY}?wait=26"), query.clone(), "wait"),
        ] {
            let refused = refusal(self.stage.who.door.post(&path, &body).await);
            assert_eq!((refused.status, refused.places), (422, vec![place.to_owned()]));
        }
        assert_eq!(self.stage.asked().await.len(), 0);
    }
}
