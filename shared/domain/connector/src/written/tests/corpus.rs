//! A connector of every type that uses every key it has.

pub(super) const REST: &str = "\
id: small-api
name: Small
type: rest_api
version: 1.0.0-rc.1
description: a source
category: finance
tags: [donors, us-2024]
auth_fields: [{ name: api_key, label: Key, type: password, env_var: SMALL_KEY }]
connection:
  base_url: https://api.example.com/v1
  auth: { type: api_key, header: x-key, env_var: SMALL_KEY }
  rate_limit: { requests_per_second: 1, requests_per_minute: 2, requests_per_hour: 3, requests_per_day: 4, requests_per_month: 5 }
  timeout_seconds: 15
  headers: { accept-language: en }
  idempotency: { header: X-Request-Id, hours: 24 }
endpoints:
  search:
    description: searches
    method: POST
    safe: true
    path: /search/{state}
    query: { q: '{q}', size: 10, exact: true }
    headers: { x-kind: a }
    parameters:
      - { name: q, type: string, required: true, description: words }
      - { name: state, default: NY }
      - { name: years, type: 'integer[]', default: [2023] }
    body: { years: '{years}', deep: { a: [1, null] } }
    body_format: json
    pagination: { type: page, page_param: p, size_param: s, page_size: 10, first_page: 0, in: body, more_path: more, max_pages: 2, max_records: 10, first_only: false }
    response_mapping:
      results_path: [items, hits.hits]
      layout: columns
      fields: { name: 'a.b | c', city: [x, town] }
      entity_type: org
      entity_extraction: [{ field: name, entity_type: auto, relationship_type: OFFICER_OF }]
    expected_fields: [name]
    output_schema:
      type: record_set
      fields: [{ name: name, type: string, description: a name }]
      metadata_fields:
        - { name: count }
        - { name: total, type: integer, path: meta.total, description: in all }
  form: { description: posts, method: post, path: /, body: { a: b, c: [d] }, body_format: form, pagination: { type: none, max_pages: 1, max_records: 1 } }
  offset: { description: reads, path: /, pagination: { type: offset, offset_param: o, limit_param: l, page_size: 1, in: query, more_path: m, max_pages: 1, max_records: 1, first_only: true } }
  cursor: { description: reads, path: /, pagination: { type: cursor, cursor_param: c, cursor_path: next, also: { seed: meta.seed }, in: query, max_pages: 1, max_records: 1, first_only: true } }
  links: { description: reads, path: /, pagination: { type: link_header, max_pages: 1, max_records: 1, first_only: true } }
";

pub(super) const OAUTH: &str = "\
id: bought
name: Bought
type: rest_api
version: 1.0.0
connection:
  base_url: http://127.0.0.1:8080
  auth: { type: oauth2_client_credentials, token_url: 'https://id.example.com/token', scope: read, client_auth: body, env_var: X }
endpoints:
  all: { description: reads, path: / }
";

pub(super) const MAILBOX: &str = "\
id: mailbox
name: Mailbox
type: rest_api
version: 1.0.0
connection:
  base_url: http://127.0.0.1:8080
  auth: { type: oauth2_refresh_token, token_url: 'https://id.example.com/token', scope: read, client_auth: body, env_var: X }
endpoints:
  search:
    description: finds mails
    path: /messages
    details: { path: '/messages/{id}', query: { format: full } }
    response_mapping:
      results_path: messages
      results_optional: true
      fields: { id: id, from: \"headers[name='From'].value\", text: body }
      base64: [text]
  send:
    description: sends a mail
    method: POST
    path: /send
    parameters: [{ name: to, type: 'string[]', required: true }, { name: text, required: true }]
    body_format: mail
    body: { message: { to: '{to}', cc: a@example.org, bcc: [b@example.org], subject: Hello, text: '{text}', in_reply_to: '<a@b>', references: '<a@b>' }, metadata: { thread: t } }
";

pub(super) const GRAPHQL: &str = "\
id: repos
name: Repositories
type: graphql
version: 1.0.0
connection:
  endpoint: https://api.example.com/graphql
  auth: { type: bearer_token, scheme: Token, env_var: X }
  rate_limit: { requests_per_minute: 30 }
  timeout_seconds: 15
  headers: { accept-language: en }
  idempotency: { header: x-request-id, hours: 1 }
endpoints:
  search:
    description: searches
    query: 'query($q: String!, $after: String) { search(q: $q, after: $after) { nodes { name } pageInfo { endCursor } } }'
    variables: [{ name: q, type: string, required: true }]
    pagination: { type: relay, page_info_path: search.pageInfo, cursor_variable: after, max_pages: 2, max_records: 10, first_only: true }
    response_mapping: { results_path: search.nodes, fields: { name: name } }
    output_schema: { type: object, fields: [{ name: name }] }
  members:
    description: lists members
    query: 'query($org: String!) { org(login: $org) { members { login } } }'
    variables: [{ name: org, type: string, required: true }]
    results_path: org.members
    response_mapping: { fields: { name: login } }
";

pub(super) const SCRAPER: &str = "\
id: cases
name: Cases
type: web_scraper
version: 1.0.0
connection:
  base_url: https://courts.example.org
  headers: { accept-language: en }
  delay_seconds: 2
  timeout_seconds: 20
  rate_limit: { requests_per_minute: 6 }
  respect_robots: true
endpoints:
  search:
    description: finds cases
    path: /cases/{year}
    query: { sort: newest }
    parameters: [{ name: year, type: integer, required: true }]
    list: tr
    fields:
      - { field: number, selector: td.no, attr: data-no, type: 'string[]', description: its number }
    next_page: 'a[rel=next]'
    max_pages: 5
    max_records: 100
    first_only: true
    response_mapping: { entity_type: case, entity_extraction: [{ field: number, entity_type: auto }] }
    output_schema: { fields: [{ name: number, type: 'string[]' }], metadata_fields: [{ name: count }] }
";

pub(super) const FEED: &str = "\
id: news
name: News
type: rss_feed
version: 1.0.0
connection:
  feeds: [{ url: 'https://a.example.org/rss?all=1', name: A, description: the first }]
  poll_interval_minutes: 30
  max_items_per_poll: 10
  timeout_seconds: 5
  rate_limit: { requests_per_minute: 6 }
endpoints:
  recent:
    description: what is new
    operation: get_recent
    parameters: [{ name: since_hours, type: integer, default: 168 }, { name: feed_name }]
    response_mapping: { entity_type: news_item }
";

pub(super) const TOOL: &str = "\
id: web-search
name: Web search
type: existing_tool
version: 1.0.0
connection: { tool: search_web }
endpoints:
  search:
    description: Searches the web
    passthrough: false
    parameters:
      - { name: query, type: string, required: true }
      - { name: max_results, type: integer, default: 10 }
    response_mapping: { results_path: results, fields: { name: title } }
";

pub(super) const PAIR: &str = "\
id: web-page
name: Web page
type: existing_tool
version: 1.0.0
connection: { tool_module: crawler, tool_function: crawl_url }
endpoints:
  read: { description: reads, passthrough: true, parameters: [{ name: url, required: true }] }
";

pub(super) const FILES: &str = "\
id: files
name: Files
type: file_parser
version: 1.0.0
connection: { source: upload, accepted_formats: [.XML, csv, xlsx, json, jsonl, htm, pdf], max_file_size_mb: 20 }
endpoints:
  xml:
    description: reads
    parser: xml
    parameters: [{ name: source, type: array, description: the filings }]
    root_element: /Return
    list_element: Officer
    fields: [{ field: name, xpath: Name | Title, type: string, description: a name }]
    context_fields: [{ field: year, xpath: /Return/Year, type: integer }]
    response_mapping: { entity_type: officer }
    output_schema: { metadata_fields: [{ name: count, type: integer, description: all }] }
  plain: { description: reads, fields: [{ field: name, xpath: Name }] }
  csv:
    description: reads
    parser: csv
    delimiter: ;
    encoding: utf-8
    header: true
    header_row: 2
    fields: [{ field: name, column: [Full name, 3], type: string, description: a name }]
  rows: { description: reads, parser: csv, delimiter: tab, header: false, fields: [{ field: sum, column: 2 }] }
  xlsx: { description: reads, parser: xlsx, sheet: 2, header: true, header_row: 1, fields: [{ field: sum, column: Sum }] }
  json: { description: reads, parser: json, results_path: a.b, fields: [{ field: sum, path: [a, b.c], type: number, description: all }] }
  jsonl: { description: reads, parser: jsonl, fields: [{ field: sum, path: a }] }
  html: { description: reads, parser: html_table, table: table.data, encoding: utf-8, header: true, header_row: 1, fields: [] }
  pdf: { description: reads, parser: pdf_text, records: document }
";

pub(super) const FETCHED: &str = "\
id: fetched
name: Fetched
type: file_parser
version: 1.0.0
connection: { source: url, accepted_formats: [csv], timeout_seconds: 60, rate_limit: { requests_per_minute: 6 } }
endpoints:
  rows: { description: reads, parser: csv }
";

pub(super) const DATABASE: &str = "\
id: ledger
name: Ledger
type: database
version: 1.0.0
connection:
  driver: postgres
  auth: { type: connection_string, env_var: X }
  sslmode: disable
  ca_certificate: \"-----BEGIN CERTIFICATE-----\"
  schema: [public, ledger]
  pool_size: 2
  timeout_seconds: 10
  read_only: true
  allow_free_sql: true
  rate_limit: { requests_per_minute: 6 }
endpoints:
  paid:
    description: what was paid
    type: sql
    sql: select id, amount from payments where amount > :least
    max_rows: 100
    parameters: [{ name: least, type: number, default: 0 }]
    response_mapping: { entity_type: payment }
    output_schema: { fields: [{ name: amount, type: number }] }
  query: { description: asks, parameters: [{ name: params, type: array }], max_rows: 5 }
";

pub(super) const ALL: [&str; 11] =
    [REST, OAUTH, MAILBOX, GRAPHQL, SCRAPER, FEED, TOOL, PAIR, FILES, FETCHED, DATABASE];
