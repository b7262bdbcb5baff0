//! One session with the real binary over its standard input and output: it starts, answers, times in a worker
//! process, and ends by itself.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

const SCRIPT: &str = "\
#@ X: 2000 x 1000, sparsity 0.001
#@ U: 2000 x 10
#@ V: 1000 x 10
X = read($X)
U = read($U)
V = read($V)
loss = sum((X - U %*% t(V))^2)
print(loss)
";

struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Server {
    fn start(arguments: &[&str]) -> Self {
        Server::start_with(arguments, &[])
    }

    fn start_with(arguments: &[&str], environment: &[(&str, &Path)]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_sumac"))
            .arg("lsp")
            .args(arguments)
            .envs(environment.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Server {
            child,
            input,
            output: BufReader::new(output),
        }
    }

    fn send(&mut self, message: &Value) {
        let body = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
        self.input.flush().unwrap();
    }

    fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert_ne!(
                self.output.read_line(&mut line).unwrap(),
                0,
                "the server has gone"
            );
            match line.trim_end() {
                "" => break,
                header => {
                    let value = header.strip_prefix("Content-Length: ");
                    length = value.map_or(length, |value| value.parse().unwrap());
                }
            }
        }
        let mut body = vec![0; length];
        self.output.read_exact(&mut body).unwrap();
        serde_json::from_slice(&body).unwrap()
    }

    fn request(&mut self, id: i64, method: &str, params: &Value) -> Value {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let message = self.receive();
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
        }
    }
}

#[test]
fn a_session_over_stdio_ends_with_a_measured_lens() {
    let mut server = Server::start(&[]);
    let answer = server.request(1, "initialize", &json!({"capabilities": {}}));
    assert_eq!(answer["result"]["serverInfo"]["name"], "sumac");
    server.send(&json!({"jsonrpc": "2.0", "method": "initialized", "params": {}}));
    let uri = "file:///scripts/loss.dml";
    let document = json!({"uri": uri, "languageId": "systemds", "version": 1, "text": SCRIPT});
    let open = json!({"textDocument": document});
    server.send(&json!({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": open}));

    let lens = json!({"textDocument": {"uri": uri}});
    let before = server.request(2, "textDocument/codeLens", &lens);
    let command = before["result"][0]["command"].clone();
    assert_eq!(command["title"], "▶ time it", "{before}");
    let timed = server.request(3, "workspace/executeCommand", &command);
    let title = timed["result"]["title"]
        .as_str()
        .unwrap_or_else(|| panic!("{timed}"))
        .to_owned();
    assert!(title.contains("→") && title.contains("measured"), "{title}");
    let after = server.request(4, "textDocument/codeLens", &lens);
    assert_eq!(after["result"][0]["command"]["title"], title.as_str());

    assert_eq!(
        server.request(5, "shutdown", &Value::Null)["result"],
        Value::Null
    );
    server.send(&json!({"jsonrpc": "2.0", "method": "exit"}));
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
}

/// The recorded messages, and who they are from.
fn recorded(file: &Path) -> Vec<(String, Value)> {
    let text = std::fs::read_to_string(file).unwrap();
    let lines = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let messages = lines.filter(|line| line.get("form").is_none());
    messages
        .map(|line| {
            (
                line["from"].as_str().unwrap().to_owned(),
                line["message"].clone(),
            )
        })
        .collect()
}

#[test]
fn a_recorded_session_holds_every_message_even_if_the_server_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("session.jsonl");
    let mut server = Server::start(&["--record", file.to_str().unwrap()]);
    let capabilities = json!({"capabilities": {}});
    let begun = server.request(1, "initialize", &capabilities);
    let answer = server.request(2, "workspace/symbol", &json!({"query": "é"}));
    server.child.kill().unwrap();
    server.child.wait().unwrap();

    let asked = |id: i64, method: &str, params: Value| {
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        ("client".to_owned(), message)
    };
    let expected = [
        asked(1, "initialize", capabilities),
        ("server".to_owned(), begun),
        asked(2, "workspace/symbol", json!({"query": "é"})),
        ("server".to_owned(), answer),
    ];
    assert_eq!(recorded(&file), expected);
}

#[test]
fn a_place_that_cannot_be_written_is_told_before_anything_else() {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_sumac"))
        .args(["lsp", "--record"])
        .arg(folder.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(told.contains("the session cannot be recorded in"), "{told}");
}

/// A goal within so few nodes that no search finds it directly, and a longer way to the same goal.
const WAYS: &str = "\
def gram(A) = t(A) %*% A
sketch direct(X) {
  goal sum(X^2) - 2 * sum(? * (X %*% ?)) + sum(gram(?) * gram(?)) using sum_product minimize nnz within 90 nodes
}
sketch long(X) {
  guide contains(X^2 - ? + ?^2) using sum_product minimize nnz within 90 nodes
  guide sum(X^2) - ? + sum(?^2) using sum_product minimize nnz within 90 nodes
  goal sum(X^2) - 2 * sum(? * (X %*% ?)) + sum(gram(?) * gram(?)) using sum_product minimize nnz within 90 nodes
}
";

/// Whether a new server, with results kept in `cache`, finds a form by each of these sketches for the loss in a folder.
fn found_by(folder: &Path, cache: &Path, sketches: &[&str]) -> Vec<bool> {
    let mut server = Server::start_with(&[], &[("XDG_CACHE_HOME", cache)]);
    let capabilities = json!({
        "textDocument": {"codeAction": {"resolveSupport": {"properties": ["edit"]}}},
    });
    server.request(1, "initialize", &json!({"capabilities": capabilities}));
    server.send(&json!({"jsonrpc": "2.0", "method": "initialized", "params": {}}));
    let uri = format!("file://{}", folder.join("loss.dml").display());
    let document = json!({"uri": uri, "languageId": "systemds", "version": 1, "text": SCRIPT});
    let open = json!({"textDocument": document});
    server.send(&json!({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": open}));
    let place = json!({"line": 6, "character": 0});
    let asked = json!({
        "textDocument": {"uri": uri}, "range": {"start": place, "end": place},
        "context": {"diagnostics": [], "only": ["refactor"]},
    });
    let actions = server.request(2, "textDocument/codeAction", &asked)["result"].clone();
    let found = (3..).zip(sketches).map(|(id, name)| {
        let title = format!("Optimize with sketch {name}");
        let mut all = actions.as_array().unwrap().iter();
        let action = all.find(|action| action["title"] == *title);
        let chosen = server.request(id, "codeAction/resolve", action.unwrap());
        chosen["result"]["edit"].is_object()
    });
    let found = found.collect();
    server.request(99, "shutdown", &Value::Null);
    server.send(&json!({"jsonrpc": "2.0", "method": "exit"}));
    server.child.wait().unwrap();
    found
}

#[test]
fn a_later_server_finds_by_the_guides_of_an_earlier_one() {
    let place = tempfile::tempdir().unwrap();
    let (folder, cache) = (place.path().join("scripts"), place.path().join("cache"));
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("ways.sketch"), WAYS).unwrap();
    // Without being asked for it, nothing is kept.
    assert_eq!(
        found_by(&folder, &cache, &["direct", "long"]),
        [false, true]
    );
    assert_eq!(found_by(&folder, &cache, &["direct"]), [false]);
    assert!(!cache.join("sumac/guides").exists());
    std::fs::write(folder.join("sumac.toml"), "[search]\nkeep = true\n").unwrap();
    assert_eq!(
        found_by(&folder, &cache, &["direct", "long"]),
        [false, true]
    );
    assert_eq!(found_by(&folder, &cache, &["direct"]), [true]);
    // What stands there is only tried: a file that is none of these changes nothing.
    let kept = cache.join("sumac/guides/1");
    for file in std::fs::read_dir(&kept).unwrap() {
        std::fs::write(file.unwrap().path(), "sketch way { guide").unwrap();
    }
    assert_eq!(found_by(&folder, &cache, &["direct"]), [false]);
}

impl Server {
    fn send_bytes(&mut self, bytes: &[u8]) {
        self.input.write_all(bytes).unwrap();
        self.input.flush().unwrap();
    }

    /// How it ends by itself, without being waited for for ever.
    fn ended(mut self) -> Option<i32> {
        drop(self.input);
        for _ in 0..600 {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        self.child.kill().unwrap();
        panic!("the server does not end");
    }
}

#[test]
fn what_is_no_message_is_one_error_and_the_session_goes_on() {
    let mut server = Server::start(&[]);
    server.request(1, "initialize", &json!({"capabilities": {}}));
    let message = |body: &str| format!("Content-Length: {}\r\n\r\n{body}", body.len());
    let request = |id: &str, method: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{}}}}"#)
    };
    let surrogate =
        r#"{"jsonrpc":"2.0","id":7,"method":"workspace/symbol","params":{"query":"\ud800"}}"#;
    for (bytes, code) in [
        (message("{"), -32700),
        (message(""), -32700),
        (message(surrogate), -32700),
        (message(&format!("[{}]", request("1", "shutdown"))), -32600),
        (message(&request("1.5", "shutdown")), -32600),
        (message("[]"), -32600),
        (message("{}"), -32600),
        (message(&request("8", "$/foo")), -32601),
        ("no header at all\r\n\r\n".to_owned(), -32700),
        ("Content-Length: many\r\n\r\n".to_owned(), -32700),
    ] {
        server.send_bytes(bytes.as_bytes());
        let told = server.receive();
        assert_eq!(told["error"]["code"], code, "{bytes}: {told}");
        server.send_bytes(message(r#"{"jsonrpc":"2.0","method":"$/foo"}"#).as_bytes());
        let answer = server.request(9, "workspace/symbol", &json!({"query": "x"}));
        assert!(answer.get("result").is_some(), "{bytes}: {answer}");
    }
    let lower = message(&request("10", "shutdown")).replace("Content-Length", "content-length");
    server.send_bytes(lower.as_bytes());
    assert_eq!(server.receive()["id"], 10);
    server.send(&json!({"jsonrpc": "2.0", "method": "exit"}));
    assert_eq!(server.ended(), Some(0));
}

#[test]
fn an_exit_without_a_shutdown_and_an_end_of_the_input_are_no_success() {
    let mut server = Server::start(&[]);
    server.request(1, "initialize", &json!({"capabilities": {}}));
    server.send(&json!({"jsonrpc": "2.0", "method": "exit"}));
    assert_eq!(server.ended(), Some(1));
    let mut server = Server::start(&[]);
    server.request(1, "initialize", &json!({"capabilities": {}}));
    assert_eq!(server.ended(), Some(1));
}

#[test]
fn a_server_ends_with_the_process_that_started_it() {
    let mut gone = Command::new(env!("CARGO_BIN_EXE_sumac"))
        .arg("--version")
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    gone.wait().unwrap();
    let mut server = Server::start(&[]);
    let params = json!({"capabilities": {}, "processId": gone.id()});
    server.request(1, "initialize", &params);
    // Its input stays open.
    assert_eq!(server.child.wait().unwrap().code(), Some(1));
}

/// Processes below another one.
#[cfg(target_os = "linux")]
fn below(parent: u32) -> Vec<u32> {
    let mut found: Vec<u32> = Vec::new();
    let tasks = std::fs::read_dir(format!("/proc/{parent}/task"));
    for task in tasks.into_iter().flatten().flatten() {
        let text = std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
        found.extend(
            text.split_whitespace()
                .filter_map(|id| id.parse::<u32>().ok()),
        );
    }
    found
}

#[cfg(target_os = "linux")]
#[test]
fn the_end_of_the_input_ends_what_runs() {
    let mut server = Server::start(&[]);
    server.request(1, "initialize", &json!({"capabilities": {}}));
    server.send(&json!({"jsonrpc": "2.0", "method": "initialized", "params": {}}));
    let uri = "file:///scripts/loss.dml";
    // Minutes, not milliseconds.
    let script = SCRIPT
        .replace("2000 x", "60000 x")
        .replace("1000 x", "40000 x")
        .replace("x 1000,", "x 40000,");
    let document = json!({"uri": uri, "languageId": "systemds", "version": 1, "text": script});
    let open = json!({"textDocument": document});
    server.send(&json!({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": open}));
    let lens = json!({"textDocument": {"uri": uri}});
    let lenses = server.request(2, "textDocument/codeLens", &lens);
    let command = lenses["result"][0]["command"].clone();
    assert_eq!(command["title"], "▶ time it", "{lenses}");
    let run =
        json!({"jsonrpc": "2.0", "id": 3, "method": "workspace/executeCommand", "params": command});
    server.send(&run);
    let own = server.child.id();
    let workers = loop {
        let found = below(own);
        if !found.is_empty() {
            break found;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    };
    assert_eq!(server.ended(), Some(1));
    for worker in workers {
        let status = std::fs::read_to_string(format!("/proc/{worker}/status")).unwrap_or_default();
        assert!(status.is_empty() || status.contains("zombie"), "{status}");
    }
}
