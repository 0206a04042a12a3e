//! Throttles of the gateways: every route has one of its own, with the values that `docs/deploying.md` says.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::project::Project;

/// The document with the table of the throttles, and the heading above it.
const DOCUMENT: &str = "docs/deploying.md";
const HEADING: &str = "## Throttles";
/// Doors that a flood at one another must leave open, from the narrowest to the widest: whoever asks more often is closed earlier.
const APART: [&str; 3] = ["ANY /health", "ANY /a/{proxy+}", "ANY /api/{proxy+}"];

/// Requests a second, and the most at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Throttle {
    rate: u64,
    burst: u64,
}

/// Every route without the throttle that is documented for it. A flood at a mailed page or at the health check closes no other door.
pub(super) fn broken(project: &Project) -> Vec<String> {
    let text = project.text(Path::new(DOCUMENT));
    let documented = text.as_deref().map(documented);
    let of = |wanted: &'static str| project.resources().filter(move |(_, kind, _)| *kind == wanted);
    let (mut broken, mut set) = (Vec::new(), BTreeMap::new());
    for (name, _, stage) in of("AWS::ApiGatewayV2::Stage") {
        let throttle = |key: &str| throttle(&stage["RouteSettings"][key]);
        let routes = of("AWS::ApiGatewayV2::Route");
        let own = routes.filter(|(_, _, route)| route["ApiId"] == stage["ApiId"]);
        for key in own.filter_map(|(_, _, route)| route["RouteKey"].as_str()) {
            match throttle(key) {
                Some(throttle) => drop(set.insert(key, throttle)),
                None => broken.push(format!("`{name}` has no throttle for `{key}`")),
            }
        }
    }
    if let Some(documented) = &documented {
        broken.extend(differing(&set, documented));
    }
    broken.extend(together(&set));
    broken
}

fn throttle(settings: &Value) -> Option<Throttle> {
    let limit = |name| settings.get(name).and_then(Value::as_u64);
    Some(Throttle { rate: limit("ThrottlingRateLimit")?, burst: limit("ThrottlingBurstLimit")? })
}

/// The rows of the table: route, requests a second, at once.
fn documented(text: &str) -> BTreeMap<&str, Throttle> {
    let section = text.split_once(HEADING).map_or("", |(_, section)| section);
    let section = section.split("\n## ").next().unwrap_or_default();
    section.lines().filter_map(row).collect()
}

fn row(line: &str) -> Option<(&str, Throttle)> {
    let mut cells = line.strip_prefix('|')?.split('|').map(str::trim);
    let route = cells.next()?.strip_prefix('`')?.strip_suffix('`')?;
    let mut number = || cells.next()?.parse().ok();
    Some((route, Throttle { rate: number()?, burst: number()? }))
}

/// What the template and the document say differently.
fn differing(set: &BTreeMap<&str, Throttle>, documented: &BTreeMap<&str, Throttle>) -> Vec<String> {
    let shown = |all: &BTreeMap<&str, Throttle>, route: &str| {
        all.get(route).map_or_else(
            || "no throttle".to_owned(),
            |Throttle { rate, burst }| format!("{rate} a second, {burst} at once"),
        )
    };
    let routes = set.keys().chain(documented.keys().filter(|route| !set.contains_key(*route)));
    let other = routes.filter(|route| set.get(*route) != documented.get(*route));
    other
        .map(|route| {
            let (ours, theirs) = (shown(set, route), shown(documented, route));
            format!("`{route}` has {ours}, and {DOCUMENT} says {theirs}")
        })
        .collect()
}

/// Doors that do not differ as they must.
fn together(set: &BTreeMap<&str, Throttle>) -> Vec<String> {
    let pairs = APART.windows(2).filter_map(|pair| {
        let [narrow, wide] = pair else { return None };
        let (less, more) = (set.get(narrow)?, set.get(wide)?);
        (less.rate >= more.rate || less.burst >= more.burst)
            .then(|| format!("the throttle of `{narrow}` must be lower than that of `{wide}`"))
    });
    pairs.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Throttle, broken, differing, documented};
    use crate::project::Project;

    fn template(settings: &[(&str, u64, u64)], routes: &[&str]) -> Project {
        let of = |(route, rate, burst): &(&str, u64, u64)| {
            let limits = json!({ "ThrottlingRateLimit": rate, "ThrottlingBurstLimit": burst });
            ((*route).to_owned(), limits)
        };
        let settings: serde_json::Map<String, Value> = settings.iter().map(of).collect();
        let mut resources = json!({
            "S": { "Type": "AWS::ApiGatewayV2::Stage", "Properties": { "RouteSettings": settings } },
        });
        for (at, route) in routes.iter().enumerate() {
            resources[format!("R{at}")] =
                json!({ "Type": "AWS::ApiGatewayV2::Route", "Properties": { "RouteKey": route } });
        }
        Project { template: json!({ "Resources": resources }), ..Project::default() }
    }

    const ROUTES: [&str; 3] = super::APART;

    #[track_caller]
    fn check(settings: &[(&str, u64, u64)], routes: &[&str], expect: &[&str]) {
        assert_eq!(broken(&template(settings, routes)), expect);
    }

    #[test]
    fn every_route_has_a_throttle_of_its_own() {
        let [_, link, _] = ROUTES;
        check(&[(link, 30, 60)], &[link], &[]);
        let missing = "`S` has no throttle for `ANY /a/{proxy+}`";
        check(&[("ANY /health", 30, 60)], &[link], &[missing]);
        let mut project = template(&[], &[link]);
        project.template["Resources"]["S"]["Properties"]["RouteSettings"][link] =
            json!({ "ThrottlingRateLimit": 30 });
        assert_eq!(broken(&project), [missing]);
    }

    #[test]
    fn doors_that_are_flooded_apart_have_throttles_that_differ() {
        let [health, link, api] = ROUTES;
        check(&[(health, 5, 10), (link, 30, 60), (api, 100, 200)], &ROUTES, &[]);
        let health_first =
            "the throttle of `ANY /health` must be lower than that of `ANY /a/{proxy+}`";
        check(&[(health, 30, 10), (link, 30, 60), (api, 100, 200)], &ROUTES, &[health_first]);
        let link_first =
            "the throttle of `ANY /a/{proxy+}` must be lower than that of `ANY /api/{proxy+}`";
        check(&[(health, 5, 10), (link, 30, 200), (api, 100, 200)], &ROUTES, &[link_first]);
    }

    #[test]
    fn throttles_are_those_of_the_document() {
        let text = "## A\n| `GET /x` | 1 | 2 |\n## Throttles\n\n| route | a second | at once |\n|---|---|---|\n| `ANY /health` | 5 | 10 |\n| `GET /old` | 1 | 2 |\n\n## B\n| `GET /y` | 1 | 2 |\n";
        let documented = documented(text);
        let health = Throttle { rate: 5, burst: 10 };
        assert_eq!(documented["ANY /health"], health);
        assert_eq!(documented.len(), 2);
        let set = [("ANY /health", Throttle { rate: 6, burst: 10 }), ("GET /new", health)];
        assert_eq!(
            differing(&set.into_iter().collect(), &documented),
            [
                "`ANY /health` has 6 a second, 10 at once, and docs/deploying.md says 5 a second, 10 at once",
                "`GET /new` has 5 a second, 10 at once, and docs/deploying.md says no throttle",
                "`GET /old` has no throttle, and docs/deploying.md says 1 a second, 2 at once",
            ]
        );
    }
}
