use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::reference::tests::any_reference;

fn scope() -> Scope<'static> {
    Scope::new()
        .with("x", json!({"count": 3, "rate": 2.5, "zero": 0}))
        .with("e", json!([{"type": "ORG", "name": "Acme", "id": null}]))
        .with("words", json!(["a", "b"]))
        .with("flag", json!(false))
        .with("sum", json!("1250.00"))
        .with("small", json!("9.00"))
        .with("same", json!("1250.0"))
        .with("sums", json!(["7.00", "1250"]))
        .with("tiny", json!("0.10000000000000000001"))
        .with("none", json!("0.00"))
        .with("id", json!("007"))
        .with("day", json!("2026-03-01"))
        .with("time", json!("2026-03-01T08:30:00Z"))
        .with("grouped", json!("9,000.00"))
}

fn check(text: &str, expect: bool) {
    let condition =
        Condition::parse(text).unwrap_or_else(|error| panic!("{text}: {}: {error}", error.at));
    assert_eq!(condition.holds(&scope()), expect, "{text}");
    let printed = condition.to_string();
    assert_eq!(Condition::parse(&printed).as_ref(), Ok(&condition), "{text} printed as {printed}");
}

/// Whether the condition cannot hold without `x`.
fn needs_x(text: &str, expect: bool) {
    let condition = Condition::parse(text).unwrap();
    assert_eq!(condition.needs(&|reference| reference.root() == "x"), expect, "{text}");
}

#[test]
fn f_158_a_condition_needs_what_it_cannot_hold_without() {
    needs_x("{x}", true);
    needs_x("{x.count} > 3", true);
    needs_x("3 in {x}", true);
    needs_x("{x} is defined AND {y}", true);
    needs_x("{x} is defined OR {x.count} > 1", true);
    needs_x("{x} is defined OR {y}", false);
    needs_x("NOT {x.count} > 3", false);
    needs_x("{x} is not defined", false);
    needs_x("{y} > 1", false);
}

fn refused(text: &str, expect: &str) {
    let error = Condition::parse(text).expect_err(text);
    let help = error.help.map(|help| format!("; {help}")).unwrap_or_default();
    assert_eq!(format!("{}: {}{help}", error.at, error.message), expect, "{text}");
}

#[test]
fn f_158_examples() {
    check("{x.count} > 0", true);
    check("{v} is defined", false);
    check("{x.count} > 0 AND {e[0].type} == 'ORG'", true);
    check("{e[0].type} == \"PERSON\"", false);
}

#[test]
fn k_56_decimals_are_compared_as_the_numbers_they_write() {
    check("{sum} == 1250", true);
    check("{sum} != 1250", false);
    check("{sum} > 999.99", true);
    check("1250.01 > {sum}", true);
    check("{sum} > {small}", true);
    check("{sum} > '999.00'", true);
    check("{sum} > {x.count}", true);
    check("{tiny} > 0.1", true);
    check("{none}", false);
    check("{none} >= 0", true);
    check("{sum} == {same}", true);
    check("{sum} != {same}", false);
    check("{sum} in {sums}", true);
    check("{small} in {sums}", false);
    check("{sums} contains {sum}", true);
    // What is in quotes means these characters.
    check("{sum} == '1250'", false);
    check("{sum} == '1250.00'", true);
    check("{sum} in ['1250']", false);
    check("{sum} in ['1250.00']", true);
    check("{x.count} in ['3']", false);
    check("{sum} in [1250, 9]", true);
    check("{sum} not in [1250.01, 9]", true);
    check("[1250] contains {sum}", true);
    check("1250 in {sums}", true);
    check("{sums} contains 7", true);
    check("'1250' in {sums}", true);
    check("'7' in {sums}", false);
    check("{id} in [7]", false);
    check("{id} == 7", false);
    check("{day} > 1", false);
}

#[test]
fn f_158_comparisons() {
    check("{x.count} >= 3", true);
    check("{x.count} <= 2.9", false);
    check("{x.count} == 3.0", true);
    check("{x.rate} != 2.5", false);
    check("{day} < '2026-03-02'", true);
    check("{time} <= {day}", true);
    check("{day} >= '2026-03'", true);
    check("{day} > ''", true);
    check("{time} > {day}", false);
    check("{time} == {day}", false);
    check("{time} < '2026-03-01T09:00:00+01:00'", false);
    check("{time} < '2026-03-01T10:00:00+01:00'", true);
    check("{x.count} > '2'", false);
    check("{x.count} != '3'", true);
    check("{e[0].name} contains 'cm'", true);
    check("{words} contains 'b'", true);
    check("{x} contains 'rate'", true);
    check("'c' in {words}", false);
    check("{e[0].type} in ['ORG', 'PERSON']", true);
    check("{e[0].type} NOT IN ['ORG', 'PERSON']", false);
    check("{e[*].name} == ['Acme']", true);
    check("{e[0].id} == null", true);
    check("-1 < 1e2", true);
}

#[test]
fn an_amount_and_another_text_have_no_order() {
    for undecided in [
        "{grouped} > {sum}",
        "{sum} > {grouped}",
        "{grouped} <= {sum}",
        "{grouped} > 10000",
        "{grouped} > '10000.00'",
        "{day} < {grouped}",
        "{day} < '03/02/2026'",
        "NOT {grouped} > {sum}",
        "{grouped} > {sum} AND true",
        "false OR {grouped} > {sum}",
    ] {
        check(undecided, false);
        let why = Condition::parse(undecided).unwrap().undecided(&scope());
        assert!(why.is_some_and(|why| why.contains("cannot be compared")), "{undecided}");
    }
    check("{grouped} > {sum} OR true", true);
    check("NOT ({grouped} > {sum} AND false)", true);
    check("{grouped} != {sum}", true);
    let why = |text: &str| Condition::parse(text).unwrap().undecided(&scope());
    let said = "`9,000.00` cannot be compared with `1250.00`";
    assert_eq!(why("{flag} OR {grouped} > {sum}").as_deref(), Some(said));
    assert_eq!(why("{small} > {sum}"), None);
    assert_eq!(why("{flag} AND {grouped} > {sum}"), None);
    assert_eq!(why("{gone} > {sum}"), None);
}

#[test]
fn f_158_or_binds_weaker_than_and() {
    check("true OR true AND false", true);
    check("(true OR true) AND false", false);
    check("false AND false OR true", true);
    check("false AND (false OR true)", false);
}

#[test]
fn f_158_not_binds_stronger_than_and() {
    check("NOT false AND false", false);
    check("NOT (false AND false)", true);
    check("NOT NOT true", true);
    check("not {x.count} == 3 or true", true);
}

#[test]
fn f_158_keywords_in_any_case() {
    check("{x.count} > 0 and Not {flag} oR FALSE", true);
    check("{x} IS DEFINED", true);
    check("{gone} is NOT defined", true);
}

#[test]
fn k_56_undefined_is_false() {
    check("{gone} == 1", false);
    check("{gone} != 1", false);
    check("{gone} == {gone}", false);
    check("{gone} in ['a']", false);
    check("{gone}", false);
    check("{x.gone.deeper[3]} < 5", false);
    check("{gone} == null", false);
}

#[test]
fn k_56_not_turns_an_undefined_test_around() {
    check("NOT {gone}", true);
    check("NOT {gone} == 1", true);
    check("{gone} not contains 'a'", true);
}

#[test]
fn k_56_null_is_defined() {
    check("{e[0].id} is defined", true);
    check("{e[1].id} is defined", false);
}

#[test]
fn values_alone_hold_unless_empty() {
    check("{x.count}", true);
    check("{x.zero}", false);
    check("{flag}", false);
    check("''", false);
    check("'0.00'", false);
    check("'0.10'", true);
    check("{words}", true);
    check("[]", false);
    check("null", false);
}

#[test]
fn texts_may_hold_quotes() {
    check(r"'it\'s' == 'it\'s'", true);
    check("\"it's\" contains '\\''", true);
    check(r"'\\' == '\\'", true);
    check("'AND' == 'OR'", false);
}

#[test]
fn what_is_no_condition_is_located() {
    let value = "a value: `{reference}`, 'text', a number, true, false, null or a list";
    refused("", &format!("0: expected {value}, found the end"));
    refused("{x.count} >", &format!("11: expected {value}, found the end"));
    refused("{x.count} = 3", "10: expected AND, OR or the end, found `=`; write `==` for equality");
    refused("{x} && {y}", "4: expected AND, OR or the end, found `&`; write `AND` and `OR`");
    refused(
        "x.count > 3",
        &format!(
            "0: expected {value}, found `x`; write `{{x.count}}` for a reference, `'x.count'` for a text"
        ),
    );
    refused("({x}", "4: expected `)`, found the end");
    refused("{x.}", "3: expected a name of letters, digits, `_` and `-`, found `}`");
    refused("{x} is", "6: expected `defined`, found the end");
    refused(
        "'{x}' == 'a'",
        &format!(
            "0: expected {value}, found `'`; references are not replaced inside quotes: write `{{step.field}}` without them"
        ),
    );
    refused(
        "{sum} > 1234567890123456.78",
        "8: expected a number of fewer digits, found `1`; a number keeps about 16 digits: compare with a `{reference}` to a decimal, which keeps 28",
    );
    refused("{x} {y}", "4: expected AND, OR or the end, found `{`");
}

#[test]
fn sizes_are_bounded() {
    refused(&"(".repeat(40), "32: the condition nests deeper than 32 levels");
    refused(&" ".repeat(10_001), "0: the condition is longer than 10000 characters");
    refused(&["1"; 1_001].join(" OR "), "0: the condition has more than 1000 tests");
    check(&format!("{}true", "not ".repeat(400)), true);
}

/// Conditions over the atoms a, b, c, with a reference evaluation beside the text.
#[derive(Debug, Clone)]
enum Formula {
    Atom(usize),
    Not(Box<Formula>),
    And(Box<Formula>, Box<Formula>),
    Or(Box<Formula>, Box<Formula>),
}

impl Formula {
    /// The truth, computed without the crate.
    fn truth(&self, atoms: [bool; 3]) -> bool {
        match self {
            Self::Atom(at) => atoms[*at],
            Self::Not(inner) => !inner.truth(atoms),
            Self::And(a, b) => a.truth(atoms) & b.truth(atoms),
            Self::Or(a, b) => a.truth(atoms) | b.truth(atoms),
        }
    }

    /// The text with as few parentheses as NOT > AND > OR allows.
    fn text(&self, place: u8) -> String {
        let (strength, text) = match self {
            Self::Atom(at) => (3, format!("{{{}}} == 1", ["a", "b", "c"][*at])),
            Self::Not(inner) => (2, format!("NOT {}", inner.text(2))),
            Self::And(a, b) => (1, format!("{} AND {}", a.text(1), b.text(1))),
            Self::Or(a, b) => (0, format!("{} OR {}", a.text(0), b.text(0))),
        };
        if strength < place { format!("({text})") } else { text }
    }
}

fn any_formula() -> impl Strategy<Value = Formula> {
    (0usize..3).prop_map(Formula::Atom).prop_recursive(5, 40, 2, |inner| {
        prop_oneof![
            inner.clone().prop_map(|f| Formula::Not(Box::new(f))),
            (inner.clone(), inner.clone())
                .prop_map(|(a, b)| Formula::And(Box::new(a), Box::new(b))),
            (inner.clone(), inner).prop_map(|(a, b)| Formula::Or(Box::new(a), Box::new(b))),
        ]
    })
}

fn any_literal() -> impl Strategy<Value = Value> {
    let plain = prop_oneof![
        "[^{]{0,8}".prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1e9..1e9f64).prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        Just(Value::Null)
    ];
    plain.prop_recursive(2, 8, 3, |inner| prop::collection::vec(inner, 0..3).prop_map(Value::Array))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn f_158_truth_tables_agree_with_a_reference_evaluation(formula in any_formula()) {
        let text = formula.text(0);
        let condition = Condition::parse(&text).map_err(|e| TestCaseError::fail(format!("{text}: {e}")))?;
        for row in 0..8u8 {
            // A false atom is undefined in half of the rows' variables, unequal in the others.
            let atoms = [row & 1 != 0, row & 2 != 0, row & 4 != 0];
            let mut scope = Scope::new();
            for (name, (at, truth)) in ["a", "b", "c"].into_iter().zip(atoms.into_iter().enumerate()) {
                if truth || at % 2 == 0 {
                    scope.insert(name, json!(u8::from(truth)));
                }
            }
            prop_assert_eq!(condition.holds(&scope), formula.truth(atoms), "{} with {:?}", text, atoms);
        }
    }

    #[test]
    fn conditions_survive_printing(
        left in any_reference(), right in any_literal(), how in 0usize..8, formula in any_formula(), defined in any::<bool>(),
    ) {
        use Comparison::{AtLeast, AtMost, Contains, Equal, Greater, In, Less, Unequal};
        let how = [Equal, Unequal, Greater, AtLeast, Less, AtMost, Contains, In][how];
        let test = if defined {
            Expression::Defined(left)
        } else {
            Expression::Compare(Operand::Reference(left), how, Operand::Literal(right))
        };
        let condition = Condition { root: Expression::Not(Box::new(test)) };
        let text = format!("{condition} OR {}", formula.text(1));
        let parsed = Condition::parse(&text);
        prop_assume!(text.len() <= 10_000);
        let parsed = parsed.map_err(|e| TestCaseError::fail(format!("{text}: {}: {e}", e.at)))?;
        prop_assert_eq!(Condition::parse(&parsed.to_string()), Ok(parsed));
    }

    #[test]
    fn reading_never_panics_and_locates(text in "[{}()\\[\\]'\"\\\\a-z.=<>! 0-9*éANDORNOT]{0,60}") {
        if let Err(error) = Condition::parse(&text) {
            prop_assert!(text.is_char_boundary(error.at));
        }
    }

    #[test]
    fn references_are_found_and_replaced(reference in any_reference()) {
        let condition = Condition::parse(&format!("{{{reference}}} is defined AND {{{reference}}} > 1")).unwrap();
        prop_assert_eq!(condition.references(), vec![&reference, &reference]);
        let renamed = condition.map(&|r| r.with_root("other"));
        prop_assert!(renamed.references().iter().all(|r| r.root() == "other"));
    }
}
