//! The files of the benchmark: a filing with very many grants, a page of contributions, and a table of gifts.

use std::io::{self, Write};

const FILING_BYTES: u64 = 10 * 1024 * 1024;
const BODY_BYTES: u64 = 50 * 1024 * 1024;
/// Records of a table: a reader takes no more of one file.
const GIFTS: u64 = 100_000;

/// Maps what [`body`] writes.
pub(super) const BODY_CONNECTOR: &str = include_str!("body.yaml");

/// Maps what [`gifts`] writes.
pub(super) const GIFTS_CONNECTOR: &str = include_str!("gifts.yaml");

/// A 990 with a Schedule I, as `library/filings` has them, only longer.
pub(super) fn filing(out: impl Write) -> io::Result<()> {
    let mut out = Counted { out, bytes: 0 };
    out.write_all(FILING_HEAD.as_bytes())?;
    let mut n = 0;
    while out.bytes < FILING_BYTES {
        n += 1;
        grant(&mut out, n)?;
    }
    out.write_all(b"    </IRS990ScheduleI>\n  </ReturnData>\n</Return>\n")?;
    out.flush()
}

const FILING_HEAD: &str = r#"<?xml version="1.0" encoding="utf-8"?>
<Return xmlns="http://www.irs.gov/efile" returnVersion="2021v4.2">
  <ReturnHeader binaryAttachmentCnt="0">
    <ReturnTs>2022-11-12T09:35:00-06:00</ReturnTs>
    <ReturnTypeCd>990</ReturnTypeCd>
    <Filer>
      <EIN>071204518</EIN>
      <BusinessName>
        <BusinessNameLine1Txt>HARBORLIGHT COMMUNITY FOUNDATION</BusinessNameLine1Txt>
      </BusinessName>
    </Filer>
    <TaxYr>2021</TaxYr>
  </ReturnHeader>
  <ReturnData documentCnt="2">
    <IRS990ScheduleI documentId="IRS990ScheduleI-1">
"#;

fn grant(out: &mut impl Write, n: u64) -> io::Result<()> {
    let (ein, amount) = (70_000_000 + n * 7_919 % 9_000_000, 500 + n * 104_729 % 250_000);
    writeln!(
        out,
        r"      <RecipientTable>
        <RecipientBusinessName>
          <BusinessNameLine1Txt>{} {} &amp; CO</BusinessNameLine1Txt>
          <BusinessNameLine2Txt>CHAPTER {n}</BusinessNameLine2Txt>
        </RecipientBusinessName>
        <USAddress>
          <AddressLine1Txt>{} MAIN STREET</AddressLine1Txt>
          <CityNm>{}</CityNm>
          <StateAbbreviationCd>{}</StateAbbreviationCd>
          <ZIPCd>{:05}</ZIPCd>
        </USAddress>
        <RecipientEIN>{ein:09}</RecipientEIN>
        <IRCSectionDesc>501(C)(3)</IRCSectionDesc>
        <CashGrantAmt>{amount}</CashGrantAmt>
        <NonCashAssistanceAmt>0</NonCashAssistanceAmt>
        <PurposeOfGrantTxt>{}</PurposeOfGrantTxt>
      </RecipientTable>",
        of(&CITIES, n),
        of(&KINDS, n / 3),
        n % 999 + 1,
        of(&CITIES, n / 2),
        of(&STATES, n),
        n * 31 % 99_999,
        of(&PURPOSES, n / 5),
    )
}

/// A page of contributions in the shape of a public API: far more keys than anybody maps.
pub(super) fn body(out: impl Write) -> io::Result<()> {
    let mut out = Counted { out, bytes: 0 };
    body_until(&mut out, |out, _| out.bytes >= BODY_BYTES)?;
    out.flush()
}

/// The same with a number of rows.
#[cfg(test)]
pub(super) fn rows(out: impl Write, count: u64) -> io::Result<()> {
    let mut out = Counted { out, bytes: 0 };
    body_until(&mut out, |_, n| n >= count)
}

fn body_until<W: Write>(
    out: &mut Counted<W>,
    full: impl Fn(&Counted<W>, u64) -> bool,
) -> io::Result<()> {
    out.write_all(br#"{"api_version":"1.0","pagination":{"count":1000000,"pages":10,"per_page":100000},"results":["#)?;
    let mut n = 0;
    while !full(out, n) {
        out.write_all(if n == 0 { b"" } else { b"," })?;
        n += 1;
        contribution(out, n)?;
    }
    out.write_all(b"]}")
}

/// City, state and day of a line.
fn place(n: u64) -> (&'static str, &'static str, u64) {
    (of(&CITIES, n), of(&STATES, n / 2), n % 28 + 1)
}

fn contribution(out: &mut impl Write, n: u64) -> io::Result<()> {
    let (city, state, day) = place(n);
    write!(
        out,
        concat!(
            r#"{{"sub_id":"4{n:018}","transaction_id":"SA11AI.{n}","file_number":{file},"line_number":"11AI","image_number":"2022{n:014}","#,
            r#""contributor":{{"name":"{last}, {first} \u0022{nick}\u0022","first_name":"{first}","last_name":"{last}","middle_name":null,"suffix":null,"prefix":null,"#,
            r#""address":{{"street_1":"{number} Main Street","street_2":null,"city":"{city}","state":"{state}","zip":"{zip:05}"}},"employer":"{employer}","occupation":"{job}","aggregate_ytd":{ytd}.5}},"#,
            r#""contribution_receipt_amount":{amount}.25,"contribution_receipt_date":"2022-{month:02}-{day:02}T00:00:00","receipt_type":"15","receipt_type_desc":"CONTRIBUTION","memo_code":null,"memo_text":"* EARMARKED CONTRIBUTION: SEE BELOW","memoed_subtotal":false,"#,
            r#""committee":{{"committee_id":"C{committee:08}","name":"CITIZENS FOR {city}","committee_type":"N","committee_type_full":"PAC - Nonqualified","designation":"U","designation_full":"Unauthorized","organization_type":null,"party":null,"state":"{state}","treasurer_name":"{last}, ODALYS","cycles":[2018,2020,2022],"street_1":"{number} HARBOR ROAD","zip":"{zip:05}"}},"#,
            r#""election_type":"G2022","fec_election_type_desc":"GENERAL","fec_election_year":"2022","report_year":2022,"report_type":"Q3","filing_form":"F3X","is_individual":true,"link_id":{link},"load_date":"2022-11-{day:02}T08:09:10","pdf_url":"https://docs.example.org/cgi-bin/fecimg/?{n}","schedule_type":"SA","schedule_type_full":"ITEMIZED RECEIPTS","two_year_transaction_period":2022,"unused_contbr_id":null,"increased_limit":null,"national_committee_nonfederal_account":null,"original_sub_id":null,"back_reference_transaction_id":null}}"#
        ),
        n = n,
        file = 1_600_000 + n % 1_000,
        last = of(&LAST, n),
        first = of(&FIRST, n / 7),
        nick = of(&FIRST, n / 3),
        number = n % 999 + 1,
        city = city,
        state = state,
        zip = n * 31 % 99_999,
        employer = of(&EMPLOYERS, n / 4),
        job = of(&JOBS, n),
        ytd = n % 5_000,
        amount = n * 7 % 2_900 + 1,
        month = n % 12 + 1,
        day = day,
        committee = n % 4_000,
        link = 4_000_000_000_u64 + n,
    )
}

/// The same rows as a table, as bulk downloads have them: quoted where a comma stands in a name. As many as are read of one file.
pub(super) fn gifts(out: impl Write) -> io::Result<()> {
    gift_rows(out, GIFTS)
}

/// The same with a number of rows.
pub(super) fn gift_rows(mut out: impl Write, count: u64) -> io::Result<()> {
    out.write_all(b"sub_id,transaction_id,file_number,line_number,image_number,contributor_name,contributor_first_name,contributor_last_name,contributor_street_1,contributor_city,contributor_state,contributor_zip,contributor_employer,contributor_occupation,contributor_aggregate_ytd,contribution_receipt_amount,contribution_receipt_date,receipt_type,memo_text,committee_id,committee_name,election_type,report_year,report_type,filing_form,is_individual,link_id,load_date\n")?;
    for n in 1..=count {
        gift(&mut out, n)?;
    }
    out.flush()
}

fn gift(out: &mut impl Write, n: u64) -> io::Result<()> {
    let (city, state, day) = place(n);
    let (last, first) = (of(&LAST, n), of(&FIRST, n / 7));
    // Who gives no employer is known by an occupation.
    let employer = if n.is_multiple_of(5) { "" } else { of(&EMPLOYERS, n / 4) };
    writeln!(
        out,
        "4{n:018},SA11AI.{n},{},11AI,2022{n:014},\"{last}, {first} \"\"{}\"\"\",{first},{last},{} Main Street,{city},{state},{:05},{employer},{},{}.5,{}.25,2022-{:02}-{day:02},15,* EARMARKED CONTRIBUTION: SEE BELOW,C{:08},CITIZENS FOR {city},G2022,2022,Q3,F3X,{},{},2022-11-{day:02}T08:09:10",
        1_600_000 + n % 1_000,
        of(&FIRST, n / 3),
        n % 999 + 1,
        n * 31 % 99_999,
        of(&JOBS, n),
        n % 5_000,
        n * 7 % 2_900 + 1,
        n % 12 + 1,
        n % 4_000,
        !n.is_multiple_of(9),
        4_000_000_000_u64 + n,
    )
}

fn of<'t>(words: &[&'t str], n: u64) -> &'t str {
    words[n as usize % words.len()]
}

const CITIES: [&str; 7] = [
    "PORT ELLERY",
    "WILLOW CREEK",
    "TIDEWATER",
    "NORTHSHORE",
    "FAIRHOLLOW",
    "BRIGHTWATER",
    "ALDERMOOR",
];
const STATES: [&str; 5] = ["ME", "NH", "VT", "MA", "RI"];
const KINDS: [&str; 4] =
    ["LITERACY PROJECT", "FOOD ALLIANCE", "YOUTH ORCHESTRA", "RIVER CONSERVANCY"];
const PURPOSES: [&str; 4] =
    ["AFTER-SCHOOL READING", "COLD STORAGE", "INSTRUMENT BANK", "GENERAL OPERATING SUPPORT"];
const FIRST: [&str; 5] = ["MARGARET", "TOBIAS", "RENÉE", "DES", "ARABELLA"];
const LAST: [&str; 5] = ["THORNQUIST", "QUILLFEATHER", "OKAFOR-LINDQUIST", "YARWOOD", "OSTROM"];
const EMPLOYERS: [&str; 3] =
    ["LEDGERWOOD & PIKE LLP", "SELF-EMPLOYED", "HARBORLIGHT COMMUNITY FOUNDATION"];
const JOBS: [&str; 3] = ["ATTORNEY", "RETIRED", "PROGRAM OFFICER"];

/// Counts what is written.
struct Counted<W> {
    out: W,
    bytes: u64,
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
