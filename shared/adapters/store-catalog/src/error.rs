//! What the catalog can answer instead.

use countersign_failure::Failure;
use countersign_store_kit::StoreError;

/// The error of this store.
#[derive(Debug, thiserror::Error, Failure)]
pub enum CatalogError {
    /// The table did not do what was asked.
    #[error("the catalog could not {doing}")]
    #[failure(forward)]
    Store {
        /// What was being done.
        doing: String,
        /// What the table said.
        #[source]
        source: StoreError,
    },
    /// A handle or an id is in use by another record of the same owner.
    #[error("the {what} `{name}` is taken")]
    #[failure(
        code = "NAME_TAKEN",
        status = 409,
        help = Some(format!("choose another {what}, or change the one that has it"))
    )]
    Taken {
        /// `handle`, `connector id` or `playbook id`.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A connector is bound to a profile once.
    #[error(
        "the connector `{connector}` is bound to this agent already, as the data source `{binding}`"
    )]
    #[failure(
        code = "NAME_TAKEN",
        status = 409,
        help = Some(format!("change the data source `{binding}`, or remove it first"))
    )]
    Bound {
        /// The connector.
        connector: String,
        /// The binding it has.
        binding: String,
    },
    /// A profile is shared with a team once.
    #[error("this agent is shared with the team `{0}` already")]
    #[failure(code = "NAME_TAKEN", status = 409, help = "change that share, or take it back first")]
    Shared(String),
    /// There is no such record of this owner.
    #[error("there is no such {0}")]
    #[failure(code = "NOT_FOUND", status = 404)]
    NotFound(&'static str),
    /// Somebody changed the record in between.
    #[error("the {0} was changed by somebody else in between")]
    #[failure(
        code = "VERSION_CONFLICT",
        status = 409,
        help = "read it again and repeat the change"
    )]
    Changed(&'static str),
    /// A record is larger than an item may be.
    #[error("the {what} takes {bytes} bytes; at most {limit} fit")]
    #[failure(code = "RECORD_TOO_LARGE", status = 413)]
    TooLarge {
        /// What.
        what: &'static str,
        /// Its size.
        bytes: usize,
        /// The bound.
        limit: usize,
    },
}

impl CatalogError {
    pub(crate) fn doing(doing: &'static str) -> impl Fn(StoreError) -> Self + Copy {
        move |source| Self::Store { doing: doing.to_owned(), source }
    }

    pub(crate) fn doing_to(
        verb: &'static str,
        kind: &'static str,
    ) -> impl Fn(StoreError) -> Self + Copy {
        move |source| Self::Store { doing: format!("{verb} the {kind}"), source }
    }
}
