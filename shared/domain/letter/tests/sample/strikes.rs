//! Pages of a request of which something was struck out.

use countersign_letter::page::{
    DecisionPage, EffectPage, EffectStrike, EffectStrikeForm, StrikeCodePage, StrikeTold,
};
use countersign_letter::{About, Requests, Shown, Strikes};

use super::{LINK, PAY, effect_page, many_payments, payment_layout, payments};

/// The payments, of which some can be struck out or were.
pub(super) fn push_payments(page: &mut DecisionPage, count: usize, strikes: &Strikes) {
    let about = About { description: "Pays what was signed.", ..PAY };
    let (all, layout) = (payments(count), payment_layout());
    page.effects = Requests::default();
    page.effects.push_struck(about, &all, count as u64, &layout, Some(LINK), strikes);
}

/// Two of forty payments were struck out by somebody else.
pub(crate) fn struck_payments(count: usize, struck: &[u64]) -> DecisionPage {
    let mut page = many_payments(count);
    let by = Shown::line("Ann Whitfield, 21 Nov 2026, 14:01 UTC");
    let by = struck.iter().map(|n| (*n, by.clone())).collect();
    push_payments(&mut page, count, &Strikes { by, open: true });
    page.prompt_note = Some(
        "Written before 2 of 40 requests were struck out: what it counts may include them."
            .to_owned(),
    );
    page.version = 2;
    page.given = 0;
    page.changed = Some(Shown::line(
        "Ann Whitfield struck out 2 of the 40 requests of `pay` on Sat 21 Nov 2026, 14:01 UTC; 38 are left. Signatures given before that no longer count.",
    ));
    page.strikes = vec![StrikeTold {
        version: 2,
        what: Shown::line("Ann Whitfield struck out 4 and 18 of `pay`, Sat 21 Nov 2026, 14:01 UTC"),
    }];
    page
}

/// What the page of one request offers.
pub(super) fn effect_strike(by: Option<&str>) -> EffectStrike {
    let form = EffectStrikeForm {
        action: format!("{LINK}/strike"),
        nonce: "bm9uY2U".to_owned(),
        step: "pay".to_owned(),
    };
    EffectStrike { by: by.map(Shown::line), form: Some(form) }
}

/// One request that was struck out.
pub(crate) fn struck_effect_page() -> EffectPage {
    let by = "Ann Whitfield, Sat 21 Nov 2026, 14:01 UTC";
    EffectPage { strike: Some(effect_strike(Some(by))), ..effect_page() }
}

/// The code that confirms a strike.
pub(crate) fn strike_code_page() -> StrikeCodePage {
    StrikeCodePage {
        address: Shown::line("b…@example.org"),
        title: Shown::line("Supplier payments: sign-off"),
        action: format!("{LINK}/strike"),
        nonce: "bm9uY2U".to_owned(),
        step: "pay".to_owned(),
        first: 1,
        last: 40,
        rows: vec![4, 18],
        struck: 2,
        restored: 0,
        expires: "2026-11-21T14:15:00Z".parse().unwrap(),
        problem: None,
    }
}
