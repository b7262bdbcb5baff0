//! An escape as data: what lies in a workspace, what is typed there, and what must be so afterwards. Nothing here touches a
//! disk.

/// Something that lies in the workspace before the command is typed. Paths are from the folder of the workspace; in them and in
/// texts, names in braces stand for places ([`super::world::Places`]).
#[derive(Clone, Debug)]
pub(super) enum Put {
    Text(String, String),
    Bytes(String, Vec<u8>),
    /// A symbolic link, and what it says.
    Link(String, String),
    /// A second name of a file.
    Hard(String, String),
    Folder(String),
    Pipe(String),
    Socket(String),
    /// A file that may be executed.
    Program(String, String),
    /// A file of so many bytes that takes no room on the disk.
    Hollow(String, u64),
    /// Code in the place of what an earlier run compiled and kept.
    PlantedObjects {
        /// Whether others may write to the folder as well.
        is_open: bool,
    },
}

/// What a person does.
#[derive(Clone, Debug)]
pub(super) enum Act {
    /// Types `sumac` and these words.
    Typed(Vec<String>),
    /// Opens a script of this text in an editor, in a workspace that is not trusted.
    Opened(String),
}

/// How the command ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ends {
    /// With a refusal.
    Refused,
    /// As if nothing were wrong: what it did stayed inside.
    Well,
    /// In one of both ways, by what the system and the file system know.
    Either,
}

/// What changes under the feet of a run: at this place in the workspace stands a folder or a file at one moment, and a link at
/// the next.
#[derive(Clone, Debug)]
pub(super) struct Race {
    pub(super) place: String,
    pub(super) to: String,
}

/// What a command may take, besides what the program takes by itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub(super) seconds: f64,
    pub(super) bytes: u64,
}

/// What no command of these here needs.
const USUAL: Bounds = Bounds {
    seconds: 60.0,
    bytes: 1 << 30,
};

/// A way out that is tried.
#[derive(Clone, Debug)]
pub(super) struct Escape {
    /// In words; each has its own.
    pub(super) name: String,
    pub(super) put: Vec<Put>,
    pub(super) act: Act,
    /// Where the command is typed, from the workspace.
    pub(super) folder: String,
    /// Variables that are set beside the usual ones; with nothing, taken away.
    pub(super) environment: Vec<(&'static str, Option<String>)>,
    pub(super) ends: Ends,
    /// Files and folders of the workspace that may be new or changed afterwards.
    pub(super) may: Vec<String>,
    /// What must not be said.
    pub(super) unsaid: Vec<String>,
    pub(super) bounds: Bounds,
    pub(super) race: Option<Race>,
}

impl Escape {
    /// Words that are typed in the workspace; refused, and nothing may change.
    pub(super) fn typed(name: impl Into<String>, words: &[&str]) -> Self {
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        Escape::new(name, Act::Typed(words))
    }

    /// A script that is run.
    pub(super) fn run(name: impl Into<String>, script: impl Into<String>) -> Self {
        Escape::typed(name, &["run", SCRIPT]).text(SCRIPT, script)
    }

    /// A script that is opened in an editor; the session goes on.
    pub(super) fn opened(name: impl Into<String>, script: impl Into<String>) -> Self {
        Escape::new(name, Act::Opened(script.into())).ends(Ends::Well)
    }

    fn new(name: impl Into<String>, act: Act) -> Self {
        Escape {
            name: name.into(),
            put: Vec::new(),
            act,
            folder: String::new(),
            environment: Vec::new(),
            ends: Ends::Refused,
            may: Vec::new(),
            unsaid: Vec::new(),
            bounds: USUAL,
            race: None,
        }
    }

    pub(super) fn put(mut self, put: Put) -> Self {
        self.put.push(put);
        self
    }

    pub(super) fn text(self, path: &str, text: impl Into<String>) -> Self {
        self.put(Put::Text(path.to_owned(), text.into()))
    }

    pub(super) fn link(self, path: &str, to: &str) -> Self {
        self.put(Put::Link(path.to_owned(), to.to_owned()))
    }

    pub(super) fn ends(mut self, ends: Ends) -> Self {
        self.ends = ends;
        self
    }

    pub(super) fn may(mut self, path: &str) -> Self {
        self.may.push(path.to_owned());
        self
    }

    pub(super) fn unsaid(mut self, text: &str) -> Self {
        self.unsaid.push(text.to_owned());
        self
    }

    pub(super) fn within(mut self, seconds: f64, bytes: u64) -> Self {
        self.bounds = Bounds { seconds, bytes };
        self
    }

    pub(super) fn from(mut self, folder: &str) -> Self {
        folder.clone_into(&mut self.folder);
        self
    }

    pub(super) fn with(mut self, variable: &'static str, value: Option<&str>) -> Self {
        self.environment.push((variable, value.map(str::to_owned)));
        self
    }

    pub(super) fn race(mut self, place: &str, to: &str) -> Self {
        self.race = Some(Race {
            place: place.to_owned(),
            to: to.to_owned(),
        });
        self
    }

    /// Whether a script has letters that no script may have: it is refused as it is read.
    pub(super) fn is_unreadable(&self) -> bool {
        self.put
            .iter()
            .any(|put| matches!(put, Put::Text(_, text) if text.contains('\u{0}')))
    }

    /// Whether a script is run: such a command may be told to write where the system keeps it from nothing.
    pub(super) fn is_run(&self) -> bool {
        matches!(&self.act, Act::Typed(words) if words.first().is_some_and(|word| word == "run"))
    }
}

/// The script of [`Escape::run`].
pub(super) const SCRIPT: &str = "a.dml";
/// What a script prints before it tries to write: whoever does not come so far tries nothing.
pub(super) const TRIED: &str = "the way is tried";

/// A script that writes a matrix to a place, in the format that is named.
pub(super) fn writing_as(place: &str, format: &str) -> String {
    format!(
        "print(\"{TRIED}\")\nX = matrix(7, rows=2, cols=2)\nwrite(X, \"{place}\", format=\"{format}\")\n"
    )
}

/// A script that writes a matrix to a place.
pub(super) fn writing(place: &str) -> String {
    writing_as(place, "csv")
}
