//! A deployment whose graph takes nothing for a while: what was found waits, and is written then (F-314).

use serde_json::json;

use crate::case::{Person, person_in, until};
use crate::world::{World, world};

/// A secret of the deployment whose graph is off.
const SECRET: &str = "a secret of the deployment whose graph takes nothing for a while";

const NAME: &str = "countersign-graph-off";

const FINDS: &str = r#"
id: finds-people
name: Finds people
description: Gives back who was named.
version: 1.0.0
execution_mode: deterministic
inputs:
  - {name: people, type: list, required: true}
steps:
  - name: found
    step_type: tool
    action: transform_data
    inputs: {data: "{people}"}
    operations: [{type: limit, value: 10}]
"#;

impl World {
    async fn setting(&self, function: &str, pointer: &str) -> String {
        let name = format!("{NAME}-{function}");
        let get = ["lambda", "get-function-configuration", "--function-name", &name];
        let settings = self.aws(&get).await.unwrap();
        settings.pointer(pointer).unwrap().as_str().unwrap().to_owned()
    }

    /// The graph's table takes no changes from whoever ends runs, or takes them again.
    async fn takes(&self, changes: bool) {
        let role = self.setting("run-finish", "/Role").await;
        let role = role.rsplit('/').next().unwrap();
        let table = self.setting("run-finish", "/Environment/Variables/TABLE_KNOWLEDGE").await;
        let of = ["--role-name", role, "--policy-name", "graph-off"];
        if changes {
            let put_back = [&["iam", "delete-role-policy"][..], &of].concat();
            self.aws(&put_back).await.unwrap_or_default();
            return;
        }
        let denied = json!({ "Version": "2012-10-17", "Statement": [{
            "Effect": "Deny", "Action": "dynamodb:UpdateItem",
            "Resource": format!("arn:aws:dynamodb:*:*:table/{table}"),
        }] });
        let denied = denied.to_string();
        let put = [&["iam", "put-role-policy"][..], &of, &["--policy-document", &denied]].concat();
        self.aws(&put).await.unwrap_or_default();
    }

    /// What was not written is a quarter of an hour old, and a sweep comes.
    async fn sweeps_later(&self) {
        let table = self.setting("run-finish", "/Environment/Variables/TABLE_KNOWLEDGE").await;
        let of = ["--table-name", &table];
        let open = r#"{":plans":{"S":"PLANS"}}"#;
        let which =
            ["--filter-expression", "GSI1PK = :plans", "--expression-attribute-values", open];
        let scan = [&["dynamodb", "scan"][..], &of, &which].concat();
        let found = self.aws(&scan).await.unwrap();
        for item in found["Items"].as_array().unwrap() {
            let key = json!({ "PK": item["PK"], "SK": item["SK"] }).to_string();
            let old = r#"{":old":{"S":"1970-01-01T00:00:00Z#"}}"#;
            let how =
                ["--update-expression", "SET GSI1SK = :old", "--expression-attribute-values", old];
            let update = [&["dynamodb", "update-item"][..], &of, &["--key", &key], &how].concat();
            self.aws(&update).await.unwrap_or_default();
        }
        let name = format!("{NAME}-cron-sweep");
        let sweep = ["lambda", "invoke", "--function-name", &name, "--payload", "{}", "/dev/null"];
        self.aws(&sweep).await.unwrap();
    }
}

async fn discovered(ana: &Person, status: &str) -> usize {
    let page = ana.get(&format!("/discoveries?status={status}")).await;
    page["items"].as_array().unwrap().len()
}

#[tokio::test]
async fn f_314_what_the_graph_did_not_take_is_pending_and_is_written_later() {
    let parameters = [format!("JwtHs256Secret={SECRET}")];
    let mut world = world().beside(NAME, &parameters).await;
    SECRET.clone_into(&mut world.stack.jwt_secret);
    let ana = person_in(&world, "ana", &["global:analyst"]).await;
    ana.playbook(FINDS).await;
    let destinations =
        json!([{ "type": "chat" }, { "type": "knowledge_graph", "config": { "source": "data" } }]);
    let handle = format!("{}-finds", ana.username);
    let agent = json!({ "name": "Finds", "handle": handle, "output_config": { "destinations": destinations } });
    let agent = ana.post("/profiles", &agent).await["id"].as_str().unwrap().to_owned();
    world.takes(false).await;
    let people = json!([{ "name": "ADA FIRST", "type": "PERSON" }, { "name": "BEA SECOND", "type": "PERSON" }]);
    let run = ana.start(&agent, "finds-people", json!({ "people": people })).await;
    let run = ana.reaches(&run, "partial").await;
    let outputs = run["response"]["outputs"].as_array().unwrap();
    let of = |kind: &str| outputs.iter().find(|row| row["destination"] == kind).unwrap();
    assert_eq!(of("chat")["status"], "success", "the others go on: {run:#}");
    let graph = of("knowledge_graph");
    assert_eq!(graph["status"], "error", "{run:#}");
    assert!(graph["error"]["help"].as_str().unwrap().contains("status=pending"), "{run:#}");
    assert_eq!((discovered(&ana, "pending").await, discovered(&ana, "stored").await), (2, 0));

    world.takes(true).await;
    until("what was found is in the graph", || async {
        world.sweeps_later().await;
        (discovered(&ana, "stored").await == 2).then_some(())
    })
    .await;
    assert_eq!(discovered(&ana, "pending").await, 0);
    let found = ana.get("/knowledge/entities?q=bea+second").await;
    assert_eq!(found["items"].as_array().unwrap().len(), 1, "{found:#}");
}
