//! What people see of an effect: one value that pages, REST and the command line render.
//!
//! Every member of the effect is in it once, under its wire name and with its raw value; nothing is cut here. Whoever
//! renders it may shorten, with a mark that says how much is left out and where all of it is.

mod body;
mod changes;
mod file;
#[cfg(any(test, debug_assertions))]
pub mod samples;

use schemars::JsonSchema;
use serde::Serialize;
use url::Url;

use crate::http::{Effect, HttpEffect, Part, SECRET_PLACE, SecretForm, SecretPart};

pub use body::{Content, path_step};
pub use changes::{Change, changes};

/// An effect as people read it, in this order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EffectView {
    /// Where it goes.
    pub target: Target,
    /// Which credential it is sent with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account: Option<Account>,
    /// What is sent, beginning with what matters: body, query, headers.
    pub sections: Vec<Section>,
    /// The connector and endpoint that make the request.
    pub via: String,
}

/// Where a request goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "EffectTarget")]
pub struct Target {
    /// `POST`, …
    pub method: String,
    /// The whole address without its query, as it is sent.
    pub url: String,
    /// The host as it is dialled: names of other scripts in punycode.
    pub host: String,
    /// The host in its own script, when that differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unicode_host: Option<String>,
    /// The port, when it is not the scheme's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    /// The path, percent-encoded as it is sent.
    pub path: String,
}

/// Which credential a request is sent with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "EffectAccount")]
pub struct Account {
    /// The credential's id.
    pub credential: String,
    /// How it is used.
    pub auth: String,
    /// Further facts: `token_url`, `scope`, `client_auth`.
    pub details: Vec<(String, String)>,
}

/// One part of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "EffectSection")]
pub struct Section {
    /// Which part.
    pub part: SectionPart,
    /// The media type, of a body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub media: Option<String>,
    /// What stands there.
    pub content: Content,
}

/// A part of a request, in the order in which parts are shown.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    JsonSchema,
    strum::IntoStaticStr,
    strum::VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[schemars(rename = "EffectSectionPart")]
pub enum SectionPart {
    /// The body.
    Body,
    /// The query.
    Query,
    /// The headers.
    #[strum(serialize = "header")]
    Headers,
    /// The path, where it holds a secret.
    Path,
}

impl SectionPart {
    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// One value under its wire name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "EffectField")]
pub struct Field {
    /// The name as it is sent; inside JSON the way to the value: `lines[0].amount`. Of a mail the header's name, `text`, or the way
    /// into the JSON that is about it: `metadata.threadId`.
    pub name: String,
    /// The value as it is sent.
    pub value: String,
    /// What kind of value it is.
    pub kind: ValueKind,
}

/// What kind of value a field has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "EffectValueKind")]
pub enum ValueKind {
    /// A string; shown without its quotes.
    Text,
    /// A number.
    Number,
    /// `true` or `false`.
    Boolean,
    /// `null`.
    Null,
    /// `[]` or `{}`.
    Empty,
    /// The place of a secret: the value says which and how, never what.
    Secret,
}

impl EffectView {
    /// The view of an effect.
    #[must_use]
    pub fn of(effect: &Effect) -> Self {
        let http = match effect {
            Effect::Http(http) => http,
            Effect::File(file) => return file::view(file),
        };
        Self {
            target: target(http),
            account: account(http),
            sections: sections(http),
            via: format!("{}.{}", http.via.connector, http.via.endpoint),
        }
    }

    /// How many values it shows.
    #[must_use]
    pub fn fields(&self) -> usize {
        self.sections.iter().map(|section| section.content.len()).sum()
    }
}

fn target(http: &HttpEffect) -> Target {
    let url = Url::parse(&http.url).ok();
    let host = url.as_ref().and_then(Url::host_str).unwrap_or_default().to_owned();
    Target {
        method: http.method.clone(),
        url: http.url.clone(),
        unicode_host: unicode(&host),
        host,
        port: url.as_ref().and_then(Url::port),
        path: path(http, url.as_ref()),
    }
}

/// The path as it is sent; the place of a secret as the effect writes it.
fn path(http: &HttpEffect, url: Option<&Url>) -> String {
    if http.path_secret.is_some() {
        let address = http.url.split_once("://").map_or("", |(_, address)| address);
        return address.find('/').map_or("", |at| &address[at..]).to_owned();
    }
    url.map(|url| url.path().to_owned()).unwrap_or_default()
}

/// The host in its own script, when it is sent in punycode.
fn unicode(host: &str) -> Option<String> {
    let (unicode, _) = idna::domain_to_unicode(host);
    (unicode != host).then_some(unicode)
}

fn account(http: &HttpEffect) -> Option<Account> {
    let used = http.credential.as_ref()?;
    let details = [
        ("token_url", &used.token_url),
        ("scope", &used.scope),
        ("client_auth", &used.client_auth),
    ];
    let told = |(name, value): (&str, &Option<String>)| Some((name.to_owned(), value.clone()?));
    Some(Account {
        credential: used.id.clone(),
        auth: used.auth.clone(),
        details: details.into_iter().filter_map(told).collect(),
    })
}

fn sections(http: &HttpEffect) -> Vec<Section> {
    let body = http.body.as_ref().map(|body| Section {
        part: SectionPart::Body,
        media: Some(body.media.clone()),
        content: Content::of_body(body),
    });
    let listed = |part: SectionPart, parts: &[(String, Part)]| {
        let fields = parts.iter().map(|(name, part)| field(name, part)).collect::<Vec<_>>();
        (!fields.is_empty()).then_some(Section {
            part,
            media: None,
            content: Content::Fields(fields),
        })
    };
    let in_path: Vec<(String, Part)> = http
        .path_secret
        .iter()
        .map(|of| (SECRET_PLACE.to_owned(), Part::Secret(of.clone())))
        .collect();
    [
        body,
        listed(SectionPart::Query, &http.query),
        listed(SectionPart::Headers, &http.headers),
        listed(SectionPart::Path, &in_path),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn field(name: &str, part: &Part) -> Field {
    let (value, kind) = match part {
        Part::Text(text) => (text.clone(), ValueKind::Text),
        Part::Secret(secret) => (secret_text(secret), ValueKind::Secret),
    };
    Field { name: name.to_owned(), value, kind }
}

fn secret_text(secret: &SecretPart) -> String {
    let SecretPart { secret: part, form, scheme } = secret;
    match (form, scheme) {
        (SecretForm::Plain, _) => format!("the credential's {part}"),
        (SecretForm::Bearer, _) => format!("Bearer, then the credential's {part}"),
        (SecretForm::Basic, _) => format!("Basic, then the credential's {part} in base64"),
        (SecretForm::Scheme, scheme) => {
            let word = scheme.as_deref().unwrap_or_default();
            format!("{word}, then the credential's {part}")
        }
    }
}

#[cfg(test)]
mod tests;
