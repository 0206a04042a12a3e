//! What a page shows of requests.

use countersign_approval::{Column, Format, Layout};
use countersign_effect::view::{EffectView, samples};
use countersign_effect::{Effect, HttpEffect, Part, SECRET_PLACE, SecretForm, SecretPart};
use serde_json::json;

use super::{About, EffectGroup, Requests, Strikes, Weight, amounts};
use crate::preview::Heading;
use crate::text::{Mark, Shown};

const ABOUT: About<'_> = About {
    step: "pay",
    description: "Pays the invoice.",
    action: "call_connector",
    irreversible: true,
};

fn text(shown: &Shown) -> String {
    shown.parts().iter().map(|part| part.text.as_str()).collect()
}

fn layout() -> Layout {
    let labelled =
        |field: &str, label: &str| Column { label: Some(label.to_owned()), ..Column::of(field) };
    let amount = Column {
        format: Format::Money,
        currency: Some("EUR".to_owned()),
        ..labelled("amount", "Amount")
    };
    Layout { columns: vec![amount, labelled("payee", "Payee"), labelled("account", "Account")] }
}

fn payments(count: usize) -> Vec<EffectView> {
    let view = |n: usize| {
        let Effect::Http(mut http) =
            samples::payment_of(&format!("{n}.50"), &format!("Payee {n}"), &format!("DE{n:020}"))
        else {
            panic!("not HTTP")
        };
        for (name, part) in &mut http.headers {
            if name == "idempotency-key" {
                *part = Part::Text(format!("{n:032x}"));
            }
        }
        EffectView::of(&Effect::Http(http))
    };
    (1..=count).map(view).collect()
}

fn requests(count: usize) -> Requests {
    let mut requests = Requests::default();
    requests.push(ABOUT, &payments(count), count as u64, &layout(), Some("https://x.example/a/t"));
    requests
}

fn names(group: &EffectGroup, section: usize) -> Vec<String> {
    group.sections[section].fields.iter().map(|field| text(&field.label)).collect()
}

#[test]
fn f_200_a_payment_shows_its_target_and_then_what_the_layout_names() {
    let requests = requests(1);
    let [group] = &requests.groups[..] else { panic!("one group") };
    assert!(!group.is_many() && group.table.is_none());
    let target = group.target.as_ref().unwrap();
    assert_eq!(
        (text(&target.method), text(&target.host)),
        ("POST".to_owned(), "api.bank.example".to_owned())
    );
    assert_eq!(target.path.as_ref().map(text).as_deref(), Some("/v1/payments"));
    assert_eq!(names(group, 0), ["Amount", "Payee", "Account", "currency", "reference"]);
    let amount = &group.sections[0].fields[0];
    assert_eq!(
        (amount.weight, amount.cell.formatted.as_deref()),
        (Weight::Amount, Some("1.50 EUR"))
    );
    // A text that looks like a number keeps its quotes.
    assert_eq!(text(&amount.cell.raw), "\"1.50\"");
    assert_eq!(amount.wire.as_ref().map(text).as_deref(), Some("amount"));
    assert_eq!(names(group, 1), ["accept", "authorization", "idempotency-key", "user-agent"]);
    assert_eq!(group.url.as_deref(), Some("https://x.example/a/t/effects/pay/1"));
}

#[test]
fn f_200_of_many_payments_the_common_part_is_said_once() {
    let requests = requests(40);
    let [group] = &requests.groups[..] else { panic!("one group") };
    assert_eq!((group.count, requests.left_out), (40, 0));
    assert_eq!(names(group, 0), ["currency", "reference"]);
    assert_eq!(names(group, 1), ["accept", "authorization", "user-agent"]);
    let table = group.table.as_ref().unwrap();
    let headings: Vec<String> = table.headings.iter().map(|heading| text(&heading.label)).collect();
    assert_eq!(headings, ["Amount", "Payee", "Account"]);
    assert_eq!(table.rows.len(), 40);
    assert_eq!(table.rows[6].url.as_deref(), Some("https://x.example/a/t/effects/pay/7"));
    let headers = group.header_table.as_ref().unwrap();
    assert_eq!(text(&headers.headings[0].label), "idempotency-key");
    assert_eq!(text(&headers.rows[0].cells[0].raw), format!("{:032x}", 1));
    let sum = group.sum.as_ref().map(|(_, sum)| sum.as_str());
    assert_eq!(sum, Some("840.00 EUR"));
}

#[test]
fn f_200_no_amount_is_shown_in_another_currency_than_is_sent() {
    let pounds = Layout {
        columns: vec![Column {
            format: Format::Money,
            currency: Some("GBP".to_owned()),
            ..Column::of("amount")
        }],
    };
    let views = payments(3);
    let mut requests = Requests::default();
    requests.push(ABOUT, &views, 3, &pounds, None);
    let group = &requests.groups[0];
    assert_eq!(group.sum, None, "the requests send EUR");
    let table = group.table.as_ref().unwrap();
    let shown = |cell: &crate::preview::Cell| cell.formatted.clone().unwrap_or_default();
    assert!(table.rows.iter().flat_map(|row| &row.cells).all(|cell| !shown(cell).contains("GBP")));
    assert_eq!(amounts(&views, &pounds, &Strikes::default()), []);
    let one = EffectGroup::whole(ABOUT, &views[0], &pounds);
    assert!(one.sections[0].fields.iter().all(|field| !shown(&field.cell).contains("GBP")));
}

#[test]
fn f_200_amounts_in_several_fields_of_one_name_have_no_sum_of_one_of_them() {
    let sends = |amounts: [&str; 2]| {
        let Effect::Http(http) = samples::payment_of("1.00", "Ann", "DE1") else { panic!() };
        let query = amounts.map(|amount| ("amount".to_owned(), Part::Text(amount.to_owned())));
        EffectView::of(&Effect::Http(HttpEffect { query: query.into(), body: None, ..http }))
    };
    let sum = |views: &[EffectView]| {
        let mut requests = Requests::default();
        requests.push(ABOUT, views, views.len() as u64, &layout(), None);
        assert_eq!(requests.groups[0].sum, None);
        amounts(views, &layout(), &Strikes::default())
    };
    assert_eq!(sum(&[sends(["100.00", "50.00"]), sends(["200.00", "70.00"])]), []);
    // One of them is the same in all.
    assert_eq!(sum(&[sends(["100.00", "50.00"]), sends(["100.00", "70.00"])]), []);
}

#[test]
fn f_200_values_of_one_name_in_two_parts_say_where_they_are() {
    let sends = |n: usize| {
        let Effect::Http(http) = samples::payment_of(&format!("{n}.00"), "Ann", "DE1") else {
            panic!()
        };
        let query = ["amount", "tag", "tag"];
        let query = query.map(|name| (name.to_owned(), Part::Text(format!("{n}0.00"))));
        EffectView::of(&Effect::Http(HttpEffect { query: query.into(), ..http }))
    };
    let mut requests = Requests::default();
    requests.push(ABOUT, &[sends(1), sends(2)], 2, &layout(), None);
    let table = requests.groups[0].table.as_ref().unwrap();
    let headings: Vec<String> = table.headings.iter().map(Heading::plain).collect();
    assert_eq!(headings, ["Amount (body)", "Amount (query)", "tag (value 1)", "tag (value 2)"]);
}

#[test]
fn f_200_a_token_in_the_path_is_named_of_many_requests_too() {
    let sends = |n: usize| {
        let Effect::Http(http) = samples::payment_of(&format!("{n}.00"), "Ann", "DE1") else {
            panic!()
        };
        let secret =
            SecretPart { secret: "token".to_owned(), form: SecretForm::Plain, scheme: None };
        let url = format!("https://api.bank.example/bot{SECRET_PLACE}/pay");
        EffectView::of(&Effect::Http(HttpEffect { url, path_secret: Some(secret), ..http }))
    };
    let mut requests = Requests::default();
    requests.push(ABOUT, &[sends(1), sends(2)], 2, &layout(), None);
    let section = requests.groups[0].sections.iter().find(|section| section.title == "Path");
    let field = &section.unwrap().fields[0];
    assert_eq!(
        (text(&field.label), text(&field.cell.raw)),
        (SECRET_PLACE.to_owned(), "the credential's token".to_owned())
    );
    assert_eq!(field.cell.raw.parts()[0].mark, Some(Mark::Secret));
}

#[test]
fn f_200_above_fifty_requests_there_is_a_count_and_a_link() {
    let requests = requests(512);
    assert_eq!(requests.groups[0].table.as_ref().unwrap().rows.len(), 50);
    assert_eq!(requests.left_out, 462);
    assert_eq!(requests.rest_urls[0].1, "https://x.example/a/t/effects/pay/51");
    assert_eq!(requests.irreversible(), 512);
    // The amounts of all of them, not of those shown.
    let sum = requests.groups[0].sum.as_ref().map(|(_, sum)| sum.as_str());
    assert_eq!(sum, Some("131,584.00 EUR"));
}

#[test]
fn f_200_what_is_struck_out_is_not_in_the_sum() {
    let views = payments(3);
    let mut strikes = Strikes::default();
    strikes.by.insert(2, Shown::line("ana"));
    let found = amounts(&views, &layout(), &strikes);
    let [(label, sum, count)] = &found[..] else { panic!("one place") };
    assert_eq!((text(label).as_str(), sum.as_str(), *count), ("Amount", "5.00 EUR", 2));
    assert_eq!(amounts(&views[..1], &layout(), &strikes), []);
}

#[test]
fn f_200_places_are_not_mixed() {
    let mut views = payments(3);
    views[1].target.host = "api.other.example".to_owned();
    views[2].target.path = "/v1/payments/2".to_owned();
    let mut requests = Requests::default();
    requests.push(ABOUT, &views, 3, &layout(), None);
    let hosts: Vec<String> =
        requests.groups.iter().map(|group| text(&group.target.as_ref().unwrap().host)).collect();
    assert_eq!(hosts, ["api.bank.example", "api.other.example"]);
    let first = &requests.groups[0];
    assert!(first.target.as_ref().unwrap().path.is_none());
    let headings: Vec<String> =
        first.table.as_ref().unwrap().headings.iter().map(|heading| text(&heading.label)).collect();
    assert!(headings.contains(&"path".to_owned()), "{headings:?}");
}

#[test]
fn f_200_above_sixty_fields_and_a_thousand_characters_the_rest_is_counted() {
    let fields: serde_json::Map<String, serde_json::Value> =
        (0..70).map(|n| (format!("f{n}"), json!("x".repeat(1_005)))).collect();
    let Effect::Http(mut http) = samples::payment() else { panic!("not HTTP") };
    http.body.as_mut().unwrap().text = json!(fields).to_string();
    let view = EffectView::of(&Effect::Http(http));
    let mut requests = Requests::default();
    requests.push(ABOUT, std::slice::from_ref(&view), 1, &Layout::default(), None);
    let group = &requests.groups[0];
    assert_eq!((group.sections[0].fields.len(), group.left_out), (60, 14));
    assert_eq!(group.sections[0].fields[0].cell.raw.cut(), 5);
    assert!(group.is_cut());
    let whole = EffectGroup::whole(ABOUT, &view, &Layout::default());
    let shown: usize = whole.sections.iter().map(|section| section.fields.len()).sum();
    assert_eq!((shown, whole.left_out, whole.is_cut()), (view.fields(), 0, false));
}

#[test]
fn f_200_a_scope_that_is_cut_is_counted_as_any_value() {
    let Effect::Http(mut http) = samples::payment() else { panic!("not HTTP") };
    http.credential.as_mut().unwrap().scope = Some("x".repeat(2_000));
    let whole = EffectGroup::whole(ABOUT, &EffectView::of(&Effect::Http(http)), &Layout::default());
    assert!(whole.is_cut());
}

#[test]
fn what_is_only_stated_is_shown_by_its_arguments() {
    let arguments = json!({"to": {"name": "Acme"}, "amount": 1250.5});
    let group = EffectGroup::stated(ABOUT, &arguments, &layout());
    assert_eq!(names(&group, 0), ["Amount", "to.name"]);
    assert!(group.target.is_none());
    assert_eq!(text(&group.what), "Pays the invoice.");
    let nothing = EffectGroup::stated(About { description: " ", ..ABOUT }, &json!({}), &layout());
    assert!(nothing.sections.is_empty());
    assert_eq!(text(&nothing.what), "pay");
}
