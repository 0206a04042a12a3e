//! What is said of a model that did not answer, or not as it should.

use countersign_failure::Failure as _;
use countersign_http_out::HttpError;
use countersign_model::ModelError;

use super::*;
use crate::error::advice;

/// Each error of a provider once, except for what has the same words with another number.
fn all() -> Vec<ModelError> {
    let host = || "models.example".to_owned();
    let http = [
        HttpError::Refused { host: host(), reason: "it is not public" },
        HttpError::Redirect { host: host(), reason: "too often" },
        HttpError::Timeout { host: host(), connected: true },
        HttpError::Network {
            host: host(),
            reason: "it ended the agreement on TLS",
            connected: false,
        },
        HttpError::TooLarge { host: host(), max_bytes: 9 },
        HttpError::Request("it names no host".to_owned()),
    ];
    let again_at = Some(Timestamp::UNIX_EPOCH);
    let own = [
        ModelError::Unsigned("there is no region".to_owned()),
        ModelError::NotPermitted { status: 403 },
        ModelError::Key(Box::new(HttpError::Timeout { host: host(), connected: false })),
        ModelError::KeyRejected { status: 401 },
        ModelError::Throttled { again_at },
        ModelError::Unavailable { status: 500, again_at: None },
        ModelError::Unavailable { status: 503, again_at },
        ModelError::Rejected { status: 404, message: "no such model".to_owned() },
        ModelError::Unreadable("it has no `choices`".to_owned()),
        ModelError::BrokeOff("overloaded".to_owned()),
        ModelError::Cut { max_tokens: 9 },
        ModelError::Declined,
        ModelError::Stopped,
    ];
    http.into_iter().map(ModelError::Http).chain(own).collect()
}

#[test]
fn f_056_whatever_a_provider_fails_with_is_said_once() {
    for error in all() {
        let (said, code) = (error.to_string(), error.code());
        let told = ActionError::from(LlmError::Model(error));
        assert_eq!((told.message, told.code), (said, code));
    }
}

#[test]
fn f_145_only_settings_that_there_are_are_named_when_an_answer_is_wrong() {
    let mut call = judge();
    let mut check = |action: &str, playbook: Option<&str>, names: &[&str]| {
        call.action = action.to_owned();
        call.info.playbook_id = playbook.map(str::to_owned);
        let said = advice(&call);
        let known =
            ["`instructions`", "`system_prompt`", "`system_prompt_additions`", "`specialists`"];
        let found: Vec<&str> = known.into_iter().filter(|name| said.contains(name)).collect();
        assert_eq!(found, names, "{action}: {said}");
    };
    check("llm_analyze", Some("p"), &["`instructions`"]);
    check("research_with_tools", Some("p"), &["`system_prompt`"]);
    check("plan_tasks", Some("p"), &["`specialists`"]);
    check("extract_facts", Some("p"), &[]);
    check("research_with_tools", None, &["`system_prompt_additions`"]);
    check("llm_analyze", None, &["`system_prompt_additions`"]);
    check("plan_tasks", None, &["`specialists`"]);
}
