//! What a deployment decides: who searches the web, and how long a source that fails is left alone. A second deployment of
//! the template has both.

use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use serde_json::{Value, json};
use tokio::sync::OnceCell;
use wiremock::matchers::{any, path, query_param};
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::failing::Script;
use super::output;
use crate::case::{Person, admin, person_in, until};
use crate::provider_server;
use crate::world::{World, world};

const SECRET: &str = "a secret of the deployment that searches, long enough to sign tokens with";
/// How long a source is left alone there.
const RESTS: &str = "2";

struct Beside {
    world: World,
    engine: MockServer,
}

/// The deployment, and the search engine it asks; both are there as long as the tests.
async fn beside() -> Arc<Beside> {
    static BESIDE: OnceCell<Arc<Beside>> = OnceCell::const_new();
    let made = BESIDE.get_or_init(|| async {
        // The engine must outlive the first test's runtime.
        let engine = std::thread::spawn(|| {
            let runtime = Box::leak(Box::new(tokio::runtime::Runtime::new().unwrap()));
            runtime.block_on(provider_server::start())
        });
        let engine = engine.join().unwrap();
        let parameters = [
            format!("JwtHs256Secret={SECRET}"),
            "SearchProvider=searxng".to_owned(),
            format!("SearchUrl={}", engine.uri()),
            format!("BreakerSeconds={RESTS}"),
        ];
        let mut world = world().beside("countersign-sources", &parameters).await;
        world.stack.jwt_secret = SECRET.to_owned();
        Arc::new(Beside { world, engine })
    });
    Arc::clone(made.await)
}

/// Somebody with an agent that has these connectors.
async fn analyst(world: &World, connectors: &[&str]) -> (Person, String) {
    let ana = person_in(world, "ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    for connector in connectors {
        ana.bind(&agent, connector).await;
    }
    (ana, agent)
}

#[tokio::test]
async fn f_045_f_102_f_126_the_web_is_searched_by_an_action_and_through_a_connector() {
    let there = beside().await;
    let hit = |n: u32| json!({ "title": format!("Dredging {n}"), "url": format!("https://news.example/{n}"), "content": format!("The harbour, part {n}."), "engine": "invented", "score": 0.5 });
    let answer = |hits: Vec<Value>| {
        let found = json!({ "query": "harbor dredging", "number_of_results": hits.len(), "results": hits, "unresponsive_engines": [] });
        ResponseTemplate::new(200).set_body_json(found)
    };
    let asked = || {
        let given = Mock::given(path("/search")).and(query_param("q", "harbor dredging"));
        given.and(query_param("format", "json"))
    };
    let news = asked().and(query_param("categories", "news,science"));
    news.respond_with(answer(vec![hit(9)])).with_priority(1).mount(&there.engine).await;
    let all = asked().respond_with(answer((1..=5).map(hit).collect()));
    all.mount(&there.engine).await;
    let yaml = std::fs::read_to_string(
        there.world.project.join("library/connectors/bastion-web-search.yaml"),
    );
    let shipped = "/api/admin/library/connectors/bastion-web-search";
    let yaml = json!({ "yaml": yaml.unwrap() });
    admin(&there.world).put(shipped, &yaml).await.unwrap();
    let (ana, agent) = analyst(&there.world, &["bastion-web-search"]).await;
    ana.playbook("id: search-the-web\nname: Search\ndescription: Searches.\nversion: 1.0.0\nexecution_mode: deterministic\nsteps:\n  - {name: found, step_type: tool, action: search_web, inputs: {query: harbor dredging}, params: {max_results: 2}}\n  - {name: news, step_type: tool, action: search_web, inputs: {query: harbor dredging}, params: {categories: [news, science]}}\n  - {name: through, step_type: tool, action: call_connector, connector: bastion-web-search, endpoint: search, inputs: {query: harbor dredging, max_results: 3}}\n").await;
    let run = ana.start(&agent, "search-the-web", json!({})).await;
    ana.reaches(&run, "complete").await;
    let result = |n: u32| json!({ "title": format!("Dredging {n}"), "url": format!("https://news.example/{n}"), "snippet": format!("The harbour, part {n}."), "source": "news.example", "score": 0.5 });
    for (step, numbers) in [("found", vec![1, 2]), ("news", vec![9]), ("through", vec![1, 2, 3])] {
        let found = output(&ana, &run, step).await;
        let expect: Vec<Value> = numbers.iter().map(|n| result(*n)).collect();
        assert_eq!(
            (&found["results"], &found["count"]),
            (&json!(expect), &json!(numbers.len())),
            "{step}"
        );
    }
}

const SHELF: &str = "id: test-shelf
name: Shelf
type: rest_api
version: 1.0.0
description: A shelf.
connection: { base_url: 'ADDRESS' }
endpoints:
  list: { description: lists, path: /items, response_mapping: { results_path: items } }
";

#[tokio::test]
async fn f_315_k_74_one_success_after_its_rest_lets_all_calls_through_again() {
    let there = beside().await;
    let source = provider_server::start().await;
    let down = Mock::given(any()).respond_with(ResponseTemplate::new(503));
    let down = down.mount_as_scoped(&source).await;
    let (ana, _) = analyst(&there.world, &[]).await;
    let yaml = SHELF.replace("ADDRESS", &source.uri());
    ana.post("/connectors", &json!({ "yaml": yaml })).await;
    let call = json!({ "endpoint": "list" });
    let tried = || ana.post("/connectors/test-shelf/test", &call);
    let health = || ana.get("/connectors/test-shelf/health");
    for _ in 0..5 {
        assert_eq!(tried().await["error"]["code"], "CONNECTOR_UNAVAILABLE");
    }
    let open = health().await;
    assert_eq!(
        (&open["breaker"], &open["failures_in_a_row"]),
        (&json!("open"), &json!(5)),
        "{open:#}"
    );
    let until_then: jiff::Timestamp = open["retry_at"].as_str().unwrap().parse().unwrap();
    let rest = until_then - jiff::Timestamp::now();
    assert!(rest.get_seconds() <= RESTS.parse().unwrap(), "{open:#}");

    // A probe that fails opens it again; the source was asked for it, and for nothing else.
    rested(&health).await;
    let before = source.received_requests().await.unwrap().len();
    assert_eq!(tried().await["error"]["code"], "CONNECTOR_UNAVAILABLE");
    assert_eq!(source.received_requests().await.unwrap().len(), before + 2);
    assert_eq!(health().await["breaker"], "open");

    // One that succeeds closes it, and the failures begin to count anew.
    drop(down);
    let works = ResponseTemplate::new(200).set_body_json(json!({ "items": [{ "name": "Mill" }] }));
    let (script, slow) = (Script::default(), Duration::from_secs(3));
    script.says([works.set_delay(slow)]);
    Mock::given(any()).respond_with(script.clone()).mount(&source).await;
    rested(&health).await;
    // Of several callers at once one finds out; the others are told to come again, unless they come after it.
    let said = join_all([tried(), tried(), tried(), tried()]).await;
    let (passed, refused): (Vec<&Value>, Vec<&Value>) =
        said.iter().partition(|said| said["ok"] == true);
    assert!(refused.iter().all(|said| said["error"]["code"] == "CONNECTOR_UNAVAILABLE"));
    assert_eq!((script.asked(), passed[0]["count"].as_u64()), (passed.len(), Some(1)), "{said:#?}");
    assert!(script.pauses().first().is_none_or(|pause| *pause >= slow), "two calls found out");
    let closed = health().await;
    assert_eq!((&closed["breaker"], &closed["failures_in_a_row"]), (&json!("closed"), &json!(0)));
    assert_eq!(tried().await["ok"], true);
}

/// Waits until the next call may find out.
async fn rested<F: Future<Output = Value>>(health: &impl Fn() -> F) {
    until("the source has rested", || async {
        (health().await["breaker"] == "half_open").then_some(())
    })
    .await;
}
