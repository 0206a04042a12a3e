//! SQL, held to one statement that reads before a database sees it (K-40).
//!
//! This is the first of two locks: the statement runs in a transaction that only reads, and there the database itself
//! refuses what a look at the words cannot see, such as a function with an effect.

mod bind;
mod columns;
mod server;

use std::fmt;

use countersign_failure::Failure;
use serde::{Deserialize, Serialize};
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::parser::Parser;
use sqlparser::tokenizer::{Location, Token, TokenWithSpan, Tokenizer};

pub(crate) use bind::numbered;
pub use columns::fit;
pub use server::Server;

/// The longest statement.
const MAX_BYTES: usize = 32 * 1024;
/// The syntax of longer ones is left to the database: the parser's work grows with the nesting.
const CHECKED_TOKENS: usize = 600;

/// Why a text is not a statement that may be run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Failure)]
#[error("line {line}, column {column} of the statement: {message}")]
#[failure(code = "DATABASE_STATEMENT", status = 422)]
pub struct SqlError {
    /// What is wrong.
    pub message: String,
    /// Where, from 1.
    pub line: u64,
    /// The character in the line, from 1.
    pub column: u64,
}

impl SqlError {
    fn at(location: Location, message: impl Into<String>) -> Self {
        // The tokenizer says line 0 when it knows no place.
        let (line, column) = (location.line.max(1), location.column.max(1));
        Self { message: message.into(), line, column }
    }
}

/// One statement that reads: `SELECT`, `WITH … SELECT`, `VALUES` or `TABLE`, without a lock, a target or another statement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ReadStatement(String);

impl ReadStatement {
    /// Reads a statement.
    ///
    /// # Errors
    /// [`SqlError`] with the place of what may not be run.
    pub fn parse(text: &str) -> Result<Self, SqlError> {
        check(&significant(text)?)?;
        Ok(Self(text.trim().to_owned()))
    }

    /// The statement.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What looks wrong in its syntax; `None` when nothing does. The database knows more than this parser does.
    #[must_use]
    pub(crate) fn doubt(&self) -> Option<String> {
        let tokens = tokens(&self.0).ok()?;
        if tokens.len() > CHECKED_TOKENS {
            return None;
        }
        let dialect = PostgreSqlDialect {};
        let mut parser = Parser::new(&dialect).with_tokens_with_locations(tokens);
        parser.parse_statements().err().map(|error| plain(&error.to_string()))
    }
}

/// `sql parser error: Expected: an expression, found: EOF at Line: 1, Column: 8` as `expected an expression, but the statement
/// ends (line 1, column 8)`.
fn plain(message: &str) -> String {
    let message = message.strip_prefix("sql parser error: ").unwrap_or(message);
    let (said, place) = match message.split_once(" at Line: ") {
        Some((said, place)) => {
            (said, format!(" (line {})", place.replace(", Column: ", ", column ")))
        }
        None => (message, String::new()),
    };
    let wanted = said.strip_prefix("Expected: ").or_else(|| said.strip_prefix("Expected "));
    let told = match wanted.and_then(|rest| rest.rsplit_once(", found: ")) {
        Some((wanted, "EOF")) => format!("expected {wanted}, but the statement ends"),
        Some((wanted, found)) => format!("expected {wanted}, found `{found}`"),
        None => said.to_owned(),
    };
    told + &place
}

impl TryFrom<String> for ReadStatement {
    type Error = SqlError;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
    }
}

impl From<ReadStatement> for String {
    fn from(statement: ReadStatement) -> Self {
        statement.0
    }
}

impl fmt::Display for ReadStatement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The tokens of PostgreSQL's dialect, strings and comments among them as what they are.
fn tokens(text: &str) -> Result<Vec<TokenWithSpan>, SqlError> {
    if text.len() > MAX_BYTES {
        let message = format!("a statement has at most {MAX_BYTES} bytes");
        return Err(SqlError { message, line: 1, column: 1 });
    }
    let dialect = PostgreSqlDialect {};
    let mut tokenizer = Tokenizer::new(&dialect, text).with_unescape(false);
    tokenizer.tokenize_with_location().map_err(|error| SqlError::at(error.location, error.message))
}

/// The tokens without white space and comments.
fn significant(text: &str) -> Result<Vec<TokenWithSpan>, SqlError> {
    let all = tokens(text)?.into_iter();
    Ok(all.filter(|found| !matches!(found.token, Token::Whitespace(_) | Token::EOF)).collect())
}

/// Words that make a statement, or a part of one, write. As names they stand in double quotes.
const WRITING: [&str; 5] = ["insert", "update", "delete", "merge", "into"];
/// What a statement that reads begins with.
const READING: [&str; 4] = ["select", "with", "values", "table"];

fn check(tokens: &[TokenWithSpan]) -> Result<(), SqlError> {
    let Some(first) = tokens.iter().find(|found| found.token != Token::LParen) else {
        return Err(SqlError { message: "there is no statement".to_owned(), line: 1, column: 1 });
    };
    if !word(first).is_some_and(|word| READING.contains(&word.as_str())) {
        let message = format!(
            "`{}` does not read: a statement begins with SELECT, WITH, VALUES or TABLE",
            shown(first)
        );
        return Err(SqlError::at(first.span.start, message));
    }
    for (found, next) in tokens.iter().zip(tokens.iter().skip(1).map(Some).chain([None])) {
        allowed(found, next)?;
    }
    Ok(())
}

fn allowed(found: &TokenWithSpan, next: Option<&TokenWithSpan>) -> Result<(), SqlError> {
    let refuse = |message: String| Err(SqlError::at(found.span.start, message));
    if found.token == Token::SemiColon && next.is_some_and(|next| next.token != Token::SemiColon) {
        return refuse("only one statement can be run".to_owned());
    }
    let Some(word) = word(found) else { return Ok(()) };
    if word == "for" && next.and_then(self::word).is_some_and(|next| locks(&next)) {
        return refuse("a statement that reads takes no locks: remove `FOR …`".to_owned());
    }
    if WRITING.contains(&word.as_str()) {
        return refuse(format!(
            "`{word}` writes, and only reading is allowed; a column or table of that name stands in double quotes"
        ));
    }
    Ok(())
}

fn locks(word: &str) -> bool {
    matches!(word, "update" | "share" | "no" | "key")
}

/// An unquoted word, in lower case.
fn word(found: &TokenWithSpan) -> Option<String> {
    match &found.token {
        Token::Word(word) if word.quote_style.is_none() => Some(word.value.to_ascii_lowercase()),
        _ => None,
    }
}

fn shown(found: &TokenWithSpan) -> String {
    found.token.to_string().chars().take(40).collect()
}

#[cfg(test)]
mod tests;
