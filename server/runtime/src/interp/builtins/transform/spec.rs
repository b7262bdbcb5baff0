//! What a transformation does to each column: the text that `transformencode` takes, a relaxed JSON in which keys and
//! words need no quotes.

use std::collections::BTreeMap;

use super::super::super::Fail;
use crate::value::Frame;

/// A value of the relaxed JSON.
#[derive(Clone, PartialEq, Debug)]
enum Json {
    Word(String),
    Array(Vec<Json>),
    Object(BTreeMap<String, Json>),
}

/// Reads relaxed JSON.
struct Reader<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
}

impl Reader<'_> {
    fn fail(&self, expected: &str) -> Fail {
        let rest: String = self.text[self.at..].chars().take(20).collect();
        Fail::new(format!(
            "the specification of a transformation: expected {expected}, found `{rest}`"
        ))
    }

    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.text[self.at..].chars().next()
    }

    fn take(&mut self, c: char) -> bool {
        let found = self.peek() == Some(c);
        if found {
            self.at += c.len_utf8();
        }
        found
    }

    fn value(&mut self) -> Result<Json, Fail> {
        self.depth += 1;
        if self.depth > 50 {
            return Err(self.fail("less nesting"));
        }
        let value = if self.take('{') {
            let mut object = BTreeMap::new();
            while !self.take('}') {
                let key = self.word()?;
                if !self.take(':') {
                    return Err(self.fail("`:`"));
                }
                object.insert(key, self.value()?);
                if !self.take(',') && self.peek() != Some('}') {
                    return Err(self.fail("`,` or `}`"));
                }
            }
            Json::Object(object)
        } else if self.take('[') {
            let mut array = Vec::new();
            while !self.take(']') {
                array.push(self.value()?);
                if !self.take(',') && self.peek() != Some(']') {
                    return Err(self.fail("`,` or `]`"));
                }
            }
            Json::Array(array)
        } else {
            Json::Word(self.word()?)
        };
        self.depth -= 1;
        Ok(value)
    }

    fn word(&mut self) -> Result<String, Fail> {
        for quote in ['"', '\''] {
            if self.take(quote) {
                let rest = &self.text[self.at..];
                let end = rest
                    .find(quote)
                    .ok_or_else(|| self.fail("a closing quote"))?;
                self.at += end + 1;
                return Ok(rest[..end].to_owned());
            }
        }
        self.peek();
        let rest = &self.text[self.at..];
        let end = rest
            .find([',', ':', '[', ']', '{', '}', '"', '\''])
            .unwrap_or(rest.len());
        let word = rest[..end].trim();
        if word.is_empty() {
            return Err(self.fail("a word"));
        }
        self.at += end;
        Ok(word.to_owned())
    }
}

/// How the bounds of bins are found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Binning {
    /// All bins equally wide.
    EquiWidth,
    /// About as many cells in each bin.
    EquiHeight,
}

/// What becomes of the cells of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Encoding {
    /// Numbers as they are.
    PassThrough,
    /// Each token by the place at which it was first seen.
    Recode,
    /// The number of the bin that holds it.
    Bin(Binning, usize),
}

/// What becomes of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ColumnSpec {
    pub(super) encoding: Encoding,
    /// Whether each code becomes a column of zeros and ones.
    pub(super) dummy: bool,
}

/// What becomes of each column of a frame.
///
/// # Errors
/// When the text cannot be read, names columns that there are not, or asks for what is not supported.
pub(super) fn read(text: &str, frame: &Frame) -> Result<Vec<ColumnSpec>, Fail> {
    let mut reader = Reader {
        text,
        at: 0,
        depth: 0,
    };
    let Json::Object(spec) = reader.value()? else {
        return Err(Fail::new(
            "the specification of a transformation is no `{…}`",
        ));
    };
    let is_true = |json: &Json| matches!(json, Json::Word(word) if word == "true");
    let by_id = spec.get("ids").is_some_and(is_true);
    // SystemDS passes over the number of a column that is not there; a name has to be one.
    let is_beyond = |key: &Json| match key {
        Json::Word(word) if by_id => word.parse::<f64>().is_ok_and(|id| id > frame.cols() as f64),
        _ => false,
    };
    let column = |key: &Json| -> Result<usize, Fail> {
        let Json::Word(word) = key else {
            return Err(Fail::new(
                "the specification of a transformation: a column has no name",
            ));
        };
        let place = if by_id {
            let id = word
                .parse::<f64>()
                .ok()
                .filter(|id| *id >= 1.0 && *id <= frame.cols() as f64);
            id.map(|id| id as usize - 1)
        } else {
            frame.position(word)
        };
        place.ok_or_else(|| {
            let kind = if by_id { "number" } else { "name" };
            Fail::new(format!(
                "the frame of {} columns has none of {kind} `{word}`, which the transformation names",
                frame.cols()
            ))
        })
    };
    let mut columns = vec![
        ColumnSpec {
            encoding: Encoding::PassThrough,
            dummy: false,
        };
        frame.cols()
    ];
    let mut dummies = Vec::new();
    for (key, value) in &spec {
        let items: &[Json] = match value {
            Json::Array(items) => items,
            _ => &[],
        };
        match key.as_str() {
            "ids" => {}
            "recode" => {
                for item in items.iter().filter(|item| !is_beyond(item)) {
                    columns[column(item)?].encoding = Encoding::Recode;
                }
            }
            "dummycode" => {
                for item in items {
                    dummies.push(column(item)?);
                }
            }
            "bin" => {
                for item in items {
                    let (at, encoding) = bin(item, &column)?;
                    columns[at].encoding = encoding;
                }
            }
            other => {
                return Err(Fail::new(format!(
                    "`{other}` in the specification of a transformation is not supported by the local engine; \
                     recode, dummycode and bin are"
                )));
            }
        }
    }
    for at in dummies {
        columns[at].dummy = true;
        if columns[at].encoding == Encoding::PassThrough {
            columns[at].encoding = Encoding::Recode;
        }
    }
    Ok(columns)
}

/// `{id: 2, method: equi-width, numbins: 3}`.
fn bin(
    item: &Json,
    column: &impl Fn(&Json) -> Result<usize, Fail>,
) -> Result<(usize, Encoding), Fail> {
    let wrong = |what: &str| Fail::new(format!("a `bin` of a transformation needs {what}"));
    let Json::Object(bin) = item else {
        return Err(wrong("`{id: …, method: …, numbins: …}`"));
    };
    let id = bin
        .get("id")
        .or_else(|| bin.get("name"))
        .ok_or_else(|| wrong("`id` or `name`"))?;
    let word = |key| match bin.get(key) {
        Some(Json::Word(word)) => Some(word.as_str()),
        _ => None,
    };
    let method = match word("method") {
        Some("equi-width") | None => Binning::EquiWidth,
        Some("equi-height") => Binning::EquiHeight,
        Some(other) => {
            return Err(wrong(&format!(
                "the method equi-width or equi-height, not `{other}`"
            )));
        }
    };
    let count = word("numbins")
        .and_then(|n| n.parse().ok())
        .filter(|n| (1..=1_000_000).contains(n));
    let count: usize = count.ok_or_else(|| wrong("`numbins`, a number from 1"))?;
    Ok((column(id)?, Encoding::Bin(method, count)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Column;

    fn frame() -> Frame {
        let column = |name: &str| Column::of_strings(name, ["1".to_owned()]);
        Frame::new(vec![column("a"), column("b"), column("c")]).unwrap()
    }

    #[test]
    fn both_ways_to_write_a_specification_are_read() {
        let relaxed = "{ids: true, recode: [1], bin: [{id: 2, method: equi-height, numbins: 4}], dummycode: [2, 3]}";
        let strict = r#"{"recode": ["a"], "bin": [{"name": "b", "method": "equi-height", "numbins": 4}],
            "dummycode": ["b", "c"]}"#;
        let expected = [
            ColumnSpec {
                encoding: Encoding::Recode,
                dummy: false,
            },
            ColumnSpec {
                encoding: Encoding::Bin(Binning::EquiHeight, 4),
                dummy: true,
            },
            ColumnSpec {
                encoding: Encoding::Recode,
                dummy: true,
            },
        ];
        assert_eq!(read(relaxed, &frame()).unwrap(), expected);
        assert_eq!(read(strict, &frame()).unwrap(), expected);
    }

    #[test]
    fn what_cannot_be_done_is_said() {
        let message = |text: &str| match read(text, &frame()) {
            Err(Fail::Message(_, message)) => message,
            other => panic!("an error expected, found {other:?}"),
        };
        assert!(message("{ids: true, recode: [0]}").contains("`0`"));
        assert!(message("{recode: [z]}").contains("`z`"));
        assert!(message("{ids: true, hash: [1], K: 3}").contains("not supported"));
        assert!(message("{ids: true, bin: [{id: 1}]}").contains("numbins"));
        assert!(message("{ids: true, recode: [1").contains("expected"));
        assert!(message("recode").contains("{…}"));
        assert!(message(&"[".repeat(100)).contains("nesting"));
    }
}
