//! What is read and written, and what no text can do.

use countersign_registry::actions::send_channel_message::Format;
use proptest::prelude::*;

use super::{discord, length, read, slack, telegram};

fn check(text: &str, format: Format, as_telegram: &str, as_discord: &str, as_slack: &str) {
    let spans = read(text, format);
    assert_eq!(telegram(&spans), as_telegram, "telegram: {text}");
    assert_eq!(discord(&spans), as_discord, "discord: {text}");
    assert_eq!(slack(&spans), as_slack, "slack: {text}");
}

#[test]
fn f_073_styles_are_those_of_each_service() {
    let markdown = |text, a, b, c| check(text, Format::Markdown, a, b, c);
    markdown(
        "**a** *b* _c_ ~~d~~ `e`",
        "<b>a</b> <i>b</i> <i>c</i> <s>d</s> <code>e</code>",
        "**a** *b* *c* ~~d~~ `e`",
        "*a* _b_ _c_ ~d~ `e`",
    );
    markdown("*a **b** c*", "<i>a <b>b</b> c</i>", "*a **b** c*", "_a *b* c_");
    markdown("```\nx < 1\n```", "<pre>x &lt; 1</pre>", "```\nx < 1\n```", "```x &lt; 1```");
    markdown(r"\*a\*", "*a*", r"\*a\*", "*a*");
    check(
        "<b>a &amp; <i>b</i></b>",
        Format::Html,
        "<b>a &amp; <i>b</i></b>",
        "**a & *b***",
        "*a &amp; _b_*",
    );
}

#[test]
fn f_073_what_is_no_style_is_text() {
    let markdown = |text, a, b, c| check(text, Format::Markdown, a, b, c);
    markdown("2 * 3 * 4", "2 * 3 * 4", r"2 \* 3 \* 4", "2 * 3 * 4");
    markdown("snake_case_name", "snake_case_name", r"snake\_case\_name", "snake_case_name");
    markdown("**open", "**open", r"\*\*open", "**open");
    markdown("# a\n- b\n> c", "# a\n- b\n&gt; c", "\\# a\n\\- b\n\\> c", "# a\n- b\n&gt; c");
    check(
        "<b>open <i>a</b>",
        Format::Html,
        "<b>open &lt;i&gt;a</b>",
        r"**open \<i>a**",
        "*open &lt;i&gt;a*",
    );
    check(
        "<B>a</B><x>",
        Format::Html,
        "&lt;B&gt;a&lt;/B&gt;&lt;x&gt;",
        r"\<B>a\</B>\<x>",
        "&lt;B&gt;a&lt;/B&gt;&lt;x&gt;",
    );
}

#[test]
fn f_073_a_link_shows_where_it_leads() {
    let markdown = |text, a, b, c| check(text, Format::Markdown, a, b, c);
    markdown(
        "[bank](https://evil.example/a_b)",
        "bank (https://evil.example/a_b)",
        "bank (<https://evil.example/a_b>)",
        "bank (https://evil.example/a_b)",
    );
    markdown("[a](b) [c] (d)", "a (b) [c] (d)", r"a (b) \[c\] (d)", "a (b) [c] (d)");
    check(
        "<https://a.example|bank>",
        Format::Plain,
        "&lt;https://a.example|bank&gt;",
        r"\<<https://a.example>\|bank>",
        "&lt;https://a.example|bank&gt;",
    );
}

#[test]
fn f_073_an_address_in_discord_ends_where_the_text_ends_it() {
    let check = |text: &str, expect: &str| {
        assert_eq!(discord(&read(text, Format::Plain)), expect, "{text}");
    };
    check("see https://a.example/x_y?z=1.", "see <https://a.example/x_y?z=1>.");
    check("https://a.example/*b*", r"<https://a.example/>\*b\*");
    check("https://a.example/(b)", "<https://a.example/>(b)");
    check("https:// http://.", "https:// http://.");
}

#[test]
fn f_073_code_beside_code_stays_code() {
    let markdown = |text, a, b, c| check(text, Format::Markdown, a, b, c);
    let code = "`a````\nb\n````[bank](https://evil.example)`";
    markdown(
        code,
        "<code>a</code><pre>b</pre><code>[bank](https://evil.example)</code>",
        "`a`\n```\nb\n```\n`[bank](https://evil.example)`",
        "`a`\n```b```\n`[bank](https://evil.example)`",
    );
    markdown("`a``b`", "<code>a</code><code>b</code>", "`a`\n`b`", "`a`\n`b`");
}

/// The text between Telegram's tags, or nothing when one is not closed as it was opened.
fn shown(html: &str) -> Option<String> {
    let (mut open, mut text, mut rest) = (Vec::new(), String::new(), html);
    while let Some(at) = rest.find('<') {
        text.push_str(&rest[..at]);
        let (tag, after) = rest[at + 1..].split_once('>')?;
        match tag.strip_prefix('/') {
            Some(name) => (open.pop()? == name).then_some(())?,
            None => open.push(tag),
        }
        rest = after;
    }
    text.push_str(rest);
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    open.is_empty().then_some(text)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn f_073_no_text_opens_a_tag_a_link_or_a_mention(text in "[a-c<>@!#&;*_~`\\[\\]()|/\\\\ \n-]{0,60}", format in 0_u8..3) {
        let format = [Format::Plain, Format::Markdown, Format::Html][usize::from(format)];
        let spans = read(&text, format);
        let html = telegram(&spans);
        let plain = shown(&html).expect("every tag is closed");
        prop_assert_eq!(plain.encode_utf16().count(), length(&spans));
        prop_assert!(!slack(&spans).contains(['<', '>']));
        if format == Format::Plain {
            prop_assert_eq!(&plain, &text);
            let bare = discord(&spans);
            prop_assert_eq!(unescaped(&bare), text);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn f_073_no_marked_text_becomes_a_link_with_a_label_in_discord(text in "[ab`*_~ \n\\\\]{0,8}(```\n?[ab`]{1,3}\n?```)?[ab`*_~ \n]{0,4}(`?\\[a\\]\\(b\\)`?)[ab`*_ \n]{0,6}") {
        let written = discord(&read(&text, Format::Markdown));
        prop_assert!(!has_labelled_link(&written), "{} of {}", written, text);
    }
}

/// Whether Discord's apps would read a link with a label, by the rules of their tokenizer: an escape, a block of code, code
/// between runs of equally many backticks, a link, in this order; what fits none is text.
fn has_labelled_link(text: &str) -> bool {
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let escape = rest.strip_prefix('\\').and_then(|after| after.chars().next());
        let used = match next {
            '\\' if escape.is_some_and(|mark| mark.is_ascii_punctuation()) => 2,
            '`' => code_block(rest).or_else(|| inline_code(rest)).unwrap_or(1),
            '[' if is_link(rest) => return true,
            _ => next.len_utf8(),
        };
        rest = &rest[used..];
    }
    false
}

fn code_block(text: &str) -> Option<usize> {
    let inner = text.strip_prefix("```")?;
    let from = inner.find(|c: char| c != '\n')? + 1;
    Some(3 + from + inner.get(from..)?.find("```")? + 3)
}

fn inline_code(text: &str) -> Option<usize> {
    let run = text.bytes().take_while(|byte| *byte == b'`').count();
    let mut at = run;
    while let Some(found) = text[at..].find('`') {
        let begin = at + found;
        let ticks = text[begin..].bytes().take_while(|byte| *byte == b'`').count();
        if ticks == run && begin > run {
            return Some(begin + ticks);
        }
        at = begin + ticks;
    }
    None
}

fn is_link(text: &str) -> bool {
    text.find("](").is_some_and(|at| text[at..].contains(')'))
}

/// What Discord shows of a text in which every mark is escaped.
fn unescaped(text: &str) -> String {
    let mut shown = String::new();
    let mut chars = text.chars();
    while let Some(next) = chars.next() {
        if next == '\\' {
            shown.extend(chars.next());
        } else {
            assert!(!"*_~`|<[]".contains(next), "`{next}` is a mark in {text}");
            shown.push(next);
        }
    }
    shown
}
