//! Generates a source file that contains all of its mutants, each guarded by a run-time check whether it is active
//! (`switch.rs`), so that a crate is compiled once for all of them: mutant schemata (Untch, Offutt and Harrold,
//! "Mutation analysis using mutant schemata", ISSTA 1993).
//!
//! An expression with a replacement becomes `(if on(1) { (changed text) } else { (original) })`. The original may
//! contain further mutants, the changed text may not: at most one mutant is active. A mutant that replaces a function
//! body by a value becomes `if on(2) { return value; }` at its start; a deleted match arm gets the guard `!on(3)`.
//!
//! Code that is evaluated at compile time (`const fn`, constants, types, patterns) has no such form. A schema may fail
//! to compile although the mutant alone compiles, for example a `return` in a function with the result `impl Trait`, or
//! by type inference. The position of the compiler's error then [identifies](Schemata::mutants_at) the mutants to be left
//! out.

mod render;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::ops::Range;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use render::Edit;
pub use render::Schemata;

/// Kind of a mutant as cargo-mutants names it, which determines the form of its schema.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Genre {
    /// A binary operator is replaced.
    BinaryOperator,
    /// A unary operator is deleted.
    UnaryOperator,
    /// A function body is replaced by a value.
    FnValue,
    /// A match arm is deleted.
    MatchArm,
    /// The guard of a match arm is replaced by true or false.
    MatchArmGuard,
    /// A field of a struct expression with `..base` is deleted.
    StructField,
    /// Any other kind, without a schema.
    Other,
}

impl Genre {
    pub fn named(name: &str) -> Self {
        match name {
            "BinaryOperator" => Genre::BinaryOperator,
            "UnaryOperator" => Genre::UnaryOperator,
            "FnValue" => Genre::FnValue,
            "MatchArm" => Genre::MatchArm,
            "MatchArmGuard" => Genre::MatchArmGuard,
            "StructField" => Genre::StructField,
            _ => Genre::Other,
        }
    }
}

/// A change of a source text.
#[derive(Clone, Debug)]
pub struct Change {
    /// Number of the mutant, from 1.
    pub number: usize,
    pub genre: Genre,
    /// Byte range of the replaced text.
    pub range: Range<usize>,
    pub replacement: String,
}

/// Returns the text with the schemata of all changes.
pub fn generate(text: &str, changes: &[Change]) -> Result<Schemata, String> {
    let file = syn::parse_file(text).map_err(|error| error.to_string())?;
    let mut visitor = Visitor { text, changes, taken: HashSet::new(), edits: Vec::new() };
    visitor.visit_file(&file);
    let Visitor { taken, edits, .. } = visitor;
    let mut schemata = render::render_schemata(text, edits);
    let numbers = changes.iter().map(|change| change.number);
    schemata.left_out = numbers.filter(|number| !taken.contains(number)).collect();
    Ok(schemata)
}

/// Returns the code that checks whether a mutant is active.
fn on(number: usize) -> String {
    format!("crate::mutant_switch::on({number})")
}

/// Finds the expressions to be changed, the outer ones first.
struct Visitor<'a> {
    text: &'a str,
    changes: &'a [Change],
    taken: HashSet<usize>,
    edits: Vec<Edit>,
}

impl<'a> Visitor<'a> {
    /// Takes the changes of a kind that satisfy `wanted` and have no place yet.
    fn take(&mut self, genre: Genre, wanted: impl Fn(&Change) -> bool) -> Vec<&'a Change> {
        let found = self.changes.iter().filter(|change| change.genre == genre && wanted(change));
        found.filter(|change| self.taken.insert(change.number)).collect()
    }

    /// Inserts, before an expression, a branch for each change of the expression.
    fn choice(&mut self, range: Range<usize>, changes: &[&Change]) {
        if changes.is_empty() {
            return;
        }
        let mut before = vec![("(".to_owned(), vec![])];
        for Change { number, range: changed, replacement, .. } in changes {
            let (head, tail) = (&self.text[range.start..changed.start], &self.text[changed.end..range.end]);
            // The parentheses are needed: a block would split `match a {} + 1` into two statements.
            before.push((format!("if {} {{ ({head}{replacement}{tail}) }} else ", on(*number)), vec![*number]));
        }
        before.push(("{ (".to_owned(), vec![]));
        self.edits.push(Edit { range, before, after: ") })".to_owned() });
    }

    /// Marks a part of the text. An error in this part is attributed to the mutants within it.
    fn scope(&mut self, range: Range<usize>) {
        self.edits.push(Edit { range, before: Vec::new(), after: String::new() });
    }

    fn function(&mut self, block: &syn::Block) {
        let (Some(first), Some(last)) = (block.stmts.first(), block.stmts.last()) else { return };
        self.scope(block.span().byte_range());
        let (start, end) = (first.span().byte_range().start, last.span().byte_range().end);
        let values = self.take(Genre::FnValue, |change| change.range == (start..end));
        if values.is_empty() {
            return;
        }
        let value = |change: &&Change| {
            (format!("if {} {{ return {}; }} ", on(change.number), change.replacement), vec![change.number])
        };
        let before = values.iter().map(value).collect();
        self.edits.push(Edit { range: start..start, before, after: String::new() });
    }

    /// Visits an operand of a chain of `&&` with a `let`, in which `||` is invalid and no operator may be separated
    /// from the chain.
    fn operand(&mut self, operand: &syn::Expr) {
        match operand {
            syn::Expr::Binary(binary) if matches!(binary.op, syn::BinOp::And(_)) => {
                self.operand(&binary.left);
                self.operand(&binary.right);
            }
            other => self.visit_expr(other),
        }
    }
}

/// Collects the positions of all operators of a chain. A changed operator may bind other operands, because precedence
/// differs.
fn operators(chain: &syn::ExprBinary, found: &mut Vec<Range<usize>>) {
    found.push(chain.op.span().byte_range());
    for side in [&chain.left, &chain.right] {
        if let syn::Expr::Binary(binary) = &**side {
            operators(binary, found);
        }
    }
}

fn has_let(expression: &syn::Expr) -> bool {
    match expression {
        syn::Expr::Let(_) => true,
        syn::Expr::Binary(binary) => has_let(&binary.left) || has_let(&binary.right),
        _ => false,
    }
}

impl<'ast> Visit<'ast> for Visitor<'_> {
    // Code that is evaluated at compile time is skipped.
    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}
    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {}
    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}
    fn visit_trait_item_const(&mut self, _: &'ast syn::TraitItemConst) {}
    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}
    fn visit_variant(&mut self, _: &'ast syn::Variant) {}
    fn visit_type(&mut self, _: &'ast syn::Type) {}
    fn visit_generics(&mut self, _: &'ast syn::Generics) {}
    fn visit_generic_argument(&mut self, _: &'ast syn::GenericArgument) {}
    fn visit_pat(&mut self, _: &'ast syn::Pat) {}
    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}

    fn visit_expr_repeat(&mut self, repeat: &'ast syn::ExprRepeat) {
        self.visit_expr(&repeat.expr);
    }

    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        if function.sig.constness.is_none() {
            self.function(&function.block);
            visit::visit_item_fn(self, function);
        }
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        if function.sig.constness.is_none() {
            self.function(&function.block);
            visit::visit_impl_item_fn(self, function);
        }
    }

    fn visit_trait_item_fn(&mut self, function: &'ast syn::TraitItemFn) {
        if let Some(block) = &function.default {
            self.function(block);
        }
        visit::visit_trait_item_fn(self, function);
    }

    fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
        if has_let(&binary.left) || has_let(&binary.right) {
            self.operand(&binary.left);
            self.operand(&binary.right);
            return;
        }
        let mut places = Vec::new();
        operators(binary, &mut places);
        let changes = self.take(Genre::BinaryOperator, |change| places.contains(&change.range));
        self.choice(binary.span().byte_range(), &changes);
        visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_unary(&mut self, unary: &'ast syn::ExprUnary) {
        let place = unary.op.span().byte_range();
        let changes = self.take(Genre::UnaryOperator, |change| change.range == place);
        self.choice(unary.span().byte_range(), &changes);
        visit::visit_expr_unary(self, unary);
    }

    fn visit_expr_struct(&mut self, value: &'ast syn::ExprStruct) {
        let fields: Vec<usize> = value.fields.iter().map(|field| field.span().byte_range().start).collect();
        let changes = self.take(Genre::StructField, |change| fields.contains(&change.range.start));
        self.choice(value.span().byte_range(), &changes);
        visit::visit_expr_struct(self, value);
    }

    fn visit_expr_match(&mut self, whole: &'ast syn::ExprMatch) {
        self.scope(whole.span().byte_range());
        visit::visit_expr_match(self, whole);
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        let start = arm.span().byte_range().start;
        let deleted = self.take(Genre::MatchArm, |change| change.range.start == start);
        let mut refuse: Vec<usize> = deleted.iter().map(|change| change.number).collect();
        if let Some((_, guard)) = &arm.guard {
            let range = guard.span().byte_range();
            let replaced = self.take(Genre::MatchArmGuard, |change| change.range == range);
            let (accept, others): (Vec<&Change>, _) =
                replaced.into_iter().partition(|change| change.replacement == "true");
            refuse.extend(others.iter().map(|change| change.number));
            let accept: Vec<usize> = accept.iter().map(|change| change.number).collect();
            if !refuse.is_empty() || !accept.is_empty() {
                let refused: String = refuse.iter().map(|number| format!("!{} && ", on(*number))).collect();
                let accepted: String = accept.iter().map(|number| format!("{} || ", on(*number))).collect();
                let before = vec![(format!("{refused}({accepted}("), [refuse, accept].concat())];
                self.edits.push(Edit { range, before, after: "))".to_owned() });
            }
        } else if let [number] = refuse[..] {
            let end = arm.pat.span().byte_range().end;
            let before = vec![(format!(" if !{}", on(number)), refuse)];
            self.edits.push(Edit { range: end..end, before, after: String::new() });
        }
        visit::visit_arm(self, arm);
    }
}
