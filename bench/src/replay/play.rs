//! One session said again.
//!
//! The order of then is kept: before the client says something, the server must have said what it had said by then. So
//! each question meets the text that it met then, however fast the server is now. Compared is what a text determines:
//! answers to requests that no change overtook, and the problems published for a version; and what searches found, where
//! these had ended. What tells of the moment, or of time, is not compared.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::Speed;
use super::recording::{Entry, From};
use crate::bench::times::Times;
use crate::client::{Session, consent};
use crate::difference;

/// How long to wait for what the server had said.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long to wait for something better once there is something.
const SECOND_THOUGHTS: Duration = Duration::from_secs(10);

/// Methods whose answers tell what searches have found so far.
const OF_SEARCHES: &[&str] = &[
    "textDocument/hover",
    "textDocument/inlayHint",
    "textDocument/codeLens",
    "textDocument/codeAction",
];
/// Methods whose answers tell of the moment, and not of the text.
const OF_THE_MOMENT: &[&str] = &[
    "codeAction/resolve",
    "codeLens/resolve",
    "workspace/executeCommand",
    "workspace/symbol",
    "sumac/alternatives",
    "sumac/document",
    "sumac/status",
];
/// By this the server says that a search has found something.
const FOUND: &str = "workspace/inlayHint/refresh";
/// Parts of answers that name the server or the answer, and not what it says.
const NAMES: &[&str] = &["/result/serverInfo/version", "/result/resultId"];
/// Requests of the server whose answers change what it says next.
const CHANGES_THE_SERVER: &[&str] = &["workspace/configuration", "client/registerCapability"];

/// What a replay found.
#[derive(Debug, Default)]
pub(super) struct Played {
    /// Where, what was expected, what was found.
    pub(super) differences: Vec<String>,
    pub(super) compared: usize,
    /// Then and now, by what was waited for.
    times: BTreeMap<String, [Vec<Duration>; 2]>,
}

impl fmt::Display for Played {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (what, [then, now]) in &self.times {
            let (then, now) = (
                Times::new(then.iter().copied()),
                Times::new(now.iter().copied()),
            );
            writeln!(
                f,
                "{what}: median {:.1} ms, p99 {:.1} ms (recorded: {:.1} and {:.1} ms), n = {}",
                now.median(),
                now.percentile(99),
                then.median(),
                then.percentile(99),
                now.len()
            )?;
        }
        for difference in &self.differences {
            writeln!(f, "DIFFERENT {difference}")?;
        }
        write!(f, "{} answers compared", self.compared)
    }
}

/// Plays a session to its end, or to the server's.
pub(super) fn play(session: Session, entries: &[Entry], speed: Speed) -> Played {
    let mut player = Player {
        session,
        said: Said::default(),
        played: Played::default(),
        began: Instant::now(),
        asked_again: 0,
    };
    let answers = recorded_answers(entries);
    player.session.answer_with(Box::new(move |method, params| {
        let mut answers = answers.borrow_mut();
        let recorded = answers.get_mut(method).and_then(VecDeque::pop_front);
        recorded.unwrap_or_else(|| consent(method, params))
    }));
    for (index, entry) in entries.iter().enumerate() {
        let done = match entry.from {
            From::Client => player.say(entry, speed),
            From::Server => player.hear(entries, index),
        };
        if let Err(error) = done {
            player.differs(entry, &format!("{error:#}"));
            break;
        }
    }
    player.played
}

/// What the client answered to the server's requests, by method, in their order.
fn recorded_answers(entries: &[Entry]) -> std::cell::RefCell<BTreeMap<String, VecDeque<Value>>> {
    let mut answers: BTreeMap<String, VecDeque<Value>> = BTreeMap::new();
    for asked in entries.iter().filter(|entry| entry.from == From::Server) {
        let (Some(method), Some(id)) = (asked.method(), asked.id()) else {
            continue;
        };
        let is_answer = |entry: &&Entry| {
            entry.from == From::Client && entry.method().is_none() && entry.id() == Some(id)
        };
        if let Some(answer) = entries.iter().find(is_answer) {
            let result = answer.message["result"].clone();
            answers
                .entry(method.to_owned())
                .or_default()
                .push_back(result);
        }
    }
    answers.into()
}

struct Player {
    session: Session,
    said: Said,
    played: Played,
    began: Instant,
    asked_again: usize,
}

/// What the server has said in the replay, and when the client asked for it.
#[derive(Default)]
struct Said {
    answers: BTreeMap<String, (Instant, Value)>,
    /// By document and version, in their order.
    problems: BTreeMap<(String, i64), Vec<(Instant, Value)>>,
    requests: BTreeMap<String, usize>,
    /// When the client asked by id, and how often something had been found by then.
    asked: BTreeMap<String, (Instant, usize)>,
    /// When the client told of a version.
    told: BTreeMap<(String, i64), Instant>,
}

impl Said {
    /// How often the server has said that something was found.
    fn found(&self) -> usize {
        self.requests.get(FOUND).copied().unwrap_or_default()
    }
}

impl Player {
    fn say(&mut self, entry: &Entry, speed: Speed) -> anyhow::Result<()> {
        // Its answers are given when the server asks.
        let Some(method) = entry.method() else {
            return Ok(());
        };
        if speed == Speed::AsRecorded {
            let due = self.began + entry.at;
            while Instant::now() < due && self.listen(due)? {}
        }
        if let Some((uri, version)) = entry.versioned() {
            let key = (uri.to_owned(), version);
            self.said.told.insert(key, Instant::now());
        }
        if let Some(id) = entry.id() {
            let asked = (Instant::now(), self.said.found());
            self.said.asked.insert(id.to_string(), asked);
        }
        let is_exit = method == "exit";
        if method == "initialize" {
            // The editor of then is gone, and a server ends with who started it.
            let mut message = entry.message.clone();
            message["params"]["processId"] = Value::Null;
            self.session.send(&message)?;
        } else {
            self.session.send(&entry.message)?;
        }
        if is_exit {
            self.session.wait()?;
        }
        Ok(())
    }

    /// Waits for what the server had said, and compares.
    fn hear(&mut self, entries: &[Entry], index: usize) -> anyhow::Result<()> {
        let entry = &entries[index];
        match (entry.method(), entry.id()) {
            (None, Some(id)) => self.hear_answer(entries, index, &id.to_string()),
            (Some("textDocument/publishDiagnostics"), _) => self.hear_problems(entries, index),
            (Some(method), Some(_)) if CHANGES_THE_SERVER.contains(&method) => {
                let is_same =
                    |other: &&Entry| other.from == From::Server && other.method() == Some(method);
                let count = entries[..=index].iter().filter(is_same).count();
                let asked = |said: &Said| said.requests.get(method).copied() >= Some(count);
                if !self.listen_until(PATIENCE, asked)? {
                    self.differs(entry, &format!("the server did not ask for {method}"));
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn hear_answer(&mut self, entries: &[Entry], index: usize, id: &str) -> anyhow::Result<()> {
        let entry = &entries[index];
        let is_request = |other: &Entry| {
            other.from == From::Client
                && other.method().is_some()
                && other.id().map(Value::to_string).as_deref() == Some(id)
        };
        let Some(asked_at) = entries[..index].iter().rposition(is_request) else {
            return Ok(());
        };
        let method = entries[asked_at].method().unwrap_or_default().to_owned();
        if !self.listen_until(PATIENCE, |said| said.answers.contains_key(id))? {
            self.differs(entry, &format!("{method} was not answered"));
            return Ok(());
        }
        let Some((at, answer)) = self.said.answers.remove(id) else {
            return Ok(());
        };
        let mut found = 0;
        if let Some((asked, found_by_then)) = self.said.asked.get(id).copied() {
            let then = entry.at.saturating_sub(entries[asked_at].at);
            self.timed(&method, then, at.duration_since(asked));
            found = found_by_then;
        }
        let was_overtaken = entries[asked_at..index].iter().any(changes_something);
        let of_searches = OF_SEARCHES.contains(&method.as_str());
        if was_overtaken
            || OF_THE_MOMENT.contains(&method.as_str())
            || (of_searches && !searches_had_ended(entries, asked_at, index))
        {
            return Ok(());
        }
        self.played.compared += 1;
        let mut different = difference(&entry.message, &answer);
        if of_searches {
            // Perhaps they have not ended yet: asks again as often as something is found, as an editor does.
            let deadline = Instant::now() + SECOND_THOUGHTS;
            while different.is_some()
                && let Some(answer) =
                    self.ask_again(&entries[asked_at].message, &mut found, deadline)?
            {
                different = difference(&entry.message, &answer);
            }
        }
        if let Some(different) = different {
            let asked = entries[asked_at].line;
            self.differs(
                entry,
                &format!("{method} (asked in line {asked}) {different}"),
            );
        }
        Ok(())
    }

    /// The answer to the same question once more was found than when it was asked, which may have been while it was being
    /// answered; none if nothing is found before the deadline.
    fn ask_again(
        &mut self,
        question: &Value,
        found: &mut usize,
        deadline: Instant,
    ) -> anyhow::Result<Option<Value>> {
        let before = *found;
        let left = deadline.saturating_duration_since(Instant::now());
        if !self.listen_until(left, |said| said.found() > before)? {
            return Ok(None);
        }
        *found = self.said.found();
        self.asked_again += 1;
        let id = Value::from(format!("again {}", self.asked_again));
        let mut question = question.clone();
        question["id"] = id.clone();
        self.session.send(&question)?;
        let id = id.to_string();
        self.listen_until(PATIENCE, |said| said.answers.contains_key(&id))?;
        Ok(self.said.answers.remove(&id).map(|(_, answer)| answer))
    }

    fn hear_problems(&mut self, entries: &[Entry], index: usize) -> anyhow::Result<()> {
        let entry = &entries[index];
        let Some((uri, version)) = entry.versioned() else {
            return Ok(());
        };
        let key = (uri.to_owned(), version);
        let then = &entry.message["params"]["diagnostics"];
        let came = |said: &Said| said.problems.contains_key(&key);
        if !self.listen_until(PATIENCE, came)? {
            self.differs(
                entry,
                &format!("no problems were published for version {version} of {uri}"),
            );
            return Ok(());
        }
        let is_first = !entries[..index].iter().any(|other| {
            other.method() == entry.method() && other.versioned() == entry.versioned()
        });
        let told = entries[..index]
            .iter()
            .rev()
            .find(|other| other.from == From::Client && other.versioned() == entry.versioned());
        if let (true, Some(told), Some(now)) = (is_first, told, self.said.told.get(&key)) {
            let first = self.said.problems[&key][0].0;
            let now = first.duration_since(*now);
            let change = told.method().unwrap_or_default();
            let what = format!("{change} until its problems are published");
            self.timed(&what, entry.at.saturating_sub(told.at), now);
        }
        self.played.compared += 1;
        let same = |said: &Said| said.problems[&key].iter().any(|(_, now)| now == then);
        if !self.listen_until(SECOND_THOUGHTS, same)? {
            let now = &self.said.problems[&key];
            let (_, now) = now.last().expect("one has come");
            let difference = difference::first(then, now).unwrap_or_default();
            self.differs(
                entry,
                &format!("problems of version {version} of {uri} {difference}"),
            );
        }
        Ok(())
    }

    fn timed(&mut self, what: &str, then: Duration, now: Duration) {
        let [all_then, all_now] = self.played.times.entry(what.to_owned()).or_default();
        all_then.push(then);
        all_now.push(now);
    }

    fn differs(&mut self, entry: &Entry, what: &str) {
        self.played
            .differences
            .push(format!("line {}: {what}", entry.line));
    }

    /// Listens until this holds; says whether it came to hold.
    fn listen_until(
        &mut self,
        patience: Duration,
        holds: impl Fn(&Said) -> bool,
    ) -> anyhow::Result<bool> {
        let deadline = Instant::now() + patience;
        while !holds(&self.said) {
            if !self.listen(deadline)? {
                return Ok(holds(&self.said));
            }
        }
        Ok(true)
    }

    /// Takes one message; says whether one came in time.
    fn listen(&mut self, deadline: Instant) -> anyhow::Result<bool> {
        let Some((at, message)) = self.session.next_before(deadline)? else {
            return Ok(false);
        };
        let id = message.get("id").map(Value::to_string);
        match (message["method"].as_str(), id) {
            (None, Some(id)) => {
                self.said.answers.insert(id, (at, message));
            }
            (Some("textDocument/publishDiagnostics"), _) => {
                let params = &message["params"];
                if let (Some(uri), Some(version)) =
                    (params["uri"].as_str(), params["version"].as_i64())
                {
                    let problems = self
                        .said
                        .problems
                        .entry((uri.to_owned(), version))
                        .or_default();
                    problems.push((at, params["diagnostics"].clone()));
                }
            }
            (Some(method), Some(_)) => {
                *self.said.requests.entry(method.to_owned()).or_default() += 1;
            }
            _ => {}
        }
        Ok(true)
    }
}

/// Whether this may change the answer to a request that is under way.
fn changes_something(entry: &Entry) -> bool {
    entry.from == From::Client
        && entry.id().is_none()
        && entry.method().is_some_and(|method| {
            method.starts_with("textDocument/did")
                || method.starts_with("workspace/did")
                || method == "$/cancelRequest"
        })
}

/// Whether the searches for the text had ended when this was answered: something was found since the last change, and
/// nothing more until the next.
fn searches_had_ended(entries: &[Entry], asked_at: usize, answered_at: usize) -> bool {
    let is_found = |entry: &Entry| entry.from == From::Server && entry.method() == Some(FOUND);
    let last = entries[..asked_at].iter().rposition(changes_something);
    let next = entries[answered_at..].iter().position(changes_something);
    let next = next.map_or(entries.len(), |next| answered_at + next);
    entries[last.unwrap_or_default()..asked_at]
        .iter()
        .any(is_found)
        && !entries[asked_at..next].iter().any(is_found)
}

/// Where answers differ, apart from what only names the server or the answer.
fn difference(then: &Value, now: &Value) -> Option<String> {
    let (mut then, mut now) = (then.clone(), now.clone());
    for name in NAMES.iter().chain(&["/id"]) {
        for value in [&mut then, &mut now] {
            if let Some(part) = value.pointer_mut(name) {
                part.take();
            }
        }
    }
    difference::first(&then, &now)
}
