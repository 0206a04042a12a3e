//! A table of addresses: those that lead, or could lead, into the network the call comes from, and those that do not.

use std::collections::BTreeSet;
use std::net::IpAddr;

use proptest::prelude::{ProptestConfig, any, prop_assert, proptest};
use url::Url;

use super::{CLOSED, LOCAL};
use crate::guard::{Closed, public_only};
use crate::{Policy, is_public};

/// So many hostile addresses are tried at least.
const LEAST: usize = 200;

/// Every one of these leads, or could lead, into the network the call comes from.
const HOSTILE: &[&str] = &[
    // Other schemes, and HTTP.
    "http://example.com/",
    "ftp://example.com/",
    "file:///etc/passwd",
    "gopher://example.com/_",
    "data:text/plain,hello",
    "javascript:alert(1)",
    "ws://example.com/",
    "unix:/var/run/docker.sock",
    "dict://example.com:11211/",
    // Users in the address.
    "https://user@example.com/",
    "https://user:password@example.com/",
    "https://example.com@127.0.0.1/",
    "https://:pw@example.com/",
    // This machine, in every spelling.
    "https://localhost/",
    "https://LOCALHOST/",
    "https://localhost./",
    "https://a.localhost/",
    "https://127.0.0.1/",
    "https://127.0.0.1:8443/",
    "https://127.1/",
    "https://127.0.1/",
    "https://127.255.255.254/",
    "https://2130706433/",
    "https://0x7f000001/",
    "https://0x7f.0x0.0x0.0x1/",
    "https://0177.0.0.1/",
    "https://017700000001/",
    "https://0/",
    "https://0.0.0.0/",
    "https://0.1.2.3/",
    "https://①②⑦.⓪.⓪.①/",
    "https://127。0。0。1/",
    "https://%31%32%37.0.0.1/",
    "https://[::1]/",
    "https://[::]/",
    "https://[0:0:0:0:0:0:0:1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[::ffff:7f00:1]/",
    "https://[::127.0.0.1]/",
    // Metadata services and credentials.
    "http://169.254.169.254/latest/meta-data/",
    "https://169.254.169.254/latest/meta-data/",
    "https://169.254.170.2/v2/credentials",
    "https://169.254.170.23/v1/credentials",
    "https://169.254.100.1/2018-06-01/runtime",
    "https://2852039166/",
    "https://0xa9fea9fe/",
    "https://0251.0376.0251.0376/",
    "https://169.254.43518/",
    "https://[::ffff:169.254.169.254]/",
    "https://[::ffff:a9fe:a9fe]/",
    "https://[fd00:ec2::254]/",
    "https://[fe80::a9fe:a9fe]/",
    "https://100.100.100.200/",
    "https://168.63.129.16/",
    "https://192.0.0.192/",
    "https://metadata.google.internal/",
    "https://metadata/",
    // Private networks.
    "https://10.0.0.1/",
    "https://10.255.255.255/",
    "https://172.16.0.1/",
    "https://172.31.255.255/",
    "https://192.168.0.1/",
    "https://192.168.1.1:8443/admin",
    "https://100.64.0.1/",
    "https://100.127.255.255/",
    "https://167772161/",
    "https://0xc0a80001/",
    "https://[fc00::1]/",
    "https://[fd12:3456:789a::1]/",
    "https://[fe80::1]/",
    "https://[fec0::1]/",
    "https://intranet/",
    "https://db.corp/",
    "https://nas.local/",
    "https://router.lan/",
    "https://vault.service.internal/",
    "https://printer.home.arpa/",
    // Addresses inside addresses.
    "https://[64:ff9b::10.0.0.1]/",
    "https://[64:ff9b::a9fe:a9fe]/",
    "https://[64:ff9b:1::7f00:1]/",
    "https://[2002:7f00:1::]/",
    "https://[2002:a9fe:a9fe::1]/",
    "https://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/",
    // Addresses nobody lives at.
    "https://192.0.2.1/",
    "https://198.51.100.7/",
    "https://203.0.113.9/",
    "https://198.18.0.1/",
    "https://224.0.0.1/",
    "https://255.255.255.255/",
    "https://[ff02::1]/",
    "https://[2001:db8::1]/",
    "https://[100::1]/",
    // More schemes.
    "HTTP://EXAMPLE.COM/",
    "wss://example.com/",
    "ldap://example.com/",
    "tftp://example.com/",
    "ssh://example.com/",
    "smb://example.com/share",
    "jar:http://example.com/a.jar!/",
    "blob:https://example.com/0",
    "about:blank",
    // More users.
    "https://127.0.0.1%2f@example.com/",
    "https://user:password@10.0.0.1/",
    "https://example.com:443@169.254.169.254/",
    // More spellings of this machine.
    "https://127.0.0.1\\@example.com/",
    "https:127.0.0.1/",
    "https:///127.0.0.1/",
    "https:\\\\127.0.0.1\\",
    "https://127.0.0.1./",
    "https://0x7f.1/",
    "https://0x7F000001/",
    "https://00000177.0.0.01/",
    "https://１２７.０.０.１/",
    "https://ｌｏｃａｌｈｏｓｔ/",
    "https://loc\u{ad}alhost/",
    "https://local\nhost/",
    "https://\tlocalhost/",
    "https://%6c%6f%63%61%6c%68%6f%73%74/",
    "https://%61.localhost/",
    "https://foo.localhost./",
    "https://a.b.c.localhost:8443/",
    "https://localhost.localdomain/",
    "https://localhost:443/",
    "https://[0000::0001]/",
    "https://[::1]:8443/",
    "https://[::7f00:1]/",
    "https://[::ffff:0:127.0.0.1]/",
    // More ways to the metadata services.
    "https://169。254。169。254/",
    "https://①⑥⑨.②⑤④.①⑥⑨.②⑤④/",
    "https://169.254.169.254./",
    "https://169.0xfe.43518/",
    "https://[::a9fe:a9fe]/",
    "https://[64:ff9b::169.254.169.254]/",
    "https://[64:ff9b:1::a9fe:a9fe]/",
    "https://[fd20:ce::254]/",
    "https://METADATA.GOOGLE.INTERNAL./",
    "https://instance-data.ec2.internal/",
    "https://ip-10-0-0-1.eu-west-1.compute.internal/",
    "https://host.docker.internal/",
    "https://kubernetes.default.svc.cluster.local/",
    // More private networks.
    "https://0300.0250.0.1/",
    "https://192.168.257/",
    "https://10.1/",
    "https://3232235521/",
    "https://[fdff:ffff::1]/",
    "https://[febf::1]/",
    "https://[fe80::1%25eth0]/",
    "https://[::ffff:10.0.0.1]/",
    "https://[::ffff:192.168.0.1]/",
    "https://x.internal./",
    "https://X.LOCAL./",
    "https://wiki.home/",
    "https://db.private/",
    "https://wiki.intranet/",
    "https://service.onion/",
    // More addresses inside addresses.
    "https://[64:ff9b:1:fffe::1]/",
    "https://[64:ff9b::8.8.8.8]/",
    "https://[2002:c0a8:1::1]/",
    "https://[2001::1]/",
    "https://[2001:0:7f00:1::]/",
    // More addresses nobody lives at.
    "https://192.0.0.8/",
    "https://192.88.99.1/",
    "https://198.19.255.255/",
    "https://239.255.255.250/",
    "https://240.0.0.1/",
    "https://254.255.255.254/",
    "https://[ff05::2]/",
    "https://[2001:2::1]/",
    "https://[2001:10::1]/",
    "https://[2001:20::1]/",
    "https://[3fff::1]/",
    "https://[3fff:fff::1]/",
    "https://[5f00::1]/",
    "https://[4000::1]/",
    // No address at all.
    "https://256.256.256.256/",
    "https://1.2.3.4.5/",
    "https://0x100000000/",
    "https://[::1",
    "https://",
    "//example.com/",
    "example.com",
    "",
    // The same networks in still other spellings.
    "https://192.168.1/",
    "https://0xa.0.0.1/",
    "https://012.0.0.1/",
    "https://172.16.1/",
    "https://[::ffff:172.16.0.1]/",
    "https://[2002:0a00:0001::]/",
    "https://[2002:c0a8:0001::]/",
    "https://[2002:ac10:1::]/",
    "https://[64:ff9b::192.168.0.1]/",
    "https://[64:ff9b::127.0.0.1]/",
    "https://[64:ff9b::172.16.0.1]/",
    "https://[ff01::1]/",
    "https://233.252.0.1/",
    "https://[fd00::1]/",
    "https://[fc00:1::1]/",
    "https://169.254.0.1/",
    "https://100.64.100.100/",
    "https://172.20.10.1/",
    "https://192.168.100.1/",
    "https://127.8.8.8/",
    "https://0177.1/",
];

/// None of these leads anywhere private, however it looks.
const PUBLIC: &[&str] = &[
    // Plain ones, with everything an address may have.
    "https://example.com/",
    "https://EXAMPLE.com/",
    "https://example.com./",
    "https://example.com",
    "https://example.com:443/",
    "https://example.com:8443/",
    "https://example.com:65535/",
    "HTTPS://example.com/",
    "https://api.example.co.uk:8443/v1?x=y",
    "https://a.b.c.d.e.example.org/",
    "https://example.com/?q=%00%0a#top",
    "https://bücher.example/",
    "https://xn--bcher-kva.example/",
    "https://ｅｘａｍｐｌｅ.com/",
    "https://例え.jp/",
    "https://%65xample.com/",
    "https://example。com/",
    // Private addresses and names that are no host.
    "https://example.com/@127.0.0.1",
    "https://example.com/?url=http://169.254.169.254/",
    "https://example.com/#@localhost",
    "https://example.com/127.0.0.1/../10.0.0.1",
    "https://example.com\\@127.0.0.1/",
    "https://example.com//169.254.169.254/",
    "https:example.com/",
    // Names that only look like private ones.
    "https://localhost.example.com/",
    "https://notlocalhost.com/",
    "https://mylocalhost.net/",
    "https://local.example.com/",
    "https://internal.example.com/",
    "https://my-internal.com/",
    "https://intranet.example.com/",
    "https://corp.example.com/",
    "https://lan.example.com/",
    "https://home.example.com/",
    "https://metadata.google.com/",
    "https://onion.example.com/",
    "https://127.0.0.1.example.com/",
    "https://10.example.com/",
    "https://169-254-169-254.example.com/",
    "https://0x7f000001.example.com/",
    "https://1e100.net/",
    // Public addresses in every spelling.
    "https://1.1.1.1/",
    "https://8.8.8.8/",
    "https://134744072/",
    "https://0x08080808/",
    "https://010.010.010.010/",
    "https://8.8.2056/",
    "https://８.８.８.８/",
    "https://93.184.215.14:8443/",
    "https://[2606:4700:4700::1111]/",
    "https://[2606:2800:21f:cb07::1]:8443/",
    // Next to what is refused, on both sides.
    "https://1.0.0.0/",
    "https://9.255.255.255/",
    "https://11.0.0.0/",
    "https://100.63.255.255/",
    "https://100.128.0.0/",
    "https://126.255.255.255/",
    "https://128.0.0.0/",
    "https://168.63.129.15/",
    "https://168.63.129.17/",
    "https://169.253.255.255/",
    "https://169.255.0.0/",
    "https://172.15.255.255/",
    "https://172.32.0.0/",
    "https://191.255.255.255/",
    "https://192.0.1.0/",
    "https://192.0.3.0/",
    "https://192.88.98.255/",
    "https://192.88.100.0/",
    "https://192.167.255.255/",
    "https://192.169.0.0/",
    "https://198.17.255.255/",
    "https://198.20.0.0/",
    "https://198.51.99.255/",
    "https://198.51.101.0/",
    "https://203.0.112.255/",
    "https://203.0.114.0/",
    "https://223.255.255.255/",
    "https://[2000::1]/",
    "https://[2001:200::1]/",
    "https://[2001:4860:4860::8888]/",
    "https://[2001:db7:ffff::1]/",
    "https://[2001:db9::1]/",
    "https://[2001:ffff::1]/",
    "https://[2003::1]/",
    "https://[2400:cb00::1]/",
    "https://[2600:1f00::1]/",
    "https://[2620:fe::fe]/",
    "https://[2803:f800::1]/",
    "https://[2a00:1450::1]/",
    "https://[2c0f:f248::1]/",
    "https://[3ffe:ffff::1]/",
    "https://[3fff:1000::1]/",
    // Sources people read.
    "https://www.sec.gov/cgi-bin/browse-edgar?action=getcompany",
    "https://data.sec.gov/submissions/CIK0000320193.json",
    "https://projects.propublica.org/nonprofits/api/v2/search.json?q=x",
    "https://api.open.fec.gov/v1/candidates/",
    "https://api.opencorporates.com/v0.4/companies/search",
    "https://api.usaspending.gov/api/v2/search/spending_by_award/",
    "https://www.courtlistener.com/api/rest/v4/search/",
    "https://api.gdeltproject.org/api/v2/doc/doc",
    "https://api.congress.gov/v3/bill",
    "https://lda.senate.gov/api/v1/filings/",
    "https://api.github.com/graphql",
    "https://www.wikidata.org/w/api.php",
];

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
    assert!(distinct.len() >= LEAST && PUBLIC.len() >= 60, "{}", distinct.len());
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
