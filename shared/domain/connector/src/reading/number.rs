//! Numbers: as everybody writes them, and as a locale does.

use std::borrow::Cow;

use super::currency::Currency;
use super::locale::Locale;

/// A number without a locale: digits, a point, a sign, and commas between its thousands, and nowhere else: where they are
/// decimal marks, a number without them would be another one.
pub(super) fn plain(text: &str) -> Option<Cow<'_, str>> {
    let plain = ungrouped(text)?;
    let digits = plain.strip_prefix(['-', '+']).unwrap_or(&plain);
    let fits = digits.bytes().all(|b| b.is_ascii_digit() || b == b'.')
        && digits.bytes().any(|b| b.is_ascii_digit())
        && digits.matches('.').count() <= 1;
    fits.then_some(plain)
}

/// The whole number that a plain one is.
pub(super) fn whole(plain: &str) -> Option<i64> {
    let (whole, fraction) = plain.split_once('.').unwrap_or((plain, ""));
    if fraction.bytes().all(|b| b == b'0') { whole.parse().ok() } else { None }
}

/// A number without the commas between its thousands; `None` when a comma stands anywhere else.
fn ungrouped(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains(',') {
        return Some(text.into());
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (grouped, fraction) = at_point(unsigned, ".");
    let mut groups = grouped.split(',');
    let first = groups.next()?;
    // `0,123` is a fraction: nobody writes a thousand as nothing and a rest.
    let fits = are_digits(first)
        && first.len() <= 3
        && !first.starts_with('0')
        && groups.all(|group| group.len() == 3 && are_digits(group))
        && fraction.is_none_or(are_digits);
    fits.then(|| text.replace(',', "").into())
}

/// What is before the point, and what is behind it where there is one.
fn at_point<'t>(text: &'t str, point: &str) -> (&'t str, Option<&'t str>) {
    text.split_once(point).map_or((text, None), |(whole, fraction)| (whole, Some(fraction)))
}

fn are_digits(part: &str) -> bool {
    !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit())
}

/// A number as a locale writes it: its separators, one sign or one pair of brackets, and its currency before or after.
pub(super) fn localized(text: &str, locale: &Locale, currency: &Currency) -> Option<String> {
    let (is_negative, number) = bare(text, currency)?;
    let (whole, fraction) = at_point(number, locale.decimal());
    if fraction.is_some_and(|fraction| !are_digits(fraction)) {
        return None;
    }
    let whole = match (whole, fraction) {
        ("", Some(_)) => "0".to_owned(),
        (whole, _) => joined(whole, locale)?,
    };
    let sign = if is_negative { "-" } else { "" };
    let (point, fraction) = fraction.map_or(("", ""), |fraction| (".", fraction));
    Some(format!("{sign}{whole}{point}{fraction}"))
}

/// What is left without spaces, sign, brackets and currency, and whether it is negative. Each may be there once.
fn bare<'t>(text: &'t str, currency: &Currency) -> Option<(bool, &'t str)> {
    let (mut minus, mut plus, mut money) = (0, 0, 0);
    let mut rest = text.trim();
    loop {
        let (count, shorter) = if let Some(inner) = bracketed(rest) {
            (&mut minus, inner)
        } else if let Some(unsigned) = rest.strip_prefix(is_minus).or(rest.strip_suffix(is_minus)) {
            (&mut minus, unsigned)
        } else if let Some(unsigned) = rest.strip_prefix('+') {
            (&mut plus, unsigned)
        } else if let Some(amount) = currency.strip(rest) {
            (&mut money, amount)
        } else {
            break;
        };
        *count += 1;
        rest = shorter.trim();
    }
    (minus + plus <= 1 && money <= 1).then_some((minus == 1, rest))
}

fn bracketed(text: &str) -> Option<&str> {
    text.strip_prefix('(')?.strip_suffix(')')
}

/// The hyphen and what CLDR reads as a minus sign.
fn is_minus(mark: char) -> bool {
    matches!(
        mark,
        '-' | '\u{2010}'
            | '\u{2011}'
            | '\u{2012}'
            | '\u{2212}'
            | '\u{2796}'
            | '\u{fe63}'
            | '\u{ff0d}'
    )
}

/// The digits of a whole number whose groups are those of the locale, all with the same mark between them.
fn joined(text: &str, locale: &Locale) -> Option<String> {
    if are_digits(text) {
        return Some(text.to_owned());
    }
    let mark = text.chars().find(|c| !c.is_ascii_digit()).filter(|c| locale.groups_with(*c))?;
    let groups: Vec<&str> = text.split(mark).collect();
    let (first, others) = groups.split_first()?;
    let fits = others
        .iter()
        .rev()
        .enumerate()
        .all(|(nth, group)| group.len() == locale.group(nth) && are_digits(group));
    // `0,123` is a fraction: nobody writes a thousand as nothing and a rest.
    let starts =
        are_digits(first) && !first.starts_with('0') && first.len() <= locale.group(others.len());
    (fits && starts).then(|| groups.concat())
}

/// Whether a text would be a number in some common way of writing: digits with separators, a sign and one currency.
pub(super) fn is_in_some_locale(text: &str) -> bool {
    let is_mark = |c: char| {
        c.is_whitespace() || is_minus(c) || matches!(c, '.' | ',' | '\'' | '’' | '+' | '(' | ')')
    };
    let rest: String = text.chars().filter(|c| !c.is_ascii_digit() && !is_mark(*c)).collect();
    let is_code = rest.len() == 3 && rest.bytes().all(|b| b.is_ascii_uppercase());
    // The signs of currencies that are no letters stand in these blocks.
    let is_sign = |c: char| matches!(c, '$' | '\u{a2}'..='\u{a5}' | '\u{20a0}'..='\u{20cf}' | '￥');
    let mut signs = rest.chars();
    let is_money =
        rest.is_empty() || is_code || signs.next().is_some_and(is_sign) && signs.next().is_none();
    is_money && text.contains(|c: char| c.is_ascii_digit()) && text.chars().count() <= 40
}
