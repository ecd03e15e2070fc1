//! Answers to the requests of a browser on the same machine.
//!
//! The server listens on the loopback interface only. It also refuses requests for another host name. Otherwise a page
//! of another site could reach the server by a name that resolves to this machine.

use std::io::Read;
use std::net::SocketAddr;

use flate2::read::GzDecoder;
use tiny_http::{Header, Method, Request, Response, StatusCode};

use super::bundle::{Page, PageFile};

/// The path of the scenario that the page opens.
pub const OPENED: &str = "open/scenario.json";

/// Content security policy: the page may load from and connect to this server alone.
const POLICY: &str = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; \
                      worker-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

/// Parts of a request that select the response.
pub struct PageRequest<'a> {
    /// GET, HEAD, or another method.
    pub method: &'a Method,
    /// Path with its query.
    pub url: &'a str,
    /// The header `Host`.
    pub host: Option<&'a str>,
    /// Whether the browser reads gzip.
    pub gzip: bool,
}

/// An answer.
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// Header fields and their values.
    pub headers: Vec<(&'static str, String)>,
    /// The content; empty for HEAD.
    pub body: Vec<u8>,
}

impl Answer {
    fn text(status: u16, text: &str) -> Self {
        let headers = vec![("Content-Type", "text/plain; charset=utf-8".to_owned())];
        Answer { status, headers, body: format!("{text}\n").into_bytes() }
    }
}

/// The answer to a request. `opened` is the scenario that the page opens.
pub fn answer_request(request: &PageRequest<'_>, address: SocketAddr, page: &Page, opened: Option<&str>) -> Answer {
    let hosts = [format!("127.0.0.1:{}", address.port()), format!("localhost:{}", address.port())];
    if !request.host.is_some_and(|host| hosts.iter().any(|known| known.eq_ignore_ascii_case(host))) {
        return Answer::text(421, &format!("this server answers as {} only", hosts.join(" and ")));
    }
    let mut answer = match request.method {
        Method::Get | Method::Head => route_path(request, page, opened),
        _ => {
            let mut refused = Answer::text(405, "only GET and HEAD are answered");
            refused.headers.push(("Allow", "GET, HEAD".to_owned()));
            refused
        }
    };
    answer.headers.push(("Content-Security-Policy", POLICY.to_owned()));
    answer.headers.push(("X-Content-Type-Options", "nosniff".to_owned()));
    answer.headers.push(("Referrer-Policy", "no-referrer".to_owned()));
    if *request.method == Method::Head {
        answer.body.clear();
    }
    answer
}

fn route_path(request: &PageRequest<'_>, page: &Page, opened: Option<&str>) -> Answer {
    let path = request.url.split(['?', '#']).next().unwrap_or_default().trim_start_matches('/');
    if path == OPENED {
        return match opened {
            Some(opened) => {
                let headers = [("Content-Type", "application/json"), ("Cache-Control", "no-store")];
                let headers = headers.map(|(name, value)| (name, value.to_owned())).into();
                Answer { status: 200, headers, body: opened.as_bytes().to_vec() }
            }
            None => Answer::text(404, "no scenario was given on the command line"),
        };
    }
    match page.file(path) {
        Some(file) => serve_file(file, request.gzip),
        None => Answer::text(404, "the page has no such file"),
    }
}

fn serve_file(PageFile { name, compressed, mime, immutable }: PageFile<'_>, gzip: bool) -> Answer {
    let keep = if immutable { "public, max-age=31536000, immutable" } else { "no-cache" };
    let headers = [("Content-Type", mime), ("Cache-Control", keep), ("Vary", "Accept-Encoding")];
    let mut headers: Vec<(&'static str, String)> = headers.map(|(name, value)| (name, value.to_owned())).into();
    let mut body = Vec::new();
    if gzip {
        headers.push(("Content-Encoding", "gzip".to_owned()));
        body.extend_from_slice(compressed);
    } else if GzDecoder::new(compressed).read_to_end(&mut body).is_err() {
        return Answer::text(500, &format!("the page's file {name} is damaged; `lasthop web --build` builds it again"));
    }
    Answer { status: 200, headers, body }
}

/// Answers a request. A connection closed by the browser is not an error.
pub fn serve_request(request: Request, address: SocketAddr, page: &Page, opened: Option<&str>) {
    let header = |name: &'static str| request.headers().iter().find(|header| header.field.equiv(name));
    let gzip = header("Accept-Encoding").is_some_and(|header| header.value.as_str().contains("gzip"));
    let host = header("Host").map(|header| header.value.as_str());
    let page_request = PageRequest { method: request.method(), url: request.url(), host, gzip };
    let Answer { status, headers, body } = answer_request(&page_request, address, page, opened);
    let mut response = Response::from_data(body).with_status_code(StatusCode(status));
    for (name, value) in headers {
        // Names and values are ASCII without control characters.
        if let Ok(header) = Header::from_bytes(name, value) {
            response.add_header(header);
        }
    }
    let _ = request.respond(response);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request_page(method: Method, url: &str, host: Option<&str>) -> Answer {
        let address = SocketAddr::from(([127, 0, 0, 1], 8017));
        let page = Page::from_files(vec![("index.html".to_owned(), Vec::new())]).unwrap();
        answer_request(
            &PageRequest { method: &method, url, host, gzip: true },
            address,
            &page,
            Some("{\"name\":\"x.toml\"}"),
        )
    }

    fn header<'a>(answer: &'a Answer, name: &str) -> &'a str {
        answer.headers.iter().find(|(field, _)| *field == name).map_or("", |(_, value)| value)
    }

    #[test]
    fn other_hosts_are_refused() {
        for host in
            [None, Some("example.org"), Some("127.0.0.1"), Some("127.0.0.1:80"), Some("localhost.example.org:8017")]
        {
            assert_eq!(request_page(Method::Get, "/open/scenario.json", host).status, 421, "{host:?}");
        }
        for host in ["127.0.0.1:8017", "localhost:8017", "LOCALHOST:8017"] {
            assert_eq!(request_page(Method::Get, "/open/scenario.json", Some(host)).status, 200, "{host}");
        }
    }

    #[test]
    fn only_get_and_head_are_answered() {
        let post = request_page(Method::Post, "/open/scenario.json", Some("localhost:8017"));
        assert_eq!((post.status, header(&post, "Allow")), (405, "GET, HEAD"));
        let head = request_page(Method::Head, "/open/scenario.json?x=1", Some("localhost:8017"));
        assert_eq!((head.status, head.body.len()), (200, 0));
    }

    #[test]
    fn paths_resolve_only_to_files_of_the_page() {
        for url in [
            "/../Cargo.toml",
            "/%2e%2e/Cargo.toml",
            "//etc/passwd",
            "/assets/",
            "/nothing",
            "/open/../open/scenario.json",
        ] {
            let answer = request_page(Method::Get, url, Some("localhost:8017"));
            assert_eq!(answer.status, 404, "{url}");
            assert!(header(&answer, "Content-Security-Policy").starts_with("default-src 'self'"), "{url}");
        }
    }
}
