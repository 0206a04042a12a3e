//! The kinds of documents that people write, and which of them a text is meant to be.

use clap::ValueEnum;
use countersign_document::{Limits, Tree, nearest};
use countersign_model_list::ModelList;
use countersign_monitor::MonitorSpec;
use countersign_profile::{DestinationFile, ProfileFile};
use countersign_schedule::ScheduleSpec;
use countersign_trigger::TriggerSpec;
use serde_json::Value;

/// A kind of document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Kind {
    /// Connectors.
    Connector,
    /// Playbooks.
    Playbook,
    /// Profiles.
    Profile,
    /// Schedules.
    Schedule,
    /// Monitors.
    Monitor,
    /// Triggers.
    Trigger,
    /// The list of models of a deployment.
    ModelList,
    /// Destinations, as profiles and the steps of playbooks hold them.
    Destination,
}

/// What a text is meant to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Guess {
    pub(super) kind: Kind,
    /// Whether the text says so itself, with the schema that it names for editors.
    pub(super) is_named: bool,
}

impl Kind {
    /// Its published schema.
    pub(super) fn schema(self) -> Value {
        match self {
            Self::Connector => countersign_connector::schema::schema(),
            Self::Playbook => countersign_playbook::schema(),
            Self::Profile => countersign_document::schema::<ProfileFile>(),
            Self::Schedule => countersign_document::schema::<ScheduleSpec>(),
            Self::Monitor => countersign_document::schema::<MonitorSpec>(),
            Self::Trigger => countersign_document::schema::<TriggerSpec>(),
            Self::ModelList => countersign_document::schema::<ModelList>(),
            Self::Destination => countersign_document::schema::<DestinationFile>(),
        }
    }

    /// Its name in commands, in messages, and of the file of its schema.
    pub(super) fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    /// The schema that the text names for editors decides, else its keys. What has none of any kind is read as a playbook.
    pub(super) fn of(text: &str) -> Guess {
        match Self::named(text) {
            Some(kind) => Guess { kind, is_named: true },
            None => Guess { kind: Self::by_keys(&keys_of(text)), is_named: false },
        }
    }

    fn named(text: &str) -> Option<Self> {
        let comments = text.lines().take_while(|line| line.starts_with('#'));
        let mut named =
            comments.filter_map(|line| line.split_once("yaml-language-server: $schema="));
        let (_, schema) = named.next()?;
        let name = schema.trim().rsplit('/').next()?.strip_suffix(".json")?;
        Self::from_str(name, false).ok()
    }

    /// The kind that has most of the keys, spelt right or nearly. A key that several kinds have says less.
    fn by_keys(written: &[String]) -> Self {
        let kinds = Self::value_variants();
        let known: Vec<Vec<String>> = kinds.iter().map(|kind| kind.keys()).collect();
        let weight = |key: &str| {
            let owners = known.iter().filter(|keys| keys.iter().any(|one| one == key)).count();
            1.0 / f64::from(u32::try_from(owners.max(1)).unwrap_or(u32::MAX))
        };
        let score = |keys: &[String]| -> f64 {
            let keys = || keys.iter().map(String::as_str);
            let meant = |key: &String| match keys().find(|one| one == key) {
                Some(same) => weight(same),
                None => nearest(key, keys()).map_or(0.0, |near| weight(near) / 2.0),
            };
            written.iter().map(meant).sum()
        };
        let scored = kinds.iter().zip(&known).map(|(kind, keys)| (*kind, score(keys)));
        let mut best = (Self::Playbook, 0.0);
        for (kind, score) in scored {
            // Of equals the playbook is meant.
            if score > best.1 || (score >= best.1 && kind == Self::Playbook) {
                best = (kind, score);
            }
        }
        best.0
    }

    /// The keys that it has at its top, whatever its type, and the one that may enclose it.
    fn keys(self) -> Vec<String> {
        let (schema, name) = (self.schema(), self.name());
        let mut keys = vec![name.clone()];
        for top in [&schema, &schema["$defs"][&name]] {
            let branches = top["allOf"].as_array().into_iter().flatten();
            for part in branches.map(|branch| &branch["then"]).chain([top]) {
                keys.extend(
                    part["properties"]
                        .as_object()
                        .into_iter()
                        .flatten()
                        .map(|(key, _)| key.clone()),
                );
            }
        }
        keys
    }
}

/// The keys at the top of a text. Of one that is not YAML, those that lines begin with.
fn keys_of(text: &str) -> Vec<String> {
    let tree = Tree::parse(text, "document", Limits::DEFAULT);
    let map = tree.as_ref().ok().and_then(|tree| tree.value.as_object());
    if let Some(map) = map {
        return map.keys().cloned().collect();
    }
    let is_key = |key: &&str| !key.is_empty() && !key.starts_with([' ', '#', '-', '\t']);
    let begins = text.lines().filter_map(|line| line.split_once(':'));
    begins.map(|(key, _)| key).filter(is_key).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum as _;

    use super::{Guess, Kind};

    #[track_caller]
    fn check(text: &str, kind: Kind, is_named: bool) {
        assert_eq!(Kind::of(text), Guess { kind, is_named }, "{text}");
    }

    #[test]
    fn k_63_a_kind_is_known_by_its_keys_even_when_they_are_misspelt() {
        check("nmae: A\ncron_expresion: 0 6 * * *\nquery: What is new?\n", Kind::Schedule, false);
        check("name: A\ntimezone: UTC\nprofile: prof_1\n", Kind::Schedule, false);
        check("name: A\nskils: []\n", Kind::Profile, false);
        check("id: a\nname: A\nsetps: []\n", Kind::Playbook, false);
        check("id: a\nname: A\nendpoint: {}\n", Kind::Connector, false);
        check("connector: {id: a}\n", Kind::Connector, false);
        check("curency: USD\nmodels: []\n", Kind::ModelList, false);
        check("type: document\nconfig: {folder_id: a}\n", Kind::Destination, false);
        check("type: chat\ntransfroms: []\n", Kind::Destination, false);
        check("{\"steps\": []}", Kind::Playbook, false);
        check("endpoints: [\n", Kind::Connector, false);
        check("cron_expression: [\n", Kind::Schedule, false);
        check("who: knows\n", Kind::Playbook, false);
        check("", Kind::Playbook, false);
    }

    #[test]
    fn the_schema_that_a_text_names_decides() {
        for kind in Kind::value_variants() {
            let named = format!("# yaml-language-server: $schema=../{}.json\n", kind.name());
            check(&format!("{named}steps: []\n"), *kind, true);
        }
        check("# yaml-language-server: $schema=other.json\nsteps: []\n", Kind::Playbook, false);
    }

    #[test]
    fn f_179_every_document_of_the_library_is_recognised_with_and_without_its_schema() {
        for (folder, kind) in [
            ("connectors", Kind::Connector),
            ("playbooks", Kind::Playbook),
            ("profiles", Kind::Profile),
            ("schedules", Kind::Schedule),
        ] {
            let path = format!("{}/../../library/{folder}", env!("CARGO_MANIFEST_DIR"));
            for file in std::fs::read_dir(path).unwrap() {
                let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
                check(&text, kind, true);
                let bare: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
                check(&bare.join("\n"), kind, false);
            }
        }
    }
}
