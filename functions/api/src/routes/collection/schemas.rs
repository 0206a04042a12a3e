//! Schemas of documents that are sent as JSON, for the OpenAPI document.

use std::borrow::Cow;

use countersign_document::{Problem as Found, merge_patch};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;
use utoipa::openapi::schema::{
    AllOfBuilder, ArrayBuilder, KnownFormat, Object, ObjectBuilder, Schema, SchemaFormat,
    SchemaType, Type,
};
use utoipa::openapi::{Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};

use super::patch::Patch;
use super::record::{DocumentRecord, Resent, Sent, Shown};
use crate::documented;

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

/// What may surprise in what was just written, beside what the store adds.
fn with_warnings(others: ObjectBuilder) -> ObjectBuilder {
    let says = "What may surprise in what was just written; left out when nothing does.";
    let warnings = ArrayBuilder::new().items(Ref::from_schema_name(Found::schema_name()));
    others.property("warnings", warnings.description(Some(says)))
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
    with_fields::<R>(with_warnings(R::added())),
    [
        (fields_name::<R::Fields>().into_owned(), placeholder()),
        (Found::schema_name().into_owned(), documented::placeholder::<Found>()),
    ]
);
schema!(
    Resent<R: DocumentRecord>,
    format!("{}Change", <R::Fields>::schema_name()).into(),
    with_fields::<R>(R::sent_back()),
    [(fields_name::<R::Fields>().into_owned(), placeholder())]
);
schema!(Patch<R: DocumentRecord>, patch_name::<R>(), placeholder(), None);
