//! Actions of this system behind a connector.

use super::*;

fn yaml(tool: &str, more: &str) -> String {
    format!(
        "
id: web-search
name: Web search
type: existing_tool
version: 1.0.0
connection: {{ tool: {tool} }}
endpoints:
  search:
    description: searches
    parameters:
      - {{ name: {}, type: string, required: true }}
{more}",
        if tool == "search_web" { "query" } else { "url" }
    )
}

const LIMITED: &str = "      - { name: max_results, type: integer, default: 10 }\n";

fn answered(text: &str, tool: Value) -> Arc<World> {
    Arc::new(World { tool: Some(tool), ..World::new(text) })
}

async fn search(world: &Arc<World>) -> Result<Value, ActionError> {
    let call = call_of("web-search", "search", json!({ "query": "x" }));
    run_with(world, Mode::Read, Policy::default(), &call).await
}

#[tokio::test]
async fn f_102_the_action_is_run_and_its_output_passes_through() {
    let found = json!({ "results": [{ "title": "a" }], "count": 1 });
    let world = answered(&yaml("search_web", LIMITED), found.clone());
    assert_eq!(search(&world).await.unwrap(), found);
    let used = world.used.lock().unwrap();
    let [call] = &used[..] else { panic!("one call") };
    assert_eq!(call.action, "search_web");
    assert_eq!(Value::from(call.inputs.clone()), json!({ "query": "x" }));
    assert_eq!(Value::from(call.params.clone()), json!({ "max_results": 10 }));
    assert_eq!((call.owner.clone(), call.remaining), (user(1), Duration::from_secs(60)));
    assert!(world.asked.lock().unwrap().is_empty(), "no credential is read");
}

#[tokio::test]
async fn f_102_the_output_may_be_mapped() {
    let mapping = "    response_mapping: { results_path: results, fields: { name: title | url } }\n    output_schema: { metadata_fields: [{ name: total, type: integer, path: count }] }\n";
    let text = yaml("search_web", mapping);
    let found = json!({ "results": [{ "title": "a" }, { "url": "u" }], "count": "2" });
    let output = search(&answered(&text, found)).await.unwrap();
    assert_eq!((&output["count"], &output["total"]), (&json!(2), &json!(2)));
    assert_eq!(own_fields(&output["results"][1]), own_fields(&json!({ "name": "u" })));
    assert_eq!(output["results"][0]["_source"], "web-search");
    let told = json!({ "results": [], "count": 0, "warnings": ["Not searched: `news`."] });
    let output = search(&answered(&text, told)).await.unwrap();
    let warnings = output["warnings"].as_array().unwrap();
    assert!(warnings.contains(&json!("Not searched: `news`.")), "{output}");
    assert_eq!(output["warning_count"], warnings.len());
    let other = search(&answered(&text, json!({ "hits": [] }))).await.unwrap();
    assert_eq!((&other["count"], &other["total"]), (&json!(0), &Value::Null));
    assert!(other["warnings"][0].as_str().unwrap().contains("not as expected"), "{other}");
}

#[tokio::test]
async fn f_102_a_failure_of_the_action_is_told_as_it_is() {
    let world = Arc::new(World::new(&yaml("search_web", "")));
    let error = search(&world).await.unwrap_err();
    assert_eq!(
        (error.code, error.class, error.message.as_str()),
        ("SEARCH_DOWN", Class::Retryable, "no search")
    );
}

#[tokio::test]
async fn k_41_an_action_that_was_not_given_cannot_be_reached() {
    let world = answered(&yaml("crawl_url", ""), json!({}));
    let call = call_of("web-search", "search", json!({ "url": "https://a.example" }));
    let error = run_with(&world, Mode::Read, Policy::default(), &call).await.unwrap_err();
    assert_eq!(error.code, "CONNECTOR_TOOL_UNAVAILABLE");
    assert!(world.used.lock().unwrap().is_empty());
}
