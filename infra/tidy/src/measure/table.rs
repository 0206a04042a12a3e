//! The figures as Markdown, beside those of an earlier commit.

use std::collections::BTreeSet;

use super::{Example, Figures};

/// How a figure is read from all of them.
type Reading = Box<dyn Fn(&Figures) -> Option<usize>>;

/// One row: a name, how to read it from the figures, and the goal as a text that may depend on the baseline.
struct Row {
    name: String,
    value: Reading,
    goal: Goal,
}

/// What a figure should be.
#[derive(Clone, Copy)]
enum Goal {
    None,
    AtMost(usize),
    /// This much below the baseline.
    Fewer(usize),
}

impl Goal {
    fn text(self, baseline: Option<usize>) -> String {
        let most = match (self, baseline) {
            (Self::AtMost(most), _) => Some(most),
            (Self::Fewer(less), Some(baseline)) => Some(baseline.saturating_sub(less)),
            _ => None,
        };
        most.map_or_else(String::new, |most| format!("≤ {}", grouped(most)))
    }
}

/// The whole report: figures, lines per crate, and what the counted things are.
#[must_use]
pub fn table(baseline: Option<&Figures>, now: &Figures) -> String {
    let mut text = head("figure", baseline.is_some(), true);
    for row in rows(now) {
        let before = baseline.map(|figures| (row.value)(figures));
        let goal = row.goal.text(before.flatten());
        text.push_str(&line(&row.name, before, (row.value)(now), Some(&goal)));
    }
    text.push('\n');
    text.push_str(&head("production lines of crate", baseline.is_some(), false));
    let crates = now.lines.keys().chain(baseline.into_iter().flat_map(|each| each.lines.keys()));
    for name in crates.collect::<BTreeSet<_>>() {
        let before = baseline.map(|figures| figures.lines.get(name).copied());
        text.push_str(&line(&format!("`{name}`"), before, now.lines.get(name).copied(), None));
    }
    text.push_str(&list("Files over 400 lines", &now.long_files));
    text.push_str(&list("Field readers", &now.field_readers));
    let circles: Vec<_> =
        now.circles.iter().map(|each| format!("{}: {}", each.len(), each.join(", "))).collect();
    text.push_str(&list("Circles", &circles));
    text
}

fn rows(now: &Figures) -> Vec<Row> {
    let row = |name: &str, value: fn(&Figures) -> usize, goal| Row {
        name: name.to_owned(),
        value: Box::new(move |figures| Some(value(figures))),
        goal,
    };
    let mut rows = vec![
        row("production lines", Figures::total, Goal::Fewer(5_000)),
        row("functions", |figures| figures.functions.count, Goal::None),
        row("lines of a function, median", |figures| figures.functions.median, Goal::None),
        row("lines of a function, 90 of 100", |figures| figures.functions.p90, Goal::None),
        row("lines of a function, most", |figures| figures.functions.max, Goal::None),
        row("files", |figures| figures.files, Goal::None),
        row("files over 400 lines", |figures| figures.long_files.len(), Goal::AtMost(0)),
        row("circles of files", |figures| figures.circles.len(), Goal::None),
        row("circles of more than 3 files", large_circles, Goal::AtMost(0)),
        row("field readers written by hand", |each| each.field_readers.len(), Goal::AtMost(0)),
        row("duplicate pairs", |figures| figures.duplicate_pairs.len(), Goal::AtMost(300)),
    ];
    for kind in now.kinds.keys() {
        rows.extend(example("the kind", kind, |figures, kind| *figures.kinds.get(kind)?, 200));
    }
    for action in now.actions.keys() {
        let of = |figures: &Figures, action: &str| *figures.actions.get(action)?;
        rows.extend(example("the action", action, of, 60));
    }
    rows
}

fn large_circles(figures: &Figures) -> usize {
    figures.circles.iter().filter(|circle| circle.len() > 3).count()
}

fn example(
    what: &str,
    name: &str,
    of: fn(&Figures, &str) -> Option<Example>,
    most: usize,
) -> [Row; 2] {
    let row = |text: String, part: fn(Example) -> usize, goal| {
        let name = name.to_owned();
        Row { name: text, value: Box::new(move |figures| of(figures, &name).map(part)), goal }
    };
    [
        row(format!("lines of {what} `{name}`"), |each| each.own, Goal::AtMost(most)),
        row(format!("lines elsewhere that name `{name}`"), |each| each.elsewhere, Goal::None),
    ]
}

fn head(what: &str, has_baseline: bool, has_goal: bool) -> String {
    let before = if has_baseline { " baseline |" } else { "" };
    let goal = if has_goal { " goal |" } else { "" };
    let columns = 1 + usize::from(has_baseline) + usize::from(has_goal);
    format!("| {what} |{before} now |{goal}\n|---|{}\n", "---:|".repeat(columns))
}

fn line(
    name: &str,
    before: Option<Option<usize>>,
    now: Option<usize>,
    goal: Option<&str>,
) -> String {
    let cell = |value: Option<usize>| value.map_or_else(|| "-".to_owned(), grouped);
    let before = before.map_or_else(String::new, |before| format!(" {} |", cell(before)));
    let goal = goal.map_or_else(String::new, |goal| format!(" {goal} |"));
    format!("| {name} |{before} {} |{goal}\n", cell(now))
}

fn list(what: &str, items: &[String]) -> String {
    let items: String = items.iter().map(|item| format!("- {item}\n")).collect();
    if items.is_empty() { String::new() } else { format!("\n{what}:\n\n{items}") }
}

/// A number with a comma between thousands.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (nth, digit) in digits.chars().enumerate() {
        if nth > 0 && (digits.len() - nth).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::{Example, Figures, Lengths};
    use super::{grouped, table};
    use std::collections::BTreeMap;

    fn figures(lines: usize, pairs: usize, schedule: Option<usize>) -> Figures {
        let example = schedule.map(|own| Example { own, elsewhere: 2 });
        Figures {
            lines: BTreeMap::from([("plan".to_owned(), lines)]),
            functions: Lengths { count: 1, median: 2, p90: 3, max: 4 },
            files: 1,
            long_files: vec!["a.rs".to_owned()],
            circles: vec![vec!["a.rs".to_owned(), "b.rs".to_owned()]],
            field_readers: vec![],
            duplicate_pairs: vec![Default::default(); pairs],
            kinds: BTreeMap::from([("schedule".to_owned(), example)]),
            actions: BTreeMap::new(),
        }
    }

    #[test]
    fn a_table_compares_with_the_baseline() {
        let text = table(Some(&figures(60_000, 637, None)), &figures(54_321, 299, Some(180)));
        for row in [
            "| figure | baseline | now | goal |\n|---|---:|---:|---:|\n",
            "| production lines | 60,000 | 54,321 | ≤ 55,000 |\n",
            "| duplicate pairs | 637 | 299 | ≤ 300 |\n",
            "| lines of the kind `schedule` | - | 180 | ≤ 200 |\n",
            "| `plan` | 60,000 | 54,321 |\n",
            "\nCircles:\n\n- 2: a.rs, b.rs\n",
        ] {
            assert!(text.contains(row), "{row}\n{text}");
        }
        assert!(!text.contains("Field readers:"));
    }

    #[test]
    fn a_table_alone_has_one_column() {
        let text = table(None, &figures(54_321, 299, None));
        assert!(text.starts_with(
            "| figure | now | goal |\n|---|---:|---:|\n| production lines | 54,321 |  |\n"
        ));
    }

    #[test]
    fn thousands_are_grouped() {
        assert_eq!([7, 999, 1_000, 1_234_567].map(grouped), ["7", "999", "1,000", "1,234,567"]);
    }
}
