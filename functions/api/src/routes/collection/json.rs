//! Documents that are sent as JSON and stored as they are read.

use countersign_document::{Document, Problem as Found, Reading, read_value};
use countersign_identity::{Caller, Presented, UserId};
use countersign_store_catalog::{Spec, Stored};
use countersign_web::{FieldError, Problem};
use http::StatusCode;
use serde::de::DeserializeOwned;
use serde_json::Value;
use utoipa::IntoParams;
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, Type};

use super::described::Words;
use super::record::{DocumentRecord, Resent, Sent, Shown};
use super::schemas::{added, fields_schema, patch_schema};
use super::{Author, Kind, More, Read, most};
use crate::Context;
use crate::pagination::ListQuery;
use crate::routes::now;

/// A kind of document without a form of its own: the fields that its owner writes.
pub(crate) trait Fields: Spec + Document {
    /// See [`Kind::PLURAL`].
    const PLURAL: &'static str;
    /// See [`Kind::WORDS`].
    const WORDS: Words;

    /// So many may a person have, and the code of the problem that says so.
    const MOST: Option<(usize, &'static str)> = None;

    /// What lists can be narrowed by.
    type Query: DeserializeOwned + IntoParams + Send + Sync;

    /// What the store is asked for.
    fn listing(query: &Self::Query) -> ListQuery;

    /// Whether a list has this document.
    fn fits(_: &Stored<Self>, _: &Self::Query) -> bool {
        true
    }

    /// An id of sixteen bytes.
    fn id(bytes: [u8; 16]) -> Self::Id;

    /// What only other documents, and whoever is asked, can decide; what may surprise.
    fn check(
        &self,
        ctx: &Context,
        by: Author<'_>,
    ) -> impl Future<Output = Result<Vec<Found>, Problem>> + Send;

    /// Checks what is shown beside the fields and was sent back with them.
    fn check_shown(
        _: &Stored<Self>,
        _: &Context,
        shown: &More,
    ) -> impl Future<Output = Result<(), Problem>> + Send {
        std::future::ready(nothing_more(shown))
    }

    /// The same of a document that has, or is to have, this id.
    fn check_as(
        &self,
        _: &Self::Id,
        ctx: &Context,
        by: Author<'_>,
    ) -> impl Future<Output = Result<Vec<Found>, Problem>> + Send {
        self.check(ctx, by)
    }

    /// See [`Kind::after_write`].
    fn after_write(_: &Stored<Self>, _: &Context) -> impl Future<Output = ()> + Send {
        async {}
    }

    /// See [`Kind::before_removal`].
    fn before_removal(
        _: &Stored<Self>,
        _: &Context,
    ) -> impl Future<Output = Result<(), Problem>> + Send {
        async { Ok(()) }
    }

    /// See [`Kind::after_removal`].
    fn after_removal(_: &Stored<Self>, _: &Context) -> impl Future<Output = ()> + Send {
        async {}
    }

    /// See [`Kind::more`].
    fn more(_: &Stored<Self>, _: &Context) -> impl Future<Output = Result<More, Problem>> + Send {
        async { Ok(More::new()) }
    }

    /// The same of one in a list: what its owner sees at a glance.
    fn in_list(
        _: &Stored<Self>,
        _: &Context,
    ) -> impl Future<Output = Result<More, Problem>> + Send {
        async { Ok(More::new()) }
    }

    /// What is shown beside its fields, as the OpenAPI document has it.
    fn beside(added: ObjectBuilder) -> ObjectBuilder {
        added
    }
}

/// Removes those of an owner that go with something else of theirs.
pub(crate) async fn remove_with<S: Fields>(
    ctx: &Context,
    owner: &UserId,
    goes: impl Fn(&S) -> bool,
) -> Result<(), Problem> {
    let documents = ctx.catalog.collection::<Stored<S>>();
    let all = documents.all(owner).await?;
    for document in all.iter().filter(|document| goes(&document.spec)) {
        S::before_removal(document, ctx).await?;
        documents.delete(document).await?;
        S::after_removal(document, ctx).await;
    }
    Ok(())
}

impl<S: Fields> Kind for Stored<S> {
    const PLURAL: &'static str = S::PLURAL;
    const WORDS: Words = S::WORDS;

    type Draft = Sent<S>;
    type Change = Resent<Self>;
    type Query = S::Query;
    type Warning = Found;
    type Line = Shown<Self>;
    type View = Shown<Self>;

    async fn draft(ctx: &Context, author: Author<'_>, draft: &Sent<S>) -> Read<Self> {
        let (spec, mut warnings) = read::<S>(draft.body.clone(), S::WORDS.invalid)?;
        let (id, user_id) = (S::id(author.id), Some(author.user.clone()));
        warnings.extend(spec.check_as(&id, ctx, author).await?);
        let at = now();
        let scopes = Some(author.scopes.clone());
        let (created_at, updated_at) = (at, at);
        let version = 1;
        let new = Self { id, user_id, version, created_at, updated_at, scopes, token: None, spec };
        Ok((new, warnings))
    }

    async fn change(self, ctx: &Context, editor: &Caller, change: Resent<Self>) -> Read<Self> {
        let (fields, shown) = change.fields(&self)?;
        S::check_shown(&self, ctx, &shown).await?;
        let (spec, mut warnings) = read::<S>(fields, S::WORDS.invalid)?;
        let author = Author { user: &editor.user, scopes: &editor.scopes, id: [0; 16] };
        warnings.extend(spec.check_as(&self.id, ctx, author).await?);
        let scopes = Some(editor.scopes.clone());
        Ok((Self { spec, scopes, version: self.version + 1, updated_at: now(), ..self }, warnings))
    }

    fn saved_with(self, token: &Presented) -> Self {
        Self { token: Some(token.clone()), ..self }
    }

    async fn fits_in(&self, ctx: &Context) -> Result<(), Problem> {
        most::fits(self, ctx).await
    }

    fn listing(query: &S::Query) -> ListQuery {
        S::listing(query)
    }

    fn fits(&self, query: &S::Query) -> bool {
        S::fits(self, query)
    }

    async fn after_write(&self, ctx: &Context) {
        S::after_write(self, ctx).await;
    }

    async fn before_removal(&self, ctx: &Context) -> Result<(), Problem> {
        S::before_removal(self, ctx).await
    }

    async fn after_removal(&self, ctx: &Context) {
        S::after_removal(self, ctx).await;
    }

    async fn more(&self, ctx: &Context) -> Result<More, Problem> {
        S::more(self, ctx).await
    }

    async fn listed(&self, ctx: &Context) -> Result<Shown<Self>, Problem> {
        Ok(Shown { more: S::in_list(self, ctx).await?, ..Shown::from(self) })
    }

    fn view(self, warnings: Vec<Found>, more: More) -> Shown<Self> {
        Shown { record: self.shown(), more, warnings }
    }

    fn schemas() -> Vec<(String, Value)> {
        vec![fields_schema::<S>(), patch_schema::<Self>()]
    }
}

/// Reads a document, or says everything that is wrong with it.
pub(crate) fn read<D: Document>(body: Value, invalid: &str) -> Result<(D, Vec<Found>), Problem> {
    let Reading { value, problems } = read_value::<D>(body);
    value.map(|value| (value, problems.clone())).ok_or_else(|| {
        let errors: Vec<FieldError> =
            problems.iter().filter(|found| found.is_error()).map(field_error).collect();
        let detail = match errors.len() {
            1 => format!("the {} has an error", D::KIND),
            count => format!("the {} has {count} errors", D::KIND),
        };
        let mut problem = Problem::new(StatusCode::UNPROCESSABLE_ENTITY, invalid, detail);
        problem.errors = errors;
        problem
    })
}

/// A problem of a document as REST answers have it.
pub(crate) fn field_error(found: &Found) -> FieldError {
    FieldError { path: found.path(), message: found.message.clone(), hint: found.hint.clone() }
}

impl<S: Fields> DocumentRecord for Stored<S> {
    type Fields = S;

    /// The token it was saved with is nobody's business.
    fn shown(self) -> Self {
        Self { token: None, ..self }
    }

    fn added() -> ObjectBuilder {
        let says = "The scopes of whoever saved it last: what runs for it never does more.";
        let scope = ObjectBuilder::new().schema_type(Type::String);
        let scopes = ArrayBuilder::new().items(scope).description(Some(says));
        S::beside(added().property("scopes", scopes))
    }
}

/// A kind that shows nothing beside its fields has nothing sent back.
pub(crate) fn nothing_more(shown: &More) -> Result<(), Problem> {
    shown
        .keys()
        .next()
        .map_or(Ok(()), |name| Err(Problem::field(name.as_str(), "cannot be changed")))
}
