//! Nests as machine code: their C, compiled by the system's compiler, kept by content, and called.

#![allow(
    unsafe_code,
    reason = "code that a compiler made is loaded and called; each block says why it is what it should be"
)]

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::fs;
use std::hash::Hasher as _;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use libloading::Library;
use rustc_hash::FxHasher;

use super::bounds::proven;
use super::machine::check;
use super::real::Real;
use crate::nest::{Nest, c};
use crate::types::Scalar;

/// Objects that a folder keeps; the oldest go first.
const MOST_KEPT: usize = 200;

/// What the C is compiled with.
const FLAGS: [&str; 7] = [
    "-std=gnu11",
    "-O3",
    "-march=native",
    "-shared",
    "-fPIC",
    "-Wno-psabi",
    // What is called from outside is said to be; nothing else has a name there, so no library's function takes its place.
    "-fvisibility=hidden",
];
/// Compilers prefer half of the widest vectors otherwise.
const WIDE: &str = "-mprefer-vector-width=512";
const PARALLEL: &str = "-fopenmp";

/// The function that is called.
const ENTRY: &str = "sumac_nest";
/// The function of the nest itself.
const INNER: &str = "sumac_inner";

/// A C compiler of this system.
#[derive(Clone, Debug)]
pub struct Compiler {
    program: OsString,
    version: String,
}

impl Compiler {
    /// The compiler that the variable `CC` names, or `cc`; `None` where there is none.
    #[must_use]
    pub fn find() -> Option<Self> {
        let named = std::env::var_os("CC").filter(|name| !name.is_empty());
        Self::named(&named.unwrap_or_else(|| OsString::from("cc")))
    }

    /// The compiler of this name; `None` where there is none.
    #[must_use]
    pub fn named(program: &OsStr) -> Option<Self> {
        let output = Command::new(program).arg("--version").output().ok()?;
        let version = String::from_utf8_lossy(&output.stdout).into_owned();
        output.status.success().then(|| Compiler {
            program: program.to_owned(),
            version,
        })
    }

    /// What it says of itself, in one line.
    #[must_use]
    pub fn version(&self) -> &str {
        self.version.lines().next().unwrap_or_default()
    }

    /// The machine code of a nest, from the folder or newly made and kept there.
    ///
    /// # Errors
    /// A place may be outside of its buffer, the folder cannot be written, or the compiler refuses: text for a person.
    pub fn compile(&self, nest: &Nest, folder: &Path) -> Result<Compiled, String> {
        proven(nest)?;
        let nest = &anonymous(nest);
        // SAFETY: the text is the nest's own, all of whose places are inside.
        unsafe { self.compile_by_hand(nest, &c::text(nest), folder) }
    }

    /// The machine code of a text that stands for a nest's C.
    ///
    /// # Safety
    /// The text defines the function that the nest's own C would define, and it touches no place outside of its buffers.
    ///
    /// # Errors
    /// As [`Compiler::compile`].
    pub unsafe fn compile_by_hand(
        &self,
        nest: &Nest,
        text: &str,
        folder: &Path,
    ) -> Result<Compiled, String> {
        let mut text = text.to_owned();
        let is_parallel = text.contains("#pragma omp");
        entry(nest, &mut text);
        let object = self.object(&text, is_parallel, folder)?;
        Compiled::load(nest, &object).or_else(|_| {
            // What is kept may be damaged.
            fs::remove_file(&object).map_err(|error| format!("{}: {error}", object.display()))?;
            let object = self.object(&text, is_parallel, folder)?;
            Compiled::load(nest, &object)
        })
    }

    /// The shared object of a text that defines [`ENTRY`], by its content.
    fn object(&self, text: &str, is_parallel: bool, folder: &Path) -> Result<PathBuf, String> {
        let mut flags = FLAGS.to_vec();
        if cfg!(target_arch = "x86_64") {
            flags.push(WIDE);
        }
        if is_parallel {
            flags.push(PARALLEL);
        }
        // All that the object depends on stands in the text that is kept beside it.
        let source = format!(
            "// {}\n// {}\n// {}\n{text}",
            self.version(),
            flags.join(" "),
            processor()
        );
        let mut hasher = FxHasher::default();
        hasher.write(source.as_bytes());
        let name = format!("{:016x}", hasher.finish());
        let wrong = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
        fs::create_dir_all(folder).map_err(|error| wrong(folder, error))?;
        let kept = folder.join(format!("{name}.c"));
        let object = folder.join(format!("{name}.so"));
        let is_kept = || {
            let known = fs::read_to_string(&kept).ok()?;
            Some(known.strip_prefix(&source)? == sealed(&object).ok()?)
        };
        if is_kept() == Some(true) {
            return Ok(object);
        }
        prune(folder);
        // Others may do the same at this time: files get their names when they are whole.
        let making = Making::begin(folder).map_err(|error| wrong(folder, error))?;
        let own = |end: &str| making.0.join(format!("{name}{end}"));
        let (made, written) = (own(".so"), own(".c"));
        fs::write(&written, &source).map_err(|error| wrong(&written, error))?;
        let output = Command::new(&self.program)
            .args(&flags)
            // Whoever runs this may write nowhere else.
            .env("TMPDIR", &making.0)
            .arg("-o")
            .args([&made, &written])
            .output()
            .map_err(|error| format!("{}: {error}", self.program.display()))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(format!(
                "the compiler `{}` makes nothing of the C of the nest in {}: {}",
                self.program.display(),
                folder.display(),
                said.trim()
            ));
        }
        let sealed = source + &sealed(&made).map_err(|error| wrong(&made, error))?;
        fs::write(&written, sealed).map_err(|error| wrong(&written, error))?;
        put(&made, &object).map_err(|error| wrong(&object, error))?;
        put(&written, &kept).map_err(|error| wrong(&kept, error))?;
        Ok(object)
    }
}

/// What is kept behind the text of an object: how long the object is, and a hash of it. One that was cut off would end the process
/// that loads it.
fn sealed(object: &Path) -> std::io::Result<String> {
    let bytes = fs::read(object)?;
    let mut hasher = FxHasher::default();
    hasher.write(&bytes);
    Ok(format!("// {} {:016x}\n", bytes.len(), hasher.finish()))
}

/// What folders in which something is made begin with; the number of their process follows.
const MAKING: &str = "making.";

/// A folder for what a compiler writes on the way. It goes with this; where its process was killed, with the next one.
struct Making(PathBuf);

impl Making {
    fn begin(folder: &Path) -> std::io::Result<Self> {
        for entry in fs::read_dir(folder)?.flatten() {
            let name = entry.file_name();
            let process = name.to_str().and_then(|name| name.strip_prefix(MAKING));
            if process.is_some_and(is_gone) {
                // Somebody else may be as fast.
                let _ = fs::remove_dir_all(entry.path());
            }
        }
        let own = folder.join(format!("{MAKING}{}", std::process::id()));
        // One process makes one thing at a time; what has its name is left of another one.
        let _ = fs::remove_dir_all(&own);
        fs::create_dir(&own)?;
        Ok(Making(own))
    }
}

impl Drop for Making {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Whether it is sure that there is no process of this number.
fn is_gone(process: &str) -> bool {
    let all = Path::new("/proc/self");
    process.bytes().all(|byte| byte.is_ascii_digit())
        && all.exists()
        && !all.with_file_name(process).exists()
}

/// Gives a file its name, from a folder to the one around it.
fn put(from: &Path, to: &Path) -> std::io::Result<()> {
    if fs::rename(from, to).is_ok() {
        return Ok(());
    }
    // Some systems that confine a process let no file change its folder.
    let beside = to.with_extension(format!("{}.part", std::process::id()));
    fs::copy(from, &beside)?;
    fs::rename(&beside, to)
}

/// The same nest with names of our own: those of a program are a person's, and may be those of anything in C.
fn anonymous(nest: &Nest) -> Nest {
    let mut nest = nest.clone();
    INNER.clone_into(&mut nest.name);
    for (number, buffer) in nest.buffers.iter_mut().enumerate() {
        buffer.name = format!("sumac_b{number}_");
    }
    nest
}

/// Removes the oldest files of a folder that is full.
fn prune(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    let mut known: Vec<(SystemTime, PathBuf)> = entries
        .flatten()
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .filter(|(_, path)| path.extension().is_some_and(|end| end == "so"))
        .collect();
    known.sort();
    let surplus = (known.len() + 1).saturating_sub(MOST_KEPT);
    for (_, path) in &known[..surplus] {
        // What another one removed is gone as well.
        let _ = fs::remove_file(path);
        let _ = fs::remove_file(path.with_extension("c"));
    }
}

/// The processor that `-march=native` is about.
fn processor() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = |name: &str| {
        let found = text.lines().find(|line| line.starts_with(name));
        found.unwrap_or_default().to_owned()
    };
    format!(
        "{} {} {}",
        std::env::consts::ARCH,
        line("model name"),
        line("flags")
    )
}

/// A function with the same parameters for every nest.
fn entry(nest: &Nest, text: &mut String) {
    let ty = match nest.scalar {
        Scalar::F32 => "float",
        Scalar::F64 => "double",
    };
    let given: Vec<String> = (0..nest.inputs).map(|n| format!("inputs[{n}], ")).collect();
    let _ = writeln!(
        text,
        "\n__attribute__((visibility(\"default\"))) void {ENTRY}(const {ty} *const *inputs, {ty} *out) {{\n  {}({}out);\n}}",
        nest.name,
        given.concat()
    );
}

/// The machine code of a nest.
#[derive(Debug)]
pub struct Compiled {
    /// Never unloaded: threads that it started may still be in the library of parallel loops.
    library: ManuallyDrop<Library>,
    scalar: Scalar,
    inputs: usize,
    lens: Vec<usize>,
}

/// The entry: inputs, and the result.
type Entry<T> = unsafe extern "C" fn(*const *const T, *mut T);

impl Compiled {
    fn load(nest: &Nest, object: &Path) -> Result<Self, String> {
        let len = |n: i64| usize::try_from(n).map_err(|_| "a buffer is too large".to_owned());
        // SAFETY: the object was made from C that this program wrote, which has nothing that runs when it is loaded.
        let library = unsafe { Library::new(object) };
        let wrong = |error: libloading::Error| format!("{}: {error}", object.display());
        let library = library.map_err(wrong)?;
        // SAFETY: only whether it is there is asked.
        unsafe { library.get::<*const ()>(ENTRY.as_bytes()) }.map_err(wrong)?;
        Ok(Compiled {
            library: ManuallyDrop::new(library),
            scalar: nest.scalar,
            inputs: nest.inputs,
            lens: nest
                .buffers
                .iter()
                .map(|buffer| len(buffer.len))
                .collect::<Result<_, _>>()?,
        })
    }

    /// Computes the result from the inputs, each as its numbers in order.
    ///
    /// # Errors
    /// It is on other numbers, has other inputs, or the result has another size: text for a person.
    pub fn run<T: Real>(&self, inputs: &[&[T]], out: &mut [T]) -> Result<(), String> {
        if self.scalar != T::SCALAR {
            return Err(format!(
                "the code is on {}, not on {}",
                self.scalar.name(),
                T::SCALAR.name()
            ));
        }
        check(&self.lens, self.inputs, inputs, out)?;
        let given: Vec<*const T> = inputs.iter().map(|input| input.as_ptr()).collect();
        // SAFETY: the entry is written by `entry` with this type, for the number type that was just compared.
        let entry = unsafe { self.library.get::<Entry<T>>(ENTRY.as_bytes()) };
        let entry = entry.map_err(|error| error.to_string())?;
        // SAFETY: the nest touches no place outside of its buffers, which was proven before it was compiled, and these have
        // the sizes that it was proven for. The result is borrowed alone, and inputs are only read.
        unsafe { entry(given.as_ptr(), out.as_mut_ptr()) };
        Ok(())
    }
}
