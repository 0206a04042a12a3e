//! The item: its name, its type, and where it is known.

use super::{READ, check, check_each, post};

/// What is said of an input of a step with `for_each` over the people.
#[track_caller]
fn check_input(to: &str, expect: &[&str]) {
    check(&post("{in: rows.results}", &format!("inputs: {{to: \"{to}\"}}")), expect);
}

#[test]
fn the_item_has_the_type_of_the_list() {
    check_input("{item.name}", &[]);
    check_input(
        "{item.nam}",
        &["P016 {item.nam}: `{item.nam}`: there is no field `nam` | did you mean `name`?"],
    );
    check_input(
        "{item}",
        &["P014 \"{item}\": `to` takes string, this is record | use `{item.name}`"],
    );
    check_input(
        "{item.compensation}",
        &[
            "P101 \"{item.compensation}\": `to` takes string, this is integer: it is written out as text",
        ],
    );
    check_input(
        "{itme.name}",
        &["P015 {itme.name}: there is no step or input `itme` | did you mean `item.name`?"],
    );
    check(
        &post("{in: \"{rows.results}\", as: one}", "inputs: {}"),
        &["P013 post: `post` needs `to` (string) | add `to` under `inputs`"],
    );
    check(&post("{in: \"{rows.results[*].name}\"}", "inputs: {to: \"{item}\"}"), &[]);
    check(
        &post("{in: \"{rows.results[*].name}\"}", "inputs: {to: \"{item.name}\"}"),
        &["P016 {item.name}: `{item.name}`: a string has no field `name`"],
    );
}

#[test]
fn the_item_is_known_in_inputs_and_key_only() {
    let step = |rest: &str| post("{in: rows.results}", rest);
    check(
        &step("inputs: {to: \"{item.name}\"}, condition: \"{item.compensation} > 0\""),
        &[
            "P015 item.compensation: `item` is known under `inputs` and in `key` only | the condition decides about the step as a whole; filter the list in a step before it",
        ],
    );
    check(
        &step("inputs: {to: \"{item.name}\"}, params: {folder: \"{item.name}\"}"),
        &[
            "P002 folder: the action takes no `folder` under `params` | known: `connector`, `endpoint`",
            "P019 {item.name}: `{item.name}` is an item of a list, and params hold settings only | wire it under `inputs`, or use an input of the playbook",
        ],
    );
    let tell = "  - {name: tell, step_type: tool, action: send_notification, inputs: {message: \"{item.name}\"}}\n";
    check(
        &format!("{}{tell}", step("inputs: {to: \"{item.name}\"}")),
        &[
            "P015 {item.name}: there is no step or input `item` | `item` is the item of `post`, and known in that step only",
        ],
    );
    let gate = "  - {name: ask, step_type: approval, prompt: \"Write to {item.name}?\"}\n";
    check(
        &format!("{gate}{}", step("inputs: {to: \"{item.name}\"}")),
        &[
            "P015 {item.name}: there is no step or input `item` | `item` is the item of `post`, and known in that step only",
        ],
    );
}

#[test]
fn two_steps_may_call_their_items_alike() {
    let twice = post("{in: rows.results}", "inputs: {to: \"{item.name}\"}");
    let other = twice
        .replace(READ, "")
        .replace("name: post", "name: again")
        .replace("rows.results", "\"{rows.results[*].name}\"")
        .replace("{item.name}", "{item}");
    check(&format!("{twice}{other}"), &[]);
}

#[test]
fn k_55_an_item_with_the_name_of_something_else_is_refused() {
    for (name, what) in [("who", "an input"), ("people", "a step"), ("rows", "an output key")] {
        let expect = format!(
            "P009 {name}: `{name}` is also {what}: references could mean either | give the item another name"
        );
        check_each(&format!("{{in: rows.results, as: {name}}}"), &[&expect]);
    }
    check_each(
        "{in: rows.results, as: today}",
        &["P009 today: `today` is a variable of every run already"],
    );
    check_each(
        "{in: rows.results, as: \"{one}\"}",
        &["P007 \"{one}\": `as` must be the name alone, found `{one}` | write `one`"],
    );
    let item = "  - {name: item, step_type: tool, action: query_journal}\n";
    check(
        &format!("{item}{}", post("{in: rows.results}", "inputs: {to: a}")),
        &[
            "P009 for_each: `item` is also a step: references could mean either | name the item: `as: one`",
        ],
    );
}

#[test]
fn a_key_tells_items_apart() {
    check_each("{in: rows.results, key: \"{item.name}/{item.compensation}\"}", &[]);
    check_each(
        "{in: rows.results, key: \"{who}\"}",
        &[
            "P008 \"{who}\": every item has the same key: `key` does not refer to `{item}` | use a field that differs, such as `{item.id}`, or leave `key` out",
        ],
    );
    check_each(
        "{in: rows.results, key: \"{item}\"}",
        &["P014 item: `key` takes a text or a number, `{item}` is record | use `{item.name}`"],
    );
    check_each(
        "{in: rows.results, key: \"{item.nam}\"}",
        &["P016 {item.nam}: `{item.nam}`: there is no field `nam` | did you mean `name`?"],
    );
    check_each(
        "{in: rows.results, key: \"{item.name\"}",
        &["P020 {: a `{` without its `}` | write `{{` for a brace"],
    );
}

#[test]
fn f_160_a_missing_input_is_looked_for_in_the_item() {
    let pay = |inputs: &str| {
        format!(
            "  - {{name: due, step_type: tool, action: call_connector, connector: bank, endpoint: due}}\n  - {{name: pay, step_type: tool, action: call_connector, connector: bank, endpoint: pay, for_each: {{in: due.data}}, inputs: {inputs}}}\n"
        )
    };
    check(
        &pay("{to: \"{item.iban}\"}"),
        &[
            "P013 pay: `pay` needs `amount` (number) | add `amount: \"{item.amount}\"` under `inputs`",
        ],
    );
    check(
        &pay("{amount: \"{item.amount}\"}"),
        &["P013 pay: `pay` needs `to` (string) | add `to` under `inputs`"],
    );
    check(&pay("{to: \"{item.iban}\", amount: \"{item.amount}\"}"), &[]);
}
