//! Agents that are shared with a team.

use serde_json::{Value, json};

use super::{delete, join, leave, share, status, team, write};
use crate::case::{FACTORY, Person, person, step, until};

#[tokio::test]
async fn f_007_f_405_members_see_a_shared_agent_and_only_its_owner_manages_it() {
    let ana = person("ana", &["global:analyst"]).await;
    let bea = person("bea", &["global:analyst"]).await;
    let team = team(&[&ana, &bea]).await;
    let agent = ana.agent(&[]).await;
    let (at_owner, at_team) =
        (format!("/profiles/{agent}"), format!("/teams/{team}/agents/{agent}"));
    assert_eq!(bea.refused(&at_team, None).await.0, 404);
    let made = share(&ana, &agent, &team, &json!({})).await;
    for (field, value) in [
        ("team_file_access", json!(false)),
        ("team_post_access", json!(false)),
        ("journal_visibility", json!("own_and_scheduled")),
        ("is_active", json!(true)),
        ("shared_by", json!(ana.id)),
        ("agent_profile_id", json!(agent)),
    ] {
        assert_eq!(made[field], value, "{field}");
    }
    let again = json!({ "team_id": team });
    let taken = ana.refused(&format!("{at_owner}/share"), Some(&again)).await;
    assert_eq!(taken, (409, "NAME_TAKEN".to_owned()));

    let seen = bea.get(&at_team).await;
    assert_eq!((&seen["name"], &seen["shared_by_name"]), (&json!("Test agent"), &json!("ana")));
    for of_owner in ["approvers", "output_config", "knowledge_config"] {
        assert_eq!(seen.get(of_owner), None, "{seen:#}");
    }
    assert_eq!(bea.get(&format!("/teams/{team}/agents")).await["items"][0], seen);
    assert_eq!(bea.refused(&at_owner, None).await.0, 404, "it is not theirs");
    for (path, body) in [
        (format!("{at_owner}/share"), json!({ "team_id": team })),
        ("/executions".to_owned(), json!({ "profile": agent })),
    ] {
        assert_eq!(bea.refused(&path, Some(&body)).await.0, 404, "{path}");
    }
    let of_team = format!("{at_owner}/share/{team}");
    assert_eq!(delete(&bea, &of_team).await, 404);
    assert_eq!(put(&bea, &of_team, &terms(true, "full", true)).await, 404);

    let mut files = terms(false, "full", true);
    files["team_file_access"] = json!(true);
    assert_eq!(put(&ana, &of_team, &files).await, 422, "teams have no files");
    let some = json!({ "is_active": false });
    assert_eq!(put(&ana, &of_team, &some).await, 422, "nothing changes unsaid");
    assert_eq!(put(&ana, &of_team, &terms(false, "full", false)).await, 200);
    assert_eq!(bea.refused(&at_team, None).await.0, 404, "the share does not count");
    assert_eq!(put(&ana, &of_team, &terms(true, "own_and_scheduled", true)).await, 200);
    let shares = ana.get(&format!("{at_owner}/shares")).await;
    let config = &shares["team_config"];
    assert_eq!(config["shared_with_teams"], json!([team]), "K-68: {shares:#}");
    let granted = json!({ "file_access": false, "post_access": true });
    assert_eq!(config["team_permissions"][&team], granted);
    let elsewhere = super::team(&[&bea]).await;
    let body = json!({ "team_id": elsewhere });
    let refused = ana.refused(&format!("{at_owner}/share"), Some(&body)).await;
    assert_eq!(refused, (422, "INVALID_INPUT".to_owned()), "only members share with a team");

    leave(&team, &ana).await;
    assert_eq!(bea.get(&format!("/teams/{team}/agents")).await["items"], json!([]));
    join(&team, &ana).await;
    assert_eq!(delete(&ana, &at_owner).await, 200);
    assert_eq!(bea.refused(&at_team, None).await.0, 404, "its shares go with it");
}

pub(super) fn terms(posts: bool, journal: &str, is_active: bool) -> Value {
    json!({
        "team_file_access": false, "team_post_access": posts, "journal_visibility": journal, "is_active": is_active,
        "members_run": false,
    })
}

pub(super) async fn put(person: &Person, path: &str, body: &Value) -> u16 {
    status(person.door.put(&format!("{FACTORY}{path}"), body).await)
}

/// Looks for posts of a team and for files, and keeps both.
fn playbook(team: &str) -> String {
    format!(
        "
id: watch-posts
name: Watch posts
description: Keeps what members of a team write, and the files that they send.
version: 1.0.0
execution_mode: deterministic
steps:
  - name: look
    step_type: tool
    action: detect_new_team_posts
    inputs: {{team_id: {team}}}
    params: {{min_length: 3}}
  - name: files
    step_type: tool
    action: detect_new_files
    inputs: {{folder_id: desk}}
  - name: keep
    step_type: tool
    condition: \"{{look.count}} > 0\"
    action: save_to_workspace
    inputs: {{data: \"{{look.posts}}\"}}
    params: {{table_name: posts, create_if_missing: true}}
  - name: list
    step_type: tool
    condition: \"{{files.count}} > 0\"
    action: save_to_workspace
    inputs: {{data: \"{{files.files}}\"}}
    params: {{table_name: files, create_if_missing: true}}
"
    )
}

/// A monitor of a team's posts.
struct Desk {
    ana: Person,
    bea: Person,
    team: String,
    agent: String,
    monitor: String,
}

impl Desk {
    async fn open() -> Self {
        let ana = person("ana", &["global:analyst"]).await;
        let bea = person("bea", &["global:analyst"]).await;
        let team = team(&[&ana, &bea]).await;
        let agent = ana.agent(&[]).await;
        ana.playbook(&playbook(&team)).await;
        let body = json!({ "name": "Desk", "profile_id": agent, "playbook_id": "watch-posts", "interval": "24h" });
        assert_eq!(ana.refused("/monitors", Some(&body)).await, missing());
        let start = json!({ "profile": agent, "playbook": "watch-posts" });
        assert_eq!(ana.refused("/executions", Some(&start)).await, missing());
        share(&ana, &agent, &team, &json!({ "team_post_access": true })).await;
        write(&bea, &team, "Before anybody looked").await;
        let made = ana.post("/monitors", &body).await;
        let monitor = made["id"].as_str().unwrap().to_owned();
        let desk = Self { ana, bea, team, agent, monitor };
        until("its first look", || async {
            (desk.state().await["last_outcome"] == "baseline").then_some(())
        })
        .await;
        desk
    }

    async fn state(&self) -> Value {
        self.ana.get(&format!("/monitors/{}/state", self.monitor)).await
    }

    /// Lets it look, until that comes to this.
    async fn comes_to(&self, outcome: &str) -> Value {
        let before = self.state().await["last_tick_at"].clone();
        self.ana.post(&format!("/monitors/{}/run-now", self.monitor), &json!({})).await;
        let after = until("the look", || async {
            let now = self.state().await;
            (now["last_tick_at"] != before).then_some(now)
        })
        .await;
        assert_eq!(after["last_outcome"], outcome, "{after:#}");
        after
    }

    /// Lets it look: its `nth` run at its end, and what was new in it. A failing monitor is ticked by the sweeper too.
    async fn found(&self, nth: usize) -> (Value, Value) {
        self.ana.post(&format!("/monitors/{}/run-now", self.monitor), &json!({})).await;
        let path = format!("/monitors/{}/occurrences", self.monitor);
        let run = until("the run is started", || async {
            let page = self.ana.get(&path).await;
            let last = page["items"].as_array().filter(|all| all.len() == nth)?.first()?;
            last["runs"][0].as_str().map(str::to_owned)
        })
        .await;
        let run = self.ana.reaches(&run, "complete").await;
        until("the batch is closed", || async {
            self.state().await["open_batch"].is_null().then_some(())
        })
        .await;
        let path = format!("/executions/{}/outputs/look", run["id"].as_str().unwrap());
        let found = self.ana.get(&path).await["output"].clone();
        (run, found)
    }
}

#[tokio::test]
async fn f_061_f_010_an_agent_reads_new_posts_while_its_owner_shares_it_and_is_a_member() {
    let desk = Desk::open().await;
    let (ana, bea, team) = (&desk.ana, &desk.bea, desk.team.as_str());
    desk.comes_to("suppressed").await;
    write(bea, team, "A grant was moved").await;
    write(bea, team, "ok").await;
    let (run, found) = desk.found(1).await;
    let posts = found["posts"].as_array().unwrap();
    let texts: Vec<&Value> = posts.iter().map(|post| &post["content"]).collect();
    assert_eq!(texts, ["A grant was moved"], "{found:#}");
    assert_eq!((&posts[0]["author"], &posts[0]["reply_count"]), (&json!("bea"), &json!(0)));
    assert_eq!(step(&run, "keep")["status"], "done");
    let marks = ana.get(&format!("/monitors/{}/watermarks", desk.monitor)).await;
    let marks = marks["items"].as_array().unwrap();
    let mark = marks.iter().find(|mark| mark["step_name"] == "look").unwrap();
    assert_eq!(mark["watermark_type"], "timestamp", "{mark:#}");
    assert_eq!(mark["metadata"]["team_id"], json!(team));

    // Its entry is that of a monitor's run: members see it, and with `own_only` they do not.
    let journal = format!("/teams/{team}/agents/{}/journal", desk.agent);
    let entry = until("the entry", || async {
        let page = bea.get(&journal).await;
        page["items"].as_array().unwrap().first().cloned()
    })
    .await;
    assert_eq!(entry["execution_id"], run["id"]);
    assert_eq!((entry.get("approvals"), entry.get("outputs_produced")), (None, None), "{entry:#}");
    let of_team = format!("/profiles/{}/share/{team}", desk.agent);
    assert_eq!(put(ana, &of_team, &terms(true, "own_only", true)).await, 200);
    assert_eq!(bea.get(&journal).await["items"], json!([]));

    // A run that a person starts is theirs alone unless the share shows everything.
    let by_hand = ana.start(&desk.agent, "watch-posts", json!({})).await;
    ana.reaches(&by_hand, "complete").await;
    let all = ana.get(&format!("/executions/{by_hand}/outputs/look")).await;
    assert_eq!(all["output"]["count"], 2, "without a watermark everything is new: {all:#}");
    assert_eq!(put(ana, &of_team, &terms(true, "own_and_scheduled", true)).await, 200);
    assert_eq!(bea.get(&journal).await["items"].as_array().unwrap().len(), 1);
    assert_eq!(put(ana, &of_team, &terms(true, "full", true)).await, 200);
    assert_eq!(bea.get(&journal).await["items"].as_array().unwrap().len(), 2);
    let of_nobody = bea.get(&format!("{journal}?entity=Nobody%20Known")).await;
    assert_eq!(of_nobody, json!({ "items": [] }), "no cursor leads through what is not shown");

    leave(team, ana).await;
    write(bea, team, "While ana was away").await;
    let state = desk.comes_to("failed").await;
    assert!(state.to_string().contains("TEAM_ACCESS_MISSING"), "{state:#}");
    // What it finds elsewhere is not held up.
    upload(ana, "seen.txt").await;
    let (run, found) = desk.found(2).await;
    assert_eq!((&found["count"], step(&run, "list")["status"].as_str()), (&json!(0), Some("done")));
    assert!(found["warnings"].to_string().contains("TEAM_ACCESS_MISSING"), "{found:#}");
    let start = json!({ "profile": desk.agent, "playbook": "watch-posts" });
    assert_eq!(ana.refused("/executions", Some(&start)).await, missing());
    assert_eq!(put(ana, &of_team, &terms(true, "full", false)).await, 200);
    join(team, ana).await;
    desk.comes_to("failed").await;
    assert_eq!(put(ana, &of_team, &terms(true, "full", true)).await, 200);
    let (_, found) = desk.found(3).await;
    assert_eq!(found["posts"][0]["content"], "While ana was away", "nothing is lost: {found:#}");
}

async fn upload(ana: &Person, name: &str) {
    let file = json!({ "name": name, "size": 5 });
    let places = ana.post("/uploads", &json!({ "folder": "desk", "files": [file] })).await;
    let places = places["items"].as_array().or_else(|| places.as_array()).unwrap().clone();
    ana.door.send(&places[0], b"hello".to_vec()).await.unwrap();
}

fn missing() -> (u16, String) {
    (409, "TEAM_ACCESS_MISSING".to_owned())
}
