//! The small language of `map(F, "x -> …")`: what SystemDS hands to Java, as far as it is about one text.
//!
//! Literals, `+ - * / %`, comparisons, `&& || !`, `c ? a : b`, methods of text, `split(…)[i]`, and a few functions of
//! numbers. Patterns of `split` and `replaceAll` are plain text: one with special characters is an error.

use super::super::Fail;
use crate::format::java_double;

/// A value of an expression.
#[derive(Clone, PartialEq, Debug)]
enum Term {
    Text(String),
    Texts(Vec<String>),
    Number(f64),
    Whole(i64),
    Truth(bool),
}

/// An expression.
#[derive(Debug)]
enum Node {
    Literal(Term),
    Argument,
    Not(Box<Node>),
    Negative(Box<Node>),
    Binary(&'static str, Box<Node>, Box<Node>),
    Choice(Box<[Node; 3]>),
    Index(Box<Node>, Box<Node>),
    /// A method with what it is called on, and arguments.
    Method(String, Box<Node>, Vec<Node>),
    /// A function such as `Double.parseDouble`.
    Function(String, Vec<Node>),
}

/// A function of one text.
#[derive(Debug)]
pub(super) struct Lambda(Node);

/// Signs by how strongly they bind, loosest first; longer ones before their beginnings.
static SIGNS: [&[&str]; 6] = [
    &["||"],
    &["&&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["+", "-"],
    &["*", "/", "%"],
];

/// Expressions inside each other at most.
const MOST_NESTED: usize = 100;

struct Reader<'t> {
    rest: &'t str,
    argument: &'t str,
    depth: usize,
}

impl Reader<'_> {
    fn fail<T>(&self, expected: &str) -> Result<T, Fail> {
        let found: String = self.rest.chars().take(20).collect();
        Err(Fail::new(format!(
            "the function of `map`: expected {expected}, found `{found}`"
        )))
    }

    fn take(&mut self, sign: &str) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(sign) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn word(&mut self) -> String {
        self.rest = self.rest.trim_start();
        let end = self.rest.find(|c: char| !c.is_alphanumeric() && c != '_');
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        word.to_owned()
    }

    fn expression(&mut self) -> Result<Node, Fail> {
        self.depth += 1;
        if self.depth > MOST_NESTED {
            return self.fail("less nesting");
        }
        let condition = self.binary(0)?;
        let node = if self.take("?") {
            let yes = self.expression()?;
            if !self.take(":") {
                return self.fail("`:`");
            }
            Node::Choice(Box::new([condition, yes, self.expression()?]))
        } else {
            condition
        };
        self.depth -= 1;
        Ok(node)
    }

    fn binary(&mut self, level: usize) -> Result<Node, Fail> {
        let Some(signs) = SIGNS.get(level) else {
            return self.prefixed();
        };
        let mut left = self.binary(level + 1)?;
        while let Some(&sign) = signs.iter().find(|sign| self.take(sign)) {
            let right = self.binary(level + 1)?;
            left = Node::Binary(sign, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn prefixed(&mut self) -> Result<Node, Fail> {
        let mut signs = Vec::new();
        loop {
            if self.take("!") {
                signs.push('!');
            } else if self.take("-") {
                signs.push('-');
            } else {
                break;
            }
        }
        let mut node = self.primary()?;
        loop {
            if self.take(".") {
                let name = self.word();
                if !self.take("(") {
                    return self.fail("`(` behind the name of a method");
                }
                node = Node::Method(name, Box::new(node), self.arguments()?);
            } else if self.take("[") {
                let index = self.expression()?;
                if !self.take("]") {
                    return self.fail("`]`");
                }
                node = Node::Index(Box::new(node), Box::new(index));
            } else {
                break;
            }
        }
        for sign in signs.into_iter().rev() {
            node = if sign == '!' {
                Node::Not(Box::new(node))
            } else {
                Node::Negative(Box::new(node))
            };
        }
        Ok(node)
    }

    /// Up to the closing parenthesis.
    fn arguments(&mut self) -> Result<Vec<Node>, Fail> {
        let mut arguments = Vec::new();
        while !self.take(")") {
            arguments.push(self.expression()?);
            if !self.take(",") && !self.rest.trim_start().starts_with(')') {
                return self.fail("`,` or `)`");
            }
        }
        Ok(arguments)
    }

    fn primary(&mut self) -> Result<Node, Fail> {
        if self.take("(") {
            let inner = self.expression()?;
            if !self.take(")") {
                return self.fail("`)`");
            }
            return Ok(inner);
        }
        for quote in ['"', '\''] {
            if self.take(quote.encode_utf8(&mut [0; 4])) {
                return self.text(quote);
            }
        }
        let start = self.rest;
        let word = self.word();
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            if let Some(fraction) = self.rest.strip_prefix('.') {
                let end = fraction
                    .find(|c: char| !c.is_ascii_digit())
                    .unwrap_or(fraction.len());
                self.rest = &fraction[end..];
                let text = format!("{word}.{}", &fraction[..end]);
                return match text.parse() {
                    Ok(number) => Ok(Node::Literal(Term::Number(number))),
                    Err(_) => self.fail("a number"),
                };
            }
            return match word.parse() {
                Ok(whole) => Ok(Node::Literal(Term::Whole(whole))),
                Err(_) => self.fail("a number"),
            };
        }
        match word.as_str() {
            "true" => Ok(Node::Literal(Term::Truth(true))),
            "false" => Ok(Node::Literal(Term::Truth(false))),
            word if word == self.argument => Ok(Node::Argument),
            "Double" | "Integer" | "Long" | "String" | "Math" if self.take(".") => {
                let name = format!("{word}.{}", self.word());
                if !self.take("(") {
                    return self.fail("`(`");
                }
                Ok(Node::Function(name, self.arguments()?))
            }
            _ => {
                self.rest = start;
                let known = format!("a value, a text, or the argument `{}`", self.argument);
                self.fail(&known)
            }
        }
    }

    fn text(&mut self, quote: char) -> Result<Node, Fail> {
        let mut text = String::new();
        let mut chars = self.rest.char_indices();
        while let Some((at, c)) = chars.next() {
            if c == quote {
                self.rest = &self.rest[at + c.len_utf8()..];
                return Ok(Node::Literal(Term::Text(text)));
            }
            if c != '\\' {
                text.push(c);
                continue;
            }
            match chars.next() {
                Some((_, 'n')) => text.push('\n'),
                Some((_, 't')) => text.push('\t'),
                Some((_, other)) => text.push(other),
                None => break,
            }
        }
        self.fail("a closing quote")
    }
}

impl Term {
    fn shown(&self) -> String {
        match self {
            Term::Text(text) => text.clone(),
            Term::Texts(texts) => texts.join(","),
            Term::Number(x) => java_double(*x),
            Term::Whole(i) => i.to_string(),
            Term::Truth(b) => b.to_string(),
        }
    }

    fn number(&self) -> Result<f64, Fail> {
        match self {
            Term::Number(x) => Ok(*x),
            Term::Whole(i) => Ok(*i as f64),
            other => wrong("a number", other),
        }
    }

    fn whole(&self) -> Result<i64, Fail> {
        match self {
            Term::Whole(i) => Ok(*i),
            other => wrong("a whole number", other),
        }
    }

    fn truth(&self) -> Result<bool, Fail> {
        match self {
            Term::Truth(b) => Ok(*b),
            other => wrong("true or false", other),
        }
    }
}

fn wrong<T>(expected: &str, found: &Term) -> Result<T, Fail> {
    Err(Fail::new(format!(
        "the function of `map`: expected {expected}, found `{}`",
        found.shown()
    )))
}

/// Text of a pattern without special characters.
fn plain(pattern: &str) -> Result<String, Fail> {
    let mut text = String::new();
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some(c) if !c.is_alphanumeric() => text.push(c),
                _ => return special(pattern),
            },
            '.' | '*' | '+' | '?' | '[' | ']' | '(' | ')' | '{' | '}' | '^' | '$' | '|' => {
                return special(pattern);
            }
            c => text.push(c),
        }
    }
    Ok(text)
}

fn special(pattern: &str) -> Result<String, Fail> {
    Err(Fail::new(format!(
        "the function of `map`: the pattern `{pattern}` has special characters; the local engine takes plain text, \
         with `\\\\` before such a character"
    )))
}

impl Lambda {
    /// Reads `x -> …`.
    ///
    /// # Errors
    /// When it is no function of one argument, or more than this language has.
    pub(super) fn read(text: &str) -> Result<Lambda, Fail> {
        let arrow = text.split_once("->").filter(|(argument, _)| {
            let argument = argument.trim();
            !argument.is_empty() && argument.chars().all(|c| c.is_alphanumeric() || c == '_')
        });
        let Some((argument, body)) = arrow else {
            return Err(Fail::new(
                "`map` expects a function such as \"x -> x.trim()\"",
            ));
        };
        let mut reader = Reader {
            rest: body,
            argument: argument.trim(),
            depth: 0,
        };
        let node = reader.expression()?;
        if !reader.rest.trim().is_empty() {
            return reader.fail("the end");
        }
        Ok(Lambda(node))
    }

    /// Its value for `argument`.
    ///
    /// # Errors
    /// When a part of it does not fit.
    pub(super) fn call(&self, argument: &str) -> Result<String, Fail> {
        Ok(self.0.value(argument)?.shown())
    }
}

impl Node {
    fn value(&self, x: &str) -> Result<Term, Fail> {
        Ok(match self {
            Node::Literal(term) => term.clone(),
            Node::Argument => Term::Text(x.to_owned()),
            Node::Not(node) => Term::Truth(!node.value(x)?.truth()?),
            Node::Negative(node) => match node.value(x)? {
                Term::Whole(i) => Term::Whole(i.wrapping_neg()),
                other => Term::Number(-other.number()?),
            },
            Node::Choice(parts) => {
                let [condition, yes, no] = &**parts;
                if condition.value(x)?.truth()? {
                    yes
                } else {
                    no
                }
                .value(x)?
            }
            Node::Binary("&&", a, b) => Term::Truth(a.value(x)?.truth()? && b.value(x)?.truth()?),
            Node::Binary("||", a, b) => Term::Truth(a.value(x)?.truth()? || b.value(x)?.truth()?),
            Node::Binary(sign, a, b) => binary(sign, &a.value(x)?, &b.value(x)?)?,
            Node::Index(node, index) => {
                let (list, at) = (node.value(x)?, index.value(x)?.whole()?);
                let Term::Texts(texts) = &list else {
                    return wrong("the parts of a `split` before `[`", &list);
                };
                let text = usize::try_from(at).ok().and_then(|at| texts.get(at));
                match text {
                    Some(text) => Term::Text(text.clone()),
                    None => return wrong(&format!("a part {at}"), &list),
                }
            }
            Node::Method(name, on, args) => {
                let args: Vec<Term> = args.iter().map(|a| a.value(x)).collect::<Result<_, _>>()?;
                method(name, &on.value(x)?, &args)?
            }
            Node::Function(name, args) => {
                let args: Vec<Term> = args.iter().map(|a| a.value(x)).collect::<Result<_, _>>()?;
                function(name, &args)?
            }
        })
    }
}

fn binary(sign: &str, a: &Term, b: &Term) -> Result<Term, Fail> {
    if let (Term::Text(_), _) | (_, Term::Text(_)) = (a, b) {
        return match sign {
            "+" => Ok(Term::Text(a.shown() + &b.shown())),
            "==" => Ok(Term::Truth(a == b)),
            "!=" => Ok(Term::Truth(a != b)),
            _ => wrong("numbers", if matches!(a, Term::Text(_)) { a } else { b }),
        };
    }
    if let (Term::Whole(a), Term::Whole(b)) = (a, b) {
        let whole = match sign {
            "+" => Some(a.wrapping_add(*b)),
            "-" => Some(a.wrapping_sub(*b)),
            "*" => Some(a.wrapping_mul(*b)),
            "/" => a.checked_div(*b),
            "%" => a.checked_rem(*b),
            _ => None,
        };
        match whole {
            Some(whole) => return Ok(Term::Whole(whole)),
            None if matches!(sign, "/" | "%") => {
                return wrong("another divisor", &Term::Whole(*b));
            }
            None => {}
        }
    }
    if let (Term::Truth(a), Term::Truth(b)) = (a, b)
        && matches!(sign, "==" | "!=")
    {
        return Ok(Term::Truth((a == b) == (sign == "==")));
    }
    let (x, y) = (a.number()?, b.number()?);
    Ok(match sign {
        "+" => Term::Number(x + y),
        "-" => Term::Number(x - y),
        "*" => Term::Number(x * y),
        "/" => Term::Number(x / y),
        "%" => Term::Number(x % y),
        "==" => Term::Truth(x == y),
        "!=" => Term::Truth(x != y),
        "<" => Term::Truth(x < y),
        "<=" => Term::Truth(x <= y),
        ">" => Term::Truth(x > y),
        _ => Term::Truth(x >= y),
    })
}

/// The characters from one place to before another.
fn part(text: &str, from: i64, to: Option<i64>) -> Result<Term, Fail> {
    let chars: Vec<char> = text.chars().collect();
    let end = to.unwrap_or(chars.len() as i64);
    if from < 0 || end < from || end > chars.len() as i64 {
        return wrong(
            &format!("the characters {from} to {end}"),
            &Term::Text(text.to_owned()),
        );
    }
    Ok(Term::Text(
        chars[from as usize..end as usize].iter().collect(),
    ))
}

fn method(name: &str, on: &Term, args: &[Term]) -> Result<Term, Fail> {
    let Term::Text(text) = on else {
        return wrong(&format!("text before `.{name}`"), on);
    };
    let truth = |b| Ok(Term::Truth(b));
    let say = |text: String| Ok(Term::Text(text));
    match (name, args) {
        ("toUpperCase", []) => say(text.to_uppercase()),
        ("toLowerCase", []) => say(text.to_lowercase()),
        ("trim" | "strip", []) => say(text.trim().to_owned()),
        ("toString", []) => say(text.clone()),
        ("length", []) => Ok(Term::Whole(text.chars().count() as i64)),
        ("isEmpty", []) => truth(text.is_empty()),
        ("substring", [from]) => part(text, from.whole()?, None),
        ("substring", [from, to]) => part(text, from.whole()?, Some(to.whole()?)),
        ("charAt", [at]) => {
            let at = at.whole()?;
            part(text, at, Some(at.saturating_add(1)))
        }
        ("concat", [more]) => say(text.clone() + &more.shown()),
        ("replace", [from, to]) => say(text.replace(&from.shown(), &to.shown())),
        ("replaceAll", [from, to]) => say(text.replace(&plain(&from.shown())?, &to.shown())),
        ("contains", [part]) => truth(text.contains(&part.shown())),
        ("startsWith", [part]) => truth(text.starts_with(&part.shown())),
        ("endsWith", [part]) => truth(text.ends_with(&part.shown())),
        ("equals", [other]) => truth(on == other),
        ("equalsIgnoreCase", [other]) => truth(text.to_lowercase() == other.shown().to_lowercase()),
        ("indexOf", [part]) => Ok(Term::Whole(match text.find(&part.shown()) {
            Some(at) => text[..at].chars().count() as i64,
            None => -1,
        })),
        ("split", [sep]) => {
            let sep = plain(&sep.shown())?;
            let mut texts: Vec<String> = text.split(&sep).map(str::to_owned).collect();
            // As in Java: empty parts at the end are none.
            while texts.len() > 1 && texts.last().is_some_and(String::is_empty) {
                texts.pop();
            }
            Ok(Term::Texts(texts))
        }
        _ => Err(Fail::new(format!(
            "the function of `map`: the local engine has no method `{name}` of text with {} arguments",
            args.len()
        ))),
    }
}

fn function(name: &str, args: &[Term]) -> Result<Term, Fail> {
    let parsed = |text: &Term| {
        let shown = text.shown();
        shown
            .trim()
            .parse::<f64>()
            .or_else(|_| wrong("text that is a number", text))
    };
    match (name, args) {
        ("Double.parseDouble" | "Double.valueOf", [text]) => Ok(Term::Number(parsed(text)?)),
        ("Integer.parseInt" | "Integer.valueOf" | "Long.parseLong", [text]) => {
            let whole = text.shown().parse::<i64>();
            whole
                .map(Term::Whole)
                .or_else(|_| wrong("text that is a whole number", text))
        }
        ("String.valueOf" | "Double.toString" | "Integer.toString", [value]) => {
            Ok(Term::Text(value.shown()))
        }
        ("Math.abs", [Term::Whole(i)]) => Ok(Term::Whole(i.wrapping_abs())),
        ("Math.abs", [x]) => Ok(Term::Number(x.number()?.abs())),
        ("Math.sqrt", [x]) => Ok(Term::Number(x.number()?.sqrt())),
        ("Math.floor", [x]) => Ok(Term::Number(x.number()?.floor())),
        ("Math.round", [x]) => Ok(Term::Whole((x.number()? + 0.5).floor() as i64)),
        ("Math.min", [a, b]) => Ok(Term::Number(a.number()?.min(b.number()?))),
        ("Math.max", [a, b]) => Ok(Term::Number(a.number()?.max(b.number()?))),
        _ => Err(Fail::new(format!(
            "the function of `map`: the local engine has no `{name}` with {} arguments",
            args.len()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_texts_are_those_of_java() {
        let cases = [
            ("x -> x.toUpperCase()", "BOB"),
            ("x -> x.length()", "3"),
            ("x -> x.substring(0,1)", "b"),
            ("x -> x + \"_s\"", "bob_s"),
            ("x -> x.replaceAll(\"b\",\"c\")", "coc"),
            ("x -> x.split(\"o\")[0]", "b"),
            ("x -> x.equals(\"bob\") ? \"1\" : \"0\"", "1"),
            (
                "v -> !v.isEmpty() && v.length() > 2 ? v.charAt(2) : \"\"",
                "b",
            ),
            ("x -> x.indexOf('o') + 1 * 2", "3"),
            ("x -> 7 / 2 + x.length() % 2", "4"),
            (
                "x -> String.valueOf(Double.parseDouble(\"1.5\") * 2)",
                "3.0",
            ),
            ("x -> Math.abs(-3) - -1", "4"),
            ("x -> (x.contains(\"z\") || 2 <= 1) == false", "true"),
            ("x -> x.concat(\"a\\\"b\").trim()", "boba\"b"),
        ];
        for (lambda, expected) in cases {
            assert_eq!(
                Lambda::read(lambda).unwrap().call("bob").unwrap(),
                expected,
                "{lambda}"
            );
        }
    }

    #[test]
    fn what_does_not_work_is_said() {
        let message = |lambda: &str| match Lambda::read(lambda).and_then(|f| f.call("bob")) {
            Err(Fail::Message(_, message)) => message,
            other => panic!("an error expected, found {other:?}"),
        };
        for (lambda, part) in [
            ("toLowerCase()", "x -> x.trim()"),
            ("x -> x.hashCode()", "no method `hashCode`"),
            ("x -> x.split(\"[a-z]\")[0]", "special characters"),
            ("x -> y", "the argument `x`"),
            ("x -> x.substring(2, 9)", "the characters 2 to 9"),
            ("x -> x.split(\"o\")[5]", "a part 5"),
            ("x -> x * 2", "numbers"),
            ("x -> 1 / 0", "divisor"),
            ("x -> \"open", "closing quote"),
            ("x -> x x", "the end"),
            ("x -> Double.parseDouble(x)", "a number"),
        ] {
            assert!(
                message(lambda).contains(part),
                "{lambda}: {}",
                message(lambda)
            );
        }
        assert!(message(&format!("x -> {}", "(".repeat(5000))).contains("nesting"));
    }
}
