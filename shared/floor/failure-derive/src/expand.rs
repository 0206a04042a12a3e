//! From the attributes to the implementation.

use proc_macro2::{TokenStream, TokenTree};
use quote::{format_ident, quote};
use syn::{Attribute, Data, DeriveInput, Error, Field, Fields, Ident, Index, Member, Result};

use crate::attributes::{Forward, Settings};

/// The methods of the trait, with the member of the settings that says their value.
type Choice = fn(&Settings) -> &Option<TokenStream>;
const METHODS: [(&str, Choice); 5] = [
    ("code", |settings| &settings.code),
    ("class", |settings| &settings.class),
    ("http_status", |settings| &settings.status),
    ("asl_name", |settings| &settings.asl),
    ("help", |settings| &settings.help),
];

/// The implementation for one error.
pub(crate) fn failure(input: &DeriveInput) -> Result<TokenStream> {
    let cases = cases(input)?;
    let methods = METHODS.map(|(name, choice)| method(name, choice, &cases));
    let name = &input.ident;
    let (generics, arguments, conditions) = input.generics.split_for_impl();
    Ok(quote! {
        #[automatically_derived]
        impl #generics ::countersign_failure::Failure for #name #arguments #conditions {
            #(#methods)*
        }
    })
}

/// A variant, or the whole of a struct.
struct Case {
    /// `Self` or `Self::Variant`.
    path: TokenStream,
    fields: Vec<(Member, Ident)>,
    settings: Settings,
    /// The field that answers for what is not set.
    cause: Option<Ident>,
}

fn cases(input: &DeriveInput) -> Result<Vec<Case>> {
    match &input.data {
        Data::Struct(data) => {
            let settings = Settings::read(&input.attrs)?;
            Ok(vec![case(&input.ident, quote!(Self), &data.fields, settings)?])
        }
        Data::Enum(data) => {
            let defaults = Settings::read(&input.attrs)?;
            if let Some(forward) = &defaults.forward {
                return Err(Error::new(
                    forward.span,
                    "`forward` is set on each variant, not on the enum",
                ));
            }
            let variants = data.variants.iter();
            variants
                .map(|variant| {
                    let name = &variant.ident;
                    let settings = settled(&variant.attrs, &defaults)?;
                    case(name, quote!(Self::#name), &variant.fields, settings)
                })
                .collect()
        }
        Data::Union(_) => Err(Error::new_spanned(&input.ident, "a union is not an error")),
    }
}

/// The settings of a variant over those of its enum. A variant that forwards takes nothing from the enum.
fn settled(attributes: &[Attribute], defaults: &Settings) -> Result<Settings> {
    let own = Settings::read(attributes)?;
    if own.forward.is_some() {
        return Ok(own);
    }
    let defaults = defaults.clone();
    Ok(Settings {
        code: own.code.or(defaults.code),
        class: own.class.or(defaults.class),
        status: own.status.or(defaults.status),
        asl: own.asl.or(defaults.asl),
        help: own.help.or(defaults.help),
        forward: None,
    })
}

fn case(name: &Ident, path: TokenStream, fields: &Fields, settings: Settings) -> Result<Case> {
    let cause = match &settings.forward {
        Some(forward) => Some(cause(forward, fields)?),
        None => None,
    };
    if cause.is_none() && settings.code.is_none() {
        let problem = format!(
            "`{name}` has no code: add `#[failure(code = \"…\")]`, or `forward` to its cause"
        );
        return Err(Error::new_spanned(name, problem));
    }
    Ok(Case { path, fields: named(fields), settings, cause })
}

/// Every field with the name expressions know it by.
fn named(fields: &Fields) -> Vec<(Member, Ident)> {
    let one = |(index, field): (usize, &Field)| match &field.ident {
        Some(name) => (Member::Named(name.clone()), name.clone()),
        None => (Member::Unnamed(Index::from(index)), format_ident!("_{index}")),
    };
    fields.iter().enumerate().map(one).collect()
}

/// The field that is forwarded to: the one that is named, the only one, or the one that is marked as the source.
fn cause(forward: &Forward, fields: &Fields) -> Result<Ident> {
    let names = named(fields);
    if let Some(field) = &forward.field {
        let wanted = field.to_string();
        let found = names.iter().find(|(_, name)| *name == wanted);
        return found.map(|(_, name)| name.clone()).ok_or_else(|| {
            Error::new(forward.span, format!("there is no field `{wanted}` to forward to"))
        });
    }
    let marked = |field: &Field| {
        field.attrs.iter().any(|one| one.path().is_ident("source") || one.path().is_ident("from"))
            || field.ident.as_ref().is_some_and(|name| name == "source")
    };
    let at = match fields.len() {
        1 => Some(0),
        _ => fields.iter().position(marked),
    };
    at.map(|at| names[at].1.clone()).ok_or_else(|| {
        Error::new(
            forward.span,
            "which field is the cause? mark it with `#[source]`, or use `forward = FIELD`",
        )
    })
}

/// One method; none when every case has the trait's default.
fn method(name: &str, choice: Choice, cases: &[Case]) -> Option<TokenStream> {
    if cases.iter().all(|case| case.cause.is_none() && choice(&case.settings).is_none()) {
        return None;
    }
    let method = Ident::new(name, proc_macro2::Span::call_site());
    let (output, default) = signature(name);
    let arms = cases.iter().map(|case| {
        let value = match (choice(&case.settings), &case.cause) {
            (Some(value), _) => value.clone(),
            (None, Some(cause)) => quote!(#cause.#method()),
            (None, None) => default.clone(),
        };
        let path = &case.path;
        let used = case.fields.iter().filter(|(_, name)| mentions(&value, name));
        let bindings = used.map(|(member, name)| match member {
            Member::Named(name) => quote!(#name),
            Member::Unnamed(_) => quote!(#member: #name),
        });
        quote!(#path { #(#bindings,)* .. } => #value)
    });
    Some(quote! {
        fn #method(&self) -> #output {
            match self { #(#arms,)* }
        }
    })
}

/// What a method returns, and what the trait returns by itself.
fn signature(name: &str) -> (TokenStream, TokenStream) {
    let by_class = |retryable: TokenStream, terminal: TokenStream| {
        quote! {
            match ::countersign_failure::Failure::class(self) {
                ::countersign_failure::Class::Retryable => #retryable,
                ::countersign_failure::Class::Terminal => #terminal,
            }
        }
    };
    match name {
        "class" => {
            (quote!(::countersign_failure::Class), quote!(::countersign_failure::Class::Terminal))
        }
        "http_status" => (quote!(u16), by_class(quote!(503), quote!(500))),
        "asl_name" => {
            (quote!(&'static str), by_class(quote!("Step.Retryable"), quote!("Step.Terminal")))
        }
        "help" => (
            quote!(::core::option::Option<::std::string::String>),
            quote!(::core::option::Option::None),
        ),
        _ => (quote!(&'static str), quote!("")),
    }
}

/// Whether an expression uses a field, also inside the text of a `format!`.
fn mentions(value: &TokenStream, name: &Ident) -> bool {
    value.clone().into_iter().any(|token| match token {
        TokenTree::Group(group) => mentions(&group.stream(), name),
        TokenTree::Ident(ident) => ident == *name,
        TokenTree::Literal(literal) => literal.to_string().contains(&format!("{{{name}")),
        TokenTree::Punct(_) => false,
    })
}

#[cfg(test)]
mod tests {
    use super::failure;
    use syn::parse_quote;

    fn check(input: &syn::DeriveInput, expect: &str) {
        let problem = failure(input).err().map(|error| error.to_string());
        assert_eq!(problem.unwrap_or_default(), expect);
    }

    #[test]
    fn a_variant_without_a_code_is_named() {
        check(
            &parse_quote!(
                enum E {
                    #[failure(code = "A")]
                    A,
                    B,
                }
            ),
            "`B` has no code: add `#[failure(code = \"…\")]`, or `forward` to its cause",
        );
    }

    #[test]
    fn a_cause_must_be_found() {
        check(
            &parse_quote!(
                enum E {
                    #[failure(forward)]
                    A { x: u8, y: u8 },
                }
            ),
            "which field is the cause? mark it with `#[source]`, or use `forward = FIELD`",
        );
        check(
            &parse_quote!(
                enum E {
                    #[failure(forward = z)]
                    A { x: u8 },
                }
            ),
            "there is no field `z` to forward to",
        );
        check(
            &parse_quote!(
                #[failure(forward)]
                enum E {
                    A(X),
                }
            ),
            "`forward` is set on each variant, not on the enum",
        );
    }

    #[test]
    fn defaults_of_the_enum_and_all_ways_to_forward_are_accepted() {
        check(
            &parse_quote!(
                #[failure(code = "A", status = 422)]
                enum E {
                    A,
                    B,
                }
            ),
            "",
        );
        check(
            &parse_quote!(
                enum E {
                    #[failure(forward)]
                    A(X),
                    #[failure(forward)]
                    B {
                        n: u8,
                        #[source]
                        why: X,
                    },
                    #[failure(forward = _1)]
                    C(u8, X),
                }
            ),
            "",
        );
        check(
            &parse_quote!(
                #[failure(code = "A", class = *class)]
                struct S {
                    class: Class,
                }
            ),
            "",
        );
    }
}
