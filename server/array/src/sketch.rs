//! Sketches of array programs: from the tree of a sketch file to sketches over the nodes of a graph.
//!
//! `map(f)` is the pattern with its function, whatever it is applied to; `map(f, x)` also says to what. A type behind a
//! pattern that still waits for an argument is the type of that argument: `map(f) : [n/32]?` is a map over n/32 elements.

use std::rc::Rc;

use egg::Id;
use rustc_hash::FxHashSet;
use sumac_sketch::text::ast::{Element, Expr, ExprKind, Size, TypeExpr, TypeKind};
use sumac_sketch::{Condition, Shape, SketchId, Sketches};

use crate::graph::Class;
use crate::nat::Nat;
use crate::node::{Bits, Node};
use crate::prim::{PRIMS, Prim};
use crate::types::{Scalar, Type, TypeId, Types};

/// The types that a part of a sketch may have.
#[derive(Clone, PartialEq, Debug)]
pub struct TypeIn(Rc<FxHashSet<TypeId>>);

impl Condition<Class> for TypeIn {
    fn holds(&self, class: &Class) -> bool {
        self.0.contains(&class.ty)
    }
}

/// A sketch over the nodes of one graph.
pub struct Sketched {
    /// It and its parts.
    pub sketches: Sketches<Node, TypeIn>,
    /// The sketch `?`.
    pub any: SketchId,
    /// It.
    pub root: SketchId,
}

/// A sketch that was checked, ready for any graph.
#[derive(Clone, Debug)]
pub struct Sketch(Expr);

impl Sketch {
    /// Checks a pattern of a sketch file in which everything is filled in.
    ///
    /// # Errors
    /// It says something that array programs have not: text for a person.
    pub fn new(pattern: &Expr, types: &Types) -> Result<Sketch, String> {
        let mut types = types.clone();
        let mut made = Maker::new(&mut types);
        made.make(pattern)?;
        Ok(Sketch(pattern.clone()))
    }

    /// The sketch over a graph with these types. Types that come later are not in it.
    ///
    /// # Panics
    /// Never: it was checked.
    #[must_use]
    pub fn over(&self, types: &mut Types) -> Sketched {
        let mut maker = Maker::new(types);
        let root = maker.make(&self.0).expect("it was checked");
        Sketched {
            any: maker.any,
            sketches: maker.sketches,
            root,
        }
    }
}

/// What may stand behind a colon.
enum Wanted {
    Any,
    Scalar(Option<Scalar>),
    Vector,
    Array(Option<Nat>, Box<Wanted>),
}

struct Maker<'a> {
    types: &'a mut Types,
    sketches: Sketches<Node, TypeIn>,
    any: SketchId,
    /// Of no consequence: sketches look at heads only.
    ty: TypeId,
}

impl<'a> Maker<'a> {
    fn new(types: &'a mut Types) -> Self {
        let mut sketches = Sketches::default();
        let any = sketches.add(Shape::Any);
        let ty = types.scalar(Scalar::F32);
        Maker {
            types,
            sketches,
            any,
            ty,
        }
    }

    fn make(&mut self, expr: &Expr) -> Result<SketchId, String> {
        Ok(match &expr.kind {
            ExprKind::Hole => self.any,
            ExprKind::Name(name) => self.prim(name)?,
            ExprKind::Number(value) => {
                let node = Node::Number(Bits::of(*value), self.ty);
                self.sketches.add(Shape::Node(node, Vec::new(), false))
            }
            ExprKind::Call(name, arguments) if &*name.text == "contains" => {
                let [inner] = arguments.as_slice() else {
                    return Err("`contains` takes one argument".to_owned());
                };
                let inner = self.make(inner)?;
                self.sketches.add(Shape::Contains(inner))
            }
            ExprKind::Call(name, arguments) if &*name.text == "fun" => {
                let [body] = arguments.as_slice() else {
                    return Err("`fun` takes one argument, the body of the function".to_owned());
                };
                let body = self.make(body)?;
                let node = Node::Lam(self.ty, Id::from(0));
                self.sketches.add(Shape::Node(node, vec![body], false))
            }
            ExprKind::Call(name, arguments) => {
                let mut made = self.prim(&name.text)?;
                for argument in arguments {
                    let argument = self.make(argument)?;
                    made = self.applied(made, argument);
                }
                made
            }
            ExprKind::Binary(sign, left, right) => {
                let row = PRIMS.iter().find(|row| row.infix == Some(*sign));
                let Some(row) = row else {
                    return Err(format!(
                        "array programs have no operator `{sign}`; expected +, -, * or /"
                    ));
                };
                let function = self.prim(row.name)?;
                let left = self.make(left)?;
                let half = self.applied(function, left);
                let right = self.make(right)?;
                self.applied(half, right)
            }
            ExprKind::Either(left, right) => {
                let parts = vec![self.make(left)?, self.make(right)?];
                self.sketches.add(Shape::Either(parts))
            }
            ExprKind::Annotated(inner, ty) => {
                let inner = self.make(inner)?;
                let wanted = self.wanted(ty)?;
                let fitting = self.types.all().filter(|ty| {
                    let is_awaited = self.types.as_fun(*ty);
                    is_awaited.map_or_else(
                        || fits(self.types, *ty, &wanted),
                        |(from, _)| fits(self.types, from, &wanted),
                    )
                });
                let condition = TypeIn(Rc::new(fitting.collect()));
                self.sketches.add(Shape::Such(inner, condition))
            }
            ExprKind::Unary(sign, _) => {
                return Err(format!(
                    "array programs have no sign `{sign}` before a term"
                ));
            }
            ExprKind::Missing => return Err("a part of the sketch could not be read".to_owned()),
        })
    }

    fn applied(&mut self, function: SketchId, argument: SketchId) -> SketchId {
        let node = Node::App([Id::from(0), Id::from(0)]);
        self.sketches
            .add(Shape::Node(node, vec![function, argument], false))
    }

    fn prim(&mut self, name: &str) -> Result<SketchId, String> {
        let Some(prim) = Prim::named(name) else {
            let near = crate::infer::nearest(name, PRIMS.iter().map(|row| row.name));
            return Err(match near {
                Some(near) => format!("there is no pattern `{name}`; did you mean `{near}`?"),
                None => format!(
                    "there is no pattern `{name}`; expected one such as map, reduceSeq or zip"
                ),
            });
        };
        let node = Node::Prim(prim, [None; 2], self.ty);
        Ok(self.sketches.add(Shape::Node(node, Vec::new(), false)))
    }

    fn wanted(&mut self, ty: &TypeExpr) -> Result<Wanted, String> {
        Ok(match &ty.kind {
            TypeKind::Named("scalar") => Wanted::Scalar(None),
            TypeKind::Named("vector") => Wanted::Vector,
            TypeKind::Array(size, element) => {
                let size = self.size(size)?;
                let element = match element.as_deref() {
                    None | Some(Element::Any) => Wanted::Any,
                    Some(Element::Named(name)) => named(&name.text)?,
                    Some(Element::Array(inner)) => self.wanted(inner)?,
                };
                Wanted::Array(size, Box::new(element))
            }
            _ => {
                return Err(
                    "expected a type of array programs behind `:`, `[n]?`, `[n]f32`, `scalar` or `vector`"
                        .to_owned(),
                );
            }
        })
    }

    fn size(&mut self, size: &Size) -> Result<Option<Nat>, String> {
        let wrong = || "a size is too large or divides by zero".to_owned();
        Ok(Some(match size {
            Size::Any => return Ok(None),
            Size::Number(value) => {
                let whole = value.fract() == 0.0 && *value >= 1.0 && *value < 1e15;
                if !whole {
                    return Err(format!(
                        "expected a whole number from 1 as a size, found {value}"
                    ));
                }
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "it is whole and below 1e15"
                )]
                let value = *value as i64;
                Nat::constant(value)
            }
            Size::Name(name) => {
                let known = self.types.sizes().iter().any(|size| **size == *name.text);
                if !known {
                    let all = self.types.sizes().join(", ");
                    return Err(format!(
                        "the program has no size `{}`; it has: {all}",
                        name.text
                    ));
                }
                let var = self.types.size(&name.text);
                Nat::var(var)
            }
            Size::Scaled(sign, left, right) => {
                let (Some(left), Some(right)) = (self.size(left)?, self.size(right)?) else {
                    return Ok(None);
                };
                let made = if *sign == "*" {
                    left.times(&right)
                } else {
                    left.over(&right)
                };
                made.ok_or_else(wrong)?
            }
        }))
    }
}

fn named(name: &str) -> Result<Wanted, String> {
    match name {
        "f32" => Ok(Wanted::Scalar(Some(Scalar::F32))),
        "f64" => Ok(Wanted::Scalar(Some(Scalar::F64))),
        "scalar" => Ok(Wanted::Scalar(None)),
        "vector" => Ok(Wanted::Vector),
        _ => Err(format!(
            "expected `?`, f32, f64, `scalar` or `vector` in an array, found `{name}`"
        )),
    }
}

fn fits(types: &Types, ty: TypeId, wanted: &Wanted) -> bool {
    match (wanted, types.get(ty)) {
        (Wanted::Any, _) | (Wanted::Vector, Type::Vector(..)) => true,
        (Wanted::Scalar(wanted), Type::Scalar(scalar)) => wanted.is_none_or(|w| w == scalar),
        (Wanted::Array(size, element), Type::Array(n, of)) => {
            let is_size = size.as_ref().is_none_or(|size| types.get_nat(n) == size);
            is_size && fits(types, of, element)
        }
        _ => false,
    }
}
