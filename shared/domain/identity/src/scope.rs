//! Scopes: `{group}:{role}`.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A role; the order is the order of levels, a higher one includes the lower.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr, strum::EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum Role {
    /// Level 1: may read what is published.
    Reader = 1,
    /// Level 2: may edit.
    Editor = 2,
    /// Level 3: may research and write.
    Analyst = 3,
    /// Level 4: may administer.
    Admin = 4,
}

impl Role {
    /// Every role, lowest first.
    pub const ALL: [Role; 4] = [Role::Reader, Role::Editor, Role::Analyst, Role::Admin];

    /// The level of A-014; 0 means "no role" and has no variant here.
    #[must_use]
    pub fn level(self) -> u8 {
        self as u8
    }

    /// The name used in scopes.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The slug of a topic: lower-case letters, digits and underscores, at most 64 characters.
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
pub struct Topic(String);

/// Why a text is not the slug of a topic.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a topic: use up to 64 lower-case letters, digits and underscores, and not `global`"
)]
pub struct InvalidTopic(String);

impl Topic {
    /// Reads a slug.
    ///
    /// # Errors
    /// [`InvalidTopic`] when the text is empty, too long, `global`, or has another character.
    pub fn parse(text: &str) -> Result<Self, InvalidTopic> {
        let fits = (1..=64).contains(&text.len())
            && text != "global"
            && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
        if fits {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidTopic(text.chars().take(80).collect()))
        }
    }

    /// The slug.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Topic {
    type Error = InvalidTopic;
    fn try_from(text: String) -> Result<Self, InvalidTopic> {
        Self::parse(&text)
    }
}

impl From<Topic> for String {
    fn from(topic: Topic) -> String {
        topic.0
    }
}

/// What a scope is about: one topic, or all of them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    /// The word `global`.
    Global,
    /// One topic.
    Topic(Topic),
    /// One topic, but on at least one side of an intersection only because `global` covers it; written `~topic`.
    /// It counts wherever `global` counts and nowhere else, so K-26 survives [`Scopes::intersect`].
    ThroughGlobal(Topic),
}

/// One grant: a role in a group.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Scope {
    /// Where the role holds.
    pub group: Group,
    /// The role.
    pub role: Role,
}

impl FromStr for Scope {
    type Err = ();

    /// Reads exactly two parts. An unknown role has level 0, so the scope grants nothing and is not a scope.
    fn from_str(text: &str) -> Result<Self, ()> {
        let mut parts = text.split(':');
        let (Some(group), Some(role), None) = (parts.next(), parts.next(), parts.next()) else {
            return Err(());
        };
        let role = role.parse().map_err(drop)?;
        let group = match group {
            "global" => Group::Global,
            topic => match topic.strip_prefix('~') {
                Some(covered) => Group::ThroughGlobal(Topic::parse(covered).map_err(drop)?),
                None => Group::Topic(Topic::parse(topic).map_err(drop)?),
            },
        };
        Ok(Scope { group, role })
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.group {
            Group::Global => write!(f, "global:{}", self.role),
            Group::Topic(topic) => write!(f, "{}:{}", topic.as_str(), self.role),
            Group::ThroughGlobal(topic) => write!(f, "~{}:{}", topic.as_str(), self.role),
        }
    }
}

/// A set of scopes. Anything malformed is ignored when reading, so it can only ever grant less.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "Vec<String>", into = "Vec<String>")]
pub struct Scopes(Vec<Scope>);

impl Scopes {
    /// Reads scopes from their texts, leaving out what is none.
    pub fn parse<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut scopes: Vec<Scope> =
            texts.into_iter().filter_map(|text| text.parse().ok()).collect();
        scopes.sort();
        scopes.dedup();
        Self(scopes)
    }

    /// The scopes, sorted.
    pub fn iter(&self) -> impl Iterator<Item = &Scope> {
        self.0.iter()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The highest role held anywhere.
    #[must_use]
    pub fn highest(&self) -> Option<Role> {
        self.0.iter().map(|scope| scope.role).max()
    }

    /// The highest role that counts for `topic`; scopes of the group `global` count only if asked for.
    #[must_use]
    pub fn role_for(&self, topic: &Topic, count_global: bool) -> Option<Role> {
        let counts = |scope: &&Scope| match &scope.group {
            Group::Global => count_global,
            Group::Topic(own) => own == topic,
            Group::ThroughGlobal(own) => count_global && own == topic,
        };
        self.0.iter().filter(counts).map(|scope| scope.role).max()
    }

    /// What both sides grant: for every topic, and for `global`, the lower of the two roles.
    ///
    /// This is how a token and the directory combine: neither can grant what the other does not.
    #[must_use]
    pub fn intersect(&self, other: &Scopes) -> Scopes {
        let global = lower(self.global(), other.global());
        let mut both: Vec<Scope> =
            global.map(|role| Scope { group: Group::Global, role }).into_iter().collect();
        for topic in self.topics().chain(other.topics()) {
            let own = lower(self.role_for(topic, false), other.role_for(topic, false));
            let any = lower(self.role_for(topic, true), other.role_for(topic, true));
            both.extend(own.map(|role| Scope { group: Group::Topic(topic.clone()), role }));
            if any > own.max(global) {
                both.extend(
                    any.map(|role| Scope { group: Group::ThroughGlobal(topic.clone()), role }),
                );
            }
        }
        both.sort();
        both.dedup();
        Scopes(both)
    }

    fn topics(&self) -> impl Iterator<Item = &Topic> {
        self.0.iter().filter_map(|scope| match &scope.group {
            Group::Topic(topic) | Group::ThroughGlobal(topic) => Some(topic),
            Group::Global => None,
        })
    }

    fn global(&self) -> Option<Role> {
        self.0.iter().filter(|scope| scope.group == Group::Global).map(|scope| scope.role).max()
    }
}

fn lower(a: Option<Role>, b: Option<Role>) -> Option<Role> {
    Some(a?.min(b?))
}

impl From<Vec<String>> for Scopes {
    fn from(texts: Vec<String>) -> Self {
        Self::parse(texts.iter().map(String::as_str))
    }
}

impl From<Scopes> for Vec<String> {
    fn from(scopes: Scopes) -> Vec<String> {
        scopes.0.iter().map(ToString::to_string).collect()
    }
}

#[cfg(test)]
mod tests;
