//! `/actions/{name}` (F-346).

use countersign_registry::{Contract, nearest};
use countersign_web::{Json, Problem, Signed};

use super::actions::is_open;
use super::answers::ActionAnswer;
use super::{JsonOf, Named, reader};

/// The contract of one action that the caller may run.
#[utoipa::path(
    get, path = "/actions/{name}", tag = "actions", params(("name" = String, Path, description = "snake_case")),
    responses((status = 200, body = ActionAnswer), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn detail(Named(ctx, signed, name): Named<String, Signed>) -> JsonOf<Contract> {
    reader(&signed)?;
    let open = || ctx.registry.iter().filter(|contract| is_open(&signed, contract));
    let found = open().find(|contract| contract.name == name).cloned();
    found.map(Json).ok_or_else(|| {
        let problem = Problem::no_such("action", &name);
        match nearest(&name, open().map(|contract| contract.name.as_str())) {
            Some(near) => problem.with_hint(format!("did you mean `{near}`?")),
            None => problem,
        }
    })
}
