//! Runs with a provider, carried out once more without it.

use serde_json::{Value, json};

use super::endpoints::{answers_filings, register};
use super::proposals::{ASKS, DRAFTS, QUESTION, Scene};
use super::skill::OFFICERS;
use super::{asking, stage};
use crate::case::{FACTORY, refusal, step};
use crate::models::said;

#[tokio::test]
async fn issue_15_a_run_is_replayed_without_its_provider_and_a_changed_prompt_is_named() {
    let stage = stage("countersign-research-replayed", &[]).await;
    let yaml = register(&stage.server.uri());
    stage.who.post("/connectors", &json!({ "yaml": yaml })).await;
    stage.who.playbook(OFFICERS).await;
    let scene = Scene::of(&stage).await;
    stage.who.bind(&scene.agent, "register").await;
    let run = scene.is_recorded().await;
    scene.is_replayed(&run).await;
    scene.what_changed_is_named(&run).await;
    scene.what_is_given_or_gone_is_named().await;
    scene.what_was_denied_is_denied().await;
    scene.what_failed_fails().await;
    scene.what_was_not_done_has_no_answer().await;
    scene.what_cannot_be_replayed_is_refused(&run).await;
}

impl Scene<'_> {
    /// A run in which a model looks something up, drafts two calls, and one person signs them.
    async fn is_recorded(&self) -> Value {
        let looks = asking(&[("register__filings", r#"{"year": 2024}"#)]);
        self.stage.answers(vec![looks, said(ASKS), said(DRAFTS)]).await;
        answers_filings(self.stage).await;
        self.books().await;
        let run = self.ask().await;
        self.decide(&run, "approve").await;
        let run = self.stage.who.reaches(&run, "complete").await;
        assert_eq!(self.booked().await.len(), 2);
        run
    }

    async fn replay(&self, run: &Value, end: &str) -> Value {
        let path = format!("/executions/{}/replay", run["id"].as_str().unwrap());
        let line = self.stage.who.post(&path, &json!({})).await;
        self.stage.who.reaches(line["id"].as_str().unwrap(), end).await
    }

    async fn is_replayed(&self, run: &Value) {
        self.stage.answers(Vec::new()).await;
        let replay = self.replay(run, "complete").await;
        let all = self.stage.server.received_requests().await.unwrap();
        assert_eq!(all.len(), 0, "nobody is asked and nothing is sent");
        assert_eq!((&replay["replays"], &replay["query"]), (&run["id"], &json!(QUESTION)));
        for name in ["answer", "draft_register__book"] {
            let step = step(&replay, name);
            assert_eq!((&step["status"], &step["code"]), (&json!("done"), &Value::Null));
            assert!(step["message"].as_str().unwrap().contains("asked the same"), "{step:#}");
        }
        let text = |run: &Value| {
            let content = run["response"]["content"].as_str().unwrap();
            let told = "**This was a replay: nothing was asked or sent, and every answer is that of the run it replays.**\n\n";
            content.replace(told, "").split("\n---").next().unwrap().to_owned()
        };
        assert_eq!(text(&replay), text(run));
        assert!(replay["response"]["content"].as_str().unwrap().contains("This was a replay"));
        assert_eq!(replay["approvals"], json!([]), "{replay:#}");
        let listed = self.stage.model_calls(replay["id"].as_str().unwrap()).await;
        assert_eq!(listed, Vec::<Value>::new());
    }

    /// The agent is told something else from now on: one of its two prompts is another one.
    async fn what_changed_is_named(&self, run: &Value) {
        let path = format!("{FACTORY}/profiles/{}", self.agent);
        let told = json!({ "system_prompt_additions": "Answer in one sentence." });
        self.stage.who.door.patch(&path, &told).await.unwrap();
        let replay = self.replay(run, "complete").await;
        let codes =
            ["answer", "draft_register__book"].map(|name| step(&replay, name)["code"].clone());
        assert_eq!(codes, [json!("PROMPT_CHANGED"), Value::Null], "{replay:#}");
        let warned = replay["warnings"].to_string();
        assert!(warned.contains("`answer` asks something else than in run_"), "{warned}");
        assert_eq!(step(&replay, "call_register__book")["status"], "done", "{replay:#}");
    }

    /// A playbook pays something else by now, and does not ask any more.
    async fn what_is_given_or_gone_is_named(&self) {
        let playbook = |gate: &str, amount: &str| {
            format!(
                "id: pays\nname: Pays\ndescription: Pays.\nversion: 1.0.0\nsteps:\n{gate}  - {{name: pay, step_type: tool, \
                 action: call_connector, connector: register, endpoint: book, inputs: {{amount: '{amount}'}}}}\n"
            )
        };
        let gate = "  - {name: sure, step_type: approval, prompt: Pay?}\n";
        self.stage.who.playbook(&playbook(gate, "5.00")).await;
        self.stage.answers(Vec::new()).await;
        self.books().await;
        let body = json!({ "profile": self.agent, "playbook": "pays" });
        let line = self.stage.who.post("/executions", &body).await;
        let run = line["id"].as_str().unwrap();
        self.decide(run, "approve").await;
        let run = self.stage.who.reaches(run, "complete").await;
        let replay = self.replay(&run, "complete").await;
        assert_eq!(step(&replay, "pay")["code"], Value::Null, "{replay:#}");
        let changed = json!({ "yaml": playbook("", "99999") });
        self.stage.who.door.put(&format!("{FACTORY}/playbooks/pays"), &changed).await.unwrap();
        let path = format!("/executions/{}/replay", run["id"].as_str().unwrap());
        let line = self.stage.who.post(&path, &json!({})).await;
        assert_eq!(line["warnings"][0]["path"], "playbook.steps.sure", "{line:#}");
        let replay = self.stage.who.reaches(line["id"].as_str().unwrap(), "complete").await;
        assert_eq!(step(&replay, "pay")["code"], "INPUTS_CHANGED", "{replay:#}");
        assert_eq!(self.booked().await.len(), 1, "only the run has sent anything");
    }

    async fn what_was_denied_is_denied(&self) {
        self.answers(&[ASKS, DRAFTS]).await;
        let run = self.ask().await;
        self.decide(&run, "reject").await;
        let run = self.stage.who.reaches(&run, "partial").await;
        let replay = self.replay(&run, "partial").await;
        let call = step(&replay, "call_register__book");
        assert_eq!((&call["status"], &call["code"]), (&json!("not_run"), &json!("GATE_DENIED")));
        assert_eq!(step(&replay, "answer")["code"], Value::Null, "its prompt is the present one");
    }

    /// A playbook that has one more step by now.
    async fn what_was_not_done_has_no_answer(&self) {
        let playbook = |more: &str| {
            format!(
                "id: looks-twice\nname: Looks\ndescription: Looks.\nversion: 1.0.0\nsteps:\n  - {{name: one, step_type: tool, \
                 action: call_connector, connector: register, endpoint: filings, inputs: {{year: 2024}}}}\n{more}"
            )
        };
        self.stage.who.playbook(&playbook("")).await;
        self.stage.answers(Vec::new()).await;
        answers_filings(self.stage).await;
        let body = json!({ "profile": self.agent, "playbook": "looks-twice" });
        let line = self.stage.who.post("/executions", &body).await;
        let run = self.stage.who.reaches(line["id"].as_str().unwrap(), "complete").await;
        let two = "  - {name: two, step_type: tool, action: call_connector, connector: register, endpoint: filings, \
                   inputs: {year: 2023}, on_error: skip}\n";
        let path = format!("{FACTORY}/playbooks/looks-twice");
        let changed = json!({ "yaml": playbook(two) });
        self.stage.who.door.put(&path, &changed).await.unwrap();
        self.stage.answers(Vec::new()).await;
        let replay = self.replay(&run, "partial").await;
        let told = ["one", "two"].map(|name| step(&replay, name)["code"].clone());
        assert_eq!(told, [Value::Null, json!("NOT_RECORDED")], "{replay:#}");
        assert_eq!(self.stage.server.received_requests().await.unwrap().len(), 0);
    }

    async fn what_failed_fails(&self) {
        self.stage.answers(vec![said("no answer at all"), said("again none")]).await;
        let failed = self.stage.who.reaches(&self.ask().await, "error").await;
        let replay = self.replay(&failed, "error").await;
        let then = step(&failed, "answer");
        let now = step(&replay, "answer");
        assert_eq!((&now["status"], &now["code"]), (&json!("failed"), &then["code"]), "{replay:#}");
        assert!(now["message"].as_str().unwrap().starts_with("as in run_"), "{now:#}");
    }

    async fn what_cannot_be_replayed_is_refused(&self, run: &Value) {
        let replay = self.replay(run, "complete").await;
        let refused = async |id: &Value| {
            let path = format!("{FACTORY}/executions/{}/replay", id.as_str().unwrap());
            let refusal = refusal(self.stage.who.door.post(&path, &json!({})).await);
            (refusal.status, refusal.code)
        };
        assert_eq!(refused(&replay["id"]).await, (409, "RUN_IS_A_TEST".to_owned()));
        self.stage.answers(vec![said(ASKS), said(DRAFTS)]).await;
        let open = self.stage.who.reaches(&self.ask().await, "awaiting_approval").await;
        assert_eq!(refused(&open["id"]).await, (409, "RUN_NOT_FINISHED".to_owned()));
    }
}
