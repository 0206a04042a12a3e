use countersign_document::{Problem, read_value};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{Amount, ModelList};

fn list(value: &Value) -> Result<ModelList, Vec<String>> {
    let reading = read_value::<ModelList>(value.clone());
    let mut places: Vec<String> = reading.problems.iter().map(Problem::path).collect();
    places.sort();
    reading.value.ok_or(places)
}

fn check(models: &Value, more: &Value, expect: &[&str]) {
    let mut value = json!({ "currency": "USD", "models": models });
    value.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    assert_eq!(list(&value).err().unwrap_or_default(), expect, "{value}");
}

#[test]
fn r_035_a_budget_of_money_needs_the_price_of_every_model() {
    let priced = json!({ "model": "openai/a", "input_price": "0.25", "output_price": "2" });
    let bare = json!({ "model": "openai/b" });
    check(&json!([priced, bare]), &json!({}), &[]);
    check(&json!([priced]), &json!({ "cost_per_run": "0.50", "cost_per_day": "5" }), &[]);
    check(&json!([priced, bare]), &json!({ "cost_per_run": "1" }), &["models[1].input_price"]);
    check(&json!([priced, bare]), &json!({ "cost_per_day": "1" }), &["models[1].input_price"]);
    let half = json!({ "model": "openai/c", "input_price": "1" });
    check(&json!([half]), &json!({}), &["models[0].output_price"]);
}

#[test]
fn r_035_every_problem_of_a_list_has_its_place() {
    let named = |model: &str| json!({ "model": model });
    check(&json!([named("openai/a"), named("openai/a")]), &json!({}), &["models[1].model"]);
    for wrong in ["gpt-5", "bard/a", "openai/", "openai/a b", "openai/a`"] {
        check(&json!([named(wrong)]), &json!({}), &["models[0].model"]);
    }
    for wrong in ["", "-1", "1.", ".5", "1e3", "0.1234567", "1000000.000001", "10000000"] {
        check(&json!([]), &json!({ "cost_per_run": wrong }), &["cost_per_run"]);
    }
    check(&json!([]), &json!({ "currency": "usd" }), &["currency"]);
    check(&json!([]), &json!({ "budget": "1" }), &["budget"]);
}

#[test]
fn r_035_a_price_that_is_wrong_is_told_once() {
    let half = json!({ "model": "openai/a", "input_price": 0.25, "output_price": "2" });
    check(&json!([half]), &json!({ "cost_per_run": "1" }), &["models[0].input_price"]);
    let both = json!({ "model": "openai/a", "input_price": "1", "output_price": "x" });
    check(&json!([both]), &json!({}), &["models[0].output_price"]);
}

#[test]
fn r_035_what_holds_for_a_model_is_in_the_list() {
    let value = json!({
        "currency": "EUR", "cost_per_run": "0.5",
        "models": [{ "model": "anthropic/a/b", "input_price": "3", "output_price": "15" }],
    });
    let list = list(&value).unwrap();
    assert!(list.allows("anthropic/a/b") && !list.allows("anthropic/a"));
    let terms = list.terms("anthropic/a/b");
    assert_eq!(terms.price.clone().unwrap().of(1_000, 100).to_string(), "0.0045 EUR");
    assert_eq!(
        (terms.per_run.clone().unwrap().to_string(), terms.per_day.clone()),
        ("0.5 EUR".to_owned(), None)
    );
    assert!(!terms.lacks_price());
    assert!(list.terms("openai/other").lacks_price());
}

proptest! {
    #[test]
    fn r_035_an_amount_is_read_as_it_is_written(millionths in 0_u64..=1_000_000_000_000) {
        let text = format!("{}.{:06}", millionths / 1_000_000, millionths % 1_000_000);
        let amount: Amount = text.parse().unwrap();
        prop_assert_eq!(amount.millionths(), millionths);
    }

    #[test]
    fn r_035_a_cost_is_never_less_than_the_sum_of_its_parts_and_at_most_rounded_once(
        price in 0_u64..1_000_000_000, input in 0_u64..10_000_000, output in 0_u64..10_000_000,
    ) {
        let price = format!("{}.{:06}", price / 1_000_000, price % 1_000_000);
        let value = json!({ "currency": "USD", "models": [{ "model": "openai/a", "input_price": price, "output_price": price }] });
        let price = list(&value).unwrap().terms("openai/a").price.unwrap();
        let (whole, parts) = (price.of(input, output), [price.of(input, 0), price.of(0, output)]);
        let sum: u64 = parts.iter().map(|part| part.millionths).sum();
        prop_assert!(whole.millionths <= sum && sum <= whole.millionths + 1);
    }
}
