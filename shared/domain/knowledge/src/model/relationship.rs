//! How two nodes relate.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How two nodes relate (F-256…F-271); written in capitals, as in a playbook's `relationship_type`.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
#[schemars(rename = "RelationshipType")]
pub enum Relationship {
    /// Entity → document (F-256).
    MentionedIn,
    /// Gives money to (F-257).
    Funds,
    /// Gets money from (F-258).
    FundedBy,
    /// Person → organisation (F-259).
    OfficerOf,
    /// Person → organisation (F-260).
    BoardMemberOf,
    /// Owns or directs (F-261).
    Controls,
    /// Is owned or directed by (F-262).
    SubsidiaryOf,
    /// Family, partner, affiliate (F-263).
    RelatedTo,
    /// Gave to (F-264).
    DonatedTo,
    /// Has an address in (F-265).
    LocatedIn,
    /// Works in a place or field (F-266).
    OperatesIn,
    /// Is employed by (F-267).
    WorksFor,
    /// Entity → data source (F-268).
    DiscoveredBy,
    /// Kept as an attribute of edges, never as an edge (F-269, K-73).
    SourcedFrom,
    /// Entity → cluster (F-270).
    MemberOfCluster,
    /// Belongs to a group (F-271).
    MemberOf,
}

impl Relationship {
    /// Every relationship.
    pub const ALL: [Self; 16] = [
        Self::MentionedIn,
        Self::Funds,
        Self::FundedBy,
        Self::OfficerOf,
        Self::BoardMemberOf,
        Self::Controls,
        Self::SubsidiaryOf,
        Self::RelatedTo,
        Self::DonatedTo,
        Self::LocatedIn,
        Self::OperatesIn,
        Self::WorksFor,
        Self::DiscoveredBy,
        Self::SourcedFrom,
        Self::MemberOfCluster,
        Self::MemberOf,
    ];

    /// Reads the written form, in any case; `None` for a relationship the graph does not have.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        serde_json::from_value(Value::String(text.trim().to_uppercase())).ok()
    }

    /// The written form.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The relationship that says the same from the other end (F-258, F-262); none for those that have no such name.
    #[must_use]
    pub fn inverse(self) -> Option<Self> {
        match self {
            Self::Funds => Some(Self::FundedBy),
            Self::FundedBy => Some(Self::Funds),
            Self::Controls => Some(Self::SubsidiaryOf),
            Self::SubsidiaryOf => Some(Self::Controls),
            _ => None,
        }
    }

    /// The record fields worth keeping on an edge of this kind.
    #[must_use]
    pub fn properties(self) -> &'static [&'static str] {
        match self {
            Self::MentionedIn => &["count", "context", "section"],
            Self::Funds | Self::FundedBy => &[
                "amount",
                "grant_amount",
                "currency",
                "date",
                "date_range_start",
                "date_range_end",
                "filing_type",
                "purpose",
                "tax_year",
            ],
            Self::OfficerOf => {
                &["title", "start_date", "end_date", "compensation", "hours_per_week", "tax_year"]
            }
            Self::BoardMemberOf => &["role", "title", "start_date", "end_date", "tax_year"],
            Self::Controls | Self::SubsidiaryOf => &["ownership_percentage", "control_type"],
            Self::RelatedTo => &["relationship_type", "description"],
            Self::DonatedTo => &["amount", "date", "filing_id", "employer", "occupation"],
            Self::LocatedIn => &["address", "is_registered_address", "is_headquarters"],
            Self::WorksFor => &["title", "start_date", "end_date"],
            Self::MemberOf => &["role"],
            Self::OperatesIn | Self::DiscoveredBy | Self::SourcedFrom | Self::MemberOfCluster => {
                &[]
            }
        }
    }
}
