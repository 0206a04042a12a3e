//! Writes every mail and page into a folder, to be looked at in a browser: `--example gallery -- FOLDER`.

use std::error::Error;
use std::path::PathBuf;

#[path = "../tests/sample/mod.rs"]
mod sample;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).ok_or("name a folder")?);
    std::fs::create_dir_all(&folder)?;
    for (name, mail) in sample::mails::mails() {
        std::fs::write(folder.join(format!("mail-{name}.html")), mail.html)?;
        std::fs::write(
            folder.join(format!("mail-{name}.txt")),
            format!("{}\n\n{}", mail.subject, mail.text),
        )?;
    }
    for (name, page) in sample::pages() {
        std::fs::write(folder.join(format!("page-{name}.html")), page)?;
    }
    Ok(())
}
