//! The least a deployment asks of every approval: its door, and what it does. On a deployment of its own: all tests of one
//! would feel it.

use countersign_cli::CliError;
use serde_json::{Value, json};

use crate::case::{FACTORY, admin, gated, person_in, rows};
use crate::world::world;

const PATH: &str = "/api/admin/approval-floor";

fn refused(said: Result<Value, CliError>) -> (u16, String, String) {
    match said {
        Err(CliError::Refused { status, code, title, .. }) => {
            (status, code.unwrap_or_default(), title)
        }
        other => panic!("not refused: {other:?}"),
    }
}

#[tokio::test]
async fn an_administrator_sets_the_floor_and_no_gate_undercuts_it() {
    let secret = "a secret of this deployment alone, long enough to sign tokens with".to_owned();
    let mut world =
        world().beside("countersign-floor", &[format!("JwtHs256Secret={secret}")]).await;
    world.stack.jwt_secret = secret;
    let ana = person_in(&world, "ana", &["global:analyst", "decide"]).await;
    let maria = person_in(&world, "maria", &["global:reader", "decide"]).await;
    let tom = person_in(&world, "tom", &["global:reader", "decide"]).await;
    assert_eq!(refused(ana.door.get(PATH).await).0, 403);
    assert_eq!(refused(ana.door.put(PATH, &json!({ "version": 0 })).await).0, 403);
    let root = admin(&world);
    let none = root.get(PATH).await.unwrap();
    assert_eq!((&none["version"], &none["policy"]["min_quorum"]), (&json!(0), &json!(0)));
    for (wrong, path) in [
        (json!({ "version": 0, "min_quorum": 41 }), "min_quorum"),
        (json!({ "version": 0, "max_denials": 0 }), "max_denials"),
        (json!({ "version": 0, "doors": ["webhook"] }), "doors"),
        (json!({ "version": 0, "min_qorum": 2 }), "min_qorum"),
        (json!({ "version": 0, "assurance": "maybe" }), "assurance"),
        (json!({ "min_quorum": 2 }), "version"),
    ] {
        let (status, _, title) = refused(root.put(PATH, &wrong).await);
        assert!(status == 422 && title.contains(path), "{status} {path}: {title}");
    }
    let floor = json!({ "version": 0, "min_quorum": 2, "requester_never_decides": true });
    let set = root.put(PATH, &floor).await.unwrap();
    assert_eq!(set["version"], 1);
    assert!(set["set_by"].is_string() && set["set_at"].is_string(), "{set:#}");
    assert_eq!(refused(root.put(PATH, &floor).await).1, "VERSION_CONFLICT");

    // An interactive run of one's own: without the floor its requester signs alone.
    let body = |agent: &str, playbook: &str| json!({ "profile": agent, "playbook": playbook, "inputs": rows(), "run_context": "interactive" });
    let start = format!("{FACTORY}/executions");
    ana.playbook(&gated("gated-floor", "")).await;
    let agent = ana.agent(&[&ana, &maria]).await;
    let (status, code, title) = refused(ana.door.post(&start, &body(&agent, "gated-floor")).await);
    assert_eq!((status, code.as_str()), (422, "APPROVAL_UNREACHABLE"));
    assert!(title.contains(&ana.username) && title.contains("floor"), "{title}");
    let agent = ana.agent(&[&maria, &tom]).await;
    let run = ana.post("/executions", &body(&agent, "gated-floor")).await;
    let run = run["id"].as_str().unwrap();
    let request = maria.request(run).await;
    let path = format!("/approvals/{}", request["approval"].as_str().unwrap());
    let seen = maria.get(&path).await;
    assert_eq!(seen["policy"]["quorum"], 2, "the gate asks for one: {seen:#}");
    let decision = json!({ "digest": seen["digest"], "version": seen["version"] });
    maria.post(&format!("{path}/approve"), &decision).await;
    assert_eq!(ana.run(run).await["state"], "awaiting_approval");
    tom.post(&format!("{path}/approve"), &decision).await;
    ana.reaches(run, "complete").await;

    root.put(PATH, &json!({ "version": 1 })).await.unwrap();
    let history = root.get(PATH).await.unwrap()["history"].clone();
    let versions: Vec<&Value> =
        history.as_array().unwrap().iter().map(|one| &one["version"]).collect();
    assert_eq!(versions, [&json!(2), &json!(1)], "{history:#}");
    assert_eq!(history[1]["policy"]["min_quorum"], 2);
}
