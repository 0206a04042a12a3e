//! A message as the arguments of a service's endpoint.

use countersign_registry::actions::send_channel_message::{Channel, Format, Params};
use serde_json::{Map, Value, json};

use crate::error::ChannelError;
use crate::markup::{Span, discord, length, read, slack, telegram};

/// The most characters of a message, as each service counts them.
const TELEGRAM: usize = 4_096;
const DISCORD: usize = 2_000;
const SLACK: usize = 40_000;

/// How much longer than what is sent a message may be, with its marks: it is read only as far as that.
const MAX_MARKED: usize = 4;
/// The most characters of the name of a chat, as the action declares.
const MAX_CHAT: usize = 128;

/// Discord's flag that alerts nobody.
const SUPPRESS_NOTIFICATIONS: u64 = 4_096;
/// Discord's flag that leaves out previews of links: nobody has signed what they show.
const SUPPRESS_EMBEDS: u64 = 4;

/// The arguments with which a message is sent through the service that the params name.
///
/// # Errors
/// [`ChannelError`] when the service does not take it as it stands.
pub fn arguments(message: &str, params: &Params) -> Result<Map<String, Value>, ChannelError> {
    if message.trim().is_empty() {
        return Err(ChannelError::Empty);
    }
    let Params { channel, format, silent, .. } = *params;
    let silence = channel.refuses_silence().filter(|_| silent);
    if let Some(why) = channel.refuses(format).or(silence) {
        return Err(ChannelError::Unsupported(why));
    }
    is_readable(message, channel)?;
    let chat = params.chat_id.as_deref().map(named).transpose()?;
    let spans = read(message, format);
    let mut made = match channel {
        Channel::Telegram => to_telegram(message, &spans, format, silent)?,
        Channel::Discord => to_discord(&spans, silent)?,
        Channel::Slack => to_slack(&spans, format)?,
        Channel::Default => return Err(ChannelError::Unnamed),
    };
    if let Some(chat) = chat {
        made.insert("chat_id".to_owned(), chat.into());
    }
    Ok(made)
}

/// Refuses a text that would be too long however many of its characters are marks.
fn is_readable(message: &str, channel: Channel) -> Result<(), ChannelError> {
    let most = MAX_MARKED * most(channel);
    let length = message.chars().count();
    let channel = channel.as_str();
    if length > most { Err(ChannelError::TooMarked { channel, length, most }) } else { Ok(()) }
}

fn most(channel: Channel) -> usize {
    match channel {
        Channel::Telegram => TELEGRAM,
        Channel::Discord => DISCORD,
        Channel::Slack | Channel::Default => SLACK,
    }
}

/// The name of a chat, which a variable may have filled in.
fn named(chat: &str) -> Result<&str, ChannelError> {
    let fits = !chat.trim().is_empty() && chat.chars().count() <= MAX_CHAT;
    let wrong = || ChannelError::Argument(format!("`chat_id` has 1 to {MAX_CHAT} characters"));
    fits.then_some(chat).ok_or_else(wrong)
}

/// Telegram counts what is shown, in UTF-16.
fn to_telegram(
    message: &str,
    spans: &[Span],
    format: Format,
    silent: bool,
) -> Result<Map<String, Value>, ChannelError> {
    fits("telegram", length(spans), TELEGRAM)?;
    let mut made = match format {
        Format::Plain => object(json!({ "text": message })),
        Format::Markdown | Format::Html => {
            object(json!({ "text": telegram(spans), "parse_mode": "HTML" }))
        }
    };
    if silent {
        made.insert("disable_notification".to_owned(), true.into());
    }
    Ok(made)
}

/// Discord always reads Markdown, so that a plain text is one whose marks are escaped.
fn to_discord(spans: &[Span], silent: bool) -> Result<Map<String, Value>, ChannelError> {
    let text = discord(spans);
    fits("discord", text.encode_utf16().count(), DISCORD)?;
    let quiet = if silent { SUPPRESS_NOTIFICATIONS } else { 0 };
    Ok(object(json!({ "text": text, "flags": SUPPRESS_EMBEDS + quiet })))
}

fn to_slack(spans: &[Span], format: Format) -> Result<Map<String, Value>, ChannelError> {
    let text = slack(spans);
    fits("slack", text.chars().count(), SLACK)?;
    Ok(object(json!({ "text": text, "mrkdwn": format == Format::Markdown })))
}

fn fits(channel: &'static str, length: usize, most: usize) -> Result<(), ChannelError> {
    if length > most { Err(ChannelError::TooLong { channel, length, most }) } else { Ok(()) }
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use countersign_registry::actions::send_channel_message::{Channel, Format, Params};
    use serde_json::{Value, json};

    use super::arguments;

    fn made(channel: Channel, format: Format, silent: bool, text: &str) -> Result<Value, String> {
        let params = Params { channel, format, silent, chat_id: Some("7".to_owned()) };
        arguments(text, &params).map(Value::Object).map_err(|error| error.to_string())
    }

    fn check(channel: Channel, format: Format, silent: bool, text: &str, expect: &Value) {
        assert_eq!(made(channel, format, silent, text).unwrap(), *expect, "{text}");
    }

    fn refused(channel: Channel, format: Format, silent: bool, text: &str, expect: &str) {
        let said = made(channel, format, silent, text).unwrap_err();
        assert!(said.contains(expect), "{said}");
    }

    #[test]
    fn f_073_a_message_becomes_what_each_service_documents() {
        check(
            Channel::Telegram,
            Format::Plain,
            false,
            "a <b> *c*",
            &json!({ "chat_id": "7", "text": "a <b> *c*" }),
        );
        check(
            Channel::Telegram,
            Format::Markdown,
            true,
            "**Due** <b>",
            &json!({ "chat_id": "7", "text": "<b>Due</b> &lt;b&gt;", "parse_mode": "HTML", "disable_notification": true }),
        );
        check(
            Channel::Telegram,
            Format::Html,
            false,
            "<b>Due</b> <a href=\"https://evil.example\">bank</a>",
            &json!({
                "chat_id": "7", "parse_mode": "HTML",
                "text": "<b>Due</b> &lt;a href=\"https://evil.example\"&gt;bank&lt;/a&gt;",
            }),
        );
        check(
            Channel::Discord,
            Format::Plain,
            true,
            "*c* <@5>",
            &json!({ "chat_id": "7", "text": "\\*c\\* \\<@5>", "flags": 4_100 }),
        );
        check(
            Channel::Slack,
            Format::Plain,
            false,
            "<!channel> & *c*",
            &json!({ "chat_id": "7", "text": "&lt;!channel&gt; &amp; *c*", "mrkdwn": false }),
        );
        check(
            Channel::Slack,
            Format::Markdown,
            false,
            "**c** [bank](https://evil.example)",
            &json!({ "chat_id": "7", "text": "*c* bank (https://evil.example)", "mrkdwn": true }),
        );
    }

    #[test]
    fn f_073_a_chat_that_a_variable_fills_in_has_a_name() {
        for chat in ["", "  ", &"7".repeat(129)] {
            let params = Params { chat_id: Some(chat.to_owned()), ..Params::default() };
            let params = Params { channel: Channel::Slack, ..params };
            let said = arguments("a", &params).unwrap_err().to_string();
            assert!(said.contains("`chat_id` has 1 to 128 characters"), "{said}");
        }
    }

    #[test]
    fn f_073_a_text_is_read_only_as_far_as_a_message_goes() {
        // Marks that open and never close: each of them was read again for each before it.
        let hostile = " _a".repeat(100_000) + &"_b".repeat(100_000);
        refused(Channel::Telegram, Format::Markdown, false, &hostile, "has 500000 characters");
        let long = " _a".repeat(2_600) + &"_b".repeat(2_600);
        refused(Channel::Telegram, Format::Markdown, false, &long, "takes 4096");
    }

    #[test]
    fn f_073_what_a_service_does_not_take_is_refused_and_not_cut() {
        let long = "x".repeat(40_001);
        for (channel, most) in
            [(Channel::Telegram, 4_096), (Channel::Discord, 2_000), (Channel::Slack, 40_000)]
        {
            assert!(made(channel, Format::Plain, false, &long[..most]).is_ok());
            let over = &long[..=most];
            refused(channel, Format::Plain, false, over, &format!("takes {most}"));
            refused(channel, Format::Plain, false, " \n", "is empty");
        }
        // A face outside the basic plane counts twice in Telegram.
        let faces = "\u{1f642}".repeat(2_049);
        refused(Channel::Telegram, Format::Plain, false, &faces, "has 4098 characters");
        // What is not shown does not count there.
        let marked = format!("**{}**", &long[..4_096]);
        assert!(made(Channel::Telegram, Format::Markdown, false, &marked).is_ok());
        refused(Channel::Discord, Format::Html, false, "a", "no messages in HTML");
        refused(Channel::Slack, Format::Html, false, "a", "no messages in HTML");
        refused(Channel::Slack, Format::Plain, true, "a", "no silent messages");
        refused(Channel::Default, Format::Plain, false, "a", "has to be named");
    }
}
