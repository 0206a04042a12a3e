//! A table of addresses: those that lead, or could lead, into the network the call comes from, and those that do not.

mod lists;

use std::collections::BTreeSet;
use std::net::IpAddr;

use proptest::prelude::{ProptestConfig, any, prop_assert, proptest};
use url::Url;

use self::lists::{HOSTILE, PUBLIC};
use super::{CLOSED, LOCAL};
use crate::guard::{Closed, public_only};
use crate::{Policy, is_public};

/// So many are tried; `docs/assurance.md` says so.
const HELD: usize = 203;
/// So many public ones stay open.
const OPEN: usize = 105;

fn check(address: &str, policy: Policy, expect: Result<(), &str>) {
    // What the address parser itself refuses can never be called.
    let outcome = match Url::parse(address) {
        Ok(url) => policy.check(&url).map_err(|error| error.to_string()),
        Err(error) => Err(error.to_string()),
    };
    match (&outcome, expect) {
        (Ok(()), Ok(())) => {}
        (Err(message), Err(part)) => assert!(message.contains(part), "{address}: {message}"),
        (outcome, _) => panic!("{address}: {outcome:?}"),
    }
}

#[test]
fn k_38_hostile_addresses_are_refused() {
    let distinct: BTreeSet<&str> = HOSTILE.iter().copied().collect();
    assert_eq!((distinct.len(), PUBLIC.len()), (HELD, OPEN));
    for address in distinct {
        check(address, CLOSED, Err(""));
    }
}

#[test]
fn k_38_loopback_opens_nothing_else() {
    let opened = |address: &str| {
        let Ok(url) = Url::parse(address) else { return false };
        let host = url.host_str().unwrap_or_default().trim_end_matches('.').to_owned();
        let ip: Option<IpAddr> = host.trim_matches(['[', ']']).parse().ok();
        let local = host == "localhost"
            || host.ends_with(".localhost")
            || ip.is_some_and(|ip| ip.is_loopback());
        local && matches!(url.scheme(), "https" | "http") && url.username().is_empty()
    };
    for address in HOSTILE {
        check(address, LOCAL, if opened(address) { Ok(()) } else { Err("") });
    }
    check("http://127.0.0.1:8080/", LOCAL, Ok(()));
    check("http://localhost:8080/", LOCAL, Ok(()));
    check("http://[::1]:8080/", LOCAL, Ok(()));
    check("http://10.0.0.1/", LOCAL, Err("only HTTPS"));
}

#[test]
fn k_38_public_addresses_may_be_called() {
    for address in PUBLIC {
        check(address, CLOSED, Ok(()));
        check(address, LOCAL, Ok(()));
    }
}

#[test]
fn k_38_lambdas_own_address_stays_closed_where_loopback_is_open() {
    for (own, port) in [("127.0.0.1:9001", 9001), ("localhost:9001", 9001), ("127.0.0.1", 80)] {
        let closed = Closed::parse(own);
        for host in ["127.0.0.1", "localhost", "a.localhost.", "[::1]", "127.1", "0x7f000001"] {
            let url = |port: u16| Url::parse(&format!("http://{host}:{port}/2018-06-01/")).unwrap();
            assert!(closed.check(&url(port)).is_err(), "{own} {host}");
            assert!(closed.check(&url(9002)).is_ok(), "{own} {host}");
        }
    }
    let closed = Closed::parse("169.254.100.1:9001");
    assert!(closed.check(&Url::parse("http://169.254.100.1:9001/").unwrap()).is_err());
    check("http://169.254.100.1:9001/", LOCAL, Err("only HTTPS"));
}

#[test]
fn k_38_one_private_address_spoils_a_name() {
    let resolve = |addresses: &[&str]| {
        public_only(addresses.iter().map(|ip| ip.parse().unwrap()).collect()).is_ok()
    };
    assert!(resolve(&["93.184.215.14", "2606:2800:21f::1"]));
    assert!(!resolve(&["93.184.215.14", "10.0.0.1"]));
    assert!(!resolve(&["127.0.0.1"]));
    assert!(!resolve(&["::ffff:93.184.215.14"]));
    assert!(!resolve(&[]));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn k_38_no_mapped_or_private_address_is_public(bits in any::<u32>()) {
        let v4 = std::net::Ipv4Addr::from_bits(bits);
        prop_assert!(!is_public(v4.to_ipv6_mapped().into()));
        prop_assert!(!is_public(v4.to_ipv6_compatible().into()));
        if v4.is_private() || v4.is_loopback() || v4.is_link_local() || v4.is_multicast() || v4.is_broadcast() || v4.is_documentation() || v4.is_unspecified() {
            prop_assert!(!is_public(v4.into()));
        }
    }

    #[test]
    fn k_38_only_global_unicast_is_public(bits in any::<u128>()) {
        let v6 = std::net::Ipv6Addr::from_bits(bits);
        if bits >> 125 != 1 { prop_assert!(!is_public(v6.into())); }
    }
}
