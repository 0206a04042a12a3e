//! `GET /errors/{code}`: what an error code means. Every problem document has this address as its `type`.

use axum::response::{IntoResponse, Response};
use countersign_web::{Path, Problem};
use http::{HeaderMap, StatusCode, header};

/// A page of `docs/errors`.
struct Page {
    code: &'static str,
    markdown: &'static str,
    html: &'static str,
}

/// All of them, by code.
static PAGES: &[Page] = &include!(concat!(env!("OUT_DIR"), "/error_pages.rs"));

/// What a code means, why it happens and what to do, as HTML where the reader asks for it, otherwise as Markdown. Needs no token.
#[utoipa::path(
    get,
    path = "/errors/{code}",
    tag = "operation",
    security(()),
    params(("code" = String, Path, description = "The `code` of a problem document.")),
    responses(
        (status = 200, description = "The page.", content((String = "text/markdown"), (String = "text/html"))),
        (status = 404, description = "NOT_FOUND: there is no such code."),
    )
)]
pub(crate) async fn page(
    Path(code): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let page = PAGES
        .binary_search_by(|page| page.code.cmp(code.as_str()))
        .map(|at| &PAGES[at])
        .map_err(|_| unknown(&code))?;
    Ok(if wants_html(&headers) {
        let text = document(page);
        ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], text).into_response()
    } else {
        ([(header::CONTENT_TYPE, "text/markdown; charset=utf-8")], page.markdown).into_response()
    })
}

/// A browser asks for HTML by name; whoever accepts anything gets the text as it is written.
fn wants_html(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    accepted.flat_map(|value| value.split(',')).any(|kind| {
        kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("text/html"))
    })
}

fn document(page: &Page) -> String {
    let Page { code, html, .. } = page;
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>{code}</title></head>\n<body>\n{html}\n</body>\n</html>\n"
    )
}

/// Only what has the form of a code is repeated.
fn unknown(code: &str) -> Problem {
    let is_code = code.len() <= 60
        && code.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
    let detail = if is_of_a_playbook(code) {
        format!("`{code}` is a problem of a playbook's text: `docs/playbooks.md` lists these")
    } else if is_code {
        format!("there is no error code `{code}`")
    } else {
        "this is not an error code: one has capital letters, digits and underscores".to_owned()
    };
    Problem::new(StatusCode::NOT_FOUND, "NOT_FOUND", detail)
        .with_hint("copy `code` from the problem document, as it is written there")
}

/// Whether it has the form of the codes of a playbook's problems, such as `P014`.
fn is_of_a_playbook(code: &str) -> bool {
    code.len() == 4 && code.starts_with('P') && code[1..].bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn asked(code: &str, accept: &str) -> (u16, String, String) {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT, accept.parse().unwrap());
        let answer =
            page(Path(code.to_owned()), headers).await.unwrap_or_else(IntoResponse::into_response);
        let status = answer.status().as_u16();
        let kind = answer.headers()[header::CONTENT_TYPE].to_str().unwrap().to_owned();
        let body = axum::body::to_bytes(answer.into_body(), 100_000).await.unwrap();
        (status, kind, String::from_utf8(body.to_vec()).unwrap())
    }

    #[tokio::test]
    async fn a_browser_gets_html_and_everybody_else_markdown() {
        let browser = "text/html,application/xhtml+xml,*/*;q=0.8";
        let (status, kind, body) = asked("PREVIEW_CHANGED", browser).await;
        assert_eq!((status, kind.as_str()), (200, "text/html; charset=utf-8"));
        assert!(body.contains("<h1>PREVIEW_CHANGED</h1>"), "{body}");
        let (status, kind, body) = asked("PREVIEW_CHANGED", "*/*").await;
        assert_eq!((status, kind.as_str()), (200, "text/markdown; charset=utf-8"));
        assert!(body.starts_with("# PREVIEW_CHANGED\n"), "{body}");
    }

    #[tokio::test]
    async fn an_unknown_code_is_a_problem_that_repeats_nothing_strange() {
        let (status, kind, body) = asked("NO_SUCH_CODE", "text/html").await;
        assert_eq!((status, kind.as_str()), (404, "application/problem+json"));
        assert!(body.contains("there is no error code `NO_SUCH_CODE`"), "{body}");
        let (_, _, body) = asked("P014", "text/html").await;
        assert!(body.contains("docs/playbooks.md"), "{body}");
        let (status, _, body) = asked("<script>", "text/html").await;
        assert_eq!(status, 404);
        assert!(!body.contains("script"), "{body}");
    }

    #[tokio::test]
    async fn every_page_is_served_and_small() {
        assert!(PAGES.len() > 200, "{} pages", PAGES.len());
        assert!(PAGES.is_sorted_by_key(|page| page.code));
        for known in PAGES {
            let (status, _, body) = asked(known.code, "text/html").await;
            assert_eq!(status, 200, "{}", known.code);
            assert!(body.len() < 8_000, "the page of {} has {} bytes", known.code, body.len());
        }
    }
}
