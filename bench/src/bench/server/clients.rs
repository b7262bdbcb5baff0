//! Two clients' quirks: one session, said by VS Code and by Neovim, each as the real editor introduces itself.
//!
//! VS Code counts columns in UTF-16, Neovim in bytes, so every place that the server gives is turned into a byte of the
//! text; then both must have been told the same. What a client does not say it can show, it must not be sent.

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::bars::Sumac;
use crate::client::document::Encoding;
use crate::client::profile::Profile;
use crate::client::{Launch, Session};
use crate::report::Report;
use crate::stress::{Kind, Plan, stress, twins};

/// Edits that each client makes, and how often it is compared with a fresh server.
const PLAN: Plan = Plan {
    seed: 2,
    edits: 1500,
    files: 6,
    checks: 15,
    kind: Kind::Person,
};

/// Requests of the server, and where a client says that it answers them.
const ASKED_OF_CLIENTS: &[(&str, &str)] = &[
    (
        "workspace/inlayHint/refresh",
        "/workspace/inlayHint/refreshSupport",
    ),
    (
        "workspace/codeLens/refresh",
        "/workspace/codeLens/refreshSupport",
    ),
    (
        "workspace/semanticTokens/refresh",
        "/workspace/semanticTokens/refreshSupport",
    ),
    (
        "workspace/diagnostic/refresh",
        "/workspace/diagnostics/refreshSupport",
    ),
    ("workspace/configuration", "/workspace/configuration"),
    ("window/workDoneProgress/create", "/window/workDoneProgress"),
    ("window/showDocument", "/window/showDocument/support"),
    ("workspace/applyEdit", "/workspace/applyEdit"),
];

const SCRIPT: &str = "f = function(Matrix[Double] A) return (Matrix[Double] B) {
  B = t(A) %*% A
}
name = \"𝕏é\"; X = rand(rows = 100, cols = 10); print(name)
Y = f(X)
print(sum(Y))
";

/// Measures and judges.
pub(super) fn measure(report: &mut Report, sumac: &Sumac) {
    report.heading("The same session through two clients");
    let name = "the profiles of the editors";
    let Some(profiles) = report.expect(name, "they are read", Profile::of_editors()) else {
        return;
    };
    let launches = profiles.each_ref().map(|profile| Launch {
        profile: profile.clone(),
        ..Launch::new(&sumac.program)
    });
    for (profile, launch) in profiles.iter().zip(&launches) {
        let name = format!("{}, {} edits", profile.name, PLAN.edits);
        let target = format!("equal to a fresh server's at {} points", PLAN.checks);
        if let Some(outcome) = report.expect(&name, &target, alone(launch)) {
            for difference in outcome.iter().take(5) {
                report.note(difference);
            }
            let seen = format!("{} differences", outcome.len());
            report.bar(&name, &seen, &target, outcome.is_empty());
        }
        let name = format!("{}, what it is sent", profile.name);
        let target = "only what it says it can show";
        if let Some(wrong) = report.expect(&name, target, sent(launch)) {
            let seen = if wrong.is_empty() {
                "only that".to_owned()
            } else {
                wrong.join("; ")
            };
            report.bar(&name, &seen, target, wrong.is_empty());
        }
    }
    let name = "both, the same keystrokes";
    let target = format!("the same, in bytes of the text, at {} points", PLAN.checks);
    let [vscode, neovim] = &launches;
    if let Some(outcome) = report.expect(name, &target, together(vscode, neovim)) {
        for difference in outcome.iter().take(5) {
            report.note(difference);
        }
        let seen = format!("{} differences", outcome.len());
        report.bar(name, &seen, &target, outcome.is_empty());
    }
}

fn alone(launch: &Launch) -> Result<Vec<String>> {
    let folder = tempfile::tempdir()?;
    Ok(stress(launch, folder.path(), PLAN, None)?.differences)
}

fn together(a: &Launch, b: &Launch) -> Result<Vec<String>> {
    let folder = tempfile::tempdir()?;
    Ok(twins([a, b], folder.path(), PLAN)?.differences)
}

/// What a client is sent that it never said it can show.
fn sent(launch: &Launch) -> Result<Vec<String>> {
    let capabilities = &launch.profile.capabilities;
    let says = |place: &str| match capabilities.pointer(place) {
        Some(Value::Bool(says)) => *says,
        Some(_) => true,
        None => false,
    };
    let folder = tempfile::tempdir()?;
    let mut session = Session::start(&launch.clone().in_folder(folder.path()))?;
    let mut wrong = Vec::new();
    if !offered(capabilities, session.encoding) {
        wrong.push(format!("columns in {:?}", session.encoding));
    }
    let path = folder.path().join("script.dml");
    std::fs::write(&path, SCRIPT)?;
    let document = session.open(&path, SCRIPT)?;
    session.diagnostics(&document)?;
    let at = |word: &str| SCRIPT.rfind(word).context("the script has changed");

    let params = document.at(at("rin")?, session.encoding);
    let completed = session.call("textDocument/completion", &params)?.good()?;
    let items = completed
        .get("items")
        .unwrap_or(&completed)
        .as_array()
        .cloned();
    let items = items.context("a completion without items")?;
    anyhow::ensure!(!items.is_empty(), "nothing completes `p`");
    let is_snippet = |item: &Value| item["insertTextFormat"] == 2;
    let snippets = says("/textDocument/completion/completionItem/snippetSupport");
    if items.iter().any(is_snippet) && !snippets {
        wrong.push("snippets".to_owned());
    }

    let params = document.at(at("sum(Y)")?, session.encoding);
    let hover = session.call("textDocument/hover", &params)?.good()?;
    let kind = &hover["contents"]["kind"];
    let formats = capabilities.pointer("/textDocument/hover/contentFormat");
    let is_known = |formats: &Value| formats.as_array().is_some_and(|all| all.contains(kind));
    if formats.is_some_and(|formats| !is_known(formats)) {
        wrong.push(format!("a hover in {kind}"));
    }

    let params = document.at(at("f(X)")?, session.encoding);
    let places = session.call("textDocument/definition", &params)?.good()?;
    let is_link = places.to_string().contains("targetUri");
    if is_link && !says("/textDocument/definition/linkSupport") {
        wrong.push("links as definitions".to_owned());
    }

    let outline = session.call(
        "textDocument/documentSymbol",
        &json!({"textDocument": {"uri": document.uri}}),
    )?;
    let is_tree = outline.good()?.to_string().contains("selectionRange");
    if is_tree && !says("/textDocument/documentSymbol/hierarchicalDocumentSymbolSupport") {
        wrong.push("an outline as a tree".to_owned());
    }

    session.settle()?;
    for method in session.registered() {
        if !says(&format!("/{method}/dynamicRegistration")) {
            wrong.push(format!("a registration of {method}"));
        }
    }
    for method in session.asked() {
        if method == "client/registerCapability" {
            continue;
        }
        let place = ASKED_OF_CLIENTS.iter().find(|(known, _)| known == method);
        if !place.is_some_and(|(_, place)| says(place)) {
            wrong.push(format!("the request {method}"));
        }
    }
    session.end()?;
    Ok(wrong)
}

/// Whether the client offered to count so; everyone counts in UTF-16.
fn offered(capabilities: &Value, encoding: Encoding) -> bool {
    let name = match encoding {
        Encoding::Utf16 => return true,
        Encoding::Utf8 => "utf-8",
        Encoding::Utf32 => "utf-32",
    };
    let offered = capabilities.pointer("/general/positionEncodings");
    offered
        .and_then(Value::as_array)
        .is_some_and(|all| all.iter().any(|offered| offered == name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_offered_encoding_may_be_used_and_utf_16_always() {
        let client = json!({"general": {"positionEncodings": ["utf-16", "utf-8"]}});
        assert!(offered(&client, Encoding::Utf8));
        assert!(!offered(&client, Encoding::Utf32));
        assert!(offered(&json!({}), Encoding::Utf16));
        assert!(!offered(&json!({}), Encoding::Utf8));
    }
}
