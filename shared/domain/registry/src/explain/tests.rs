use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{Path, Problem, explain};
use crate::Registry;
use crate::actions::transform_data::TransformData;

/// The problems of a param: those of its schema and, when there are none, those of the action's rules.
fn problems(action: &str, param: &str, value: &Value, open: &[&str]) -> Vec<Problem> {
    let registry = Registry::builtin();
    let contract = registry.get(action).unwrap();
    let slot = contract.params.iter().find(|slot| slot.name == param).unwrap();
    let open: Vec<Path> = open.iter().map(|path| Path::parse(path)).collect();
    let findings = explain(slot.schema.as_ref().unwrap(), value, &Path::of(param), &open);
    if !findings.problems.is_empty() {
        return findings.problems;
    }
    let params = Map::from_iter([(param.to_owned(), value.clone())]);
    registry.rules(action, params, &findings.open)
}

fn check(action: &str, param: &str, value: &Value, open: &[&str], expect: &[&str]) {
    let told = problems(action, param, value, open).into_iter().map(|problem| {
        let hint = problem.hint.map(|hint| format!(" | {hint}")).unwrap_or_default();
        format!("{}: {}{hint}", problem.path, problem.message)
    });
    assert_eq!(told.collect::<Vec<_>>(), expect, "{value}");
}

#[test]
fn f_051_every_problem_of_nested_params_is_found_at_its_place() {
    check(
        "transform_data",
        "operations",
        &json!([
            {"type": "limit", "count": -3}, {"type": "filtr"}, {"field": "a"}, {"type": "sort", "field": 7, "operator": "eq"},
            {"type": "filter", "field": "", "operator": "gtt", "value": null}, "sort",
        ]),
        &[],
        &[
            "operations[0].count: `count` must be a whole number, 0 or more, found -3",
            "operations[1].type: `type` must be one of `filter`, `sort`, `aggregate`, `deduplicate`, `limit`, found `filtr` | did you mean `filter`?",
            "operations[2].type: entry 3 of `operations` has no `type`",
            "operations[3].field: `field` must be a string, found 7",
            "operations[3].operator: entry 4 of `operations` has no key `operator` | `operator` is a key of `type: filter`",
            "operations[4].field: `field` is empty",
            "operations[4].operator: `operator` must be one of `eq`, `ne`, `gt`, `gte`, `lt`, `lte`, `contains`, `in`, found `gtt` | did you mean `gte`?",
            "operations[5]: entry 6 of `operations` must be a mapping, found a string",
        ],
    );
}

#[test]
fn f_051_rules_look_at_more_than_one_place() {
    check(
        "transform_data",
        "operations",
        &json!([
            {"type": "filter", "field": "a", "operator": "in", "value": 1}, {"type": "aggregate", "function": "sum"},
            {"type": "aggregate", "function": "count", "group_by": "a", "as": "a"}, {"type": "limit"},
        ]),
        &[],
        &[
            "operations[0].value: the operator `in` needs a list as `value`",
            "operations[1].field: `sum` needs a `field`",
            "operations[2].as: `as` may not be `a`, which the groups have already",
            "operations[3].count: `count` is missing",
        ],
    );
}

#[test]
fn k_52_nothing_is_said_about_what_is_known_only_during_a_run() {
    let operations = json!([
        {"type": "limit", "count": "{n}"}, {"type": "filter", "field": "a", "operator": "in", "value": "{names}"},
        {"type": "{kind}", "count": 1}, {"type": "sort"},
    ]);
    let open = ["operations[0].count", "operations[1].value", "operations[2].type"];
    let expect = ["operations[3].field: entry 4 of `operations` has no `field`"];
    check("transform_data", "operations", &operations, &open, &expect);
    let all = Value::Array(operations.as_array().unwrap()[..2].to_vec());
    check("transform_data", "operations", &all, &open, &[]);
}

#[test]
fn f_053_a_destination_is_read_whole() {
    let destinations = json!([
        {"type": "data_workspace_table", "config": {"tabel_name": "t"}},
        {"type": "document", "config": {"title": 7}, "transforms": [{"type": "limit", "count": -1}]},
    ]);
    check(
        "route_output",
        "destinations",
        &destinations,
        &[],
        &[
            "destinations[0].config.tabel_name: `config` has no key `tabel_name` | did you mean `table_name`?",
            "destinations[0].config.table_name: `config` has no `table_name` | is `tabel_name` meant to be `table_name`?",
            "destinations[1].config.title: `title` must be a string, found 7",
            "destinations[1].transforms[0].count: `count` must be a whole number from 0 to 1000000, found -1",
        ],
    );
    let table = json!([{"type": "data_workspace_table", "config": {"table_name": "{table}"}}]);
    check("route_output", "destinations", &table, &["destinations[0].config.table_name"], &[]);
    check(
        "route_output",
        "destinations",
        &json!([]),
        &[],
        &["destinations: `destinations` must have 1 to 50 entries, found 0"],
    );
    let many = json!(vec![json!({"type": "chat"}); 51]);
    let told = "destinations: `destinations` must have 1 to 50 entries, found 51";
    check("route_output", "destinations", &many, &[], &[told]);
}

#[test]
fn f_051_a_key_of_another_form_names_that_form() {
    check(
        "transform_data",
        "operations",
        &json!([{"type": "sort", "field": "a", "limit": 3}, {"typ": "limit", "cout": 3}]),
        &[],
        &[
            "operations[0].limit: entry 1 of `operations` has no key `limit` | `limit` is a key of `type: limit`",
            "operations[1].type: entry 2 of `operations` has no `type` | is `typ` meant to be `type`?",
            "operations[1].typ: entry 2 of `operations` has no key `typ` | did you mean `type`?",
            "operations[1].cout: entry 2 of `operations` has no key `cout` | did you mean `count`?",
        ],
    );
}

#[test]
fn f_284_only_kinds_of_this_release_are_accepted_and_offered() {
    let all = "`document`, `folder`, `append_to_existing`, `data_workspace_table`, `data_workspace_db`, `chat`, `file_export`, `knowledge_graph`";
    check(
        "route_output",
        "destinations",
        &json!([{"type": "knowledge_graph", "format": "cvs"}, {"type": "chart"}, {"type": "chat", "confirm": true}]),
        &[],
        &[
            "destinations[0].format: `format` must be one of `markdown`, `json`, `csv`, `structured`, found `cvs` | did you mean `csv`?",
            &format!(
                "destinations[1].type: `type` must be one of {all}, found `chart` | did you mean `chat`?"
            ),
        ],
    );
}

#[test]
fn f_282_columns_of_a_table_have_names_and_types() {
    let config = json!({"table_name": "{table}", "schema_mapping": {"1st": "TEXT", "b": "INT", "c": {"form": "d"}},
        "deduplication_key": ["e"]});
    check(
        "route_output",
        "destinations",
        &json!([{"type": "data_workspace_table", "config": config}]),
        &["destinations[0].config.table_name"],
        &[
            "destinations[0].config.schema_mapping.1st: `1st` is not a column name | use up to 64 letters, digits and underscores, beginning with a letter",
            "destinations[0].config.schema_mapping.b: `b` must be one of `TEXT`, `REAL`, `DECIMAL`, `TIMESTAMP`, found `INT`",
            "destinations[0].config.schema_mapping.c.form: `c` has no key `form` | did you mean `from`?",
        ],
    );
    let config = json!({"table_name": "{table}", "schema_mapping": {"a": "TEXT"}, "deduplication_key": ["a", "b"]});
    check(
        "route_output",
        "destinations",
        &json!([{"type": "data_workspace_table", "config": config}]),
        &["destinations[0].config.table_name"],
        &["destinations[0].config.deduplication_key[1]: `b` is not a column of `schema_mapping`"],
    );
}

#[test]
fn f_244_a_strategy_that_needs_a_model_is_refused_with_the_reason() {
    for (action, rest) in [
        ("extract_entities", "`auto`, `rules`"),
        ("resolve_entities", "`exact`, `fuzzy`"),
        ("match_entities", "`exact`, `fuzzy`"),
    ] {
        let told =
            format!("strategy: `strategy` cannot be `ml`: no model is shipped | use one of {rest}");
        check(action, "strategy", &json!("ml"), &[], &[&told]);
        let slot = |slot: &&crate::Slot| slot.name == "strategy";
        let strategy =
            Registry::builtin().get(action).unwrap().params.iter().find(slot).unwrap().clone();
        assert!(!strategy.choices.contains(&"ml".to_owned()), "{action}");
    }
}

#[test]
fn f_047_words_ranges_and_forms_are_checked() {
    check(
        "extract_entities",
        "entity_types",
        &json!(7),
        &[],
        &["entity_types: `entity_types` must be a string or a list, found 7"],
    );
    check(
        "extract_entities",
        "rules",
        &json!([{"field": "n", "relationship_type": "OFFICER"}, {"entity_type": "ORG", "kind": 1}]),
        &[],
        &[
            "rules[0].relationship_type: `relationship_type` is not a relationship of the graph | did you mean `OFFICER_OF`?",
            "rules[1].kind: entry 2 of `rules` has no key `kind` | known keys are `field`, `entity_type`, `relationship_type`",
            "rules[1].field: entry 2 of `rules` has no `field`",
        ],
    );
    check(
        "resolve_entities",
        "threshold",
        &json!(85),
        &[],
        &["threshold: `threshold` must be a number from 0.0 to 1.0, found 85"],
    );
    check("send_notification", "action_url", &json!("/runs/1"), &[], &[]);
    check(
        "send_notification",
        "action_url",
        &json!("javascript:alert(1)"),
        &[],
        &["action_url: `action_url` must be an https address or a path of this deployment"],
    );
}

fn leaf() -> BoxedStrategy<Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3_i64..60).prop_map(Value::from),
        (-1.0_f64..2.0).prop_map(Value::from),
        "[a-z/]{0,4}".prop_map(Value::from),
        Just(json!([])),
        Just(json!({"a": 1})),
    ]
    .boxed()
}

/// Mostly what fits a schema, sometimes something else.
fn near(schema: &Value) -> BoxedStrategy<Value> {
    prop_oneof![12 => fitting(schema), 1 => leaf()].boxed()
}

fn fitting(schema: &Value) -> BoxedStrategy<Value> {
    if let Some(branches) = schema["oneOf"].as_array().or_else(|| schema["anyOf"].as_array()) {
        let each: Vec<_> = branches.iter().map(near).collect();
        return proptest::strategy::Union::new(each).boxed();
    }
    if let Some(words) = schema["enum"].as_array() {
        return prop::sample::select(words.clone()).boxed();
    }
    if let Some(word) = schema.get("const") {
        return Just(word.clone()).boxed();
    }
    match schema["type"].as_str() {
        Some("string") => "[a-zA-Z_/ ]{0,6}".prop_map(Value::from).boxed(),
        Some("integer") => (-1_i64..120).prop_map(Value::from).boxed(),
        Some("number") => (-0.2_f64..1.2).prop_map(Value::from).boxed(),
        Some("boolean") => any::<bool>().prop_map(Value::from).boxed(),
        Some("array") => {
            prop::collection::vec(near(&schema["items"]), 0..4).prop_map(Value::from).boxed()
        }
        Some("object") => object(schema),
        _ => leaf(),
    }
}

fn object(schema: &Value) -> BoxedStrategy<Value> {
    let none = Map::new();
    let mut all: BoxedStrategy<Map<String, Value>> = Just(Map::new()).boxed();
    for (name, schema) in schema["properties"].as_object().unwrap_or(&none) {
        let name = name.clone();
        let one = prop::option::weighted(0.7, near(schema));
        all = (all, one)
            .prop_map(move |(mut fields, value)| {
                fields.extend(value.map(|value| (name.clone(), value)));
                fields
            })
            .boxed();
    }
    all.prop_map(Value::from).boxed()
}

/// Params near to what an action takes, and whether nothing is wrong with them.
fn params(action: &'static str) -> impl Strategy<Value = (Map<String, Value>, bool)> {
    let contract = Registry::builtin().get(action).unwrap().clone();
    let properties: Map<String, Value> = contract
        .params
        .iter()
        .map(|slot| (slot.name.clone(), slot.schema.clone().unwrap()))
        .collect();
    let fits = move |params: &Map<String, Value>| {
        contract.params.iter().all(|slot| match params.get(&slot.name).filter(|v| !v.is_null()) {
            Some(value) => {
                explain(slot.schema.as_ref().unwrap(), value, &Path::of(&slot.name), &[])
                    .problems
                    .is_empty()
            }
            None => !slot.required,
        })
    };
    object(&json!({ "properties": properties })).prop_map(move |params| {
        let mut params = params.as_object().cloned().unwrap_or_default();
        params.retain(|_, value| !value.is_null());
        let fits = fits(&params);
        (params, fits)
    })
}

fn reads<A: crate::Action>(params: Map<String, Value>) -> bool {
    serde_json::from_value::<A::Params>(params.into()).is_ok()
}

macro_rules! what_fits_is_read {
    ($($name:ident: $action:ty),* $(,)?) => {
        proptest! {
            #![proptest_config(ProptestConfig::with_cases(200))]
            $(
                #[test]
                fn $name((params, fits) in params(<$action as crate::Action>::NAME)) {
                    prop_assert!(!fits || reads::<$action>(params.clone()), "{params:?}");
                }
            )*
        }
    };
}

what_fits_is_read! {
    f_051_what_fits_transform_data_is_read: TransformData,
    f_053_what_fits_route_output_is_read: crate::actions::route_output::RouteOutput,
    f_047_what_fits_extract_entities_is_read: crate::actions::extract_entities::ExtractEntities,
    f_048_what_fits_resolve_entities_is_read: crate::actions::resolve_entities::ResolveEntities,
    f_048_what_fits_match_entities_is_read: crate::actions::match_entities::MatchEntities,
    f_049_what_fits_cross_reference_is_read: crate::actions::cross_reference::CrossReference,
    f_044_what_fits_search_documents_is_read: crate::actions::search_documents::SearchDocuments,
    f_045_what_fits_search_web_is_read: crate::actions::search_web::SearchWeb,
    f_055_what_fits_synthesize_report_is_read: crate::actions::synthesize_report::SynthesizeReport,
    f_056_what_fits_llm_analyze_is_read: crate::actions::llm_analyze::LlmAnalyze,
    f_046_what_fits_crawl_url_is_read: crate::actions::crawl_url::CrawlUrl,
    f_052_what_fits_save_to_workspace_is_read: crate::actions::save_to_workspace::SaveToWorkspace,
    f_066_what_fits_query_journal_is_read: crate::actions::query_journal::QueryJournal,
    f_073_what_fits_send_channel_message_is_read: crate::actions::send_channel_message::SendChannelMessage,
    f_072_what_fits_send_notification_is_read: crate::actions::send_notification::SendNotification,
    f_075_what_fits_create_todo_is_read: crate::actions::create_todo::CreateTodo,
    f_076_what_fits_list_todos_is_read: crate::actions::list_todos::ListTodos,
    f_077_what_fits_update_todo_is_read: crate::actions::update_todo::UpdateTodo,
    f_078_what_fits_complete_todo_is_read: crate::actions::complete_todo::CompleteTodo,
    f_079_what_fits_search_todos_is_read: crate::actions::search_todos::SearchTodos,
    f_080_what_fits_read_file_is_read: crate::actions::read_file::ReadFile,
    f_081_what_fits_find_file_by_name_is_read: crate::actions::find_file_by_name::FindFileByName,
    f_083_what_fits_patch_file_is_read: crate::actions::patch_file::PatchFile,
    f_084_what_fits_delete_file_is_read: crate::actions::delete_file::DeleteFile,
    f_086_what_fits_copy_file_is_read: crate::actions::copy_file::CopyFile,
    k_47_what_fits_restore_file_is_read: crate::actions::restore_file::RestoreFile,
}

#[test]
fn f_051_most_of_what_is_generated_near_a_schema_fits_it() {
    use proptest::strategy::ValueTree as _;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let all = params("transform_data");
    let fitting = (0..300).filter(|_| all.new_tree(&mut runner).unwrap().current().1).count();
    assert!(fitting > 30, "{fitting} of 300");
}
