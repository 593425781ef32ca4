//! Generates `docs/protocols/messages.md` from the message types. The test fails if the page is outdated.

mod examples;

use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use syn::{Attribute, Expr, Fields, GenericArgument, Item, Lit, PathArguments, Type, Visibility};
use xpuck_testing::page;
use xpuck_wire::codec::{MAX_BYTES, Message, UNDERSTOOD, VERSION, encode};
use xpuck_wire::keyring::Role;
use xpuck_wire::message::Request;

/// Source files of the message types.
const FILES: [&str; 13] = [
    "runtime/state.rs",
    "messages/message.rs",
    "messages/tags.rs",
    "messages/peer.rs",
    "messages/peers_report.rs",
    "messages/seal.rs",
    "messages/signed.rs",
    "messages/settings.rs",
    "messages/telemetry.rs",
    "messages/status.rs",
    "runtime/refusals.rs",
    "messages/park.rs",
    "messages/witness.rs",
];
/// Introduction of the page.
const OPENING: &str = "\
# Messages

Every message between hub, robots, workers and operators, written from the types in `robot/wire/src/`.

A message is one ZeroMQ frame: the version, which is VERSION, in one byte, then MessagePack with named fields. A variant
with fields is a map of one entry, its name and its fields; one without fields is its name alone. It has at most BYTES
bytes and 32 levels. A version further away, an unknown variant, and a missing field that may not be nil are refused, counted, and
change nothing. Times are seconds of arena time unless a name has another unit.

A hub and robots one version apart talk to each other, because a swarm is updated one robot after the other: versions UNDERSTOOD
are read. So what goes between them only grows. A new field has a default, and who does not know it passes over it; a message
with an unknown variant is passed over, with one line in the log. A release whose messages have grown raises the version by one,
a change that an earlier release would misread by two. Of other messages unknown fields are refused, so an operator's program and
a worker are best of the release of who they talk to.

| link | sockets | from the first to the second | back |
|---|---|---|---|
| robot, hub | DEALER, ROUTER; a robot is known by its key | [RobotMessage](#robotmessage) | [Sealed](#sealed), which holds [ToRobot](#torobot) |
| worker, geneserver | DEALER, ROUTER | [WorkerMessage](#workermessage) | [ToWorker](#toworker) |
| robot, robot | DEALER, ROUTER; each has one of both | [PeerMessage](#peermessage) | [PeerMessage](#peermessage) |
| operator, hub | REQ, ROUTER | [Request](#request) | [Reply](#reply) |

With keys each link is encrypted and authenticated (CURVE): [security](../security.md). The stream is JSON: [the hub](../hub.md#the-stream).

Each example is shown as JSON and as the bytes that travel.

";
/// Maximum number of bytes of an example that the page shows.
const SHOWN: usize = 160;

/// Converts a documentation comment to one line of Markdown. Links to items of the code are removed.
fn words(attributes: &[Attribute]) -> String {
    page::words(attributes).replace("crate::settings::", "")
}

/// Returns the serialised name of a variant. `attributes` are the attributes of the variant's type.
fn renamed(attributes: &[Attribute], name: &str) -> String {
    let serde = attributes.iter().filter(|a| a.path().is_ident("serde"));
    let rules: String = serde.filter_map(|a| a.meta.require_list().ok()).map(|l| l.tokens.to_string()).collect();
    match rules {
        rules if rules.contains("\"UPPERCASE\"") => name.to_uppercase(),
        rules if rules.contains("\"lowercase\"") => name.to_lowercase(),
        rules if rules.contains("\"kebab-case\"") => {
            let dashed = |c: char| if c.is_uppercase() { format!("-{}", c.to_lowercase()) } else { c.to_string() };
            name.chars().map(dashed).collect::<String>().trim_start_matches('-').into()
        }
        rules => {
            assert!(!rules.contains("rename"), "a rule that the page does not know: {rules}");
            name.into()
        }
    }
}

/// Returns the value of a serde attribute of a field or type, such as `x` for `rename = "x"`. `None` without the
/// attribute.
fn rule(attributes: &[Attribute], key: &str) -> Option<String> {
    let serde = attributes.iter().filter(|a| a.path().is_ident("serde"));
    let rules: String = serde.filter_map(|a| a.meta.require_list().ok()).map(|l| l.tokens.to_string()).collect();
    let begins = rules.find(&format!("{key} = \""))?;
    Some(rules[begins..].split('"').nth(1)?.to_string())
}

/// Writes the name of the type that the serde attribute `from` names, because messages contain this type. Returns false
/// without the attribute.
fn write_serialised_type(page: &mut String, attributes: &[Attribute], known: &BTreeMap<String, bool>) -> bool {
    let Some(other) = rule(attributes, "from") else { return false };
    let _ = writeln!(page, "Travels as: {}.\n", type_description(&syn::parse_str(&other).unwrap(), known));
    true
}

/// Returns whether an item is a public serialisable type.
fn is_message_type(item: &Item) -> bool {
    let (attributes, public) = match item {
        Item::Struct(item) => (&item.attrs, &item.vis),
        Item::Enum(item) => (&item.attrs, &item.vis),
        _ => return false,
    };
    let derives = attributes.iter().filter(|a| a.path().is_ident("derive")).filter_map(|a| a.meta.require_list().ok());
    matches!(public, Visibility::Public(_))
        && derives.map(|list| list.tokens.to_string()).any(|list| list.contains("Serialize"))
}

/// Returns the description of a Rust type for the page. `known` contains the types with a section on the page.
fn type_description(of: &Type, known: &BTreeMap<String, bool>) -> String {
    match of {
        Type::Path(path) => {
            let last = path.path.segments.last().unwrap();
            let inner = match &last.arguments {
                PathArguments::AngleBracketed(list) => match list.args.first() {
                    Some(GenericArgument::Type(inner)) => Some(type_description(inner, known)),
                    _ => None,
                },
                _ => None,
            };
            match (last.ident.to_string().as_str(), inner) {
                ("Vec", Some(inner)) => format!("list of {inner}"),
                ("Option", Some(inner)) => format!("{inner} or nil"),
                ("BTreeMap", Some(inner)) => format!("map by {inner}"),
                ("Box", Some(inner)) => inner,
                ("String", _) => "string".into(),
                (name, _) if known.contains_key(name) => format!("[{name}](#{})", name.to_lowercase()),
                (name, _) => name.into(),
            }
        }
        Type::Array(array) => {
            let length = match &array.len {
                Expr::Lit(literal) => match &literal.lit {
                    Lit::Int(number) => number.base10_digits().into(),
                    _ => "?".into(),
                },
                _ => xpuck_wire::telemetry::LATENESS_BINS.to_string(),
            };
            format!("{length} of {}", type_description(&array.elem, known))
        }
        Type::Tuple(tuple) => {
            format!("({})", tuple.elems.iter().map(|t| type_description(t, known)).collect::<Vec<_>>().join(", "))
        }
        _ => panic!("a type that the page has no words for"),
    }
}

fn table(page: &mut String, fields: &Fields, known: &BTreeMap<String, bool>) {
    match fields {
        Fields::Unit => {}
        Fields::Unnamed(list) => {
            let kinds: Vec<String> = list.unnamed.iter().map(|f| type_description(&f.ty, known)).collect();
            let _ = writeln!(page, "Holds: {}.\n", kinds.join(", "));
        }
        Fields::Named(list) => {
            page.push_str("| field | type | meaning |\n|---|---|---|\n");
            for field in &list.named {
                let name = rule(&field.attrs, "rename").unwrap_or_else(|| field.ident.as_ref().unwrap().to_string());
                let _ =
                    writeln!(page, "| `{name}` | {} | {} |", type_description(&field.ty, known), words(&field.attrs));
            }
            page.push('\n');
        }
    }
}

/// Writes an example as JSON and as encoded bytes.
fn example<T: Message + Serialize>(page: &mut String, message: &T) {
    let bytes = encode(message);
    let hex: Vec<String> = bytes.iter().take(SHOWN).map(|b| format!("{b:02x}")).collect();
    let lines: Vec<String> = hex.chunks(32).map(|line| line.join(" ")).collect();
    let more = if bytes.len() > SHOWN { format!(" ... {} bytes in all", bytes.len()) } else { String::new() };
    let json = serde_json::to_string(message).unwrap();
    let _ = writeln!(page, "```text\n{json}\n\n{}{more}\n```\n", lines.join("\n"));
}

/// Formats examples, and returns them by the names of their variants.
fn by_name<T: Message + Serialize>(messages: &[T]) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for message in messages {
        let value = serde_json::to_value(message).unwrap();
        let name = match &value {
            serde_json::Value::String(name) => name.clone(),
            value => value.as_object().unwrap().keys().next().unwrap().clone(),
        };
        let mut text = String::new();
        example(&mut text, message);
        found.insert(name, text);
    }
    found
}

/// Returns a sentence that states the roles that may send a request. `title` is the name of the request's variant.
fn allowed_roles(title: &str) -> &'static str {
    let is = |request: &Request| format!("{request:?}").split(|c: char| !c.is_alphanumeric()).next() == Some(title);
    let request = examples::requests().into_iter().find(is);
    let request = request.unwrap_or_else(|| panic!("Request::{title} has no example in tests/examples"));
    match request.allowed_to(Role::Observer) {
        true => " Operators and observers may ask it.",
        false => " Operators may ask it.",
    }
}

fn page() -> String {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let items: Vec<Item> = FILES
        .iter()
        .flat_map(|file| syn::parse_file(&std::fs::read_to_string(here.join("src").join(file)).unwrap()).unwrap().items)
        .filter(is_message_type)
        .collect();
    // Formatted examples of each message type, by the type's name and then by the variant's name.
    let examples: BTreeMap<&str, BTreeMap<String, String>> = BTreeMap::from([
        ("RobotMessage", by_name(&examples::from_robot())),
        ("ToRobot", by_name(&examples::to_robot())),
        ("PeerMessage", by_name(&examples::between_robots())),
        ("WorkerMessage", by_name(&examples::from_worker())),
        ("ToWorker", by_name(&examples::to_worker())),
        ("Request", by_name(&examples::requests())),
        ("Reply", by_name(&examples::replies())),
    ]);
    let name = |item: &Item| match item {
        Item::Struct(item) => Some(item.ident.to_string()),
        Item::Enum(item) => Some(item.ident.to_string()),
        _ => None,
    };
    let known: BTreeMap<String, bool> =
        items.iter().filter_map(name).map(|n| (n.clone(), examples.contains_key(n.as_str()))).collect();
    let understood = format!("{} to {}", UNDERSTOOD.start(), UNDERSTOOD.end());
    let mut page = OPENING
        .replace("VERSION", &VERSION.to_string())
        .replace("UNDERSTOOD", &understood)
        .replace("BYTES", &MAX_BYTES.to_string());
    for messages in [true, false] {
        for item in &items {
            let Some(name) = name(item).filter(|name| known[name] == messages) else { continue };
            match item {
                Item::Struct(item) => {
                    let _ = writeln!(page, "## {name}\n\n{}\n", words(&item.attrs));
                    write_serialised_type(&mut page, &item.attrs, &known);
                    table(&mut page, &item.fields, &known);
                    match name.as_str() {
                        "Sealed" => example(&mut page, &examples::sealed()),
                        "Signed" => example(&mut page, &examples::signed()),
                        _ => {}
                    }
                }
                Item::Enum(item) => {
                    let _ = writeln!(page, "## {name}\n\n{}\n", words(&item.attrs));
                    let disguised = write_serialised_type(&mut page, &item.attrs, &known);
                    for variant in &item.variants {
                        let title = variant.ident.to_string();
                        if !messages {
                            let travels = renamed(&item.attrs, &title);
                            let travels = if disguised { travels } else { format!("`\"{travels}\"`") };
                            let _ = writeln!(page, "- {travels}: {}", words(&variant.attrs));
                            continue;
                        }
                        let who = if name == "Request" { allowed_roles(&title) } else { "" };
                        let _ = writeln!(page, "### {name}: {title}\n\n{}{who}\n", words(&variant.attrs));
                        table(&mut page, &variant.fields, &known);
                        let shown = examples[name.as_str()].get(&title);
                        page += shown.unwrap_or_else(|| panic!("{name}::{title} has no example in tests/examples"));
                    }
                    if !messages {
                        page.push('\n');
                    }
                }
                _ => {}
            }
        }
    }
    page
}

#[test]
fn messages_page_matches_types() {
    page::assert_page_is_current("docs/protocols/messages.md", &page(), "cargo test -p xpuck-wire --test page");
}
