//! The modules of a crate with their imports, definitions and references, parsed from the tokens of its files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// Path of a module within its crate; empty for the crate root.
pub type ModulePath = Vec<String>;

/// A path in the code, with its line number.
#[derive(Clone, Debug)]
pub struct Reference {
    pub segments: Vec<String>,
    pub line: usize,
}

/// A module: a file or an inline module.
#[derive(Default, Debug)]
pub struct Module {
    pub file: PathBuf,
    /// Imported names with their paths, as written.
    pub imports: BTreeMap<String, Vec<String>>,
    /// Paths of glob imports.
    pub globs: Vec<Vec<String>>,
    /// Names of items defined here.
    pub items: BTreeSet<String>,
    /// All paths in the code, including imports.
    pub references: Vec<Reference>,
}

/// The modules of a crate by path, without code under `#[cfg(test)]`, because tests may use the whole crate.
#[derive(Default)]
pub struct Modules {
    pub all: BTreeMap<ModulePath, Module>,
    tests: BTreeSet<ModulePath>,
}

impl Modules {
    /// Reads the crate whose sources are in `folder`.
    pub fn read(folder: &Path) -> Result<Self, String> {
        let mut files = Vec::new();
        list(folder, &mut files)?;
        let mut modules = Modules::default();
        for file in files {
            let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
            let text = fs::read_to_string(&file).map_err(|error| failed(&error))?;
            let path = module_path(file.strip_prefix(folder).unwrap_or(&file));
            modules.add(path, &file, &text).map_err(|error| failed(&error))?;
        }
        Ok(modules.without_tests())
    }

    /// Adds the module `path` with the text of its file.
    pub fn add(&mut self, path: ModulePath, file: &Path, text: &str) -> Result<(), String> {
        let tokens = TokenStream::from_str(text).map_err(|error| error.to_string())?;
        self.all.entry(path.clone()).or_default().file = file.to_owned();
        self.walk(&path, &tokens.into_iter().collect::<Vec<_>>());
        Ok(())
    }

    /// Removes the modules that are declared under `#[cfg(test)]`.
    pub fn without_tests(mut self) -> Self {
        let Modules { all, tests } = &mut self;
        all.retain(|path, _| !tests.iter().any(|test| path.starts_with(test)));
        self
    }

    fn walk(&mut self, path: &ModulePath, tokens: &[TokenTree]) {
        let mut at = 0;
        while at < tokens.len() {
            at += match &tokens[at] {
                TokenTree::Punct(punct) if punct.as_char() == '#' => self.attribute(path, &tokens[at..]),
                TokenTree::Ident(ident) if *ident == "use" => self.import(path, &tokens[at + 1..]) + 1,
                TokenTree::Ident(ident) if *ident == "mod" => self.inner(path, &tokens[at..]),
                TokenTree::Ident(ident) if DEFINING.iter().any(|keyword| *ident == keyword) => {
                    if let Some(TokenTree::Ident(name)) = tokens.get(at + 1) {
                        self.module(path).items.insert(name.to_string());
                    }
                    1
                }
                TokenTree::Ident(_) => {
                    let (segments, length) = segments(&tokens[at..]);
                    let line = line(&tokens[at]);
                    self.module(path).references.push(Reference { segments, line });
                    length
                }
                TokenTree::Group(group) => {
                    self.walk(path, &group.stream().into_iter().collect::<Vec<_>>());
                    1
                }
                _ => 1,
            };
        }
    }

    fn module(&mut self, path: &ModulePath) -> &mut Module {
        self.all.entry(path.clone()).or_default()
    }

    /// Reads an attribute, and skips the item after `#[cfg(test)]`; returns the number of tokens read.
    fn attribute(&mut self, path: &ModulePath, tokens: &[TokenTree]) -> usize {
        let Some(TokenTree::Group(group)) = tokens.get(1) else { return 1 };
        let inside: Vec<TokenTree> = group.stream().into_iter().collect();
        let name = inside.first().map(ToString::to_string).unwrap_or_default();
        if name == "cfg" && has_word(&group.stream(), "test") {
            return 2 + self.skip_item(path, &tokens[2..]);
        }
        if name != "doc" {
            self.walk(path, &inside);
            self.walk_texts(path, &inside);
        }
        2
    }

    /// Adds paths in string literals of an attribute, such as `#[serde(with = "crate::a::b")]`.
    fn walk_texts(&mut self, path: &ModulePath, tokens: &[TokenTree]) {
        for token in tokens {
            match token {
                TokenTree::Group(group) => self.walk_texts(path, &group.stream().into_iter().collect::<Vec<_>>()),
                TokenTree::Literal(literal) => {
                    let text = literal.to_string();
                    let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
                    if let Some(Ok(tokens)) = inner.filter(|inner| inner.contains("::")).map(TokenStream::from_str) {
                        self.walk(path, &tokens.into_iter().collect::<Vec<_>>());
                    }
                }
                _ => {}
            }
        }
    }

    /// Skips an item of test code, and records the module that the item declares. Returns the number of tokens read.
    fn skip_item(&mut self, path: &ModulePath, tokens: &[TokenTree]) -> usize {
        let end = tokens.iter().position(|token| match token {
            TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
            TokenTree::Punct(punct) => punct.as_char() == ';',
            _ => false,
        });
        let item = &tokens[..end.map_or(tokens.len(), |end| end + 1)];
        let module = item.windows(2).find(|pair| matches!(&pair[0], TokenTree::Ident(word) if *word == "mod"));
        if let Some([_, TokenTree::Ident(name)]) = module {
            self.tests.insert(below(path, &name.to_string()));
        }
        item.len()
    }

    /// Reads an inline module, or the declaration of a module in another file; returns the number of tokens read.
    fn inner(&mut self, path: &ModulePath, tokens: &[TokenTree]) -> usize {
        let (Some(TokenTree::Ident(name)), Some(TokenTree::Group(body))) = (tokens.get(1), tokens.get(2)) else {
            return 1;
        };
        let file = self.module(path).file.clone();
        let inner = below(path, &name.to_string());
        self.module(&inner).file = file;
        self.walk(&inner, &body.stream().into_iter().collect::<Vec<_>>());
        3
    }

    /// Reads an import up to its semicolon; returns the number of tokens read.
    fn import(&mut self, path: &ModulePath, tokens: &[TokenTree]) -> usize {
        let is_end = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ';');
        let Some(end) = tokens.iter().position(is_end) else { return 0 };
        self.import_tree(path, &[], &tokens[..end]);
        end + 1
    }

    fn import_tree(&mut self, path: &ModulePath, before: &[String], tokens: &[TokenTree]) {
        for tree in tokens.split(|token| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ',')) {
            let mut segments = before.to_vec();
            let mut name = None;
            let mut words = tree.iter();
            while let Some(token) = words.next() {
                match token {
                    TokenTree::Ident(word) if *word == "as" => name = words.next().map(ToString::to_string),
                    TokenTree::Ident(word) => segments.push(word.to_string()),
                    TokenTree::Punct(punct) if punct.as_char() == '*' => {
                        self.module(path).globs.push(segments.clone());
                        let line = line(token);
                        self.module(path).references.push(Reference { segments: segments.clone(), line });
                        segments.clear();
                    }
                    TokenTree::Group(group) => {
                        self.import_tree(path, &segments, &group.stream().into_iter().collect::<Vec<_>>());
                        segments.clear();
                    }
                    _ => {}
                }
            }
            // `use a::{self}` imports a.
            if segments.len() > 1 && segments.last().is_some_and(|last| last == "self") {
                segments.pop();
            }
            let Some(last) = segments.last().cloned() else { continue };
            let line = tree.first().map_or(0, line);
            let module = self.module(path);
            module.imports.insert(name.unwrap_or(last), segments.clone());
            module.references.push(Reference { segments, line });
        }
    }
}

/// Keywords that introduce the name of an item.
const DEFINING: [&str; 8] = ["struct", "enum", "union", "fn", "trait", "type", "const", "static"];

/// Returns the path of the child module `name`.
pub fn below(path: &[String], name: &str) -> ModulePath {
    path.iter().cloned().chain([name.to_owned()]).collect()
}

/// Returns the segments of the path at the beginning of `tokens`, and the number of tokens.
fn segments(tokens: &[TokenTree]) -> (Vec<String>, usize) {
    let is_colon = |token: Option<&TokenTree>| matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
    let mut segments = vec![tokens[0].to_string()];
    let mut at = 1;
    while is_colon(tokens.get(at)) && is_colon(tokens.get(at + 1)) {
        let Some(TokenTree::Ident(segment)) = tokens.get(at + 2) else { break };
        segments.push(segment.to_string());
        at += 3;
    }
    (segments, at)
}

fn has_word(tokens: &TokenStream, word: &str) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == word,
        TokenTree::Group(group) => has_word(&group.stream(), word),
        _ => false,
    })
}

fn line(token: &TokenTree) -> usize {
    token.span().start().line
}

/// Returns the path of the module in a file; the file is relative to the source folder.
fn module_path(file: &Path) -> ModulePath {
    let mut path: ModulePath = file.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if path.last().is_some_and(|last| last == "mod" || (path.len() == 1 && (last == "lib" || last == "main"))) {
        path.pop();
    }
    path
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_dir() {
            list(&path, files)?;
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
    files.sort();
    Ok(())
}
