//! Agents that are removed, with all that is theirs.

use serde_json::json;

use super::{counting, refusal};
use crate::case::{self, FACTORY, Person, person, until};

const SHELF: &str = "id: shelf-of-gone\nname: Shelf\ntype: rest_api\nversion: 1.0.0\nconnection: { base_url: 'https://a.example', auth: { type: bearer_token } }\nendpoints:\n  list: { description: all, path: / }\n";

const WATCH: &str = "id: watch-of-gone\nname: Watch\nexecution_mode: deterministic\nsteps:\n  - {name: look, step_type: tool, action: detect_new_files, inputs: {folder_id: empty}}\n";

/// A data source with a credential, a schedule, a monitor and a trigger of an agent, by their paths.
async fn belongings(ana: &Person, agent: &str) -> Vec<String> {
    ana.post("/connectors", &json!({ "yaml": SHELF })).await;
    ana.playbook(WATCH).await;
    let sources = format!("/profiles/{agent}/data-sources");
    let source = json!({ "connector_id": "shelf-of-gone", "credentials": { "token": "sekrit-1" } });
    let schedule = json!({
        "name": "Mornings", "profile_id": agent, "cron_expression": "0 6 * * *", "query_template": "?",
    });
    let monitor = json!({
        "name": "Watch", "profile_id": agent, "playbook_id": "watch-of-gone", "interval": "24h",
    });
    let trigger = json!({
        "name": "Shop", "profile_id": agent, "playbook_id": "count-gone", "on": { "type": "webhook" },
        "inputs": { "rows": "{body.rows}", "most": "{body.most}" },
    });
    let mut paths = vec![sources.clone()];
    for (path, body) in [
        (sources.as_str(), source),
        ("/schedules", schedule),
        ("/monitors", monitor),
        ("/triggers", trigger),
    ] {
        let made = ana.post(path, &body).await;
        paths.push(format!("{path}/{}", made["id"].as_str().unwrap()));
    }
    paths.push(format!("{}/watermarks", paths[3]));
    let asked = json!({
        "profile": agent, "playbook": "count-gone", "inputs": { "rows": [], "most": 1 },
        "query": "How many?", "conversation": "new",
    });
    let asked = ana.post("/executions", &asked).await;
    paths.push(format!("/conversations/{}", asked["conversation_id"].as_str().unwrap()));
    for path in &paths {
        ana.get(path).await;
    }
    paths
}

#[tokio::test]
async fn f_178_what_belongs_to_a_removed_agent_is_removed_and_its_runs_stay() {
    let ana = person("ana", &["global:analyst"]).await;
    let (gone, other) = (ana.agent(&[]).await, ana.agent(&[]).await);
    ana.playbook(&counting("count-gone")).await;
    let inputs = json!({ "rows": [{ "a": 1 }], "most": 1 });
    let mut runs = Vec::new();
    for agent in [&gone, &other] {
        let run = ana.start(agent, "count-gone", inputs.clone()).await;
        ana.reaches(&run, "complete").await;
        runs.push(run);
    }
    let entry = async |agent: &str| {
        let journal = format!("/profiles/{agent}/journal");
        until("the entry", || async {
            ana.get(&journal).await["items"][0]["id"].as_str().map(str::to_owned)
        })
        .await
    };
    let (its, others) = (entry(&gone).await, entry(&other).await);
    let belongings = belongings(&ana, &gone).await;
    let shown = ana.get(&format!("/journal/{its}")).await;
    let moment = |field: &str| -> jiff::Timestamp {
        shown[field].as_str().expect("a moment is a text").parse().expect("a moment")
    };
    let kept = moment("expires_at").duration_since(moment("created_at"));
    // The moment of forgetting is a whole second.
    assert_eq!(
        (kept.as_secs() + 60) / 86_400,
        90,
        "F-225: the default of `retention_days`: {shown:#}"
    );

    let connector = format!("{FACTORY}/connectors/shelf-of-gone");
    let bound = refusal(ana.door.delete(&connector).await);
    assert_eq!((bound.0, bound.1.as_str()), (409, "CONNECTOR_BOUND"));
    ana.door.delete(&format!("{FACTORY}/profiles/{gone}")).await.unwrap();
    let own = [format!("/profiles/{gone}"), format!("/journal/{its}")];
    for path in own.iter().chain(&belongings) {
        assert_eq!(ana.refused(path, None).await.0, 404, "{path}");
    }
    for list in ["/schedules", "/monitors", "/triggers"] {
        assert_eq!(ana.get(list).await["items"], json!([]), "{list}");
    }
    ana.door.delete(&connector).await.expect("nobody has it any more");
    let run = ana.run(&runs[0]).await;
    assert_eq!((&run["profile_id"], &run["profile_name"]), (&json!(""), &json!("Test agent")));
    let again = json!({});
    let (status, code) =
        ana.refused(&format!("/executions/{}/repeat", runs[0]), Some(&again)).await;
    assert_eq!((status, code.as_str()), (404, "NOT_FOUND"));

    let kept = ana.run(&runs[1]).await;
    assert_eq!(kept["profile_id"], json!(other), "another agent's run is as it was");
    ana.get(&format!("/journal/{others}")).await;
}

#[tokio::test]
async fn f_178_the_runs_of_a_removed_agent_are_stopped_and_nobody_is_asked_to_sign_them() {
    let ana = person("ana", &["global:analyst"]).await;
    let maria = person("maria", &["global:analyst", "decide"]).await;
    let agent = ana.agent(&[&maria]).await;
    ana.playbook(&case::gated("gated-gone", "")).await;
    let run = ana.start(&agent, "gated-gone", case::rows()).await;
    let link = maria.link().await;
    ana.door.delete(&format!("{FACTORY}/profiles/{agent}")).await.unwrap();
    let over = ana.reaches(&run, "cancelled").await;
    assert_eq!(over["approvals"][0]["status"], "cancelled", "{over:#}");
    assert!(over["stop"]["message"].as_str().unwrap().contains("its agent was removed"));
    let page = maria.approver().open(&link).await.unwrap().html;
    assert!(page.contains("This request was cancelled"), "{page}");
}
