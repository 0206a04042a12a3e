//! What needs the whole record: the organisation it is about, identifiers, edges and where it came from.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::model::{EdgeEnd, EntityType, ExternalId, Relationship};

use super::fields::PRINCIPALS;
use super::found_in::Origin;
use super::place::place;
use super::{Extracted, Request, Rule};

/// Adds ids, company, edges and provenance, which need the whole record.
pub(super) fn relate(
    found: &mut [Extracted],
    record: &Value,
    fields: &Map<String, Value>,
    rules: &[Rule],
    request: &Request,
) {
    let principal = principal(found, rules);
    let organisations: Vec<(String, String)> = found
        .iter()
        .filter(|e| e.entity_type == EntityType::Org)
        .map(|e| (e.name.clone(), crate::organisation::OrganisationName::parse(&e.name).key()))
        .collect();
    let text = |key: &str| fields.get(key).and_then(Value::as_str).map(str::to_owned);
    let mut origin = Origin::of(record, fields);
    for entity in found.iter_mut() {
        entity.context = organisations
            .iter()
            .filter(|(name, _)| *name != entity.name)
            .map(|(_, key)| key.clone())
            .take(5)
            .collect();
        let is_principal =
            principal.as_ref().is_some_and(|(_, field)| *field == entity.source_field);
        entity.external_ids = ids(fields, entity, is_principal);
        entity.place = place(fields, entity);
        entity.source_connector = text("_source");
        entity.source_endpoint = text("_endpoint");
        origin.note(entity);
        let ruled = rules.iter().find(|rule| rule.field == entity.source_field);
        let general =
            request.relationship.filter(|relationship| suits(*relationship, &entity.entity_type));
        let relationship = ruled.and_then(|rule| rule.relationship_type).or(general);
        let end = principal
            .as_ref()
            .filter(|(end, _)| !is_principal && end.name != entity.name)
            .map(|(end, _)| end.clone());
        if let (Some(relationship), Some(end)) = (relationship, end) {
            entity.attributes = attributes(record, relationship);
            entity.relationship_type = Some(relationship);
            entity.related_to = Some(end);
        }
    }
}

/// Whether a relationship asked for in general can be meant of this kind of entity.
fn suits(relationship: Relationship, kind: &EntityType) -> bool {
    use Relationship as R;
    match relationship {
        R::OfficerOf | R::BoardMemberOf | R::WorksFor => *kind == EntityType::Person,
        R::LocatedIn | R::OperatesIn => *kind == EntityType::Location,
        R::SubsidiaryOf => *kind == EntityType::Org,
        R::MentionedIn | R::DiscoveredBy | R::SourcedFrom | R::MemberOfCluster => false,
        _ => matches!(kind, EntityType::Person | EntityType::Org),
    }
}

/// The organisation that the record is about, and the field that names it.
fn principal(found: &[Extracted], rules: &[Rule]) -> Option<(EdgeEnd, String)> {
    let organisations = || found.iter().filter(|e| e.entity_type == EntityType::Org);
    let by_name = PRINCIPALS.iter().find_map(|field| {
        organisations().find(|e| e.source_field.rsplit('.').next() == Some(*field))
    });
    let unrelated = |e: &&Extracted| {
        rules.iter().any(|rule| rule.field == e.source_field && rule.relationship_type.is_none())
    };
    let entity = by_name.or_else(|| organisations().find(unrelated))?;
    Some((
        EdgeEnd { name: entity.name.clone(), entity_type: EntityType::Org },
        entity.source_field.clone(),
    ))
}

fn ids(
    fields: &Map<String, Value>,
    entity: &Extracted,
    is_principal: bool,
) -> BTreeMap<String, String> {
    let schemes: &[&str] = match entity.entity_type {
        EntityType::Org => &["ein", "cik", "duns", "lei", "fec_id", "committee_id"],
        EntityType::Person => &["orcid", "npi", "candidate_id", "fec_id"],
        _ => return BTreeMap::new(),
    };
    let prefix = entity.source_field.trim_end_matches("name").trim_end_matches('_');
    let own_name = entity.source_field == "name" && entity.entity_type == EntityType::Person;
    let value = |scheme: &str| {
        let prefixed = fields.get(&format!("{prefix}_{scheme}"));
        let plain = || fields.get(scheme).filter(|_| is_principal || own_name);
        match prefixed.or_else(plain)? {
            Value::String(text) => ExternalId::new(scheme, text),
            Value::Number(number) => ExternalId::new(scheme, &number.to_string()),
            _ => None,
        }
    };
    schemes.iter().filter_map(|scheme| value(scheme)).map(|id| (id.scheme, id.value)).collect()
}

fn attributes(record: &Value, relationship: Relationship) -> Map<String, Value> {
    let scalar =
        |value: &&Value| matches!(value, Value::String(_) | Value::Number(_) | Value::Bool(_));
    let pairs = relationship
        .properties()
        .iter()
        .filter_map(|key| Some(((*key).to_owned(), record.get(*key).filter(scalar)?.clone())));
    pairs.collect()
}
