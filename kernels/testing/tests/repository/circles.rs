//! Checks that the modules of a crate do not use each other in a cycle, at any depth. Sibling modules can therefore be
//! read in the order of their dependencies.

use crate::crates;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use syn::visit::Visit;

/// Path of a module in its crate.
type Module = Vec<String>;

/// Dependencies between sibling modules of a crate (user, used), each with the path of one file that contains it.
type Arrows = BTreeMap<(Module, Module), String>;

/// All paths in the code of one file, without its tests, as lists of segments.
struct Paths(Vec<Vec<String>>);

impl<'ast> Visit<'ast> for Paths {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        let test = item.attrs.iter().any(|a| a.path().is_ident("cfg"));
        if !test {
            syn::visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.tree(&item.tree, &mut Vec::new());
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.0.push(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        syn::visit::visit_path(self, path);
    }
}

impl Paths {
    fn tree(&mut self, tree: &syn::UseTree, before: &mut Vec<String>) {
        match tree {
            syn::UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.tree(&path.tree, before);
                before.pop();
            }
            syn::UseTree::Name(name) => self.found(before, &name.ident),
            syn::UseTree::Rename(name) => self.found(before, &name.ident),
            syn::UseTree::Glob(_) => self.0.push(before.clone()),
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| self.tree(tree, before)),
        }
    }

    fn found(&mut self, before: &[String], name: &syn::Ident) {
        self.0.push(before.iter().cloned().chain([name.to_string()]).collect());
    }
}

/// Returns the Rust files of a crate by module, without `main.rs` and `tests.rs`.
fn modules(source: &Path) -> BTreeMap<Module, PathBuf> {
    let mut found = BTreeMap::new();
    let mut folders = vec![(source.to_path_buf(), Module::new())];
    while let Some((folder, place)) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
            let below = |name: String| place.iter().cloned().chain([name]).collect::<Module>();
            match path.extension() {
                None if path.is_dir() => folders.push((path, below(stem))),
                Some(kind) if kind == "rs" && matches!(stem.as_str(), "mod" | "lib") => {
                    found.insert(place.clone(), path);
                }
                // The main file of a program only declares or uses modules of its crate.
                Some(kind) if kind == "rs" && stem == "main" => {}
                Some(kind) if kind == "rs" && stem != "tests" => {
                    found.insert(below(stem), path);
                }
                _ => {}
            }
        }
    }
    found
}

/// Returns the module to which a path in the module `from` refers; `None` if the path leads outside the crate.
fn target(from: &Module, path: &[String], all: &BTreeSet<Module>) -> Option<Module> {
    let mut at = from.clone();
    let mut rest = path.iter();
    match path.first()?.as_str() {
        "crate" => {
            at.clear();
            rest.next();
        }
        "self" => drop(rest.next()),
        "super" => {
            while rest.as_slice().first().is_some_and(|name| name == "super") {
                at.pop();
                rest.next();
            }
        }
        name if all.contains(&[from.as_slice(), &[name.to_string()]].concat()) => {}
        _ => return None,
    }
    for name in rest {
        at.push(name.clone());
        if !all.contains(&at) {
            at.pop();
            break;
        }
    }
    Some(at)
}

/// Returns the dependencies between sibling modules in the source folder of a crate. A dependency between nested
/// modules counts as a dependency between their sibling ancestors.
fn arrows(source: &Path) -> Arrows {
    let files = modules(source);
    let all: BTreeSet<Module> =
        files.keys().flat_map(|module| (0..=module.len()).map(|n| module[..n].to_vec())).collect();
    let mut found = Arrows::new();
    for (module, path) in &files {
        let mut paths = Paths(Vec::new());
        paths.visit_file(&syn::parse_file(&std::fs::read_to_string(path).unwrap()).unwrap());
        for used in paths.0.iter().filter_map(|path| target(module, path, &all)) {
            let shared = module.iter().zip(&used).take_while(|(a, b)| a == b).count();
            if shared < module.len() && shared < used.len() {
                let arrow = (module[..=shared].to_vec(), used[..=shared].to_vec());
                found.entry(arrow).or_insert_with(|| path.display().to_string());
            }
        }
    }
    found
}

/// Returns true if `from` is `to`, or depends on `to` directly or through other modules. `uses` maps each module to the
/// modules that it uses.
fn reaches(uses: &BTreeMap<&Module, Vec<&Module>>, from: &Module, to: &Module) -> bool {
    let mut seen = BTreeSet::new();
    let mut next = vec![from];
    while let Some(module) = next.pop() {
        if module == to {
            return true;
        }
        if seen.insert(module) {
            next.extend(uses.get(module).into_iter().flatten());
        }
    }
    false
}

/// Returns one description for each dependency that is part of a cycle.
fn circles(source: &Path) -> Vec<String> {
    let arrows = arrows(source);
    let mut uses: BTreeMap<&Module, Vec<&Module>> = BTreeMap::new();
    for (user, used) in arrows.keys() {
        uses.entry(user).or_default().push(used);
    }
    let line = |((user, used), file): (&(Module, Module), &String)| {
        format!("{} uses {} ({file})", user.join("::"), used.join("::"))
    };
    arrows.iter().filter(|((user, used), _)| reaches(&uses, used, user)).map(line).collect()
}

/// Returns the source folder of a crate, from an entry of `cargo metadata`.
fn source(package: &Value) -> PathBuf {
    let manifest = package["manifest_path"].as_str().expect("a path");
    Path::new(manifest).with_file_name("src")
}

#[test]
fn no_modules_use_each_other_in_a_circle() {
    let mut checked = 0;
    for package in &crates() {
        let source = source(package);
        let found = circles(&source);
        assert!(found.is_empty(), "{}:\n{}", source.display(), found.join("\n"));
        checked += modules(&source).len();
    }
    assert!(checked > 500, "only {checked} modules were found");
}

#[test]
fn module_cycles_are_found_and_tests_ignored() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("lib.rs", "mod a; mod b; mod c;");
    write("a/mod.rs", "mod deep; use crate::c;");
    write("a/deep.rs", "fn f() { crate::b::g(); }");
    write("b.rs", "pub fn g() {}\n#[cfg(test)] mod tests { use crate::a; }");
    write("c.rs", "");
    assert_eq!(circles(dir.path()), Vec::<String>::new());
    write("b.rs", "use super::{a::deep, c}; pub fn g() {}");
    let found = circles(dir.path());
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].starts_with("a uses b (") && found[1].starts_with("b uses a ("), "{found:?}");
}
