//! Contents of a source file: declarations, comments, and the length of functions.

/// A function.
#[derive(Debug, PartialEq)]
pub struct FunctionDeclaration {
    pub name: String,
    pub line: usize,
    /// The declaration is outside of every block: neither a method nor nested.
    pub is_free: bool,
    /// Number of lines of the declaration; 1 without a body.
    pub length: usize,
}

/// A struct, an enum or a trait.
#[derive(Debug, PartialEq)]
pub struct TypeDeclaration {
    pub name: String,
    pub line: usize,
}

/// The text of one comment line, without its slashes.
#[derive(Debug, PartialEq)]
pub struct CommentLine {
    pub text: String,
    pub line: usize,
}

/// A file of the repository without its tests.
#[derive(Debug)]
pub struct SourceFile {
    pub path: String,
    pub functions: Vec<FunctionDeclaration>,
    pub types: Vec<TypeDeclaration>,
    pub comments: Vec<CommentLine>,
}

/// Returns true for Rust and TypeScript outside of tests.
pub fn is_measured(path: &str) -> bool {
    let is_test = path.contains("/tests/") || ["tests.rs", ".test.ts", ".d.ts"].iter().any(|end| path.ends_with(end));
    (path.ends_with(".rs") || path.ends_with(".ts")) && !is_test
}

impl SourceFile {
    /// Reads a file up to its tests. From TypeScript only functions are read.
    pub fn parse(path: &str, text: &str) -> Self {
        let is_rust = path.ends_with(".rs");
        let lines: Vec<&str> = text.split("#[cfg(test)]").next().unwrap_or_default().split('\n').collect();
        let mut file =
            SourceFile { path: path.to_owned(), functions: Vec::new(), types: Vec::new(), comments: Vec::new() };
        for (index, line) in lines.iter().enumerate() {
            let (code, number) = (line.trim_start(), index + 1);
            let indent = &line[..line.len() - code.len()];
            let name = if is_rust { parse_function_name(code) } else { parse_script_function_name(code) };
            if let Some(name) = name {
                let (name, length) = (name.to_owned(), measure_length(&lines[index..], indent));
                file.functions.push(FunctionDeclaration { name, line: number, is_free: indent.is_empty(), length });
            }
            if !is_rust {
                continue;
            }
            if let Some(name) = parse_type_name(code) {
                file.types.push(TypeDeclaration { name: name.to_owned(), line: number });
            }
            if let Some(text) = code.strip_prefix("//") {
                let text = text.strip_prefix(['/', '!']).unwrap_or(text);
                let text = text.strip_prefix(' ').unwrap_or(text).to_owned();
                file.comments.push(CommentLine { text, line: number });
            }
        }
        file
    }
}

/// Returns the number of lines from the first of `lines` to the brace that closes a block at this indentation.
fn measure_length(lines: &[&str], indent: &str) -> usize {
    if lines[0].trim_end().ends_with([';', '}']) {
        return 1;
    }
    let closes = |line: &&str| line.strip_prefix(indent).is_some_and(|rest| rest.starts_with('}'));
    lines[1..].iter().position(closes).map_or(1, |index| index + 2)
}

fn parse_function_name(code: &str) -> Option<&str> {
    let mut code = strip_visibility(code);
    while let Some(rest) = ["const ", "async ", "unsafe "].iter().find_map(|word| code.strip_prefix(word)) {
        code = rest;
    }
    take_word(code.strip_prefix("fn ")?)
}

fn parse_script_function_name(code: &str) -> Option<&str> {
    let code = code.strip_prefix("export ").unwrap_or(code);
    take_word(code.strip_prefix("async ").unwrap_or(code).strip_prefix("function ")?)
}

fn parse_type_name(code: &str) -> Option<&str> {
    let code = strip_visibility(code);
    take_word(["struct ", "enum ", "trait "].iter().find_map(|word| code.strip_prefix(word))?)
}

/// Removes `pub `, `pub(crate) ` and the like.
fn strip_visibility(code: &str) -> &str {
    let Some(rest) = code.strip_prefix("pub") else { return code };
    let rest = match rest.strip_prefix('(') {
        Some(scope) => scope.split_once(')').map_or(rest, |(_, rest)| rest),
        None => rest,
    };
    rest.strip_prefix(' ').unwrap_or(code)
}

/// Returns the identifier at the start of `code`.
fn take_word(code: &str) -> Option<&str> {
    let end = code.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(code.len());
    Some(&code[..end]).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn functions(path: &str, text: &str) -> Vec<(String, usize, bool, usize)> {
        let file = SourceFile::parse(path, text);
        file.functions.into_iter().map(|it| (it.name, it.line, it.is_free, it.length)).collect()
    }

    #[test]
    fn functions_are_read_with_line_place_and_length() {
        let text = "fn a() {}\n\npub(in crate::x) const unsafe fn b_c<T>(\n    t: T,\n) -> T {\n    t\n}\n\
                    impl X {\n    pub async fn d() {\n        e();\n    }\n    fn f();\n}\n// fn no() {\nlet fn_ = 1;\n";
        let expected = [("a", 1, true, 1), ("b_c", 3, true, 5), ("d", 9, false, 3), ("f", 12, false, 1)];
        assert_eq!(functions("a.rs", text), expected.map(|(name, a, b, c)| (name.to_owned(), a, b, c)));
    }

    #[test]
    fn typescript_has_functions_only() {
        let file = SourceFile::parse("a.ts", "// text\nexport async function a(): void {\n  b();\n}\nstruct X\n");
        assert_eq!((file.functions[0].name.as_str(), file.functions[0].length), ("a", 3));
        assert!(file.types.is_empty() && file.comments.is_empty());
    }

    #[test]
    fn types_and_comments_are_read_up_to_the_tests() {
        let text = "//! One.\nenum A {}\n    pub(crate) struct B<T>(T); // no line of its own\npub trait C {}\n    ///two\n\
                    #[cfg(test)]\nmod tests { struct D; }\n// three";
        let file = SourceFile::parse("a.rs", text);
        assert_eq!(
            file.types.iter().map(|it| (it.name.as_str(), it.line)).collect::<Vec<_>>(),
            [("A", 2), ("B", 3), ("C", 4)]
        );
        let comments: Vec<_> = file.comments.iter().map(|it| (it.text.as_str(), it.line)).collect();
        assert_eq!(comments, [("One.", 1), ("two", 5)]);
    }

    #[test]
    fn tests_are_not_measured() {
        let paths =
            ["crates/a/src/b.rs", "web/src/a.ts", "crates/a/tests/b.rs", "a/tests.rs", "a.test.ts", "a.d.ts", "a.md"];
        assert_eq!(paths.map(is_measured), [true, true, false, false, false, false, false]);
    }
}
