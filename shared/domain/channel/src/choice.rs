//! Which service a message goes through.

use countersign_registry::actions::send_channel_message::Channel;

use crate::error::ChannelError;

/// The service that a step means, of those that its agent has: the one it names, or the only one.
///
/// # Errors
/// [`ChannelError`] when the agent does not have it, or has none or several and the step names none.
pub fn choose(named: Channel, has: &[Channel]) -> Result<Channel, ChannelError> {
    match (named, has) {
        (Channel::Default, []) => Err(ChannelError::NoChannel),
        (Channel::Default, [only]) => Ok(*only),
        (Channel::Default, several) => {
            let words: Vec<&str> = several.iter().map(|channel| channel.as_str()).collect();
            Err(ChannelError::Ambiguous(words.join(", ")))
        }
        (named, has) if has.contains(&named) => Ok(named),
        (named, _) => Err(ChannelError::NotBound(named.as_str())),
    }
}

#[cfg(test)]
mod tests {
    use countersign_registry::actions::send_channel_message::Channel::{
        self, Default, Discord, Slack, Telegram,
    };

    use super::choose;

    fn check(named: Channel, has: &[Channel], expect: Result<Channel, &str>) {
        let found = choose(named, has).map_err(|error| error.to_string());
        assert_eq!(found, expect.map_err(str::to_owned), "{named:?} of {has:?}");
    }

    #[test]
    fn f_073_a_channel_is_never_guessed() {
        check(Slack, &[Telegram, Slack], Ok(Slack));
        check(Default, &[Discord], Ok(Discord));
        check(
            Default,
            &[Telegram, Slack],
            Err("the agent has several channels, and the step does not say which: telegram, slack"),
        );
        check(
            Default,
            &[],
            Err("the agent has no connector of a channel: telegram, discord or slack"),
        );
        check(
            Slack,
            &[Telegram],
            Err(
                "the agent has no connector `slack` with an endpoint `send_message` that it may call",
            ),
        );
    }
}
