//! Reading conditions.

use countersign_decimal::json::is_kept;
use serde_json::{Number, Value};
use winnow::Parser;
use winnow::ascii::{Caseless, multispace0};
use winnow::combinator::{
    alt, cut_err, delimited, eof, fail, not, opt, peek, preceded, repeat, separated, terminated,
};
use winnow::error::{ContextError, ErrMode};
use winnow::token::{any, one_of, take_while};

use super::{Comparison, Expression, Operand};
use crate::error::SyntaxError;
use crate::reference::{Parsed, Reference, expected, explain, is_name_char, reference};

/// The longest condition, in bytes.
const MAX_LENGTH: usize = 10_000;
/// The most tests one condition may have.
const MAX_TESTS: usize = 1_000;
/// How deep parentheses and lists may nest.
const DEEPEST: usize = 32;

const A_VALUE: &str = "a value: `{reference}`, 'text', a number, true, false, null or a list";

/// Parses a whole condition.
pub(super) fn condition(text: &str) -> Result<Expression, SyntaxError> {
    if text.len() > MAX_LENGTH {
        return Err(SyntaxError::new(
            0,
            format!("the condition is longer than {MAX_LENGTH} characters"),
        ));
    }
    if let Some(at) = too_deep(text) {
        return Err(SyntaxError::new(
            at,
            format!("the condition nests deeper than {DEEPEST} levels"),
        ));
    }
    let parsed =
        delimited(multispace0, any_of, (multispace0, eof.context(expected("AND, OR or the end"))))
            .parse(text);
    let root = parsed.map_err(|error| with_advice(explain(&error), text))?;
    if tests(&root) > MAX_TESTS {
        return Err(SyntaxError::new(0, format!("the condition has more than {MAX_TESTS} tests")));
    }
    Ok(root)
}

/// Where brackets nest too deep for a recursive parser. Brackets in quotes count too: that is only stricter.
fn too_deep(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    text.char_indices().find_map(|(at, c)| {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        (depth > DEEPEST).then_some(at)
    })
}

fn with_advice(error: SyntaxError, text: &str) -> SyntaxError {
    let rest = &text[error.at..];
    if rest.starts_with('=') {
        error.with_help("write `==` for equality")
    } else if rest.starts_with("&&") || rest.starts_with("||") {
        error.with_help("write `AND` and `OR`")
    } else if rest.starts_with('!') {
        error.with_help("write `NOT` or `!=`")
    } else if rest.starts_with(['\'', '"']) && rest[1..].contains('{') {
        error.with_help(
            "references are not replaced inside quotes: write `{step.field}` without them",
        )
    } else if rest.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
        error.with_help("a number keeps about 16 digits: compare with a `{reference}` to a decimal, which keeps 28")
    } else if rest.starts_with(|c: char| c.is_alphabetic()) {
        let word: String =
            rest.chars().take_while(|&c| is_name_char(c) || c == '.').take(60).collect();
        error.with_help(format!("write `{{{word}}}` for a reference, `'{word}'` for a text"))
    } else {
        error
    }
}

fn tests(expression: &Expression) -> usize {
    match expression {
        Expression::Any(parts) | Expression::All(parts) => parts.iter().map(tests).sum(),
        Expression::Not(inner) => tests(inner),
        _ => 1,
    }
}

fn any_of(input: &mut &str) -> Parsed<Expression> {
    joined(input, "or", all_of, Expression::Any)
}

fn all_of(input: &mut &str) -> Parsed<Expression> {
    joined(input, "and", negated, Expression::All)
}

/// One part as it is; several with `word` between them are made one.
fn joined(
    input: &mut &str,
    word: &'static str,
    part: fn(&mut &str) -> Parsed<Expression>,
    make: fn(Vec<Expression>) -> Expression,
) -> Parsed<Expression> {
    let mut parts: Vec<Expression> = separated(1.., part, keyword(word)).parse_next(input)?;
    Ok(match parts.pop() {
        Some(only) if parts.is_empty() => only,
        last => make(parts.into_iter().chain(last).collect()),
    })
}

/// Any number of NOTs: counted, not nested, so that a long row of them costs no stack.
fn negated(input: &mut &str) -> Parsed<Expression> {
    let nots: usize = repeat(0.., preceded(multispace0, keyword("not"))).parse_next(input)?;
    let inner = preceded(multispace0, alt((grouped, test))).parse_next(input)?;
    Ok(if nots % 2 == 1 { Expression::Not(Box::new(inner)) } else { inner })
}

fn grouped(input: &mut &str) -> Parsed<Expression> {
    delimited('(', cut_err(any_of), cut_err((multispace0, ')'.context(expected("`)`")))))
        .parse_next(input)
}

fn test(input: &mut &str) -> Parsed<Expression> {
    let left = operand.parse_next(input)?;
    if let Some(negative) = opt(defined).parse_next(input)? {
        let Operand::Reference(reference) = left else {
            return fail.context(expected("a `{reference}` before `is defined`")).parse_next(input);
        };
        return Ok(turned(negative, Expression::Defined(reference)));
    }
    match opt(comparison).parse_next(input)? {
        Some((negative, how)) => {
            let right = cut_err(preceded(multispace0, operand)).parse_next(input)?;
            Ok(turned(negative, Expression::Compare(left, how, right)))
        }
        None => Ok(Expression::Holds(left)),
    }
}

fn turned(negative: bool, expression: Expression) -> Expression {
    if negative { Expression::Not(Box::new(expression)) } else { expression }
}

/// `is defined` or `is not defined`; true for the latter.
fn defined(input: &mut &str) -> Parsed<bool> {
    let negative = preceded(keyword("is"), opt(keyword("not"))).parse_next(input)?.is_some();
    cut_err(keyword("defined").context(expected("`defined`"))).parse_next(input)?;
    Ok(negative)
}

fn comparison(input: &mut &str) -> Parsed<(bool, Comparison)> {
    let sign = preceded(
        multispace0,
        alt((
            "==".value(Comparison::Equal),
            "!=".value(Comparison::Unequal),
            ">=".value(Comparison::AtLeast),
            "<=".value(Comparison::AtMost),
            '>'.value(Comparison::Greater),
            '<'.value(Comparison::Less),
        )),
    );
    let word = (
        opt(keyword("not")).map(|found| found.is_some()),
        alt((keyword("contains").value(Comparison::Contains), keyword("in").value(Comparison::In))),
    );
    alt((sign.map(|how| (false, how)), word)).parse_next(input)
}

/// A word in any case, with space before it and none of its letters after it.
fn keyword<'a>(word: &'static str) -> impl Parser<&'a str, (), ErrMode<ContextError>> {
    delimited(multispace0, Caseless(word), peek(not(one_of(is_name_char)))).void()
}

fn operand(input: &mut &str) -> Parsed<Operand> {
    alt((braced.map(Operand::Reference), literal.map(Operand::Literal)))
        .context(expected(A_VALUE))
        .parse_next(input)
}

fn braced(input: &mut &str) -> Parsed<Reference> {
    delimited(
        ('{', multispace0),
        cut_err(reference),
        cut_err((multispace0, '}'.context(expected("`.`, `[` or `}`")))),
    )
    .parse_next(input)
}

fn literal(input: &mut &str) -> Parsed<Value> {
    alt((
        quoted('\'').map(Value::String),
        quoted('"').map(Value::String),
        number.map(Value::Number),
        word("true").value(Value::Bool(true)),
        word("false").value(Value::Bool(false)),
        word("null").value(Value::Null),
        list.map(Value::Array),
    ))
    .parse_next(input)
}

fn word<'a>(word: &'static str) -> impl Parser<&'a str, (), ErrMode<ContextError>> {
    terminated(Caseless(word), peek(not(one_of(is_name_char)))).void()
}

fn list(input: &mut &str) -> Parsed<Vec<Value>> {
    let items = separated(0.., preceded(multispace0, literal), preceded(multispace0, ','));
    delimited('[', items, cut_err((multispace0, ']'.context(expected("`,` or `]`")))))
        .parse_next(input)
}

/// A text in quotes; a backslash takes the next character as it is. Braces are refused: whoever writes them expects a
/// reference to be replaced, and the test would silently be false.
fn quoted<'a>(quote: char) -> impl Parser<&'a str, String, ErrMode<ContextError>> {
    let piece = alt((
        preceded('\\', any),
        any.verify(move |&c: &char| c != quote && c != '\\' && c != '{'),
    ));
    delimited(quote, repeat(0.., piece), quote)
}

fn number(input: &mut &str) -> Parsed<Number> {
    let start = *input;
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E');
    let (text, number) = take_while(1.., is_part)
        .verify_map(|text: &str| Some((text, serde_json::from_str(text).ok()?)))
        .parse_next(input)?;
    if is_kept(text) {
        return Ok(number);
    }
    *input = start;
    cut_err(fail.context(expected("a number of fewer digits"))).parse_next(input)
}
