//! What reaches the server of malformed input: each is one error, and the session goes on.

use super::*;

fn message(body: &str) -> String {
    format!("Content-Length: {}\r\n\r\n{body}", body.len())
}

/// What reaches the session, what the client hears, and how it ended.
async fn through(input: String) -> (String, String, Ended) {
    let (passed, heard, ended) = sifted(input.as_bytes()).await;
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(passed), text(heard), ended)
}

#[tokio::test]
async fn the_session_goes_on_behind_what_is_no_message() {
    let good = message(r#"{"jsonrpc":"2.0","id":1,"method":"x"}"#);
    let (passed, heard, ended) = through(format!("{}{good}", message("{"))).await;
    assert_eq!(passed, good);
    assert!(heard.contains("-32700"), "{heard}");
    assert_eq!(heard.matches("Content-Length").count(), 1);
    assert_eq!(ended, Ended::Abruptly);
}

#[tokio::test]
async fn a_session_is_in_order_that_was_shut_down() {
    let exit = message(r#"{"jsonrpc":"2.0","method":"exit"}"#);
    let shutdown = message(r#"{"jsonrpc":"2.0","id":1,"method":"shutdown"}"#);
    let (passed, _, ended) = through(format!("{exit}{shutdown}")).await;
    assert_eq!(
        (&passed, ended),
        (&exit, Ended::Abruptly),
        "nothing counts behind it"
    );
    let (_, _, ended) = through(format!("{shutdown}{exit}")).await;
    assert_eq!(ended, Ended::InOrder);
}

#[cfg(unix)]
#[tokio::test]
async fn a_session_ends_with_the_process_that_began_it() {
    let mut child = std::process::Command::new("true").spawn().unwrap();
    child.wait().unwrap();
    let (writer, _messages) = message_writer();
    let (mut client, server) = tokio::io::duplex(1 << 12);
    let (session, _inside) = tokio::io::duplex(1 << 12);
    let begin = |process: u32| {
        message(&format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{{"processId":{process}}}}}"#
        ))
    };
    client
        .write_all(begin(child.id()).as_bytes())
        .await
        .unwrap();
    // The client never closes its end.
    assert_eq!(pass(server, session, &writer).await, Ended::Abruptly);
}

#[tokio::test]
async fn what_two_readers_could_read_in_two_ways_is_refused() {
    let good = message(r#"{"jsonrpc":"2.0","id":1,"method":"x"}"#);
    for twice in [
        r#"{"jsonrpc":"2.0","id":5,"id":6,"method":"foo"}"#,
        r#"{"jsonrpc":"2.0","\u0069d":5,"id":6,"method":"foo"}"#,
        r#"{"jsonrpc":"2.0","id":5,"method":"foo","method":"exit"}"#,
        r#"{"jsonrpc":"2.0","id":5,"method":"foo","params":{},"params":{}}"#,
        r#"{"jsonrpc":"2.0","id":5,"result":1,"result":2}"#,
    ] {
        let (passed, heard, _) = through(format!("{}{good}", message(twice))).await;
        assert_eq!(passed, good, "{twice}");
        assert!(heard.contains("-32600"), "{twice}: {heard}");
    }
}

#[tokio::test]
async fn a_request_has_an_answer_and_a_notification_none() {
    let good = message(r#"{"jsonrpc":"2.0","id":1,"method":"x"}"#);
    for (odd, answer) in [
        (
            r#"{"jsonrpc":"2.0","id":5,"method":"$/setTrace","params":{"value":"off"}}"#,
            "-32601",
        ),
        (
            r#"{"jsonrpc":"2.0","id":5,"method":"$/progress"}"#,
            "-32601",
        ),
        (r#"{"jsonrpc":"2.0","id":5,"method":"exit"}"#, "-32600"),
        (r#"{"jsonrpc":"2.0","method":"shutdown"}"#, ""),
    ] {
        let (passed, heard, _) = through(format!("{}{good}", message(odd))).await;
        assert_eq!(passed, good, "{odd}");
        assert!(heard.contains(answer), "{odd}: {heard}");
        assert_eq!(heard.is_empty(), answer.is_empty(), "{odd}: {heard}");
    }
}
