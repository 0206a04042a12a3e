//! Members run an agent that its owner shares with them (F-231, F-235, F-018, F-019, K-35).

use serde_json::{Value, json};

use super::agents::{put, terms};
use super::{delete, leave, share, team};
use crate::case::{FACTORY, Person, gated, person, revoke, rows, step, until};

/// Where the agent keeps rows.
const KEPT: &str = "/workspaces/default/tables/kept_rows/rows";

/// Ana's agent, which asks before it keeps rows, and Bea, who may run it.
struct Desk {
    ana: Person,
    bea: Person,
    team: String,
    agent: String,
}

impl Desk {
    async fn open() -> Self {
        Self::with_gate("").await
    }

    async fn with_gate(gate: &str) -> Self {
        let ana = person("ana", &["global:analyst", "decide"]).await;
        let bea = person("bea", &["global:analyst", "decide"]).await;
        let team = team(&[&ana, &bea]).await;
        let gate = gate.replace("BEA", &bea.username);
        ana.playbook(&gated("members-rows", &gate)).await;
        let handle = format!("agent-{}", uuid::Uuid::now_v7().simple());
        let skill = json!({ "skill_type": "playbook", "reference": "members-rows" });
        let body = json!({ "name": "Keeper", "handle": handle, "skills": [skill] });
        let agent = ana.post("/profiles", &body).await["id"].as_str().unwrap().to_owned();
        share(
            &ana,
            &agent,
            &team,
            &json!({ "members_run": true, "journal_visibility": "own_only" }),
        )
        .await;
        Self { ana, bea, team, agent }
    }

    fn runs(&self) -> String {
        format!("/teams/{}/agents/{}/executions", self.team, self.agent)
    }

    /// A run that Bea starts.
    async fn started(&self) -> String {
        let body = json!({ "inputs": rows(), "invocation_source": "mention" });
        let started = self.bea.post(&self.runs(), &body).await;
        assert_eq!(started["invoked_by"], json!(self.bea.id), "{started:#}");
        started["id"].as_str().unwrap().to_owned()
    }

    /// The run as Bea sees it, once it has this status.
    async fn reaches(&self, run: &str, expect: &str) -> Value {
        until(&format!("`{run}` is `{expect}`"), || async {
            let now = self.bea.get(&format!("{}/{run}", self.runs())).await;
            (now["status"] == expect).then_some(now)
        })
        .await
    }

    /// What somebody is told of the end of the run.
    async fn told(&self, person: &Person, run: &str) -> Value {
        until("the notification", || async {
            let page = person.get("/notifications").await;
            let all = page["items"].as_array().unwrap();
            all.iter().find(|note| note["details"]["execution_id"] == json!(run)).cloned()
        })
        .await
    }

    /// Ana signs what the run asks.
    async fn signed(&self, run: &str) {
        self.decided(run, "approve").await;
    }

    /// Ana decides on what the run asks, after she has read of whom it is.
    async fn decided(&self, run: &str, verdict: &str) {
        let request = self.ana.request(run).await;
        let id = request["approval"].as_str().unwrap();
        let shown = self.ana.get(&format!("/approvals/{id}")).await;
        let is_of_member = shown.to_string().contains("as a member of the team “Grants desk”");
        assert_eq!(is_of_member, shown["invoker"] == json!(self.bea.id), "{shown:#}");
        assert_eq!(self.bea.refused(&format!("/approvals/{id}"), None).await.0, 404);
        let seen = json!({ "digest": shown["digest"], "version": shown["version"] });
        self.ana.post(&format!("/approvals/{id}/{verdict}"), &seen).await;
    }
}

#[tokio::test]
async fn f_231_f_235_a_member_runs_a_shared_agent_and_its_owner_signs() {
    let desk = Desk::open().await;
    let (ana, bea) = (&desk.ana, &desk.bea);
    let run = desk.started().await;
    desk.reaches(&run, "awaiting_approval").await;
    desk.signed(&run).await;
    let seen = desk.reaches(&run, "complete").await;
    assert_eq!(step(&seen, "keep")["status"], "done");
    assert!(seen["response"]["content"].as_str().is_some_and(|it| it.contains('b')), "{seen:#}");
    for of_owner in ["approvals", "seal", "record"] {
        assert_eq!(seen.get(of_owner), None, "{of_owner}: {seen:#}");
    }
    assert_eq!(seen["response"].get("outputs"), None, "{seen:#}");
    assert_eq!(bea.get(&desk.runs()).await["items"][0]["id"], json!(run));
    assert_eq!(bea.refused(&format!("/executions/{run}"), None).await.0, 404);
    assert_eq!(bea.get("/executions").await["items"], json!([]));

    let owned = ana.run(&run).await;
    assert_eq!(owned["invoked_by"], json!(bea.id), "F-235");
    let context =
        json!({ "team_id": desk.team, "team_file_access": false, "team_post_access": false });
    assert_eq!(owned["team_context"], context, "F-018: {owned:#}");
    assert_eq!(owned["invocation_source"], "mention", "F-019");
    assert!(owned["agent_handle"].as_str().unwrap().starts_with("agent-"));
    assert_eq!(ana.get(&desk.runs()).await["items"], json!([]), "these are not hers");
    let rows = ana.get(KEPT).await;
    assert_eq!(
        rows["items"].as_array().map(Vec::len),
        Some(2),
        "kept where the agent keeps: {rows:#}"
    );

    let entry = until("the entry", || async {
        let page = bea.get(&format!("/teams/{}/agents/{}/journal", desk.team, desk.agent)).await;
        page["items"].as_array().unwrap().first().cloned()
    })
    .await;
    assert_eq!((&entry["execution_id"], &entry["team_id"]), (&json!(run), &json!(desk.team)));
    assert!(!entry.to_string().contains(&ana.username), "not who signed: {entry:#}");
}

#[tokio::test]
async fn f_190_a_member_is_told_how_it_ended_and_not_who_signed() {
    let desk = Desk::open().await;
    let run = desk.started().await;
    desk.signed(&run).await;
    desk.reaches(&run, "complete").await;
    let (member, owner) = (desk.told(&desk.bea, &run).await, desk.told(&desk.ana, &run).await);
    assert!(member["message"].as_str().unwrap().contains("The answer"), "{member:#}");
    assert!(owner["message"].as_str().unwrap().contains(&desk.ana.username), "{owner:#}");
    let said = member.to_string();
    assert!(!said.contains(&desk.ana.username), "{member:#}");
    assert_eq!(member["details"].get("output_destinations"), None, "{member:#}");
    let address = member["action_url"].as_str().unwrap();
    assert!(address.ends_with(&format!("{}/{run}", desk.runs())), "{address}");
}

#[tokio::test]
async fn k_35_what_a_member_may_not_ask_for_is_refused_before_anything_runs() {
    let desk = Desk::open().await;
    let (ana, bea, runs) = (&desk.ana, &desk.bea, desk.runs());
    let invalid = (422, "INVALID_INPUT".to_owned());
    for stored in ["file_0197c3a1b2c3d4e5f60718293a4b5c6d", "folders/private"] {
        let stored = json!({ "inputs": { "rows": [stored] } });
        assert_eq!(bea.refused(&runs, Some(&stored)).await, invalid, "nothing of the owner's");
    }
    ana.playbook(&gated("no-skill", "")).await;
    let other = json!({ "inputs": rows(), "playbook": "no-skill" });
    assert_eq!(bea.refused(&runs, Some(&other)).await, invalid, "only the agent's skills");
    let clock = json!({ "inputs": rows(), "invocation_source": "scheduled" });
    assert_eq!(bea.refused(&runs, Some(&clock)).await, invalid);
    let own = json!({ "inputs": rows() });
    assert_eq!(ana.refused(&runs, Some(&own)).await, invalid, "it is her own");
    let cara = person("cara", &["global:analyst"]).await;
    assert_eq!(cara.refused(&runs, Some(&own)).await.0, 404, "no member");

    let elsewhere = team(&[ana]).await;
    share(ana, &desk.agent, &elsewhere, &json!({ "team_post_access": true })).await;
    let reads = (409, "TEAM_ACCESS_MISSING".to_owned());
    assert_eq!(bea.refused(&runs, Some(&own)).await, reads, "it reads what others write");
    let of_elsewhere = format!("/profiles/{}/share/{elsewhere}", desk.agent);
    assert_eq!(put(ana, &of_elsewhere, &terms(false, "own_only", true)).await, 200);

    let of_team = format!("/profiles/{}/share/{}", desk.agent, desk.team);
    assert_eq!(put(ana, &of_team, &terms(false, "own_only", true)).await, 200);
    let denied = (403, "PERMISSION_DENIED".to_owned());
    assert_eq!(bea.refused(&runs, Some(&own)).await, denied, "the share does not say so");
    let again = json!({ "members_run": true, "team_file_access": false, "team_post_access": false,
        "journal_visibility": "own_only", "is_active": true });
    assert_eq!(put(ana, &of_team, &again).await, 200);
    revoke(ana, "global:analyst").await;
    assert_eq!(bea.refused(&runs, Some(&own)).await, denied, "no more than the owner may do");
}

#[tokio::test]
async fn k_35_a_member_does_not_sign_what_they_ask_for() {
    let desk = Desk::with_gate("    approvers: [BEA]").await;
    let body = json!({ "inputs": rows() });
    let unreachable = (422, "APPROVAL_UNREACHABLE".to_owned());
    assert_eq!(desk.bea.refused(&desk.runs(), Some(&body)).await, unreachable);
    let own = desk.ana.start(&desk.agent, "members-rows", rows()).await;
    assert!(desk.bea.request(&own).await["approval"].is_string(), "what Ana asks for she signs");
}

#[tokio::test]
async fn k_35_a_run_of_somebody_who_left_the_team_does_nothing_more() {
    let desk = Desk::open().await;
    let run = desk.started().await;
    desk.reaches(&run, "awaiting_approval").await;
    leave(&desk.team, &desk.bea).await;
    assert_eq!(desk.bea.refused(&format!("{}/{run}", desk.runs()), None).await.0, 404);
    desk.signed(&run).await;
    let ended = desk.ana.reaches(&run, "error").await;
    assert_eq!(step(&ended, "keep")["code"], "TEAM_ACCESS_MISSING", "{ended:#}");
    assert_eq!(desk.ana.refused(KEPT, None).await.0, 404, "nothing was kept");
}

#[tokio::test]
async fn k_35_a_member_reads_no_answer_once_the_share_is_taken_back() {
    let desk = Desk::open().await;
    let of_team = format!("/profiles/{}/share/{}", desk.agent, desk.team);
    let answer = async |run: &str| desk.reaches(run, "complete").await["response"].clone();
    let earlier = desk.started().await;
    desk.signed(&earlier).await;
    assert!(answer(&earlier).await["content"].is_string());
    let run = desk.started().await;
    desk.reaches(&run, "awaiting_approval").await;
    assert_eq!(delete(&desk.ana, &of_team).await, 200);
    desk.signed(&run).await;
    for run in [&run, &earlier] {
        assert_eq!(answer(run).await, Value::Null, "{run}");
    }
    let told = desk.told(&desk.bea, &run).await;
    assert!(!told["message"].as_str().unwrap().contains("The answer"), "{told:#}");
    let terms = json!({ "journal_visibility": "own_only" });
    share(&desk.ana, &desk.agent, &desk.team, &terms).await;
    assert_eq!(answer(&run).await, Value::Null, "this share lets no members run it");
    let again = json!({ "members_run": true, "team_file_access": false, "team_post_access": false,
        "journal_visibility": "own_only", "is_active": true });
    assert_eq!(put(&desk.ana, &of_team, &again).await, 200);
    assert!(answer(&run).await["content"].is_string(), "the owner shares it again");
}

#[tokio::test]
async fn k_35_a_member_reads_no_answer_once_the_owner_of_the_agent_has_left_the_team() {
    let desk = Desk::with_gate("    on_reject: skip").await;
    let run = desk.started().await;
    desk.reaches(&run, "awaiting_approval").await;
    leave(&desk.team, &desk.ana).await;
    desk.decided(&run, "reject").await;
    assert_eq!(desk.reaches(&run, "partial").await["response"], Value::Null);
    let (member, owner) = (desk.told(&desk.bea, &run).await, desk.told(&desk.ana, &run).await);
    assert!(owner["message"].as_str().unwrap().contains("The answer"), "{owner:#}");
    assert!(!member["message"].as_str().unwrap().contains("The answer"), "{member:#}");
}

#[tokio::test]
async fn k_35_one_team_does_not_read_what_members_of_another_have_asked() {
    let desk = Desk::open().await;
    let cara = person("cara", &["global:analyst"]).await;
    let other = team(&[&desk.ana, &cara]).await;
    share(&desk.ana, &desk.agent, &other, &json!({ "journal_visibility": "full" })).await;
    let of_bea = desk.started().await;
    desk.signed(&of_bea).await;
    desk.reaches(&of_bea, "complete").await;
    let own = json!({ "profile": desk.agent, "inputs": rows() });
    let own = desk.ana.post("/executions", &own).await["id"].as_str().unwrap().to_owned();
    desk.signed(&own).await;
    desk.ana.reaches(&own, "complete").await;
    let seen = async |person: &Person, team: &str, run: &str| {
        until("the entry of a run", || async {
            let page = person.get(&format!("/teams/{team}/agents/{}/journal", desk.agent)).await;
            let all = page["items"].as_array().unwrap();
            let runs: Vec<Value> = all.iter().map(|entry| entry["execution_id"].clone()).collect();
            runs.contains(&json!(run)).then_some(runs)
        })
        .await
    };
    assert_eq!(seen(&desk.bea, &desk.team, &of_bea).await, [json!(of_bea)]);
    assert_eq!(seen(&cara, &other, &own).await, [json!(own)], "and nothing of Bea's");
}

/// What a trigger starts.
const THEN: &str = "
id: then-members
name: Then
description: Computes.
version: 1.0.0
execution_mode: deterministic
steps:
  - name: one
    step_type: tool
    action: transform_data
    inputs: {data: [{a: 1}]}
    operations: [{type: limit, value: 1}]
";

#[tokio::test]
async fn k_35_what_a_member_has_asked_for_fires_and_repeats_nothing_of_the_owners() {
    let desk = Desk::open().await;
    desk.ana.playbook(THEN).await;
    let on = json!({ "type": "after", "playbook": "members-rows" });
    let trigger = json!({ "name": "Then", "profile_id": desk.agent, "on": on, "playbook_id": "then-members", "inputs": {} });
    let trigger = desk.ana.post("/triggers", &trigger).await["id"].as_str().unwrap().to_owned();
    let run = desk.started().await;
    // Taking the share back ends nothing that has begun, and the member still sees where it stands.
    let of_team = format!("/profiles/{}/share/{}", desk.agent, desk.team);
    assert_eq!(put(&desk.ana, &of_team, &terms(false, "own_only", false)).await, 200);
    desk.reaches(&run, "awaiting_approval").await;
    desk.signed(&run).await;
    desk.reaches(&run, "complete").await;
    let again = desk.ana.refused(&format!("/executions/{run}/repeat"), Some(&json!({}))).await;
    assert_eq!(again, (409, "RUN_OF_A_MEMBER".to_owned()));

    let own = json!({ "profile": desk.agent, "inputs": rows() });
    let own = desk.ana.post("/executions", &own).await["id"].as_str().unwrap().to_owned();
    desk.signed(&own).await;
    desk.ana.reaches(&own, "complete").await;
    let fired = until("the owner's run fires", || async {
        let page = desk.ana.get(&format!("/triggers/{trigger}/occurrences")).await;
        page["items"].as_array().filter(|all| !all.is_empty()).cloned()
    })
    .await;
    let by: Vec<&Value> = fired.iter().map(|one| &one["fired_by"]["run"]).collect();
    assert_eq!(by, [&json!(own)], "and the member's did not");
}

#[tokio::test]
async fn f_174_what_a_skill_gives_is_neither_shown_to_a_member_nor_replaced() {
    let desk = Desk::open().await;
    let skill =
        json!({ "skill_type": "playbook", "reference": "members-rows", "parameters": rows() });
    let (path, patch) =
        (format!("{FACTORY}/profiles/{}", desk.agent), json!({ "skills": [skill] }));
    desk.ana.door.patch(&path, &patch).await.unwrap();
    let given = json!({ "inputs": rows() });
    let refused = (422, "INVALID_INPUT".to_owned());
    assert_eq!(desk.bea.refused(&desk.runs(), Some(&given)).await, refused);
    let run = desk.bea.post(&desk.runs(), &json!({})).await["id"].as_str().unwrap().to_owned();
    let seen = desk.reaches(&run, "awaiting_approval").await;
    assert_eq!(seen["inputs"], json!({}), "{seen:#}");
}

#[tokio::test]
async fn f_231_a_member_ends_a_run_of_theirs_and_only_that() {
    let desk = Desk::open().await;
    let run = desk.started().await;
    desk.reaches(&run, "awaiting_approval").await;
    let own = json!({ "profile": desk.agent, "inputs": rows() });
    let own = desk.ana.post("/executions", &own).await["id"].as_str().unwrap().to_owned();
    let cancel = |run: &str| format!("{}/{run}/cancel", desk.runs());
    assert_eq!(desk.bea.refused(&cancel(&own), Some(&json!({}))).await.0, 404, "Ana's own");
    desk.bea.post(&cancel(&run), &json!({})).await;
    let ended = desk.reaches(&run, "cancelled").await;
    assert_eq!(step(&ended, "keep")["status"], "not_run", "{ended:#}");
}
