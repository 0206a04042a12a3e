//! What the requests of one place amount to, of which none is struck out.

use std::collections::HashMap;

use countersign_approval::{Format, Layout};
use countersign_decimal::currency::is_currency_field;
use countersign_effect::view::EffectView;

use super::{Key, Numbered, Place, Sent, by_place, split, values};
use crate::effect::values::{column, with_sent_currency};
use crate::effect::{Strikes, sum};
use crate::text::Shown;

/// What the requests send that are not struck out.
pub(super) fn left<'s>(
    all: &[(usize, &EffectView)],
    sent: &'s [HashMap<Key, Sent>],
    strikes: &Strikes,
) -> Vec<&'s HashMap<Key, Sent>> {
    let is_left = |n: &usize| !strikes.by.contains_key(&(*n as u64));
    all.iter().zip(sent).filter(|((n, _), _)| is_left(n)).map(|(_, sent)| sent).collect()
}

/// The amounts of a step's requests, place by place, as the page has them: label, sum, and of how many requests. Places
/// whose requests have no column of money in one currency are left out.
#[must_use]
pub fn amounts(
    views: &[EffectView],
    layout: &Layout,
    strikes: &Strikes,
) -> Vec<(Shown, String, usize)> {
    let numbered: Vec<(usize, &EffectView)> = (1..).zip(views).collect();
    let layout = &*with_sent_currency(layout, &views.iter().collect::<Vec<_>>());
    let of_place = |(place, all): (Place, Numbered<'_>)| {
        let sent: Vec<HashMap<Key, Sent>> = all
            .iter()
            .map(|(_, view)| values(view, !place.same_path).into_iter().collect())
            .collect();
        let (_, differing) = split(&all, &sent, place.same_path, layout);
        let rest: Vec<&Key> = differing.iter().filter(|key| !key.is_header()).collect();
        let left = left(&all, &sent, strikes);
        let (label, sum) = total(&rest, &left, layout)?;
        Some((label, sum, left.len()))
    };
    let many = |(_, all): &(Place, Numbered<'_>)| all.len() > 1;
    by_place(&numbered).into_iter().filter(many).filter_map(of_place).collect()
}

/// The amounts of all requests together, where they have one currency.
pub(super) fn total(
    rest: &[&Key],
    sent: &[&HashMap<Key, Sent>],
    layout: &Layout,
) -> Option<(Shown, String)> {
    let key = rest.iter().find(|key| {
        layout.column(&key.name).is_some_and(|c| c.format == Format::Money && c.currency.is_some())
    })?;
    if rest.iter().any(|key| is_currency_field(&key.name)) {
        return None;
    }
    // A list in a form or an address is several fields of one name; the sum of one of them is not what is sent.
    let is_named = |other: &&Key| other.name == key.name && !other.is_header();
    if sent.iter().any(|request| request.keys().filter(is_named).count() != 1) {
        return None;
    }
    let column = column(layout, &key.name);
    let values: Option<Vec<&str>> =
        sent.iter().map(|request| request.get(key).map(|sent| sent.field.value.as_str())).collect();
    let label = column.label.as_deref().unwrap_or(&column.field);
    Some((Shown::line(label), sum::sum(values?.into_iter(), &column)?))
}
