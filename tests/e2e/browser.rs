//! Debian's Chromium, driven through WebDriver.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};

/// A screen.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Screen {
    pub(crate) name: &'static str,
    width: u32,
    height: u32,
    dark: bool,
}

/// A phone held upright, by day.
pub(crate) const PHONE: Screen = Screen { name: "phone", width: 390, height: 844, dark: false };
/// A phone held upright, at night.
pub(crate) const NIGHT: Screen = Screen { name: "night", width: 390, height: 844, dark: true };
/// A gatekeeper.
pub(crate) const DESK: Screen =
    Screen { name: "gatekeeper", width: 1200, height: 900, dark: false };

/// A wide gatekeeper, at night.
pub(crate) const WIDE: Screen = Screen { name: "wide-night", width: 1440, height: 900, dark: true };

/// A browser with one page.
pub(crate) struct Browser {
    driver: Child,
    client: Client,
    screen: Screen,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// Starts one with an empty profile.
    pub(crate) async fn open(screen: Screen) -> Self {
        let (driver, port) = driver();
        let profile = tempfile::tempdir().unwrap();
        let capabilities = capabilities(screen, profile.path());
        let client = ClientBuilder::new(HttpConnector::new())
            .capabilities(capabilities)
            .connect(&format!("http://127.0.0.1:{port}"))
            .await
            .unwrap();
        Self { driver, client, screen, _profile: profile }
    }

    /// Opens an address.
    pub(crate) async fn visit(&self, url: &str) {
        self.client.goto(url).await.unwrap();
    }

    /// Types into a field.
    pub(crate) async fn fill(&self, selector: &str, text: &str) {
        self.client.find(Locator::Css(selector)).await.unwrap().send_keys(text).await.unwrap();
    }

    /// Presses what a finger would press, once it is not behind the bar of buttons.
    pub(crate) async fn press(&self, selector: &str) {
        let place = json!(selector);
        let scroll = format!("document.querySelector({place}).scrollIntoView({{block: 'center'}})");
        self.computed(&scroll).await;
        self.client.find(Locator::Css(selector)).await.unwrap().click().await.unwrap();
    }

    /// All visible text.
    pub(crate) async fn text(&self) -> String {
        self.client.find(Locator::Css("body")).await.unwrap().text().await.unwrap()
    }

    /// What a script in the page computes.
    pub(crate) async fn computed(&self, expression: &str) -> Value {
        self.client.execute(&format!("return {expression}"), Vec::new()).await.unwrap()
    }

    /// Keeps a picture for people: in `COUNTERSIGN_SCREENSHOTS`, when that names a folder.
    pub(crate) async fn picture(&self, name: &str) {
        let Some(folder) = std::env::var_os("COUNTERSIGN_SCREENSHOTS").map(PathBuf::from) else {
            return;
        };
        std::fs::create_dir_all(&folder).unwrap();
        let png = self.client.screenshot().await.unwrap();
        std::fs::write(folder.join(format!("{name}-{}.png", self.screen.name)), png).unwrap();
    }

    /// What holds of every page: it fits its screen, no script, nothing from elsewhere, buttons as large as a finger, text
    /// that can be told from its ground.
    pub(crate) async fn fits(&self) {
        let what = self.screen.name;
        let too_wide = "document.documentElement.scrollWidth > window.innerWidth";
        assert_eq!(
            self.computed(too_wide).await,
            json!(false),
            "{what}: the page scrolls sideways"
        );
        let active = "document.querySelectorAll('script, iframe, object, embed, link[rel=stylesheet], img').length";
        assert_eq!(self.computed(active).await, json!(0), "{what}: the page holds more than text");
        let small = "[...document.querySelectorAll('button')].filter(b => b.getBoundingClientRect().height < 44).length";
        assert_eq!(
            self.computed(small).await,
            json!(0),
            "{what}: a button is smaller than a finger"
        );
        let contrast = self.computed(CONTRAST).await.as_f64().unwrap();
        assert!(contrast >= 4.5, "{what}: text has a contrast of {contrast:.2} only");
        let lightness = self.computed(GROUND).await.as_f64().unwrap();
        assert_eq!(
            lightness < 0.5,
            self.screen.dark,
            "{what}: the ground has lightness {lightness}"
        );
    }

    /// Ends it.
    pub(crate) async fn close(mut self) {
        let _ = self.client.clone().close().await;
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// The relative luminance of a CSS colour, as WCAG 2 defines it; then the lowest contrast of the page's paragraphs and
/// headings against the card they lie on.
const CONTRAST: &str = "(() => {
    const parts = colour => colour.match(/[\\d.]+/g).slice(0, 3).map(Number);
    const channel = c => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    const light = colour => { const [r, g, b] = parts(colour).map(channel); return 0.2126 * r + 0.7152 * g + 0.0722 * b };
    const ground = element => { for (let e = element; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if (!/, 0\\)$/.test(c) && c !== 'transparent') return c } return 'rgb(255, 255, 255)' };
    return Math.min(...[...document.querySelectorAll('h1, h2, p, dt, dd, button')].map(e => {
        const [a, b] = [light(getComputedStyle(e).color), light(ground(e))];
        return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    }));
})()";

const GROUND: &str = "Math.max(...getComputedStyle(document.querySelector('.card')).backgroundColor.match(/[\\d.]+/g).slice(0, 3).map(Number)) / 255";

/// A driver and its port. Several that start at once may choose the same one, and then all but one end: they try again.
fn driver() -> (Child, u16) {
    for _ in 0..5 {
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver is installed (Debian's package chromium-driver)");
        if let Some(port) = port(&mut driver) {
            return (driver, port);
        }
        let _ = driver.wait();
    }
    panic!("no driver has started");
}

/// The driver names the port it has taken.
fn port(driver: &mut Child) -> Option<u16> {
    let said = BufReader::new(driver.stdout.take().unwrap());
    let mut lines = said.lines().map_while(Result::ok);
    let line = lines.find(|line| line.contains("started successfully on port"))?;
    let digits: String = line.chars().filter(char::is_ascii_digit).collect();
    digits.parse().ok()
}

fn capabilities(screen: Screen, profile: &std::path::Path) -> serde_json::Map<String, Value> {
    let mut arguments: Vec<String> = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
    ]
    .map(str::to_owned)
    .to_vec();
    arguments.push(format!("--user-data-dir={}", profile.display()));
    arguments.push(format!("--window-size={},{}", screen.width, screen.height));
    if screen.dark {
        arguments.push("--blink-settings=preferredColorScheme=0".to_owned());
    }
    let mut options = json!({ "args": arguments });
    if screen.width < 600 {
        let metrics = json!({ "width": screen.width, "height": screen.height, "pixelRatio": 2 });
        options["mobileEmulation"] = json!({ "deviceMetrics": metrics });
    }
    let capabilities = json!({ "browserName": "chrome", "goog:chromeOptions": options });
    capabilities.as_object().cloned().unwrap()
}
