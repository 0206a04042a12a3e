//! Calls that a model drafts for a question, and people sign.

use serde_json::{Value, json};
use wiremock::matchers::{method, path};
use wiremock::{Mock, ResponseTemplate};

use super::Stage;
use super::skill::researcher;
use crate::case::{FACTORY, Person, person_in, refusal, step};
use crate::models::{output, said};

pub(super) const QUESTION: &str = "Pay {today} what Owl Fund is owed.";

pub(super) const ASKS: &str =
    r#"{"answer": "It is owed 12.50 and 7.00.", "sources": [], "asks_for_register__book": true}"#;

pub(super) const DRAFTS: &str = r#"{"results": [{"amount": "12.50"}, {"amount": "7.00"}]}"#;

pub(super) struct Scene<'a> {
    pub(super) stage: &'a Stage,
    pub(super) maria: Person,
    pub(super) agent: String,
}

/// With the connector `register` and the playbook `officers` there.
pub(super) async fn what_a_model_drafts_is_sent_when_it_is_signed(stage: &Stage) {
    let scene = Scene::of(stage).await;
    scene.an_endpoint_that_is_not_there_is_refused().await;
    stage.who.bind(&scene.agent, "register").await;
    scene.what_is_not_asked_for_is_not_drafted().await;
    let signed = scene.what_is_signed_is_sent().await;
    scene.what_is_repeated_is_not_sent_again(&signed).await;
    scene.what_has_moved_in_the_list_is_not_sent_again().await;
    scene.what_is_denied_is_not_sent().await;
    scene.an_endpoint_without_an_effect_is_refused().await;
}

impl<'s> Scene<'s> {
    /// An agent that may propose payments, which Maria signs; it is not bound yet.
    pub(super) async fn of(stage: &'s Stage) -> Self {
        let maria = person_in(&stage.there, "maria", &["global:analyst", "decide"]).await;
        let rest = json!({ "approvers": [maria.username] });
        let agent = researcher(stage, &json!({ "proposes": ["register/book"] }), &rest).await;
        Self { stage, maria, agent }
    }
}

impl Scene<'_> {
    /// The model's turns from now on; the register books what it gets.
    pub(super) async fn answers(&self, turns: &[&str]) {
        self.stage.answers(turns.iter().map(|turn| said(turn)).collect()).await;
        self.books().await;
    }

    pub(super) async fn books(&self) {
        let booked = ResponseTemplate::new(200).set_body_json(json!({ "id": "p1" }));
        let payments = Mock::given(method("POST")).and(path("/payments"));
        payments.respond_with(booked).mount(&self.stage.server).await;
    }

    pub(super) async fn ask(&self) -> String {
        let body = json!({ "profile": self.agent, "query": QUESTION });
        self.stage.who.post("/executions", &body).await["id"].as_str().unwrap().to_owned()
    }

    /// What the register was sent.
    pub(super) async fn booked(&self) -> Vec<Value> {
        let all = self.stage.server.received_requests().await.unwrap();
        let payments = all.iter().filter(|one| one.url.path() == "/payments");
        payments.map(|one| one.body_json().unwrap()).collect()
    }

    async fn is_refused(&self, why: &str) {
        let body = json!({ "profile": self.agent, "query": QUESTION });
        let said = self.stage.who.door.post(&format!("{FACTORY}/executions"), &body).await;
        let refusal = refusal(said);
        assert_eq!((refusal.status, refusal.places.as_slice()), (422, &["query".to_owned()][..]));
        assert!(refusal.said.contains(why), "{}", refusal.said);
    }

    async fn an_endpoint_that_is_not_there_is_refused(&self) {
        self.is_refused("the agent has no such endpoint").await;
    }

    async fn an_endpoint_without_an_effect_is_refused(&self) {
        let proposes = json!({ "proposes": ["register/filings"] });
        let skill =
            json!({ "skill_type": "built_in", "reference": "research", "parameters": proposes });
        let path = format!("{FACTORY}/profiles/{}", self.agent);
        let saved = self.stage.who.door.patch(&path, &json!({ "skills": [skill] })).await.unwrap();
        let why = "it has no effect that anybody would sign";
        let warning = &saved["warnings"][0];
        assert!(warning["message"].as_str().unwrap().contains(why), "{saved:#}");
        assert_eq!(warning["pointer"], "/skills/0/parameters", "{saved:#}");
        self.is_refused(why).await;
    }

    async fn what_is_not_asked_for_is_not_drafted(&self) {
        self.answers(&[&ASKS.replace("true", "false")]).await;
        let run = self.stage.who.reaches(&self.ask().await, "complete").await;
        let content = run["response"]["content"].as_str().unwrap();
        assert!(!content.contains("register/book"), "{content}");
        assert_eq!(run["response"]["problems"].as_array().map_or(0, Vec::len), 0, "{run:#}");
        for name in ["draft_register__book", "sign_off", "call_register__book"] {
            assert_eq!(step(&run, name)["status"], "skipped", "{run:#}");
        }
        assert_eq!(self.booked().await, Vec::<Value>::new());
    }

    pub(super) async fn decide(&self, run: &str, verdict: &str) -> Value {
        let request = self.maria.request(run).await;
        let path = format!("/approvals/{}", request["approval"].as_str().unwrap());
        let seen = self.maria.get(&path).await;
        let decision = json!({ "digest": seen["digest"], "version": seen["version"] });
        self.maria.post(&format!("{path}/{verdict}"), &decision).await;
        seen
    }

    async fn what_is_signed_is_sent(&self) -> String {
        self.answers(&[ASKS, DRAFTS]).await;
        let body = json!({ "profile": self.agent, "query": QUESTION, "conversation": "new" });
        let begun = self.stage.who.post("/executions", &body).await;
        let run = begun["id"].as_str().unwrap().to_owned();
        let waiting = self.stage.who.reaches(&run, "awaiting_approval").await;
        assert_eq!(self.booked().await, Vec::<Value>::new(), "nobody has signed");
        let drafting = self.stage.asked().await.pop().unwrap()["messages"].to_string();
        assert!(drafting.contains(QUESTION) && drafting.contains("7.00"), "{drafting}");

        let answer = output(&self.stage.who, &run, "answer").await;
        assert_eq!(answer["answer"], "It is owed 12.50 and 7.00.", "it need not be waited for");

        let seen = self.decide(&run, "approve").await;
        let prompt = seen["prompt"].as_str().unwrap_or_default();
        assert!(prompt.contains(QUESTION), "{seen:#}");
        assert_eq!(seen["agent_profile_id"], self.agent.as_str());
        assert!(seen["conversation_id"].is_string(), "{seen:#}");
        assert_eq!(seen["conversation_id"], waiting["conversation_id"]);
        let shown = seen.to_string();
        for part in ["12.50", "7.00", "It is owed 12.50 and 7.00.", "written by the model"] {
            assert!(shown.contains(part), "`{part}` is not in {seen:#}");
        }
        let run = self.stage.who.reaches(&run, "complete").await;
        assert_eq!(
            self.booked().await,
            [json!({ "amount": "12.50" }), json!({ "amount": "7.00" })]
        );
        let content = run["response"]["content"].as_str().unwrap();
        for part in [
            "It is owed 12.50 and 7.00.",
            "## Drafts: register/book",
            "## Calls: register/book",
            "**Done:** 2",
            "| Call | Status |",
            "| 1 | done |",
        ] {
            assert!(content.contains(part), "`{part}` is not in {content}");
        }
        assert!(content.contains("p1") && !content.contains("more column"), "{content}");
        run["id"].as_str().unwrap().to_owned()
    }

    pub(super) async fn repeat(&self, run: &str) -> String {
        let again = self.stage.who.post(&format!("/executions/{run}/repeat"), &json!({})).await;
        again["id"].as_str().unwrap().to_owned()
    }

    /// The same day and the same question: no model is asked again. The gate asks, and what is signed is nothing more.
    async fn what_is_repeated_is_not_sent_again(&self, run: &str) {
        self.answers(&[]).await;
        let again = self.repeat(run).await;
        let seen = self.decide(&again, "approve").await;
        assert!(seen.to_string().contains("calls made before: 2"), "{seen:#}");
        self.stage.who.reaches(&again, "complete").await;
        assert_eq!((self.stage.asked().await.len(), self.booked().await.len()), (0, 0));
    }

    /// The first of two is struck out and the second sent; then the models are asked anew, and the second alone is drafted. From
    /// the same answer the same would be drafted.
    async fn what_has_moved_in_the_list_is_not_sent_again(&self) {
        self.answers(&[ASKS, DRAFTS]).await;
        let run = self.ask().await;
        let request = self.maria.request(&run).await;
        let path = format!("/approvals/{}", request["approval"].as_str().unwrap());
        let seen = self.maria.get(&path).await;
        let strike = json!({ "digest": seen["digest"], "version": seen["version"], "step": "call_register__book", "indices": [0] });
        self.maria.post(&format!("{path}/strike"), &strike).await;
        self.decide(&run, "approve").await;
        self.stage.who.reaches(&run, "complete").await;
        assert_eq!(self.booked().await, [json!({ "amount": "7.00" })]);

        let memory = format!("{FACTORY}/me/memory");
        let about = json!({ "preferences": { "tone": "brief" } });
        self.stage.who.door.put(&memory, &about).await.unwrap();
        let asks = ASKS.replace("12.50 and ", "");
        self.answers(&[&asks, r#"{"results": [{"amount": "7.00"}]}"#]).await;
        let again = self.repeat(&run).await;
        let again = self.stage.who.reaches(&again, "error").await;
        assert!(again.to_string().contains("REPEAT_CHANGED"), "{again:#}");
        assert_eq!((self.stage.asked().await.len(), self.booked().await.len()), (2, 0));
        self.stage.who.door.delete(&memory).await.unwrap();
    }

    async fn what_is_denied_is_not_sent(&self) {
        self.answers(&[ASKS, DRAFTS]).await;
        let run = self.ask().await;
        self.decide(&run, "reject").await;
        let run = self.stage.who.reaches(&run, "partial").await;
        assert_eq!(self.booked().await, Vec::<Value>::new());
        let content = run["response"]["content"].as_str().unwrap();
        for part in ["It is owed 12.50 and 7.00.", "## Drafts: register/book", "was denied"] {
            assert!(content.contains(part), "`{part}` is not in {content}");
        }
    }
}
