//! The doors of the API, in groups: whose handlers they are, and which groups have the doors of a kind of document.

use std::sync::Arc;

use axum::Router;
use axum::routing::{MethodFilter, MethodRouter, on};
use countersign_connector::StoredConnector;
use countersign_monitor::MonitorSpec;
use countersign_profile::Profile;
use countersign_schedule::ScheduleSpec;
use countersign_store_catalog::{Stored, StoredPlaybook};
use countersign_trigger::TriggerSpec;
use countersign_web::door;
use utoipa::Path as _;
use utoipa::openapi::HttpMethod;
use utoipa_axum::PathItemExt;
use utoipa_axum::router::UtoipaMethodRouter;
use utoipa_axum::routes;

use super::queries;
use crate::Context;
use crate::routes as r;
use crate::routes::collection::record::{DocumentRecord, Resent};
use crate::routes::collection::{self, Kind, described as collected};

/// One handler: where it is reached, and what it says of itself.
pub(super) struct Door {
    /// Its path below the prefix, and what answers there.
    route: fn() -> (String, MethodRouter<Arc<Context>>),
    /// The same with its documentation.
    pub(super) documented: fn() -> UtoipaMethodRouter<Arc<Context>>,
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
pub(super) struct Group {
    /// What stands before the word.
    pub(super) prefix: &'static str,
    /// The first word of their paths.
    word: &'static str,
    doors: &'static [Door],
    /// The doors that every kind of document has.
    collection: &'static [Door],
    /// Schemas that utoipa cannot hold.
    pub(super) schemas: fn() -> Vec<(String, serde_json::Value)>,
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

pub(super) const GROUPS: &[Group] = &[
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
            admin_user_sessions: list;
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
    factory("/me", doors! { me: me; me_memory: detail, set, erase; me_sessions: list; }),
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
        doors! { approvals: list; approval: detail; approval_decide: approve, reject; approval_effect: detail; approval_warnings: list; approval_rounds: list; approval_revise: revise; approval_strike: strike; approval_extend: extend; approval_escalate: escalate; },
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

impl Group {
    /// Whether a path is the group's word or stands below it.
    pub(super) fn has(&self, path: &str) -> bool {
        let below = path.strip_prefix(self.prefix).and_then(|rest| rest.strip_prefix(self.word));
        below.is_some_and(|below| below.is_empty() || below.starts_with('/'))
    }

    pub(super) fn all_doors(&self) -> impl Iterator<Item = &'static Door> {
        self.collection.iter().chain(self.doors)
    }

    pub(super) fn routes(&self, context: Arc<Context>) -> Router {
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
