//! Where a script's sizes and values come from: what states them to the optimizer, and how a run has others.

use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

/// What the facts say, or what a run has.
#[derive(Clone, Debug)]
pub(super) struct World {
    pub(super) n: usize,
    pub(super) m: usize,
    pub(super) k: usize,
    pub(super) a: &'static str,
    pub(super) c: usize,
    pub(super) p: &'static str,
    pub(super) mode: &'static str,
    /// `w` has no cell but zeros.
    pub(super) w_is_empty: bool,
}

/// Name, rows and columns of each matrix.
pub(super) const MATRICES: [(&str, char, char); 6] = [
    ("X", 'n', 'm'),
    ("Y", 'n', 'm'),
    ("U", 'n', 'k'),
    ("V", 'm', 'k'),
    ("v", 'n', '1'),
    ("w", 'm', '1'),
];

impl World {
    /// How large a dimension is.
    pub(super) fn size(&self, dim: char) -> usize {
        match dim {
            'n' => self.n,
            'm' => self.m,
            'k' => self.k,
            _ => 1,
        }
    }

    /// The arguments that are no sizes, by name.
    fn values(&self) -> [(&'static str, String); 4] {
        [
            ("a", self.a.to_owned()),
            ("c", self.c.to_string()),
            ("p", self.p.to_owned()),
            ("mode", self.mode.to_owned()),
        ]
    }

    fn sizes(&self) -> [(&'static str, String); 3] {
        [
            ("n", self.n.to_string()),
            ("m", self.m.to_string()),
            ("k", self.k.to_string()),
        ]
    }

    /// A matrix's data file in cells, and the file that describes it.
    pub(super) fn file(&self, name: &str, rows: char, cols: char, with_cells: bool) -> [String; 2] {
        let (rows, cols) = (self.size(rows), self.size(cols));
        let is_empty = name == "w" && self.w_is_empty;
        let mut cells = String::new();
        let mut nnz = 0;
        if with_cells && !is_empty {
            let salt = name.bytes().map(usize::from).sum::<usize>();
            for row in 1..=rows {
                for col in 1..=cols {
                    // Quarters between -1.5 and 1.75, without a pattern that sums to nothing.
                    let mixed = (row * 7919 + col * 104_729 + salt * 31) % 9973 % 14;
                    let value = f64::from(u32::try_from(mixed).unwrap_or(0)) / 4.0 - 1.5;
                    if value != 0.0 {
                        nnz += 1;
                        cells.push_str(&format!("{row} {col} {value}\n"));
                    }
                }
            }
        }
        if !with_cells && !is_empty {
            nnz = rows * cols;
        }
        let described = format!(
            "{{\"data_type\": \"matrix\", \"value_type\": \"double\", \"rows\": {rows}, \"cols\": {cols}, \"nnz\": {nnz}, \"format\": \"text\"}}\n"
        );
        [cells, described]
    }
}

/// A source of facts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Source {
    /// `#@ X: 4000 x 60`
    Lines,
    /// `#@ X: n x m` and `#@ n = 4000`
    Names,
    /// `--facts 'X: 4000 x 60'`
    Option,
    /// `--set X=X.ijv`, whose metadata tells
    Metadata,
    /// `read("X.ijv")`, whose metadata tells
    FixedName,
    /// `ifdef($n, 4000)`
    Defaults,
    /// `--set n=4000`
    Set,
    /// `#@ $n = 4000`
    ArgumentLines,
    /// `[args]` of a `sumac.toml`
    Configured,
    /// `read($X, rows=$n, cols=$m)` with `--set n=4000`
    ReadSizes,
    /// The only call of a function in its file
    Caller,
    /// Defaults of a function's parameters, which the only call in its file takes
    ParameterDefaults,
    /// The only call of a function in the whole program, with arguments of the script
    ScriptAndFunction,
}

pub(super) const SOURCES: [Source; 13] = [
    Source::Lines,
    Source::Names,
    Source::Option,
    Source::Metadata,
    Source::FixedName,
    Source::Defaults,
    Source::Set,
    Source::ArgumentLines,
    Source::Configured,
    Source::ReadSizes,
    Source::Caller,
    Source::ParameterDefaults,
    Source::ScriptAndFunction,
];

/// A program of one or two files.
pub(super) struct Made {
    /// Names and texts.
    pub(super) files: Vec<(String, String)>,
    /// The file that suggestions are for, and with which options.
    pub(super) optimized: &'static str,
    pub(super) options: Vec<String>,
    /// The file that runs.
    pub(super) run: &'static str,
    /// Whether the facts are those of files.
    pub(super) has_data: bool,
}

const MAIN: &str = "main.dml";
const LIBRARY: &str = "library.dml";
const OTHER: &str = "other.dml";
const CONFIGURATION: &str = "sumac.toml";

impl Source {
    /// Whether a dimension of one may be more in another run: a fact about a variable says that it is a vector, an
    /// argument and a call do not.
    fn may_widen(self) -> bool {
        !matches!(
            self,
            Source::Lines | Source::Names | Source::Option | Source::Metadata | Source::FixedName
        )
    }

    /// What the facts say.
    pub(super) fn facts(self, rng: &mut ChaCha8Rng, whole_ranges: bool) -> World {
        let mut one = |all: &[usize]| *all.choose(rng).expect("not empty");
        let (mut n, mut m) = (
            one(&[300, 2000, 4000, 50_000]),
            one(&[40, 60, 100, 300, 500]),
        );
        let k = if self.may_widen() {
            one(&[1, 4, 10])
        } else {
            one(&[4, 10])
        };
        let c = one(&[0, 1, 1, 2]);
        if whole_ranges {
            (n, m) = (one(&[20, 24]), one(&[7, 8]));
        } else if rng.random_range(0..5) == 0 {
            n = m;
        }
        World {
            n,
            m,
            k,
            a: ["0", "1", "2", "0.5", "-1"].choose(rng).expect("not empty"),
            c,
            p: ["1", "2", "0", "2"].choose(rng).expect("not empty"),
            mode: ["sum", "mean"].choose(rng).expect("not empty"),
            w_is_empty: rng.random_range(0..4) == 0,
        }
    }

    /// What a run has: everything is something else.
    pub(super) fn other(self, rng: &mut ChaCha8Rng, facts: &World) -> World {
        let mut one = |all: &[usize]| *all.choose(rng).expect("not empty");
        let (n, m) = if facts.n < 30 {
            (one(&[27, 31]), one(&[10, 13]))
        } else {
            (one(&[7, 12, 23, 40]), one(&[5, 9, 14]))
        };
        World {
            n,
            m,
            k: one(&[3, 5]),
            c: if facts.c == 2 { 1 } else { one(&[2, 3]) },
            a: ["0.75", "3", "-2.5", "1.25"]
                .choose(rng)
                .expect("not empty"),
            p: if facts.p == "2" { "3" } else { "2" },
            mode: if facts.mode == "sum" { "mean" } else { "sum" },
            w_is_empty: false,
        }
    }

    /// The program around a body.
    pub(super) fn make(self, facts: &World, body: &str, rng: &mut ChaCha8Rng) -> Made {
        let mut made = Made {
            files: Vec::new(),
            optimized: MAIN,
            options: Vec::new(),
            run: MAIN,
            has_data: false,
        };
        let defaults: String = facts
            .values()
            .iter()
            .map(|(name, value)| format!("{name} = ifdef(${name}, {})\n", literal(value)))
            .collect();
        match self {
            Source::Lines | Source::Names => {
                let lines: String = facts_of(facts, self == Source::Names)
                    .iter()
                    .map(|fact| format!("#@ {fact}\n"))
                    .collect();
                made.main(format!("{lines}{}{defaults}{body}", reads()));
            }
            Source::Option => {
                for fact in facts_of(facts, false) {
                    made.options.extend(["--facts".to_owned(), fact]);
                }
                made.main(format!("{}{defaults}{body}", reads()));
            }
            Source::Metadata => {
                for (name, ..) in MATRICES {
                    made.set(name, &format!("{name}.ijv"));
                }
                made.has_data = true;
                made.main(format!("{}{defaults}{body}", reads()));
            }
            Source::FixedName => {
                let reads: String = MATRICES
                    .iter()
                    .map(|(name, ..)| format!("{name} = read(\"{name}.ijv\")\n"))
                    .collect();
                made.has_data = true;
                made.main(format!("{reads}{defaults}{body}"));
            }
            Source::Defaults => {
                let sizes: String = facts
                    .sizes()
                    .iter()
                    .map(|(name, value)| format!("{name} = ifdef(${name}, {value})\n"))
                    .collect();
                made.main(format!("{sizes}{}{defaults}{body}", random(rng)));
            }
            Source::Set | Source::ArgumentLines | Source::Configured => {
                let all = [&facts.sizes()[..], &facts.values()[..]].concat();
                let assigned: String = all
                    .iter()
                    .map(|(name, _)| format!("{name} = ${name}\n"))
                    .collect();
                let mut lines = String::new();
                for (name, value) in &all {
                    if self == Source::Set {
                        made.set(name, value);
                    } else if self == Source::ArgumentLines {
                        lines.push_str(&format!("#@ ${name} = {}\n", literal(value)));
                    }
                }
                if self == Source::Configured {
                    let args: String = all
                        .iter()
                        .map(|(name, value)| format!("{name} = {}\n", literal(value)))
                        .collect();
                    made.files
                        .push((CONFIGURATION.to_owned(), format!("[args]\n{args}")));
                }
                made.main(format!("{lines}{assigned}{}{body}", random(rng)));
            }
            Source::ReadSizes => {
                for (name, value) in facts.sizes() {
                    made.set(name, &value);
                }
                let reads: String = MATRICES
                    .iter()
                    .map(|(name, rows, cols)| {
                        let size = |dim: &char| match dim {
                            '1' => "1".to_owned(),
                            dim => format!("${dim}"),
                        };
                        let (rows, cols) = (size(rows), size(cols));
                        format!(
                            "{name} = read(${name}, rows={rows}, cols={cols}, format=\"text\")\n"
                        )
                    })
                    .collect();
                made.main(format!("{reads}{defaults}{body}"));
            }
            Source::Caller | Source::ParameterDefaults => {
                made.optimized = LIBRARY;
                made.run = OTHER;
                let with_defaults = self == Source::ParameterDefaults;
                let library = format!(
                    "{}{}",
                    function(facts, body, with_defaults),
                    demonstration(facts, with_defaults, rng)
                );
                made.files.push((LIBRARY.to_owned(), library));
                let other = format!(
                    "source(\"{LIBRARY}\") as library\n{}{defaults}z = library::work({})\nprint(z)\n",
                    reads(),
                    arguments(true)
                );
                made.files.push((OTHER.to_owned(), other));
            }
            Source::ScriptAndFunction => {
                let sizes: String = facts
                    .sizes()
                    .iter()
                    .map(|(name, value)| format!("{name} = ifdef(${name}, {value})\n"))
                    .collect();
                made.main(format!(
                    "{}{sizes}{}{defaults}z = work({})\nprint(z)\n",
                    function(facts, body, false),
                    random(rng),
                    arguments(true)
                ));
            }
        }
        made
    }

    /// The command line of a run in such a world.
    pub(super) fn run_arguments(self, world: &World) -> Vec<String> {
        let mut all: Vec<String> = Vec::new();
        let mut add = |name: &str, value: &str| all.push(format!("{name}={value}"));
        if self != Source::FixedName {
            for (name, ..) in MATRICES {
                add(name, &format!("{name}.ijv"));
            }
        }
        for (name, value) in [&world.sizes()[..], &world.values()[..]].concat() {
            add(name, &value);
        }
        all
    }
}

impl Made {
    fn main(&mut self, text: String) {
        let text = if text.ends_with('\n') {
            text
        } else {
            text + "\n"
        };
        self.files.push((MAIN.to_owned(), text));
    }

    fn set(&mut self, name: &str, value: &str) {
        self.options
            .extend(["--set".to_owned(), format!("{name}={value}")]);
    }
}

/// Text as a literal of DML and of TOML, numbers as they are.
fn literal(value: &str) -> String {
    if value.parse::<f64>().is_ok() {
        value.to_owned()
    } else {
        format!("\"{value}\"")
    }
}

fn reads() -> String {
    MATRICES
        .iter()
        .map(|(name, ..)| format!("{name} = read(${name})\n"))
        .collect()
}

fn facts_of(facts: &World, by_names: bool) -> Vec<String> {
    let size = |dim: char| {
        if by_names && dim != '1' {
            dim.to_string()
        } else {
            facts.size(dim).to_string()
        }
    };
    let mut all: Vec<String> = MATRICES
        .iter()
        .map(|(name, rows, cols)| {
            let sparsity = if *name == "w" && facts.w_is_empty {
                ", sparsity 0"
            } else {
                ""
            };
            format!("{name}: {} x {}{sparsity}", size(*rows), size(*cols))
        })
        .collect();
    if by_names {
        let values = facts.sizes();
        all.extend(values.map(|(name, value)| format!("{name} = {value}")));
    }
    all
}

/// Inputs made up in the script, of sizes n, m and k.
fn random(rng: &mut ChaCha8Rng) -> String {
    let mut text = String::new();
    for (seed, (name, rows, cols)) in MATRICES.iter().enumerate() {
        if rng.random_range(0..3) == 0 && *cols != '1' {
            text.push_str(&format!(
                "{name} = (matrix(seq(1, {rows} * {cols}), rows={rows}, cols={cols}) %% 13) / 4 - 1\n"
            ));
        } else {
            text.push_str(&format!(
                "{name} = rand(rows={rows}, cols={cols}, min=-1, max=1, seed={})\n",
                seed + 1
            ));
        }
    }
    text
}

fn function(facts: &World, body: &str, with_defaults: bool) -> String {
    let matrices: Vec<String> = MATRICES
        .iter()
        .map(|(name, ..)| format!("matrix[double] {name}"))
        .collect();
    let kinds = ["double", "int", "double", "string"];
    let values: Vec<String> = facts
        .values()
        .iter()
        .zip(kinds)
        .map(|((name, value), kind)| {
            if with_defaults {
                format!("{kind} {name} = {}", literal(value))
            } else {
                format!("{kind} {name}")
            }
        })
        .collect();
    let body: String = body.lines().map(|line| format!("  {line}\n")).collect();
    format!(
        "work = function({}, {}) return (double z) {{\n{body}  z = sum(w) + nrow(X)\n}}\n",
        matrices.join(", "),
        values.join(", ")
    )
}

fn arguments(with_values: bool) -> String {
    let matrices = MATRICES.iter().map(|(name, ..)| *name);
    let values = ["a", "c", "p", "mode"];
    let all: Vec<String> = matrices
        .chain(values.into_iter().filter(|_| with_values))
        .map(|name| format!("{name}={name}"))
        .collect();
    all.join(", ")
}

/// The only call of `work` in the library's own file.
fn demonstration(facts: &World, with_defaults: bool, rng: &mut ChaCha8Rng) -> String {
    let mut text = String::new();
    for (seed, (name, rows, cols)) in MATRICES.iter().enumerate() {
        let (rows, cols) = (facts.size(*rows), facts.size(*cols));
        let filled = (*name == "w" && facts.w_is_empty) || rng.random_range(0..6) == 0;
        text.push_str(&if filled {
            let number = if *name == "w" { 0 } else { 1 };
            format!("{name} = matrix({number}, rows={rows}, cols={cols})\n")
        } else {
            format!(
                "{name} = rand(rows={rows}, cols={cols}, min=-1, max=1, seed={})\n",
                seed + 1
            )
        });
    }
    if with_defaults {
        format!("{text}print(work({}))\n", arguments(false))
    } else {
        let values: String = facts
            .values()
            .iter()
            .map(|(name, value)| format!("{name} = {}\n", literal(value)))
            .collect();
        format!("{text}{values}print(work({}))\n", arguments(true))
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use sumac_syntax::parse;

    use super::*;

    #[test]
    fn every_program_reads_well_and_every_run_has_other_values() {
        for (seed, source) in (0..).zip(SOURCES) {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let facts = source.facts(&mut rng, false);
            let other = source.other(&mut rng, &facts);
            assert!(facts.n != other.n && facts.m != other.m && facts.k != other.k);
            assert!(facts.a != other.a && facts.c != other.c && facts.p != other.p);
            let made = source.make(&facts, "print(sum(X))", &mut rng);
            for (name, text) in &made.files {
                if name != CONFIGURATION {
                    assert!(
                        parse(text.as_str()).errors().is_empty(),
                        "{source:?}: {text}"
                    );
                }
            }
            assert!(made.files.iter().any(|(name, _)| name == made.optimized));
            assert!(made.files.iter().any(|(name, _)| name == made.run));
        }
    }

    #[test]
    fn data_files_have_what_their_description_says() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let facts = Source::Lines.facts(&mut rng, true);
        let world = Source::Lines.other(&mut rng, &facts);
        let [cells, described] = world.file("X", 'n', 'm', true);
        let count = cells.lines().count();
        assert!(
            described.contains(&format!("\"nnz\": {count},")),
            "{described}"
        );
        assert!(count > world.n * world.m / 2);
    }
}
