//! What `#[derive(Failure)]` makes of an error, variant by variant.

use countersign_failure::{Class, Failure};

#[derive(Debug, thiserror::Error, Failure)]
#[error("busy")]
#[failure(code = "BUSY", class = *class, asl = "Step.Busy", help = "wait")]
struct Busy {
    class: Class,
}

#[derive(Debug, thiserror::Error, Failure)]
#[failure(status = 422)]
enum Example {
    #[error("plain")]
    #[failure(code = "PLAIN")]
    Plain,
    #[error("later")]
    #[failure(code = "LATER", retryable, status = *status, help = Some(format!("try {name} again")))]
    Later { status: u16, name: &'static str },
    #[error(transparent)]
    #[failure(forward)]
    Forwarded(#[from] Busy),
    #[error("boxed")]
    #[failure(forward = inner, status = 409)]
    Boxed { inner: Box<dyn Failure>, _other: u8 },
    #[error("dynamic")]
    #[failure(code = _0, help = None)]
    Dynamic(&'static str),
}

#[track_caller]
fn check(error: &dyn Failure, expect: (&str, Class, u16, &str, Option<&str>)) {
    let found = (error.code(), error.class(), error.http_status(), error.asl_name(), error.help());
    let (code, class, status, asl, help) = expect;
    assert_eq!(found, (code, class, status, asl, help.map(str::to_owned)));
}

#[test]
fn a_variant_says_what_its_attributes_say() {
    check(&Example::Plain, ("PLAIN", Class::Terminal, 422, "Step.Terminal", None));
    check(
        &Example::Later { status: 429, name: "it" },
        ("LATER", Class::Retryable, 429, "Step.Retryable", Some("try it again")),
    );
    check(&Example::Dynamic("OTHER"), ("OTHER", Class::Terminal, 422, "Step.Terminal", None));
}

#[test]
fn what_is_forwarded_is_what_the_cause_says() {
    let busy = Busy { class: Class::Retryable };
    check(&Example::from(busy), ("BUSY", Class::Retryable, 503, "Step.Busy", Some("wait")));
    let boxed = Example::Boxed { inner: Box::new(Busy { class: Class::Terminal }), _other: 0 };
    check(&boxed, ("BUSY", Class::Terminal, 409, "Step.Busy", Some("wait")));
}
