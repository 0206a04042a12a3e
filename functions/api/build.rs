//! Embeds the pages of `docs/errors`, as they are written and as HTML.

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../../docs/errors");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut pages = fs::read_dir(&folder)?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<PathBuf>, std::io::Error>>()?;
    pages.retain(|page| page.extension().is_some_and(|extension| extension == "md"));
    pages.sort();
    let mut table = String::from("[\n");
    for page in &pages {
        println!("cargo::rerun-if-changed={}", page.display());
        let code =
            page.file_stem().and_then(|stem| stem.to_str()).ok_or("a page without a name")?;
        let text = fs::read_to_string(page)?;
        writeln!(
            table,
            "    Page {{ code: {code:?}, markdown: {text:?}, html: {:?} }},",
            html(&text)?
        )?;
    }
    table.push_str("]\n");
    fs::write(Path::new(&env::var("OUT_DIR")?).join("error_pages.rs"), table)?;
    Ok(())
}

/// Pages hold paragraphs, code and tables; HTML in them would be shown as text.
fn html(markdown: &str) -> Result<String, Box<dyn Error>> {
    let options = markdown::Options::gfm();
    markdown::to_html_with_options(markdown, &options).map_err(|message| message.to_string().into())
}
