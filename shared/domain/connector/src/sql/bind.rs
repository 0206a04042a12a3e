//! Named parameters become numbered ones; nothing else of the statement changes.

use sqlparser::tokenizer::{Location, Token, TokenWithSpan};

use super::{SqlError, tokens};

/// A statement with `$1`, `$2`, …, and the names of the parameters that stand there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Numbered {
    pub(crate) sql: String,
    pub(crate) binds: Vec<String>,
}

/// Where a parameter is used.
struct Use<'t> {
    name: &'t str,
    from: Location,
    to: Location,
}

/// Replaces `:name` by the number of that parameter. Strings, comments, quoted names, dollar quotes and casts are tokens
/// of their own and stay as they are. A statement with `$1` keeps it: the first declared parameter.
pub(crate) fn numbered(text: &str, declared: &[&str]) -> Result<Numbered, SqlError> {
    let tokens = tokens(text)?;
    let named = named(&tokens, declared)?;
    let used = positional(&tokens, declared.len())?;
    if let (Some(first), false) = (named.first(), used.is_empty()) {
        return Err(SqlError::at(first.from, "use either `:name` or `$1`, not both"));
    }
    let mut binds: Vec<String> = Vec::new();
    if named.is_empty() {
        binds = declared.iter().map(|name| (*name).to_owned()).collect();
    } else {
        for found in &named {
            if !binds.iter().any(|known| known == found.name) {
                binds.push(found.name.to_owned());
            }
        }
    }
    let unused = declared.iter().enumerate().find(|(index, name)| {
        if named.is_empty() {
            !used.contains(&(index + 1))
        } else {
            !binds.iter().any(|known| known == *name)
        }
    });
    if let Some((_, name)) = unused {
        let message = format!("the parameter `{name}` is declared and not used");
        return Err(SqlError { message, line: 1, column: 1 });
    }
    let sql = replaced(text, &named, &binds);
    Ok(Numbered { sql, binds })
}

fn named<'t>(tokens: &'t [TokenWithSpan], declared: &[&str]) -> Result<Vec<Use<'t>>, SqlError> {
    let mut uses = Vec::new();
    let before = std::iter::once(None).chain(tokens.iter().map(Some));
    for ((colon, next), before) in tokens.iter().zip(tokens.iter().skip(1)).zip(before) {
        let (Token::Colon, Token::Word(word)) = (&colon.token, &next.token) else { continue };
        if word.quote_style.is_some() || before.is_some_and(|before| ends_value(&before.token)) {
            continue;
        }
        if !declared.contains(&word.value.as_str()) {
            let message = format!(
                "`:{}` is not a parameter of this endpoint; in an array slice, put a space after the colon",
                word.value
            );
            return Err(SqlError::at(colon.span.start, message));
        }
        uses.push(Use { name: &word.value, from: colon.span.start, to: next.span.end });
    }
    Ok(uses)
}

/// Whether a colon right after it belongs to the slice of an array, as in `a[1:n]`.
fn ends_value(token: &Token) -> bool {
    matches!(token, Token::Number(..) | Token::Word(_) | Token::RParen | Token::RBracket)
}

/// The numbers of `$1`, `$2`, … in the statement.
fn positional(tokens: &[TokenWithSpan], declared: usize) -> Result<Vec<usize>, SqlError> {
    let mut used = Vec::new();
    for found in tokens {
        let Token::Placeholder(text) = &found.token else { continue };
        let Some(digits) = text.strip_prefix('$') else { continue };
        match digits.parse() {
            Ok(number) if (1..=declared).contains(&number) => used.push(number),
            _ => {
                let message =
                    format!("`{text}` is not a parameter: the endpoint declares {declared}");
                return Err(SqlError::at(found.span.start, message));
            }
        }
    }
    Ok(used)
}

fn replaced(text: &str, uses: &[Use<'_>], binds: &[String]) -> String {
    let mut sql = String::with_capacity(text.len());
    let mut done = 0;
    for found in uses {
        let number = binds.iter().position(|name| name == found.name).map_or(0, |index| index + 1);
        sql.push_str(&text[done..offset(text, found.from)]);
        sql.push_str(&format!("${number}"));
        done = offset(text, found.to);
    }
    sql.push_str(&text[done..]);
    sql
}

/// The byte at which a place of the tokenizer begins.
fn offset(text: &str, place: Location) -> usize {
    let line = usize::try_from(place.line).unwrap_or(1).saturating_sub(1);
    let column = usize::try_from(place.column).unwrap_or(1).saturating_sub(1);
    let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    let rest = &text[start..];
    start + rest.char_indices().nth(column).map_or(rest.len(), |(byte, _)| byte)
}
