//! The form of the decision page and of the code page.

use std::collections::BTreeMap;

use countersign_approval::{Choice, CodeScope, OutcomeAnswer, Verdict};
use countersign_letter::page::MAX_NOTE;

/// The most bytes of a form: a note of 2,000 characters and evidence of 20,000, each percent-encoded, and the rest.
pub(crate) const MAX_BODY: usize = 320 * 1024;

/// What somebody sent.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Form {
    pub(crate) nonce: String,
    pub(crate) verdict: Verdict,
    /// The choice for each call, where the page asks for them.
    pub(crate) choices: BTreeMap<u32, Choice>,
    /// The evidence for each call.
    pub(crate) evidence: BTreeMap<u32, String>,
    pub(crate) note: Option<String>,
    pub(crate) code: Option<String>,
}

/// Why a form cannot be read. Nothing is changed (K-01).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum FormError {
    #[error("the form is larger than 320 KB")]
    TooLarge,
    #[error("the body is not a form")]
    NotAForm,
    #[error("the field `{0}` is missing")]
    Missing(&'static str),
    #[error("the field `{0}` is there more than once")]
    Repeated(String),
    #[error("the field `{0}` does not name a call")]
    Call(String),
    #[error("the field `{0}` is neither `done`, `not_done` nor `again`")]
    Choice(String),
    #[error(
        "a field `row`, `first` or `last` does not number a request of the page, or does so twice"
    )]
    Rows,
    #[error("the field `decision` is none of `approve`, `deny`, `enhance` and `override`")]
    Decision,
    #[error("the note is longer than 2,000 characters")]
    NoteTooLong,
    #[error("the field `{0}` is too long")]
    TooLong(&'static str),
}

impl FormError {
    /// The status of the answer.
    pub(crate) fn http_status(&self) -> u16 {
        match self {
            Self::TooLarge => 413,
            _ => 422,
        }
    }
}

impl Form {
    /// Reads `application/x-www-form-urlencoded`. A field that is there twice is refused: two readers of one form must
    /// not come to two decisions.
    pub(crate) fn read(content_type: Option<&str>, body: &[u8]) -> Result<Self, FormError> {
        let fields = fields(content_type, body)?;
        let nonce = field(&fields, "nonce", 1_000)?.ok_or(FormError::Missing("nonce"))?;
        let decision = field(&fields, "decision", 20)?.ok_or(FormError::Missing("decision"))?;
        let verdict = decision.parse().map_err(|_| FormError::Decision)?;
        // Browsers send line breaks of a text area as CR LF.
        let note = field(&fields, "note", usize::MAX)?
            .map(|note| note.replace("\r\n", "\n").trim().to_owned());
        let note = note.filter(|note| !note.is_empty());
        if note.as_ref().is_some_and(|note| note.chars().count() > MAX_NOTE) {
            return Err(FormError::NoteTooLong);
        }
        let code = field(&fields, "code", 40)?.filter(|code| !code.trim().is_empty());
        let choice =
            |name: &str, word: &str| word.parse().map_err(|_| FormError::Choice(name.to_owned()));
        let choices = numbered(&fields, "choice-", choice)?;
        let evidence = numbered(&fields, "evidence-", |_, text| Ok(text.trim().to_owned()))?;
        let evidence = evidence.into_iter().filter(|(_, text)| !text.is_empty()).collect();
        Ok(Self { nonce, verdict, choices, evidence, note, code })
    }

    /// The answers it gives.
    pub(crate) fn answers(&self) -> Vec<OutcomeAnswer> {
        let one = |(n, choice): (&u32, &Choice)| {
            OutcomeAnswer::new(*n, *choice, self.evidence.get(n).map(String::as_str))
        };
        self.choices.iter().map(one).collect()
    }

    /// What a code for this decision is bound to.
    pub(crate) fn scope(&self) -> CodeScope {
        match &self.note {
            Some(instructions) if self.verdict.revises() => {
                CodeScope::of_revision(self.verdict, instructions)
            }
            _ => CodeScope::of(self.verdict, &self.answers()),
        }
    }

    /// Whether it says something of a call, and does not approve that.
    pub(crate) fn contradicts_itself(&self) -> bool {
        let says = !self.choices.is_empty() || !self.evidence.is_empty();
        says && self.verdict != Verdict::Approve
    }
}

/// The fields `{prefix}{n}`, each of which may be there once; blank ones are left out.
fn numbered<T>(
    fields: &[(String, String)],
    prefix: &str,
    read: impl Fn(&str, &str) -> Result<T, FormError>,
) -> Result<BTreeMap<u32, T>, FormError> {
    let mut found = BTreeMap::new();
    for (name, value) in fields {
        let Some(number) = name.strip_prefix(prefix) else { continue };
        let n: u32 = number.parse().map_err(|_| FormError::Call(name.clone()))?;
        // `+1` and `01` are other texts for the same call.
        if n.to_string() != number {
            return Err(FormError::Call(name.clone()));
        }
        if !value.is_empty() && found.insert(n, read(name, value)?).is_some() {
            return Err(FormError::Repeated(name.clone()));
        }
    }
    Ok(found)
}

/// The fields of a form, in order.
pub(crate) fn fields(
    content_type: Option<&str>,
    body: &[u8],
) -> Result<Vec<(String, String)>, FormError> {
    if body.len() > MAX_BODY {
        return Err(FormError::TooLarge);
    }
    let kind =
        content_type.and_then(|value| value.split(';').next()).map(str::trim).unwrap_or_default();
    if !kind.eq_ignore_ascii_case("application/x-www-form-urlencoded") {
        return Err(FormError::NotAForm);
    }
    form_urlencoded(body)
}

/// A field that may be there once.
pub(crate) fn field(
    fields: &[(String, String)],
    name: &'static str,
    limit: usize,
) -> Result<Option<String>, FormError> {
    let mut values = fields.iter().filter(|(field, _)| field == name).map(|(_, value)| value);
    match (values.next(), values.next()) {
        (Some(_), Some(_)) => Err(FormError::Repeated(name.to_owned())),
        (Some(value), None) if value.len() > limit => Err(FormError::TooLong(name)),
        (value, _) => Ok(value.filter(|value| !value.is_empty()).cloned()),
    }
}

fn form_urlencoded(body: &[u8]) -> Result<Vec<(String, String)>, FormError> {
    let text = std::str::from_utf8(body).map_err(|_| FormError::NotAForm)?;
    let decode = |part: &str| {
        let spaced = part.replace('+', " ");
        let decoded = percent_encoding::percent_decode_str(&spaced)
            .decode_utf8()
            .map_err(|_| FormError::NotAForm)?;
        Ok(decoded.into_owned())
    };
    let pairs = text.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Ok((decode(name)?, decode(value)?))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Form, FormError, MAX_BODY};
    use countersign_approval::{Choice, CodeScope, OutcomeAnswer, Verdict};

    const KIND: Option<&str> = Some("application/x-www-form-urlencoded; charset=UTF-8");

    fn check(body: &str, expect: &Result<Verdict, FormError>) {
        assert_eq!(Form::read(KIND, body.as_bytes()).map(|form| form.verdict), *expect, "{body}");
    }

    #[test]
    fn k_01_only_a_whole_form_is_a_decision() {
        check("nonce=n&decision=approve", &Ok(Verdict::Approve));
        check("decision=deny&nonce=n&note=", &Ok(Verdict::Deny));
        check("decision=approve", &Err(FormError::Missing("nonce")));
        check("nonce=n", &Err(FormError::Missing("decision")));
        check("nonce=n&decision=", &Err(FormError::Missing("decision")));
        check("nonce=n&decision=OK", &Err(FormError::Decision));
        check("nonce=n&decision=Approve", &Err(FormError::Decision));
        check(
            "nonce=n&decision=approve&decision=deny",
            &Err(FormError::Repeated("decision".to_owned())),
        );
        check("nonce=n&decision=approve&note=%ff", &Err(FormError::NotAForm));
        check("", &Err(FormError::Missing("nonce")));
    }

    #[test]
    fn k_09_a_wish_is_read_with_its_instructions_and_says_nothing_of_calls() {
        check("nonce=n&decision=enhance&note=less", &Ok(Verdict::Enhance));
        check("nonce=n&decision=override&note=less", &Ok(Verdict::Override));
        let read = |body: &str| Form::read(KIND, body.as_bytes()).unwrap();
        let less = read("nonce=n&decision=enhance&note=+less+");
        assert_eq!(less.scope(), CodeScope::of_revision(Verdict::Enhance, "less"));
        assert_ne!(less.scope(), read("nonce=n&decision=enhance&note=more").scope());
        assert!(
            read("nonce=n&decision=enhance&note=less&choice-0=done&evidence-0=x")
                .contradicts_itself()
        );
    }

    #[test]
    fn a_json_body_is_no_form() {
        let read = Form::read(Some("application/json"), b"{\"decision\":\"approve\"}");
        assert_eq!(read.err(), Some(FormError::NotAForm));
        assert_eq!(Form::read(None, b"nonce=n&decision=approve").err(), Some(FormError::NotAForm));
    }

    #[test]
    fn k_49_answers_are_read_for_each_call() {
        let form = Form::read(
            KIND,
            b"nonce=n&decision=approve&choice-0=done&evidence-0=+statement+47+&choice-3=again&evidence-3=",
        )
        .unwrap();
        let answers = [
            OutcomeAnswer::new(0, Choice::Done, Some("statement 47")),
            OutcomeAnswer::new(3, Choice::Again, None),
        ];
        assert_eq!(form.answers(), answers);
        let part = |text: &str| format!("nonce=n&decision=approve&{text}");
        check(&part("choice-0=maybe"), &Err(FormError::Choice("choice-0".to_owned())));
        check(&part("choice-x=done"), &Err(FormError::Call("choice-x".to_owned())));
        check(&part("choice-01=done"), &Err(FormError::Call("choice-01".to_owned())));
        check(
            &part("choice-0=done&choice-0=again"),
            &Err(FormError::Repeated("choice-0".to_owned())),
        );
        let denied = Form::read(KIND, b"nonce=n&decision=deny&evidence-0=seen").unwrap();
        assert!(denied.contradicts_itself() && !form.contradicts_itself());
    }

    #[test]
    fn notes_and_codes_are_decoded_and_bounded() {
        let form = Form::read(
            KIND,
            b"nonce=n&decision=deny&note=Gr%C3%BC%C3%9Fe%0D%0Aan+alle&code=48+15+16",
        )
        .unwrap();
        assert_eq!(form.note.as_deref(), Some("Grüße\nan alle"));
        assert_eq!(form.code.as_deref(), Some("48 15 16"));
        check(
            &format!("nonce=n&decision=deny&note={}", "x".repeat(2_001)),
            &Err(FormError::NoteTooLong),
        );
        check(
            &format!("nonce=n&decision=deny&note={}", "%F0%9F%98%80".repeat(2_000)),
            &Ok(Verdict::Deny),
        );
        check(
            &format!("nonce=n&decision=deny&code={}", "1".repeat(41)),
            &Err(FormError::TooLong("code")),
        );
        check(&"x".repeat(MAX_BODY + 1), &Err(FormError::TooLarge));
    }
}
