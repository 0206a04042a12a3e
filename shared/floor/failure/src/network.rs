//! What libraries say of a connection or an address, in plain words. They leave out hosts and addresses: whoever calls names them.

/// Parts of messages about connections, in lower case, and what they mean; the first that fits.
const NETWORK: [(&str, &str); 30] = [
    ("does not support tls", "it offers no TLS"),
    ("temporary failure", "its name could not be looked up for now"),
    ("fatal alert", "it ended the agreement on TLS"),
    ("connection refused", "nothing accepts connections there"),
    ("close_notify", CLOSED),
    ("connection reset", CLOSED),
    ("connection closed", CLOSED),
    ("closed before", CLOSED),
    ("broken pipe", CLOSED),
    ("incomplete message", CLOSED),
    ("unexpected eof", CLOSED),
    ("unexpected end of file", CLOSED),
    ("timed out", "it took too long"),
    ("not valid for name", "its certificate is for another name"),
    ("notvalidforname", "its certificate is for another name"),
    ("certificate: expired", "its certificate has expired"),
    ("certificate expired", "its certificate has expired"),
    ("certificate has expired", "its certificate has expired"),
    ("certificate", "its certificate is not trusted"),
    ("handshake", "no common form of TLS was found"),
    ("gzip", UNREADABLE),
    ("deflate", UNREADABLE),
    ("invalid http", UNREADABLE),
    ("decod", UNREADABLE),
    ("corrupt message", "it does not speak TLS there"),
    ("lookup address", UNKNOWN_NAME),
    ("no record found", UNKNOWN_NAME),
    ("name or service not known", UNKNOWN_NAME),
    ("dns error", UNKNOWN_NAME),
    ("unreachable", "there is no route to it"),
];

const CLOSED: &str = "the connection was closed before the answer was complete";
const UNREADABLE: &str = "its answer cannot be read";
const UNKNOWN_NAME: &str = "its name is not known";

/// `tcp connect error: Connection refused (os error 111)` as `nothing accepts connections there`.
#[must_use]
pub fn network_problem(message: &str) -> &'static str {
    let message = message.to_lowercase();
    let known = NETWORK.iter().find(|(part, _)| message.contains(part));
    known.map_or("the connection failed", |(_, plain)| plain)
}

/// `relative URL without a base` as `it does not begin with `https://``.
#[must_use]
pub fn address_problem(message: &str) -> &'static str {
    match message {
        "relative URL without a base" => "it does not begin with `https://`",
        "empty host" => "it names no host",
        "invalid port number" => "its port is not a number up to 65535",
        "invalid IPv4 address" | "invalid IPv6 address" => "its host is not an IP address",
        "invalid international domain name" | "invalid domain character" => {
            "its host is not a name"
        }
        _ => "it cannot be read",
    }
}

#[cfg(test)]
mod tests {
    use super::{address_problem, network_problem};

    #[test]
    fn connections_are_told_without_the_words_of_libraries() {
        for (said, told) in [
            (
                "tcp connect error: Connection refused (os error 111)",
                "nothing accepts connections there",
            ),
            ("connection closed before message completed", super::CLOSED),
            ("peer closed connection without sending TLS close_notify: https://…", super::CLOSED),
            ("invalid peer certificate: UnknownIssuer", "its certificate is not trusted"),
            ("invalid peer certificate: Expired", "its certificate has expired"),
            (
                "invalid peer certificate: certificate not valid for name \"a\"",
                "its certificate is for another name",
            ),
            ("received fatal alert: HandshakeFailure", "it ended the agreement on TLS"),
            ("server does not support TLS", "it offers no TLS"),
            ("failed to lookup address information", super::UNKNOWN_NAME),
            ("something else", "the connection failed"),
        ] {
            assert_eq!(network_problem(said), told, "{said}");
        }
    }

    #[test]
    fn addresses_are_told_without_the_words_of_libraries() {
        assert_eq!(
            address_problem("relative URL without a base"),
            "it does not begin with `https://`"
        );
        assert_eq!(address_problem("URLs more than 4 GB are not supported"), "it cannot be read");
    }
}
