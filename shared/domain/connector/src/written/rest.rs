//! An endpoint of a `rest_api` (F-096, K-76).

use countersign_document::{AnyCase, Rules};
use indexmap::IndexMap;
use serde_json::Value;

use super::details::Details;
use super::endpoint::{Ends, Shared, endpoint};
use super::headers::{Headers, check_free, headers};
use super::mail_body;
use super::mapping::{AnswerMapping, AnswerOutput, inferred};
use super::pages::Pages;
use super::placeholders::{self, Scalar};
use super::success_rule::SuccessRule;
use super::text::{HeaderName, UrlPath};
use crate::embed;
use crate::header::is_header;
use crate::model::{
    self, Auth, BodyFormat, Connection, MAX_DETAILS, Method, Operation, OutputSchema, PagePlace,
    Pagination, RequestRules,
};
use crate::request;

endpoint! {
    /// A request.
    RestEndpoint, parameters: "parameters", mapping: AnswerMapping, output: AnswerOutput,
    {
        /// The request's method; all but GET and HEAD have an effect and need a signature.
        #[serde(default)]
        method: AnyCase<Method>,
        /// Vouches that a POST only searches: it needs no signature.
        #[serde(default)]
        safe: bool,
        /// Appended to the base URL; `{name}` is replaced by a parameter, percent-encoded.
        path: UrlPath,
        /// Fixed query parameters; a value that is wholly `{name}` takes the parameter's.
        #[serde(default)]
        query: IndexMap<String, Scalar>,
        /// Headers of this endpoint.
        #[serde(default)]
        headers: Headers,
        /// A body; a value that is wholly `{name}` takes the parameter's.
        body: Option<Value>,
        /// How the body is written; a form is flat, and a mail has `message` and perhaps `metadata`.
        #[serde(default)]
        body_format: BodyFormat,
        /// How pages follow each other.
        #[serde(default)]
        pagination: Pages,
        /// Where the answer itself says whether the call succeeded, when its status does not.
        verdict: Option<SuccessRule>,
        /// The request for each record, where the answer only lists them; the mapping's fields are then those of its answer.
        details: Option<Details>,
    }
}

impl Ends for RestEndpoint {
    fn shared(&self) -> Shared<'_> {
        self.shared_keys()
    }

    fn operation(&self, _: &[model::Parameter]) -> Option<(Operation, OutputSchema)> {
        let rules = self.model();
        let output = inferred(&rules.mapping.fields);
        Some((Operation::Request(Box::new(rules)), output))
    }

    fn rules(
        &self,
        parameters: &[model::Parameter],
        connection: Option<&Connection>,
        rules: &mut Rules<'_>,
    ) {
        rules.within("response_mapping", |rules| self.response_mapping.rules(rules));
        placeholders::path(self.path.as_str(), parameters, rules);
        let key = match connection.and_then(Connection::auth) {
            Some(Auth::ApiKeyQuery { key_param }) => Some(key_param.as_str()),
            _ => None,
        };
        placeholders::query(&self.query, parameters, key, rules);
        if let Some(connection) = connection {
            rules.within("headers", |rules| {
                check_free(&self.headers, connection.auth(), Some(connection.key_header()), rules);
            });
        }
        if let Some(body) = &self.body {
            rules.refuse_unquoted("placeholder", "/body", &|_| false);
            placeholders::body("/body", body, parameters, rules);
        }
        if rules.is_sound("/method") && rules.is_sound("/safe") && rules.is_sound("/pagination") {
            self.check_method(rules);
            self.check_body(rules);
            self.check_credential(connection, rules);
            self.check_mail(parameters, connection, rules);
            self.check_details(connection, rules);
        }
    }
}

impl RestEndpoint {
    fn model(&self) -> RequestRules {
        RequestRules {
            method: self.method.0,
            safe: self.safe,
            path: self.path.as_str().to_owned(),
            query: placeholders::texts(&self.query),
            headers: headers(&self.headers),
            body: self.body.clone(),
            body_format: self.body_format,
            pagination: self.pagination.model(),
            mapping: self.response_mapping.json(self.output_schema.as_ref()),
            verdict: self.verdict.clone().map(SuccessRule::model),
            details: self.details.as_ref().map(Details::model),
        }
    }

    /// What goes with which method. Problems are at the method, and at the endpoint when it names none.
    fn check_method(&self, rules: &mut Rules<'_>) {
        let at = if rules.is_written("/method") { "/method" } else { "" };
        let method = self.method.0;
        if self.safe && method != Method::Post && !method.reads() {
            rules.error("safe", at, "only a POST that searches can be called safe");
        }
        if self.safe && method.reads() {
            let message = format!("`safe` has no effect: a {} only reads", method.as_str());
            rules.warning("safe", "/safe", message);
        }
        let is_mail = self.body_format == BodyFormat::Mail;
        if method.reads() && self.body.is_some() && !is_mail {
            let hint = "leave it out, or name another `method`".to_owned();
            rules.at_key("body", "/body", "a GET or HEAD request has no body", hint);
        }
        if method.reads() && self.pagination.place() == PagePlace::Body {
            let message = "a GET or HEAD request has no body for the page to be in";
            rules.at_key("pagination", "/pagination", message, None);
        }
        if matches!(self.pagination, Pages::None { .. }) {
            for key in ["max_pages", "max_records"] {
                let at = format!("/pagination/{key}");
                if rules.is_written(&at) {
                    let message = format!("`{key}` has no effect: one answer is all there is");
                    rules.warning("pagination", &at, message);
                }
            }
        }
        let has_effect = !method.reads() && !self.safe;
        if has_effect && !matches!(self.pagination.model(), Pagination::None) {
            let message = "a request with an effect is sent once and has no pages";
            let hint = "if it only reads, say so with `safe: true`".to_owned();
            rules.hinted("pagination", at, message, hint);
        }
        if method.reads() && self.body_format == BodyFormat::Form {
            rules.error("body_format", "/body_format", "a GET or HEAD request has no body");
        }
        if method.reads() && is_mail {
            let message = format!("a mail is sent, and this is a {}", method.as_str());
            rules.hinted("body_format", "/body_format", message, "add `method: POST`".to_owned());
        }
    }

    /// A credential in the path would be told by what a call that reads leaves behind: in records and messages.
    fn check_credential(&self, connection: Option<&Connection>, rules: &mut Rules<'_>) {
        let auth = connection.and_then(Connection::auth);
        if matches!(auth, Some(Auth::PathToken { .. })) && (self.method.0.reads() || self.safe) {
            let message = "with `path_token`, endpoints must have an effect";
            rules.error("auth", "/path", message);
        }
    }

    /// A mail is written as a whole, and is sent by a signature.
    fn check_mail(
        &self,
        parameters: &[model::Parameter],
        connection: Option<&Connection>,
        rules: &mut Rules<'_>,
    ) {
        if self.body_format != BodyFormat::Mail {
            return;
        }
        let in_path = request::placeholders(self.path.as_str()).unwrap_or_default();
        let in_query = |name: &str| {
            let mut texts = self.query.values().map(Scalar::text);
            texts.any(|text| embed::names(&text).contains(&name))
        };
        let is_elsewhere = |name: &str| in_path.contains(&name) || in_query(name);
        mail_body::rules(self.body.as_ref(), parameters, is_elsewhere, rules);
        if self.safe {
            rules.error("safe", "/safe", "a request that sends a mail does not only search");
        }
        let message = "a mail has a media type of its own: no header may set `content-type`";
        if let Some(name) = self.headers.keys().map(HeaderName::as_str).find(|name| is_media(name))
        {
            let pointer = format!("/headers/{}", countersign_document::escaped(name));
            rules.at_key("header", &pointer, message, None);
        }
        let shared = match connection {
            Some(Connection::RestApi(rest)) => Some(&rest.headers),
            _ => None,
        };
        if shared.into_iter().flat_map(IndexMap::keys).any(|name| is_media(name)) {
            let hint = "set it at the endpoints that send no mail".to_owned();
            rules.hinted("header", "/body_format", message, hint);
        }
    }

    /// What is read record by record, an answer lists.
    fn check_details(&self, connection: Option<&Connection>, rules: &mut Rules<'_>) {
        let Some(details) = &self.details else { return };
        rules.within("details", |rules| {
            details.rules(connection.and_then(Connection::auth), rules);
        });
        if !self.method.0.reads() && !self.safe {
            let message = "a request with an effect is sent once and has no details";
            let hint = "if it only reads, say so with `safe: true`".to_owned();
            rules.hinted("details", "/details", message, hint);
        }
        if self.method.0 == Method::Head {
            rules.error("details", "/details", "the answer to a HEAD request lists nothing");
        }
        if self.response_mapping.is_of_columns() {
            let message =
                "with `details` each record is read by itself: leave out `layout: columns`";
            rules.error("details", "/response_mapping/layout", message);
        }
        if self.verdict.is_some() {
            let message = "with `details`, answers are not asked whether the call succeeded";
            rules.error("details", "/verdict", message);
        }
        let at = "/pagination/max_records";
        if rules.is_written(at) && self.pagination.model().bounds().max_records > MAX_DETAILS {
            let message = format!("with `details`, at most {MAX_DETAILS} records are read");
            rules.error("details", at, message);
        }
    }

    /// What is in a body needs one, and a form is flat.
    fn check_body(&self, rules: &mut Rules<'_>) {
        let is_form = self.body_format == BodyFormat::Form;
        let Some(body) = &self.body else { return };
        let Some(entries) = body.as_object() else {
            if is_form || self.pagination.place() == PagePlace::Body {
                let message = "the body must be a mapping to be a form or to hold the page";
                rules.error("body", "/body", message);
            }
            return;
        };
        let nested = |value: &Value| match value {
            Value::Object(_) => true,
            Value::Array(items) => items.iter().any(|item| item.is_object() || item.is_array()),
            _ => false,
        };
        for (name, _) in entries.iter().filter(|(_, value)| is_form && nested(value)) {
            let message = format!("a form is flat: `{name}` must be one value or a list of them");
            rules.error("body", &format!("/body/{}", countersign_document::escaped(name)), message);
        }
    }
}

/// Whether a header is that of the media type.
fn is_media(name: &str) -> bool {
    is_header(name, "content-type")
}
