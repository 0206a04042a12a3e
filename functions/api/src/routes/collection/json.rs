//! Documents that are sent as JSON and stored as they are read.

use std::borrow::Cow;
use std::marker::PhantomData;

use countersign_document::{Document, Problem as Found, Reading, merge_patch, read_value};
use countersign_identity::{Caller, Presented};
use countersign_store_catalog::{CatalogError, Spec, Stored, StoredDocument};
use countersign_web::{FieldError, Problem};
use http::StatusCode;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::openapi::schema::{
    AllOfBuilder, KnownFormat, Object, ObjectBuilder, Schema, SchemaFormat, SchemaType, Type,
};
use utoipa::openapi::{Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};

use super::described::Words;
use super::patch::Patch;
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

    /// See [`Kind::after_removal`].
    fn after_removal(_: &Stored<Self>, _: &Context) -> impl Future<Output = ()> + Send {
        async {}
    }

    /// See [`Kind::more`].
    fn more(_: &Stored<Self>, _: &Context) -> impl Future<Output = Result<More, Problem>> + Send {
        async { Ok(More::new()) }
    }

    /// What is shown beside its fields, as the OpenAPI document has it.
    fn beside(added: ObjectBuilder) -> ObjectBuilder {
        added
    }
}

impl<S: Fields> Kind for Stored<S> {
    const PLURAL: &'static str = S::PLURAL;
    const WORDS: Words = S::WORDS;

    type Draft = Sent<S>;
    type Change = Resent<Self>;
    type Query = ListQuery;
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

    fn listing(query: &ListQuery) -> ListQuery {
        query.clone()
    }

    async fn after_write(&self, ctx: &Context) {
        S::after_write(self, ctx).await;
    }

    async fn after_removal(&self, ctx: &Context) {
        S::after_removal(self, ctx).await;
    }

    async fn more(&self, ctx: &Context) -> Result<More, Problem> {
        S::more(self, ctx).await
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

/// A record that is shown whole: its fields, and what the store adds.
pub(crate) trait DocumentRecord: StoredDocument {
    /// The fields that its owner writes.
    type Fields: JsonSchema;

    /// What the store adds, as the OpenAPI document has it.
    fn added() -> ObjectBuilder {
        added()
    }

    /// The part of it that is shown.
    #[must_use]
    fn shown(self) -> Self {
        self
    }

    /// The names of what the store adds, and of what is shown beside the fields.
    fn added_names() -> Vec<String> {
        let added = serde_json::to_value(Self::added().build()).unwrap_or_default();
        let names = added["properties"].as_object().map(|map| map.keys().cloned().collect());
        names.unwrap_or_default()
    }

    /// What of it may be sent with a change.
    fn sent_back() -> ObjectBuilder {
        version_read()
    }
}

/// The version that a change is of.
pub(crate) fn version_read() -> ObjectBuilder {
    let says =
        "The version that was read; when sent, the change is refused if there is a newer one.";
    let version = ObjectBuilder::new().schema_type(Type::Integer).description(Some(says));
    ObjectBuilder::new().property("version", version)
}

/// What the store adds to every kind.
pub(crate) fn added() -> ObjectBuilder {
    let time = SchemaFormat::KnownFormat(KnownFormat::DateTime);
    let text = || ObjectBuilder::new().schema_type(Type::String);
    let owner = text().schema_type(SchemaType::from_iter([Type::String, Type::Null]));
    let version = ObjectBuilder::new().schema_type(Type::Integer);
    let mut record = ObjectBuilder::new();
    for (name, schema, says) in [
        ("id", text(), "Its id."),
        ("user_id", owner, "Its owner; null for one the deployment ships."),
        ("version", version, "Raised by every change."),
        ("created_at", text().format(Some(time.clone())), "When it was made."),
        ("updated_at", text().format(Some(time)), "When it was last changed."),
    ] {
        record = record.property(name, schema.description(Some(says)));
    }
    ["id", "version", "created_at", "updated_at"].into_iter().fold(record, ObjectBuilder::required)
}

impl<S: Fields> DocumentRecord for Stored<S> {
    type Fields = S;

    /// The token it was saved with is nobody's business.
    fn shown(self) -> Self {
        Self { token: None, ..self }
    }

    fn added() -> ObjectBuilder {
        let says = "The scopes of whoever saved it last: what runs for it never does more.";
        let scopes = ObjectBuilder::new().schema_type(Type::Array).description(Some(says));
        S::beside(added().property("scopes", scopes))
    }
}

/// A body from which a document is read; what is wrong with it is said all at once.
#[derive(Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Sent<F> {
    pub(crate) body: Value,
    #[serde(skip)]
    kind: PhantomData<fn() -> F>,
}

/// A body that replaces a document: its fields, and whatever else was read with them.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub(crate) struct Resent<R> {
    body: Value,
    #[serde(skip)]
    kind: PhantomData<fn() -> R>,
}

/// A record as it is shown.
#[derive(Debug, Serialize)]
pub(crate) struct Shown<R> {
    #[serde(flatten)]
    pub(crate) record: R,
    /// What is known of it beside its fields.
    #[serde(flatten)]
    pub(crate) more: More,
    /// What may surprise in what was just written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) warnings: Vec<Found>,
}

impl<R: DocumentRecord> From<&R> for Shown<R> {
    fn from(record: &R) -> Self {
        Self { record: record.clone().shown(), more: More::new(), warnings: Vec::new() }
    }
}

impl<R> Resent<R> {
    /// A document as it is to be.
    pub(super) fn of(body: Value) -> Self {
        Self { body, kind: PhantomData }
    }
}

impl<R: DocumentRecord> Resent<R> {
    /// The fields that are changed, and what was sent back of what is shown beside them. What the store adds may be sent back
    /// as it was read.
    pub(crate) fn fields(self, before: &R) -> Result<(Value, More), Problem> {
        let mut fields = self.body;
        let kept = serde_json::to_value(before).unwrap_or_default();
        let mut shown = More::new();
        let Some(map) = fields.as_object_mut() else { return Ok((fields, shown)) };
        if map.shift_remove("version").is_some_and(|seen| seen != kept["version"]) {
            return Err(CatalogError::Changed(R::KIND).into());
        }
        // What is shown beside the fields of one document is not a part of it.
        let record = R::added_names();
        let beside = |name: &String| kept.get(name).is_none() && record.contains(name);
        let sent: Vec<String> = map.keys().filter(|name| beside(name)).cloned().collect();
        shown.extend(sent.into_iter().filter_map(|name| map.shift_remove_entry(&name)));
        for name in ["id", "user_id", "created_at", "updated_at", "scopes"] {
            if map.shift_remove(name).is_some_and(|sent| sent != kept[name]) {
                return Err(Problem::field(name, "cannot be changed"));
            }
        }
        Ok((fields, shown))
    }
}

/// A kind that shows nothing beside its fields has nothing sent back.
pub(crate) fn nothing_more(shown: &More) -> Result<(), Problem> {
    shown
        .keys()
        .next()
        .map_or(Ok(()), |name| Err(Problem::field(name.as_str(), "cannot be changed")))
}

/// The name and the schema of fields.
fn fields_name<F: JsonSchema>() -> Cow<'static, str> {
    format!("{}Fields", F::schema_name()).into()
}

/// The schema of fields for the OpenAPI document, as it is: utoipa has no form for all of it.
pub(crate) fn fields_schema<F: JsonSchema>() -> (String, Value) {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<F>();
    // A record has them and more.
    for beside in ["additionalProperties", "title"] {
        schema.remove(beside);
    }
    (fields_name::<F>().into_owned(), schema.to_value())
}

/// The name and the schema of a part of a record: every field may be left out.
pub(crate) fn patch_schema<R: DocumentRecord>() -> (String, Value) {
    let (_, mut schema) = fields_schema::<R::Fields>();
    let beside = serde_json::to_value(R::sent_back().build()).unwrap_or_default();
    if let Some(schema) = schema.as_object_mut() {
        schema.shift_remove("required");
        let says = "The fields to change (RFC 7396): objects are merged, lists replaced, null gives a field its default.";
        schema.insert("description".to_owned(), says.into());
    }
    merge_patch(&mut schema, &serde_json::json!({"properties": beside["properties"]}));
    (patch_name::<R>().into_owned(), schema)
}

fn patch_name<R: DocumentRecord>() -> Cow<'static, str> {
    format!("{}Patch", <R::Fields>::schema_name()).into()
}

/// What utoipa holds in its place.
fn placeholder() -> RefOr<Schema> {
    Object::new().into()
}

/// Fields with others beside them.
fn with_fields<R: DocumentRecord>(others: ObjectBuilder) -> RefOr<Schema> {
    let fields = Ref::from_schema_name(fields_name::<R::Fields>());
    AllOfBuilder::new().item(fields).item(others).into()
}

macro_rules! schema {
    ($type:ident<$of:ident: $bound:ident>, $name:expr, $schema:expr, $within:expr) => {
        impl<$of: $bound> ToSchema for $type<$of> {
            fn name() -> Cow<'static, str> {
                $name
            }

            fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
                schemas.extend($within);
            }
        }

        impl<$of: $bound> PartialSchema for $type<$of> {
            fn schema() -> RefOr<Schema> {
                $schema
            }
        }
    };
}

schema!(Sent<F: JsonSchema>, fields_name::<F>(), placeholder(), None);
schema!(
    Shown<R: DocumentRecord>,
    <R::Fields>::schema_name(),
    with_fields::<R>(R::added()),
    [(fields_name::<R::Fields>().into_owned(), placeholder())]
);
schema!(
    Resent<R: DocumentRecord>,
    format!("{}Change", <R::Fields>::schema_name()).into(),
    with_fields::<R>(R::sent_back()),
    [(fields_name::<R::Fields>().into_owned(), placeholder())]
);
schema!(Patch<R: DocumentRecord>, patch_name::<R>(), placeholder(), None);
