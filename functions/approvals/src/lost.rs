//! What a page says of approvals that do not count any more.

use countersign_approval::{NotCounted, Vote};
use countersign_identity::UserId;
use countersign_letter::Shown;
use countersign_store_approvals::Loaded;

use crate::Context;
use crate::opened::{Opened, name};
use crate::refusal::Refusal;

/// A line for each person whose approval of the present version does not count any more, with the reason.
pub(crate) async fn lines(opened: &Opened<'_>, context: &Context) -> Result<Vec<Shown>, Refusal> {
    let mut lines = Vec::new();
    for (vote, why) in lost(&opened.loaded) {
        let line = if vote.person == opened.person {
            format!(
                "Your own approval does not count any more: {why}. It counts if you give it again, and may."
            )
        } else {
            let name = name(&vote.person, context).await?;
            format!("The approval of {name} does not count any more: {why}.")
        };
        lines.push(Shown::line(&line));
    }
    Ok(lines)
}

/// How many people other than this one have approved the present version and do not count any more.
pub(crate) fn beside(loaded: &Loaded, person: &UserId) -> u32 {
    let lost = loaded.request.lost_approvals(&loaded.votes).into_iter();
    u32::try_from(lost.filter(|lost| *lost != person).count()).unwrap_or(u32::MAX)
}

/// The last approval of each person whose approvals do not count any more.
fn lost(loaded: &Loaded) -> Vec<(&Vote, NotCounted)> {
    let people = loaded.request.lost_approvals(&loaded.votes).into_iter();
    let last = people.filter_map(|person| {
        let own = loaded.cast().filter(|vote| vote.person == *person);
        let vote = own.max_by_key(|vote| vote.again)?;
        Some((vote, loaded.request.not_counted(vote)?))
    });
    last.collect()
}
