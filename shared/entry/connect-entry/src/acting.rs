//! The stores of a call that was described a moment ago: what was read then is used, the rest is read.

use std::sync::Arc;
use std::time::Duration;

use countersign_connector::{
    AgentConnector, Binding, ConnectorId, ConnectorSource, Credential, CredentialId,
    CredentialSource, Found, SourceError, SourceFuture, StoredConnector,
};
use countersign_identity::UserId;
use countersign_resilience::{
    Admitted, Budget, CallLimits, CallResult, LimitFuture, LimitKey, Permit, Report, SourceState,
};
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
    ) -> SourceFuture<'a, Option<StoredConnector>> {
        self.stores.catalog.definition(owner, id)
    }

    fn binding<'a>(&'a self, of: &'a AgentConnector) -> SourceFuture<'a, Option<Binding>> {
        self.stores.catalog.binding(of)
    }

    fn bound<'a>(&'a self, of: &'a AgentConnector) -> SourceFuture<'a, Found> {
        Box::pin(async move {
            if let Some(found) = self.ahead.found(of) {
                return Ok(found);
            }
            let found = self.stores.catalog.bound(of).await?;
            self.ahead.keep_found(of.clone(), found.clone());
            Ok(found)
        })
    }
}

impl CredentialSource for Acting {
    fn credential<'a>(
        &'a self,
        owner: &'a UserId,
        id: &'a CredentialId,
        connector: &'a ConnectorId,
    ) -> SourceFuture<'a, Option<Credential>> {
        Box::pin(async move {
            let (vault, of) = (&self.stores.vault, (owner.clone(), id.clone()));
            let item = match self.ahead.credential(&of) {
                Some(item) => item,
                None => {
                    let item = self.stores.item(vault.lookup(owner, id)).await;
                    let item = item.map_err(|error| Box::new(error) as SourceError)?;
                    self.ahead.keep_credential(of, item.clone());
                    item
                }
            };
            vault.credential_in(owner, id, connector, item).await
        })
    }
}

impl CallLimits for Acting {
    fn permit<'a>(
        &'a self,
        subject: &'a LimitKey,
        budget: &'a Budget,
        now: Timestamp,
        patience: Duration,
    ) -> LimitFuture<'a, Permit> {
        self.stores.egress.permit(subject, budget, now, patience)
    }

    fn admit<'a>(
        &'a self,
        subject: &'a LimitKey,
        holder: &'a str,
        now: Timestamp,
        lease: Duration,
    ) -> LimitFuture<'a, Admitted> {
        Box::pin(async move {
            let (egress, of) = (&self.stores.egress, subject.as_str().to_owned());
            let known = self.ahead.source(&of);
            let admitted = match known.clone() {
                Some(seen) => egress.admit_seen(subject, holder, now, lease, seen).await?,
                None => egress.admit(subject, holder, now, lease).await?,
            };
            if known.as_ref() != Some(&admitted.seen) {
                self.ahead.keep_source(of, admitted.seen.clone());
            }
            Ok(admitted)
        })
    }

    fn report<'a>(
        &'a self,
        subject: &'a LimitKey,
        seen: Option<SourceState>,
        report: &'a Report,
    ) -> LimitFuture<'a, ()> {
        Box::pin(async move {
            if !self.ahead.is_news(subject.as_str(), report.verdict == CallResult::Success) {
                return Ok(());
            }
            let next = seen.clone().unwrap_or_default().after(report);
            self.stores.egress.report(subject, seen, report).await?;
            self.ahead.wrote_source(subject.as_str().to_owned(), next);
            Ok(())
        })
    }
}
