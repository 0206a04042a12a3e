//! A list of to-dos as an org-mode text.

use std::fmt::Write as _;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::todo::Todo;
use crate::words::Day;

/// The text of a list: one heading a to-do, with its planning line, its id, its body and its notes. What people wrote
/// cannot become a heading, a tag or a priority of its own.
#[must_use]
pub fn org<'t>(todos: impl IntoIterator<Item = &'t Todo>) -> String {
    let mut text = String::new();
    todos.into_iter().for_each(|todo| entry(&mut text, todo));
    text
}

fn entry(text: &mut String, todo: &Todo) {
    let priority = todo.priority.map(|priority| format!("[#{priority:?}] ")).unwrap_or_default();
    let tags: Vec<&str> = todo.tags.iter().map(AsRef::as_ref).collect();
    let tags = if tags.is_empty() { String::new() } else { format!(" :{}:", tags.join(":")) };
    // Writing to a string cannot fail.
    let _ = writeln!(text, "* {} {priority}{}{tags}", todo.state.as_str(), plain(&todo.title));
    let planning: Vec<String> = [
        todo.completed_at.map(|at| format!("CLOSED: {}", moment(at))),
        todo.deadline.as_ref().map(|day| format!("DEADLINE: {}", date(day))),
        todo.scheduled.as_ref().map(|day| format!("SCHEDULED: {}", date(day))),
    ]
    .into_iter()
    .flatten()
    .collect();
    if !planning.is_empty() {
        let _ = writeln!(text, "{}", planning.join(" "));
    }
    let _ = writeln!(text, ":PROPERTIES:\n:ID: {}\n:END:", todo.id);
    indented(text, &todo.body, "  ");
    for note in &todo.notes {
        let _ = writeln!(text, "  - Note taken on {} \\\\", moment(note.at));
        indented(text, &note.text, "    ");
    }
}

/// A heading begins at the edge, so what is indented is not one.
fn indented(text: &mut String, lines: &str, by: &str) {
    for line in lines.lines() {
        let line = if line.trim().is_empty() { String::new() } else { format!("{by}{line}") };
        let _ = writeln!(text, "{line}");
    }
}

/// Org's own mark to separate what would mean something: a space without width.
const APART: char = '\u{200b}';

/// The title, which is not a priority, a comment or tags even if it looks like one.
fn plain(title: &str) -> String {
    let looks_like_more = title.starts_with("[#") || title.split(' ').next() == Some("COMMENT");
    let before = looks_like_more.then_some(APART).map(String::from).unwrap_or_default();
    let after = title.ends_with(':').then_some(APART).map(String::from).unwrap_or_default();
    format!("{before}{title}{after}")
}

fn date(day: &Day) -> String {
    let with_weekday = |date: jiff::civil::Date| date.strftime("<%Y-%m-%d %a>").to_string();
    day.date().map_or_else(|| format!("<{day}>"), with_weekday)
}

fn moment(at: Timestamp) -> String {
    at.to_zoned(TimeZone::UTC).strftime("[%Y-%m-%d %a %H:%M]").to_string()
}

#[cfg(test)]
pub(crate) mod tests {
    use countersign_identity::UserId;
    use proptest::prelude::*;

    use super::*;
    use crate::todo::{Note, Priority, State, TodoId};
    use crate::words::{ListName, Tag};

    pub(crate) fn at(minute: i64) -> Timestamp {
        Timestamp::from_second(1_795_600_800 + minute * 60).unwrap()
    }

    pub(crate) fn todo(title: &str) -> Todo {
        Todo {
            id: TodoId::from_bytes([7; 16]),
            owner: UserId::from_bytes([1; 16]),
            title: title.to_owned(),
            body: String::new(),
            state: State::Todo,
            priority: None,
            deadline: None,
            scheduled: None,
            tags: Vec::new(),
            file: ListName::default(),
            notes: Vec::new(),
            run: None,
            created_at: at(0),
            updated_at: at(0),
            completed_at: None,
            version: 0,
        }
    }

    #[test]
    fn f_075_a_list_reads_as_org_mode() {
        let full = Todo {
            state: State::Done,
            priority: Some(Priority::A),
            tags: vec!["home".parse().unwrap(), "work".parse().unwrap()],
            deadline: Some("2026-11-30".parse().unwrap()),
            scheduled: Some("2026-11-25".parse().unwrap()),
            completed_at: Some(at(0)),
            body: "Number in the file\n\n* not a heading".to_owned(),
            notes: vec![Note { at: at(1), text: "rang\ntwice".to_owned() }],
            ..todo("Call Bo")
        };
        let expect = "\
* DONE [#A] Call Bo :home:work:
CLOSED: [2026-11-25 Wed 10:00] DEADLINE: <2026-11-30 Mon> SCHEDULED: <2026-11-25 Wed>
:PROPERTIES:
:ID: todo_07070707070707070707070707070707
:END:
  Number in the file

  * not a heading
  - Note taken on [2026-11-25 Wed 10:01] \\\\
    rang
    twice
* TODO \u{200b}[#B] buy :now:\u{200b}
:PROPERTIES:
:ID: todo_07070707070707070707070707070707
:END:
";
        assert_eq!(org([&full, &todo("[#B] buy :now:")]), expect);
    }

    /// What a reader of org finds in a heading: state, title, tags.
    fn heading(line: &str) -> (String, String, Vec<String>) {
        let (state, mut rest) = line.strip_prefix("* ").unwrap().split_once(' ').unwrap();
        let mut tags = Vec::new();
        if rest.ends_with(':')
            && let Some((title, all)) = rest.rsplit_once(" :")
        {
            tags = all.trim_end_matches(':').split(':').map(str::to_owned).collect();
            rest = title;
        }
        (state.to_owned(), rest.trim_matches(APART).to_owned(), tags)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        #[test]
        fn f_075_every_to_do_is_one_heading_with_its_own_title_and_tags(
            all in prop::collection::vec(
                ("[a-z:*#\\[\\]][ a-zA-Z:*#\\[\\]]{0,12}[a-z:\\]]", "[ *:#a-z\n]{0,40}", prop::collection::btree_set("[a-z@]{1,5}", 0..3)),
                0..6,
            )
        ) {
            let made: Vec<Todo> = all.iter().map(|(title, body, tags)| Todo {
                body: body.clone(),
                tags: tags.iter().map(|tag| tag.parse::<Tag>().unwrap()).collect(),
                ..todo(title)
            }).collect();
            let text = org(&made);
            let found: Vec<_> = text.lines().filter(|line| line.starts_with('*')).map(heading).collect();
            prop_assert_eq!(found.len(), made.len());
            for ((state, title, tags), (meant, _, of)) in found.into_iter().zip(&all) {
                prop_assert_eq!(state, "TODO");
                prop_assert_eq!(&title, meant);
                prop_assert_eq!(tags, of.iter().cloned().collect::<Vec<_>>());
            }
        }
    }
}
