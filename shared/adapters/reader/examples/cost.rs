//! What reading in a child costs: `cargo run --release --package countersign-reader --example cost`.
//!
//! Reads a small feed two hundred times. Like a function, this program starts itself.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use countersign_pages::Body;
use countersign_reader::{Readers, child};
use url::Url;

const READINGS: usize = 200;
const FEED: &[u8] =
    br#"<rss version="2.0"><channel><title>t</title><item><title>a</title></item></channel></rss>"#;

#[expect(clippy::print_stdout, reason = "the figures are this program's result")]
fn main() -> ExitCode {
    if let Some(code) = child() {
        return code;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    match runtime.map(|runtime| runtime.block_on(measured())) {
        Ok(Ok(mut times)) => {
            times.sort_unstable();
            let (median, most) = (times[READINGS / 2], times[READINGS * 95 / 100]);
            println!("a small feed in a child: median {median:.1?}, 95 of 100 within {most:.1?}");
            ExitCode::SUCCESS
        }
        Ok(Err(error)) => failed(&error),
        Err(error) => failed(&error),
    }
}

async fn measured() -> Result<Vec<Duration>, Box<dyn std::error::Error>> {
    let (readers, url) = (Readers::default(), Url::parse("https://example.org/")?);
    let body = Body { url: &url, content_type: Some("application/rss+xml"), bytes: FEED };
    let mut times = Vec::with_capacity(READINGS);
    for _ in 0..READINGS {
        let started = Instant::now();
        readers.feed(&body, tokio::time::Instant::now() + Duration::from_secs(10)).await?;
        times.push(started.elapsed());
    }
    Ok(times)
}

fn failed(error: &dyn std::fmt::Display) -> ExitCode {
    eprintln!("{error}");
    ExitCode::FAILURE
}
