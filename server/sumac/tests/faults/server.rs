//! Servers whose client does not read, or goes away without a word, and commands whose worker is killed.

use std::io::{Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use super::{Folder, told};

/// More than a pipe holds.
const FINDINGS: usize = 2000;

/// A server to which everything was said, and whose output nobody reads.
struct Unread {
    child: Child,
    input: Option<ChildStdin>,
}

impl Unread {
    /// With a document about which there is more to say than a pipe holds.
    fn start(folder: &Folder, process: Option<u32>) -> Self {
        let mut child = folder
            .command(&["lsp"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take();
        let mut server = Unread { child, input };
        server.say(&json!({
            "jsonrpc": "2.0", "id": 1, "method": "initialize",
            "params": {"capabilities": {}, "processId": process},
        }));
        // What is said before the answer a server may leave out.
        server.read_to("\"id\":1}");
        server.say(&json!({"jsonrpc": "2.0", "method": "initialized", "params": {}}));
        let text: String = (0..FINDINGS).map(|n| format!("x{n} = y{n}\n")).collect();
        let document = json!({
            "uri": "file:///scripts/a.dml", "languageId": "systemds", "version": 1, "text": text,
        });
        server.say(&json!({
            "jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": document},
        }));
        // What follows is more than the pipe holds.
        server.read_to("publishDiagnostics");
        server
    }

    fn say(&mut self, message: &Value) {
        let body = message.to_string();
        let input = self.input.as_mut().unwrap();
        write!(input, "Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
    }

    /// Reads up to the end of these words, and no further.
    fn read_to(&mut self, words: &str) {
        let output = self.child.stdout.as_mut().unwrap();
        let mut read = Vec::new();
        let mut byte = [0];
        while !read.ends_with(words.as_bytes()) {
            assert_eq!(output.read(&mut byte).unwrap(), 1, "the server has gone");
            read.push(byte[0]);
        }
    }

    /// Waits for its end, not for ever.
    fn ended(&mut self) -> Option<i32> {
        for _ in 0..600 {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        self.child.kill().unwrap();
        panic!("the server does not end");
    }
}

#[test]
fn a_client_that_does_not_read_is_not_waited_for_behind_the_end_of_the_input() {
    let folder = Folder::new(&[]);
    let mut server = Unread::start(&folder, None);
    // The client's end of the output stays open.
    server.input.take();
    assert_eq!(server.ended(), Some(1));
}

#[test]
fn a_server_that_is_stuck_sees_that_its_client_has_gone() {
    let folder = Folder::new(&[]);
    let mut client = Command::new("sleep").arg("600").spawn().unwrap();
    let mut server = Unread::start(&folder, Some(client.id()));
    // More than the server takes while it cannot answer.
    for id in 2..40 {
        let query = "x".repeat(1000);
        server.say(&json!({
            "jsonrpc": "2.0", "id": id, "method": "workspace/symbol", "params": {"query": query},
        }));
    }
    client.kill().unwrap();
    client.wait().unwrap();
    // Both pipes stay open.
    assert_eq!(server.ended(), Some(1));
}

/// The worker of a process.
fn worker_of(parent: u32) -> u32 {
    loop {
        let tasks = std::fs::read_dir(format!("/proc/{parent}/task"));
        for task in tasks.into_iter().flatten().flatten() {
            let text = std::fs::read_to_string(task.path().join("children"));
            if let Some(first) = text.unwrap_or_default().split_whitespace().next() {
                return first.parse().unwrap();
            }
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn a_run_whose_worker_is_killed_says_so_and_names_the_script() {
    let script = "while (TRUE) { X = matrix(1, 100, 100) }\nwrite(X, \"out.csv\")\n";
    let folder = Folder::new(&[("endless.dml", script)]);
    let run = folder
        .command(&["run", "endless.dml"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let worker = worker_of(run.id()).to_string();
    let killed = Command::new("kill").args(["-s", "KILL", &worker]).status();
    assert!(killed.unwrap().success());
    let (code, told) = told(&run.wait_with_output().unwrap());
    assert_eq!(code, 1);
    assert!(
        told.contains("endless.dml: the worker ended without a result (signal: 9"),
        "{told}"
    );
    assert_eq!(folder.names(), ["endless.dml"]);
}
