//! What an irreversible step does, as a value: an [`Effect`] is the whole outgoing request, with named places for
//! credentials in it.
//!
//! Gate and step build the same effect with the same code. People sign the hash of its canonical text ([`Effect::leaf`]),
//! every page and API shows its [`EffectView`], and the request is sent from it and from nothing else. Several effects of
//! one step are the leaves of a Merkle tree ([`tree`]) whose root is signed.
//!
//! Nothing here reads a clock, the environment or the network.

mod digest;
mod error;
mod file;
mod hidden;
mod http;
mod key;
mod leaf;
mod mail;
pub mod tree;
pub mod view;

pub use digest::{Digest, InvalidDigest, hash_parts};
pub use error::EffectError;
pub use file::{Excerpt, FileAction, FileEdit, FileEffect, MAX_EXCERPT, TextHash};
pub use hidden::is_hidden;
pub use http::{
    Body, CredentialUse, Effect, HttpEffect, MAX_EFFECT_BYTES, Part, SECRET_PLACE, SecretForm,
    SecretPart, Shape, Version, Via,
};
pub use key::{KeyOf, idempotency_key};
pub use leaf::{effect_leaf, row_leaf};
pub use mail::{MAIL_KEYS, Mail};
