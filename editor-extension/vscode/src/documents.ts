// Read-only documents whose text comes from the server.

import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import { SCHEME, documentRequest } from './lsp_ext';

/** Provides documents of the server's scheme; `client` is asked anew each time, as it changes with a restart. */
export function registerDocuments(client: () => LanguageClient | undefined): vscode.Disposable {
  const languages = new Map<string, string>();
  const provider: vscode.TextDocumentContentProvider = {
    async provideTextDocumentContent(uri, token) {
      const server = client();
      if (server === undefined) {
        return 'The language server is not running, so this document has no text.\n';
      }
      const document = await server.sendRequest(documentRequest, { uri: server.code2ProtocolConverter.asUri(uri) }, token);
      languages.set(uri.toString(), document.languageId);
      return document.text;
    },
  };
  const setLanguage = async (document: vscode.TextDocument): Promise<void> => {
    const wanted = languages.get(document.uri.toString());
    if (document.uri.scheme === SCHEME && wanted !== undefined && wanted !== document.languageId) {
      // A language that no extension brings is no reason to fail: the text is there.
      if ((await vscode.languages.getLanguages()).includes(wanted)) {
        await vscode.languages.setTextDocumentLanguage(document, wanted);
      }
    }
  };
  return vscode.Disposable.from(
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, provider),
    vscode.workspace.onDidOpenTextDocument(setLanguage),
    vscode.workspace.onDidCloseTextDocument((document) => languages.delete(document.uri.toString())),
  );
}
