use super::*;

const SCOPES_OF_THE_EXAMPLE: [&str; 3] = ["macro:analyst", "equity:reader", "fixed_income:editor"];

fn check(scopes: &[&str], requirement: &Requirement, topic: Option<&str>, passes: bool) {
    let scopes = Scopes::parse(scopes.iter().copied());
    let topic = topic.map(|slug| Topic::parse(slug).unwrap());
    let answer = permits(&scopes, requirement, topic.as_ref());
    assert_eq!(answer.is_ok(), passes, "{scopes:?} {requirement:?} {topic:?}: {answer:?}");
}

/// One row of the permission map: name, role, topic-scoped, override.
type Row = (&'static str, Role, bool, bool);

/// A-017…A-032. `publish` and `approve` additionally need a capability (K-08).
const MAP: [Row; 16] = [
    ("search_articles", Role::Reader, true, true),
    ("get_article", Role::Reader, false, true),
    ("search_resources", Role::Reader, false, true),
    ("get_tonalities", Role::Reader, false, true),
    ("create_draft_article", Role::Analyst, true, true),
    ("write_article_content", Role::Analyst, true, true),
    ("create_text_resource", Role::Analyst, true, true),
    ("create_table_resource", Role::Analyst, true, true),
    ("attach_resource", Role::Analyst, true, true),
    ("web_search", Role::Analyst, false, true),
    ("submit_for_review", Role::Analyst, true, true),
    ("request_changes", Role::Editor, true, true),
    ("publish_article", Role::Editor, true, true),
    ("approve_publish", Role::Editor, true, true),
    ("get_topic_prompts", Role::Admin, true, true),
    ("edit_prompts", Role::Admin, true, false),
];

fn row(name: &str) -> Requirement {
    let (_, role, topic_scoped, global_admin_override) =
        MAP.into_iter().find(|row| row.0 == name).unwrap();
    Requirement { topic_scoped, global_admin_override, ..Requirement::role(role) }
}

#[test]
fn a_015_a_global_admin_passes_where_override_is_allowed() {
    for (name, _, topic_scoped, over) in MAP {
        check(&["global:admin"], &row(name), topic_scoped.then_some("macro"), over);
    }
}

#[test]
fn a_015_with_a_topic_only_that_topic_or_global_counts() {
    for (name, role, topic_scoped, _) in MAP {
        if topic_scoped {
            check(&[&format!("macro:{role}")], &row(name), Some("macro"), true);
            check(&[&format!("equity:{role}")], &row(name), Some("macro"), false);
        }
    }
}

#[test]
fn a_015_without_a_topic_the_highest_level_decides() {
    for (name, role, topic_scoped, _) in MAP {
        if !topic_scoped {
            check(&["esg:reader", &format!("macro:{role}")], &row(name), None, true);
        }
    }
    check(&["esg:editor", "macro:reader"], &row("web_search"), None, false);
}

#[test]
fn a_016_levels_compare_by_order() {
    for held in Role::ALL {
        for needed in Role::ALL {
            check(
                &[&format!("macro:{held}")],
                &Requirement::topic_role(needed),
                Some("macro"),
                held.level() >= needed.level(),
            );
        }
    }
}

#[test]
fn a_036_the_example_user_writes_reads_and_edits_where_granted() {
    for (topic, write, edit) in
        [("macro", true, true), ("equity", false, false), ("fixed_income", false, true)]
    {
        check(&SCOPES_OF_THE_EXAMPLE, &row("write_article_content"), Some(topic), write);
        check(&SCOPES_OF_THE_EXAMPLE, &row("request_changes"), Some(topic), edit);
        check(&SCOPES_OF_THE_EXAMPLE, &row("search_articles"), Some(topic), true);
    }
    check(&SCOPES_OF_THE_EXAMPLE, &row("search_articles"), Some("esg"), false);
}

#[test]
fn a_036_a_global_reader_reads_every_topic() {
    for topic in ["macro", "equity", "fixed_income", "esg", "new_topic"] {
        check(&["global:reader"], &row("search_articles"), Some(topic), true);
        check(&["global:reader"], &row("write_article_content"), Some(topic), false);
    }
}

#[test]
fn k_26_a_global_admin_is_refused_edit_prompts() {
    check(&["global:admin"], &row("edit_prompts"), Some("macro"), false);
    check(&["global:admin", "macro:analyst"], &row("edit_prompts"), Some("macro"), false);
    check(&["global:admin", "equity:admin"], &row("edit_prompts"), Some("macro"), false);
    check(&["macro:admin"], &row("edit_prompts"), Some("macro"), true);
    check(&["~macro:admin"], &row("edit_prompts"), Some("macro"), false);
}

#[test]
fn k_27_a_topic_scoped_operation_without_a_topic_is_refused() {
    let scopes = Scopes::parse(["macro:analyst", "equity:admin"]);
    assert_eq!(permits(&scopes, &row("create_draft_article"), None), Err(Denied::TopicUnknown));
    assert_eq!(
        permits(&Scopes::parse(["global:admin"]), &row("edit_prompts"), None),
        Err(Denied::TopicUnknown)
    );
}

#[test]
fn k_08_an_analyst_passes_the_level_of_publishing_so_the_level_alone_must_not_publish() {
    // The order of A-014 puts analysts above editors; this is why publishing and deciding are capabilities.
    check(&["macro:analyst"], &row("publish_article"), Some("macro"), true);
}

#[test]
fn a_072_explicit_scopes_replace_the_comparison_of_levels() {
    let listed = Requirement {
        allowed_scopes: Some(Scopes::parse(["macro:editor"])),
        ..Requirement::topic_role(Role::Reader)
    };
    check(&["macro:editor"], &listed, Some("macro"), true);
    check(&["macro:analyst"], &listed, Some("macro"), false);
    check(&["global:admin"], &listed, Some("macro"), true);
}

#[test]
fn a_refusal_says_what_is_needed_and_where() {
    let topic = Topic::parse("macro").unwrap();
    let denied = permits(&Scopes::default(), &row("edit_prompts"), Some(&topic)).unwrap_err();
    assert_eq!(denied.to_string(), "this needs the role admin in `macro`");
    assert_eq!((denied.code(), denied.http_status()), ("PERMISSION_DENIED", 403));
}
