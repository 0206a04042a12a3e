//! The request that a view shows, written out by somebody who has only the view and the secrets.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use countersign_effect::view::{Content, EffectView, Field, Section, SectionPart, ValueKind};

use super::wire::{Received, TOKEN, TOKEN_PATH};

type Secrets<'s> = BTreeMap<&'s str, &'s str>;

/// The request, with the secrets in the places that the view names.
pub(super) fn request(view: &EffectView, secrets: &Secrets<'_>) -> Result<Received, String> {
    let target = &view.target;
    let mut received = Received {
        host: format!("{}{}", target.host, port(target.port)),
        method: target.method.clone(),
        target: target.path.clone(),
        headers: Vec::new(),
        body: Vec::new(),
    };
    for section in &view.sections {
        match section.part {
            SectionPart::Query => {
                received.target += &format!("?{}", form(&filled(section, secrets)?));
            }
            SectionPart::Path => {
                for (place, secret) in filled(section, secrets)? {
                    received.target = received.target.replacen(&place, &secret, 1);
                }
            }
            SectionPart::Headers => received.headers.extend(filled(section, secrets)?),
            SectionPart::Body => {
                let media = section.media.clone().ok_or("a body has no media type")?;
                // What is in a mail is compared apart.
                if !is_mail(&media) {
                    received.body = body(section, &media, secrets)?;
                }
                received.headers.push(("content-type".to_owned(), media));
            }
        }
    }
    received.headers.sort();
    Ok(received)
}

/// Whether a media type is that of a mail, by itself or behind JSON.
pub(super) fn is_mail(media: &str) -> bool {
    media == "message/rfc822" || media.starts_with("multipart/related;")
}

/// The request that buys a token, when the account says that one is bought.
pub(super) fn token_request(view: &EffectView, secrets: &Secrets<'_>) -> Option<Received> {
    let details: BTreeMap<_, _> = view.account.as_ref()?.details.iter().cloned().collect();
    let url = url::Url::parse(details.get("token_url")?).unwrap();
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let mut pairs = match secrets.get("refresh_token") {
        Some(consent) => {
            vec![pair("grant_type", "refresh_token"), pair("refresh_token", consent)]
        }
        None => vec![pair("grant_type", "client_credentials")],
    };
    pairs.extend(details.get("scope").map(|scope| pair("scope", scope)));
    let mut headers = vec![
        pair("accept", "application/json"),
        pair("content-type", "application/x-www-form-urlencoded"),
        pair("user-agent", "Countersign"),
    ];
    let (id, secret) = (secrets["client_id"], secrets["client_secret"]);
    if details.get("client_auth").is_some_and(|place| place == "body") {
        pairs.extend([pair("client_id", id), pair("client_secret", secret)]);
    } else {
        // RFC 6749, section 2.3.1: both are encoded as in a form first.
        let both = format!("{}:{}", encode(id), encode(secret));
        headers.push(pair("authorization", &format!("Basic {}", base64(both.as_bytes()))));
    }
    headers.sort();
    assert_eq!(url.path(), TOKEN_PATH);
    Some(Received {
        host: format!("127.0.0.1{}", port(url.port())),
        method: "POST".to_owned(),
        target: TOKEN_PATH.to_owned(),
        headers,
        body: form(&pairs).into_bytes(),
    })
}

fn port(port: Option<u16>) -> String {
    port.map(|port| format!(":{port}")).unwrap_or_default()
}

fn filled(section: &Section, secrets: &Secrets<'_>) -> Result<Vec<(String, String)>, String> {
    let Content::Fields(fields) = &section.content else { return Err("no fields".to_owned()) };
    fields.iter().map(|field| Ok((field.name.clone(), value(field, secrets)?))).collect()
}

fn value(field: &Field, secrets: &Secrets<'_>) -> Result<String, String> {
    match field.kind {
        ValueKind::Text => Ok(field.value.clone()),
        ValueKind::Secret => secret(&field.value, secrets),
        other => Err(format!("{other:?} in a query, a form or a header")),
    }
}

/// `Bearer, then the credential's token`: the words as a person reads them.
fn secret(words: &str, secrets: &Secrets<'_>) -> Result<String, String> {
    let part = |name: &str| match name {
        "access_token" => TOKEN.to_owned(),
        "username:password" => format!("{}:{}", secrets["username"], secrets["password"]),
        name => secrets[name].to_owned(),
    };
    if let Some(name) = words.strip_prefix("the credential's ") {
        return Ok(part(name));
    }
    let (word, name) = words.split_once(", then the credential's ").ok_or(words)?;
    Ok(match name.strip_suffix(" in base64") {
        Some(name) => format!("{word} {}", base64(part(name).as_bytes())),
        None => format!("{word} {}", part(name)),
    })
}

fn body(section: &Section, media: &str, secrets: &Secrets<'_>) -> Result<Vec<u8>, String> {
    let fields = match &section.content {
        Content::Text(text) => return Ok(text.clone().into_bytes()),
        Content::Fields(fields) => fields,
    };
    if media.contains("x-www-form-urlencoded") {
        return Ok(form(&filled(section, secrets)?).into_bytes());
    }
    let mut root = Node::Leaf(String::new());
    for field in fields {
        root.set(&steps(&field.name), leaf(field))?;
    }
    Ok(root.text().into_bytes())
}

fn leaf(field: &Field) -> String {
    match field.kind {
        ValueKind::Text => serde_json::to_string(&field.value).unwrap(),
        _ => field.value.clone(),
    }
}

/// JSON as its fields give it.
enum Node {
    Leaf(String),
    Object(Vec<(String, Node)>),
    List(Vec<Node>),
}

enum Step {
    Name(String),
    Index(usize),
}

impl Node {
    fn set(&mut self, steps: &[Step], leaf: String) -> Result<(), String> {
        let Some((first, rest)) = steps.split_first() else {
            *self = Self::Leaf(leaf);
            return Ok(());
        };
        match first {
            Step::Name(name) => self.member(name)?.set(rest, leaf),
            Step::Index(index) => self.item(*index)?.set(rest, leaf),
        }
    }

    fn member(&mut self, name: &str) -> Result<&mut Self, String> {
        if matches!(self, Self::Leaf(text) if text.is_empty()) {
            *self = Self::Object(Vec::new());
        }
        let Self::Object(members) = self else { return Err(format!("`{name}` in no object")) };
        let at = members.iter().position(|(known, _)| known == name).unwrap_or(members.len());
        if at == members.len() {
            members.push((name.to_owned(), Self::Leaf(String::new())));
        }
        Ok(&mut members[at].1)
    }

    fn item(&mut self, index: usize) -> Result<&mut Self, String> {
        if matches!(self, Self::Leaf(text) if text.is_empty()) {
            *self = Self::List(Vec::new());
        }
        let Self::List(items) = self else { return Err(format!("[{index}] in no list")) };
        if index == items.len() {
            items.push(Self::Leaf(String::new()));
        }
        items.get_mut(index).ok_or_else(|| format!("[{index}] is not the next item"))
    }

    fn text(&self) -> String {
        match self {
            Self::Leaf(text) => text.clone(),
            Self::List(items) => {
                format!("[{}]", items.iter().map(Self::text).collect::<Vec<_>>().join(","))
            }
            Self::Object(members) => {
                let one = |(name, node): &(String, Self)| {
                    format!("{}:{}", serde_json::to_string(name).unwrap(), node.text())
                };
                format!("{{{}}}", members.iter().map(one).collect::<Vec<_>>().join(","))
            }
        }
    }
}

/// `lines[0].amount`, `["na.me"]`.
fn steps(path: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        if let Some(quoted) = rest.strip_prefix('[').filter(|quoted| quoted.starts_with('"')) {
            let mut names = serde_json::Deserializer::from_str(quoted).into_iter::<String>();
            steps.push(Step::Name(names.next().unwrap().unwrap()));
            rest = quoted[names.byte_offset()..].strip_prefix(']').unwrap();
        } else if let Some(number) = rest.strip_prefix('[') {
            let (index, after) = number.split_once(']').unwrap();
            steps.push(Step::Index(index.parse().unwrap()));
            rest = after;
        } else {
            let name = rest.strip_prefix('.').unwrap_or(rest);
            let end = name.find(['.', '[']).unwrap_or(name.len());
            steps.push(Step::Name(name[..end].to_owned()));
            rest = &name[end..];
        }
    }
    steps
}

/// `application/x-www-form-urlencoded`, as the URL Standard has it.
fn form(pairs: &[(String, String)]) -> String {
    let one = |(name, value): &(String, String)| format!("{}={}", encode(name), encode(value));
    pairs.iter().map(one).collect::<Vec<_>>().join("&")
}

fn encode(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        match byte {
            b' ' => encoded.push('+'),
            b'*' | b'-' | b'.' | b'_' => encoded.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => encoded.push(char::from(byte)),
            byte => write!(encoded, "%{byte:02X}").unwrap(),
        }
    }
    encoded
}

fn base64(bytes: &[u8]) -> String {
    const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let at = |index: usize| u32::from(three.get(index).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for place in 0..4 {
            let six = (bits >> (18 - 6 * place)) & 63;
            text.push(if place > three.len() { '=' } else { char::from(SIGNS[six as usize]) });
        }
    }
    text
}
