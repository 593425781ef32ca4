//! Reads constants and `Default` implementations from source files, together with their documentation. Other crates can
//! access neither private constants nor documentation.

use std::collections::BTreeMap;
use std::path::Path;
use syn::{BinOp, Expr, Fields, ImplItem, Item, Lit, Stmt, UnOp};
use xpuck_testing::page::words;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Source file with its constants and types.
pub struct Source {
    path: String,
    items: Vec<Item>,
}

/// Evaluated value of a constant.
enum Value {
    Number(f64),
    Text(String),
}

impl Source {
    /// Reads a source file of the repository.
    pub fn read(path: &str) -> Source {
        let text = std::fs::read_to_string(Path::new(ROOT).join(path)).unwrap_or_else(|e| panic!("{path}: {e}"));
        Source { path: path.into(), items: syn::parse_file(&text).unwrap_or_else(|e| panic!("{path}: {e}")).items }
    }

    /// Returns all public constants as table rows in the order of the file: description, value, name.
    pub fn public(&self) -> Vec<[String; 3]> {
        let names = self.items.iter().filter_map(|item| match item {
            Item::Const(c) if matches!(c.vis, syn::Visibility::Public(_)) => Some(c.ident.to_string()),
            _ => None,
        });
        names.map(|name| self.row(&name)).collect()
    }

    /// Returns a constant as a table row: description, value, name.
    pub fn row(&self, name: &str) -> [String; 3] {
        let (words, expression) = self.constant(name).unwrap_or_else(|| panic!("{} has no constant {name}", self.path));
        [words, self.shown(expression), format!("`{name}`")]
    }

    /// Returns the fields of a type that implements `Default` as table rows: key with the prefix `lead`, default,
    /// description. Defaults may refer to constants of `others`.
    pub fn defaults(&self, name: &str, lead: &str, others: &[&Source]) -> Vec<[String; 3]> {
        let fields = self.items.iter().find_map(|item| match item {
            Item::Struct(s) if s.ident == name => Some(&s.fields),
            _ => None,
        });
        let Some(Fields::Named(fields)) = fields else { panic!("{} has no struct {name}", self.path) };
        let values: BTreeMap<String, &Expr> = self.default_of(name).into_iter().collect();
        let row = |field: &syn::Field| {
            let key = field.ident.as_ref().expect("a named field").to_string();
            let expression = values.get(&key).unwrap_or_else(|| panic!("{name}::default says nothing of {key}"));
            let known = [&[self], others].concat();
            let shown = known.iter().find_map(|source| source.try_shown(expression));
            let shown = shown.unwrap_or_else(|| panic!("{name}.{key}: a default that the page cannot read"));
            [format!("`{lead}{key}`"), shown, words(&field.attrs)]
        };
        fields.named.iter().map(row).collect()
    }

    /// Returns the fields and default values from the type's `impl Default`.
    fn default_of(&self, name: &str) -> Vec<(String, &Expr)> {
        let is_it = |ty: &syn::Type| matches!(ty, syn::Type::Path(p) if p.path.is_ident(name));
        let body = self.items.iter().find_map(|item| match item {
            Item::Impl(i) if i.trait_.as_ref().is_some_and(|t| t.1.is_ident("Default")) && is_it(&i.self_ty) => {
                i.items.iter().find_map(|item| match item {
                    ImplItem::Fn(f) => f.block.stmts.last(),
                    _ => None,
                })
            }
            _ => None,
        });
        let Some(Stmt::Expr(Expr::Struct(literal), None)) = body else {
            panic!("{}: {name} has no `Default` with all its fields", self.path)
        };
        literal
            .fields
            .iter()
            .map(|field| match &field.member {
                syn::Member::Named(key) => (key.to_string(), &field.expr),
                syn::Member::Unnamed(_) => panic!("{name} has fields without names"),
            })
            .collect()
    }

    fn constant(&self, name: &str) -> Option<(String, &Expr)> {
        self.items.iter().find_map(|item| match item {
            Item::Const(c) if c.ident == name => Some((words(&c.attrs), &*c.expr)),
            _ => None,
        })
    }

    fn shown(&self, expression: &Expr) -> String {
        self.try_shown(expression).unwrap_or_else(|| panic!("{}: a constant that the page cannot read", self.path))
    }

    fn try_shown(&self, expression: &Expr) -> Option<String> {
        let list = |parts: &mut dyn Iterator<Item = &Expr>| -> Option<String> {
            Some(parts.map(|part| self.try_shown(part)).collect::<Option<Vec<_>>>()?.join(", "))
        };
        match expression {
            Expr::Tuple(tuple) => list(&mut tuple.elems.iter()),
            Expr::Array(array) => list(&mut array.elems.iter()),
            Expr::Path(path) if path.path.is_ident("None") => Some("none".into()),
            Expr::MethodCall(call) if call.method == "into" => self.try_shown(&call.receiver),
            _ => Some(match self.value(expression)? {
                Value::Number(number) => number_word(number),
                Value::Text(text) => text,
            }),
        }
    }

    fn number(&self, expression: &Expr) -> Option<f64> {
        match self.value(expression)? {
            Value::Number(number) => Some(number),
            Value::Text(_) => None,
        }
    }

    fn value(&self, expression: &Expr) -> Option<Value> {
        let number = match expression {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Int(number) => number.base10_parse().ok()?,
                Lit::Float(number) => number.base10_parse().ok()?,
                Lit::Str(text) => return Some(Value::Text(format!("`{}`", text.value()))),
                Lit::Bool(flag) => return Some(Value::Text(flag.value.to_string())),
                _ => return None,
            },
            Expr::Paren(inner) => return self.value(&inner.expr),
            Expr::Cast(cast) => return self.value(&cast.expr),
            Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => -self.number(&unary.expr)?,
            Expr::Binary(binary) => {
                let (a, b) = (self.number(&binary.left)?, self.number(&binary.right)?);
                match binary.op {
                    BinOp::Add(_) => a + b,
                    BinOp::Sub(_) => a - b,
                    BinOp::Mul(_) => a * b,
                    BinOp::Div(_) => a / b,
                    _ => return None,
                }
            }
            Expr::Path(path) => match path.path.segments.last()?.ident.to_string().as_str() {
                "PI" => std::f64::consts::PI,
                name => return self.value(self.constant(name)?.1),
            },
            Expr::Call(call) => {
                let Expr::Path(function) = &*call.func else { return None };
                let unit = match function.path.segments.last()?.ident.to_string().as_str() {
                    "from_millis" => "ms",
                    "from_secs" => "s",
                    "new" if call.args.is_empty() => return Some(Value::Text("none".into())),
                    _ => return None,
                };
                return Some(Value::Text(format!("{} {unit}", number_word(self.number(call.args.first()?)?))));
            }
            _ => return None,
        };
        Some(Value::Number(number))
    }
}

/// Formats a number with at most six decimals, without trailing zeros.
fn number_word(number: f64) -> String {
    let digits = format!("{number:.6}");
    let plain = if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { &digits };
    if plain == "0" && number != 0.0 { format!("{number:e}") } else { plain.into() }
}
