//! Every name that a script writes, with its place, its scope and its part. Looks at the syntax alone: what a
//! broken or never run statement names is here too.

use std::sync::Arc;

use sumac_syntax::ast::{
    Call, Expr, ExprKind, Fact, FactKind, FunctionDef, Ident, Literal, Program, Size, Stmt,
    StmtKind, Target,
};
use sumac_syntax::walk::{Node, walk, walk_expr};
use sumac_text::TextRange;

/// Whether a name is given a value or its value is looked at.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Access {
    /// Declared in the head of a function.
    Declare,
    /// Given a value.
    Write,
    /// Looked at.
    Read,
    /// Spoken of in a `#@` line.
    State,
}

/// What a name is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Role {
    /// A variable, parameter or result.
    Variable(Access),
    /// The name of a function in its definition.
    Function,
    /// The name of a called function.
    Call {
        /// `ns` in `ns::f(…)`.
        namespace: Option<Arc<str>>,
    },
    /// `k` in `f(k = e)`.
    NamedArg {
        /// The namespace of the called function.
        namespace: Option<Arc<str>>,
        /// The called function.
        function: Arc<str>,
    },
    /// `ns` in `source("…") as ns` (a write) and in `ns::f(…)` (a read).
    Namespace(Access),
    /// The text of `source("…")`; the name is the path.
    Source,
    /// `$name`.
    Argument(Access),
    /// A size that `#@` lines name.
    Size(Access),
}

impl Role {
    /// What happens to the name.
    #[must_use]
    pub fn access(&self) -> Access {
        match self {
            Role::Variable(access)
            | Role::Namespace(access)
            | Role::Argument(access)
            | Role::Size(access) => *access,
            Role::Function => Access::Declare,
            Role::Call { .. } | Role::Source => Access::Read,
            // The call gives the parameter its value.
            Role::NamedArg { .. } => Access::Write,
        }
    }
}

/// A name at its place.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Occurrence {
    /// Where; of a text, what is between the quotes.
    pub range: TextRange,
    /// The name.
    pub name: Arc<str>,
    /// Which of the file's functions it stands in, counted in the order of the text.
    pub function: Option<usize>,
    /// What it is.
    pub role: Role,
}

/// Every name of a script in the order of the text.
#[must_use]
pub fn occurrences(program: &Program) -> Vec<Occurrence> {
    let mut collector = Collector::default();
    walk(program, &mut |node| collector.node(node));
    let functions = std::mem::take(&mut collector.functions);
    for fact in &program.facts {
        // A `#@` line inside of a function speaks of its variables.
        let inside = |range: &TextRange| range.contains(fact.range);
        collector.here = functions.iter().rposition(inside);
        collector.fact(fact);
    }
    let mut found = collector.found;
    found.retain(|occurrence| !occurrence.name.is_empty());
    found.sort();
    found
}

/// What stands between the quotes of a text.
#[must_use]
pub fn unquoted(literal: &Literal) -> TextRange {
    let TextRange { start, end } = literal.range;
    let start = (start + 1).min(end);
    TextRange {
        start,
        end: end.saturating_sub(1).max(start),
    }
}

#[derive(Default)]
struct Collector {
    found: Vec<Occurrence>,
    /// The functions met so far.
    functions: Vec<TextRange>,
    /// The function that the walk is in.
    here: Option<usize>,
}

impl Collector {
    fn add(&mut self, ident: &Ident, role: Role) {
        self.found.push(Occurrence {
            range: ident.range,
            name: ident.name.clone(),
            function: self.here,
            role,
        });
    }

    fn node(&mut self, node: Node<'_>) {
        let range = match node {
            Node::Stmt(stmt) => stmt.range,
            Node::Expr(expr) => expr.range,
        };
        if self
            .here
            .is_some_and(|here| !self.functions[here].contains(range))
        {
            self.here = self.functions.iter().rposition(|f| f.contains(range));
        }
        match node {
            Node::Stmt(stmt) => self.stmt(stmt),
            Node::Expr(expr) => self.expr(expr),
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assign { target, .. } => self.target(target),
            StmtKind::MultiAssign { targets, .. } => {
                for target in targets {
                    self.target(target);
                }
            }
            StmtKind::For { var, .. } => self.add(var, Role::Variable(Access::Write)),
            StmtKind::Function(def) => self.definition(def, stmt.range),
            StmtKind::Source { path, alias } => {
                if let Some(path) = path {
                    self.found.push(Occurrence {
                        range: unquoted(path),
                        name: path.value.clone(),
                        function: self.here,
                        role: Role::Source,
                    });
                }
                if let Some(alias) = alias {
                    self.add(alias, Role::Namespace(Access::Write));
                }
            }
            StmtKind::Expr(_)
            | StmtKind::If { .. }
            | StmtKind::While { .. }
            | StmtKind::SetWd { .. }
            | StmtKind::Error => {}
        }
    }

    fn target(&mut self, target: &Target) {
        self.add(&target.name, Role::Variable(Access::Write));
    }

    fn definition(&mut self, def: &FunctionDef, range: TextRange) {
        self.add(&def.name, Role::Function);
        self.functions.push(range);
        self.here = Some(self.functions.len() - 1);
        for param in def.params.iter().chain(&def.results) {
            self.add(&param.name, Role::Variable(Access::Declare));
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Name(ident) => self.add(ident, Role::Variable(Access::Read)),
            ExprKind::Arg(ident) => self.add(ident, Role::Argument(Access::Read)),
            ExprKind::Call(call) => self.call(call),
            _ => {}
        }
    }

    fn call(&mut self, call: &Call) {
        let namespace = call.namespace.as_ref();
        if let Some(ident) = namespace {
            self.add(ident, Role::Namespace(Access::Read));
        }
        let namespace = namespace.map(|ident| ident.name.clone());
        let role = Role::Call {
            namespace: namespace.clone(),
        };
        self.add(&call.name, role);
        for name in call.args.iter().filter_map(|arg| arg.name.as_ref()) {
            let role = Role::NamedArg {
                namespace: namespace.clone(),
                function: call.name.name.clone(),
            };
            self.add(name, role);
        }
    }

    fn fact(&mut self, fact: &Fact) {
        match &fact.kind {
            FactKind::Size {
                name, rows, cols, ..
            } => {
                self.add(name, Role::Variable(Access::State));
                for size in [rows, cols] {
                    if let Size::Name(size) = size {
                        self.add(size, Role::Size(Access::Read));
                    }
                }
            }
            FactKind::Bind { name, .. } => self.add(name, Role::Size(Access::Write)),
            FactKind::Arg { name, .. } => self.add(name, Role::Argument(Access::Write)),
            FactKind::Assert { lhs, rhs } => {
                let here = self.here;
                for side in [lhs, rhs] {
                    walk_expr(side, &mut |node| {
                        let Node::Expr(expr) = node else { return };
                        self.here = here;
                        match &expr.kind {
                            ExprKind::Name(ident) => self.add(ident, Role::Variable(Access::State)),
                            _ => self.expr(expr),
                        }
                    });
                }
            }
            FactKind::Sketch { .. }
            | FactKind::SketchLine
            | FactKind::Off
            | FactKind::Allow { .. }
            | FactKind::Invalid { .. } => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &Expect) {
        let parse = sumac_syntax::parse(text);
        let line = |found: Occurrence| {
            assert!(!text[found.range].is_empty());
            let function = found.function.map_or("main".to_owned(), |f| f.to_string());
            format!("{} in {function}: {:?}\n", &text[found.range], found.role)
        };
        let all: String = occurrences(parse.program()).into_iter().map(line).collect();
        expected.assert_eq(&all);
    }

    #[test]
    fn names_have_their_scope_and_part() {
        check(
            "source(\"lib.dml\") as l\nf = function(Double a) return (Double b) {\n  #@ a: n x 1\n  b = a\n}\n\
             #@ n = 5\n#@ assert x == y\nfor (i in 1:2) x = l::g(k = i) + f($r)\n",
            &expect![[r#"
                lib.dml in main: Source
                l in main: Namespace(Write)
                f in main: Function
                a in 0: Variable(Declare)
                b in 0: Variable(Declare)
                a in 0: Variable(State)
                n in 0: Size(Read)
                b in 0: Variable(Write)
                a in 0: Variable(Read)
                n in main: Size(Write)
                x in main: Variable(State)
                y in main: Variable(State)
                i in main: Variable(Write)
                x in main: Variable(Write)
                l in main: Namespace(Read)
                g in main: Call { namespace: Some("l") }
                k in main: NamedArg { namespace: Some("l"), function: "g" }
                i in main: Variable(Read)
                f in main: Call { namespace: None }
                $r in main: Argument(Read)
            "#]],
        );
    }
}
