//! Money: sums, averages and comparisons to the last digit, against whole numbers of a common scale.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{as_written, check, run};
use crate::transform::{TransformError, apply};

fn aggregated(values: &[Value], function: &str) -> Result<Value, TransformError> {
    let data: Vec<Value> = values.iter().map(|value| json!({ "v": value })).collect();
    let operation = json!([{"type": "aggregate", "function": function, "field": "v", "as": "r"}]);
    run(&data.into(), &operation).map(|found| found[0]["r"].clone())
}

#[test]
fn k_54_sums_are_exact() {
    let sum = |values: &[Value]| aggregated(values, "sum").unwrap();
    assert_eq!(sum(&[json!(0.1), json!(0.2)]), json!(0.3));
    assert_eq!(sum(&[json!("0.10"), json!("0.20")]), json!("0.30"));
    assert_eq!(sum(&[json!("4200.00"), json!("-45.00"), json!(12500)]), json!("16655.00"));
    assert_eq!(sum(&[json!(1), json!(2.5), json!(0.5)]), json!(4));
    assert_eq!(sum(&[json!(i64::MAX), json!(1)]), json!(9_223_372_036_854_775_808_u64));
    assert_eq!(sum(&[json!(9_007_199_254_740_993_i64), json!(0.5)]), json!("9007199254740993.5"));
    assert_eq!(sum(&[]), json!(0));
    assert_eq!(sum(&[json!(1e20), json!(1e20)]), json!(2e20));
}

#[test]
fn k_54_averages_are_rounded_half_to_even() {
    let average = |values: &[Value]| aggregated(values, "avg").unwrap();
    assert_eq!(average(&[json!("10.00"), json!("10.01"), json!("10.01")]), json!("10.006667"));
    assert_eq!(average(&[json!("10.00"), json!("20.00")]), json!("15.00"));
    assert_eq!(average(&[json!(1), json!(1), json!(2)]), json!(1.333333));
    assert_eq!(average(&[json!("0.0000001"), json!("0.0000002")]), json!("0.0000002"));
    assert_eq!(average(&[]), Value::Null);
}

#[test]
fn k_54_a_result_of_too_many_digits_is_an_error_with_its_record() {
    let most = json!("9999999999999999999999999999");
    let refused = |values: &[Value]| aggregated(values, "sum").unwrap_err();
    let at = |record| TransformError::Overflow { index: 0, record };
    assert_eq!(refused(&[most.clone(), json!(0), json!(1)]), at(2));
    assert_eq!(refused(&[json!(1), json!(1e300)]), at(1));
    assert_eq!(refused(&[json!("1".repeat(29))]), at(0));
    assert_eq!(refused(&[most, json!("0.01")]), at(1));
    let told = at(2).to_string();
    assert_eq!(
        told,
        "operations[0]: record 2: the result needs more than 28 digits, and is not rounded"
    );
}

#[test]
fn k_54_amounts_written_as_text_compare_as_numbers() {
    let data = json!([{"v": "9.00"}, {"v": "100.00"}, {"v": 10}, {"v": "9.000000000000000000001"}]);
    let filter = |operator: &str, value: Value| json!([{"type": "filter", "field": "v", "operator": operator, "value": value}]);
    check(&data, &filter("gt", json!("10.00")), &json!([{"v": "100.00"}]));
    check(
        &data,
        &filter("gt", json!(9)),
        &json!([{"v": "100.00"}, {"v": 10}, {"v": "9.000000000000000000001"}]),
    );
    check(&data, &filter("lte", json!(9)), &json!([{"v": "9.00"}]));
    check(&data, &filter("eq", json!(9.0)), &json!([{"v": "9.00"}]));
    let ids = json!([{"v": "007"}, {"v": "7"}]);
    check(&ids, &filter("eq", json!("7")), &json!([{"v": "7"}]));
    let sorted =
        json!([{"v": "9.00"}, {"v": "9.000000000000000000001"}, {"v": 10}, {"v": "100.00"}]);
    check(&data, &json!([{"type": "sort", "field": "v"}]), &sorted);
}

#[test]
fn k_54_what_a_filter_cannot_compare_is_said() {
    let data = [
        json!({"v": 5}),
        json!({"v": "$4,200.00"}),
        json!({"v": null}),
        json!({}),
        json!({"v": [1]}),
    ];
    let filter = json!({"type": "filter", "field": "v", "operator": "gte", "value": 1});
    let operations = as_written(&json!([filter]));
    let done = apply(data.to_vec(), &operations).unwrap();
    assert_eq!(done.records, [json!({"v": 5})]);
    assert_eq!(done.warnings.count(), 3);
    let message = "operation 1: `$4,200.00` cannot be compared with `1`, so the record is left out";
    let told = done.warnings.kept();
    assert_eq!(
        json!(told[1]),
        json!({"record": 1, "field": "v", "text": "$4,200.00", "message": message})
    );
    assert_eq!(told[2].record, Some(4));
    let texts = json!([{"type": "filter", "field": "v", "operator": "gt", "value": "10000.00"}]);
    let texts = as_written(&texts);
    let amounts = ["9,000.00", "9000.00", "12000.00"].map(|text| json!({"v": text}));
    let done = apply(amounts.to_vec(), &texts).unwrap();
    assert_eq!((done.records, done.warnings.count()), (vec![json!({"v": "12000.00"})], 1));
    let greatest = json!([{"type": "aggregate", "function": "max", "field": "v"}]);
    let greatest = as_written(&greatest);
    let refused = apply(amounts.to_vec(), &greatest).unwrap_err();
    assert!(matches!(refused, TransformError::Record { record: 0, .. }), "{refused}");
    let many = vec![json!({"v": "x".repeat(200)}); 150];
    let warnings = apply(many, &operations).unwrap().warnings;
    assert_eq!(warnings.count(), 150);
    let told = warnings.kept();
    assert_eq!(told.len(), 100);
    assert_eq!(told[0].text, Some("x".repeat(60)));
}

#[test]
fn k_54_texts_of_one_number_are_two_values_and_that_is_said() {
    let told = |values: &[Value], operation: Value| {
        let data = values.iter().map(|value| json!({ "v": value })).collect();
        let done = apply(data, &as_written(&json!([operation]))).unwrap();
        let said: Vec<String> =
            done.warnings.kept().iter().map(|one| one.message.clone()).collect();
        (done.records.len(), said)
    };
    let message = "operation 1: `10` and `10.00` count as two values, though they write one number";
    let values = [json!("10"), json!("10"), json!("7"), json!("10.00")];
    for operation in [
        json!({"type": "aggregate", "function": "count", "group_by": "v"}),
        json!({"type": "deduplicate", "field": "v"}),
    ] {
        assert_eq!(told(&values, operation), (3, vec![message.to_owned()]));
    }
    let distinct =
        json!({"type": "aggregate", "function": "count_distinct", "field": "v", "as": "r"});
    assert_eq!(told(&values, distinct.clone()).1, [message]);
    assert_eq!(told(&[json!(10), json!("10")], distinct.clone()).1.len(), 1);
    let alike = [json!("10"), json!("010"), json!(7), json!(7.0), json!("x"), json!(null)];
    assert_eq!(told(&alike, distinct).1, [] as [String; 0]);
}

#[test]
fn k_54_an_amount_that_is_not_read_is_not_silently_another_one() {
    let told = |found: Value, operator: &str, value: Value| {
        let filter =
            json!([{"type": "filter", "field": "v", "operator": operator, "value": value}]);
        let done = apply(vec![json!({ "v": found })], &as_written(&filter)).unwrap();
        let kept = if done.records.is_empty() { "left out" } else { "kept" };
        let said = done.warnings.kept().first().map(|said| said.message.clone());
        assert!(said.as_ref().is_none_or(|said| said.ends_with(kept)), "{said:?}");
        said.is_some()
    };
    for unread in ["9,000.00", "$9000", "(9.000,00)", "9 000,00 €", "−9’000.00"] {
        for operator in ["eq", "ne"] {
            assert!(told(json!(unread), operator, json!("9000.00")), "{operator} {unread}");
        }
        assert!(told(json!(unread), "in", json!(["1.00", "9000.00"])), "in {unread}");
    }
    assert!(told(json!("9,000.00"), "ne", json!(9000)));
    for other in ["n/a", "A-9000", "555-1234", "2026-03-01", "", "$", "4,200.00", "1.2.3"] {
        assert!(!told(json!(other), "eq", json!("9000.00")), "{other}");
        assert!(!told(json!(other), "ne", json!(9000)), "{other}");
    }
    assert!(!told(json!("9000"), "eq", json!("9000.00")));
    assert!(told(json!("true"), "eq", json!(true)));
    assert!(told(json!("True"), "ne", json!(true)));
    assert!(!told(json!("maybe"), "eq", json!(true)));
    assert!(told(json!("2026-12-31T08:00:00Z"), "eq", json!("2026-12-31")));
    assert!(told(json!("2026-12-31T08:00:00Z"), "ne", json!("2026-12-31")));
    assert!(!told(json!("2026-12-30T08:00:00Z"), "eq", json!("2026-12-31")));
}

#[test]
fn k_54_dates_and_times_compare_as_what_they_are() {
    let data = json!([
        {"t": "2026-12-31T08:00:00Z"}, {"t": "2026-12-31"}, {"t": "2027-01-01T01:00:00+02:00"}, {"t": "2026-12-30"},
    ]);
    let filter = |operator: &str, value: &str| json!([{"type": "filter", "field": "t", "operator": operator, "value": value}]);
    let until = json!([{"t": "2026-12-31T08:00:00Z"}, {"t": "2026-12-31"}, {"t": "2026-12-30"}]);
    check(&data, &filter("lte", "2026-12-31"), &until);
    check(&data, &filter("gt", "2026-12-31"), &json!([{"t": "2027-01-01T01:00:00+02:00"}]));
    check(
        &data,
        &filter("lt", "2026-12-31T09:00:00Z"),
        &json!([{"t": "2026-12-31T08:00:00Z"}, {"t": "2026-12-30"}]),
    );
    let sorted = json!([
        {"t": "2026-12-30"}, {"t": "2026-12-31"}, {"t": "2026-12-31T08:00:00Z"}, {"t": "2027-01-01T01:00:00+02:00"},
    ]);
    check(&data, &json!([{"type": "sort", "field": "t"}]), &sorted);
    check(
        &data,
        &json!([{"type": "aggregate", "function": "max", "field": "t", "as": "r"}]),
        &json!([{"r": "2027-01-01T01:00:00+02:00"}]),
    );
    check(&data, &filter("gt", ""), &data);
    check(&data, &filter("gte", "2027-01"), &json!([{"t": "2027-01-01T01:00:00+02:00"}]));
    check(&data, &filter("lt", "2026-12"), &json!([]));
    let mixed = vec![json!({"t": "01/15/2026"}), json!({"t": "2026-12-31"}), json!({"t": "n/a"})];
    let done = apply(mixed.clone(), &as_written(&filter("lt", "2025-12-31"))).unwrap();
    assert_eq!((done.records.len(), done.warnings.count()), (0, 2));
    let sort = apply(mixed.clone(), &as_written(&json!([{"type": "sort", "field": "t"}]))).unwrap();
    assert_eq!(sort.records[0]["t"], "2026-12-31");
    let message = "operation 1: `01/15/2026` cannot be compared with `2026-12-31`; 2 of 3 records have such texts, \
                   which are ordered as greater than all dates";
    assert_eq!(sort.warnings.kept()[0].message, message);
    let least = as_written(&json!([{"type": "aggregate", "function": "min", "field": "t"}]));
    let refused = apply(mixed, &least).unwrap_err().to_string();
    assert!(refused.ends_with("`t` is not a date, and in other records it is"), "{refused}");
}

#[test]
fn a_sort_says_that_amounts_and_other_texts_have_no_order() {
    let told = |values: &[Value]| {
        let data = values.iter().map(|value| json!({ "v": value })).collect();
        let sort = json!([{"type": "sort", "field": "v", "direction": "desc"}]);
        let done = apply(data, &as_written(&sort)).unwrap();
        done.warnings.kept().iter().map(|warning| json!(warning)).collect::<Vec<_>>()
    };
    let message = "operation 1: `9,000.00` cannot be compared with `10000`; 2 of 4 records have such texts, \
                   which are ordered as greater than all numbers";
    assert_eq!(
        told(&[json!(null), json!("9,000.00"), json!("10000"), json!("n/a")]),
        [json!({"record": 1, "field": "v", "text": "9,000.00", "message": message})]
    );
    assert_eq!(told(&[json!("b"), json!("a"), json!(null), json!(true)]), [] as [Value; 0]);
    assert_eq!(told(&[json!("1.5"), json!(2), json!(null)]), [] as [Value; 0]);
}

#[test]
fn a_filter_for_a_number_says_which_texts_are_not_one() {
    let told = |operator: &str, value: Value| {
        let data = ["9,000.00", "9000.00", "12000"].map(|text| json!({"v": text})).to_vec();
        let filter =
            json!([{"type": "filter", "field": "v", "operator": operator, "value": value}]);
        let done = apply(data, &as_written(&filter)).unwrap();
        (done.records.len(), done.warnings.kept().to_vec())
    };
    let (left, said) = told("eq", json!(9000));
    let message =
        "operation 1: `9,000.00` cannot be compared with `9000`, so the record is left out";
    assert_eq!((left, said.len(), said[0].message.as_str()), (1, 1, message));
    let (left, said) = told("in", json!([9000, 12000]));
    assert_eq!((left, said.len(), said[0].record), (2, 1, Some(0)));
    for (operator, value) in
        [("eq", json!("9,000.00")), ("in", json!(["9,000.00", 1])), ("in", json!([]))]
    {
        assert_eq!(told(operator, value).1, []);
    }
}

#[test]
fn f_311_a_field_that_no_record_has_is_said() {
    let data = vec![json!({"amount": "1.00", "to": "a"}), json!({"amount": "2.00", "to": "b"})];
    let told = |operation: Value| {
        let done = apply(data.clone(), &as_written(&json!([operation]))).unwrap();
        done.warnings.kept().iter().map(|warning| json!(warning)).collect::<Vec<_>>()
    };
    let sum = json!({"type": "aggregate", "function": "sum", "field": "amuont", "as": "total"});
    let message = "operation 1: no record has this field; did you mean `amount`?";
    assert_eq!(told(sum), [json!({"field": "amuont", "message": message})]);
    for operation in [
        json!({"type": "deduplicate", "field": "recipient"}),
        json!({"type": "sort", "field": "to.name"}),
        json!({"type": "filter", "field": "ot", "operator": "gt", "value": 1}),
        json!({"type": "aggregate", "function": "count", "group_by": "x"}),
    ] {
        assert_eq!(told(operation).len(), 1);
    }
    assert_eq!(told(json!({"type": "filter", "field": "paid", "value": null})), [] as [Value; 0]);
    assert_eq!(told(json!({"type": "sort", "field": "to"})), [] as [Value; 0]);
    assert!(
        apply(Vec::new(), &as_written(&json!([{"type": "sort", "field": "x"}])))
            .unwrap()
            .warnings
            .is_empty()
    );
}

#[test]
fn f_311_a_figure_says_how_many_records_it_leaves_out() {
    let data = vec![json!({"amount": "1.00"}), json!({"amount": null}), json!({"other": 1})];
    let told = |operation: Value| {
        let done = apply(data.clone(), &as_written(&json!([operation]))).unwrap();
        done.warnings.kept().iter().map(|warning| warning.message.clone()).collect::<Vec<_>>()
    };
    let left_out = "operation 1: null in 2 of 3 records, which";
    let sum = json!({"type": "aggregate", "function": "sum", "field": "amount", "as": "total"});
    assert_eq!(told(sum), [format!("{left_out} the sum leaves out")]);
    for (function, name) in [("min", "minimum"), ("max", "maximum")] {
        let figure =
            json!({"type": "aggregate", "function": function, "field": "amount", "as": "it"});
        assert_eq!(told(figure), [format!("{left_out} the {name} leaves out")]);
    }
    let counted = json!({"type": "aggregate", "function": "count", "field": "amount", "as": "it"});
    assert_eq!(told(counted), [] as [String; 0], "it counts the values");
    let least = json!({"type": "filter", "field": "amount", "operator": "gte", "value": 1});
    assert_eq!(told(least), [format!("{left_out} the comparison leaves out")]);
    let named = json!({"type": "filter", "field": "amount", "operator": "ne", "value": null});
    assert_eq!(told(named), [] as [String; 0]);
}

/// An amount as units of `10^-scale`, and whether it is given as a text.
fn amounts() -> impl Strategy<Value = Vec<(i64, u32, bool)>> {
    let units = prop_oneof![-100_000..100_000_i64, -10_i64.pow(14)..10_i64.pow(14)];
    prop::collection::vec((units, 0..=6u32, any::<bool>()), 1..40)
}

fn written(units: i64, scale: u32) -> String {
    let sign = if units < 0 { "-" } else { "" };
    let digits = format!("{:0>width$}", units.unsigned_abs(), width = scale as usize + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale as usize);
    if scale == 0 { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") }
}

fn value((units, scale, is_text): (i64, u32, bool)) -> Value {
    let text = written(units, scale);
    if is_text { text.into() } else { serde_json::from_str(&text).unwrap() }
}

/// Millionths, read from a result by hand.
fn millionths(result: &Value) -> i128 {
    // A float's shortest text: its digits beyond that are those of the nearest binary fraction.
    let text = result.as_str().map_or_else(|| result.as_f64().unwrap().to_string(), str::to_owned);
    let text = if result.is_i64() { result.to_string() } else { text };
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let digits = format!("{}{fraction:0<6}", whole.trim_start_matches('-'));
    let units: i128 = digits.parse().unwrap();
    if text.starts_with('-') { -units } else { units }
}

fn exact((units, scale, _): (i64, u32, bool)) -> i128 {
    i128::from(units) * 10_i128.pow(6 - scale)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn k_54_sums_agree_with_whole_numbers(amounts in amounts()) {
        let values: Vec<Value> = amounts.iter().copied().map(value).collect();
        let sum = aggregated(&values, "sum").unwrap();
        let expect: i128 = amounts.iter().copied().map(exact).sum();
        // A float is only given when its shortest text is the sum; beyond 2^53 millionths the test cannot print it.
        if sum.is_string() || sum.is_i64() || expect.abs() < 9_007_199_254_740_992 {
            prop_assert_eq!(millionths(&sum), expect, "{}", sum);
        }
        prop_assert!(sum.is_string() || !amounts.iter().any(|amount| amount.2));
    }

    #[test]
    fn k_54_averages_agree_with_whole_numbers(amounts in amounts()) {
        let texts: Vec<Value> = amounts.iter().map(|(units, scale, _)| written(*units, *scale).into()).collect();
        let average = aggregated(&texts, "avg").unwrap();
        let total: i128 = amounts.iter().copied().map(exact).sum();
        let count = i128::try_from(amounts.len()).unwrap();
        let (quotient, rest) = (total.div_euclid(count), total.rem_euclid(count));
        let up = rest * 2 > count || rest * 2 == count && quotient % 2 != 0;
        prop_assert_eq!(millionths(&average), quotient + i128::from(up), "{}", average);
    }

    #[test]
    fn k_54_comparing_agrees_with_whole_numbers(amounts in amounts()) {
        let values: Vec<Value> = amounts.iter().copied().map(value).collect();
        for (a, x) in amounts.iter().zip(&values) {
            for (b, y) in amounts.iter().zip(&values) {
                prop_assert_eq!(crate::transform::compare(x, y), exact(*a).cmp(&exact(*b)), "{} {}", x, y);
            }
        }
    }

    #[test]
    fn k_54_the_order_of_numbers_is_total(
        values in prop::collection::vec(prop_oneof![
            any::<f64>().prop_map(Value::from), any::<i64>().prop_map(Value::from), any::<u64>().prop_map(Value::from),
            "-?[0-9]{1,28}".prop_map(Value::from), "-?9{20,27}(\\.9)?".prop_map(Value::from), Just(json!(1e28)), Just(json!(-1e28)),
            Just(json!(0.0)), Just(json!(-0.0)), Just(json!("0.00")),
        ], 3),
    ) {
        use crate::transform::compare;
        let (a, b, c) = (&values[0], &values[1], &values[2]);
        prop_assert_eq!(compare(a, b), compare(b, a).reverse());
        if compare(a, b).is_le() && compare(b, c).is_le() && !values.iter().any(Value::is_null) {
            prop_assert!(compare(a, c).is_le(), "{} {} {}", a, b, c);
        }
    }
}
