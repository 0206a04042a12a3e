//! Pages of journals: of one agent, or of all agents of a person.

use countersign_identity::UserId;
use countersign_journal::{Access, Entry, Filter, Mention, TaskStatus};
use countersign_profile::ProfileId;
use countersign_store_kit::Page as Stored;
use countersign_web::{Cursor, Page, PageQuery, Problem};
use futures::future::BoxFuture;

use crate::Context;
use crate::moments::in_order;
use crate::pagination::read_on;
use crate::queries::JournalQuery;

/// A page of the entries asked for, newest first.
pub(crate) async fn page(
    ctx: &Context,
    owner: &UserId,
    profile: Option<&ProfileId>,
    query: &JournalQuery,
) -> Result<Page<Entry>, Problem> {
    in_order(query.from, query.to)?;
    let profile = profile.map(ProfileId::as_str);
    let (from, to) = (query.from.map(|at| at.to_string()), query.to.map(|at| at.to_string()));
    let filters = [
        ("profile", profile),
        ("from", from.as_deref()),
        ("to", to.as_deref()),
        ("status", query.status.map(TaskStatus::as_str)),
        ("entity", query.entity.as_deref()),
        ("query", query.query.as_deref()),
    ];
    let cursor = Cursor::new(ctx.cursors.get().await?, owner, "journal", &filters);
    let paging = PageQuery { limit: query.limit, cursor: query.cursor.clone() };
    let (after, limit) = (paging.after(&cursor)?, paging.limit()?);
    let (access, wanted) = (access(owner, profile, query), wanted(query));
    let between = (query.from, query.to);
    let (access, wanted) = (&access, &wanted);
    let read = |limit: i32, after: Option<String>| -> BoxFuture<'_, _> {
        Box::pin(async move {
            let found = ctx.journal.list(access, between, after.as_deref(), limit).await?;
            let fits = |entry: &Entry| {
                profile.is_none_or(|profile| entry.agent_profile_id == profile)
                    && wanted.matches(entry)
            };
            let items = found.entries.into_iter().filter(fits).collect();
            Ok(Stored { items, next: found.next })
        })
    };
    let found = read_on(limit, after, read).await?;
    Ok(cursor.page(found.items, found.next.as_deref()))
}

/// The narrowest way to what is asked for.
fn access(owner: &UserId, profile: Option<&str>, query: &JournalQuery) -> Access {
    let owner = owner.clone();
    match (&query.entity, profile.map(str::to_owned), query.status) {
        (Some(name), _, _) => Access::Entity { owner, key: Mention::key(name) },
        (None, Some(profile), Some(status)) => Access::Status { owner, profile, status },
        (None, Some(profile), None) => Access::Profile { owner, profile },
        (None, None, _) => Access::User { owner },
    }
}

/// What the way does not already say.
fn wanted(query: &JournalQuery) -> Filter {
    Filter {
        words: query.query.as_deref().map(Filter::words).unwrap_or_default(),
        from: query.from,
        to: query.to,
        entity: None,
        status: query.status,
        limit: 1,
    }
}
