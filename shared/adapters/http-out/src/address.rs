//! Which addresses may be called at all (K-38).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Ranges of IPv4 that are not the public internet: prefix and length.
const REFUSED_V4: [(Ipv4Addr, u32); 16] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8),        // this network
    (Ipv4Addr::new(10, 0, 0, 0), 8),       // private
    (Ipv4Addr::new(100, 64, 0, 0), 10),    // carrier-grade NAT; some clouds' metadata
    (Ipv4Addr::new(127, 0, 0, 0), 8),      // loopback
    (Ipv4Addr::new(168, 63, 129, 16), 32), // a cloud's host agent at a public-looking address
    (Ipv4Addr::new(169, 254, 0, 0), 16), // link-local: instance metadata, Lambda's and ECS's credentials
    (Ipv4Addr::new(172, 16, 0, 0), 12),  // private
    (Ipv4Addr::new(192, 0, 0, 0), 24),   // protocol assignments
    (Ipv4Addr::new(192, 0, 2, 0), 24),   // documentation
    (Ipv4Addr::new(192, 88, 99, 0), 24), // 6to4 relays
    (Ipv4Addr::new(192, 168, 0, 0), 16), // private
    (Ipv4Addr::new(198, 18, 0, 0), 15),  // benchmarks
    (Ipv4Addr::new(198, 51, 100, 0), 24), // documentation
    (Ipv4Addr::new(203, 0, 113, 0), 24), // documentation
    (Ipv4Addr::new(224, 0, 0, 0), 4),    // multicast
    (Ipv4Addr::new(240, 0, 0, 0), 4),    // reserved, broadcast
];

/// Ranges inside IPv6's global unicast space (2000::/3) that reach elsewhere. Everything outside it is refused as a
/// whole: mapped IPv4, NAT64, unique local, link-local, multicast.
const REFUSED_V6: [(Ipv6Addr, u32); 4] = [
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23), // Teredo, ORCHID and other special uses
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32), // documentation
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16), // 6to4: holds an IPv4 address
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20), // documentation
];

/// Whether an address is on the public internet.
#[must_use]
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => !REFUSED_V4.iter().any(|range| in_v4(address, *range)),
        IpAddr::V6(address) => {
            let global = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);
            in_v6(address, global) && !REFUSED_V6.iter().any(|range| in_v6(address, *range))
        }
    }
}

fn in_v4(address: Ipv4Addr, (prefix, length): (Ipv4Addr, u32)) -> bool {
    (address.to_bits() ^ prefix.to_bits()) >> (32 - length) == 0
}

fn in_v6(address: Ipv6Addr, (prefix, length): (Ipv6Addr, u32)) -> bool {
    (address.to_bits() ^ prefix.to_bits()) >> (128 - length) == 0
}
