//! Somebody hears of every alarm: each goes to the topic of the operator, and `docs/deploying.md` says what it means.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::json;

use crate::project::Project;

/// The document with the table of the alarms, and the heading above it.
const DOCUMENT: &str = "docs/deploying.md";
const HEADING: &str = "## Alarms";
/// Where an alarm says to whom it goes, and that it is over.
const ACTIONS: [&str; 2] = ["AlarmActions", "OKActions"];

/// Alarms that go to nobody, and those that are not documented, or are and do not exist.
#[must_use]
pub fn broken(project: &Project) -> Vec<String> {
    let is_alarm = |kind: &str| kind == "AWS::CloudWatch::Alarm";
    let alarms = || project.resources().filter(|(_, kind, _)| is_alarm(kind));
    // `!If [HasAlarmTopic, [!Ref AlarmTopic], !Ref AWS::NoValue]`
    let to_topic = json!(["HasAlarmTopic", ["AlarmTopic"], "AWS::NoValue"]);
    let mut broken = Vec::new();
    for (name, _, alarm) in alarms() {
        let others = ACTIONS.iter().filter(|action| alarm[**action] != to_topic);
        broken.extend(others.map(|action| format!("`{action}` of `{name}` is not `AlarmTopic`")));
    }
    let Some(text) = project.text(Path::new(DOCUMENT)) else { return broken };
    let set: BTreeSet<&str> = alarms().map(|(name, ..)| name).collect();
    let said = documented(&text);
    broken.extend(
        set.difference(&said).map(|name| format!("{DOCUMENT} does not say what `{name}` means")),
    );
    broken.extend(
        said.difference(&set).map(|name| format!("{DOCUMENT} has `{name}`, which is not an alarm")),
    );
    broken
}

/// The first cells of the table.
fn documented(text: &str) -> BTreeSet<&str> {
    let section = text.split_once(HEADING).map_or("", |(_, section)| section);
    let section = section.split("\n## ").next().unwrap_or_default();
    section.lines().filter_map(|line| Some(line.strip_prefix("| `")?.split_once('`')?.0)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[track_caller]
    fn check(alarm: &Value, expect: &[&str]) {
        let template = json!({ "Resources": {
            "Late": { "Type": "AWS::CloudWatch::Alarm", "Properties": alarm },
            "Queue": { "Type": "AWS::SQS::Queue", "Properties": {} },
        } });
        assert_eq!(broken(&Project { template, ..Project::default() }), expect, "{alarm}");
    }

    #[test]
    fn an_alarm_goes_to_the_topic() {
        let topic = json!(["HasAlarmTopic", ["AlarmTopic"], "AWS::NoValue"]);
        check(&json!({ "AlarmActions": topic, "OKActions": topic }), &[]);
        check(&json!({ "AlarmActions": topic }), &["`OKActions` of `Late` is not `AlarmTopic`"]);
        let other = json!({ "AlarmActions": ["Other"], "OKActions": topic });
        check(&other, &["`AlarmActions` of `Late` is not `AlarmTopic`"]);
    }

    #[test]
    fn the_table_has_the_names_of_alarms() {
        let text = "# A\n## Alarms\n\n| alarm | |\n|---|---|\n| `Late` | it `is` late |\n\n## B\n| `Other` | |\n";
        assert_eq!(documented(text), BTreeSet::from(["Late"]));
        assert_eq!(documented("# A"), BTreeSet::new());
    }
}
