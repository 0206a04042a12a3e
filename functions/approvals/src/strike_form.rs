//! The form that strikes marked requests out.

use std::collections::BTreeSet;

use countersign_approval::Request;

use crate::form::{FormError, field, fields};

/// What somebody sent: the marks of the requests `first` to `last` of a step, which are those the page showed.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct StrikeForm {
    pub(crate) nonce: String,
    pub(crate) step: String,
    pub(crate) first: u32,
    pub(crate) last: u32,
    /// The marked requests, numbered from 1.
    pub(crate) rows: BTreeSet<u32>,
    pub(crate) code: Option<String>,
}

impl StrikeForm {
    /// Reads the form. What is not whole changes nothing (K-01).
    pub(crate) fn read(content_type: Option<&str>, body: &[u8]) -> Result<Self, FormError> {
        let fields = fields(content_type, body)?;
        let need = |name, limit| field(&fields, name, limit)?.ok_or(FormError::Missing(name));
        let (first, last) = (number(&need("first", 10)?)?, number(&need("last", 10)?)?);
        let mut rows = BTreeSet::new();
        for (_, value) in fields.iter().filter(|(name, _)| name == "row") {
            let row = number(value)?;
            if !(first..=last).contains(&row) || !rows.insert(row) {
                return Err(FormError::Rows);
            }
        }
        let (nonce, step) = (need("nonce", 1_000)?, need("step", 200)?);
        let code = field(&fields, "code", 40)?.filter(|code| !code.trim().is_empty());
        Ok(Self { nonce, step, first, last, rows, code })
    }

    /// All requests of the step that are struck afterwards, numbered from 0: the marked ones, and of those without a mark on
    /// the page those that are struck already.
    pub(crate) fn indices(&self, request: &Request) -> Vec<u32> {
        let shown = |n: &u32| (self.first..=self.last).contains(n);
        let before = struck(request, &self.step).into_iter().filter(|n| !shown(n));
        let all: BTreeSet<u32> = before.chain(self.rows.iter().copied()).collect();
        all.into_iter().map(|n| n - 1).collect()
    }
}

/// The struck requests of a step, numbered from 1.
pub(crate) fn struck(request: &Request, step: &str) -> BTreeSet<u32> {
    let of_step = request.covers.iter().filter(|covered| covered.step == step);
    of_step.flat_map(|covered| &covered.struck).map(|n| n.saturating_add(1)).collect()
}

/// A number of a request: from 1.
fn number(text: &str) -> Result<u32, FormError> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.filter(|_| text.bytes().all(|byte| byte.is_ascii_digit())).ok_or(FormError::Rows)
}

#[cfg(test)]
mod tests {
    use super::StrikeForm;
    use crate::form::FormError;

    const KIND: Option<&str> = Some("application/x-www-form-urlencoded");

    #[track_caller]
    fn check(rest: &str, expect: &Result<Vec<u32>, FormError>) {
        let body = format!("nonce=n&step=pay&first=1&last=40{rest}");
        let read = StrikeForm::read(KIND, body.as_bytes());
        assert_eq!(read.map(|form| form.rows.into_iter().collect()), *expect, "{rest}");
    }

    #[test]
    fn k_01_only_a_whole_form_strikes() {
        check("", &Ok(vec![]));
        check("&row=18&row=4", &Ok(vec![4, 18]));
        check("&row=4&row=4", &Err(FormError::Rows));
        check("&row=0", &Err(FormError::Rows));
        check("&row=41", &Err(FormError::Rows));
        check("&row=%2B4", &Err(FormError::Rows));
        check("&row=", &Err(FormError::Rows));
        check("&step=other", &Err(FormError::Repeated("step".to_owned())));
        let missing = StrikeForm::read(KIND, b"nonce=n&first=1&last=2");
        assert_eq!(missing.err(), Some(FormError::Missing("step")));
        assert_eq!(StrikeForm::read(None, b"").err(), Some(FormError::NotAForm));
    }
}
