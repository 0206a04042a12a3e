//! The stores of a call that was described a moment ago: what was read then is used, the rest is read.

use std::sync::Arc;
use std::time::Duration;

use countersign_connector::{
    Binding, ConnectorId, ConnectorSource, Credential, CredentialId, CredentialSource, Found,
    SourceError, StoredConnector,
};
use countersign_identity::UserId;
use countersign_resilience::{
    Admitted, Budget, Permit, Record, Report, Standing, StandingError, Subject,
};
use futures::future::BoxFuture;
use jiff::Timestamp;

use crate::ahead::{Ahead, Stores};

pub(crate) struct Acting {
    stores: Stores,
    ahead: Arc<Ahead>,
}

impl Acting {
    pub(crate) fn new(stores: Stores, ahead: Arc<Ahead>) -> Self {
        Self { stores, ahead }
    }
}

impl ConnectorSource for Acting {
    fn definition<'a>(
        &'a self,
        owner: &'a UserId,
        id: &'a ConnectorId,
    ) -> BoxFuture<'a, Result<Option<StoredConnector>, SourceError>> {
        self.stores.catalog.definition(owner, id)
    }

    fn binding<'a>(
        &'a self,
        owner: &'a UserId,
        profile: &'a str,
        connector: &'a ConnectorId,
    ) -> BoxFuture<'a, Result<Option<Binding>, SourceError>> {
        self.stores.catalog.binding(owner, profile, connector)
    }

    fn bound<'a>(
        &'a self,
        owner: &'a UserId,
        profile: &'a str,
        connector: &'a ConnectorId,
    ) -> BoxFuture<'a, Result<Found, SourceError>> {
        match self.ahead.found(&(owner.clone(), profile.to_owned(), connector.clone())) {
            Some(found) => Box::pin(async { Ok(found) }),
            None => self.stores.catalog.bound(owner, profile, connector),
        }
    }
}

impl CredentialSource for Acting {
    fn credential<'a>(
        &'a self,
        owner: &'a UserId,
        id: &'a CredentialId,
        connector: &'a ConnectorId,
    ) -> BoxFuture<'a, Result<Option<Credential>, SourceError>> {
        match self.ahead.credential(&(owner.clone(), id.clone())) {
            Some(item) => self.stores.vault.credential_in(owner, id, connector, item),
            None => self.stores.vault.credential(owner, id, connector),
        }
    }
}

impl Standing for Acting {
    fn permit<'a>(
        &'a self,
        subject: &'a Subject,
        budget: &'a Budget,
        now: Timestamp,
        patience: Duration,
    ) -> BoxFuture<'a, Result<Permit, StandingError>> {
        self.stores.egress.permit(subject, budget, now, patience)
    }

    fn admit<'a>(
        &'a self,
        subject: &'a Subject,
        holder: &'a str,
        now: Timestamp,
        lease: Duration,
    ) -> BoxFuture<'a, Result<Admitted, StandingError>> {
        match self.ahead.source(&subject.as_str().to_owned()) {
            Some(seen) => self.stores.egress.admit_seen(subject, holder, now, lease, seen),
            None => self.stores.egress.admit(subject, holder, now, lease),
        }
    }

    fn report<'a>(
        &'a self,
        subject: &'a Subject,
        seen: Option<Record>,
        report: &'a Report,
    ) -> BoxFuture<'a, Result<(), StandingError>> {
        Box::pin(async move {
            let reports = self.ahead.reported(subject.as_str(), report);
            if reports.is_empty() {
                return Ok(());
            }
            self.stores.egress.report_all(subject, seen, &reports).await
        })
    }
}
