//! Who may call a handler: a parameter of it says what its caller must be.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use countersign_identity::{Capability, Requirement, Role, UserId};
use countersign_run_start::Invoker;
use countersign_web::{Problem, Signed};
use http::StatusCode;
use http::request::Parts;

use crate::Context;

/// A parameter that is the caller, when a check lets them through.
macro_rules! caller {
    ($(#[$says:meta])* $name:ident: $check:ident) => {
        $(#[$says])*
        pub(crate) struct $name(pub(crate) UserId);

        impl From<$name> for UserId {
            fn from(caller: $name) -> Self {
                caller.0
            }
        }

        impl FromRequestParts<Arc<Context>> for $name {
            type Rejection = Problem;

            async fn from_request_parts(
                parts: &mut Parts,
                context: &Arc<Context>,
            ) -> Result<Self, Problem> {
                let signed = Signed::from_request_parts(parts, context).await?;
                $check(&signed).cloned().map(Self)
            }
        }
    };
}

caller! {
    /// Somebody who may read.
    Reader: reader
}
caller! {
    /// Somebody who may run agents.
    Analyst: analyst
}
caller! {
    /// An administrator.
    Administrator: administrator
}

/// Reading needs some role somewhere.
pub(crate) fn reader(signed: &Signed) -> Result<&UserId, Problem> {
    holder(signed, Role::Reader)
}

/// Running agents, and reaching what is outside, needs the role that researches and writes.
pub(crate) fn analyst(signed: &Signed) -> Result<&UserId, Problem> {
    holder(signed, Role::Analyst)
}

/// Somebody who has this role, or a higher one, somewhere.
pub(crate) fn holder(signed: &Signed, role: Role) -> Result<&UserId, Problem> {
    signed.caller.permits(&Requirement::role(role), None)?;
    Ok(&signed.caller.user)
}

/// A run's caller: what their token is worth now, and what it claims, so that every step can ask the directory again.
pub(crate) fn invoker(signed: &Signed) -> Invoker {
    Invoker {
        user: signed.caller.user.clone(),
        scopes: signed.caller.scopes.clone(),
        token: Some(signed.presented.clone()),
        shared: None,
        by_mention: false,
    }
}

/// Administration is a capability.
fn administrator(signed: &Signed) -> Result<&UserId, Problem> {
    administers(signed, "this")
}

/// An administrator, for something that only they may do.
pub(crate) fn administers<'s>(signed: &'s Signed, what: &str) -> Result<&'s UserId, Problem> {
    if signed.caller.can(Capability::Administer) {
        return Ok(&signed.caller.user);
    }
    let message = format!("{what} needs the capability `administer`");
    let problem = Problem::new(StatusCode::FORBIDDEN, "PERMISSION_DENIED", message);
    Err(problem.with_hint("ask an administrator"))
}
