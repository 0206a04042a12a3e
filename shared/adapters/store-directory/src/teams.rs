//! Teams and who is a member of them.

use countersign_identity::UserId;
use countersign_store_kit::{Expr, Page, Query, StoreError, Window, Write};
use countersign_team::{Member, Team, TeamChange, TeamId};
use futures::future::try_join;
use jiff::Timestamp;

use crate::asked::Encoded;
use crate::{Answer, Directory, DirectoryError, Result, keys};

/// The most teams of one person that are read.
const MAX_TEAMS: usize = 200;

impl Directory {
    /// Makes a team, without members. Making the same id again changes nothing and answers as the first time.
    ///
    /// # Errors
    /// [`DirectoryError::Store`] when the table does not answer.
    pub async fn create_team(&self, team: &Team) -> Result<Team> {
        let doing = DirectoryError::doing("make the team");
        let put = put(team).map_err(&doing)?;
        self.table.put_once(put, team).await.map_err(doing)
    }

    /// Reads a team, whether or not it works.
    ///
    /// # Errors
    /// [`DirectoryError::Store`] when the table does not answer.
    pub fn team(&self, id: &TeamId) -> Answer<'_, Option<Team>> {
        self.one(keys::team(id), "read the team")
    }

    /// Every team, by name.
    ///
    /// # Errors
    /// [`DirectoryError::Store`] when the table does not answer.
    pub fn teams(&self, window: Window) -> Answer<'_, Page<Team>> {
        self.page(Query::index(keys::TEAMS).within(window), "list teams")
    }

    /// Changes a team and answers with the record as it then stands.
    ///
    /// # Errors
    /// [`DirectoryError::NoSuchTeam`] when there is none, [`DirectoryError::Changed`] when somebody else changed it in between.
    pub async fn change_team(
        &self,
        id: &TeamId,
        change: &TeamChange,
        now: Timestamp,
    ) -> Result<Team> {
        let before = self.team(id).await?.ok_or(DirectoryError::NoSuchTeam)?;
        let is_same = Expr::version(before.version);
        let after = before.changed(change, now);
        let write = is_same.and_then(|is_same| Ok(put(&after)?.when(is_same)));
        let is_changed = self.try_write(write, "change the team").await?;
        is_changed.then_some(after).ok_or(DirectoryError::Changed)
    }

    /// Makes a person a member. Doing it again changes nothing.
    ///
    /// # Errors
    /// [`DirectoryError::NoSuchTeam`] and [`DirectoryError::NoSuchUser`] when there is none.
    pub fn add_member<'a>(&'a self, member: &'a Member) -> Answer<'a, ()> {
        Box::pin(async move {
            let doing = DirectoryError::doing("add the member");
            let Member { team_id, user_id, .. } = member;
            let put = Write::put(&keys::membership(user_id, team_id), member).map_err(&doing)?;
            let writes = vec![
                Write::check(&keys::team(team_id), Expr::exists()),
                Write::check(&keys::profile(user_id), Expr::exists()),
                put.indexed(&keys::members(team_id), user_id.as_str()).if_absent(),
            ];
            match self.table.transact(writes).await {
                Err(StoreError::ConditionFailed { index: 0, .. }) => {
                    Err(DirectoryError::NoSuchTeam)
                }
                Err(StoreError::ConditionFailed { index: 1, .. }) => {
                    Err(DirectoryError::NoSuchUser)
                }
                // They are a member already.
                Err(StoreError::ConditionFailed { .. }) => Ok(()),
                done => done.map_err(doing),
            }
        })
    }

    /// Takes a person out of a team; from the next request and the next step on. Doing it again changes nothing.
    ///
    /// # Errors
    /// [`DirectoryError::Store`] when the table does not answer.
    pub fn remove_member(&self, team: &TeamId, user: &UserId) -> Answer<'_, ()> {
        self.remove(keys::membership(user, team), "remove the member")
    }

    /// The members of a team.
    ///
    /// # Errors
    /// [`DirectoryError::Store`] when the table does not answer.
    pub fn members(&self, team: &TeamId, window: Window) -> Answer<'_, Page<Member>> {
        self.page(Query::index(&keys::members(team)).within(window), "list the members")
    }

    /// The team, when it works and the person is a member of it now.
    ///
    /// # Errors
    /// [`DirectoryError::Store`] when the table does not answer.
    pub fn team_of<'a>(&'a self, user: &'a UserId, team: &'a TeamId) -> Answer<'a, Option<Team>> {
        let member = self.one::<Member>(keys::membership(user, team), "read the membership");
        Box::pin(async move {
            let (member, team) = try_join(member, self.team(team)).await?;
            Ok(team.filter(|team| team.is_active && member.is_some()))
        })
    }

    /// The teams that work and of which a person is a member, by id.
    ///
    /// # Errors
    /// [`DirectoryError::Store`] when the table does not answer.
    pub async fn teams_of(&self, user: &UserId) -> Result<Vec<Team>> {
        let doing = DirectoryError::doing("list the teams of the person");
        let query = Query::partition(&keys::partition(user)).prefix(keys::MEMBERSHIP);
        let members = self.table.query_all::<Member>(query.consistent(), MAX_TEAMS).await;
        let members = members.map_err(&doing)?;
        let keys: Vec<_> = members.iter().map(|member| keys::team(&member.team_id)).collect();
        let teams: Vec<Team> = self.table.get_in_order(&keys).await.map_err(doing)?;
        Ok(teams.into_iter().filter(|team| team.is_active).collect())
    }
}

fn put(team: &Team) -> Encoded<Write> {
    let put = Write::put(&keys::team(&team.id), team)?;
    Ok(put.indexed(keys::TEAMS, &keys::by_name(team)))
}
