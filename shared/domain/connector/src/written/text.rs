//! Strings of a connector that have a form.

use countersign_document::{Refused, did_you_mean, listed, nearest, text_schema, text_type};
use countersign_knowledge::Relationship as Known;
use countersign_registry::DataType;

use super::names;
use crate::address;
use crate::css::CssSelector;
use crate::json_path::JsonPath;
use crate::model::{ConnectorId, PARSERS, RESERVED_IDS, Tag};
use crate::reading::{InvalidReading, Reading as Read};
use crate::request::is_dots;
use crate::xpath::XPath;

text_type! {
    /// The name of a connector: lower-case words joined by single hyphens, at most 64 characters.
    pub(crate) struct Id {
        format: "connector-id", code: "id", sample: "a",
        pattern: "^[a-z][a-z0-9]*(-[a-z0-9]+)*$", check: id
    }
    /// Semantic version: three numbers, such as 1.0.0.
    pub(crate) struct Version {
        format: "semantic-version", code: "version", sample: "1.0.0",
        pattern: r"^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)([-+][\s\S]*)?$", check: version
    }
    /// HTTPS, without query, fragment, user and password.
    pub(crate) struct Address {
        format: "address", code: "address", sample: "https://a.example",
        pattern: r"^[^?#]*([Hh][Tt][Tt][Pp][Ss]?:|[\t\n\r])[^?#]*$", check: base_address
    }
    /// HTTPS, without user and password.
    pub(crate) struct FeedAddress {
        format: "feed-address", code: "url", sample: "https://a.example",
        pattern: r"[Hh][Tt][Tt][Pp][Ss]?:|[\t\n\r]", check: whole_address
    }
    /// A header that a connector may set: none that frames, routes or authenticates a request.
    pub(crate) struct HeaderName {
        format: "header-name", code: "header", sample: "x-a", pattern: "^[A-Za-z0-9_-]{1,64}$", check: header_name
    }
    /// Printable ASCII, without spaces at its edges.
    pub(crate) struct HeaderValue {
        format: "header-value", code: "header", sample: "a", pattern: "^([!-~]([ -~]*[!-~])?)?$", check: header_value
    }
    /// The word in front of a token.
    pub(crate) struct Scheme {
        format: "auth-scheme", code: "auth", sample: "A", pattern: "^[A-Za-z0-9-]{1,32}$", check: scheme
    }
    /// What stands before a token in a path.
    pub(crate) struct PathPrefix {
        format: "path-prefix", code: "auth", sample: "a", pattern: "^[A-Za-z0-9_-]{1,32}$", check: path_prefix
    }
    /// Letters, digits and `_`, first a letter.
    pub(crate) struct EndpointName {
        format: "endpoint-name", code: "name", sample: "a", pattern: "^[A-Za-z_][A-Za-z0-9_]{0,63}$", check: endpoint_name
    }
    /// Letters, digits and `_`, first a letter; `_cursor` is taken.
    pub(crate) struct ParameterName {
        format: "parameter-name", code: "name", sample: "a", pattern: "^[A-Za-z_][A-Za-z0-9_]{0,63}$", check: parameter_name
    }
    /// Letters, digits and `_`, first a letter: a first `_` is for what Countersign adds.
    pub(crate) struct FieldName {
        format: "field-name", code: "name", sample: "a", pattern: "^[A-Za-z][A-Za-z0-9_]{0,63}$", check: field_name
    }
    /// Appended to the base URL; `{name}` is replaced by a parameter, percent-encoded.
    pub(crate) struct UrlPath {
        format: "url-path", code: "path", sample: "/", pattern: r"^/[^?#\\]*$", check: url_path
    }
    /// A type of values; `[]` makes it a list.
    pub(crate) struct TypeName {
        format: "data-type", code: "type", sample: "any",
        pattern: r"^(string|number|decimal|integer|date|boolean|object|array|any)(\[\])?$", check: type_name
    }
    /// One path without alternatives, such as `a.b[0]`.
    pub(crate) struct PlainPath {
        format: "plain-path", code: "path", sample: "a", pattern: r"^[^|]+$", check: plain_path
    }
    /// A path of elements, such as `Return/Person`.
    pub(crate) struct ElementPath { format: "element-path", code: "xpath", sample: "a", check: element_path }
    /// The name of an attribute of HTML.
    pub(crate) struct Attribute {
        format: "attribute", code: "attr", sample: "a", pattern: "^[A-Za-z0-9_:.-]{1,64}$", check: attribute
    }
    /// One character such as `,` or `;`, or `tab`, or `auto`.
    pub(crate) struct Delimiter {
        format: "delimiter", code: "delimiter", sample: "auto",
        pattern: r"^(auto|tab|[\x00-\x09\x0b\x0c\x0e-!#-/:-@\[-`{-\x7f])$", check: delimiter
    }
    /// The name of an encoding, such as utf-8 or windows-1252.
    pub(crate) struct Encoding { format: "encoding", code: "encoding", sample: "utf-8", check: encoding }
    /// An ending of file names that a parser reads.
    pub(crate) struct Ending { format: "file-ending", code: "format", sample: "xml", check: ending }
    /// What calls name a feed by; `all` is taken.
    pub(crate) struct FeedName { format: "feed-name", code: "name", sample: "a", pattern: r"\S", check: feed_name }
    /// The name of a schema of a database.
    pub(crate) struct SchemaName {
        format: "schema-name", code: "schema", sample: "a", pattern: "^[a-z_][a-z0-9_]{0,62}$", check: schema_name
    }
    /// Certificates as PEM.
    pub(crate) struct Certificates {
        format: "pem-certificates", code: "ca_certificate", sample: "-----BEGIN CERTIFICATE-----",
        pattern: "-----BEGIN CERTIFICATE-----", check: certificates
    }
    /// A language and a region (BCP 47), such as `en-US`.
    pub(crate) struct LocaleTag {
        format: "locale", code: "locale", sample: "en-US", pattern: "^[a-z]{2,3}(-[A-Z][a-z]{3})?-[A-Z]{2}$", check: locale
    }
    /// A currency (ISO 4217), such as `EUR`.
    pub(crate) struct CurrencyCode {
        format: "currency", code: "currency", sample: "EUR", pattern: "^[A-Z]{3}$", check: currency
    }
    /// A relationship of the knowledge graph.
    pub(crate) struct RelationshipName {
        format: "relationship", code: "entity_extraction", sample: "MENTIONED_IN", check: relationship
    }
    /// A column or a sheet by its name.
    pub(crate) struct PickName {
        format: "pick-name", code: "type", sample: "a", pattern: r"\S", check: pick_name
    }
}

text_schema! {
    Tag {
        format: "tag", code: "tag", sample: "a", pattern: "^[a-z0-9][a-z0-9-]{0,31}$",
        check: |text| Self::parse(text).map(drop).map_err(|error| Refused::new(error.to_string()))
    }
    JsonPath {
        format: "json-path", code: "path", sample: "a",
        check: |text| Self::parse(text).map(drop).map_err(|error| Refused::new(error.to_string()))
    }
    XPath {
        format: "xpath", code: "xpath", sample: "a",
        check: |text| Self::parse(text).map(drop).map_err(|error| Refused::new(error.to_string()))
    }
    CssSelector {
        format: "css-selector", code: "selector", sample: "a",
        check: |text| Self::parse(text).map(drop).map_err(|error| Refused::new(error.to_string()))
    }
}

impl TypeName {
    /// The type.
    pub(super) fn data_type(&self) -> DataType {
        names::data_type(self.as_str()).unwrap_or(DataType::Any)
    }
}

/// Refuses with a message unless it holds.
fn when(holds: bool, message: impl FnOnce() -> String) -> Result<(), Refused> {
    if holds { Ok(()) } else { Err(Refused::new(message())) }
}

/// At most 80 characters of what somebody wrote.
fn shown(text: &str) -> String {
    text.chars().take(80).collect()
}

fn id(text: &str) -> Result<(), Refused> {
    if RESERVED_IDS.contains(&text) {
        let hint = format!("such as `{text}-of-mine`");
        return Err(
            Refused::new(format!("`{text}` is a reserved name: choose another id")).hint(hint)
        );
    }
    ConnectorId::parse(text).map(drop).map_err(|error| Refused::new(error.to_string()))
}

fn version(text: &str) -> Result<(), Refused> {
    let core = text.split(['-', '+']).next().unwrap_or_default();
    let number = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|b| b.is_ascii_digit())
            && (part == "0" || !part.starts_with('0'))
    };
    let fits = core.split('.').count() == 3 && core.split('.').all(number) && text.len() <= 64;
    when(fits, || format!("`{}` is not a semantic version", shown(text)))
        .map_err(|refused| refused.hint("write three numbers, such as `1.0.0`".to_owned()))
}

fn base_address(text: &str) -> Result<(), Refused> {
    address::address(text).map(drop).map_err(|message| address_refused(text, message))
}

fn whole_address(text: &str) -> Result<(), Refused> {
    address::whole(text).map(drop).map_err(|message| address_refused(text, message))
}

fn address_refused(text: &str, message: Option<&'static str>) -> Refused {
    message.map_or_else(
        || Refused::new(format!("`{}` is not an address", shown(text))),
        Refused::of_key,
    )
}

fn header_name(text: &str) -> Result<(), Refused> {
    when(crate::header::settable(text).is_some(), || {
        format!("`{}` is not a header that a connector may set", shown(text))
    })
}

fn header_value(text: &str) -> Result<(), Refused> {
    if crate::header::is_sendable(text) {
        return Ok(());
    }
    Err(Refused::of_key("must be printable ASCII, without spaces at its edges"))
}

/// Whether this is 1 to `most` letters, digits and characters of `also`.
fn is_word(text: &str, most: usize, also: &[u8]) -> bool {
    let fits = |b: u8| b.is_ascii_alphanumeric() || also.contains(&b);
    (1..=most).contains(&text.len()) && text.bytes().all(fits)
}

fn scheme(text: &str) -> Result<(), Refused> {
    when(is_word(text, 32, b"-"), || format!("`{}` is not the name of a scheme", shown(text)))
}

fn path_prefix(text: &str) -> Result<(), Refused> {
    when(is_word(text, 32, b"-_"), || {
        format!("`{}` is not 1 to 32 letters, digits, `-` and `_`", shown(text))
    })
}

fn name_of(text: &str, what: &str) -> Result<(), Refused> {
    when(names::is_name(text), || {
        format!("`{}` is not {what} name: letters, digits and `_`, first a letter", shown(text))
    })
}

fn endpoint_name(text: &str) -> Result<(), Refused> {
    name_of(text, "an endpoint")
}

fn parameter_name(text: &str) -> Result<(), Refused> {
    when(text != crate::contract::CURSOR_ARGUMENT, || {
        format!("`{text}` says where a call continues and cannot be a parameter")
    })?;
    name_of(text, "a parameter")
}

fn field_name(text: &str) -> Result<(), Refused> {
    let inner = if text.starts_with('_') { "" } else { text };
    name_of(inner, "a field").or_else(|_| {
        when(false, || {
            format!(
                "`{}` is not a field name: letters, digits and `_`, first a letter",
                shown(text)
            )
        })
    })
}

fn url_path(text: &str) -> Result<(), Refused> {
    let fits =
        text.starts_with('/') && !text.contains(['?', '#', '\\']) && !text.split('/').any(is_dots);
    when(fits, || {
        format!(
            "`{}` must start with `/` and hold no `?`, `#`, `\\`, and no segment `.` or `..`",
            shown(text)
        )
    })?;
    when(crate::request::placeholders(text).is_some(), || {
        format!("`{}` has an unclosed or empty `{{…}}`", shown(text))
    })
}

fn type_name(text: &str) -> Result<(), Refused> {
    let hint = "use string, number, decimal, integer, date, boolean, object, array or string[]";
    when(names::data_type(text).is_some(), || format!("`{}` is not a type", shown(text)))
        .map_err(|refused| refused.hint(hint.to_owned()))
}

fn plain_path(text: &str) -> Result<(), Refused> {
    if text.contains('|') {
        let hint = "write alternatives as a list: `path: [a.b, c]`".to_owned();
        return Err(Refused::new(format!("`{}` is not one path", shown(text))).hint(hint));
    }
    JsonPath::parse(text).map(drop).map_err(|error| Refused::new(error.to_string()))
}

fn element_path(text: &str) -> Result<(), Refused> {
    let path = XPath::parse(text).map_err(|error| Refused::new(error.to_string()))?;
    if path.alternatives().iter().any(|alternative| alternative.attribute.is_some()) {
        return Err(Refused::of_key("must name an element, not an attribute"));
    }
    Ok(())
}

fn attribute(text: &str) -> Result<(), Refused> {
    when(is_word(text, 64, b"-_:."), || {
        format!("`{}` is not the name of an attribute", shown(text))
    })
}

fn delimiter(text: &str) -> Result<(), Refused> {
    let hint = "use one character such as `,` or `;`, or `tab`; leave it out to have it found";
    when(text == "auto" || names::delimiter(text).is_some(), || {
        format!("`{}` does not separate cells", shown(text))
    })
    .map_err(|refused| refused.hint(hint.to_owned()))
}

fn encoding(text: &str) -> Result<(), Refused> {
    let hint = "use a name such as `utf-8`, `windows-1252`, `iso-8859-15` or `utf-16le`";
    when(encoding_rs::Encoding::for_label_no_replacement(text.as_bytes()).is_some(), || {
        format!("the encoding `{}` is not known", shown(text))
    })
    .map_err(|refused| refused.hint(hint.to_owned()))
}

fn ending(text: &str) -> Result<(), Refused> {
    let known = || PARSERS.iter().flat_map(|(_, endings)| endings.iter().copied());
    let ending = names::ending(text);
    when(known().any(|known| known == ending), || {
        format!("files of format `{}` are not read by any parser", shown(&ending))
    })
    .map_err(|refused| {
        refused.hint(format!("use one of {}", known().collect::<Vec<_>>().join(", ")))
    })
}

fn feed_name(text: &str) -> Result<(), Refused> {
    let fits = !text.trim().is_empty() && text.len() <= 100 && !text.eq_ignore_ascii_case("all");
    when(fits, || "a feed's name has 1 to 100 characters and is not `all`".to_owned())
}

fn schema_name(text: &str) -> Result<(), Refused> {
    let fits = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
    let starts = text.starts_with(|c: char| c.is_ascii_lowercase() || c == '_');
    when(starts && text.len() <= 63 && text.bytes().all(fits), || {
        format!("`{}` is not a schema's name: lower-case letters, digits and `_`", shown(text))
    })
}

fn certificates(text: &str) -> Result<(), Refused> {
    if text.contains("PRIVATE KEY") {
        return Err(Refused::of_key("holds a private key: remove it"));
    }
    if text.contains("-----BEGIN CERTIFICATE-----") {
        return Ok(());
    }
    Err(Refused::of_key("must hold certificates as PEM"))
}

fn locale(text: &str) -> Result<(), Refused> {
    Read::new(Some(text), None).map(drop).map_err(|error| {
        let near = match &error {
            InvalidReading::Locale(invalid) => invalid.near.as_deref().map(did_you_mean),
            _ => None,
        };
        Refused::new(error.to_string()).hint(near)
    })
}

fn currency(text: &str) -> Result<(), Refused> {
    Read::new(Some("en-US"), Some(text)).map(drop).map_err(|error| Refused::new(error.to_string()))
}

fn relationship(text: &str) -> Result<(), Refused> {
    let words = || Known::ALL.iter().map(|known| known.as_str());
    let hint = || {
        nearest(&text.to_uppercase(), words())
            .map_or_else(|| format!("use one of {}", listed(words())), did_you_mean)
    };
    when(words().any(|known| known == text), || {
        format!("`{}` is not a relationship of the knowledge graph", shown(text))
    })
    .map_err(|refused| refused.hint(hint()))
}

fn pick_name(text: &str) -> Result<(), Refused> {
    if !text.trim().is_empty() && text.len() <= 512 {
        return Ok(());
    }
    Err(Refused::of_key("must be a name of 1 to 512 characters"))
}
