//! Files: read, found, copied, and changed, moved and removed as people signed it.

mod attacks;
mod lost;
mod places;
mod search;

use serde_json::{Value, json};

use crate::case::{Person, person, step, until};
use crate::world::world;

/// A playbook of one step.
fn one_step(id: &str, action: &str, arguments: &str) -> String {
    playbook(id, &format!("  - {{name: act, step_type: tool, action: {action}, {arguments}}}\n"))
}

fn playbook(id: &str, steps: &str) -> String {
    format!(
        r"
id: {id}
name: Works with files
description: Works with files.
version: 1.0.0
execution_mode: deterministic
inputs:
  - {{name: file, type: string}}
steps:
{steps}"
    )
}

/// Somebody with an agent whose changes somebody else signs.
struct Scene {
    ana: Person,
    maria: Person,
    agent: String,
}

impl Scene {
    async fn set() -> Self {
        let ana = person("ana", &["global:analyst"]).await;
        let maria = person("maria", &["global:analyst", "decide"]).await;
        let agent = ana.agent(&[&maria]).await;
        Self { ana, maria, agent }
    }

    async fn start(&self, playbook: &str, yaml: &str, file: &str) -> String {
        self.ana.playbook(yaml).await;
        self.ana.start(&self.agent, playbook, json!({ "file": file })).await
    }

    /// Runs a step that nobody has to sign; gives its result.
    async fn reads(&self, id: &str, action: &str, arguments: &str, file: &str) -> Value {
        let run = self.start(id, &one_step(id, action, arguments), file).await;
        let run = self.ana.reaches(&run, "complete").await;
        self.output(run["id"].as_str().unwrap(), "act").await
    }

    async fn output(&self, run: &str, step: &str) -> Value {
        self.ana.get(&format!("/executions/{run}/outputs/{step}")).await["output"].clone()
    }

    /// Starts a step that has to be signed; gives its run, and where its request is.
    async fn asks(&self, id: &str, action: &str, arguments: &str, file: &str) -> (String, String) {
        let run = self.start(id, &one_step(id, action, arguments), file).await;
        let path = self.path(&run).await;
        (run, path)
    }

    async fn path(&self, run: &str) -> String {
        let request = self.maria.request(run).await;
        format!("/approvals/{}", request["approval"].as_str().unwrap())
    }

    async fn decide(&self, path: &str, word: &str) {
        let seen = self.maria.get(path).await;
        let body = json!({ "digest": seen["digest"], "version": seen["version"] });
        self.maria.post(&format!("{path}/{word}"), &body).await;
    }

    /// Runs a step, signs it, and gives its result.
    async fn signed(&self, id: &str, action: &str, arguments: &str, file: &str) -> Value {
        let (run, path) = self.asks(id, action, arguments, file).await;
        self.decide(&path, "approve").await;
        self.ana.reaches(&run, "complete").await;
        self.output(&run, "act").await
    }

    /// Makes a file with a text; gives its id.
    async fn file(&self, id: &str, path: &str, text: &str) -> String {
        let text = json!(text);
        let arguments = format!(
            "inputs: {{document_id: {path}, edits: [{{operation: append, content: {text}}}]}}, params: {{create_if_missing: true}}"
        );
        self.signed(id, "patch_file", &arguments, "").await;
        let (folder, name) = path.split_once('/').unwrap();
        let all = self.ana.get(&format!("/documents?folder={folder}")).await;
        let all = all["items"].as_array().unwrap();
        let made = all.iter().find(|one| one["filename"] == name).unwrap();
        made["id"].as_str().unwrap().to_owned()
    }

    /// Whether one of the mailed links leads to a page that says this.
    async fn mailed(&self, text: &str) -> Option<()> {
        let mails = world().mailbox().to(&self.maria.email).await.unwrap();
        for link in mails.iter().rev().filter_map(|mail| mail.link()) {
            let page = self.maria.approver().open(link).await.unwrap().html;
            if page.contains(text) {
                return Some(());
            }
        }
        None
    }

    async fn text(&self, id: &str) -> String {
        self.ana.get(&format!("/documents/{id}")).await["body"].as_str().unwrap().to_owned()
    }
}

/// What a request says of the first change of a step: its target, and its fields by name.
fn shown(seen: &Value) -> (Value, Vec<(String, String)>) {
    let sends = &seen["effects"][0]["items"][0]["sends"];
    let fields = sends["sections"][0]["content"]["fields"].as_array().unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let fields = fields.iter().map(|field| (text(&field["name"]), text(&field["value"])));
    (sends["target"].clone(), fields.collect())
}

#[track_caller]
fn says(fields: &[(String, String)], name: &str, value: &str) {
    let found = fields.iter().find(|(of, _)| of == name).map(|(_, value)| value.as_str());
    assert_eq!(found, Some(value), "{fields:?}");
}

const NOTES: &str = "---\ntitle: Notes\ntags: [a, b]\n---\n# Notes\nStatus: open\n";

#[tokio::test]
async fn f_083_k_47_k_25_a_file_is_made_and_changed_as_it_was_signed() {
    let scene = Scene::set().await;
    let id = scene.file("makes-notes", "made/notes.md", NOTES).await;
    assert_eq!(scene.text(&id).await, NOTES);
    let edits = r#"inputs: {document_id: "{file}", edits: [{operation: replace, target: "Status: open", content: "Status: closed"}, {operation: insert, target: "closed", content: "!"}, {operation: append, content: "End\n"}]}"#;
    let (run, path) = scene.asks("changes-notes", "patch_file", edits, &id).await;
    let seen = scene.maria.get(&path).await;
    let (target, fields) = shown(&seen);
    assert_eq!((&target["method"], &target["path"]), (&json!("PATCH"), &json!("/made/notes.md")));
    let after = "---\ntitle: Notes\ntags: [a, b]\n---\n# Notes\nStatus: closed!\nEnd\n";
    says(&fields, "document", &id);
    says(&fields, "title", "notes");
    says(&fields, "edits[0].operation", "replace");
    says(&fields, "edits[0].target", "Status: open");
    says(&fields, "edits[2].content", "End\n");
    says(&fields, "text", after);
    assert_eq!(scene.text(&id).await, NOTES, "nothing happens before it is signed");
    until("the mailed page of this request", || scene.mailed("Status: closed!")).await;
    scene.decide(&path, "approve").await;
    scene.ana.reaches(&run, "complete").await;
    assert_eq!(scene.text(&id).await, after);
    let output = scene.output(&run, "act").await;
    let expect = json!({ "success": true, "operations_applied": 3, "new_content_length": after.chars().count() });
    assert_eq!(output, expect);
}

#[tokio::test]
async fn f_080_f_081_f_086_files_are_read_found_and_copied() {
    let scene = Scene::set().await;
    let id = scene.file("makes-file", "papers/Grants.md", NOTES).await;
    let whole =
        scene.reads("reads", "read_file", r#"inputs: {path: "papers/Grants.md"}"#, "").await;
    assert_eq!((&whole["content"], &whole["frontmatter"]), (&json!(NOTES), &Value::Null));
    assert_eq!(
        (&whole["file_type"], &whole["metadata"]["path"]),
        (&json!("md"), &json!("papers/Grants.md"))
    );
    let arguments =
        r#"inputs: {document_id: "{file}"}, params: {include_frontmatter: true, max_length: 7}"#;
    let head = scene.reads("reads-head", "read_file", arguments, &id).await;
    assert_eq!(
        (&head["content"], &head["frontmatter"]["tags"]),
        (&json!("# Notes"), &json!(["a", "b"]))
    );
    assert!(head["warnings"][0].as_str().unwrap().starts_with("14 characters"), "{head:#}");
    let arguments =
        r#"inputs: {document_id: "{file}", target_folder_id: papers}, params: {new_title: Copy}"#;
    let copy = scene.reads("copies", "copy_file", arguments, &id).await;
    assert_eq!(
        (&copy["new_title"], &copy["new_folder_path"]),
        (&json!("Copy"), &json!("papers/Grants.md"))
    );
    assert_eq!(scene.text(copy["new_document_id"].as_str().unwrap()).await, NOTES);
    let found = scene.reads("finds", "find_file_by_name", "inputs: {name: GRANT}", "").await;
    assert_eq!((&found["count"], &found["warning_count"]), (&json!(2), &json!(0)), "{found:#}");
    let exact =
        "inputs: {name: Copy}, params: {exact_match: true, file_types: [md], folder_id: papers}";
    let found = scene.reads("finds-copy", "find_file_by_name", exact, "").await;
    assert_eq!(found["files"][0]["document_id"], copy["new_document_id"], "{found:#}");
    let other = "inputs: {name: Copy}, params: {exact_match: true, file_types: [csv]}";
    let found = scene.reads("finds-none", "find_file_by_name", other, "").await;
    assert_eq!(found["count"], 0, "{found:#}");
    // The path leads to two now; nobody guesses.
    let reads = one_step("reads-one-of", "read_file", r#"inputs: {path: "papers/Grants.md"}"#);
    let run = scene.start("reads-one-of", &reads, "").await;
    let run = scene.ana.reaches(&run, "error").await;
    assert_eq!(step(&run, "act")["code"], "DOCUMENT_AMBIGUOUS", "{run:#}");
    // Somebody else's files are not there.
    let bea = person("bea", &["global:analyst"]).await;
    foreign(&bea, &scene.maria, "read_file", r#"inputs: {document_id: "{file}"}"#, &id).await;
    let removes = r#"inputs: {document_id: "{file}"}, params: {confirm: true}"#;
    foreign(&bea, &scene.maria, "delete_file", removes, &id).await;
}

/// A step of somebody else finds no such file, and nobody is asked.
async fn foreign(bea: &Person, signer: &Person, action: &str, arguments: &str, file: &str) {
    let agent = bea.agent(&[signer]).await;
    let id = format!("foreign-{}", action.replace('_', "-"));
    bea.playbook(&one_step(&id, action, arguments)).await;
    let run = bea.start(&agent, &id, json!({ "file": file })).await;
    let run = bea.reaches(&run, "error").await;
    assert!(run.to_string().contains("DOCUMENT_NOT_FOUND"), "{run:#}");
}

#[tokio::test]
async fn f_084_k_47_a_removal_shows_what_goes_and_can_be_taken_back() {
    let scene = Scene::set().await;
    let id = scene.file("makes-old", "old/plan.md", "# Old plan\n").await;
    let arguments = r#"inputs: {document_id: "{file}"}, params: {confirm: true}"#;
    let (run, path) = scene.asks("removes", "delete_file", arguments, &id).await;
    let (target, fields) = shown(&scene.maria.get(&path).await);
    assert_eq!((&target["method"], &target["path"]), (&json!("DELETE"), &json!("/old/plan.md")));
    says(&fields, "title", "plan");
    says(&fields, "text", "# Old plan\n");
    says(&fields, "restorable_days", "30");
    scene.decide(&path, "approve").await;
    scene.ana.reaches(&run, "complete").await;
    let output = scene.output(&run, "act").await;
    assert_eq!(output, json!({ "success": true, "deleted_title": "plan" }));
    assert_eq!(scene.ana.refused(&format!("/documents/{id}"), None).await.0, 404);
    let listed = scene.ana.get("/documents?folder=old").await;
    assert_eq!(listed["items"], json!([]), "{listed:#}");
    let removed = scene.ana.get("/documents/removed").await;
    let one = &removed["items"][0];
    assert_eq!((&one["id"], &one["removed_by"]), (&json!(id), &json!(run)), "{removed:#}");
    let restore = r#"inputs: {document_id: "{file}"}"#;
    let bea = person("bea", &["global:analyst"]).await;
    assert_eq!(bea.get("/documents/removed").await["items"], json!([]));
    foreign(&bea, &scene.maria, "restore_file", restore, &id).await;
    for n in 0..2 {
        let back = scene.reads(&format!("restores-{n}"), "restore_file", restore, &id).await;
        assert_eq!((&back["path"], &back["title"]), (&json!("old/plan.md"), &json!("plan")));
    }
    assert_eq!(scene.text(&id).await, "# Old plan\n");
    assert_eq!(scene.ana.get("/documents/removed").await["items"], json!([]));
    // Who denies keeps it.
    let (run, path) = scene.asks("removes-not", "delete_file", arguments, &id).await;
    scene.decide(&path, "reject").await;
    scene.ana.reaches(&run, "rejected").await;
    assert_eq!(scene.text(&id).await, "# Old plan\n");
}

#[tokio::test]
async fn f_085_a_file_is_moved_to_a_folder_that_exists() {
    let scene = Scene::set().await;
    let id = scene.file("makes-moved", "inbox/a.md", "A\n").await;
    scene.file("makes-archive", "archive/b.md", "B\n").await;
    let to = |folder: &str| {
        format!(r#"inputs: {{document_id: "{{file}}", target_folder_id: {folder}}}"#)
    };
    let missing = one_step("moves-nowhere", "move_file", &to("nowhere"));
    let run = scene.start("moves-nowhere", &missing, &id).await;
    let run = scene.ana.reaches(&run, "error").await;
    assert!(run.to_string().contains("the folder `nowhere` does not exist"), "{run:#}");
    let (run, path) = scene.asks("moves", "move_file", &to("archive"), "inbox/a.md").await;
    let (target, fields) = shown(&scene.maria.get(&path).await);
    assert_eq!((&target["method"], &target["path"]), (&json!("MOVE"), &json!("/inbox/a.md")));
    says(&fields, "to", "archive/a.md");
    scene.decide(&path, "approve").await;
    scene.ana.reaches(&run, "complete").await;
    assert_eq!(scene.output(&run, "act").await["new_folder_path"], "archive/a.md");
    let names = |page: &Value| page["items"].as_array().unwrap().len();
    assert_eq!(names(&scene.ana.get("/documents?folder=inbox").await), 0);
    assert_eq!(names(&scene.ana.get("/documents?folder=archive").await), 2);
    assert_eq!(scene.text(&id).await, "A\n");
}

#[tokio::test]
async fn k_25_a_file_that_changed_after_the_signature_is_not_touched_but_asked_about_again() {
    let scene = Scene::set().await;
    let id = scene.file("makes-shared", "shared/a.md", "one\n").await;
    let steps = r#"  - {name: ask, step_type: approval, prompt: "Close it?"}
  - {name: act, step_type: tool, action: patch_file, inputs: {document_id: "{file}", edits: [{operation: append, content: "signed\n"}]}}
"#;
    let run = scene.start("closes", &playbook("closes", steps), &id).await;
    let gate = scene.path(&run).await;
    let (_, fields) = shown(&scene.maria.get(&gate).await);
    says(&fields, "text", "one\nsigned\n");
    // Another run changes the file while the request is open.
    let edits =
        r#"inputs: {document_id: "{file}", edits: [{operation: prepend, content: "zero\n"}]}"#;
    scene.signed("interferes", "patch_file", edits, &id).await;
    scene.decide(&gate, "approve").await;
    let own = until("the step asks for itself", || async {
        let path = scene.path(&run).await;
        (path != gate).then_some(path)
    })
    .await;
    assert_eq!(
        scene.text(&id).await,
        "zero\none\n",
        "something else than what was signed was done"
    );
    let seen = scene.maria.get(&own).await;
    says(&shown(&seen).1, "text", "zero\none\nsigned\n");
    assert!(seen["remarks"].to_string().contains("before.sha256"), "{seen:#}");
    scene.decide(&own, "approve").await;
    scene.ana.reaches(&run, "complete").await;
    assert_eq!(scene.text(&id).await, "zero\none\nsigned\n");
    // What is gone cannot be changed, and nobody is asked again.
    let run = scene.start("closes-again", &playbook("closes-again", steps), &id).await;
    let gate = scene.path(&run).await;
    let removes = r#"inputs: {document_id: "{file}"}, params: {confirm: true}"#;
    scene.signed("removes-shared", "delete_file", removes, &id).await;
    scene.decide(&gate, "approve").await;
    let over = scene.ana.reaches(&run, "error").await;
    assert_eq!(step(&over, "act")["code"], "DOCUMENT_NOT_FOUND", "{over:#}");
}

#[tokio::test]
async fn f_080_f_083_f_084_k_47_what_cannot_be_is_found_where_it_is_written() {
    let ana = person("ana", &["global:analyst"]).await;
    let check = async |action: &str, arguments: &str, expect: &str| {
        let yaml = one_step("is-wrong", action, arguments);
        let said = ana.post("/playbooks/validate", &json!({ "yaml": yaml })).await;
        assert_eq!(said["is_valid"], json!(false), "{said:#}");
        assert!(said.to_string().contains(expect), "{expect}: {said:#}");
    };
    let scope = "`scope` cannot be `team_docs`: teams have no files";
    check("read_file", "inputs: {path: a.md, scope: team_docs}", scope).await;
    let global = "`scope` cannot be `global_docs`: there are no documents that everybody has";
    check("find_file_by_name", "inputs: {name: a, scope: global_docs}", global).await;
    let team = "`team_id` cannot be given: teams have no files";
    check("read_file", "inputs: {path: a.md, team_id: t1}", team).await;
    let confirm = "`confirm` must be `true`: the file is removed";
    check("delete_file", "inputs: {document_id: a.md}, params: {confirm: false}", confirm).await;
    check("delete_file", "inputs: {document_id: a.md}", "confirm").await;
    let patch = |edit: &str| format!("inputs: {{document_id: a.md, edits: [{edit}]}}");
    let operation = "must be one of `append`, `prepend`, `replace`, `insert`, found `remove`";
    check("patch_file", &patch("{operation: remove, content: a}"), operation).await;
    check("patch_file", &patch("{operation: replace, content: a}"), "has no `target`").await;
    check("patch_file", &patch("{operation: append, target: b, content: a}"), "`target`").await;
    check("find_file_by_vectors", "inputs: {query: a}", "there is no action").await;
}

#[tokio::test]
async fn f_083_k_47_nobody_is_asked_to_sign_edits_that_cannot_be_made() {
    let scene = Scene::set().await;
    let id = scene.file("makes-twice", "twice/a.md", "word word\n").await;
    for (n, (edit, code)) in [
        ("{operation: replace, target: word, content: a}", "PATCH_TARGET_NOT_UNIQUE"),
        ("{operation: insert, target: sword, content: a}", "PATCH_TARGET_NOT_FOUND"),
    ]
    .into_iter()
    .enumerate()
    {
        let name = format!("cannot-{n}");
        let arguments = format!(r#"inputs: {{document_id: "{{file}}", edits: [{edit}]}}"#);
        let run = scene.start(&name, &one_step(&name, "patch_file", &arguments), &id).await;
        let run = scene.ana.reaches(&run, "error").await;
        assert!(run.to_string().contains(code) || step(&run, "act")["code"] == code, "{run:#}");
    }
    assert_eq!(scene.text(&id).await, "word word\n");
}
