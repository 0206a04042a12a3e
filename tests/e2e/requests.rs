//! Requests drawn from the served OpenAPI document: no answer is one that the document does not know.
//!
//! 2,000 with a fixed seed; `countersign bench requests` sends 20,000.

use std::time::Duration;

use countersign_cli::requests::{Options, send};

use crate::world::world;

const CASES: usize = 2_000;
const SEED: u64 = 20_261_128;
/// Beside the other tests an answer may take long, but no longer than the gateway waits.
const BOUND: Duration = Duration::from_secs(29);

#[tokio::test]
async fn every_answer_to_a_generated_request_is_documented() {
    let options = Options { cases: CASES, seed: SEED, at_once: 8, bound: BOUND };
    let report = send(&world().stack, options).await.unwrap();
    assert_eq!(report.wrong, 0, "{} answers are wrong:\n{}", report.wrong, report.told());
    assert_eq!(report.sent, CASES);
    // A generator whose requests are all refused tries nothing behind the first check.
    assert!(report.succeeded * 2 > report.operations, "{report:?}");
    for status in [200, 201, 202, 204, 400, 401, 403, 404, 409, 413, 415, 422] {
        assert!(
            report.statuses.contains_key(&status),
            "no request was answered with {status}: {report:?}"
        );
    }
}
