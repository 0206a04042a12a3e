//! What lists and views are asked for.

use countersign_connector::{Category, StoredConnector};
use countersign_identity::UserId;
use countersign_journal::TaskStatus;
use countersign_knowledge::Namespace;
use countersign_monitor::MonitorId;
use countersign_profile::ProfileId;
use countersign_run::{Head, Occurrence, OccurrenceSource, OccurrenceState, RunContext, RunStatus};
use countersign_schedule::ScheduleId;
use countersign_store_catalog::OccurrencesOf;
use countersign_team::{Post, ThreadId};
use countersign_todo::{Day, ListName, Tag, Wanted};
use countersign_trigger::TriggerId;
use countersign_web::Problem;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::json;
use utoipa::IntoParams;

use crate::lists::paged;
use crate::moments::{beginning, end};
use crate::pagination::ListQuery;
use crate::status_of_runs::status_of_runs;

/// What to list.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConnectorQuery {
    /// At most so many items, 1 to 100; 50 when left out. When few of many fit `category` and `tag`, a page may have fewer and still a `next`.
    #[param(minimum = 1, maximum = 100)]
    pub(crate) limit: Option<u32>,
    /// `next` of the page before.
    pub(crate) cursor: Option<String>,
    /// Only one type, such as `rest_api`.
    pub(crate) kind: Option<String>,
    /// `own`, `system`, or both when left out.
    pub(crate) from: Option<String>,
    /// Only one category: `government`, `finance`, `corporate`, `nonprofit`, `general`.
    #[param(value_type = Option<String>)]
    pub(crate) category: Option<Category>,
    /// Only those with this tag.
    pub(crate) tag: Option<String>,
}

impl ConnectorQuery {
    /// What the store is asked for.
    pub(crate) fn listing(&self) -> ListQuery {
        let Self { limit, cursor, kind, from, category, tag } = self.clone();
        let narrowed = category.is_some() || tag.is_some();
        let also = narrowed.then(|| format!("{category:?}\0{tag:?}"));
        ListQuery { limit, cursor, kind, from, also }
    }

    /// Whether a connector is one of those asked for.
    pub(crate) fn takes(&self, stored: &StoredConnector) -> bool {
        let definition = &stored.definition;
        let category = self.category.is_none_or(|category| definition.category == category);
        let tagged = |tag: &String| definition.tags.iter().any(|own| own.as_str() == tag.as_str());
        category && self.tag.as_ref().is_none_or(tagged)
    }
}

/// Which handle is meant.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct HandleQuery {
    /// The handle, with or without `@`.
    pub(crate) handle: String,
}

/// Which agents are offered.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct AgentsQuery {
    /// What the handle or the name begins with, with or without `@`; every agent when left out.
    pub(crate) begins: Option<String>,
    /// At most so many agents, 1 to 50; 10 when left out.
    #[param(minimum = 1, maximum = 50)]
    pub(crate) limit: Option<u32>,
}

/// Which entries of a journal.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct JournalQuery {
    /// At most so many entries, 1 to 100; 50 when left out. When few of many fit, a page may have fewer and still a `next`.
    #[param(minimum = 1, maximum = 100)]
    pub(crate) limit: Option<u32>,
    /// `next` of the page before.
    pub(crate) cursor: Option<String>,
    /// Not before this time, or this day (UTC).
    #[serde(default, deserialize_with = "beginning")]
    #[param(value_type = Option<String>)]
    pub(crate) from: Option<Timestamp>,
    /// Not after this time, or this day (UTC).
    #[serde(default, deserialize_with = "end")]
    #[param(value_type = Option<String>)]
    pub(crate) to: Option<Timestamp>,
    /// `complete`, `partial`, `error` or `awaiting_approval`.
    #[param(value_type = Option<String>)]
    pub(crate) status: Option<TaskStatus>,
    /// Only entries that mention this name.
    pub(crate) entity: Option<String>,
    /// Only entries that contain all of these words; those that say nothing, such as `which`, are left out.
    pub(crate) query: Option<String>,
}

paged!(JournalQuery);

/// Which posts of a team.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct TeamPostQuery {
    /// At most so many posts, 1 to 100; 50 when left out. When few of many fit, a page may have fewer and still a `next`.
    #[param(minimum = 1, maximum = 100)]
    pub(crate) limit: Option<u32>,
    /// `next` of the page before.
    pub(crate) cursor: Option<String>,
    /// Only posts of this thread, `thrd_…`.
    #[param(value_type = Option<String>)]
    pub(crate) thread_id: Option<ThreadId>,
    /// Only posts of this author, `user_…`.
    #[param(value_type = Option<String>)]
    pub(crate) author_id: Option<UserId>,
    /// `true`: only posts that begin a thread; `false`: only replies.
    pub(crate) begins_thread: Option<bool>,
    /// Not before this time, or this day (UTC).
    #[serde(default, deserialize_with = "beginning")]
    #[param(value_type = Option<String>)]
    pub(crate) from: Option<Timestamp>,
    /// Not after this time, or this day (UTC).
    #[serde(default, deserialize_with = "end")]
    #[param(value_type = Option<String>)]
    pub(crate) to: Option<Timestamp>,
}

paged!(TeamPostQuery);

impl TeamPostQuery {
    /// What narrows the list, for its cursors.
    pub(crate) fn narrowed(&self) -> String {
        let Self { thread_id, author_id, begins_thread, from, to, .. } = self;
        json!([thread_id, author_id, begins_thread, from, to]).to_string()
    }

    /// Whether a post is one of those asked for.
    pub(crate) fn takes(&self, post: &Post) -> bool {
        self.thread_id.as_ref().is_none_or(|thread| *thread == post.thread_id)
            && self.author_id.as_ref().is_none_or(|author| *author == post.author_id)
            && self.begins_thread.is_none_or(|begins| begins == post.begins_thread)
    }
}

/// Which runs.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ExecutionQuery {
    /// At most so many runs, 1 to 100; 50 when left out. When few of many fit, a page may have fewer and still a `next`.
    #[param(minimum = 1, maximum = 100)]
    pub(crate) limit: Option<u32>,
    /// `next` of the page before.
    pub(crate) cursor: Option<String>,
    /// Only runs of this agent, `prof_…`.
    #[param(value_type = Option<String>)]
    pub(crate) profile: Option<ProfileId>,
    /// Only runs of this playbook.
    pub(crate) playbook: Option<String>,
    /// Only runs that stand so: `running`, `awaiting_approval`, `complete`, `partial`, `rejected`, `error`, `timeout`, `cancelled`.
    #[serde(default, deserialize_with = "status_of_runs")]
    #[param(value_type = Option<String>)]
    pub(crate) status: Option<RunStatus>,
    /// Only runs that came about so: `interactive`, `background`, `scheduled`, `monitor`.
    #[param(value_type = Option<String>)]
    pub(crate) run_context: Option<RunContext>,
    /// Not asked for before this time, or this day (UTC).
    #[serde(default, deserialize_with = "beginning")]
    #[param(value_type = Option<String>)]
    pub(crate) from: Option<Timestamp>,
    /// Not asked for after this time, or this day (UTC).
    #[serde(default, deserialize_with = "end")]
    #[param(value_type = Option<String>)]
    pub(crate) to: Option<Timestamp>,
}

paged!(ExecutionQuery);

impl ExecutionQuery {
    /// What a cursor of the list belongs to, as text.
    pub(crate) fn narrowed(&self) -> String {
        let Self { limit: _, cursor: _, profile, playbook, status, run_context, from, to } = self;
        format!("{profile:?}\0{playbook:?}\0{status:?}\0{run_context:?}\0{from:?}\0{to:?}")
    }

    /// Whether a run may be one of those asked for, as far as its head says: of one that is not over it does not say whether
    /// it waits for people.
    pub(crate) fn may_take(&self, head: &Head) -> bool {
        let profile = self.profile.as_ref();
        let playbook = self.playbook.as_ref();
        let status = self.status;
        profile.is_none_or(|id| head.profile_id == id.as_str())
            && playbook.is_none_or(|id| head.playbook_id.as_ref() == Some(id))
            && status
                .is_none_or(|status| head.status.map_or(!status.is_final(), |own| own == status))
            && self.run_context.is_none_or(|context| head.context == context)
            && self.from.is_none_or(|from| head.started_at >= from)
            && self.to.is_none_or(|to| head.started_at <= to)
    }
}

/// Of which runs the figures are.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct StatisticsQuery {
    /// Only runs of this agent, `prof_…`.
    #[param(value_type = Option<String>)]
    pub(crate) profile: Option<ProfileId>,
    /// Not asked for before this time, or this day (UTC); thirty days before `to` when left out.
    #[serde(default, deserialize_with = "beginning")]
    #[param(value_type = Option<String>)]
    pub(crate) from: Option<Timestamp>,
    /// Not asked for after this time, or this day (UTC); now when left out.
    #[serde(default, deserialize_with = "end")]
    #[param(value_type = Option<String>)]
    pub(crate) to: Option<Timestamp>,
    /// The part of the caller's graph of whose reviews the decisions are counted; `default` when left out.
    #[param(value_type = Option<String>)]
    pub(crate) namespace: Option<Namespace>,
}

/// Which notifications.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct NotificationQuery {
    /// At most so many, 1 to 100; 50 when left out. When few of many fit, a page may have fewer and still a `next`.
    #[param(minimum = 1, maximum = 100)]
    pub(crate) limit: Option<u32>,
    /// `next` of the page before.
    pub(crate) cursor: Option<String>,
    /// `true`: only what was not read; `false`: only what was.
    pub(crate) unread: Option<bool>,
}

paged!(NotificationQuery);

/// Which list of to-dos.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct OrgQuery {
    /// The list, such as `work.org`; `todos.org` when left out.
    #[param(value_type = Option<String>)]
    pub(crate) file: Option<ListName>,
}

/// Which to-dos.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct TodoQuery {
    /// At most so many, 1 to 100; 50 when left out. When few of many fit, a page may have fewer and still a `next`.
    #[param(minimum = 1, maximum = 100)]
    pub(crate) limit: Option<u32>,
    /// `next` of the page before.
    pub(crate) cursor: Option<String>,
    /// Only those in this state: `TODO`, `NEXT`, `WAITING`, `DONE`; `all` when left out.
    #[param(value_type = Option<String>)]
    pub(crate) state: Option<Wanted>,
    /// Only those with this tag.
    #[param(value_type = Option<String>)]
    pub(crate) tag: Option<Tag>,
    /// Only those with a deadline before this day.
    #[param(value_type = Option<String>, format = Date)]
    pub(crate) deadline_before: Option<Day>,
    /// Only those of this list, such as `todos.org`.
    #[param(value_type = Option<String>)]
    pub(crate) file: Option<ListName>,
    /// Only those with all of these words in title, body or tags.
    pub(crate) q: Option<String>,
}

paged!(TodoQuery);

impl TodoQuery {
    /// What a cursor of the list belongs to, as text.
    pub(crate) fn narrowed(&self) -> String {
        let Self { limit: _, cursor: _, state, tag, deadline_before, file, q } = self;
        format!("{state:?}\0{tag:?}\0{deadline_before:?}\0{file:?}\0{q:?}")
    }
}

/// Which requests for approval.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ApprovalQuery {
    /// At most so many items, 1 to 100; 50 when left out. When few of many fit, a page may have fewer and still a `next`.
    #[param(minimum = 1, maximum = 100)]
    pub(crate) limit: Option<u32>,
    /// `next` of the page before.
    pub(crate) cursor: Option<String>,
    /// `approver`: what the caller may be asked to decide (the default); `owner`: what the caller's runs wait for.
    pub(crate) role: Option<String>,
    /// `pending` (the default, nearest deadline first), `closed` (newest first), or of the closed ones only `approved`, `denied`,
    /// `timed_out`, `expired`, `superseded` or `cancelled`.
    pub(crate) status: Option<String>,
    /// Only requests of this agent's runs, `prof_…`.
    #[param(value_type = Option<String>)]
    pub(crate) profile: Option<ProfileId>,
}

paged!(ApprovalQuery);

/// Which occurrences.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct OccurrenceQuery {
    /// At most so many, 1 to 100; 50 when left out.
    #[param(minimum = 1, maximum = 100)]
    pub(crate) limit: Option<u32>,
    /// `next` of the page before.
    pub(crate) cursor: Option<String>,
    /// Only those of one kind of source: `schedule`, `monitor`, `trigger`.
    #[param(value_type = Option<String>)]
    pub(crate) source: Option<OccurrenceSource>,
    /// Only those of the source with this id, such as `sched_…`, `mon_…` or `trig_…`.
    pub(crate) source_id: Option<String>,
    /// Only those in one state: `due`, `queued`, `started`, `skipped`, `missed`, `finished`.
    #[param(value_type = Option<String>)]
    pub(crate) state: Option<OccurrenceState>,
    /// Only those of this agent, `prof_…`.
    #[param(value_type = Option<String>)]
    pub(crate) profile: Option<ProfileId>,
    /// Only those that were due at this time or later, or on this day (UTC) or later.
    #[serde(default, deserialize_with = "beginning")]
    #[param(value_type = Option<String>)]
    pub(crate) since: Option<Timestamp>,
    /// Only those that were due before this time, or before this day (UTC).
    #[serde(default, deserialize_with = "beginning")]
    #[param(value_type = Option<String>)]
    pub(crate) until: Option<Timestamp>,
}

paged!(OccurrenceQuery);

/// Whether something that fires has ids like this one.
fn is_source(id: &str) -> bool {
    ScheduleId::parse(id).is_ok() || MonitorId::parse(id).is_ok() || TriggerId::parse(id).is_ok()
}

impl OccurrenceQuery {
    /// What the store is asked for.
    pub(crate) fn range(&self) -> Result<OccurrencesOf<'_>, Problem> {
        let (from, before) = (self.since, self.until);
        if from.zip(before).is_some_and(|(from, before)| from >= before) {
            return Err(Problem::field("until", "must be after `since`"));
        }
        if self.source_id.as_deref().is_some_and(|id| !is_source(id)) {
            let message = "must be the id of a schedule (`sched_…`), a monitor (`mon_…`) or a trigger (`trig_…`)";
            return Err(Problem::field("source_id", message));
        }
        Ok(OccurrencesOf { source: self.source_id.as_deref(), from, before })
    }

    /// All filters as one text: a cursor belongs to them.
    pub(crate) fn narrowed(&self) -> String {
        let Self { source, source_id, state, profile, since, until, .. } = self;
        json!([source, source_id, state, profile, since, until]).to_string()
    }

    pub(crate) fn takes(&self, one: &Occurrence) -> bool {
        self.source.is_none_or(|source| one.source == source)
            && self.state.is_none_or(|state| one.state == state)
            && self.profile.as_ref().is_none_or(|profile| one.profile_id == profile.as_str())
    }
}
