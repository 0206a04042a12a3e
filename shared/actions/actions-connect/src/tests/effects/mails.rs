//! Random mails: what a library that reads mails finds in what was received is what was shown.

use countersign_effect::view::{Content, EffectView, SectionPart};
use mail_parser::{Address, HeaderValue, MessageParser};
use serde_json::{Map, Value, json};

use super::generate::{Arguments, Case, auth_yaml, connector, headers, overrides, parts};
use super::random::Random;
use super::values::text;
use super::wire::Received;

/// Ways to write an address; `{}` is a name that tries to be something else.
const ADDRESSES: [&str; 6] = [
    "maria@example.org",
    "<ben@example.org>",
    "Maria Lopez <maria@example.org>",
    "\"Lopez, Maria\" <m.lopez+x@example.org>",
    "Zürich 東京 <zrh@example.org>",
    "{} <eve@example.org>",
];
const IDS: [&str; 3] = ["<m1@mail.example.org>", "<a+b=c@x.example>", "<2@y>"];

pub(super) fn case(random: &mut Random, auth: &'static str, port: u16) -> Case {
    let mut arguments = Arguments::new();
    let mut message = Map::new();
    for name in ["to", "cc", "bcc"] {
        if name == "to" || random.once_in(2) {
            let all = (0..=random.below(3)).map(|_| address(random)).collect();
            give(random, &mut arguments, &mut message, name, all);
        }
    }
    for name in ["subject", "text"] {
        let words = text(random).into();
        give(random, &mut arguments, &mut message, name, words);
    }
    if random.once_in(2) {
        let id = random.pick(&IDS).into();
        give(random, &mut arguments, &mut message, "in_reply_to", id);
        let others = (0..random.below(3)).map(|_| json!(random.pick(&IDS))).collect();
        give(random, &mut arguments, &mut message, "references", others);
    }
    let mut body = json!({ "message": message });
    if random.once_in(2) {
        body["metadata"] =
            json!({ "threadId": text(random).replace(['{', '}'], ""), "labels": ["a", "b\n--"] });
    }
    let endpoint = json!({
        "description": "sends", "method": "POST", "path": random.pick(&["/send", "/a%20b"]), "headers": headers(random),
        "body_format": "mail", "body": body, "parameters": arguments.declared,
    });
    let connection = json!({
        "base_url": format!("http://127.0.0.1:{port}"), "auth": auth_yaml(random, auth, port), "headers": headers(random),
    });
    Case {
        auth,
        body: "mail",
        yaml: connector("rest_api", &connection, &endpoint),
        overrides: overrides(random, port),
        inputs: arguments.inputs.into(),
        params: arguments.params.into(),
        parts: parts(random, auth),
        data: Vec::new(),
    }
}

fn give(
    random: &mut Random,
    arguments: &mut Arguments,
    message: &mut Map<String, Value>,
    name: &str,
    value: Value,
) {
    arguments.give(random, name, "any", value, true);
    message.insert(name.to_owned(), format!("{{{name}}}").into());
}

fn address(random: &mut Random) -> Value {
    random.pick(&ADDRESSES).replace("{}", &text(random)).into()
}

/// Compares what the view shows of a mail with what is found in the one that was received.
pub(super) fn check(view: &EffectView, received: &Received) -> Result<(), String> {
    let body = view.sections.iter().find(|section| section.part == SectionPart::Body);
    let Some(Content::Fields(fields)) = body.map(|body| &body.content) else {
        return Err("no fields of a mail are shown".to_owned());
    };
    let shown: Vec<(&str, &str)> =
        fields.iter().map(|field| (field.name.as_str(), field.value.as_str())).collect();
    let found = found(received)?;
    let found: Vec<(&str, &str)> =
        found.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let shown_of_mail: Vec<_> =
        shown.iter().filter(|(name, _)| !name.starts_with("metadata.")).copied().collect();
    let found_of_mail: Vec<_> =
        found.iter().filter(|(name, _)| *name != "metadata").copied().collect();
    if shown_of_mail != found_of_mail {
        return Err(format!("the mail shows {shown_of_mail:?} and holds {found_of_mail:?}"));
    }
    let metadata = found.iter().find(|(name, _)| *name == "metadata");
    let metadata: Value =
        metadata.map_or(Ok(json!({})), |(_, text)| serde_json::from_str(text)).unwrap();
    let labels = [("metadata.labels[0]", "/labels/0"), ("metadata.labels[1]", "/labels/1")];
    let pointers = [("metadata.threadId", "/threadId")].into_iter().chain(labels);
    for (name, pointer) in pointers {
        let seen = shown.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
        if seen != metadata.pointer(pointer).and_then(Value::as_str) {
            return Err(format!("{name} shows {seen:?} and is in {metadata}"));
        }
    }
    Ok(())
}

/// What is in a mail, by the names under which it is shown.
fn found(received: &Received) -> Result<Vec<(&'static str, String)>, String> {
    let media = received.headers.iter().find(|(name, _)| name == "content-type");
    let media = media.map(|(_, value)| value.as_str()).unwrap_or_default();
    let whole = str::from_utf8(&received.body).map_err(|error| error.to_string())?;
    let (metadata, mail) = match media.split_once("boundary=") {
        None if media == "message/rfc822" => (None, whole),
        None => return Err(format!("`{media}` is no mail")),
        Some((_, boundary)) => {
            let parts: Vec<&str> = whole.split(&format!("--{boundary}")).collect();
            let ["", json, mail, "--\r\n"] = parts.as_slice() else {
                return Err(format!("{} parts", parts.len()));
            };
            (Some(content(json)?), content(mail)?)
        }
    };
    let read = MessageParser::default().parse(mail).ok_or("no library reads it")?;
    let mut found = Vec::new();
    for (name, list) in [("To", read.to()), ("Cc", read.cc()), ("Bcc", read.bcc())] {
        found.extend(addresses(list).into_iter().map(|address| (name, address)));
    }
    found.push(("Subject", read.subject().unwrap_or_default().to_owned()));
    let text = read.body_text(0).unwrap_or_default().replace("\r\n", "\n");
    found.push(("text", text.strip_suffix('\n').unwrap_or(&text).to_owned()));
    found.extend(ids(read.in_reply_to()).into_iter().map(|id| ("In-Reply-To", id)));
    found.extend(ids(read.references()).into_iter().map(|id| ("References", id)));
    found.extend(metadata.map(|json| ("metadata", json.to_owned())));
    Ok(found)
}

/// A part without its headers and the line that ends it.
fn content(part: &str) -> Result<&str, String> {
    let (_, content) = part.split_once("\r\n\r\n").ok_or("a part has no end of its headers")?;
    content.strip_suffix("\r\n").ok_or_else(|| "a part does not end with a line".to_owned())
}

fn addresses(list: Option<&Address<'_>>) -> Vec<String> {
    let Some(Address::List(all)) = list else { return Vec::new() };
    let one = |address: &mail_parser::Addr<'_>| {
        let at = address.address.as_deref().unwrap_or_default();
        address.name.as_deref().map_or_else(|| at.to_owned(), |name| format!("{at} ({name})"))
    };
    all.iter().map(one).collect()
}

fn ids(value: &HeaderValue<'_>) -> Vec<String> {
    let ids = match value {
        HeaderValue::Text(id) => vec![id.to_string()],
        HeaderValue::TextList(ids) => ids.iter().map(ToString::to_string).collect(),
        _ => Vec::new(),
    };
    ids.into_iter().map(|id| format!("<{id}>")).collect()
}
