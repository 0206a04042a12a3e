//! Blocking: only names that sound alike, begin alike or share an id are ever compared, so that the work grows with
//! the number of names and not with its square.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::LazyLock;

use rphonetic::{DoubleMetaphone, DoubleMetaphoneResult};

use super::compared::Compared;
use crate::compare::Reading;
use crate::gazetteer::is_organisation_word;
use crate::model::{EntityType, ExternalId};
use crate::nicknames;
use crate::organisation::OrganisationName;
use crate::person::PersonName;

static METAPHONE: LazyLock<DoubleMetaphone> = LazyLock::new(|| DoubleMetaphone::new(Some(6)));

/// The most keys one name is filed under.
pub const MAX_KEYS: usize = 24;

/// In a block larger than this a name is compared with its [`WINDOW`] next neighbours in sorted order only.
const LARGE_BLOCK: usize = 1_500;
const WINDOW: usize = 300;

/// The keys a name of this kind is filed and looked up under. Two names without a common key are never compared.
#[must_use]
pub fn block_keys(name: &str, kind: &EntityType) -> BTreeSet<String> {
    reading_keys(&Reading::of(name, kind), kind)
}

fn reading_keys(reading: &Reading, kind: &EntityType) -> BTreeSet<String> {
    let keys = match reading {
        Reading::Person(name) => person_keys(name),
        Reading::Organisation(name) => organisation_keys(name),
        Reading::Plain(text) => plain_keys(text),
    };
    keys.into_iter().take(MAX_KEYS).map(|key| format!("{kind}:{key}")).collect()
}

/// Every key an entity with these names and ids is filed and looked up under.
#[must_use]
pub fn lookup_keys<'a>(
    names: impl Iterator<Item = &'a str>,
    kind: &EntityType,
    ids: &BTreeSet<ExternalId>,
) -> BTreeSet<String> {
    names
        .flat_map(|name| block_keys(name, kind))
        .chain(ids.iter().map(|id| id_key(kind, id)))
        .collect()
}

/// The key an external id is filed under.
#[must_use]
pub fn id_key(kind: &EntityType, id: &ExternalId) -> String {
    format!("{kind}:x:{}:{}", id.scheme, id.value)
}

fn subject_keys(subject: &Compared) -> BTreeSet<String> {
    let names = subject.readings.iter().flat_map(|reading| reading_keys(reading, &subject.kind));
    names.chain(subject.ids.iter().map(|id| id_key(&subject.kind, id))).collect()
}

fn person_keys(name: &PersonName) -> BTreeSet<String> {
    let mut keys = BTreeSet::new();
    let initials = person_initials(name);
    let joined = name.surname.replace(' ', "");
    let parts = name.surname.split(' ').filter(|part| part.len() > 3);
    for part in std::iter::once(joined.as_str()).chain(parts) {
        let prefix: String = part.chars().take(4).collect();
        for sound in sounds(part).into_iter().map(|s| format!("s{s}")).chain([format!("p{prefix}")])
        {
            keys.extend(initials.iter().map(|initial| format!("{sound}:{initial}")));
        }
    }
    keys
}

/// The letters a person may be listed under: given, nickname's full form, and a middle name one may go by.
fn person_initials(name: &PersonName) -> BTreeSet<char> {
    if name.given.is_empty() {
        return BTreeSet::from(['*']);
    }
    let mut initials: BTreeSet<char> = nicknames::initials(&name.given).into_iter().collect();
    let by_middle = name.middles.first().filter(|middle| middle.len() > 1);
    initials.extend(by_middle.into_iter().flat_map(|middle| nicknames::initials(middle)));
    initials.extend(name.nickname.as_deref().and_then(|nick| nick.chars().next()));
    initials
}

fn organisation_keys(name: &OrganisationName) -> BTreeSet<String> {
    let weighty = |w: &&String| {
        w.len() > 2 && !is_organisation_word(w) && !matches!(w.as_str(), "FOR" | "THE")
    };
    let mut telling: Vec<&String> = name.words.iter().filter(weighty).collect();
    if telling.is_empty() {
        telling = name.words.iter().collect();
    }
    let mut keys: BTreeSet<String> =
        telling.iter().take(6).flat_map(|word| sounds(word)).map(|s| format!("w{s}")).collect();
    let joined: String = name.words.concat();
    keys.insert(format!("p{}", joined.chars().take(6).collect::<String>()));
    if name.words.len() == 1 {
        keys.insert(format!("a{joined}"));
    } else if name.words.len() > 2 {
        keys.insert(format!("a{}", name.acronym()));
    }
    keys
}

fn plain_keys(text: &str) -> BTreeSet<String> {
    text.split(' ')
        .filter(|w| !w.is_empty())
        .take(4)
        .flat_map(sounds)
        .map(|s| format!("w{s}"))
        .collect()
}

/// Double Metaphone, both codes; a word without any (digits) stands for itself.
fn sounds(word: &str) -> BTreeSet<String> {
    // The algorithm reads letters only and is asked nothing else.
    let letters: String = word.chars().filter(char::is_ascii_uppercase).take(40).collect();
    let codes: DoubleMetaphoneResult = METAPHONE.double_metaphone(&letters);
    let codes: BTreeSet<String> =
        [codes.primary(), codes.alternate()].into_iter().filter(|code| !code.is_empty()).collect();
    if codes.is_empty() { BTreeSet::from([word.to_owned()]) } else { codes }
}

/// Subjects filed under their keys.
pub(crate) struct Blocks {
    blocks: BTreeMap<String, u32>,
    members: Vec<Vec<u32>>,
    keys_of: Vec<Vec<u32>>,
}

impl Blocks {
    pub(crate) fn of<'a>(subjects: impl Iterator<Item = &'a Compared>) -> Self {
        let mut filed = Self { blocks: BTreeMap::new(), members: Vec::new(), keys_of: Vec::new() };
        for (index, subject) in subjects.enumerate() {
            let mut keys: Vec<u32> =
                subject_keys(subject).into_iter().map(|key| filed.block(key)).collect();
            keys.sort_unstable();
            for key in &keys {
                filed.members[*key as usize].push(index as u32);
            }
            filed.keys_of.push(keys);
        }
        filed
    }

    fn block(&mut self, key: String) -> u32 {
        let next = self.members.len() as u32;
        let number = *self.blocks.entry(key).or_insert(next);
        if number == next {
            self.members.push(Vec::new());
        }
        number
    }

    /// Calls back for every pair in every key that it shares, the smaller index first, until the answer is to stop. The last
    /// argument is true once for each pair.
    pub(crate) fn each_pair(
        &self,
        mut visit: impl FnMut(usize, usize, bool) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        for (number, members) in self.members.iter().enumerate() {
            let window = if members.len() > LARGE_BLOCK { WINDOW } else { members.len() };
            for (place, a) in members.iter().enumerate() {
                for b in members[place + 1..].iter().take(window) {
                    let is_first = self.first_common(*a, *b) == Some(number as u32);
                    visit(*a as usize, *b as usize, is_first)?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// The members that share a key with a subject that is not filed here, ascending.
    pub(crate) fn candidates(&self, subject: &Compared) -> Vec<usize> {
        let numbers =
            subject_keys(subject).into_iter().filter_map(|key| self.blocks.get(&key).copied());
        let found: BTreeSet<usize> = numbers
            .flat_map(|number| &self.members[number as usize])
            .map(|m| *m as usize)
            .collect();
        found.into_iter().collect()
    }

    /// The first block both stand in: where the pair is visited, so that it is visited once. A large block visits only
    /// neighbours, so a smaller common one is preferred.
    fn first_common(&self, a: u32, b: u32) -> Option<u32> {
        let (left, right) = (&self.keys_of[a as usize], &self.keys_of[b as usize]);
        let common = left.iter().filter(|key| right.binary_search(key).is_ok());
        common.copied().min_by_key(|key| (self.members[*key as usize].len() > LARGE_BLOCK, *key))
    }
}
