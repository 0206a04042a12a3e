//! Pages of journals: of one agent, or of all agents of a person.

use countersign_identity::UserId;
use countersign_journal::{Access, Entry, Filter, Mention, TaskStatus};
use countersign_profile::ProfileId;
use countersign_store_kit::{Page as Stored, Window};
use countersign_web::Problem;
use futures::future::BoxFuture;

use crate::Context;
use crate::lists::{PageOf, Paged, Paging};
use crate::moments::in_order;
use crate::queries::JournalQuery;

/// Whose journal is read by whom.
#[derive(Clone, Copy)]
pub(crate) struct Journal<'a> {
    /// Who reads it.
    pub(crate) reader: &'a UserId,
    /// Whose agents they are.
    pub(crate) owner: &'a UserId,
    /// Of which agent; of all when none.
    pub(crate) profile: Option<&'a ProfileId>,
}

/// A page of the entries asked for, newest first.
pub(crate) async fn page(
    ctx: &Context,
    owner: &UserId,
    profile: Option<&ProfileId>,
    query: &JournalQuery,
) -> PageOf<Entry> {
    shown(ctx, Journal { reader: owner, owner, profile }, query, |_| true).await
}

/// A page of those entries that are shown to the reader, newest first.
pub(crate) async fn shown(
    ctx: &Context,
    journal: Journal<'_>,
    query: &JournalQuery,
    shows: impl Fn(&Entry) -> bool,
) -> PageOf<Entry> {
    let Journal { reader, owner, profile } = journal;
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
    let paging = Paging::of(ctx, reader, "journal", &filters, &query.page()).await?;
    // Others are led through the entries of the agent alone: the way by a name goes over all agents.
    let by_name = query.entity.as_ref().filter(|_| reader == owner);
    let (access, wanted) = (access(owner, profile, by_name, query), wanted(query));
    let between = (query.from, query.to);
    let access = &access;
    let read = |Window { limit, after }: Window| -> BoxFuture<'_, Result<_, Problem>> {
        Box::pin(async move {
            let found = ctx.journal.list(access, between, after.as_deref(), limit).await?;
            Ok(Stored { items: found.entries, next: found.next })
        })
    };
    let fits = |entry: &Entry| {
        let is_of_agent = profile.is_none_or(|profile| entry.agent_profile_id == profile);
        let is_named = by_name.is_some() || mentions(entry, query);
        // Others find an entry by what they are shown of it.
        let is_wanted = match reader == owner {
            true => wanted.matches(entry),
            false => wanted.matches(&entry.clone().for_members()),
        };
        is_of_agent && is_named && is_wanted && shows(entry)
    };
    paging.page(paging.sifted(read, fits).await?)
}

/// Whether an entry mentions the name that is asked for.
fn mentions(entry: &Entry, query: &JournalQuery) -> bool {
    let Some(name) = &query.entity else { return true };
    let key = Mention::key(name);
    let mut all = entry.entities_mentioned.iter().chain(&entry.entities_discovered);
    all.any(|mention| Mention::key(&mention.name) == key)
}

/// The narrowest way to what is asked for.
fn access(
    owner: &UserId,
    profile: Option<&str>,
    by_name: Option<&String>,
    query: &JournalQuery,
) -> Access {
    let owner = owner.clone();
    match (by_name, profile.map(str::to_owned), query.status) {
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
