use std::time::Duration;

use countersign_failure::{Class, Failure as _};
use countersign_http_out::{Egress, Policy};
use jiff::{SignedDuration, Timestamp};
use url::Url;
use wiremock::matchers::path;
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::{Robots, RobotsError};

fn robots() -> Robots {
    Robots::new(Egress::new(Policy { allow_loopback: true }))
}

async fn site(answer: ResponseTemplate, times: u64) -> MockServer {
    let server = MockServer::builder().start().await;
    Mock::given(path("/robots.txt")).respond_with(answer).expect(times).mount(&server).await;
    server
}

fn at(server: &MockServer, path: &str) -> Url {
    Url::parse(&server.uri()).unwrap().join(path).unwrap()
}

async fn ask(robots: &Robots, url: &Url, now: Timestamp) -> Result<Duration, RobotsError> {
    robots.ask(url, now, Duration::from_secs(5)).await
}

const RULES: &str = "User-agent: *\nDisallow: /private\nCrawl-delay: 2\n";

#[tokio::test]
async fn k_76_a_site_is_asked_once_a_day() {
    let server = site(ResponseTemplate::new(200).set_body_string(RULES), 2).await;
    let (robots, now) = (robots(), Timestamp::UNIX_EPOCH);
    assert_eq!(ask(&robots, &at(&server, "/a"), now).await, Ok(Duration::from_secs(2)));
    let error = ask(&robots, &at(&server, "/private/x?token=1"), now).await.unwrap_err();
    assert_eq!((error.code(), error.class()), ("ROBOTS_DISALLOWED", Class::Terminal));
    assert!(error.to_string().contains("`/private/x`") && !error.to_string().contains("token"));
    let later = now.checked_add(SignedDuration::from_hours(25)).unwrap();
    assert!(ask(&robots, &at(&server, "/a"), later).await.is_ok());
}

#[tokio::test]
async fn k_76_without_a_robots_txt_everything_is_allowed() {
    for status in [401, 403, 404, 410] {
        let server = site(ResponseTemplate::new(status).set_body_string(RULES), 1).await;
        let robots = robots();
        for _ in 0..2 {
            let asked = ask(&robots, &at(&server, "/private"), Timestamp::UNIX_EPOCH).await;
            assert_eq!(asked, Ok(Duration::ZERO), "{status}");
        }
    }
}

#[tokio::test]
async fn k_76_a_site_that_fails_allows_nothing_for_now() {
    for status in [429, 500, 503] {
        let server = site(ResponseTemplate::new(status), 2).await;
        let robots = robots();
        for _ in 0..2 {
            let error = ask(&robots, &at(&server, "/"), Timestamp::UNIX_EPOCH).await.unwrap_err();
            assert_eq!(
                (error.code(), error.class()),
                ("ROBOTS_UNAVAILABLE", Class::Retryable),
                "{status}"
            );
        }
    }
    let slow = ResponseTemplate::new(200).set_delay(Duration::from_secs(30));
    let server = site(slow, 1).await;
    let asked =
        robots().ask(&at(&server, "/"), Timestamp::UNIX_EPOCH, Duration::from_secs(2)).await;
    assert_eq!(asked.unwrap_err().code(), "ROBOTS_UNAVAILABLE");
}

#[tokio::test]
async fn k_76_a_delay_is_kept_to_within_reason_and_a_long_file_is_cut() {
    let long = format!(
        "User-agent: *\nCrawl-delay: 4000\nDisallow: /a\n{}\nDisallow: /z\n",
        "#".repeat(600_000)
    );
    let server = site(ResponseTemplate::new(200).set_body_string(long), 1).await;
    let robots = robots();
    assert_eq!(
        ask(&robots, &at(&server, "/z"), Timestamp::UNIX_EPOCH).await,
        Ok(Duration::from_secs(30))
    );
    assert!(ask(&robots, &at(&server, "/a"), Timestamp::UNIX_EPOCH).await.is_err());
}

#[tokio::test]
async fn k_38_a_private_site_is_not_even_asked() {
    let closed = Robots::new(Egress::new(Policy::default()));
    for address in ["https://169.254.169.254/latest", "https://10.0.0.1/", "http://localhost/x"] {
        let error =
            ask(&closed, &Url::parse(address).unwrap(), Timestamp::UNIX_EPOCH).await.unwrap_err();
        assert_eq!((error.code(), error.class()), ("EGRESS_REFUSED", Class::Terminal), "{address}");
    }
    let redirect = ResponseTemplate::new(302).insert_header("location", "https://169.254.169.254/");
    let server = site(redirect, 1).await;
    let error = ask(&robots(), &at(&server, "/"), Timestamp::UNIX_EPOCH).await.unwrap_err();
    assert_eq!(error.code(), "EGRESS_REFUSED");
}
