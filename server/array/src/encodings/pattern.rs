//! Rules with names, as patterns that match in all encodings.

use std::sync::Arc;

use egg::Id;

use super::plain::{Graph, Plain, Var};
use super::tree::{Constants, Tree};
use crate::prim::Prim;
use crate::text::ast::{Expr, ExprKind, RuleText, SizeKind};

/// A part of a pattern.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Pat {
    /// Any term.
    Letter(usize),
    /// The parameter of a function of the pattern, by the number of its name.
    Bound(usize),
    Lam(usize, Box<Pat>),
    App(Box<Pat>, Box<Pat>),
    Const(u32),
}

/// A rule over terms without types.
#[derive(Clone, Debug)]
pub(super) struct PlainRule {
    pub(super) left: Pat,
    pub(super) right: Pat,
    /// For each letter: the parameters around it on the left side, the nearest first, and those that it may not mention.
    pub(super) letters: Vec<(Vec<usize>, Vec<usize>)>,
    /// How many names of parameters there are.
    pub(super) names: usize,
}

/// What letters and names stand for in one place.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) class: Id,
    pub(super) letters: Vec<Option<Id>>,
    /// The name of each parameter, or, by index, how many functions are around its own.
    pub(super) names: Vec<Option<Var>>,
}

struct Reader<'a> {
    constants: &'a mut Constants,
    letters: Vec<Arc<str>>,
    names: Vec<Arc<str>>,
    scope: Vec<usize>,
}

impl Reader<'_> {
    /// Annotations of types say nothing here. Sizes of primitives must be numbers or letters, which are constants.
    fn read(&mut self, expr: &Expr) -> Pat {
        match &expr.kind {
            ExprKind::Typed(inner, _) => self.read(inner),
            ExprKind::Number(value, _) => Pat::Const(self.constants.number(value.to_string())),
            ExprKind::Apply(function, argument) => {
                let function = self.read(function);
                Pat::App(Box::new(function), Box::new(self.read(argument)))
            }
            ExprKind::Fun(name, _, body) => {
                let known = self.names.iter().position(|known| *known == name.text);
                let number = known.unwrap_or_else(|| {
                    self.names.push(Arc::clone(&name.text));
                    self.names.len() - 1
                });
                self.scope.push(number);
                let body = self.read(body);
                self.scope.pop();
                Pat::Lam(number, Box::new(body))
            }
            ExprKind::Name(name, sizes) => {
                let bound = self.scope.iter().rev().find(|n| self.names[**n] == *name);
                if let Some(number) = bound {
                    return Pat::Bound(*number);
                }
                if let Some(prim) = Prim::named(name) {
                    let sizes: Vec<String> = sizes
                        .iter()
                        .map(|size| match &size.kind {
                            SizeKind::Number(n) => n.to_string(),
                            // The three windows of a filter: terms without types know no other sizes.
                            SizeKind::Name(name) if &**name == "w" => "3".to_owned(),
                            _ => "1".to_owned(),
                        })
                        .collect();
                    let name = format!("{}[{}]", prim.row().name, sizes.join(", "));
                    return Pat::Const(self.constants.number(name));
                }
                let known = self.letters.iter().position(|known| known == name);
                Pat::Letter(known.unwrap_or_else(|| {
                    self.letters.push(Arc::clone(name));
                    self.letters.len() - 1
                }))
            }
        }
    }
}

impl PlainRule {
    /// A rule without its types.
    pub(super) fn read(text: &RuleText, constants: &mut Constants) -> Self {
        let mut reader = Reader {
            constants,
            letters: Vec::new(),
            names: Vec::new(),
            scope: Vec::new(),
        };
        let left = reader.read(&text.left);
        let right = reader.read(&text.right);
        let mut around = vec![Vec::new(); reader.letters.len()];
        scopes(&left, &mut Vec::new(), &mut |letter, scope| {
            around[letter] = scope.iter().rev().copied().collect();
        });
        let mut forbidden = vec![Vec::new(); reader.letters.len()];
        scopes(&right, &mut Vec::new(), &mut |letter, scope| {
            let gone = around[letter].iter().filter(|name| !scope.contains(name));
            forbidden[letter].extend(gone.copied());
        });
        PlainRule {
            left,
            right,
            letters: around.into_iter().zip(forbidden).collect(),
            names: reader.names.len(),
        }
    }
}

fn scopes(pat: &Pat, scope: &mut Vec<usize>, visit: &mut dyn FnMut(usize, &[usize])) {
    match pat {
        Pat::Letter(letter) => visit(*letter, scope),
        Pat::Lam(name, body) => {
            scope.push(*name);
            scopes(body, scope, visit);
            scope.pop();
        }
        Pat::App(function, argument) => {
            scopes(function, scope, visit);
            scopes(argument, scope, visit);
        }
        Pat::Bound(_) | Pat::Const(_) => {}
    }
}

/// A term as a pattern: its parameters by whatever name.
pub(super) fn of_tree(tree: &Tree, scope: &mut Vec<Var>, names: &mut usize) -> Pat {
    match tree {
        // The number of a name follows from where its function stands.
        Tree::Var(name) => {
            let place = scope.iter().rposition(|known| known == name);
            Pat::Bound(place.unwrap_or(usize::MAX))
        }
        Tree::Const(constant) => Pat::Const(*constant),
        Tree::Lam(name, body) => {
            scope.push(*name);
            *names = (*names).max(scope.len());
            let number = scope.len() - 1;
            let body = of_tree(body, scope, names);
            scope.pop();
            Pat::Lam(number, Box::new(body))
        }
        Tree::App(function, argument) => {
            let function = of_tree(function, scope, names);
            Pat::App(
                Box::new(function),
                Box::new(of_tree(argument, scope, names)),
            )
        }
    }
}

/// All places of a pattern in these classes, or one place where `first` says that one is enough.
pub(super) fn places(graph: &Graph, rule: &PlainRule, classes: &[Id], first: bool) -> Vec<Found> {
    let mut found = Vec::new();
    for class in classes {
        let start = Found {
            class: *class,
            letters: vec![None; rule.letters.len()],
            names: vec![None; rule.names],
        };
        let mut matcher = Matcher {
            graph,
            rule,
            now: start,
        };
        matcher.part(&rule.left, graph.find(*class), 0, &mut |now| {
            found.push(now.clone());
            !first
        });
        if first && !found.is_empty() {
            break;
        }
    }
    found
}

struct Matcher<'a> {
    graph: &'a Graph,
    rule: &'a PlainRule,
    now: Found,
}

impl Matcher<'_> {
    /// `go` is called in each place and says whether to look for more; so does the result.
    fn part(
        &mut self,
        pat: &Pat,
        class: Id,
        depth: Var,
        go: &mut dyn FnMut(&Found) -> bool,
    ) -> bool {
        // Continuations need the matcher itself, so parts are kept in a list.
        self.all(&mut vec![(pat, class, depth)], go)
    }

    fn all<'p>(
        &mut self,
        open: &mut Vec<(&'p Pat, Id, Var)>,
        go: &mut dyn FnMut(&Found) -> bool,
    ) -> bool {
        let Some((pat, class, depth)) = open.pop() else {
            return go(&self.now);
        };
        let graph = self.graph;
        let de_bruijn = graph.analysis.de_bruijn;
        let mut more = true;
        match pat {
            Pat::Letter(letter) => {
                let before = self.now.letters[*letter];
                if before.is_none_or(|known| known == class) && self.allowed(*letter, class, depth)
                {
                    self.now.letters[*letter] = Some(class);
                    more = self.all(open, go);
                    self.now.letters[*letter] = before;
                }
            }
            _ => {
                for node in &graph[class].nodes {
                    if !more {
                        break;
                    }
                    match (pat, node) {
                        (Pat::Const(a), Plain::Const(b)) if a == b => more = self.all(open, go),
                        (Pat::Bound(name), Plain::Var(var)) => {
                            let meant = self.now.names.get(*name).copied().flatten();
                            let fits = match meant {
                                Some(around) if de_bruijn => depth - around - 1 == *var,
                                Some(known) => known == *var,
                                None => false,
                            };
                            if fits {
                                more = self.all(open, go);
                            }
                        }
                        (Pat::App(f, x), Plain::App([function, argument])) => {
                            let len = open.len();
                            let saved = open.clone();
                            open.push((x, graph.find(*argument), depth));
                            open.push((f, graph.find(*function), depth));
                            more = self.all(open, go);
                            *open = saved;
                            debug_assert_eq!(open.len(), len);
                        }
                        (Pat::Lam(name, inner), Plain::Lam(given, body)) => {
                            let before = self.now.names[*name];
                            self.now.names[*name] = Some(if de_bruijn { depth } else { *given });
                            let saved = open.clone();
                            open.push((inner, graph.find(*body), depth + 1));
                            more = self.all(open, go);
                            *open = saved;
                            self.now.names[*name] = before;
                        }
                        _ => {}
                    }
                }
            }
        }
        open.push((pat, class, depth));
        more
    }

    fn allowed(&self, letter: usize, class: Id, depth: Var) -> bool {
        let free = &self.graph[class].data.free;
        self.rule.letters[letter]
            .1
            .iter()
            .all(|name| match self.now.names[*name] {
                Some(around) if self.graph.analysis.de_bruijn => {
                    !free.contains(&(depth - around - 1))
                }
                Some(name) => !free.contains(&name),
                None => true,
            })
    }
}
