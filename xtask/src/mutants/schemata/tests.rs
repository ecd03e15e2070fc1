use std::fs;
use std::path::Path;
use std::process::Command;

use super::*;

/// Returns changes of a text, numbered from 1: the kind, the replaced text (the text between ‹ and › in this part, or
/// the whole part), and the replacement.
fn changes(text: &str, wanted: &[(Genre, &str, &str)]) -> Vec<Change> {
    let change = |(number, (genre, part, replacement)): (usize, &(Genre, &str, &str))| {
        let start = text.find(&part.replace(['‹', '›'], "")).unwrap_or_else(|| panic!("no {part}"));
        let (before, rest) = part.split_once('‹').unwrap_or(("", part));
        let what = rest.split_once('›').map_or(rest, |(what, _)| what);
        let start = start + before.len();
        let range = start..start + what.len();
        Change { number, genre: *genre, range, replacement: (*replacement).to_owned() }
    };
    (1..).zip(wanted).map(change).collect()
}

/// Returns the generated text, with `on(1)` for the full path of the check.
fn generated(text: &str, wanted: &[(Genre, &str, &str)]) -> String {
    let schemata = generate(text, &changes(text, wanted)).unwrap();
    assert!(schemata.left_out.is_empty(), "{:?}", schemata.left_out);
    schemata.text.replace("crate::mutant_switch::", "")
}

fn left_out(text: &str, wanted: &[(Genre, &str, &str)]) -> Vec<usize> {
    let schemata = generate(text, &changes(text, wanted)).unwrap();
    assert_eq!(schemata.text, text);
    schemata.left_out
}

use Genre::{BinaryOperator as Binary, FnValue, MatchArm, MatchArmGuard as Guard, StructField, UnaryOperator as Unary};

#[test]
fn replaced_operators_branch_on_the_whole_chain() {
    assert_eq!(
        generated("fn f() { g(a + b * c); }", &[(Binary, "+", "-"), (Binary, "*", "+")]),
        "fn f() { g((if on(1) { (a - b * c) } else if on(2) { (a + b + c) } else { (a + b * c) })); }"
    );
    assert_eq!(
        generated("fn f() { a += 1; }", &[(Binary, "+=", "*=")]),
        "fn f() { (if on(1) { (a *= 1) } else { (a += 1) }); }"
    );
}

#[test]
fn deleted_unary_operator_leaves_its_operand() {
    assert_eq!(
        generated("fn f() -> bool { !self.done() }", &[(Unary, "!", "")]),
        "fn f() -> bool { (if on(1) { (self.done()) } else { (!self.done()) }) }"
    );
}

#[test]
fn function_value_returns_before_the_first_statement() {
    assert_eq!(
        generated(
            "fn f() -> u8 {\n    let x = 1;\n    x\n}",
            &[(FnValue, "let x = 1;\n    x", "0"), (FnValue, "let x = 1;\n    x", "2")]
        ),
        "fn f() -> u8 {\n    if on(1) { return 0; } if on(2) { return 2; } let x = 1;\n    x\n}"
    );
}

#[test]
fn deleted_arm_gets_a_false_guard() {
    assert_eq!(
        generated("fn f() { match x { Some(1) => 1, _ => 0 } }", &[(MatchArm, "Some(1) => 1,", "")]),
        "fn f() { match x { Some(1) if !on(1) => 1, _ => 0 } }"
    );
    assert_eq!(
        generated("fn f() { match x { Some(y) if y > z => 1, _ => 0 } }", &[(MatchArm, "Some(y) if y > z => 1,", "")]),
        "fn f() { match x { Some(y) if !on(1) && ((y > z)) => 1, _ => 0 } }"
    );
}

#[test]
fn replaced_guard_is_forced_to_true_or_false() {
    assert_eq!(
        generated(
            "fn f() { match x { y if y || z => 1, _ => 0 } }",
            &[(Guard, "y || z", "true"), (Guard, "y || z", "false")]
        ),
        "fn f() { match x { y if !on(2) && (on(1) || (y || z)) => 1, _ => 0 } }"
    );
}

#[test]
fn deleted_field_branches_on_the_struct_expression() {
    assert_eq!(
        generated("fn f() { S { a: 1, b, ..s } }", &[(StructField, "a: 1,", ""), (StructField, "b,", "")]),
        "fn f() { (if on(1) { (S {  b, ..s }) } else if on(2) { (S { a: 1,  ..s }) } else { (S { a: 1, b, ..s }) }) }"
    );
}

#[test]
fn nested_mutants_occur_only_in_the_original_code() {
    let body = "match x { y if y > 1 => y + g(-y), _ => 0 }";
    assert_eq!(
        generated(
            &format!("fn f(x: i8) {{ {body} }}"),
            &[
                (FnValue, body, "7"),
                (Guard, "y > 1", "true"),
                (Binary, ">", ">="),
                (Binary, "+", "*"),
                (Unary, "‹-›y", ""),
            ]
        ),
        "fn f(x: i8) { if on(1) { return 7; } match x { \
         y if (on(2) || ((if on(3) { (y >= 1) } else { (y > 1) }))) => \
         (if on(4) { (y * g(-y)) } else { (y + g((if on(5) { (y) } else { (-y) }))) }), _ => 0 } }"
    );
}

#[test]
fn operands_of_a_let_chain_are_changed_separately() {
    // A replaced && or
    // does not compile in a chain with `let`, in any form.
    let text = "fn f() { if a && b < c && let Some(d) = e + f {} }";
    assert_eq!(left_out(text, &[(Binary, "&&", "||")]), [1]);
    assert_eq!(
        generated(text, &[(Binary, "<", "<="), (Binary, "+", "-")]),
        "fn f() { if a && (if on(1) { (b <= c) } else { (b < c) }) && \
         let Some(d) = (if on(2) { (e - f) } else { (e + f) }) {} }"
    );
}

#[test]
fn compile_time_code_is_left_out() {
    for text in [
        "const fn f() -> u8 { 1 + 2 }",
        "const A: u8 = 1 + 2;",
        "static A: u8 = 1 + 2;",
        "impl S { const fn f() -> u8 { 1 + 2 } }",
        "impl S { const A: u8 = 1 + 2; }",
        "trait T { const A: u8 = 1 + 2; }",
        "enum E { A = 1 + 2 }",
        "fn f(x: [u8; 1 + 2]) {}",
        "fn f() { [0; 1 + 2] }",
        "fn f() { const { 1 + 2 } }",
        "fn f() { g::<{ 1 + 2 }>() }",
        "fn f() { assert_eq!(1 + 2, 3) }",
    ] {
        assert_eq!(left_out(text, &[(Binary, "+", "-")]), [1], "{text}");
    }
    assert_eq!(left_out("const fn f() -> u8 { g() }", &[(FnValue, "g()", "0")]), [1]);
}

#[test]
fn compile_error_is_attributed_to_the_smallest_part() {
    let text = "fn f() { a + 1; match b { 1 => -c, _ => d } } fn g() { e }";
    let wanted = [(Binary, "+", "-"), (Binary, "+", "*"), (Unary, "-", ""), (MatchArm, "1 => -c,", "")];
    let schemata = generate(text, &changes(text, &wanted)).unwrap();
    let blamed = |what: &str, nth: usize| {
        let start = schemata.text.match_indices(what).nth(nth).unwrap().0;
        schemata.mutants_at(&(start..start + what.len()))
    };
    // A changed text of an expression, the expression itself, the match around an arm, the function, and the file.
    assert_eq!(blamed("a * 1", 0), [2]);
    assert_eq!(blamed("a + 1", 0), [1, 2]);
    assert_eq!(blamed("match b", 0), [3, 4]);
    assert_eq!(blamed("; match", 0), [1, 2, 3, 4]);
    assert_eq!(blamed("fn g", 0), [1, 2, 3, 4]);
}

/// A program with mutants of each kind, which prints the results of its functions.
const PROGRAM: &str = r#"
#[derive(Clone, Copy, Default, Debug)]
struct S { a: i32, b: i32 }
fn chain(a: i32, b: i32, c: i32) -> bool { a + b * c < 11 && !(b == 2) || -a == -1 }
fn arms(x: Option<i32>, limit: i32) -> i32 {
    match x { None => 1, Some(y) if y > limit => y % limit, Some(3) => 4, _ => 5 }
}
fn field(s: S) -> S { S { a: arms(Some(s.a), s.b) - 9, ..s } }
fn mixed(x: Option<i32>) -> i32 {
    let mut sum = 0;
    if let Some(y) = x && y >= 2 && sum == 0 { sum += y; }
    sum
}
pub fn main() {
    for a in -1..4 { for b in 1..4 {
        println!("{} {} {:?}", chain(a, b, 5), arms(Some(a), b), field(S { a, b }));
    } }
    println!("{} {} {}", arms(None, 1), mixed(Some(2)), mixed(None));
}
"#;

/// Compiles a program together with the module that checks which mutant is active.
fn compiled(text: &str, folder: &Path) -> Command {
    fs::write(folder.join("main.rs"), format!("{text}\nmod mutant_switch;\n")).unwrap();
    fs::write(folder.join("mutant_switch.rs"), include_str!("../switch.rs")).unwrap();
    let mut rustc = Command::new("rustc");
    rustc.args(["--edition=2024", "--cap-lints=allow", "main.rs"]);
    assert!(rustc.current_dir(folder).status().unwrap().success(), "{text}");
    Command::new(folder.join("main"))
}

/// Returns the output of the program with one environment variable set.
fn printed(program: &mut Command, name: &str, value: &str) -> String {
    let output = program.env(name, value).output().unwrap();
    assert!(output.status.success(), "{name}={value}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn active_mutant_behaves_as_compiled_alone() {
    let chain = "a + b * c < 11 && !(b == 2) || -a == -1";
    let wanted = [
        (FnValue, chain, "true"),
        (Binary, "a ‹+› b", "-"),
        (Binary, "b ‹*› c", "+"),
        (Binary, "c ‹<› 11", ">"),
        (Binary, "11 ‹&&› !", "||"),
        (Unary, "‹!›(b", ""),
        (Binary, "‹||› -a", "&&"),
        (Unary, "‹-›a ==", ""),
        (MatchArm, "None => 1,", ""),
        (Guard, "y > limit", "true"),
        (Guard, "y > limit", "false"),
        (Binary, "y ‹>› limit", "=="),
        (Binary, "y ‹%› limit", "/"),
        (MatchArm, "Some(3) => 4,", ""),
        (MatchArm, "Some(y) if y > limit => y % limit,", ""),
        (StructField, "a: arms(Some(s.a), s.b) - 9,", ""),
        (Binary, "‹-› 9", "+"),
        (Binary, "‹>=› 2", "<"),
        (Binary, "sum ‹==› 0", "!="),
        (Binary, "‹+=› y", "-="),
    ];
    let changes = changes(PROGRAM, &wanted);
    let schemata = generate(PROGRAM, &changes).unwrap();
    assert!(schemata.left_out.is_empty(), "{:?}", schemata.left_out);
    let folder = tempfile::tempdir().unwrap();
    let mut program = compiled(&schemata.text, folder.path());
    let in_force: Vec<String> =
        (0..=changes.len()).map(|number| printed(&mut program, "LASTHOP_MUTANT", &number.to_string())).collect();

    // The program and each of its mutants, in a module each.
    let (mut modules, mut choice) = (format!("mod m0 {{ {PROGRAM} }}"), "0 => m0::main(),".to_owned());
    for Change { number, range, replacement, .. } in &changes {
        let (head, tail) = (&PROGRAM[..range.start], &PROGRAM[range.end..]);
        modules += &format!("mod m{number} {{ {head}{replacement}{tail} }}");
        choice += &format!("{number} => m{number}::main(),");
    }
    let main = format!(
        r#"fn main() {{ match std::env::var("ALONE").unwrap().parse().unwrap() {{ {choice} _ => unreachable!() }} }}"#
    );
    let mut program = compiled(&format!("{modules}{main}"), folder.path());
    for (number, found) in in_force.iter().enumerate() {
        assert_eq!(*found, printed(&mut program, "ALONE", &number.to_string()), "{number}");
        // The output of every mutant differs from the output of the program.
        assert_eq!(*found == in_force[0], number == 0, "{number}");
    }
}

#[test]
fn reached_mutants_are_recorded_once() {
    let text = PROGRAM.replace("for a in -1..4", "for a in 1..1");
    let wanted = [
        (FnValue, "a + b * c < 11 && !(b == 2) || -a == -1", "true"),
        (MatchArm, "None => 1,", ""),
        (Guard, "y > limit", "true"),
    ];
    let folder = tempfile::tempdir().unwrap();
    let schemata = generate(&text, &changes(&text, &wanted)).unwrap();
    let file = folder.path().join("reached");
    printed(&mut compiled(&schemata.text, folder.path()), "LASTHOP_MUTANTS_REACHED", file.to_str().unwrap());
    // Only `arms(None, 1)` is called, which matches the first arm.
    assert_eq!(fs::read_to_string(file).unwrap(), "2\n");
}
