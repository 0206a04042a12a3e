//! Every route with its documentation: one declaration makes both. Starting the function makes the routes; the document is
//! made when somebody asks for it.

mod bodies;
mod described;
mod hook;
mod queries;
mod unread;

use std::sync::{Arc, LazyLock, OnceLock};

use axum::Router;
use axum::body::Bytes;
use axum::extract::Request;
use axum::middleware::from_fn;
use axum::response::IntoResponse as _;
use axum::routing::{MethodFilter, MethodRouter, get, on};
use countersign_web::{Problem, door, no_parameters};
use http::header::CONTENT_TYPE;
use tower::ServiceExt as _;
use utoipa::openapi::HttpMethod;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::{Modify, OpenApi, Path as _};
use utoipa_axum::PathItemExt;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouter};
use utoipa_axum::routes;

use countersign_connector::StoredConnector;
use countersign_monitor::MonitorSpec;
use countersign_profile::Profile;
use countersign_schedule::ScheduleSpec;
use countersign_store_catalog::{Stored, StoredPlaybook};
use countersign_trigger::TriggerSpec;

use crate::Context;
use crate::routes as r;
use crate::routes::collection::record::{DocumentRecord, Resent};
use crate::routes::collection::{self, Kind, described as collected};

#[derive(OpenApi)]
#[openapi(
    info(title = "Countersign", description = "Agents whose irreversible steps wait for a signature."),
    components(schemas(countersign_web::ProblemBody, countersign_web::FieldError)),
    paths(r::connector_test::test, described_here, hook::message),
    modifiers(&Bearer),
    security(("bearer" = []))
)]
struct Document;

/// This document.
#[utoipa::path(get, path = "/openapi.json", tag = "operation", security(()), responses((status = 200, body = described::OpenApi)))]
#[expect(dead_code, reason = "the declaration is what is used")]
fn described_here() {}

struct Bearer;

impl Modify for Bearer {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let scheme = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).bearer_format("JWT").build();
        let components = document.components.get_or_insert_with(Default::default);
        components.add_security_scheme("bearer", SecurityScheme::Http(scheme));
    }
}

/// One handler: where it is reached, and what it says of itself.
struct Door {
    /// Its path below the prefix, and what answers there.
    route: fn() -> (String, MethodRouter<Arc<Context>>),
    /// The same with its documentation.
    documented: fn() -> UtoipaMethodRouter<Arc<Context>>,
}

/// The doors of these handlers, each in its module.
macro_rules! doors {
    ($($module:ident: $($handler:ident),+;)*) => {
        &[$($(Door {
            route: || utoipa_axum::paste! {{
                let methods = r::$module::[<__path_ $handler>]::methods();
                let answering = on(filter(&methods), r::$module::$handler);
                (r::$module::[<__path_ $handler>]::path(), answering)
            }},
            documented: || routes!(r::$module::$handler),
        }),+),*]
    };
}

/// The doors behind one word: `/profiles` and all below it.
struct Group {
    /// What stands before the word.
    prefix: &'static str,
    /// The first word of their paths.
    word: &'static str,
    doors: &'static [Door],
    /// The doors that every kind of document has.
    collection: &'static [Door],
    /// Schemas that utoipa cannot hold.
    schemas: fn() -> Vec<(String, serde_json::Value)>,
}

impl Group {
    /// The same with the doors of the documents of a kind.
    const fn of<K: Documents>(self) -> Self {
        Self { collection: K::DOORS, schemas: K::schemas, ..self }
    }

    /// The same with the doors of documents that are sent as JSON, which can be validated and changed in part too.
    const fn of_fields<K: FieldDocuments>(self) -> Self {
        Self { collection: K::ALL, schemas: K::schemas, ..self }
    }
}

trait Documents: Kind {
    const DOORS: &'static [Door] = &[
        Door { route: collection::all::<Self>, documented: collected::all::<Self> },
        Door { route: collection::one::<Self>, documented: collected::one::<Self> },
    ];
}

impl<K: Kind> Documents for K {}

trait FieldDocuments: Kind<Change = Resent<Self>> + DocumentRecord {
    const ALL: &'static [Door] = &[
        Door { route: collection::validation::<Self>, documented: collected::validation::<Self> },
        Door { route: collection::all::<Self>, documented: collected::all::<Self> },
        Door { route: collection::one::<Self>, documented: collected::one::<Self> },
        Door { route: collection::patch::one::<Self>, documented: collected::patched::<Self> },
    ];
}

impl<K: Kind<Change = Resent<K>> + DocumentRecord> FieldDocuments for K {}

const fn admin(word: &'static str, doors: &'static [Door]) -> Group {
    Group { prefix: "/api/admin", word, doors, collection: &[], schemas: Vec::new }
}

const fn factory(word: &'static str, doors: &'static [Door]) -> Group {
    Group { prefix: "/api/agent-factory", word, doors, collection: &[], schemas: Vec::new }
}

const fn open(word: &'static str, doors: &'static [Door]) -> Group {
    Group { prefix: "", word, doors, collection: &[], schemas: Vec::new }
}

const GROUPS: &[Group] = &[
    open("/health", doors! { health: health; }),
    open("/errors", doors! { error_page: page; }),
    open("/api/query", doors! { query: ask; }),
    open("/api/hitl", doors! { hitl_respond: respond; }),
    admin(
        "/users",
        doors! {
            admin_users: create, list;
            admin_user: detail, change;
            admin_grants: grant;
            admin_grant: revoke;
            admin_capabilities: give;
            admin_capability: take;
            admin_account: part;
            admin_revoke_tokens: revoke;
        },
    ),
    admin(
        "/teams",
        doors! {
            admin_teams: create, list;
            admin_team: detail, change;
            admin_team_members: list;
            admin_team_member: add, remove;
            admin_team_post: remove;
        },
    ),
    admin("/library", doors! { admin_library: put; }),
    admin(
        "/connectors",
        doors! {
            admin_safe_endpoints: list;
            admin_safe_endpoint: accept, withdraw;
        },
    ),
    admin("/approval-floor", doors! { admin_floor: detail, set; }),
    admin("/model-list", doors! { admin_model_list: detail, set; }),
    factory("/me", doors! { me: me; me_memory: detail, set, erase; }),
    factory("/connections", doors! { connections: open; }),
    factory(
        "/profiles",
        doors! {
            profile_duplicate: duplicate;
            profile_test: test;
            data_sources: create, list;
            data_source: detail, replace, delete;
            data_source_credentials: put, delete;
            profile_journal: list;
            profile_journal_summary: detail;
            profile_share: create, replace, delete;
            profile_shares: list;
        },
    )
    .of_fields::<Profile>(),
    factory(
        "/teams",
        doors! {
            teams: list;
            team: detail;
            team_members: list;
            team_posts: create, list;
            team_post: detail, remove;
            team_agents: list;
            team_agent: detail, journal;
            team_runs: start, list;
            team_run: detail, cancel;
        },
    ),
    factory("/resolve-handle", doors! { handles: resolve; }),
    factory("/available-agents", doors! { handles: complete; }),
    factory("/schedules", doors! { schedule_run_now: run; occurrences: of_schedule; })
        .of_fields::<Stored<ScheduleSpec>>(),
    factory(
        "/monitors",
        doors! {
            monitor_switch: pause, resume, run_now;
            occurrences: of_monitor;
            monitor_marks: state, watermarks, reset;
            monitor_batches: list, detail, parked;
            monitor_retry: retry;
        },
    )
    .of_fields::<Stored<MonitorSpec>>(),
    factory("/triggers", doors! { trigger_keys: create, list, delete; occurrences: of_trigger; })
        .of_fields::<Stored<TriggerSpec>>(),
    factory(
        "/connectors",
        doors! {
            connector_templates: list;
            connector_copy: copy;
            connector_validate: validate;
            connector_schema: schema;
            connector_health: health;
            connector_versions: list;
        },
    )
    .of::<StoredConnector>(),
    factory(
        "/playbooks",
        doors! {
            playbooks_validate: validate;
            playbook_validate: validate;
            playbook_test: test;
            playbook_graph: graph;
        },
    )
    .of::<StoredPlaybook>(),
    factory("/actions", doors! { actions: list; action: detail; }),
    factory(
        "/executions",
        doors! {
            executions: start, list;
            execution: detail;
            execution_events: list;
            execution_calls: list;
            execution_model_calls: list;
            execution_discoveries: list;
            execution_cancel: cancel;
            execution_repeat: repeat; execution_replay: replay;
            execution_deliver: retry;
            execution_output: detail;
        },
    ),
    factory(
        "/conversations",
        doors! { conversations: list; conversation: detail, change, remove; conversation_messages: list; },
    ),
    factory(
        "/approvals",
        doors! { approvals: list; approval: detail; approval_decide: approve, reject; approval_effect: detail; approval_warnings: list; approval_revise: revise; approval_strike: strike; approval_extend: extend; approval_escalate: escalate; },
    ),
    factory("/journal", doors! { journal: list; journal_entry: detail; }),
    factory("/statistics", doors! { statistics: detail; }),
    factory("/occurrences", doors! { occurrences: all, detail, body; }),
    factory("/notifications", doors! { notifications: list; notification_read: mark; }),
    factory("/discoveries", doors! { discoveries: list; discovery_stats: detail; }),
    factory(
        "/entity-reviews",
        doors! { entity_reviews: list; entity_review: detail; entity_review_decide: approve, reject, skip; },
    ),
    factory(
        "/entity-resolution",
        doors! {
            resolution_log: list;
            resolution_merge: merge;
            resolution_split: split;
            resolution_reverse: reverse;
        },
    ),
    factory(
        "/knowledge",
        doors! {
            knowledge_entities: list;
            knowledge_entity: detail;
            knowledge_neighbours: list;
            knowledge_sources: list, detail;
            knowledge_documents: list, detail, mentions;
        },
    ),
    factory(
        "/uploads",
        doors! { uploads: create; upload_list: list; upload: delete, delete_in_folder; },
    ),
    factory("/documents", doors! { documents: list; documents_removed: list; document: detail; }),
    factory("/todos", doors! { todos: list, text; todo: detail, change; }),
    factory("/workspaces", doors! { tables: list; table_rows: list; }),
    factory("/exports", doors! { exports: list; export: detail; }),
];

fn filter(methods: &[HttpMethod]) -> MethodFilter {
    let filters = methods.iter().map(PathItemExt::to_method_filter);
    filters.reduce(MethodFilter::or).unwrap_or(MethodFilter::GET)
}

/// The document as it is sent.
static WRITTEN: LazyLock<Option<Bytes>> =
    LazyLock::new(|| serde_json::to_vec(&document()).map(Bytes::from).ok());

/// The router, with the document behind `/openapi.json`. The document and each group's routes are made by the first request
/// for them.
pub(crate) fn routes(context: &Arc<Context>) -> Router {
    let serve = async || {
        let answer = |text: Bytes| ([(CONTENT_TYPE, "application/json")], text).into_response();
        (*WRITTEN).clone().map_or_else(|| Problem::not_found().into_response(), answer)
    };
    let groups: Arc<[(&Group, OnceLock<Router>)]> =
        GROUPS.iter().map(|group| (group, OnceLock::new())).collect();
    let context = context.clone();
    let pick = tower::service_fn(move |request: Request| {
        let group = groups.iter().find(|(group, _)| group.has(request.uri().path()));
        let routes = group.map(|(group, routes)| {
            routes.get_or_init(|| group.routes(Arc::clone(&context))).clone()
        });
        async move {
            match routes {
                Some(routes) => routes.oneshot(request).await,
                None => Ok(Problem::not_found().into_response()),
            }
        }
    });
    let document = get(serve).route_layer(from_fn(no_parameters));
    Router::new().route("/openapi.json", document).fallback_service(pick)
}

impl Group {
    /// Whether a path is the group's word or stands below it.
    fn has(&self, path: &str) -> bool {
        let below = path.strip_prefix(self.prefix).and_then(|rest| rest.strip_prefix(self.word));
        below.is_some_and(|below| below.is_empty() || below.starts_with('/'))
    }

    fn all_doors(&self) -> impl Iterator<Item = &'static Door> {
        self.collection.iter().chain(self.doors)
    }

    fn routes(&self, context: Arc<Context>) -> Router {
        let router = self.all_doors().fold(Router::new(), |router, door| {
            let (path, answering) = (door.route)();
            let answering = queries::guarded(answering, move || {
                let (schemas, paths, _) = (door.documented)();
                (schemas, paths)
            });
            router.route(&format!("{}{path}", self.prefix), answering)
        });
        door::unanswered(router.with_state(context))
    }
}

/// The document of all doors.
pub(crate) fn document() -> serde_json::Value {
    // A document of strings and lists always serialises.
    let mut document = serde_json::to_value(declared()).unwrap_or_default();
    for (name, schema) in GROUPS.iter().flat_map(|group| (group.schemas)()) {
        document["components"]["schemas"][name] = schema;
    }
    described::complete(&mut document);
    document
}

/// What the handlers say of themselves.
fn declared() -> utoipa::openapi::OpenApi {
    let all = OpenApiRouter::with_openapi(Document::openapi());
    let all = GROUPS.iter().fold(all, |all, group| {
        let documented = group.all_doors().map(|door| (door.documented)());
        let group_router = documented.fold(OpenApiRouter::new(), OpenApiRouter::routes);
        if group.prefix.is_empty() {
            all.merge(group_router)
        } else {
            all.nest(group.prefix, group_router)
        }
    });
    all.into_openapi()
}

#[cfg(test)]
mod tests;
