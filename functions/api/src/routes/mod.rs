//! One path per file.

pub(crate) mod action;
pub(crate) mod actions;
pub(crate) mod admin_account;
pub(crate) mod admin_capabilities;
pub(crate) mod admin_capability;
pub(crate) mod admin_floor;
pub(crate) mod admin_grant;
pub(crate) mod admin_grants;
pub(crate) mod admin_library;
pub(crate) mod admin_model_list;
pub(crate) mod admin_revoke_tokens;
pub(crate) mod admin_safe_endpoint;
pub(crate) mod admin_safe_endpoints;
pub(crate) mod admin_team;
pub(crate) mod admin_team_member;
pub(crate) mod admin_team_members;
pub(crate) mod admin_team_post;
pub(crate) mod admin_teams;
pub(crate) mod admin_user;
pub(crate) mod admin_user_sessions;
pub(crate) mod admin_users;
mod answers;
pub(crate) mod approval;
pub(crate) mod approval_decide;
pub(crate) mod approval_effect;
pub(crate) mod approval_escalate;
pub(crate) mod approval_extend;
mod approval_history;
pub(crate) mod approval_revise;
pub(crate) mod approval_rounds;
mod approval_seen;
pub(crate) mod approval_strike;
mod approval_view;
pub(crate) mod approval_warnings;
pub(crate) mod approvals;
mod callers;
pub(crate) mod collection;
pub(crate) mod connections;
pub(crate) mod connector_copy;
pub(crate) mod connector_health;
pub(crate) mod connector_schema;
pub(crate) mod connector_templates;
pub(crate) mod connector_test;
pub(crate) mod connector_validate;
pub(crate) mod connector_versions;
pub(crate) mod connectors;
pub(crate) mod conversation;
pub(crate) mod conversation_messages;
pub(crate) mod conversations;
mod could_run;
mod credential_parts;
pub(crate) mod data_source;
pub(crate) mod data_source_credentials;
pub(crate) mod data_sources;
mod dated;
pub(crate) mod discoveries;
pub(crate) mod discovery_stats;
pub(crate) mod document;
pub(crate) mod documents;
pub(crate) mod documents_removed;
pub(crate) mod entity_review;
pub(crate) mod entity_review_decide;
pub(crate) mod entity_reviews;
pub(crate) mod error_page;
pub(crate) mod execution;
pub(crate) mod execution_calls;
pub(crate) mod execution_cancel;
pub(crate) mod execution_deliver;
pub(crate) mod execution_discoveries;
pub(crate) mod execution_events;
pub(crate) mod execution_model_calls;
pub(crate) mod execution_output;
pub(crate) mod execution_repeat;
pub(crate) mod execution_replay;
mod execution_start;
pub(crate) mod execution_wait;
pub(crate) mod executions;
pub(crate) mod export;
pub(crate) mod exports;
pub(crate) mod handles;
pub(crate) mod health;
pub(crate) mod hitl_respond;
pub(crate) mod journal;
pub(crate) mod journal_entry;
mod knowledge;
pub(crate) mod knowledge_documents;
pub(crate) mod knowledge_entities;
pub(crate) mod knowledge_entity;
pub(crate) mod knowledge_neighbours;
pub(crate) mod knowledge_sources;
pub(crate) mod me;
pub(crate) mod me_memory;
pub(crate) mod me_sessions;
pub(crate) mod monitor_batches;
pub(crate) mod monitor_marks;
mod monitor_repeats;
pub(crate) mod monitor_retry;
pub(crate) mod monitor_switch;
mod monitors;
mod named;
pub(crate) mod notification_read;
pub(crate) mod notifications;
pub(crate) mod occurrences;
mod planned_step;
pub(crate) mod playbook_graph;
pub(crate) mod playbook_test;
mod playbook_users;
pub(crate) mod playbook_validate;
pub(crate) mod playbooks;
pub(crate) mod playbooks_validate;
pub(crate) mod profile_duplicate;
pub(crate) mod profile_journal;
pub(crate) mod profile_journal_summary;
pub(crate) mod profile_share;
pub(crate) mod profile_shares;
pub(crate) mod profile_test;
pub(crate) mod profiles;
pub(crate) mod query;
pub(crate) mod resolution_log;
pub(crate) mod resolution_merge;
pub(crate) mod resolution_reverse;
pub(crate) mod resolution_split;
pub(crate) mod schedule_run_now;
mod schedule_shown;
mod schedules;
pub(crate) mod statistics;
pub(crate) mod table_rows;
pub(crate) mod tables;
pub(crate) mod team;
pub(crate) mod team_agent;
pub(crate) mod team_agents;
pub(crate) mod team_members;
pub(crate) mod team_post;
pub(crate) mod team_posts;
pub(crate) mod team_run;
pub(crate) mod team_runs;
pub(crate) mod teams;
pub(crate) mod todo;
pub(crate) mod todos;
pub(crate) mod trigger_keys;
mod triggers;
pub(crate) mod upload;
pub(crate) mod upload_list;
pub(crate) mod uploads;

use std::sync::Arc;

use axum::extract::State;
use countersign_web::{Json, Problem};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

pub(crate) use self::callers::{
    Administrator, Analyst, Reader, administers, analyst, holder, invoker, reader,
};
pub(crate) use self::named::Named;
use crate::Context;

/// The state every handler is given.
pub(crate) type Ctx = State<Arc<Context>>;

/// What a handler answers with that shows one thing.
pub(crate) type JsonOf<T> = Result<Json<T>, Problem>;

/// Today, in UTC.
pub(crate) fn today() -> Date {
    now().to_zoned(TimeZone::UTC).date()
}

pub(crate) fn now() -> Timestamp {
    Timestamp::now()
}

/// What is not there, or is somebody else's.
pub(crate) fn found<T>(record: Option<T>) -> Result<T, Problem> {
    record.ok_or_else(Problem::not_found)
}

/// The answer that is one record.
pub(crate) fn json_of<T>(record: Option<T>) -> JsonOf<T> {
    found(record).map(Json)
}
