//! Which delimiter a file has, by its first rows.

use countersign_connector::{Reading, TableRules};

use super::last_number;
use crate::error::FormatError;

/// Delimiters that are looked for, the usual one first.
const DELIMITERS: [char; 4] = [',', ';', '\t', '|'];
/// Rows that are looked at.
const ROWS: usize = 5;

/// How a delimiter occurs in the first rows.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    mark: char,
    in_first: bool,
    /// The fewest in one row, and all of them: more of the first counts more.
    score: (usize, usize),
    /// Whether it is a comma, and a row has it between digits only, where it may be part of numbers.
    is_in_numbers: bool,
}

/// The delimiter that is in each of the first rows, most often; without any a comma, or a semicolon where numbers have a decimal comma.
pub(super) fn detect(head: &str, rules: &TableRules) -> Result<char, FormatError> {
    let skipped = rules.header_row.unwrap_or(1) as usize - 1;
    let lines = head.lines().filter(|line| !line.trim().is_empty()).skip(skipped);
    let lines: Vec<&str> = lines.take(ROWS).collect();
    let candidates = possible(&lines, rules);
    let Some(best) = candidates.iter().rev().max_by_key(|one| one.score).copied() else {
        return none(&lines, rules);
    };
    // Under a header that has neither, a row with more cells than the header is reported.
    let is_plain = best.in_first || rules.header_row.is_none();
    let mut others = candidates.iter().filter(|one| one.mark != best.mark);
    match others.find(|other| is_plain && may_be_either(&best, other)) {
        None => Ok(best.mark),
        Some(other) => Err(FormatError::Delimiter(format!(
            "{} and {} both separate the first rows into cells",
            shown(best.mark),
            shown(other.mark)
        ))),
    }
}

/// The candidates that remain: those of the header where it has any, and no mark of the locale's numbers where another separates.
fn possible(lines: &[&str], rules: &TableRules) -> Vec<Candidate> {
    let all = DELIMITERS.map(|mark| candidate(mark, lines, &rules.reading));
    let mut found: Vec<Candidate> = all.into_iter().filter(|one| one.score.1 > 0).collect();
    if rules.header_row.is_some() && found.iter().any(|one| one.in_first) {
        found.retain(|one| one.in_first);
    }
    let is_number = |one: &Candidate| one.is_in_numbers && rules.reading.is_number_mark(one.mark);
    if found.iter().any(|one| one.score.0 > 0 && !is_number(one)) {
        found.retain(|one| !is_number(one));
    }
    found
}

/// Whether two candidates occur as often, or in each row and one of them perhaps in numbers.
fn may_be_either(one: &Candidate, other: &Candidate) -> bool {
    let in_each = one.score.0 > 0 && other.score.0 > 0;
    one.score == other.score || in_each && (one.is_in_numbers || other.is_in_numbers)
}

fn candidate(mark: char, lines: &[&str], reading: &Reading) -> Candidate {
    let counts: Vec<Count> = lines.iter().map(|line| count(mark, line)).collect();
    let is_decimal = reading.is_decimal_mark(mark);
    let own = |count: &Count| if is_decimal { count.all - count.in_numbers } else { count.all };
    let score =
        (counts.iter().map(own).min().unwrap_or_default(), counts.iter().map(own).sum::<usize>());
    Candidate {
        mark,
        in_first: counts.first().is_some_and(|count| own(count) > 0),
        score,
        is_in_numbers: mark == ','
            && counts.iter().any(|count| count.all > 0 && count.all == count.in_numbers),
    }
}

/// How often a mark is outside quotes in a line.
#[derive(Debug, Clone, Copy, Default)]
struct Count {
    all: usize,
    /// Between two digits.
    in_numbers: usize,
}

fn count(mark: char, line: &str) -> Count {
    let mut count = Count::default();
    let (mut is_quoted, mut before) = (false, ' ');
    let mut rest = line.chars();
    while let Some(c) = rest.next() {
        is_quoted ^= c == '"';
        if !is_quoted && c == mark {
            let after = rest.clone().next().unwrap_or(' ');
            count.all += 1;
            count.in_numbers += usize::from(before.is_ascii_digit() && after.is_ascii_digit());
        }
        before = c;
    }
    count
}

/// What is taken where no delimiter is found: a file of one column.
fn none(lines: &[&str], rules: &TableRules) -> Result<char, FormatError> {
    if !rules.reading.is_decimal_mark(',') {
        return Ok(',');
    }
    let has_comma = lines.iter().any(|line| count(',', line).all > 0);
    if rules.header_row.is_none() && has_comma && last_number(rules) > 1 {
        return Err(FormatError::Delimiter(
            "a comma separates cells, or is the decimal mark of the endpoint's `locale`".into(),
        ));
    }
    Ok(';')
}

fn shown(mark: char) -> String {
    if mark == '\t' { "a tab".into() } else { format!("`{mark}`") }
}
