//! Files of the console's page, embedded in the program. All files except the page itself are served below a folder
//! that is named after a hash of their contents. Browsers can therefore cache these files permanently, and never mix
//! files of two releases.

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::write::GzEncoder;
use rust_embed::RustEmbed;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use xpuck_wire::signed::hex;

#[derive(RustEmbed)]
#[folder = "console/"]
struct Files;

/// Name of the page's file, and the placeholder in it for the folder of all other files.
const PAGE: &str = "index.html";
const PLACE: &str = "ASSETS";
/// Element of the page that is removed if the console has no playground.
const LINK: &str = r#"<a class="button small" href="playground/">Playground</a>"#;
/// Content security policy: pages may load only this console's own files, and images that they generate (`data:` and
/// `blob:` URLs).
const POLICY: &str = "default-src 'self'; img-src 'self' data: blob:; style-src 'self'; object-src 'none'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Environment variable with a folder whose files are used in place of the embedded ones.
const FOLDER: &str = "XPUCK_CONSOLE_FILES";

/// Reads all files below the folder `root/place`. Returns their contents by path relative to `root`.
fn files_below(root: &Path, place: &Path) -> std::io::Result<BTreeMap<String, Vec<u8>>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(root.join(place))? {
        let entry = entry?;
        let name = place.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true => found.extend(files_below(root, &name)?),
            false => drop(found.insert(name.to_string_lossy().into_owned(), std::fs::read(entry.path())?)),
        }
    }
    Ok(found)
}

struct File {
    kind: &'static str,
    plain: Bytes,
    packed: Bytes,
}

/// All files of the page. Each is compressed once, when the console starts.
pub struct Assets {
    folder: String,
    page: File,
    files: BTreeMap<String, File>,
}

/// Returns the media type of a file by its name.
pub fn kind(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, extension)| extension) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("json") => "application/json",
        Some("wasm") => "application/wasm",
        _ => "text/plain; charset=utf-8",
    }
}

fn file(name: &str, plain: Vec<u8>) -> File {
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    // Writing to memory cannot fail.
    let packed = packer.write_all(&plain).and_then(|()| packer.finish()).unwrap_or_default();
    File { kind: kind(name), plain: plain.into(), packed: packed.into() }
}

impl Assets {
    /// Compresses the embedded files. If the variable [`FOLDER`] is set, uses the files of that folder instead (for
    /// development of the page). With `playground` the page has a link to the playground.
    ///
    /// # Errors
    /// If the folder in [`FOLDER`] cannot be read.
    pub fn new(playground: bool) -> std::io::Result<Assets> {
        let embedded = || {
            let names: Vec<String> = Files::iter().map(|name| name.into_owned()).collect();
            names.into_iter().filter_map(|name| Some((name.clone(), Files::get(&name)?.data.into_owned()))).collect()
        };
        let contents = match std::env::var_os(FOLDER) {
            Some(folder) => files_below(Path::new(&folder), Path::new(""))?,
            None => embedded(),
        };
        Ok(Assets::from_contents(contents, playground))
    }

    fn from_contents(mut contents: BTreeMap<String, Vec<u8>>, playground: bool) -> Assets {
        // Type declarations are only needed for development. Browsers do not request them. The playground's own files
        // are of no use without its library.
        contents.retain(|name, _| !name.ends_with(".d.ts") && !name.starts_with("playground/"));
        let mut digest = Sha256::new();
        for (name, bytes) in &contents {
            digest.update(name.as_bytes());
            digest.update((bytes.len() as u64).to_le_bytes());
            digest.update(bytes);
        }
        let folder = hex(&digest.finalize()[..8]);
        let page = String::from_utf8(contents.remove(PAGE).unwrap_or_default()).unwrap_or_default();
        let page = page.replace(PLACE, &format!("/assets/{folder}"));
        let page = if playground { page } else { page.replace(LINK, "") };
        let files = contents.into_iter().map(|(name, bytes)| (name.clone(), file(&name, bytes))).collect();
        Assets { folder, page: file(PAGE, page.into_bytes()), files }
    }

    /// Returns the response with the page. It is compressed if the request accepts that.
    pub fn page(&self, asked: &HeaderMap) -> Response {
        respond(&self.page, asked, "no-cache")
    }

    /// Returns the response with a file. `folder` must be the folder of this release; otherwise the status is 404.
    pub fn get(&self, folder: &str, name: &str, asked: &HeaderMap) -> Response {
        match self.files.get(name).filter(|_| folder == self.folder) {
            Some(file) => respond(file, asked, "public, max-age=31536000, immutable"),
            None => (StatusCode::NOT_FOUND, "the file does not exist; reload the page\n").into_response(),
        }
    }
}

/// Returns whether the client of a request accepts data compressed with gzip.
pub fn accepts_gzip(asked: &HeaderMap) -> bool {
    let accepted = asked.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    accepted.flat_map(|value| value.split(',')).any(|way| way.trim().starts_with("gzip"))
}

fn respond(file: &File, asked: &HeaderMap, cache: &'static str) -> Response {
    let headers = [
        (header::CONTENT_TYPE, file.kind),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::CACHE_CONTROL, cache),
        (header::VARY, "accept-encoding"),
        (header::REFERRER_POLICY, "no-referrer"),
    ];
    match accepts_gzip(asked) {
        true => (headers, [(header::CONTENT_ENCODING, "gzip")], Body::from(file.packed.clone())).into_response(),
        false => (headers, Body::from(file.plain.clone())).into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_names_its_folder_and_every_file_exists() {
        let assets = Assets::new(false).unwrap();
        let page = String::from_utf8(assets.page.plain.to_vec()).unwrap();
        assert!(page.contains(&format!("/assets/{}/main.js", assets.folder)) && !page.contains(PLACE), "{page}");
        let got = |folder: &str, name: &str| assets.get(folder, name, &HeaderMap::new()).status();
        assert_eq!(got(&assets.folder, "main.js"), StatusCode::OK);
        assert_eq!(
            (got("0", "main.js"), got(&assets.folder, "../Cargo.toml")),
            (StatusCode::NOT_FOUND, StatusCode::NOT_FOUND)
        );
        assert!(assets.files.keys().all(|name| !name.ends_with(".d.ts")), "types are of no use to a browser");
        let has_link = |assets: &Assets| String::from_utf8_lossy(&assets.page.plain).contains(LINK);
        assert_eq!((has_link(&assets), has_link(&Assets::new(true).unwrap())), (false, true));
        let packed: usize = assets.files.values().map(|file| file.packed.len()).sum();
        println!("{packed} bytes packed, {} files", assets.files.len());
        assert!(packed < 300_000, "the first load is to be below 300 kB: {packed}");
    }
}
