//! What the name of a field says of its value.

use crate::model::EntityType;

/// What a field's name says about its content.
pub(crate) fn field_hint(field: &str) -> Option<EntityType> {
    let field = field.to_lowercase();
    let leaf = field.rsplit('.').next().unwrap_or(&field);
    let has = |words: &[&str]| words.iter().any(|word| leaf.contains(word));
    // `recipient_city` is about a recipient and holds a place.
    let place = ["_city", "_country", "_county"].iter().any(|end| leaf.ends_with(end));
    if place {
        Some(EntityType::Location)
    } else if has(&[
        "organi",
        "company",
        "employer",
        "business",
        "recipient",
        "grantee",
        "filer",
        "committee",
        "foundation",
        "issuer",
        "vendor",
    ]) {
        Some(EntityType::Org)
    } else if has(&[
        "person",
        "officer",
        "director",
        "trustee",
        "author",
        "contributor",
        "donor",
        "employee",
        "contact_name",
        "full_name",
    ]) {
        Some(EntityType::Person)
    } else if has(&["city", "country", "location", "county"]) {
        Some(EntityType::Location)
    } else {
        None
    }
}

/// Fields that never hold a name, whatever their text looks like.
pub(super) fn is_no_name_field(field: &str) -> bool {
    const LEAVES: [&str; 22] = [
        "title",
        "role",
        "position",
        "occupation",
        "status",
        "type",
        "form",
        "return_type",
        "currency",
        "state",
        "zip",
        "phone",
        "email",
        "url",
        "link",
        "id",
        "ein",
        "cik",
        "date",
        "filename",
        "file",
        "category",
    ];
    let field = field.to_lowercase();
    let leaf = field.rsplit('.').next().unwrap_or(&field);
    LEAVES.contains(&leaf)
        || leaf.ends_with("_id")
        || leaf.ends_with("_date")
        || leaf.ends_with("_ein")
        || leaf.ends_with("_title")
        || leaf.ends_with("_url")
        || leaf.ends_with("_state")
}

/// Fields that name the organisation a whole record is about, the most telling first.
pub(super) const PRINCIPALS: [&str; 9] = [
    "organization_name",
    "organisation_name",
    "organization",
    "organisation",
    "filer_name",
    "business_name",
    "org_name",
    "company",
    "employer",
];
