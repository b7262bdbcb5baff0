//! A nest as C that people can read: GNU C with vector types and OpenMP, one function, no allocation inside of loops.
//!
//! Local buffers that are only touched in whole vectors at known places become variables, for compilers keep such arrays in
//! memory and variables in registers. So do vectors that an innermost loop reads again and again.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::beside::side_by_side;
use super::given;
use super::hoist::{Rows, hoisted};
use super::narrow::narrowed;
use super::together::together;
use super::unroll::{short, unrolled};
use super::{Buffer, BufferId, Counter, Ex, How, Index, Nest, Role, Stmt};
use crate::prim::Prim;
use crate::types::Scalar;

/// Bytes of a vector at most.
const WIDEST: i64 = 64;
/// Vectors that a loop over neighbours is at most: longer ones are loops to compilers too.
const MOST_BESIDE: i64 = 8;
/// Vectors of a buffer that become variables at most.
const MOST_VARIABLES: i64 = 32;
/// Vectors that are read before a loop at most: the others of 32 registers are for sums.
const MOST_FIXED: usize = 16;
/// Runs of a loop over variables that is written out at most.
const SHORT: i64 = 8;
/// Numbers of a local buffer that stands on the stack at most.
const MOST_ON_STACK: i64 = 1 << 16;

/// The C text of a nest: `void NAME(const T *restrict A, …, T *restrict out)`.
#[must_use]
pub fn text(nest: &Nest) -> String {
    let lanes = WIDEST / nest.scalar.bytes();
    let narrow = narrowed(&side_by_side(&nest.body, MOST_BESIDE * lanes), lanes);
    let is_small = |buffer: BufferId| {
        let known = &nest.buffers[buffer];
        known.role == Role::Local && known.len <= MOST_VARIABLES * lanes
    };
    let mut written = Nest {
        body: unrolled(&narrow, &is_small),
        ..nest.clone()
    };
    // Where that makes no variables, loops stay as they are.
    if variables(&written).len()
        == variables(&Nest {
            body: narrow.clone(),
            ..nest.clone()
        })
        .len()
    {
        written.body = narrow;
    }
    let known = variables(&written);
    written.body = short(&written.body, SHORT, &|buffer| known.contains_key(&buffer));
    written.body = together(&written.body, nest.scalar.bytes(), MOST_FIXED);
    let hoisted = hoisted(&written, MOST_FIXED);
    let nest = &hoisted.nest;
    let mut writer = Writer {
        nest,
        ahead: hoisted.ahead,
        rows: hoisted.rows,
        ty: match nest.scalar {
            Scalar::F32 => "float",
            Scalar::F64 => "double",
        },
        variables: variables(nest),
        text: String::new(),
    };
    writer.write();
    writer.text
}

/// The buffers that become variables, and the width of each.
fn variables(nest: &Nest) -> HashMap<BufferId, i64> {
    let mut widths: HashMap<BufferId, Option<i64>> = HashMap::new();
    each_touch(&nest.body, &mut |buffer, at, width| {
        let is_fixed = at.terms().is_empty() && at.offset() % width == 0;
        let known = widths.entry(buffer).or_insert(Some(width));
        if !is_fixed || *known != Some(width) {
            *known = None;
        }
    });
    let mut found = HashMap::new();
    for (buffer, width) in widths {
        let known = &nest.buffers[buffer];
        if let Some(width) = width
            && known.role == Role::Local
            && known.len <= MOST_VARIABLES * width
        {
            found.insert(buffer, width);
        }
    }
    found
}

fn each_touch(block: &[Stmt], visit: &mut dyn FnMut(BufferId, &Index, i64)) {
    for stmt in block {
        match stmt {
            Stmt::Declare(_) => {}
            Stmt::Loop(_, _, body) => each_touch(body, visit),
            Stmt::Store(buffer, at, width, value) => {
                visit(*buffer, at, *width);
                value.loads(visit);
            }
        }
    }
}

fn counter(counter: Counter) -> String {
    format!("i{}", counter.number)
}

struct Writer<'a> {
    nest: &'a Nest,
    ty: &'static str,
    variables: HashMap<BufferId, i64>,
    /// What they hold so many runs of the loop around them later is asked for as soon as they are read.
    ahead: Vec<(BufferId, i64)>,
    /// Rows of which the next line is asked for in the loop behind the declaration of a buffer.
    rows: Vec<Rows>,
    text: String,
}

impl Writer<'_> {
    fn line(&mut self, indent: usize, text: &str) {
        let _ = writeln!(self.text, "{}{text}", "  ".repeat(indent));
    }

    fn write(&mut self) {
        let ty = self.ty;
        if !self.ahead.is_empty() || !self.rows.is_empty() {
            self.line(0, "#include <stdint.h>");
        }
        self.line(0, "#include <stdlib.h>");
        self.line(0, "");
        let mut widths: Vec<i64> = Vec::new();
        collect_widths(&self.nest.body, &mut widths);
        let bytes = self.nest.scalar.bytes();
        for width in widths {
            let size = width * bytes;
            let attributes = format!("vector_size({size}), aligned({bytes}), may_alias");
            self.line(
                0,
                &format!("typedef {ty} v{width} __attribute__(({attributes}));"),
            );
            for (prim, sign) in [(Prim::Min, "<"), (Prim::Max, ">")] {
                if uses(&self.nest.body, prim, width) {
                    let name = prim.row().name;
                    self.line(
                        0,
                        &format!("static inline v{width} {name}{width}(v{width} a, v{width} b) {{"),
                    );
                    self.line(1, &format!("for (int n = 0; n < {width}; n++) a[n] = a[n] {sign} b[n] ? a[n] : b[n];"));
                    self.line(1, "return a;");
                    self.line(0, "}");
                }
            }
        }
        let buffers = &self.nest.buffers;
        let inputs = buffers.iter().take(self.nest.inputs);
        let mut parameters: Vec<String> = inputs
            .map(|buffer| format!("const {ty} *restrict {}", buffer.name))
            .collect();
        let output = &buffers[self.nest.inputs];
        parameters.push(format!("{ty} *restrict {}", output.name));
        self.line(0, "");
        self.line(
            0,
            &format!("void {}({}) {{", self.nest.name, parameters.join(", ")),
        );
        let stored: Vec<&Buffer> = buffers.iter().filter(|b| b.role == Role::Stored).collect();
        for buffer in &stored {
            let size = (buffer.len * bytes + 63) / 64 * 64;
            self.line(
                1,
                &format!(
                    "{ty} *restrict {} = aligned_alloc(64, {size});",
                    buffer.name
                ),
            );
            self.line(1, &format!("if (!{}) abort();", buffer.name));
        }
        let nest = self.nest;
        self.block(&nest.body, None, 1);
        for buffer in &stored {
            self.line(1, &format!("free({});", buffer.name));
        }
        self.line(0, "}");
    }

    /// Asks for what stands so many bytes from a place. Behind the last run nothing is there. Asking for it does nothing, but C may
    /// only count on from an address to such a place in whole numbers.
    fn asked(&self, buffer: BufferId, at: &Index, way: i64) -> String {
        let place = self.place(buffer, at, 1);
        let sign = if way < 0 { '-' } else { '+' };
        let ahead = format!("(uintptr_t)&{place} {sign} {}", way.abs());
        format!("__builtin_prefetch((const void *)({ahead}));")
    }

    fn block(&mut self, block: &[Stmt], around: Option<Counter>, indent: usize) {
        let mut next: Vec<String> = Vec::new();
        let mut declared = None;
        for stmt in block {
            if let (Some(by), Stmt::Store(to, _, _, Ex::Load(from, at, _))) = (around, stmt)
                && let Some((_, runs)) = self.ahead.iter().find(|(own, _)| own == to)
                && let Some(step) = at.step(by).filter(|step| *step != 0)
            {
                let way = runs * step * self.nest.scalar.bytes();
                next.push(self.asked(*from, at, way));
            } else {
                for line in next.drain(..) {
                    self.line(indent, &line);
                }
            }
            match stmt {
                Stmt::Declare(buffer) => {
                    declared = Some(*buffer);
                    self.declare(*buffer, indent);
                    self.ask_to_write(*buffer, block, indent);
                }
                Stmt::Loop(by, how, body) => {
                    if *how == How::Parallel {
                        self.line(indent, "#pragma omp parallel for");
                    }
                    let (i, n) = (counter(*by), by.count);
                    self.line(indent, &format!("for (long {i} = 0; {i} < {n}; {i}++) {{"));
                    let rows = self.rows.iter();
                    let asked = rows
                        .filter(|row| declared == Some(row.before))
                        .map(|row| self.asked(row.buffer, &row.at, row.ahead));
                    for line in asked.collect::<Vec<_>>() {
                        self.line(indent + 1, &line);
                    }
                    declared = None;
                    self.block(body, Some(*by), indent + 1);
                    self.line(indent, "}");
                }
                Stmt::Store(buffer, at, width, value) => {
                    let to = self.place(*buffer, at, *width);
                    let value = self.value(value, 0);
                    self.line(indent, &format!("{to} = {value};"));
                }
            }
        }
        for line in next {
            self.line(indent, &line);
        }
    }

    /// Asks for the places that a local buffer is copied to at the end of a block: they are there by then.
    fn ask_to_write(&mut self, id: BufferId, block: &[Stmt], indent: usize) {
        if let Some((by, places)) = given::given(self.nest, id, block) {
            let (i, n) = (counter(by), by.count);
            self.line(indent, &format!("for (long {i} = 0; {i} < {n}; {i}++) {{"));
            for (buffer, at) in places {
                let place = self.place(buffer, &at, 1);
                self.line(indent + 1, &format!("__builtin_prefetch(&{place}, 1);"));
            }
            self.line(indent, "}");
        }
    }

    fn declare(&mut self, id: BufferId, indent: usize) {
        let buffer = &self.nest.buffers[id];
        let (ty, name, len) = (self.ty, &buffer.name, buffer.len);
        match self.variables.get(&id) {
            Some(width) => {
                let kind = if *width == 1 {
                    ty.to_owned()
                } else {
                    format!("v{width}")
                };
                let names: Vec<String> = (0..len / width).map(|n| format!("{name}_{n}")).collect();
                self.line(indent, &format!("{kind} {};", names.join(", ")));
            }
            None if len <= MOST_ON_STACK => {
                self.line(
                    indent,
                    &format!("{ty} {name}[{len}] __attribute__((aligned(64)));"),
                );
            }
            // A large one keeps its place from one run of its loop to the next.
            None => self.line(
                indent,
                &format!("static _Thread_local {ty} {name}[{len}] __attribute__((aligned(64)));"),
            ),
        }
    }

    fn place(&self, buffer: BufferId, at: &Index, width: i64) -> String {
        let name = &self.nest.buffers[buffer].name;
        if let Some(known) = self.variables.get(&buffer) {
            return format!("{name}_{}", at.offset() / known);
        }
        let at = at.show(&counter);
        if width == 1 {
            format!("{name}[{at}]")
        } else {
            format!("*(v{width} *)&{name}[{at}]")
        }
    }

    /// An expression; `level` is 1 inside of a sum, 2 inside of a product, 3 where one word is wanted.
    fn value(&self, ex: &Ex, level: usize) -> String {
        match ex {
            Ex::Number(value) => {
                let suffix = if self.nest.scalar == Scalar::F32 {
                    "f"
                } else {
                    ""
                };
                format!("{value:?}{suffix}")
            }
            Ex::Load(buffer, at, width) => {
                let place = self.place(*buffer, at, *width);
                let is_const = self.nest.buffers[*buffer].role == Role::Input;
                if is_const {
                    place.replacen("*(v", "*(const v", 1)
                } else {
                    place
                }
            }
            // A number minus a vector of zeros is that number in all places, its sign included.
            Ex::Splat(of, width) => {
                let text = format!("{} - (v{width}){{0}}", self.value(of, 2));
                if level > 0 { format!("({text})") } else { text }
            }
            Ex::Gather(parts) => {
                let shown: Vec<String> = parts.iter().map(|part| self.value(part, 0)).collect();
                format!("(v{}){{{}}}", parts.len(), shown.join(", "))
            }
            Ex::Calc(prim, a, b) => self.calculation(*prim, a, b, level),
        }
    }

    fn calculation(&self, prim: Prim, a: &Ex, b: &Ex, level: usize) -> String {
        let own = match prim {
            Prim::Add | Prim::Sub => 1,
            Prim::Mul | Prim::Div => 2,
            _ => {
                let sign = if prim == Prim::Min { "<" } else { ">" };
                let width = a.width();
                let name = prim.row().name;
                let (a, b) = (self.value(a, 3), self.value(b, 3));
                if width > 1 {
                    return format!("{name}{width}({a}, {b})");
                }
                return format!("({a} {sign} {b} ? {a} : {b})");
            }
        };
        // A vector is calculated with a number as it is, but a splat of both sides must stay one.
        let side = |ex: &Ex, other: &Ex, level| match (ex, other) {
            (Ex::Splat(of, _), other) if !matches!(other, Ex::Splat(..)) => self.value(of, level),
            _ => self.value(ex, level),
        };
        let sign = prim.row().infix.unwrap_or("+");
        let text = format!("{} {sign} {}", side(a, b, own), side(b, a, own + 1));
        if own < level {
            format!("({text})")
        } else {
            text
        }
    }
}

/// The widths of all vectors, in order.
fn collect_widths(block: &[Stmt], widths: &mut Vec<i64>) {
    let mut found = std::collections::BTreeSet::new();
    each_store(block, &mut |width, value| {
        found.insert(width);
        each_width(value, &mut |width| {
            found.insert(width);
        });
    });
    widths.extend(found.into_iter().filter(|width| *width > 1));
}

fn each_store(block: &[Stmt], visit: &mut dyn FnMut(i64, &Ex)) {
    for stmt in block {
        match stmt {
            Stmt::Declare(_) => {}
            Stmt::Loop(_, _, body) => each_store(body, visit),
            Stmt::Store(_, _, width, value) => visit(*width, value),
        }
    }
}

/// Whether a calculation is done on vectors of a width.
fn uses(block: &[Stmt], prim: Prim, width: i64) -> bool {
    fn in_value(ex: &Ex, prim: Prim, width: i64) -> bool {
        match ex {
            Ex::Number(_) | Ex::Load(..) => false,
            Ex::Splat(of, _) => in_value(of, prim, width),
            Ex::Gather(parts) => parts.iter().any(|part| in_value(part, prim, width)),
            Ex::Calc(own, a, b) => {
                (*own == prim && a.width() == width)
                    || in_value(a, prim, width)
                    || in_value(b, prim, width)
            }
        }
    }
    let mut found = false;
    each_store(block, &mut |_, value| found |= in_value(value, prim, width));
    found
}

fn each_width(ex: &Ex, visit: &mut dyn FnMut(i64)) {
    visit(ex.width());
    match ex {
        Ex::Splat(of, _) => each_width(of, visit),
        Ex::Gather(parts) => parts.iter().for_each(|part| each_width(part, visit)),
        Ex::Calc(_, a, b) => {
            each_width(a, visit);
            each_width(b, visit);
        }
        Ex::Number(_) | Ex::Load(..) => {}
    }
}
