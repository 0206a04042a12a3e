//! Reading `#[failure(…)]`.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Error, Ident, LitStr, Result, Token};

const KNOWN: &str = "`code`, `retryable`, `class`, `status`, `asl`, `help` and `forward`";

/// What one `#[failure(…)]` says; a member that is absent is `None`.
#[derive(Default, Clone)]
pub(crate) struct Settings {
    pub(crate) code: Option<TokenStream>,
    pub(crate) class: Option<TokenStream>,
    pub(crate) status: Option<TokenStream>,
    pub(crate) asl: Option<TokenStream>,
    pub(crate) help: Option<TokenStream>,
    pub(crate) forward: Option<Forward>,
}

/// Which field answers for the error.
#[derive(Clone)]
pub(crate) struct Forward {
    pub(crate) span: Span,
    /// `forward = FIELD`.
    pub(crate) field: Option<TokenStream>,
}

impl Settings {
    /// All the attributes of one item.
    pub(crate) fn read(attributes: &[Attribute]) -> Result<Self> {
        let mut settings = Self::default();
        for attribute in attributes.iter().filter(|one| one.path().is_ident("failure")) {
            let entries = attribute.parse_args_with(|input: ParseStream<'_>| {
                input.parse_terminated(Entry::parse, Token![,])
            })?;
            for entry in entries {
                settings.set(entry)?;
            }
        }
        Ok(settings)
    }

    fn set(&mut self, entry: Entry) -> Result<()> {
        let span = entry.name.span();
        let name = entry.name.to_string();
        if name == "retryable" || name == "forward" {
            return self.set_flag(&name, span, entry.value);
        }
        let member = match name.as_str() {
            "code" => &mut self.code,
            "class" => &mut self.class,
            "status" => &mut self.status,
            "asl" => &mut self.asl,
            "help" => &mut self.help,
            _ => {
                let problem = format!("`{name}` is not an attribute of `failure`: use {KNOWN}");
                return Err(Error::new(span, problem));
            }
        };
        let value = entry
            .value
            .ok_or_else(|| Error::new(span, format!("`{name}` needs a value: `{name} = …`")))?;
        let value = match name.as_str() {
            "code" => checked_code(value)?,
            "help" => help(value),
            _ => value,
        };
        put(member, value, &name, span)
    }

    fn set_flag(&mut self, name: &str, span: Span, value: Option<TokenStream>) -> Result<()> {
        if name == "forward" {
            return put(&mut self.forward, Forward { span, field: value }, name, span);
        }
        if value.is_some() {
            return Err(Error::new(
                span,
                "`retryable` has no value; a field decides with `class = …`",
            ));
        }
        put(&mut self.class, quote!(::countersign_failure::Class::Retryable), name, span)
    }
}

fn put<T>(member: &mut Option<T>, value: T, name: &str, span: Span) -> Result<()> {
    match member.replace(value) {
        None => Ok(()),
        Some(_) => Err(Error::new(span, format!("`{name}` sets what is set already"))),
    }
}

/// A literal code is checked now, because pages and callers know it by its exact letters.
fn checked_code(value: TokenStream) -> Result<TokenStream> {
    let Ok(literal) = syn::parse2::<LitStr>(value.clone()) else { return Ok(value) };
    let text = literal.value();
    let word = |part: &str| {
        !part.is_empty() && part.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit())
    };
    if text.split('_').all(word) {
        Ok(value)
    } else {
        Err(Error::new(literal.span(), format!("`{text}` is not a code: use SCREAMING_SNAKE_CASE")))
    }
}

fn help(value: TokenStream) -> TokenStream {
    match syn::parse2::<LitStr>(value.clone()) {
        Ok(literal) => {
            quote!(::core::option::Option::Some(::std::borrow::ToOwned::to_owned(#literal)))
        }
        Err(_) => value,
    }
}

/// `name` or `name = value`; the value ends at the next comma outside brackets.
struct Entry {
    name: Ident,
    value: Option<TokenStream>,
}

impl Parse for Entry {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let name = input.parse::<Ident>()?;
        if input.parse::<Option<Token![=]>>()?.is_none() {
            return Ok(Self { name, value: None });
        }
        let mut value = TokenStream::new();
        while !input.is_empty() && !input.peek(Token![,]) {
            input.parse::<TokenTree>()?.to_tokens(&mut value);
        }
        Ok(Self { name, value: (!value.is_empty()).then_some(value) })
    }
}

#[cfg(test)]
mod tests {
    use super::Settings;
    use syn::parse_quote;

    fn check(attribute: syn::Attribute, expect: &str) {
        let problem = Settings::read(&[attribute]).err().map(|error| error.to_string());
        assert_eq!(problem.unwrap_or_default(), expect);
    }

    #[test]
    fn what_is_right_is_read() {
        check(
            parse_quote!(#[failure(code = "A_B2", retryable, status = 404, help = "try, again")]),
            "",
        );
        check(parse_quote!(#[failure(forward = source, status = f(_0, 1))]), "");
    }

    #[test]
    fn a_wrong_attribute_is_named_with_those_there_are() {
        check(
            parse_quote!(#[failure(kode = "A")]),
            "`kode` is not an attribute of `failure`: use `code`, `retryable`, `class`, `status`, `asl`, `help` and `forward`",
        );
    }

    #[test]
    fn a_wrong_value_is_named() {
        check(
            parse_quote!(#[failure(code = "Not_found")]),
            "`Not_found` is not a code: use SCREAMING_SNAKE_CASE",
        );
        check(parse_quote!(#[failure(code)]), "`code` needs a value: `code = …`");
        check(
            parse_quote!(#[failure(retryable = true)]),
            "`retryable` has no value; a field decides with `class = …`",
        );
        check(parse_quote!(#[failure(retryable, class = c)]), "`class` sets what is set already");
    }
}
