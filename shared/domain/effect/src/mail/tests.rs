use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{Mail, MailAddress, shown};
use crate::http::Body;

fn mail(parts: &Value) -> Result<Mail, String> {
    Mail::of(parts.as_object().unwrap()).map_err(|error| error.to_string())
}

fn with(key: &str, value: Value) -> Value {
    let mut parts = json!({ "to": "maria@example.org", "subject": "The invoice", "text": "Dear Maria,\n\nhere it is." });
    parts[key] = value;
    parts
}

/// Name and value of everything that is shown.
fn told(body: &Body) -> Vec<(String, String)> {
    let shown = shown(body).unwrap();
    let all = shown.fields.into_iter().chain(shown.references);
    all.map(|field| (field.name, field.value)).collect()
}

#[test]
fn r_011_a_mail_is_written_as_the_standard_says() {
    let body = mail(&with("cc", json!(["\"Jo Lopez\" <jo@example.org>", "b@example.org"])))
        .unwrap()
        .body(None);
    assert_eq!(body.media, "message/rfc822");
    assert_eq!(
        body.text,
        "To: maria@example.org\r\nCc: \"Jo Lopez\" <jo@example.org>,\r\n b@example.org\r\nSubject: The invoice\r\n\
         MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n\
         Dear Maria,\r\n\r\nhere it is.\r\n"
    );
    let told = told(&body);
    let values: Vec<&str> = told.iter().map(|(_, value)| value.as_str()).collect();
    assert_eq!(
        values,
        [
            "maria@example.org",
            "jo@example.org (Jo Lopez)",
            "b@example.org",
            "The invoice",
            "Dear Maria,\n\nhere it is."
        ]
    );
}

#[test]
fn r_011_an_answer_is_in_the_thread_of_what_it_answers() {
    let mut parts = with("in_reply_to", "<b@mail.example.org>".into());
    parts["references"] = "<a@mail.example.org>".into();
    let metadata = json!({ "threadId": "18c" });
    let body = mail(&parts).unwrap().body(Some(&metadata));
    assert!(body.media.starts_with("multipart/related; boundary=countersign-"), "{}", body.media);
    assert!(body.text.contains("In-Reply-To: <b@mail.example.org>\r\nReferences: <a@mail.example.org>\r\n <b@mail.example.org>\r\n"), "{}", body.text);
    assert_eq!(shown(&body).unwrap().metadata, Some(r#"{"threadId":"18c"}"#));
    assert_eq!(mail(&parts).unwrap().body(Some(&metadata)), body, "the same bytes again");
}

/// The first recipient, as it is shown.
fn recipient(to: &str) -> Result<String, String> {
    Ok(told(&mail(&with("to", to.into()))?.body(None))[0].1.clone())
}

#[test]
fn r_011_a_name_cannot_pass_for_an_address() {
    for (to, shown) in [
        ("<help@example.org>", "help@example.org"),
        ("\"help@example.org\" <help@example.org>", "help@example.org"),
        ("\"Lopez, Maria\" <maria@example.org>", "maria@example.org (Lopez, Maria)"),
        ("Maria Lopez <maria@example.org>", "maria@example.org (Maria Lopez)"),
    ] {
        assert_eq!(recipient(to).as_deref(), Ok(shown), "{to}");
    }
    for to in [
        "\"maria@example.org\" <mallory@evil.example>",
        "maria@example.org, Mallory <mallory@evil.example>",
        "<a@b.org> <mallory@evil.example>",
        "Maria (a friend) <mallory@evil.example>",
        "=?utf-8?q?x?=@evil.example",
        "a=?utf-8?q?mallory=40evil.example?=@example.org",
        "Maria\u{200b} <mallory@evil.example>",
        "Maria\u{3000}Lopez <mallory@evil.example>",
        &format!("{} <mallory@evil.example>", "M".repeat(101)),
    ] {
        assert!(recipient(to).is_err(), "{to}: {:?}", recipient(to));
    }
}

#[test]
fn r_011_a_long_thread_is_referred_to_by_its_first_and_its_latest_mails() {
    let ids: Vec<String> = (0..80).map(|n| format!("<m{n}@[IPv6:::1]>")).collect();
    let mut parts = with("references", ids.join(" ").into());
    parts["in_reply_to"] = "<last@example.org>".into();
    let told = told(&mail(&parts).unwrap().body(None));
    let shown = told.iter().filter(|(name, _)| name == "References");
    let shown: Vec<&str> = shown.map(|(_, id)| id.as_str()).collect();
    assert_eq!((shown.len(), shown[0], shown[1]), (51, "<m0@[IPv6:::1]>", "<m31@[IPv6:::1]>"));
    assert_eq!(shown[50], "<last@example.org>");
}

#[track_caller]
fn check_refused(key: &str, value: impl Into<Value>, why: &str) {
    let parts = with(key, value.into());
    let found = mail(&parts).unwrap_err();
    assert!(found.contains(why), "{key} {}: {found}", parts[key]);
}

#[test]
fn r_011_what_would_write_a_header_of_its_own_is_refused() {
    check_refused("subject", "a\r\nBcc: mallory@example.org", "`subject` must be one line");
    check_refused("to", "maria@example.org\r\nBcc: x@example.org", "not one mail address");
    check_refused("to", "a@example.org, b@example.org", "not one mail address");
    check_refused("to", json!(["\"a\r\nBcc: m@example.org\" <a@example.org>"]), "`to`");
    check_refused("to", "maria", "not one mail address");
    check_refused("to", "maria@exämple.org", "not one mail address");
    check_refused("to", json!([]), "`to` is missing");
    check_refused("to", json!(3), "`to` is not a text");
    check_refused("to", json!(vec!["a@example.org"; 51]), "51 addresses");
    check_refused("subject", json!(["a", "b"]), "`subject` must be one text");
    check_refused("subject", "x".repeat(501), "`subject` must be one line");
    check_refused("text", "  ", "`text` is missing");
    check_refused("text", "a\u{0}b", "control characters");
    check_refused("in_reply_to", "<a@b>\r\nBcc: m@example.org", "not the id of a mail");
    check_refused("references", "<a@b> c", "not the id of a mail");
    check_refused("in_reply_to", json!(["<a@b>", "<c@d>"]), "`in_reply_to` must be one text");
    check_refused("subject", "a\u{202e}b", "invisible");
}

#[test]
fn r_011_a_body_that_is_not_written_this_way_is_shown_as_it_is() {
    let metadata = json!({});
    let good = mail(&with("cc", json!(["jo@example.org"]))).unwrap().body(Some(&metadata));
    assert!(shown(&good).is_some());
    for (from, to) in [
        ("Subject: ", "Subject:  "),
        ("Cc: jo@", "Cc: (x) jo@"),
        ("To: maria@", "Bcc: m@example.org\r\nTo: maria@"),
        ("MIME-Version: 1.0", "MIME-Version: 1.0\r\nX-More: yes"),
        ("here it is.", "here=20it is."),
        ("text/plain", "text/html"),
        ("{}", "{ }"),
        ("--\r\n", "--\r\nmore"),
    ] {
        let text = good.text.replacen(from, to, 1);
        assert_ne!(text, good.text, "{from}");
        assert!(shown(&Body { text, ..good.clone() }).is_none(), "{to}");
    }
    let other = Body { media: good.media.replace("countersign-", "x-"), ..good.clone() };
    assert!(shown(&other).is_none());
}

fn name() -> impl Strategy<Value = String> {
    "[ -~]{0,12}|[a-zäöüßéñ漢字🙂 \"\\\\.,]{0,40}|(=\\?utf-8\\?b\\?eA==\\?= ?){1,2}"
}

/// What stands before the `@`: anything that the standard has there without quotes.
fn local() -> impl Strategy<Value = String> {
    "[a-z0-9!#$%&'*+/=?^_`{|}~-]{1,20}(\\.[a-z0-9!#$%&'*+/=?^_`{|}~-]{1,8})?"
}

fn lines() -> impl Strategy<Value = String> {
    "([ -~äé漢🙂\t]{0,100}\n?){1,4}|[=a-f0-9 \n.]{1,80}|x{900,1100}"
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// What is shown of a mail is what a mail program reads in it, and what was given.
    #[test]
    fn r_011_what_is_shown_is_what_a_reader_of_mails_reads(
        names in proptest::collection::vec((name(), local()), 1..4), subject in name(), text in lines(), threads in any::<bool>(),
    ) {
        let to: Vec<String> = names.iter().map(|(name, local)| match name.trim() {
            "" => format!("{local}@example.org"),
            name => format!("\"{name}\" <{local}@example.org>"),
        }).collect();
        let parts: Map<String, Value> = json!({ "to": to, "subject": subject, "text": text }).as_object().unwrap().clone();
        let Ok(mail) = Mail::of(&parts) else {
            // Nothing to say, or a name that no address has.
            return Ok(());
        };
        let metadata = json!({ "threadId": "18c" });
        let body = mail.body(threads.then_some(&metadata));
        prop_assert!(body.text.split("\r\n").all(|line| line.len() <= 998), "{}", body.text);
        prop_assert!(body.text.is_ascii());
        let found = shown(&body);
        prop_assert!(found.is_some(), "{}", body.text);
        let fields = found.unwrap().fields;
        let of = |name: &str| -> Vec<String> {
            fields.iter().filter(|field| field.name == name).map(|field| field.value.clone()).collect()
        };
        prop_assert_eq!(of("Subject"), vec![subject.trim().to_owned()]);
        let shown: Vec<String> = mail.to.iter().map(MailAddress::shown).collect();
        prop_assert_eq!(of("To"), shown);
        let text = text.trim_end_matches('\n').to_owned();
        prop_assert_eq!(of("text"), vec![text]);
    }

    #[test]
    fn no_body_panics(media in "message/rfc822|multipart/related; boundary=[a-z-]{0,4}", text in "[ -~\r\n]{0,200}") {
        let _ = shown(&Body { media, text });
    }
}
