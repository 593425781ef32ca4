//! Identity of a robot. It consists of the files on the robot's card that differ between robots. They are made from the
//! files in the folder of a swarm.

use serde::Deserialize;
use std::fs;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use xpuck_wire::keys::{Public, Secret};
use xpuck_wire::{FileError, Swarm, file};

/// Name of the file with the lab's settings for cards. The file is in the folder of a swarm.
pub const CARDS: &str = "cards.toml";
/// Maximum length of a key file (bytes).
const LONGEST_KEY: u64 = 4096;
/// Maximum length of the name of a Wi-Fi network (bytes, IEEE 802.11).
const MAX_SSID: usize = 32;
/// Maximum length of the passphrase of a Wi-Fi network (bytes, IEEE 802.11).
const MAX_PASSPHRASE: usize = 63;
/// Number of hexadecimal digits of a precomputed Wi-Fi key (IEEE 802.11).
const KEY_DIGITS: usize = 64;
/// Country codes (ISO 3166-1 alpha-2).
const COUNTRIES: &str = "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY \
    BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA \
    GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG \
    KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW \
    MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD \
    SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA \
    VC VE VG VI VN VU WF WS YE YT ZA ZM ZW";

/// Contents of the file `cards.toml`, which are the common settings of a lab's cards.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cards {
    /// Kind of the robots' boards. Images for other boards are rejected.
    pub board: Option<String>,
    /// Wi-Fi network of the arena. If omitted, robots use a wired network.
    pub wifi: Option<Wifi>,
    /// Fixed addresses of the robots. If omitted, robots use DHCP.
    pub network: Option<Network>,
    /// Paths of public keys for root logins over SSH, such as `id_ed25519.pub`. The paths are relative to the folder of
    /// `cards.toml`.
    #[serde(default)]
    pub login: Vec<PathBuf>,
    /// Host name or address of the time server. If omitted, the hub's machine is the time server.
    pub time: Option<String>,
}

/// Settings of a Wi-Fi network.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wifi {
    /// Name of the network (SSID).
    pub name: String,
    /// Passphrase of 8 to 63 characters, or key of 64 hexadecimal digits. Omit it for an open network.
    pub passphrase: Option<String>,
    /// Whether the network hides its name.
    #[serde(default)]
    pub hidden: bool,
    /// Country whose radio regulations apply, as an ISO 3166 code such as "GB".
    pub country: String,
}

/// Fixed addresses of the robots.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Network {
    /// Address of the first robot with the prefix length, such as "192.168.1.101/24". The other robots get the
    /// following addresses, in the order of `swarm.toml`.
    pub first: String,
    /// Gateway of the network, if any.
    pub gateway: Option<Ipv4Addr>,
}

/// File below the folder `/etc/xpuck` of a card.
#[derive(Clone, PartialEq, Eq)]
pub struct Entry {
    /// Path relative to `/etc/xpuck`.
    pub name: String,
    /// Contents of the file.
    pub bytes: Vec<u8>,
    /// Whether only the owner of the file may read it.
    pub secret: bool,
    /// Whether the file belongs to root, so that the robot's program cannot change it.
    pub system: bool,
}

impl std::fmt::Debug for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({} bytes)", self.name, self.bytes.len())
    }
}

/// Returns the files below `/etc/xpuck` for the card of a robot, sorted by name. `folder` is the folder of the swarm.
///
/// # Errors
/// An input is missing or invalid. The error describes on one line how to correct it.
pub fn card_files(folder: &Path, robot: &str, board: &str) -> Result<Vec<Entry>, FileError> {
    let name = |path: &Path| path.display().to_string();
    let swarm_file = folder.join("swarm.toml");
    let swarm = Swarm::read(&swarm_file)?;
    let Some(place) = swarm.robots.iter().position(|id| id == robot) else {
        let text = format!("robots: `{robot}` is not in the list; choose one of {}", swarm.robots.join(", "));
        return Err(FileError::value(&name(&swarm_file), text));
    };
    let mut entries = Vec::new();
    let mut add = |name: &str, bytes: Vec<u8>, secret, system| {
        entries.push(Entry { name: name.into(), bytes, secret, system });
    };
    let robot_file = folder.join(format!("robots/{robot}.toml"));
    let robot_text = file::text(&robot_file, file::MAX_TOML)?;
    add("swarm.toml", file::text(&swarm_file, file::MAX_TOML)?.into_bytes(), false, false);
    add(&format!("robots/{robot}.toml"), robot_text.clone().into_bytes(), false, false);
    if let Some(calibration) = calibration(&name(&robot_file), &robot_text)? {
        let path = folder.join("robots").join(&calibration);
        let inside = Path::new("robots").join(&calibration);
        let inside = normalized(&inside).ok_or_else(|| {
            FileError::value(
                &name(&robot_file),
                format!("calibration.file = {calibration:?} is outside the swarm's folder"),
            )
        })?;
        add(&inside, file::text(&path, file::MAX_TOML)?.into_bytes(), false, false);
    }
    // The keys are read only to report errors in them. Their files are copied without changes.
    let keys = folder.join("keys");
    let (key, hub) = (keys.join(format!("robots/{robot}.key")), keys.join("hub.pub"));
    let missing = |path: &Path| match path.exists() {
        true => Ok(()),
        false => {
            let text = format!(
                "is missing; create it with `xpuck keys new --dir {} --swarm {}`",
                keys.display(),
                name(&swarm_file)
            );
            Err(FileError::value(&name(path), text))
        }
    };
    missing(&key)?;
    missing(&hub)?;
    Secret::read(&key)?;
    Public::read(&hub)?;
    let bytes = |path: &Path| {
        file::bytes(path, LONGEST_KEY).map_err(|error| FileError::Unreadable { path: path.into(), error })
    };
    add(&format!("keys/robots/{robot}.key"), bytes(&key)?, true, false);
    add("keys/hub.pub", bytes(&hub)?, false, false);
    // Robots that communicate with each other need each other's public keys.
    for other in swarm.robots.iter().filter(|_| !swarm.peers.is_empty()) {
        let path = keys.join(format!("robots/{other}.pub"));
        missing(&path)?;
        Public::read(&path)?;
        add(&format!("keys/robots/{other}.pub"), bytes(&path)?, false, false);
    }
    let operators = keys.join("operators");
    let mut found = 0;
    for entry in fs::read_dir(&operators).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|extension| extension == "pub") {
            let public = Public::read(&path)?;
            add(&format!("keys/operators/{}.pub", public.name), bytes(&path)?, false, false);
            found += 1;
        }
    }
    if found == 0 {
        return Err(FileError::value(
            &name(&operators),
            "does not contain an operator's .pub file, so the robot would reject all operators",
        ));
    }
    let cards = read_cards(folder)?;
    add("board", format!("{board}\n").into_bytes(), false, true);
    for (file, text, secret) in system(folder, &cards, &swarm, robot, place)? {
        add(&format!("system/{file}"), text.into_bytes(), secret, true);
    }
    entries.sort_by(|one, two| one.name.cmp(&two.name));
    Ok(entries)
}

/// Returns the kind of board from `cards.toml` in the folder of a swarm. `None` if the file is missing or does not name
/// a board.
///
/// # Errors
/// The file is invalid.
pub fn board(folder: &Path) -> Result<Option<String>, FileError> {
    Ok(read_cards(folder)?.board)
}

/// Reads and validates `cards.toml`. A missing file counts as empty.
fn read_cards(folder: &Path) -> Result<Cards, FileError> {
    let path = folder.join(CARDS);
    if !path.exists() {
        return Ok(Cards::default());
    }
    let cards: Cards = file::read(&path)?;
    let bad = |text: String| Err(FileError::value(&path.display().to_string(), text));
    if let Some(wifi) = &cards.wifi {
        let plain = |text: &str| text.chars().all(|c| !c.is_control() && c != '"' && c != '\\');
        if !(1..=MAX_SSID).contains(&wifi.name.len()) || !plain(&wifi.name) {
            return bad(format!("wifi.name must have 1 to {MAX_SSID} characters, without \" and \\"));
        }
        let passphrase = wifi.passphrase.as_deref();
        if passphrase.is_some_and(|text| !(is_key(text) || (8..=MAX_PASSPHRASE).contains(&text.len()) && plain(text))) {
            return bad(format!(
                "wifi.passphrase must have 8 to {MAX_PASSPHRASE} characters, none of them \" or \\, or be a key of \
                 {KEY_DIGITS} hexadecimal digits; leave it out for an open network"
            ));
        }
        let country = wifi.country.as_str();
        if !COUNTRIES.split_whitespace().any(|code| code == country) {
            let hint = if country == "UK" {
                "the United Kingdom is \"GB\""
            } else {
                "use two capital letters, such as \"GB\""
            };
            return bad(format!("wifi.country = {country:?} is not a country code (ISO 3166); {hint}"));
        }
    }
    let name = |text: &str| {
        (1..=253).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric() || b".-:".contains(&b))
    };
    if let Some(time) = cards.time.as_ref().filter(|time| !name(time)) {
        return bad(format!("time = {time:?} is not a host name or address"));
    }
    if let Some(Network { first, gateway: Some(gateway) }) = &cards.network
        && !is_reachable(first, *gateway)
    {
        return bad(format!(
            "network.gateway = {gateway} must be in the network of network.first = {first:?}, and must differ from that address"
        ));
    }
    Ok(cards)
}

/// Returns whether the passphrase in the settings is a precomputed key.
fn is_key(text: &str) -> bool {
    text.len() == KEY_DIGITS && text.bytes().all(|b| b.is_ascii_hexdigit())
}

/// Validates `cards.toml` against `swarm.toml`. No robot may get the address of another machine.
///
/// # Errors
/// A file is invalid, or a robot would get an invalid address. The error describes the first fault on one line.
pub fn check(folder: &Path) -> Result<(), FileError> {
    let cards = read_cards(folder)?;
    let swarm = Swarm::read(&folder.join("swarm.toml"))?;
    (0..swarm.robots.len()).try_for_each(|place| address(folder, &cards, &swarm, place).map(drop))
}

/// Returns the fixed address of a robot with the prefix length; `None` if robots use DHCP. `place` is the index of the
/// robot in `swarm.toml`.
///
/// # Errors
/// The address is invalid or belongs to another machine.
fn address(folder: &Path, cards: &Cards, swarm: &Swarm, place: usize) -> Result<Option<String>, FileError> {
    let Some(Network { first, gateway }) = &cards.network else { return Ok(None) };
    let wrong = |text: String| Err(FileError::value(&folder.join(CARDS).display().to_string(), text));
    let robot = &swarm.robots[place];
    let Some(address) = address_at(first, place) else {
        let robots = place + 1;
        return wrong(format!(
            "network.first = {first:?} is not an address such as \"192.168.1.101/24\" with room for {robots} robots"
        ));
    };
    let plain = address.split('/').next().unwrap_or_default();
    let host = |endpoint: &str| xpuck_wire::host_of(endpoint.trim_start_matches("tcp://")).to_string();
    let others = [
        ("network.gateway", gateway.map(|gateway| gateway.to_string())),
        ("the hub's address", Some(host(&swarm.hub.robots))),
        ("time", cards.time.clone()),
    ];
    match others.into_iter().find(|(_, other)| other.as_deref() == Some(plain)) {
        Some((what, _)) => {
            wrong(format!("{what} = {plain} would also be {robot}'s address; choose another network.first"))
        }
        None => Ok(Some(address)),
    }
}

/// Returns whether a gateway is in the network of the address `first` and differs from this address. Also returns true
/// for an invalid address, because [`address`] reports it.
fn is_reachable(first: &str, gateway: Ipv4Addr) -> bool {
    let Some((address, length)) = first.split_once('/') else { return true };
    let (Ok(address), Ok(length)) = (address.parse::<Ipv4Addr>(), length.parse::<u32>()) else { return true };
    let mask = u32::MAX.checked_shl(32u32.saturating_sub(length)).unwrap_or(0);
    address != gateway && u32::from(address) & mask == u32::from(gateway) & mask
}

/// Returns the robot's files for the operating system. Each file has a name, a text, and a flag that is true if only
/// root may read the file.
fn system(
    folder: &Path,
    cards: &Cards,
    swarm: &Swarm,
    robot: &str,
    place: usize,
) -> Result<Vec<(&'static str, String, bool)>, FileError> {
    let path = folder.join(CARDS).display().to_string();
    let mut files = vec![("hostname", format!("{robot}\n"), false)];
    // The machine id is generated for each card. It need not be secret, so it is derived from a random public key.
    let random = Secret::generate("machine")?.public.curve.0;
    let id: String = random[..16].iter().map(|byte| format!("{byte:02x}")).collect();
    files.push(("machine-id", format!("{id}\n"), false));
    let hub = xpuck_wire::host_of(swarm.hub.robots.trim_start_matches("tcp://")).to_string();
    let time = cards.time.clone().unwrap_or(hub);
    files.push(("time.conf", format!("[Time]\nNTP={time}\n"), false));
    // Only one kind of interface gets the fixed address. With Wi-Fi, a wired interface uses DHCP instead.
    let link = if cards.wifi.is_some() { "wl*" } else { "en* eth*" };
    let mut network = format!("[Match]\nName={link}\n\n[Network]\n");
    match &cards.network {
        None => network += "DHCP=ipv4\n",
        Some(fixed) => {
            network += &format!("Address={}\n", address(folder, cards, swarm, place)?.unwrap_or_default());
            if let Some(gateway) = fixed.gateway {
                network += &format!("Gateway={gateway}\n");
            }
        }
    }
    files.push(("wifi.network", network + "\n[Link]\nRequiredForOnline=no\n", false));
    let wifi = match &cards.wifi {
        None => "# cards.toml does not name a Wi-Fi network.\n".into(),
        Some(Wifi { name, passphrase, hidden, country }) => {
            let secret = match passphrase.as_deref() {
                None => "key_mgmt=NONE".into(),
                Some(key) if is_key(key) => format!("psk={key}"),
                Some(text) => format!("psk=\"{text}\""),
            };
            let scan = if *hidden { "\tscan_ssid=1\n" } else { "" };
            format!(
                "ctrl_interface=/run/wpa_supplicant\ncountry={country}\nnetwork={{\n\tssid=\"{name}\"\n{scan}\t{secret}\n}}\n"
            )
        }
    };
    files.push(("wpa_supplicant.conf", wifi, true));
    let mut logins = String::new();
    for login in &cards.login {
        let shown = login.display();
        let text = file::text(&folder.join(login), file::MAX_TOML)
            .map_err(|_| FileError::value(&path, format!("login: {shown} does not exist or is not text")))?;
        for line in text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
            let kind = ["ssh-", "ecdsa-", "sk-"].iter().any(|kind| line.starts_with(kind));
            let plain = line.split(' ').count() >= 2 && !line.chars().any(char::is_control);
            if !kind || !plain {
                return Err(FileError::value(
                    &path,
                    format!("login: {shown} contains a line that is not an SSH public key"),
                ));
            }
            logins += &format!("{line}\n");
        }
    }
    files.push(("authorized_keys", logins, true));
    Ok(files)
}

/// Adds `place` to the address `first`, and returns the resulting address with the prefix length. `None` if an address
/// is invalid, or if the result is outside the network.
fn address_at(first: &str, place: usize) -> Option<String> {
    let (address, length) = first.split_once('/')?;
    let (address, length): (Ipv4Addr, u32) = (address.parse().ok()?, length.parse().ok()?);
    let hosts = 1u32.checked_shl(32u32.checked_sub(length)?).unwrap_or(0);
    let mask = hosts.wrapping_sub(1);
    let number = u32::from(address).checked_add(u32::try_from(place).ok()?)?;
    // The address must be in the same network. The network address and the broadcast address are excluded.
    let inside = number & !mask == u32::from(address) & !mask && number & mask != 0 && number & mask != mask;
    (inside && (8..=30).contains(&length)).then(|| format!("{}/{length}", Ipv4Addr::from(number)))
}

/// Returns the path of the calibration file that a robot's configuration file names. `None` if the configuration file
/// does not name a calibration file. `text` is the text of the configuration file, and `name` is its name in errors.
fn calibration(name: &str, text: &str) -> Result<Option<PathBuf>, FileError> {
    let table: toml::Table = file::parse(name, text)?;
    let file = table.get("calibration").and_then(|calibration| calibration.get("file")).and_then(|file| file.as_str());
    Ok(file.map(PathBuf::from))
}

/// Returns a relative path without `.` and `..`. `None` if the path leads out of the folder in which it starts.
fn normalized(path: &Path) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.components() {
        match part {
            std::path::Component::Normal(part) => parts.push(part.to_str()?),
            std::path::Component::CurDir => {}
            std::path::Component::ParentDir => drop(parts.pop()?),
            _ => return None,
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lab(cards: &str) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        let robots = ["xp01".to_string(), "xp02".to_string()];
        fs::create_dir(dir.path().join("robots")).unwrap();
        let swarm = "robots = [\"xp01\", \"xp02\"]\n[hub]\nrobots = \"tcp://192.168.1.2:7601\"\noperator = \"tcp://127.0.0.1:7602\"\n";
        fs::write(dir.path().join("swarm.toml"), swarm).unwrap();
        fs::write(
            dir.path().join("robots/xp02.toml"),
            "id = \"xp02\"\n[calibration]\nfile = \"../calibration.toml\"\n",
        )
        .unwrap();
        fs::write(dir.path().join("calibration.toml"), "# measured\n").unwrap();
        fs::write(dir.path().join("me.pub"), "ssh-ed25519 AAAA me\n").unwrap();
        fs::write(dir.path().join(CARDS), cards).unwrap();
        xpuck_wire::keyring::create_missing_pairs(&dir.path().join("keys"), &robots).unwrap();
        dir
    }

    const GOOD: &str = "login = [\"me.pub\"]\n[wifi]\nname = \"lab\"\npassphrase = \"correct horse\"\ncountry = \"GB\"\n[network]\nfirst = \"192.168.1.101/24\"\n";

    #[test]
    fn card_gets_only_its_own_secrets() {
        let dir = lab(GOOD);
        let entries = card_files(dir.path(), "xp02", "pi5").unwrap();
        let names: Vec<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
        assert!(
            names.contains(&"keys/robots/xp02.key") && !names.iter().any(|name| name.contains("xp01")),
            "{names:?}"
        );
        assert!(!names.iter().any(|name| name.contains("operator.key") || name.contains("hub.key")), "{names:?}");
        let entry = |name: &str| entries.iter().find(|entry| entry.name == name).unwrap_or_else(|| panic!("{name}"));
        let text = |name: &str| String::from_utf8(entry(name).bytes.clone()).unwrap();
        assert!(entry("keys/robots/xp02.key").secret && entry("system/wpa_supplicant.conf").secret);
        assert!(text("system/wifi.network").contains("Address=192.168.1.102/24"));
        assert!(text("system/wpa_supplicant.conf").contains("psk=\"correct horse\""));
        assert_eq!(text("system/time.conf"), "[Time]\nNTP=192.168.1.2\n");
        assert_eq!((text("board"), text("calibration.toml")), ("pi5\n".into(), "# measured\n".into()));
        assert_eq!(text("system/machine-id").trim().len(), 32);
    }

    #[test]
    fn hidden_and_open_networks_and_ready_made_keys_are_written() {
        let conf = |cards: &str| {
            let entries = card_files(lab(cards).path(), "xp02", "pi5").unwrap();
            let entry = entries.into_iter().find(|entry| entry.name == "system/wpa_supplicant.conf").unwrap();
            String::from_utf8(entry.bytes).unwrap()
        };
        assert!(
            conf(&GOOD.replace("country", "hidden = true\ncountry"))
                .contains("\tscan_ssid=1\n\tpsk=\"correct horse\"\n")
        );
        assert!(conf(&GOOD.replace("passphrase = \"correct horse\"\n", "")).contains("\tkey_mgmt=NONE\n"));
        let key = "0123456789abcdef".repeat(4);
        assert!(conf(&GOOD.replace("correct horse", &key)).contains(&format!("\tpsk={key}\n")));
        assert!(!conf(GOOD).contains("scan_ssid"));
    }

    #[test]
    fn invalid_card_input_is_reported_in_one_line() {
        let said = |cards: &str, change: &dyn Fn(&Path)| {
            let dir = lab(cards);
            change(dir.path());
            let error = card_files(dir.path(), "xp02", "pi5").unwrap_err().to_string();
            assert_eq!(error.lines().count(), 1, "{error}");
            error
        };
        let nothing = |_: &Path| {};
        assert!(said(&GOOD.replace("correct horse", "short"), &nothing).contains("wifi.passphrase must have 8 to 63"));
        assert!(said(&GOOD.replace("\"lab\"", "\"la\\\"b\""), &nothing).contains("wifi.name"));
        assert!(said(&GOOD.replace("GB", "gb"), &nothing).contains("two capital letters"));
        assert!(said(&GOOD.replace("GB", "UK"), &nothing).contains("the United Kingdom is \"GB\""));
        // With the following settings, the second robot would get the address of the gateway, the hub or the time
        // server.
        let beside = |more: &str| format!("{more}{GOOD}gateway = \"192.168.1.102\"\n");
        assert!(said(&beside(""), &nothing).contains("network.gateway = 192.168.1.102 would also be xp02's address"));
        assert!(
            said(&GOOD.replace(".101/24", ".1/24"), &nothing)
                .contains("the hub's address = 192.168.1.2 would also be xp02's")
        );
        let time = format!("time = \"192.168.1.102\"\n{GOOD}");
        assert!(said(&time, &nothing).contains("time = 192.168.1.102 would also be xp02's address"));
        assert!(check(lab(&time).path()).is_err() && check(lab(GOOD).path()).is_ok());
        assert!(said(&GOOD.replace(".101/24", ".254/24"), &nothing).contains("with room for 2 robots"));
        assert!(said(&GOOD.replace("me.pub", "swarm.toml"), &nothing).contains("is not an SSH public key"));
        assert!(
            said(GOOD, &|dir| fs::remove_file(dir.join("keys/robots/xp02.key")).unwrap()).contains("xpuck keys new")
        );
        assert!(
            said(GOOD, &|dir| fs::remove_dir_all(dir.join("keys/operators")).unwrap()).contains("reject all operators")
        );
        assert!(said(GOOD, &|dir| fs::remove_file(dir.join("calibration.toml")).unwrap()).contains("calibration.toml"));
        let outside = "id = \"xp02\"\n[calibration]\nfile = \"../../etc/passwd\"\n";
        assert!(said(GOOD, &|dir| fs::write(dir.join("robots/xp02.toml"), outside).unwrap()).contains("outside"));
        let dir = lab(GOOD);
        assert!(card_files(dir.path(), "xp09", "pi5").unwrap_err().to_string().contains("`xp09` is not in the list"));
    }
}
