//! To-dos: kept by steps, seen and ticked off by people.

use serde_json::{Value, json};

use crate::case::{FACTORY, Person, person, refusal};
use crate::world::world;

fn playbook(id: &str, action: &str, arguments: &str) -> String {
    format!(
        r"
id: {id}
name: Keeps to-dos
description: Keeps to-dos.
version: 1.0.0
execution_mode: deterministic
inputs:
  - {{name: todo, type: string}}
steps:
  - {{name: act, step_type: tool, action: {action}, {arguments}}}
"
    )
}

/// Runs one step; gives its result.
async fn runs(
    ana: &Person,
    agent: &str,
    id: &str,
    action: &str,
    arguments: &str,
    todo: &str,
) -> Value {
    ana.playbook(&playbook(id, action, arguments)).await;
    let run = ana.start(agent, id, json!({ "todo": todo })).await;
    ana.reaches(&run, "complete").await;
    ana.get(&format!("/executions/{run}/outputs/act")).await["output"].clone()
}

fn titles(page: &Value) -> Vec<&str> {
    let items = page["items"].as_array().or_else(|| page["todos"].as_array()).unwrap();
    items.iter().map(|todo| todo["title"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn f_075_to_f_079_steps_make_find_change_and_finish_to_dos() {
    let ana = person("ana", &["global:analyst"]).await;
    let agent = ana.agent(&[]).await;
    let runs = async |id: &str, action: &str, arguments: &str, todo: &str| {
        runs(&ana, &agent, id, action, arguments, todo).await
    };
    let call = r#"inputs: {title: "Call Bo", body: "About the *grant*"}, params: {priority: A, deadline: "2026-12-01", scheduled: "2026-11-30", tags: [work, phone]}"#;
    let made = runs("makes-call", "create_todo", call, "").await;
    assert_eq!((&made["success"], &made["file_path"]), (&json!(true), &json!("todos/todos.org")));
    let id = made["todo_id"].as_str().unwrap();
    let read =
        r#"inputs: {title: "Read the filings"}, params: {state: WAITING, target_file: later.org}"#;
    runs("makes-read", "create_todo", read, "").await;

    let listed = runs("lists", "list_todos", "inputs: {}", "").await;
    assert_eq!(
        (titles(&listed), &listed["warning_count"]),
        (vec!["Call Bo", "Read the filings"], &json!(0))
    );
    let soon = r#"inputs: {state: TODO}, params: {tags: [work], deadline_before: "2026-12-02"}"#;
    assert_eq!(titles(&runs("lists-soon", "list_todos", soon, "").await), ["Call Bo"]);
    let later = "inputs: {}, params: {file_id: later.org, limit: 1}";
    assert_eq!(titles(&runs("lists-later", "list_todos", later, "").await), ["Read the filings"]);
    let one = runs("lists-one", "list_todos", "inputs: {}, params: {limit: 1}", "").await;
    assert_eq!((&one["count"], &one["warning_count"]), (&json!(1), &json!(1)), "{one:#}");
    let found = runs("searches", "search_todos", "inputs: {query: GRANT work}", "").await;
    assert_eq!(titles(&found), ["Call Bo"]);

    let change = r#"inputs: {todo_id: "{todo}"}, params: {state: NEXT, priority: A, add_tags: [soon], remove_tags: [phone], add_note: "left a message"}"#;
    let changed = runs("changes", "update_todo", change, id).await;
    assert_eq!(changed["updated_fields"], json!(["state", "tags", "notes"]), "{changed:#}");
    let shown = ana.get(&format!("/todos/{id}")).await;
    assert_eq!((&shown["state"], &shown["tags"]), (&json!("NEXT"), &json!(["soon", "work"])));

    let finish = r#"inputs: {todo_id: "{todo}"}, params: {completion_note: "all said"}"#;
    let done = runs("finishes", "complete_todo", finish, id).await;
    let again = runs("finishes-again", "complete_todo", finish, id).await;
    assert_eq!(done["completed_at"], again["completed_at"], "what is done keeps its time");
    assert_eq!(
        titles(&runs("searches-open", "search_todos", "inputs: {query: bo}", "").await),
        [""; 0]
    );
    let all = "inputs: {query: bo}, params: {include_done: true}";
    assert_eq!(titles(&runs("searches-all", "search_todos", all, "").await), ["Call Bo"]);

    // The list is a text, at the path that the step has given.
    let text = runs("reads-list", "read_file", "inputs: {path: todos/todos.org}", "").await;
    let text = text["content"].as_str().unwrap();
    assert!(text.starts_with("* DONE [#A] Call Bo :soon:work:\nCLOSED: ["), "{text}");
    assert!(text.contains("DEADLINE: <2026-12-01 Tue> SCHEDULED: <2026-11-30 Mon>"), "{text}");
    assert!(text.contains(&format!(":ID: {id}\n")) && text.contains("    all said\n"), "{text}");
}

#[tokio::test]
async fn f_075_f_076_f_079_people_list_their_to_dos_and_tick_them_off() {
    let (ana, bea) =
        (person("ana", &["global:analyst"]).await, person("bea", &["global:reader"]).await);
    let agent = ana.agent(&[]).await;
    let mut ids = Vec::new();
    for (n, params) in [
        r#"deadline: "2026-12-01", tags: [a]"#,
        r#"deadline: "2026-12-05", tags: [a, b]"#,
        "target_file: other.org",
    ]
    .into_iter()
    .enumerate()
    {
        let arguments = format!(r#"inputs: {{title: "To-do {n}"}}, params: {{{params}}}"#);
        let made = runs(&ana, &agent, &format!("makes-{n}"), "create_todo", &arguments, "").await;
        ids.push(made["todo_id"].as_str().unwrap().to_owned());
    }
    let check = async |query: &str, expect: &[&str]| {
        assert_eq!(titles(&ana.get(&format!("/todos?{query}")).await), expect, "{query}");
    };
    check("tag=a", &["To-do 0", "To-do 1"]).await;
    check("deadline_before=2026-12-05", &["To-do 0"]).await;
    check("file=other.org", &["To-do 2"]).await;
    check("q=do%201", &["To-do 1"]).await;
    check("state=DONE", &[]).await;
    let first = ana.get("/todos?limit=2").await;
    assert_eq!(titles(&first), ["To-do 0", "To-do 1"]);
    check(&format!("limit=2&cursor={}", first["next"].as_str().unwrap()), &["To-do 2"]).await;
    for wrong in ["state=open", "tag=a%20b", "deadline_before=soon", "file=a", "colour=red"] {
        assert_eq!(ana.refused(&format!("/todos?{wrong}"), None).await.0, 422, "{wrong}");
    }
    let path = format!("{FACTORY}/todos/{}", ids[0]);
    let patch = json!({ "state": "DONE", "deadline": null, "add_note": "done by hand" });
    let done = ana.door.patch(&path, &patch).await.unwrap();
    assert!(done["completed_at"].is_string() && done.get("deadline").is_none(), "{done:#}");
    check("state=DONE", &["To-do 0"]).await;
    let long = json!({ "add_note": "x".repeat(10_001) });
    let refused = refusal(ana.door.patch(&path, &long).await);
    assert_eq!((refused.status, refused.places), (422, vec!["add_note".to_owned()]));
    // What a to-do is about is its own: the door has no right to write it.
    for other in ["title", "body", "owner", "file"] {
        assert_eq!(refusal(ana.door.patch(&path, &json!({ other: "x" })).await).status, 422);
    }
    // Nobody else's.
    assert_eq!(titles(&bea.get("/todos").await), [""; 0]);
    assert_eq!(bea.refused(&format!("/todos/{}", ids[0]), None).await.0, 404);
    assert_eq!(refusal(bea.door.patch(&path, &patch).await).code, "TODO_NOT_FOUND");
    // The same from the command line.
    let (is_done, said) = world().command(&["todos", "--tag", "b", "--as", &ana.username]).await;
    assert!(is_done && said.contains("To-do 1") && !said.contains("To-do 0"), "{said}");
    let (is_done, said) = world().command(&["todos", "done", &ids[1], "--as", &ana.username]).await;
    assert!(is_done && said.trim() == "DONE To-do 1", "{said}");
}

#[tokio::test]
async fn f_075_f_077_what_a_to_do_cannot_be_is_found_where_it_is_written() {
    let ana = person("ana", &["global:analyst"]).await;
    for (action, arguments, expect) in [
        (
            "create_todo",
            "inputs: {title: a}, params: {priority: D}",
            "`priority` must be one of `A`, `B`, `C`, found `D`",
        ),
        (
            "create_todo",
            "inputs: {title: a}, params: {state: DONE}",
            "`state` must be one of `TODO`, `NEXT`, `WAITING`, found `DONE`",
        ),
        (
            "create_todo",
            "inputs: {title: a}, params: {deadline: soon}",
            "`deadline` must be a day, such as `2026-11-25`",
        ),
        ("create_todo", "inputs: {title: a}, params: {target_file: notes}", "ending in `.org`"),
        ("create_todo", "inputs: {title: \"\"}", "`title` is empty"),
        (
            "update_todo",
            "inputs: {todo_id: a}, params: {add_tags: [a b]}",
            "must be 1 to 50 letters",
        ),
        ("list_todos", "inputs: {state: OPEN}", "`state` must be one of"),
    ] {
        let yaml = playbook("is-wrong", action, arguments);
        let said = ana.post("/playbooks/validate", &json!({ "yaml": yaml })).await;
        assert_eq!(said["is_valid"], json!(false), "{said:#}");
        assert!(said.to_string().contains(expect), "{expect}: {said:#}");
    }
}
