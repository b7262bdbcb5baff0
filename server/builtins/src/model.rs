//! What is known of a builtin: plain data, as the rows of the table say it.

/// One builtin function.
#[derive(Clone, PartialEq, Debug)]
pub struct Builtin {
    /// Its name.
    pub name: &'static str,
    /// Other names of the same function.
    pub aliases: Vec<&'static str>,
    /// Where SystemDS has it from.
    pub source: Source,
    /// Its parameters, in the order of positional arguments.
    pub params: Vec<Param>,
    /// Whether more arguments may follow the parameters.
    pub variadic: bool,
    /// Whether SystemDS reads the names of arguments, and so refuses one that no parameter has.
    pub named: bool,
    /// What it gives; empty if it is called for its effect.
    pub results: Vec<ResultValue>,
    /// The fewest names that a call can give its results to: SystemDS lets some calls ignore the last ones.
    pub fewest_results: usize,
    /// Where the sizes of the results come from.
    pub shape: ShapeRule,
    /// Whether two calls with equal arguments give equal results and have no other effect.
    pub pure: bool,
    /// One sentence on what it does.
    pub summary: &'static str,
    /// What to call in its place, if it should not be used any more.
    pub deprecated: Option<&'static str>,
    /// The theme it belongs to.
    pub group: Group,
}

impl Builtin {
    /// The parameter of that name.
    #[must_use]
    pub fn param(&self, name: &str) -> Option<&Param> {
        self.params.iter().find(|param| param.name == name)
    }

    /// Its name and its other names.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }

    /// The fewest arguments of a call.
    #[must_use]
    pub fn fewest(&self) -> usize {
        let required = |param: &&Param| param.default == Presence::Required;
        self.params.iter().filter(required).count()
    }

    /// The most arguments of a call, if there is such a number.
    #[must_use]
    pub fn most(&self) -> Option<usize> {
        (!self.variadic).then_some(self.params.len())
    }
}

/// Where SystemDS has a function from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// The engine itself.
    Native,
    /// A DML script that comes with it.
    Script,
}

/// A parameter of a builtin.
#[derive(Clone, PartialEq, Debug)]
pub struct Param {
    /// Its name, as in `name = value`.
    pub name: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// Whether a call may leave it out.
    pub default: Presence,
    /// What it means: a phrase without a full stop.
    pub summary: &'static str,
    /// The values it can have, as they are written in a script; empty if there is no such list.
    pub values: Vec<&'static str>,
}

/// Whether a call has to give a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Presence {
    /// Every call gives it.
    Required,
    /// It may be left out; the text of its default, where it has one.
    Optional(Option<&'static str>),
}

/// What a builtin gives.
#[derive(Clone, PartialEq, Debug)]
pub struct ResultValue {
    /// Its name in the function's header; empty for most functions of the engine.
    pub name: &'static str,
    /// What it is. [`Kind::Numeric`] is a matrix if any numeric argument is one.
    pub kind: Kind,
    /// Rows and columns of a matrix or frame, where the arguments decide them.
    pub size: Option<Size>,
}

/// Rows and columns.
#[derive(Clone, PartialEq, Debug)]
pub struct Size {
    /// Number of rows.
    pub rows: Extent,
    /// Number of columns.
    pub cols: Extent,
}

/// A number of rows or columns, from the arguments of a call.
#[derive(Clone, PartialEq, Debug)]
pub enum Extent {
    /// Not decided by what is known before a run.
    Unknown,
    /// This number.
    Number(u64),
    /// The rows of the argument at this place.
    Rows(usize),
    /// The columns of the argument at this place.
    Cols(usize),
    /// The value of the argument at this place.
    Value(usize),
    /// One if the argument at this place is greater than that number, otherwise nothing.
    Above(usize, u64),
    /// A sum.
    Sum(Box<Extent>, Box<Extent>),
    /// A difference.
    Difference(Box<Extent>, Box<Extent>),
    /// A product.
    Product(Box<Extent>, Box<Extent>),
    /// The smaller of two.
    Least(Box<Extent>, Box<Extent>),
    /// One of two, by the truth value of the argument at this place.
    Choice(usize, Box<Extent>, Box<Extent>),
}

/// Where the sizes of results come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ShapeRule {
    /// Nothing is known before a run.
    Unknown,
    /// The function is an operator of linear algebra: the table of operators says it.
    Operator,
    /// Each result says its own, as far as it is known.
    Results,
    /// The arguments decide it in a way of their own (`matrix`, `rand`, `seq`, `read`).
    Special,
}

/// Makes an enumeration whose variants have a text of their own.
macro_rules! texts {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum $name { $($(#[$doc])* $variant,)* }

        impl $name {
            /// All of them, in the order in which they are shown.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// How it is written.
            #[must_use]
            pub fn text(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.text())
            }
        }
    };
}

texts! {
    /// What a parameter takes or a result is.
    Kind {
        /// A matrix of numbers.
        Matrix = "matrix",
        /// A frame: a table whose columns have types of their own.
        Frame = "frame",
        /// A matrix or a frame.
        Tabular = "matrix|frame",
        /// A matrix or a single number.
        Numeric = "matrix|scalar",
        /// A list.
        List = "list",
        /// A tensor.
        Tensor = "tensor",
        /// Text.
        String = "string",
        /// A whole number.
        Int = "int",
        /// A number.
        Double = "double",
        /// A truth value.
        Bool = "bool",
        /// A single value of any type.
        Scalar = "scalar",
        /// Anything.
        Any = "any",
    }
}

texts! {
    /// The theme of a builtin. Its text is the heading over its functions.
    Group {
        /// Sums, means, extremes, and other summaries of cells.
        Aggregates = "Aggregates",
        /// Functions of each cell.
        Cellwise = "Cell by cell",
        /// Moving, selecting, and joining cells.
        Reorganize = "Reorganizing",
        /// From one kind of value to another.
        Casts = "Casts and types",
        /// Files and the terminal.
        Io = "Input and output",
        /// Matrices from nothing.
        Construct = "Making matrices, frames and lists",
        /// Factorizations and solvers.
        LinearAlgebra = "Linear algebra",
        /// Layers of neural networks.
        NeuralNetworks = "Neural networks",
        /// Frames and their transformations.
        Frames = "Frames and transformations",
        /// Evaluation, compression, and what concerns the run itself.
        Control = "Control of a run",
        /// Distributions and statistics.
        Statistics = "Statistics",
        /// Predicting numbers.
        Regression = "Regression",
        /// Predicting classes.
        Classification = "Classification",
        /// Grouping of rows.
        Clustering = "Clustering and neighbours",
        /// Smaller forms of data.
        Reduction = "Factors and reduced dimensions",
        /// Order in time.
        TimeSeries = "Time series",
        /// Repair of data.
        Cleaning = "Cleaning and imputation",
        /// Features and samples for a model.
        Preparation = "Preparing data",
        /// Errors and scores of models.
        Metrics = "Scores and errors",
        /// Search for parameters and pipelines, and debugging of models.
        Tuning = "Pipelines, tuning and debugging of models",
        /// Pictures.
        Images = "Images",
        /// Graphs, sets, and relations.
        Graphs = "Graphs, sets and relations",
    }
}
