//! The question of a schedule and its variables (F-203).

use jiff::civil::Date;

/// The variables of a query.
const VARIABLES: [&str; 2] = ["date", "last_run_date"];

/// The question as it is asked on a day; `last` is the day of the last run that succeeded, or of the schedule's beginning.
#[must_use]
pub fn asked(template: &str, day: Date, last: Date) -> String {
    let [date, last_run_date] = VARIABLES.map(|name| format!("{{{name}}}"));
    template.replace(&date, &day.to_string()).replace(&last_run_date, &last.to_string())
}

/// What stands between braces in a query and is not one of its variables.
pub(crate) fn unknown(template: &str) -> impl Iterator<Item = &str> {
    let parts = template.split('{').skip(1).filter_map(|part| part.split_once('}'));
    parts.map(|(name, _)| name).filter(|name| !VARIABLES.contains(name))
}

/// The first brace without the other one, and its byte.
pub(crate) fn unpaired(template: &str) -> Option<(usize, char)> {
    let mut open = None;
    for (at, brace) in template.char_indices().filter(|(_, c)| matches!(c, '{' | '}')) {
        match (brace, open) {
            ('{', None) => open = Some(at),
            ('{', Some(before)) => return Some((before, '{')),
            (_, Some(_)) => open = None,
            (_, None) => return Some((at, '}')),
        }
    }
    open.map(|at| (at, '{'))
}
