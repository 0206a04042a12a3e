//! Random connectors and calls, with texts that try to be something else.

use serde_json::{Map, Value, json};

use super::mails;
use super::random::Random;
use super::values::{flat, scalar, text, value};
use super::wire::TOKEN_PATH;

/// Auth types and body kinds, as [`Case`] names them: every one meets every other.
const AUTHS: [&str; 8] = [
    "none",
    "api_key_query",
    "api_key_header",
    "bearer_token",
    "token_scheme",
    "basic",
    "oauth2_client_credentials",
    "oauth2_refresh_token",
];
const BODIES: [&str; 7] =
    ["arguments", "template", "form of arguments", "form template", "none", "graphql", "mail"];
/// How many pairs of them there are.
pub(super) const COMBINATIONS: usize = AUTHS.len() * BODIES.len();

const NAMES: [&str; 6] = ["amount", "payee", "id", "token", "secret", "Authorization"];
const HEADER_TEXTS: [&str; 7] = [
    "plain",
    "two  spaces, and ; more",
    "{amount}",
    r#"{"secret":"token"}"#,
    "a%2fb&c=d+e",
    "quoted \"text\"",
    "~!@#$%^*()_",
];
const SECRETS: [&str; 5] =
    ["s3cr3t-plain", "s3cr3t &+=%2f", "{amount}s3cr3t", r#"{"secret":"token"}"#, "s3cr3t\"'\\:;,"];

/// A connector, its binding, and a call of it.
#[derive(Debug)]
pub(super) struct Case {
    pub(super) auth: &'static str,
    pub(super) body: &'static str,
    pub(super) yaml: String,
    pub(super) overrides: Value,
    pub(super) inputs: Value,
    pub(super) params: Value,
    pub(super) parts: Vec<(&'static str, &'static str)>,
    /// What must stand in the body, by JSON pointer.
    pub(super) data: Vec<(String, Value)>,
}

pub(super) fn case(random: &mut Random, port: u16) -> Case {
    let (auth, body) = (random.pick(&AUTHS), random.pick(&BODIES));
    match body {
        "graphql" => graphql(random, auth, port),
        "mail" => mails::case(random, auth, port),
        body => rest(random, auth, body, port),
    }
}

pub(super) fn auth_yaml(random: &mut Random, auth: &str, port: u16) -> Value {
    match auth {
        "api_key_query" => {
            json!({ "type": "api_key", "key_param": random.pick(&["key", "api key&"]) })
        }
        "api_key_header" => {
            json!({ "type": "api_key", "header": random.pick(&["X-Api-Key", "apikey"]) })
        }
        "token_scheme" => {
            json!({ "type": "bearer_token", "scheme": random.pick(&["Token", "GenieKey"]) })
        }
        "oauth2_client_credentials" | "oauth2_refresh_token" => {
            let url = format!("http://127.0.0.1:{port}{TOKEN_PATH}");
            let mut auth = json!({ "type": auth, "token_url": url });
            if random.once_in(2) {
                auth["scope"] = "pay:all read&{amount}".into();
            }
            if random.once_in(2) {
                auth["client_auth"] = "body".into();
            }
            auth
        }
        other => json!({ "type": other }),
    }
}

pub(super) fn parts(random: &mut Random, auth: &str) -> Vec<(&'static str, &'static str)> {
    let names: &[&'static str] = match auth {
        "none" => &[],
        "api_key_query" | "api_key_header" => &["api_key"],
        "basic" => &["username", "password"],
        "oauth2_client_credentials" => &["client_id", "client_secret"],
        "oauth2_refresh_token" => &["client_id", "client_secret", "refresh_token"],
        _ => &["token"],
    };
    let all = names.iter().map(|name| (*name, random.pick(&SECRETS)));
    let mut all: Vec<_> = all.collect();
    // The world has a token for whoever has no parts.
    if all.is_empty() {
        all.push(("token", "s3cr3t-unused"));
    }
    all
}

pub(super) fn headers(random: &mut Random) -> Value {
    let mut headers = Map::new();
    for _ in 0..random.below(3) {
        let name = random.pick(&["X-Note", "x-trace", "Accept", "User-Agent", "X_Under", "x-n_1"]);
        headers.insert(name.to_owned(), random.pick(&HEADER_TEXTS).into());
    }
    headers.into()
}

/// Another address, and other headers.
pub(super) fn overrides(random: &mut Random, port: u16) -> Value {
    let mut overrides = Map::new();
    if random.once_in(4) {
        let url = random.pick(&["/other", "/o%2fther/", "", "/a?b=c", "/ü"]);
        overrides.insert("base_url".to_owned(), format!("http://127.0.0.1:{port}{url}").into());
    }
    if random.once_in(3) {
        let all = headers(random).as_object().cloned().unwrap_or_default();
        overrides.insert("headers".to_owned(), all.into());
    }
    overrides.into()
}

pub(super) fn connector(kind: &str, connection: &Value, endpoint: &Value) -> String {
    let whole = json!({
        "id": "api", "name": "API", "type": kind, "version": "1.0.0",
        "connection": connection, "endpoints": { "act": endpoint },
    });
    // JSON is YAML.
    whole.to_string()
}

/// A call's arguments: what is declared, and what is given as input and as param.
pub(super) struct Arguments {
    pub(super) declared: Vec<Value>,
    pub(super) inputs: Map<String, Value>,
    pub(super) params: Map<String, Value>,
    values: Map<String, Value>,
}

impl Arguments {
    pub(super) fn new() -> Self {
        Self { declared: Vec::new(), inputs: Map::new(), params: Map::new(), values: Map::new() }
    }

    fn has(&self, name: &str) -> bool {
        self.declared.iter().any(|parameter| parameter["name"] == name)
    }

    /// Declares a parameter and gives it a value: as input, as param or as its default.
    pub(super) fn give(
        &mut self,
        random: &mut Random,
        name: &str,
        kind: &str,
        value: Value,
        required: bool,
    ) {
        let mut parameter = json!({ "name": name, "type": kind });
        let place = random.below(if value.is_null() { 3 } else { 4 });
        if required {
            parameter["required"] = true.into();
        }
        match place {
            0 => {
                self.params.insert(name.to_owned(), value.clone());
            }
            3 if !value.is_null() && !required => {
                parameter["default"] = value.clone();
            }
            _ => {
                self.inputs.insert(name.to_owned(), value.clone());
                // An input wins over a param.
                self.params.insert(name.to_owned(), json!("the param that loses"));
                if value.is_null() {
                    self.params.remove(name);
                }
            }
        }
        self.declared.push(parameter);
        self.values.insert(name.to_owned(), value);
    }
}

fn rest(random: &mut Random, auth: &'static str, body: &'static str, port: u16) -> Case {
    let mut arguments = Arguments::new();
    let method = match body {
        "none" => "DELETE",
        _ => random.pick(&["POST", "PUT", "PATCH", "DELETE", "post"]),
    };
    let mut path =
        random.pick(&["/", "/v1/pay", "/a%20b/%2f", "/v1/./ü", "/~a!$(b),;=:@"]).to_owned();
    for name in ["id", "token"] {
        if random.once_in(3) {
            path += &format!("{}{{{name}}}", random.pick(&["/", "-", "/x."]));
            let value = scalar(random);
            arguments.give(random, name, "any", value, true);
        }
    }
    let mut endpoint = json!({ "description": "acts", "method": method, "path": path });
    if random.once_in(2) {
        endpoint["query"] = query(random, &mut arguments);
    }
    let used = arguments.values.clone();
    let form = body.starts_with("form");
    if body != "none" {
        for name in NAMES {
            if !arguments.has(name) && random.once_in(2) {
                let value = if form { flat(random) } else { value(random, 3) };
                arguments.give(random, name, "any", value, false);
            }
        }
    }
    if body.ends_with("template") {
        endpoint["body"] = template(random, form);
        // What the template does not use goes into the query, where nothing is nested.
        let mut free = json!({});
        for name in NAMES.iter().filter(|name| !used.contains_key(**name)) {
            if arguments.has(name) {
                free[*name] = format!("{{{name}}}").into();
            }
        }
        endpoint["body"]["given"] = if form { json!("x") } else { free.clone() };
        if form && let Some(fields) = free.as_object() {
            endpoint["body"].as_object_mut().unwrap().extend(fields.clone());
        }
    }
    if form {
        endpoint["body_format"] = "form".into();
    }
    endpoint["headers"] = headers(random);
    if random.once_in(4) && body != "none" {
        let json =
            ["application/vnd.api+json", "text/plain; a=b", "application/json; charset=utf-8"];
        let forms = ["application/x-www-form-urlencoded;charset=utf-8", "text/plain"];
        let media = if form { random.pick(&forms) } else { random.pick(&json) };
        endpoint["headers"]["Content-Type"] = media.into();
    }
    endpoint["parameters"] = arguments.declared.clone().into();
    let prefix = random.pick(&["", "/", "/base", "/b%2fse/"]);
    let connection = json!({
        "base_url": format!("http://127.0.0.1:{port}{prefix}"),
        "auth": auth_yaml(random, auth, port),
        "headers": headers(random),
    });
    let data = match body {
        "arguments" => expected(&arguments.values, &used, ""),
        "template" => expected(&arguments.values, &used, "/given"),
        _ => Vec::new(),
    };
    Case {
        auth,
        body,
        yaml: connector("rest_api", &connection, &endpoint),
        overrides: overrides(random, port),
        inputs: arguments.inputs.into(),
        params: arguments.params.into(),
        parts: parts(random, auth),
        data,
    }
}

/// The arguments that nothing else takes, under a pointer.
fn expected(
    all: &Map<String, Value>,
    used: &Map<String, Value>,
    under: &str,
) -> Vec<(String, Value)> {
    all.iter()
        .filter(|(name, value)| !used.contains_key(*name) && !value.is_null())
        .map(|(name, value)| (format!("{under}/{name}"), value.clone()))
        .collect()
}

fn query(random: &mut Random, arguments: &mut Arguments) -> Value {
    let mut query = Map::new();
    for (index, name) in ["q", "q[]", "a b&=", "ü", "id"].into_iter().enumerate() {
        let argument = format!("arg{index}");
        let value = match random.below(5) {
            0 => {
                let value = flat(random);
                arguments.give(random, &argument, "any", value, false);
                format!("{{{argument}}}")
            }
            1 => {
                arguments.give(random, &argument, "any", json!("word-1"), true);
                format!("where x = \"{{{argument}}}\" &")
            }
            2 => random
                .pick(&["fixed", "a&b=c", "1+1", "ü %2f", r#"{"secret":"token"}"#, ""])
                .to_owned(),
            _ => continue,
        };
        query.insert(name.to_owned(), value.into());
    }
    query.into()
}

fn template(random: &mut Random, form: bool) -> Value {
    let mut template = Map::new();
    for name in ["currency", "no.te", "[0]", "", "ü\"", "1"] {
        if random.once_in(2) {
            let fixed = random.pick(&["EUR", "a&b = c", "{\"not a name\"", "ü\n", "line} {", ""]);
            let fixed = match random.below(if form { 3 } else { 5 }) {
                0 => json!(fixed),
                1 => json!([fixed, 7, true]),
                2 => json!(9_007_199_254_740_993_i64),
                3 => json!({ "fixed": { "deep": [fixed, {}] }, "none": null }),
                _ => json!([[], [fixed]]),
            };
            template.insert(name.to_owned(), fixed);
        }
    }
    template.into()
}

fn graphql(random: &mut Random, auth: &'static str, port: u16) -> Case {
    let mut arguments = Arguments::new();
    let amount = if random.once_in(2) { i64::MAX } else { 9_007_199_254_740_993 };
    arguments.give(random, "amount", "integer", json!(amount), true);
    let payee = json!(text(random));
    arguments.give(random, "payee", "string", payee, false);
    if random.once_in(2) {
        let details = value(random, 3);
        arguments.give(random, "details", "any", details, false);
    }
    let declared = arguments.has("details");
    let more = if declared { ", $details: Details" } else { "" };
    let note = random.pick(&["{amount}", "ü 東京", "a # b", "secret"]);
    let spaces = random.pick(&["\n", " ", "\n  # {payee}\n"]);
    let query = format!(
        "mutation Pay($amount: Int!, $payee: String{more}) {{{spaces}pay(amount: $amount, to: $payee, note: \"{note}\") {{ id }}\n}}"
    );
    let endpoint =
        json!({ "description": "pays", "query": query, "variables": arguments.declared });
    let path = random.pick(&["/graphql", "", "/", "/a%2fb"]);
    let connection = json!({
        "endpoint": format!("http://127.0.0.1:{port}{path}"),
        "auth": auth_yaml(random, auth, port),
        "headers": headers(random),
    });
    let mut data = expected(&arguments.values, &Map::new(), "/variables");
    data.push(("/query".to_owned(), query.into()));
    Case {
        auth,
        body: "graphql",
        yaml: connector("graphql", &connection, &endpoint),
        overrides: overrides(random, port),
        inputs: arguments.inputs.into(),
        params: arguments.params.into(),
        parts: parts(random, auth),
        data,
    }
}
