//! Sketches with their parameters and abstractions filled in. What is wrong is refused here, whatever was said of it.

use std::sync::Arc;

use super::ast::{Element, Expr, ExprKind, Name, Size, StageKind, TypeExpr, TypeKind};
use super::library::{Equation, Filled, FilledStage, Finding, Level, Library, Place};
use super::names::{arguments, nearest};

/// Parts of one pattern at most: an abstraction that doubles in each of thirty steps is no pattern that anyone means.
const MOST_PARTS: usize = 20_000;

/// Arguments by the names of parameters.
type Env = [(Arc<str>, Expr)];

pub(super) fn fill(
    library: &Library,
    call: &str,
    expr: &Expr,
    wanted: Option<&str>,
) -> Result<Filled, String> {
    let none: &[Expr] = &[];
    let (name, args) = match &expr.kind {
        ExprKind::Name(name) => (name, none),
        ExprKind::Call(name, args) => (&name.text, args.as_slice()),
        _ => {
            return Err(format!(
                "`{call}` names no sketch; write its name, and arguments in parentheses where it takes some"
            ));
        }
    };
    let mut known = library.sketches();
    let Some((file, sketch)) = known.find(|(_, sketch)| sketch.name.text == *name) else {
        let names: Vec<&str> = library.sketches().map(|(_, s)| &*s.name.text).collect();
        let hint = match nearest(name, names.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None if names.is_empty() => {
                "there is no sketch file beside the script; name one with --sketches".to_owned()
            }
            None => format!("there are: {}", names.join(", ")),
        };
        return Err(format!("there is no sketch `{name}`; {hint}"));
    };
    if sketch.parameters.len() != args.len() {
        let parameters: Vec<&str> = sketch.parameters.iter().map(|p| &*p.text).collect();
        return Err(format!(
            "the sketch `{name}` takes {}, found {}; write `{name}({})` with a variable, a pattern or a number for each",
            arguments(sketch.parameters.len()),
            args.len(),
            parameters.join(", ")
        ));
    }
    let language = sketch.language.as_ref().map(|language| &*language.text);
    if language != wanted {
        let of = |language: Option<&str>| match language {
            Some(language) => format!("`{language}`"),
            None => "linear algebra".to_owned(),
        };
        return Err(format!(
            "the sketch `{name}` is on {}, and this is on {}",
            of(language),
            of(wanted)
        ));
    }
    let wrong = library
        .findings(file)
        .iter()
        .find(|finding| finding.level == Level::Error && sketch.range.contains(finding.range));
    if let Some(finding) = wrong {
        return Err(format!(
            "the sketch `{name}` has an error: {}",
            finding.message
        ));
    }
    let parameters = sketch.parameters.iter().map(|p| Arc::clone(&p.text));
    let env: Vec<_> = parameters.zip(args.iter().cloned()).collect();
    let mut parts = 0;
    let mut stages = Vec::new();
    for (number, stage) in (1..).zip(&sketch.stages) {
        let pattern = expr_in(library, file, &stage.pattern, &env, &mut parts)
            .map_err(|why| format!("the sketch `{name}`: {why}"))?;
        let label = match &stage.label {
            Some(label) => format!("{} {}", stage.kind.word(), label.text),
            None if stage.kind == StageKind::Goal => "goal".to_owned(),
            None => format!("guide {number}"),
        };
        stages.push(FilledStage {
            kind: stage.kind,
            label,
            pattern,
            rules: stage.rules.iter().map(|r| Arc::clone(&r.text)).collect(),
            equations: equations(library, file, &stage.rules)?,
            cost: stage.cost.as_ref().map(|c| Arc::clone(&c.text)),
            limits: stage
                .limits
                .iter()
                .map(|l| (whole(l.count), Arc::clone(&l.unit.text)))
                .collect(),
            place: Place {
                file,
                range: stage.range,
            },
        });
    }
    Ok(Filled {
        name: call.trim().to_owned(),
        stages,
        doc: sketch.doc.clone(),
        place: Place {
            file,
            range: sketch.range,
        },
    })
}

/// What those of these rules say that files list.
fn equations(library: &Library, file: usize, rules: &[Name]) -> Result<Vec<Equation>, String> {
    let known = &library.names_of(file).rules;
    let own = rules.iter().filter_map(|rule| known.get(&rule.text));
    own.map(|(file, number)| equation(library, *file, *number))
        .collect()
}

/// A rule that a file lists, with its abstractions filled in.
pub(super) fn equation(library: &Library, file: usize, number: usize) -> Result<Equation, String> {
    let rule = library
        .rule(file, number)
        .ok_or_else(|| "there is no such rule".to_owned())?;
    let name = &rule.name.text;
    let mut findings = library.findings(file).iter();
    let is_wrong =
        |finding: &&Finding| finding.level == Level::Error && rule.range.contains(finding.range);
    if let Some(finding) = findings.find(is_wrong) {
        return Err(format!(
            "the rule `{name}` has an error: {}",
            finding.message
        ));
    }
    let mut parts = 0;
    let mut side = |side: &Expr| {
        expr_in(library, file, side, &[], &mut parts)
            .map_err(|why| format!("the rule `{name}`: {why}"))
    };
    Ok(Equation {
        name: Arc::clone(name),
        left: side(&rule.left)?,
        right: side(&rule.right)?,
    })
}

fn expr_in(
    library: &Library,
    file: usize,
    expr: &Expr,
    env: &Env,
    parts: &mut usize,
) -> Result<Expr, String> {
    *parts += 1;
    if *parts > MOST_PARTS {
        return Err(format!(
            "filled in, it has more than {MOST_PARTS} parts; use fewer abstractions in abstractions"
        ));
    }
    let mut inner = |part: &Expr| expr_in(library, file, part, env, parts);
    let boxed = |made: Result<Expr, String>| made.map(Box::new);
    let kind = match &expr.kind {
        ExprKind::Hole | ExprKind::Number(_) => expr.kind.clone(),
        ExprKind::Missing => {
            return Err("a part of it could not be read; see `sumac check`".to_owned());
        }
        ExprKind::Name(name) => {
            if let Some((_, given)) = env.iter().find(|(parameter, _)| parameter == name) {
                given.walk(&mut |_| *parts += 1);
                given.kind.clone()
            } else if library.names_of(file).abstractions.contains_key(name) {
                return abstraction(library, file, name, &[], parts);
            } else {
                ExprKind::Name(Arc::clone(name))
            }
        }
        ExprKind::Call(name, args) => {
            let args: Vec<Expr> = args.iter().map(inner).collect::<Result<_, _>>()?;
            if library.names_of(file).abstractions.contains_key(&name.text) {
                return abstraction(library, file, &name.text, &args, parts);
            }
            ExprKind::Call(name.clone(), args)
        }
        ExprKind::Unary(sign, operand) => ExprKind::Unary(sign, boxed(inner(operand))?),
        ExprKind::Binary(sign, left, right) => {
            let left = boxed(inner(left))?;
            ExprKind::Binary(sign, left, boxed(inner(right))?)
        }
        ExprKind::Either(left, right) => {
            let left = boxed(inner(left))?;
            ExprKind::Either(left, boxed(inner(right))?)
        }
        ExprKind::Annotated(of, ty) => ExprKind::Annotated(boxed(inner(of))?, type_in(ty, env)?),
    };
    Ok(Expr {
        range: expr.range,
        kind,
    })
}

fn abstraction(
    library: &Library,
    file: usize,
    name: &str,
    args: &[Expr],
    parts: &mut usize,
) -> Result<Expr, String> {
    let (home, number) = library.names_of(file).abstractions[name];
    let known = library
        .abstraction(home, number)
        .ok_or_else(|| format!("there is no abstraction `{name}`"))?;
    let errors = library.findings(home).iter();
    let mut errors = errors.filter(|finding| finding.level == Level::Error);
    if let Some(finding) = errors.find(|finding| known.range.contains(finding.range)) {
        return Err(format!("`{name}` has an error: {}", finding.message));
    }
    if known.parameters.len() != args.len() {
        return Err(format!(
            "`{name}` takes {}, found {}",
            arguments(known.parameters.len()),
            args.len()
        ));
    }
    let parameters = known.parameters.iter().map(|p| Arc::clone(&p.text));
    let env: Vec<_> = parameters.zip(args.iter().cloned()).collect();
    expr_in(library, home, &known.body, &env, parts)
}

fn type_in(ty: &TypeExpr, env: &Env) -> Result<TypeExpr, String> {
    let kind = match &ty.kind {
        TypeKind::Shape(rows, cols) => TypeKind::Shape(size_in(rows, env)?, size_in(cols, env)?),
        TypeKind::Array(size, element) => {
            let element = match element.as_deref() {
                Some(Element::Array(inner)) => Some(Element::Array(type_in(inner, env)?)),
                other => other.cloned(),
            };
            TypeKind::Array(size_in(size, env)?, element.map(Box::new))
        }
        TypeKind::Missing => {
            return Err("an annotation could not be read; see `sumac check`".to_owned());
        }
        kind => kind.clone(),
    };
    Ok(TypeExpr {
        range: ty.range,
        kind,
    })
}

fn size_in(size: &Size, env: &Env) -> Result<Size, String> {
    Ok(match size {
        Size::Any | Size::Number(_) => size.clone(),
        Size::Name(name) => match env.iter().find(|(parameter, _)| *parameter == name.text) {
            None => size.clone(),
            Some((_, given)) => as_size(given).ok_or_else(|| {
                format!(
                    "`{}` is a size here; expected a number, a name or `?` for it, found `{given}`",
                    name.text
                )
            })?,
        },
        Size::Scaled(sign, left, right) => {
            let (left, right) = (size_in(left, env)?, size_in(right, env)?);
            match (&left, &right) {
                (Size::Any, _) | (_, Size::Any) => Size::Any,
                (Size::Number(a), Size::Number(b)) => {
                    Size::Number(if *sign == "*" { a * b } else { a / b })
                }
                _ => Size::Scaled(sign, Box::new(left), Box::new(right)),
            }
        }
    })
}

fn as_size(expr: &Expr) -> Option<Size> {
    Some(match &expr.kind {
        ExprKind::Hole => Size::Any,
        ExprKind::Number(value) => Size::Number(*value),
        ExprKind::Name(name) => Size::Name(Name {
            text: Arc::clone(name),
            range: expr.range,
        }),
        ExprKind::Binary(sign @ ("*" | "/"), left, right) => {
            Size::Scaled(sign, Box::new(as_size(left)?), Box::new(as_size(right)?))
        }
        _ => return None,
    })
}

/// A count, which is whole and from 1 in sketches without errors.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast of floating-point numbers ends at the largest and the smallest"
)]
fn whole(count: f64) -> usize {
    count as usize
}
