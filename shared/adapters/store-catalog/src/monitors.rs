//! Monitors: what agents look at by themselves.

use countersign_identity::UserId;
use countersign_monitor::{MonitorId, MonitorSpec};
use countersign_profile::{Profile, ProfileId};
use countersign_store_kit::{Key, Write, decode};

use crate::keys::Owner;
use crate::monitor_clocks::Clock;
use crate::record::StoredRecord;
use crate::stored::{Spec, Stored};
use crate::{Answer, Catalog, CatalogError, NativeMark, Result, StoredPlaybook, keys};

impl Spec for MonitorSpec {
    type Id = MonitorId;

    const KIND: &'static str = "monitor";
    const KEY: &'static str = "MONITOR";

    fn property(&self) -> String {
        self.profile_id.to_string()
    }

    /// A monitor that looks has a clock; one that was made or changed is due at once. That of one that was removed ticks until
    /// nothing of it is left.
    fn written_with(
        before: Option<&Stored<Self>>,
        after: Option<&Stored<Self>>,
    ) -> Result<Vec<Write>> {
        let ticking = match after {
            Some(monitor) => Some(monitor).filter(|monitor| monitor.spec.is_active),
            None => before,
        };
        let clock = ticking.and_then(|monitor| {
            let owner = monitor.user_id.clone()?;
            Some(Clock { owner, monitor: monitor.id.clone(), overdue_at: monitor.updated_at })
        });
        let doing = CatalogError::doing("set the clock of the monitor");
        let clock = match (clock, before) {
            (Some(clock), _) => Some(clock.put().map_err(doing)?),
            (None, Some(before)) => Some(Write::delete(&keys::monitor_clock(&before.id))),
            (None, None) => None,
        };
        Ok(clock.into_iter().chain(NativeMark::written(before, after)?).collect())
    }
}

impl Catalog {
    /// An agent and a playbook of an owner, or the system's where the owner has none, with one request.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn agent_and_playbook<'a>(
        &'a self,
        owner: &'a UserId,
        agent: &'a ProfileId,
        playbook: &'a str,
    ) -> Answer<'a, (Option<Profile>, Option<StoredPlaybook>)> {
        Box::pin(async move {
            let doing = CatalogError::doing("read the agent and the playbook");
            let playbook = playbook.to_owned();
            let owners = [Owner::User(owner), Owner::System];
            let agents = owners.map(|owner| keys::document::<Profile>(owner, agent));
            let playbooks = owners.map(|owner| keys::document::<StoredPlaybook>(owner, &playbook));
            let wanted = [&agents[..], &playbooks[..]].concat();
            let mut found = self.table.get_many(&wanted).await.map_err(doing)?;
            let mut first = |places: &[Key]| {
                let item = places.iter().find_map(|place| found.remove(place))?;
                Some(decode::<StoredRecord>(self.table.name(), item))
            };
            let (agent, playbook) = (first(&agents), first(&playbooks));
            let name = self.table.name();
            let agent = agent.map(|record| record?.read(name)).transpose().map_err(doing)?;
            let playbook = playbook.map(|record| record?.read(name)).transpose().map_err(doing)?;
            Ok((agent, playbook))
        })
    }
}
