//! What people meet when they use the API for the first time: a copy of a copy, a second data source, a step without calls, a
//! `PATCH` that changes nothing.

use serde_json::{Value, json};

use crate::case::{FACTORY, Person, gated, person, refusal, rows};

async fn patch(who: &Person, path: &str, body: &Value) -> Value {
    who.door.patch(&format!("{FACTORY}{path}"), body).await.unwrap()
}

#[tokio::test]
async fn f_324_a_further_copy_of_an_agent_has_a_handle_of_its_own() {
    let ana = person("ana", &["global:analyst"]).await;
    let handle = format!("{}-desk", ana.username);
    let desk = ana.post("/profiles", &json!({ "name": "Desk", "handle": handle })).await;
    let path = format!("/profiles/{}/duplicate", desk["id"].as_str().unwrap());
    for ending in ["-copy", "-copy-2", "-copy-3"] {
        let copy = ana.post(&path, &json!({})).await;
        assert_eq!(copy["handle"], format!("{handle}{ending}"), "{copy:#}");
    }
    let taken = json!({ "handle": format!("{handle}-copy") });
    assert_eq!(ana.refused(&path, Some(&taken)).await, (409, "NAME_TAKEN".to_owned()));
}

#[tokio::test]
async fn a_connector_that_is_bound_already_is_named_with_its_data_source() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    let id = format!("shelf-{}", ana.username);
    let yaml = format!(
        "id: {id}\nname: Shelf\ntype: rest_api\nversion: 1.0.0\nconnection: {{ base_url: 'https://a.example' }}\nendpoints:\n  list: {{ description: all, path: / }}\n"
    );
    ana.post("/connectors", &json!({ "yaml": yaml })).await;
    let path = format!("/profiles/{agent}/data-sources");
    let body = json!({ "connector_id": id });
    let bound = ana.post(&path, &body).await["id"].as_str().unwrap().to_owned();
    let again = refusal(ana.door.post(&format!("{FACTORY}{path}"), &body).await);
    assert_eq!((again.status, again.code.as_str()), (409, "NAME_TAKEN"));
    let told = format!(
        "the connector `{id}` is bound to this agent already, as the data source `{bound}`"
    );
    assert!(again.said.contains(&told), "{}", again.said);
}

#[tokio::test]
async fn f_348_a_step_without_a_list_of_calls_is_told_from_one_that_there_is_not() {
    let ana = person("ana", &["global:analyst"]).await;
    let maria = person("maria", &["global:analyst", "decide"]).await;
    let agent = ana.agent(&[&maria]).await;
    ana.playbook(&gated("rows-without-calls", "")).await;
    let run = ana.start(&agent, "rows-without-calls", rows()).await;
    ana.reaches(&run, "awaiting_approval").await;
    let said = async |of: &str| {
        let refused = refusal(ana.door.get(&format!("{FACTORY}/executions/{run}/{of}")).await);
        assert_eq!((refused.status, refused.code.as_str()), (404, "NOT_FOUND"), "{of}");
        refused.said
    };
    assert!(said("calls/large").await.contains("the step `large` has no `for_each`"));
    assert!(said("calls/smal").await.contains("there is no step `smal`"));
    assert!(said("outputs/keep").await.contains("the step `keep` has no output: it has not ended"));
    assert!(said("outputs/smal").await.contains("there is no step `smal`"));
}

#[tokio::test]
async fn f_177_f_362_a_patch_that_changes_nothing_leaves_the_version() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    let body = json!({
        "name": "Mornings", "profile_id": agent, "cron_expression": "0 6 * * *", "query_template": "What is new?",
    });
    let schedule = ana.post("/schedules", &body).await;
    let paths =
        [format!("/profiles/{agent}"), format!("/schedules/{}", schedule["id"].as_str().unwrap())];
    for path in paths {
        let before = ana.get(&path).await;
        for same in [json!({}), json!({ "name": before["name"], "version": 1 })] {
            let after = patch(&ana, &path, &same).await;
            assert_eq!(
                (&after["version"], &after["updated_at"]),
                (&json!(1), &before["updated_at"]),
                "{path} {same}: {after:#}"
            );
        }
        let other = json!({ "name": before["name"], "version": 2 });
        let refused = refusal(ana.door.patch(&format!("{FACTORY}{path}"), &other).await);
        assert_eq!((refused.status, refused.code.as_str()), (409, "VERSION_CONFLICT"), "{path}");
        assert_eq!(patch(&ana, &path, &json!({ "name": "Other" })).await["version"], 2, "{path}");
    }
}
