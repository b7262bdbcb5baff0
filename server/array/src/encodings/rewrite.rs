//! Grows a graph in one of the encodings until the goal is in it.

use std::time::{Duration, Instant};

use egg::Id;

use super::Encoding;
use super::goals::Goal;
use super::pattern::{Found, Pat, PlainRule, of_tree, places};
use super::plain::{Graph, Names, Plain, Var};
use super::tree::{Constants, Tree, put, put_at_index, put_at_name, shifted, take};

/// Rounds at most.
const ROUNDS: usize = 50;
/// Applications between two looks at the limits.
const STRIDE: usize = 1024;

/// What a search came to.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Outcome {
    /// Whether the goal is in the graph.
    pub found: bool,
    /// How long it took.
    pub time: Duration,
    /// Rounds.
    pub rounds: usize,
    /// Applications of rules that said something new.
    pub applied: usize,
    /// Nodes of the graph.
    pub nodes: usize,
    /// Classes of the graph.
    pub classes: usize,
}

/// Purposes of made-up names beside those of rules.
const CAPTURE: u32 = 0;
const SUBSTITUTE: u32 = 1;
const RULES: u32 = 2;

/// Searches for a goal, with at most so many nodes and so much time.
#[must_use]
pub fn search(goal: &Goal, encoding: Encoding, nodes: usize, time: Duration) -> Outcome {
    let mut constants = Constants::default();
    let mut next: Var = 0;
    let named = (!encoding.de_bruijn).then_some(&mut next);
    let start = constants.tree(&goal.start.0, &goal.start.1, named);
    let named = (!encoding.de_bruijn).then_some(&mut next);
    let end = constants.tree(&goal.end.0, &goal.end.1, named);
    let rules: Vec<PlainRule> = goal
        .rules
        .iter()
        .map(|rule| PlainRule::read(rule, &mut constants))
        .collect();
    let mut graph = Graph::new(Names::new(encoding.de_bruijn, next));
    let root = put(&mut graph, &start);
    graph.rebuild();
    let wanted = Wanted::new(&end, encoding.de_bruijn, &mut graph);
    let begin = Instant::now();
    let over = |graph: &Graph| graph.total_size() > nodes || begin.elapsed() > time;
    let (mut applied, mut rounds) = (0, 0);
    let found = loop {
        if wanted.is_in(&graph, root) {
            break true;
        }
        if rounds == ROUNDS || over(&graph) {
            break false;
        }
        let now = round(&mut graph, &rules, encoding, &over);
        rounds += 1;
        applied += now;
        if now == 0 {
            break wanted.is_in(&graph, root);
        }
    };
    Outcome {
        found,
        time: begin.elapsed(),
        rounds,
        applied,
        nodes: graph.total_number_of_nodes(),
        classes: graph.number_of_classes(),
    }
}

/// What the class of the start must come to hold.
enum Wanted {
    /// A term whose names may be any.
    Pattern(PlainRule),
    /// A term that is the same however it is written.
    Term(Tree),
}

impl Wanted {
    fn new(end: &Tree, de_bruijn: bool, _: &mut Graph) -> Self {
        if de_bruijn {
            return Wanted::Term(end.clone());
        }
        let mut names = 0;
        let left = of_tree(end, &mut Vec::new(), &mut names);
        Wanted::Pattern(PlainRule {
            right: left.clone(),
            left,
            letters: Vec::new(),
            names,
        })
    }

    fn is_in(&self, graph: &Graph, root: Id) -> bool {
        match self {
            Wanted::Pattern(pattern) => {
                !places(graph, pattern, &[graph.find(root)], true).is_empty()
            }
            Wanted::Term(tree) => look_up(graph, tree) == Some(graph.find(root)),
        }
    }
}

fn look_up(graph: &Graph, tree: &Tree) -> Option<Id> {
    let node = match tree {
        Tree::Var(var) => Plain::Var(*var),
        Tree::Const(constant) => Plain::Const(*constant),
        Tree::Lam(name, body) => Plain::Lam(*name, look_up(graph, body)?),
        Tree::App(function, argument) => {
            Plain::App([look_up(graph, function)?, look_up(graph, argument)?])
        }
    };
    graph.lookup(node).map(|id| graph.find(id))
}

/// A place that something is to be done at.
enum Todo<'r> {
    Rule(usize, &'r PlainRule, Found),
    /// A function's parameter and body applied to an argument.
    Beta(Id, Var, Id, Id),
    /// A function that only applies this one.
    Eta(Id, Id),
    /// A small step of a substitution or a shift.
    Step(Id, Plain, Plain),
}

/// All rules once. How often something new came of it.
fn round(
    graph: &mut Graph,
    rules: &[PlainRule],
    encoding: Encoding,
    over: &dyn Fn(&Graph) -> bool,
) -> usize {
    let mut classes: Vec<Id> = graph.classes().map(|class| class.id).collect();
    classes.sort_unstable();
    let mut todo: Vec<Todo<'_>> = Vec::new();
    for (number, rule) in rules.iter().enumerate() {
        let found = places(graph, rule, &classes, false);
        todo.extend(
            found
                .into_iter()
                .map(|found| Todo::Rule(number, rule, found)),
        );
        if over(graph) {
            return 1;
        }
    }
    for class in &classes {
        for node in &graph[*class].nodes {
            calculus(graph, *class, node, &mut todo);
        }
    }
    let mut applied = 0;
    for chunk in todo.chunks(STRIDE) {
        for one in chunk {
            let (class, made) = match one {
                Todo::Rule(number, rule, found) => {
                    let purpose = RULES + u32::try_from(*number * 8).expect("few rules");
                    let made = Maker {
                        rule,
                        found,
                        encoding,
                        purpose,
                    }
                    .make(graph, &rule.right, &mut Vec::new());
                    (found.class, made)
                }
                Todo::Beta(class, name, body, argument) => {
                    (*class, beta(graph, encoding, (*name, *body), *argument))
                }
                Todo::Eta(class, function) => (*class, eta(graph, encoding, *function)),
                Todo::Step(class, at, inner) => (*class, step(graph, *class, at, inner)),
            };
            applied += usize::from(graph.union(class, made));
        }
        if over(graph) {
            break;
        }
    }
    graph.rebuild();
    applied
}

/// Where functions are applied at once, where they only apply another one, and where small steps can go on.
fn calculus(graph: &Graph, class: Id, node: &Plain, todo: &mut Vec<Todo<'_>>) {
    let de_bruijn = graph.analysis.de_bruijn;
    match node {
        Plain::App([function, argument]) => {
            for inner in &graph[*function].nodes {
                if let Plain::Lam(name, body) = inner {
                    todo.push(Todo::Beta(class, *name, *body, *argument));
                }
            }
        }
        Plain::Lam(name, body) => {
            let parameter = if de_bruijn { 0 } else { *name };
            for inner in &graph[*body].nodes {
                let Plain::App([function, argument]) = inner else {
                    continue;
                };
                let is_parameter = graph[*argument].nodes.contains(&Plain::Var(parameter));
                if is_parameter && !graph[*function].data.free.contains(&parameter) {
                    todo.push(Todo::Eta(class, *function));
                }
            }
        }
        Plain::Let(_, [_, inner]) | Plain::Sub(_, [inner, _]) | Plain::Shift(_, _, inner) => {
            for part in &graph[*inner].nodes {
                if !matches!(part, Plain::Let(..) | Plain::Sub(..) | Plain::Shift(..)) {
                    todo.push(Todo::Step(class, node.clone(), part.clone()));
                }
            }
        }
        Plain::Var(_) | Plain::Const(_) => {}
    }
}

fn beta(graph: &mut Graph, encoding: Encoding, (name, body): (Var, Id), argument: Id) -> Id {
    match (encoding.extraction, encoding.de_bruijn) {
        (false, false) => graph.add(Plain::Let(name, [argument, body])),
        (false, true) => graph.add(Plain::Sub(0, [body, argument])),
        (true, de_bruijn) => {
            let (tree, value) = (take(graph, body), take(graph, argument));
            let made = if de_bruijn {
                put_at_index(&tree, &value, 0)
            } else {
                let free = std::rc::Rc::clone(&graph[argument].data.free);
                let names = &mut graph.analysis;
                let mut fresh = |old: Var| names.fresh(SUBSTITUTE, Id::from(old as usize));
                put_at_name(&tree, name, &value, &free, &mut fresh)
            };
            put(graph, &made)
        }
    }
}

fn eta(graph: &mut Graph, encoding: Encoding, function: Id) -> Id {
    match (encoding.de_bruijn, encoding.extraction) {
        (false, _) => function,
        (true, false) => graph.add(Plain::Shift(-1, 1, function)),
        (true, true) => {
            let tree = shifted(&take(graph, function), 0, &|n| n.saturating_sub(1));
            put(graph, &tree)
        }
    }
}

/// One small step of a substitution or a shift, into a node of its body.
fn step(graph: &mut Graph, class: Id, at: &Plain, inner: &Plain) -> Id {
    // The same at a child.
    let below = |graph: &mut Graph, at: &Plain, child: Id| {
        graph.add(match at {
            Plain::Let(name, [value, _]) => Plain::Let(*name, [*value, child]),
            Plain::Sub(index, [_, value]) => Plain::Sub(*index, [child, *value]),
            Plain::Shift(by, from, _) => Plain::Shift(*by, *from, child),
            _ => unreachable!("only substitutions and shifts go on by small steps"),
        })
    };
    match (at, inner) {
        (_, Plain::Const(constant)) => graph.add(Plain::Const(*constant)),
        (_, Plain::App([function, argument])) => {
            let function = below(graph, at, *function);
            let argument = below(graph, at, *argument);
            graph.add(Plain::App([function, argument]))
        }
        (Plain::Let(name, [value, _]), Plain::Var(other)) if name == other => *value,
        (Plain::Let(..), Plain::Var(other)) => graph.add(Plain::Var(*other)),
        (Plain::Let(name, _), Plain::Lam(other, body)) if name == other => {
            graph.add(Plain::Lam(*other, *body))
        }
        (Plain::Let(_, [value, _]), Plain::Lam(other, body)) => {
            let (mut parameter, mut body) = (*other, *body);
            if graph[*value].data.free.contains(other) {
                parameter = graph.analysis.fresh(CAPTURE, class);
                let var = graph.add(Plain::Var(parameter));
                body = graph.add(Plain::Let(*other, [var, body]));
            }
            let body = below(graph, at, body);
            graph.add(Plain::Lam(parameter, body))
        }
        (Plain::Sub(index, [_, value]), Plain::Var(n)) => {
            let index = *index;
            match (*n).cmp(&index) {
                std::cmp::Ordering::Greater => graph.add(Plain::Var(n - 1)),
                std::cmp::Ordering::Less => graph.add(Plain::Var(*n)),
                std::cmp::Ordering::Equal => {
                    let by = i32::try_from(index).expect("nesting is bounded");
                    graph.add(Plain::Shift(by, 0, *value))
                }
            }
        }
        (Plain::Sub(index, [_, value]), Plain::Lam(name, body)) => {
            let body = graph.add(Plain::Sub(index + 1, [*body, *value]));
            graph.add(Plain::Lam(*name, body))
        }
        (Plain::Shift(by, from, _), Plain::Var(n)) => {
            let moved = if n >= from {
                n.saturating_add_signed(*by)
            } else {
                *n
            };
            graph.add(Plain::Var(moved))
        }
        (Plain::Shift(by, from, _), Plain::Lam(name, body)) => {
            let body = graph.add(Plain::Shift(*by, from + 1, *body));
            graph.add(Plain::Lam(*name, body))
        }
        _ => unreachable!("only substitutions and shifts go on by small steps"),
    }
}

struct Maker<'a> {
    rule: &'a PlainRule,
    found: &'a Found,
    encoding: Encoding,
    purpose: u32,
}

impl Maker<'_> {
    fn make(&self, graph: &mut Graph, pat: &Pat, scope: &mut Vec<usize>) -> Id {
        match pat {
            Pat::Letter(letter) => self.letter(graph, *letter, scope),
            Pat::Const(constant) => graph.add(Plain::Const(*constant)),
            Pat::Bound(name) => {
                let var = if self.encoding.de_bruijn {
                    let place = scope.iter().rev().position(|known| known == name);
                    u32::try_from(place.unwrap_or(0)).expect("nesting is bounded")
                } else {
                    self.name(graph, *name)
                };
                graph.add(Plain::Var(var))
            }
            Pat::Lam(name, body) => {
                scope.push(*name);
                let body = self.make(graph, body, scope);
                scope.pop();
                let var = if self.encoding.de_bruijn {
                    0
                } else {
                    self.name(graph, *name)
                };
                graph.add(Plain::Lam(var, body))
            }
            Pat::App(function, argument) => {
                let function = self.make(graph, function, scope);
                let argument = self.make(graph, argument, scope);
                graph.add(Plain::App([function, argument]))
            }
        }
    }

    /// A parameter of the right side: that of the left side, or one made up for this place.
    fn name(&self, graph: &mut Graph, name: usize) -> Var {
        match self.found.names[name] {
            Some(known) => known,
            None => {
                let purpose = self.purpose + u32::try_from(name).expect("few names");
                graph.analysis.fresh(purpose, self.found.class)
            }
        }
    }

    fn letter(&self, graph: &mut Graph, letter: usize, scope: &[usize]) -> Id {
        let class = self.found.letters[letter].expect("a letter of the left side");
        if !self.encoding.de_bruijn {
            return class;
        }
        let around = &self.rule.letters[letter].0;
        let to = |old: u32| -> u32 {
            match around.get(old as usize) {
                Some(name) => {
                    let place = scope.iter().rev().position(|known| known == name);
                    u32::try_from(place.unwrap_or(0)).expect("nesting is bounded")
                }
                None => {
                    old + u32::try_from(scope.len()).expect("nesting is bounded")
                        - u32::try_from(around.len()).expect("nesting is bounded")
                }
            }
        };
        if around.len() == scope.len() && around.iter().eq(scope.iter().rev()) {
            return class;
        }
        if self.encoding.extraction {
            let tree = shifted(&take(graph, class), 0, &to);
            return put(graph, &tree);
        }
        let by = i32::try_from(scope.len()).expect("nesting is bounded")
            - i32::try_from(around.len()).expect("nesting is bounded");
        let from = u32::try_from(around.len()).expect("nesting is bounded");
        graph.add(Plain::Shift(by, from, class))
    }
}
