//! The set that an expression with holes denotes, in words and by an example. Must never say more than the pattern does.

use std::sync::Arc;

use sumac_sketch::text::ast::{Expr, ExprKind, TypeExpr, TypeKind};

/// Parts that are nested deeper are shown as they are written.
const MOST_LEVELS: usize = 6;

/// How a sign is read; what is not listed is read as an operator by its sign.
const READ: [(&str, &str); 6] = [
    ("+", "the sum of"),
    ("-", "the difference of"),
    ("*", "the cellwise product of"),
    ("/", "the quotient of"),
    ("%*%", "the matrix product of"),
    ("^", "the power of"),
];

/// What fits a pattern, as markdown: a sentence, and a list where parts have parts.
#[must_use]
pub(super) fn in_words(expr: &Expr) -> String {
    let mut out = String::new();
    describe(expr, 0, &mut out);
    out
}

fn describe(expr: &Expr, level: usize, out: &mut String) {
    if let Some(short) = leaf(expr) {
        out.push_str(&short);
        return;
    }
    let (head, joint, parts, suffix) = composite(expr);
    let leaves: Option<Vec<String>> = parts.iter().map(|part| leaf(part)).collect();
    match leaves {
        Some(leaves) => out.push_str(&format!("{head} {}{suffix}", leaves.join(joint))),
        None if level == MOST_LEVELS => out.push_str(&format!("`{expr}`")),
        None => {
            out.push_str(&format!("{head}{suffix}"));
            for part in parts {
                out.push_str(&format!("\n{}- ", "  ".repeat(level)));
                describe(part, level + 1, out);
            }
        }
    }
}

/// What needs no list: a hole, a name, a number, each perhaps with its type.
fn leaf(expr: &Expr) -> Option<String> {
    Some(match &expr.kind {
        ExprKind::Hole => "anything".to_owned(),
        ExprKind::Name(name) => format!("`{name}`"),
        ExprKind::Number(value) => format!("`{value}`"),
        ExprKind::Missing => "what could not be read".to_owned(),
        ExprKind::Annotated(inner, ty) => format!("{}{}", leaf(inner)?, typed(ty)),
        _ => return None,
    })
}

fn typed(ty: &TypeExpr) -> String {
    match &ty.kind {
        TypeKind::Named("dense") => " that is dense".to_owned(),
        TypeKind::Named(name) => format!(" that is a {name}"),
        TypeKind::Sparse(sign, share) => format!(" of sparsity {sign} {share}"),
        TypeKind::Shape(..) => format!(" of {ty}"),
        TypeKind::Array(..) => format!(" of type `{ty}`"),
        TypeKind::Missing => String::new(),
    }
}

/// How the parts are introduced and joined, the parts, and what follows them.
fn composite(expr: &Expr) -> (String, &'static str, Vec<&Expr>, String) {
    let none = String::new();
    match &expr.kind {
        ExprKind::Binary(sign, left, right) => {
            let read = READ.iter().find(|(known, _)| known == sign);
            let head = read.map_or_else(|| format!("`{sign}` of"), |(_, text)| (*text).to_owned());
            (head, " and ", vec![left, right], none)
        }
        ExprKind::Unary("-", inner) => ("the negative of".to_owned(), " and ", vec![inner], none),
        ExprKind::Unary(sign, inner) => (format!("`{sign}` of"), " and ", vec![inner], none),
        ExprKind::Call(name, args) if &*name.text == "contains" => {
            let head = "anything that is, or has a part that is,".to_owned();
            (head, ", ", args.iter().collect(), none)
        }
        ExprKind::Call(name, args) => {
            let head = format!("`{}` of", name.text);
            (head, " and ", args.iter().collect(), none)
        }
        ExprKind::Either(..) => {
            let mut parts = Vec::new();
            either(expr, &mut parts);
            ("one of".to_owned(), ", or ", parts, none)
        }
        ExprKind::Annotated(inner, ty) => {
            let (head, joint, parts, suffix) = composite(inner);
            (head, joint, parts, format!("{suffix},{}", typed(ty)))
        }
        // Told apart as leaves.
        ExprKind::Hole | ExprKind::Name(_) | ExprKind::Number(_) | ExprKind::Missing => {
            (expr.to_string(), "", Vec::new(), none)
        }
    }
}

fn either<'a>(expr: &'a Expr, acc: &mut Vec<&'a Expr>) {
    match &expr.kind {
        ExprKind::Either(left, right) => {
            either(left, acc);
            either(right, acc);
        }
        _ => acc.push(expr),
    }
}

/// An expression that fits: each hole is a letter that the pattern does not use, and of alternatives the first stands.
#[must_use]
pub(super) fn example(expr: &Expr) -> Expr {
    let mut used: Vec<Arc<str>> = Vec::new();
    expr.walk(&mut |part| {
        if let ExprKind::Name(name) = &part.kind {
            used.push(Arc::clone(name));
        }
    });
    filled(expr, &mut used, false)
}

fn filled(expr: &Expr, used: &mut Vec<Arc<str>>, is_small: bool) -> Expr {
    let kind = match &expr.kind {
        ExprKind::Hole => ExprKind::Name(letter(used, is_small)),
        ExprKind::Annotated(inner, ty) => {
            let is_small = matches!(
                ty.kind,
                TypeKind::Named("scalar" | "vector" | "row" | "column")
            );
            return filled(inner, used, is_small);
        }
        ExprKind::Either(left, _) => return filled(left, used, is_small),
        ExprKind::Call(name, args) if &*name.text == "contains" && args.len() == 1 => {
            return filled(&args[0], used, is_small);
        }
        ExprKind::Call(name, args) => {
            let args = args.iter().map(|arg| filled(arg, used, false));
            ExprKind::Call(name.clone(), args.collect())
        }
        ExprKind::Unary(sign, inner) => ExprKind::Unary(sign, Box::new(filled(inner, used, false))),
        ExprKind::Binary(sign, left, right) => {
            let left = Box::new(filled(left, used, false));
            ExprKind::Binary(sign, left, Box::new(filled(right, used, false)))
        }
        kind => kind.clone(),
    };
    Expr {
        range: expr.range,
        kind,
    }
}

/// The next letter that is not used; holes of numbers and vectors get small ones.
fn letter(used: &mut Vec<Arc<str>>, is_small: bool) -> Arc<str> {
    let first = if is_small { b'a' } else { b'A' };
    let rounds = (0..).map(|n: usize| if n == 0 { String::new() } else { n.to_string() });
    let mut all = rounds.flat_map(|round| {
        (first..first + 26).map(move |letter| format!("{}{round}", char::from(letter)))
    });
    let free = all.find(|name| used.iter().all(|known| **known != **name));
    let name: Arc<str> = free.unwrap_or_default().into();
    used.push(Arc::clone(&name));
    name
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use sumac_sketch::text::parse_expression;

    use super::*;

    fn check(pattern: &str, words: &Expect, shown: &Expect) {
        let expr = parse_expression(pattern).unwrap();
        words.assert_eq(&in_words(&expr));
        shown.assert_eq(&example(&expr).to_string());
    }

    #[test]
    fn small_patterns_are_sentences_and_large_ones_lists() {
        check("?", &expect!["anything"], &expect!["A"]);
        check(
            "X * (? : column)",
            &expect!["the cellwise product of `X` and anything that is a column"],
            &expect!["X * a"],
        );
        check(
            "contains(sum(A^2) - ?) | -(? : scalar) : sparse < 0.1",
            &expect![[r#"
                one of
                - anything that is, or has a part that is,
                  - the difference of
                    - `sum` of
                      - the power of `A` and `2`
                    - anything
                - the negative of anything that is a scalar, of sparsity < 0.1"#]],
            &expect!["sum(A^2) - B"],
        );
    }

    #[test]
    fn holes_get_letters_without_end() {
        let pattern = vec!["?"; 60].join(" + ");
        let expr = parse_expression(&pattern).unwrap();
        let shown = example(&expr).to_string();
        assert!(shown.contains("Z + A1"), "{shown}");
    }
}
