//! Every route with its documentation: one declaration makes both.

use std::sync::Arc;

use axum::Router;
use axum::routing::get;
use countersign_web::Json;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::{Modify, OpenApi};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::Context;
use crate::routes as r;

#[derive(OpenApi)]
#[openapi(
    info(title = "Countersign", description = "Agents whose irreversible steps wait for a signature."),
    components(schemas(countersign_web::ProblemBody, countersign_web::FieldError)),
    paths(r::connector_test::test),
    modifiers(&Bearer),
    security(("bearer" = []))
)]
struct Document;

struct Bearer;

impl Modify for Bearer {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let scheme = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).bearer_format("JWT").build();
        let components = document.components.get_or_insert_with(Default::default);
        components.add_security_scheme("bearer", SecurityScheme::Http(scheme));
    }
}

/// The router and its document.
pub(crate) fn documented() -> (Router<Arc<Context>>, utoipa::openapi::OpenApi) {
    OpenApiRouter::with_openapi(Document::openapi())
        .routes(routes!(r::health::health))
        .nest("/api/admin", admin())
        .nest("/api/agent-factory", factory())
        .split_for_parts()
}

/// The router with the document behind `/openapi.json`.
pub(crate) fn routes(context: Arc<Context>) -> Router {
    let (router, document) = documented();
    let document = Arc::new(document);
    let serve = move || {
        let document = document.clone();
        async move { Json(document.as_ref().clone()) }
    };
    router.route("/openapi.json", get(serve)).with_state(context)
}

fn admin() -> OpenApiRouter<Arc<Context>> {
    OpenApiRouter::new()
        .routes(routes!(r::admin_users::create, r::admin_users::list))
        .routes(routes!(r::admin_user::detail, r::admin_user::change))
        .routes(routes!(r::admin_grants::grant))
        .routes(routes!(r::admin_grant::revoke))
        .routes(routes!(r::admin_capabilities::give))
        .routes(routes!(r::admin_capability::take))
        .routes(routes!(r::admin_revoke_tokens::revoke))
        .routes(routes!(r::admin_library::put))
}

fn factory() -> OpenApiRouter<Arc<Context>> {
    agents().merge(runs())
}

fn agents() -> OpenApiRouter<Arc<Context>> {
    OpenApiRouter::new()
        .routes(routes!(r::me::me))
        .routes(routes!(r::profiles::create, r::profiles::list))
        .routes(routes!(r::profile::detail, r::profile::replace, r::profile::delete))
        .routes(routes!(r::profile_duplicate::duplicate))
        .routes(routes!(r::data_sources::create, r::data_sources::list))
        .routes(routes!(r::data_source::detail, r::data_source::replace, r::data_source::delete))
        .routes(routes!(r::data_source_credentials::put, r::data_source_credentials::delete))
        .routes(routes!(r::connectors::create, r::connectors::list))
        .routes(routes!(r::connector_templates::list))
        .routes(routes!(r::connector_copy::copy))
        .routes(routes!(r::connector::detail, r::connector::replace, r::connector::delete))
        .routes(routes!(r::connector_validate::validate))
        .routes(routes!(r::connector_schema::schema))
        .routes(routes!(r::connector_health::health))
        .routes(routes!(r::connector_versions::list))
        .routes(routes!(r::playbooks::create, r::playbooks::list))
        .routes(routes!(r::playbooks_validate::validate))
        .routes(routes!(r::playbook::detail, r::playbook::replace, r::playbook::delete))
        .routes(routes!(r::playbook_validate::validate))
        .routes(routes!(r::playbook_graph::graph))
        .routes(routes!(r::actions::list))
        .routes(routes!(r::action::detail))
}

fn runs() -> OpenApiRouter<Arc<Context>> {
    OpenApiRouter::new()
        .routes(routes!(r::executions::start, r::executions::list))
        .routes(routes!(r::execution::detail))
        .routes(routes!(r::execution_events::list))
        .routes(routes!(r::execution_cancel::cancel))
        .routes(routes!(r::execution_output::detail))
        .routes(routes!(r::approvals::list))
        .routes(routes!(r::approval::detail))
        .routes(routes!(r::approval_decide::approve))
        .routes(routes!(r::approval_decide::reject))
        .routes(routes!(r::profile_journal::list))
        .routes(routes!(r::profile_journal_summary::detail))
        .routes(routes!(r::journal_entry::detail))
        .routes(routes!(r::uploads::create))
        .routes(routes!(r::documents::list))
        .routes(routes!(r::document::detail))
        .routes(routes!(r::tables::list))
        .routes(routes!(r::table_rows::list))
        .routes(routes!(r::exports::list))
        .routes(routes!(r::export::detail))
}

#[cfg(test)]
mod tests;
