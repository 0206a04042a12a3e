//! Cursors that no list has given, at every operation that takes one.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use countersign_cli::CliError;
use countersign_cli::door::Door;
use serde_json::{Value, json};

use crate::case::{FACTORY, admin};
use crate::for_each::{Scene, invoices};
use crate::foreign::Belongings;
use crate::hostile_requests::forged;
use crate::origins::document;
use crate::world::world;

/// So many operations take a cursor; `docs/assurance.md` says so.
const LISTS: usize = 48;

/// One person's things, so that nothing but the cursor is wrong.
struct Things {
    scene: Scene,
    belongings: Belongings,
    /// Documented paths that need something special, each with the path of ana's own.
    special: [(&'static str, String); 4],
}

impl Things {
    async fn made() -> Self {
        let scene = Scene::asking("pay-cursors", "", &[], &[]).await;
        let belongings = Belongings::of(&scene.ana, &scene.maria).await;
        let run = scene.start("pay-cursors", &invoices(1)).await;
        scene.seen(&run).await;
        let document = document(&scene.ana).await;
        let special = [
            ("/executions/{id}/calls/{step}", format!("/executions/{run}/calls/pay")),
            ("/knowledge/documents/{id}/mentions", format!("{document}/mentions")),
            ("/workspaces/{id}/tables", "/workspaces/default/tables".to_owned()),
            ("/workspaces/{id}/tables/{name}/rows", "/workspaces/default/tables/t/rows".to_owned()),
        ];
        Self { scene, belongings, special }
    }

    /// The path of a thing of ana's.
    fn path(&self, documented: &str) -> String {
        let special =
            self.special.iter().find(|(path, _)| documented.strip_prefix(FACTORY) == Some(path));
        let path = match special {
            Some((_, own)) => Some(format!("{FACTORY}{own}")),
            None => self.belongings.path(documented),
        };
        path.unwrap_or_else(|| panic!("nothing is known for {documented}"))
    }
}

/// The documented paths whose lists come in pages.
fn lists(document: &Value) -> Vec<String> {
    let takes = |operation: &Value| {
        let mut parameters = operation["parameters"].as_array().into_iter().flatten();
        parameters.any(|one| one["in"] == "query" && one["name"] == "cursor")
    };
    let mut found = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            if takes(operation) {
                assert_eq!(method, "get", "{path}");
                found.push(path.clone());
            }
        }
    }
    found
}

/// Cursors that are none: of another list, that with another place, without a proof, and none at all.
async fn none_of_these(door: &Door, list: &str) -> Vec<String> {
    let page = door.get(&format!("{list}?limit=1")).await.unwrap();
    let genuine = page["next"].as_str().unwrap_or_else(|| panic!("{list} has one page"));
    let sealed = |value: Value| URL_SAFE_NO_PAD.encode(value.to_string());
    vec![
        genuine.to_owned(),
        forged(genuine, "own:x"),
        sealed(json!({ "k": "", "m": "00".repeat(32) })),
        sealed(json!({ "k": "own:x" })),
        "nonsense".to_owned(),
        String::new(),
    ]
}

#[tokio::test]
async fn no_operation_of_the_document_goes_on_from_a_cursor_it_has_not_given() {
    let things = Things::made().await;
    let open = Door::open(&world().stack.url()).unwrap();
    let lists = lists(&open.get("/openapi.json").await.unwrap());
    let (ana, users) = (&things.scene.ana.door, admin(world()));
    let cursors = none_of_these(ana, &format!("{FACTORY}/playbooks")).await;
    let mut wrong = Vec::new();
    for documented in &lists {
        let (door, path) = if documented.starts_with(FACTORY) {
            (ana, things.path(documented))
        } else {
            let path = documented.contains('{').then(|| things.path(documented));
            (&users, path.unwrap_or_else(|| documented.clone()))
        };
        // The list whose cursor the first one is takes it.
        let own = usize::from(documented == &format!("{FACTORY}/playbooks"));
        for cursor in &cursors[own..] {
            match door.get(&format!("{path}?cursor={cursor}")).await {
                Err(CliError::Refused { status: 400, code: Some(code), .. })
                    if code == "CURSOR_INVALID" => {}
                other => wrong.push(format!("{documented}?cursor={cursor}: {other:?}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(lists.len(), LISTS);
}
