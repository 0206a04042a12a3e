//! What a 404 says: which thing is not there, from the address that was asked.

use axum::extract::{MatchedPath, Request};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use crate::problem::Problem;

/// No longer id is repeated.
const MAX_SHOWN: usize = 100;

const HINT: &str =
    "check the id, and whose token was sent: what belongs to somebody else is not found either";

const HANDLE_HINT: &str = "this address takes an id: `GET /api/agent-factory/resolve-handle?handle=…` says which agent has the handle";

/// Names the missing thing in an answer that only says that there is nothing.
pub(crate) async fn named(request: Request, next: Next) -> Response {
    let template = request.extensions().get::<MatchedPath>().cloned();
    let path = request.uri().path().to_owned();
    let mut response = next.run(request).await;
    let Some(missing) = template.and_then(|template| missing(template.as_str(), &path)) else {
        return response;
    };
    if !response.extensions().get::<Problem>().is_some_and(Problem::is_bare_absence) {
        return response;
    }
    let Some(mut problem) = response.extensions_mut().remove::<Problem>() else { return response };
    problem.detail = missing;
    problem.hint.get_or_insert_with(|| hint(&path).to_owned());
    problem.into_response()
}

/// What to do about it: where a handle stands in the address, that it takes an id.
fn hint(path: &str) -> &'static str {
    let is_handle = |part: &str| part.starts_with('@') || part.starts_with("%40");
    if path.split('/').any(is_handle) { HANDLE_HINT } else { HINT }
}

/// `there is no step `pay` of the execution `exec_1` that you may see`; nothing where the address holds no id.
fn missing(template: &str, path: &str) -> Option<String> {
    let mut things = Vec::new();
    let mut collection = "";
    for (pattern, part) in template.split('/').zip(path.split('/')) {
        match pattern.strip_prefix('{').and_then(|pattern| pattern.strip_suffix('}')) {
            None => collection = pattern,
            Some(name) => {
                things.push(format!("{} `{}`", noun(name, collection), shown(part)));
            }
        }
    }
    let last = things.pop()?;
    let owners: String = things.iter().rev().map(|thing| format!(" of the {thing}")).collect();
    Some(format!("there is no {last}{owners} that you may see"))
}

/// The beginning of a name that somebody sent.
pub(crate) fn shown(name: &str) -> String {
    name.chars().take(MAX_SHOWN).map(|c| if c == '`' { '\'' } else { c }).collect()
}

/// What a placeholder stands for: its own name without `_id`, or one thing of the collection before it.
fn noun(name: &str, collection: &str) -> String {
    match name {
        "id" | "name" | "n" | "number" | "binding" | "run_id" => {
            singular(collection).replace('-', " ")
        }
        _ => name.strip_suffix("_id").unwrap_or(name).to_owned(),
    }
}

fn singular(collection: &str) -> String {
    if collection == "journal" {
        return "journal entry".to_owned();
    }
    if let Some(stem) = collection.strip_suffix("ies") {
        return format!("{stem}y");
    }
    let ending = if collection.ends_with("ches") { "es" } else { "s" };
    collection.strip_suffix(ending).unwrap_or(collection).to_owned()
}

#[cfg(test)]
mod tests {
    use super::{HANDLE_HINT, HINT, hint, missing};

    #[track_caller]
    fn check(template: &str, path: &str, expect: Option<&str>) {
        assert_eq!(missing(template, path).as_deref(), expect, "{template}");
    }

    #[test]
    fn the_missing_thing_is_named_with_what_it_belongs_to() {
        check(
            "/api/agent-factory/executions/{id}",
            "/api/agent-factory/executions/exec_1",
            Some("there is no execution `exec_1` that you may see"),
        );
        check(
            "/a/profiles/{id}/data-sources/{binding}",
            "/a/profiles/p/data-sources/d",
            Some("there is no data source `d` of the profile `p` that you may see"),
        );
        check(
            "/a/approvals/{id}/effects/{step}/{n}",
            "/a/approvals/a/effects/pay/7",
            Some("there is no effect `7` of the step `pay` of the approval `a` that you may see"),
        );
        check(
            "/a/journal/{id}",
            "/a/journal/j",
            Some("there is no journal entry `j` that you may see"),
        );
        check(
            "/a/monitors/{id}/batches/{number}",
            "/a/monitors/m/batches/3",
            Some("there is no batch `3` of the monitor `m` that you may see"),
        );
        check(
            "/a/teams/{id}/agents/{profile_id}/executions/{run_id}",
            "/a/teams/t/agents/p/executions/r",
            Some("there is no execution `r` of the profile `p` of the team `t` that you may see"),
        );
        check(
            "/a/profiles/{id}/share/{team_id}",
            "/a/profiles/p/share/t",
            Some("there is no team `t` of the profile `p` that you may see"),
        );
        check("/health", "/health", None);
    }

    #[test]
    fn whoever_asks_for_a_handle_is_told_that_an_id_is_meant() {
        assert_eq!(hint("/api/agent-factory/profiles/@fin-desk"), HANDLE_HINT);
        assert_eq!(hint("/api/agent-factory/profiles/%40fin-desk/journal"), HANDLE_HINT);
        assert_eq!(hint("/api/agent-factory/profiles/prof_1"), HINT);
    }

    #[test]
    fn no_long_id_is_repeated() {
        let text = missing("/a/users/{id}", &format!("/a/users/{}", "x".repeat(400))).unwrap();
        assert!(text.len() < 160, "{text}");
    }
}
