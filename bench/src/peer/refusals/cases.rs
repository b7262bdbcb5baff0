//! Small scripts that are right but for one thing, or right altogether: kinds, shapes, positions, arguments, results and loops, each
//! in every combination of a few values. Nothing here says which is which.

use sumac_builtins::{Builtin, Kind, Presence, Source};

/// A script and what was varied in it.
pub(super) struct Case {
    /// What is varied, such as `operators and kinds`.
    pub(super) family: &'static str,
    pub(super) text: String,
}

/// A variable of each kind.
const HEAD: &str = "M = matrix(\"4 1 2 1 5 3 2 3 6\", 3, 3)\nd = 2.5\ni = 2\nb = TRUE\ns = \"a\"\nF = as.frame(matrix(1, 3, 3))\nL = list(1, 2)\n";
const VALUES: [&str; 7] = ["M", "d", "i", "b", "s", "F", "L"];
/// The same, as functions declare and give them.
const TYPES: [(&str, &str); 7] = [
    ("matrix[double]", "matrix(1, 2, 2)"),
    ("double", "2.5"),
    ("integer", "2"),
    ("boolean", "TRUE"),
    ("string", "\"a\""),
    ("frame[unknown]", "as.frame(matrix(1, 2, 2))"),
    ("list[unknown]", "list(1)"),
];
const SIGNS: [&str; 15] = [
    "+", "-", "*", "/", "^", "%%", "%/%", "%*%", "<", ">=", "==", "!=", "&", "|", "<=",
];
const SHAPES: [(usize, usize); 7] = [(1, 1), (3, 1), (1, 3), (3, 3), (3, 2), (1, 2), (2, 3)];
/// Builtins that end a run, or look at files.
const LEFT_OUT: [&str; 12] = [
    "stop", "print", "write", "read", "assert", "eval", "evalList", "source", "ifdef", "save",
    "time", "sql",
];

/// All scripts, always the same.
pub(super) fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    operators_and_kinds(&mut cases);
    operators_and_shapes(&mut cases);
    builtins_and_kinds(&mut cases);
    places_and_kinds(&mut cases);
    functions_and_kinds(&mut cases);
    changes_of_kind(&mut cases);
    positions(&mut cases);
    forms_of_calls(&mut cases);
    parallel_loops(&mut cases);
    constants(&mut cases);
    cases
}

fn add(cases: &mut Vec<Case>, family: &'static str, text: impl AsRef<str>) {
    cases.push(Case {
        family,
        text: format!("{HEAD}{}\n", text.as_ref()),
    });
}

fn operators_and_kinds(cases: &mut Vec<Case>) {
    const FAMILY: &str = "operators and kinds";
    for a in VALUES {
        for b in VALUES {
            for sign in SIGNS {
                add(cases, FAMILY, format!("r = {a} {sign} {b}"));
            }
            for name in ["min", "max", "xor", "log", "cbind", "rbind", "bitwAnd"] {
                add(cases, FAMILY, format!("r = {name}({a}, {b})"));
            }
            add(cases, FAMILY, format!("r = ifelse(b, {a}, {b})"));
            add(cases, FAMILY, format!("if (i > 1) {{ r = {a} + {b} }}"));
        }
        for sign in ["-", "+", "!"] {
            add(cases, FAMILY, format!("r = {sign}{a}"));
        }
    }
}

/// A matrix of a shape in five surroundings.
fn operators_and_shapes(cases: &mut Vec<Case>) {
    const FAMILY: &str = "operators and shapes";
    let matrix =
        |(rows, cols): (usize, usize)| format!("matrix(seq(1, {}), {rows}, {cols})", rows * cols);
    for a in SHAPES {
        for b in SHAPES {
            let (x, y) = (matrix(a), matrix(b));
            let forms = SIGNS.iter().map(|sign| format!("A {sign} B"));
            let calls = ["min", "max", "xor", "cbind", "rbind", "cov"];
            let calls = calls.iter().map(|name| format!("{name}(A, B)"));
            let choices = ["ifelse(A > 1, B, 0)", "ifelse(A > 1, 0, B)", "solve(A, B)"];
            for e in forms.chain(calls).chain(choices.map(str::to_owned)) {
                let head = format!("A = {x}\nB = {y}\n");
                add(cases, FAMILY, format!("{head}C = {e}"));
                add(cases, FAMILY, format!("{head}for (k in 1:2) {{ C = {e} }}"));
                add(
                    cases,
                    FAMILY,
                    format!("{head}if (sum(A) > 3) {{ C = {e} }}"),
                );
                let function = |body: &str| {
                    format!(
                        "f = function(matrix[double] A, matrix[double] B) return (matrix[double] C) {{ {body} }}\nC = f({x}, {y})"
                    )
                };
                if !e.starts_with("cov") {
                    add(cases, FAMILY, function(&format!("C = {e}")));
                    add(
                        cases,
                        FAMILY,
                        function(&format!("for (k in 1:2) {{ C = {e} }}")),
                    );
                }
            }
        }
    }
}

fn usual(kind: Kind) -> &'static str {
    match kind {
        Kind::Frame => "F",
        Kind::List => "L",
        Kind::String => "s",
        Kind::Int | Kind::Scalar => "i",
        Kind::Double => "d",
        Kind::Bool => "b",
        _ => "M",
    }
}

fn builtins_and_kinds(cases: &mut Vec<Case>) {
    const FAMILY: &str = "builtins and kinds";
    let native = |row: &&Builtin| row.source == Source::Native && !LEFT_OUT.contains(&row.name);
    for row in sumac_builtins::all().iter().filter(native) {
        let names: Vec<String> = (0..row.results.len()).map(|at| format!("r{at}")).collect();
        let target = match names.as_slice() {
            [] => String::new(),
            [one] => format!("{one} = "),
            many => format!("[{}] = ", many.join(", ")),
        };
        for (at, _) in row.params.iter().enumerate() {
            for value in VALUES {
                let positional: Vec<&str> = row.params[..at]
                    .iter()
                    .map(|before| usual(before.kind))
                    .chain([value])
                    .chain(
                        row.params[at + 1..]
                            .iter()
                            .take_while(|after| after.default == Presence::Required)
                            .map(|after| usual(after.kind)),
                    )
                    .collect();
                let call = format!("{target}{}({})", row.name, positional.join(", "));
                add(cases, FAMILY, call);
                if row.named {
                    let needed = row.params.iter().enumerate().filter(|(place, other)| {
                        *place == at || other.default == Presence::Required
                    });
                    let named: Vec<String> = needed
                        .map(|(place, other)| {
                            let value = if place == at {
                                value
                            } else {
                                usual(other.kind)
                            };
                            format!("{} = {value}", other.name)
                        })
                        .collect();
                    let call = format!("{target}{}({})", row.name, named.join(", "));
                    add(cases, FAMILY, call);
                }
            }
        }
    }
}

fn places_and_kinds(cases: &mut Vec<Case>) {
    const FAMILY: &str = "places and kinds";
    const PLACES: [&str; 28] = [
        "if (@) { r = 1 }",
        "k = 1\nwhile (@) { k = k + 1\n if (k > 3) stop(\"x\") }",
        "for (k in @:3) { r = 1 }",
        "for (k in 1:@) { r = 1 }",
        "for (k in seq(1, 4, @)) { r = 1 }",
        "parfor (k in 1:@) { r = 1 }",
        "r = M[@, 1]",
        "r = M[1, @]",
        "r = M[1:@, 1]",
        "r = M[@]",
        "r = L[@]",
        "r = @[1, 1]",
        "r = @[1]",
        "M[1, 1] = @",
        "M[1:2, 1] = @",
        "M[@, 1] = 5",
        "F[1, 1] = @",
        "L[1] = @",
        "print(@)",
        "print(toString(@))",
        "r = matrix(@, 1, 1)",
        "r = matrix(0, @, 1)",
        "r = rand(rows=@, cols=2)",
        "r = rand(rows=2, cols=@)",
        "r = rand(rows=2, cols=2, min=@)",
        "r = rand(rows=2, cols=2, sparsity=@)",
        "r = as.scalar(@[1, 1])",
        "r = seq(1, @)",
    ];
    for place in PLACES {
        for value in VALUES {
            add(cases, FAMILY, place.replace('@', value));
        }
    }
}

fn functions_and_kinds(cases: &mut Vec<Case>) {
    const FAMILY: &str = "functions and kinds";
    for (declared, _) in TYPES {
        for (_, value) in TYPES {
            let plain = format!("f = function() return ({declared} r) {{ r = {value} }}\nx = f()");
            add(cases, FAMILY, plain);
            let looped = format!(
                "f = function() return ({declared} r) {{ for (k in 1:2) {{ q = k }}\n r = {value} }}\nx = f()"
            );
            add(cases, FAMILY, looped);
            for body in [
                "r = 1",
                "r = 1\n for (k in 1:2) { r = r + 1 }",
                "q = p\n r = 1",
            ] {
                let call = format!(
                    "f = function({declared} p) return (double r) {{ {body} }}\nx = f({value})"
                );
                add(cases, FAMILY, call);
            }
        }
    }
    for inner in ["double", "integer", "boolean", "string", "unknown"] {
        let text = format!("f = function(matrix[{inner}] A) return (double r) {{ r = 1 }}");
        add(cases, FAMILY, text);
    }
}

fn changes_of_kind(cases: &mut Vec<Case>) {
    const FAMILY: &str = "changes of kind";
    const FORMS: [&str; 8] = [
        "z = @\nif (i > 1) { z = % }",
        "if (i > 1) { z = % } else { z = @ }",
        "z = @\nif (i > 1) { y = 1 } else { z = % }",
        "z = @\nfor (q in 1:2) { z = % }",
        "z = @\nk = 1\nwhile (k < 4) { z = %\n k = k + 1 }",
        "z = @\nfor (q in 1:2) { if (q > 1) { z = % } }",
        "z = @\nz = %",
        "f = function(integer n) return (double r) { r = 1\n z = @\n if (n > 1) { z = % } }\nM = matrix(1, 2, 2)",
    ];
    for form in FORMS {
        for a in VALUES {
            for b in VALUES {
                let is_function = form.starts_with('f');
                if is_function && (a != "M" && a != "i" || b != "M" && b != "i") {
                    continue;
                }
                let as_value = |name: &'static str| match (is_function, name) {
                    (true, "M") => "matrix(1, 2, 2)",
                    (true, _) => "n",
                    (false, name) => name,
                };
                let text = form.replace('@', as_value(a)).replace('%', as_value(b));
                add(cases, FAMILY, text);
            }
        }
    }
}

fn positions(cases: &mut Vec<Case>) {
    const FAMILY: &str = "positions";
    const ENDS: [&str; 15] = [
        "0", "1", "3", "4", "-1", "1:3", "2:4", "3:2", "0:2", "1:0", "i", "i:4", "2:i", "", "1:",
    ];
    for at in ENDS {
        for form in [
            "r = M[@, 1]",
            "r = M[1, @]",
            "r = M[@]",
            "r = F[@, 1]",
            "r = F[1, @]",
            "M[@, 1] = 5",
            "M[@, 1:2] = matrix(1, 1, 2)",
            "M[@, 1] = matrix(1, 3, 1)",
            "M[1, @] = matrix(1, 1, 2)",
            "M[@] = matrix(1, 1, 3)",
            "F[@, 1] = as.frame(matrix(1, 1, 1))",
            "M[@, ] = matrix(0, 2, 3)",
            "if (i > 1) { M[@, 1] = 5 }",
            "for (k in 1:2) { r = M[@, k] }",
            "k = 4\nr = M[@, k]",
        ] {
            add(cases, FAMILY, form.replace('@', at));
        }
    }
    for rows in 1..=3 {
        for cols in 1..=3 {
            for target in ["1:2, 1:2", "1, ", ", 2", "2:3, ", "1, 1", "1:3, 1:3"] {
                let text = format!("M[{target}] = matrix(1, {rows}, {cols})");
                add(cases, FAMILY, text);
            }
        }
    }
}

fn forms_of_calls(cases: &mut Vec<Case>) {
    const FAMILY: &str = "forms of calls";
    const BODIES: [&str; 3] = [
        "r = sum(A) * k * z",
        "r = 0\n for (q in 1:2) { r = r + sum(A) * k * z }",
        "r = sum(A) * k * z\n if (r > 3) { r = 2 }",
    ];
    const CALLS: [&str; 16] = [
        "f(M)",
        "f(M, 2)",
        "f(M, 2, 3)",
        "f(M, 2, 3, 4)",
        "f()",
        "f(A=M)",
        "f(A=M, k=2)",
        "f(A=M, z=2)",
        "f(A=M, k=2, z=3)",
        "f(k=2, z=3)",
        "f(M, k=2)",
        "f(M, z=2)",
        "f(A=M, 2)",
        "f(A=M, 2, 3)",
        "f(z=1, A=M, k=2)",
        "f(A=M, w=2)",
    ];
    for body in BODIES {
        for call in CALLS {
            let head = format!(
                "f = function(matrix[double] A, double k = 2, double z = 1) return (double r) {{ {body} }}\n"
            );
            add(cases, FAMILY, format!("{head}x = {call}"));
            add(cases, FAMILY, format!("{head}x = 1 + {call}"));
            add(cases, FAMILY, format!("{head}if (i > 1) {{ x = {call} }}"));
        }
    }
}

fn parallel_loops(cases: &mut Vec<Case>) {
    const FAMILY: &str = "parallel loops";
    const BODIES: [&str; 34] = [
        "r = r + k",
        "r = k",
        "q = k",
        "R[k, 1] = k",
        "R[1, k] = k",
        "R[k, k] = k",
        "R[1, 1] = k",
        "R[k, ] = matrix(k, 1, 6)",
        "R[, k] = matrix(k, 6, 1)",
        "R[k + 1, 1] = k",
        "R[2 * k, 1] = k",
        "R[2 * k - 1, 1] = k",
        "R[k * k, 1] = k",
        "R[i, 1] = k",
        "R[i, k] = k",
        "R = R + k",
        "R += M6 * k",
        "R[k, 1] = R[k, 1] + 1",
        "R[k, 1] = R[k, 2] + 1",
        "R[k + 1, 1] = R[k, 1]",
        "R[k, 1] = R[k + 1, 1]",
        "R[k, 1] = sum(R)",
        "R[k, 1] = nrow(R)",
        "R[k, 1] = M6[1, k]",
        "for (j in 1:3) { R[k, j] = j }",
        "for (j in 1:3) { R[j, 1] = k }",
        "for (j in 1:2) { R[k, 1] = j }",
        "if (k > 1) { R[k, 1] = k }",
        "parfor (j in 1:3) { R[k, j] = j }",
        "parfor (j in 1:3) { R[1, j] = j }",
        "R[k, 1] = k\n R[k, 2] = k",
        "R[k, 1] = k\n R[k + 1, 1] = k",
        "R[k:k, 1] = matrix(k, 1, 1)",
        "R[1:2, k] = matrix(k, 2, 1)",
    ];
    for body in BODIES {
        for head in [
            "k in 1:3",
            "k in 1:i",
            "k in 1:3, check=0",
            "k in seq(1, 5, 2)",
        ] {
            let text = format!(
                "R = matrix(0, 6, 6)\nM6 = matrix(1, 6, 6)\nr = 1\nparfor ({head}) {{ {body} }}\nprint(sum(R))"
            );
            add(cases, FAMILY, text);
        }
    }
}

fn constants(cases: &mut Vec<Case>) {
    const FAMILY: &str = "constants";
    for name in ["NaN", "Inf", "pi", "PI", "nan", "inf", "TRUEs"] {
        add(cases, FAMILY, format!("{name} = 1\nprint({name})"));
        add(cases, FAMILY, format!("if (i > 1) {{ {name} = 1 }}"));
        add(cases, FAMILY, format!("[{name}, y] = eigen(M)"));
    }
}
