// The client's side of "Show 3 alternatives" and of "Preview what sketches make of it": the server says what there is to choose, the person chooses, and the
// edit is applied if the script is still the one that it was made for.

import * as vscode from 'vscode';
import { LSPErrorCodes, ResponseError, type LanguageClient, type WorkspaceEdit } from 'vscode-languageclient/node';
import { ClientCommand, alternativesRequest, type AlternativesResult } from './lsp_ext';
import { showBeside } from './server';

/** Registers the command that the light bulb and the lens run; `client` is asked anew each time, as it changes with a restart. */
export function registerAlternatives(client: () => LanguageClient | undefined): vscode.Disposable {
  return vscode.commands.registerCommand(ClientCommand.pickAlternative, async (uri: string, line: number, version?: number, sketches = false) => {
    const server = client();
    if (server === undefined) {
      return;
    }
    try {
      await choose(server, await server.sendRequest(alternativesRequest, { uri, line, version, sketches }));
    } catch (error) {
      // Whoever cancels the search knows that there is no result.
      if (!(error instanceof ResponseError && error.code === LSPErrorCodes.RequestCancelled)) {
        void vscode.window.showWarningMessage(`Sumac: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  });
}

async function choose(client: LanguageClient, found: AlternativesResult): Promise<void> {
  if (found.message !== null) {
    void vscode.window.showInformationMessage(`Sumac: ${found.message}`);
    return;
  }
  if (found.document !== null) {
    await showBeside({ uri: found.document, takeFocus: false });
  }
  const items = found.items.map((item) => ({ label: item.title, detail: item.detail, edit: item.edit }));
  // The forms can be read beside before one of them is chosen.
  const chosen = await vscode.window.showQuickPick(items, { title: found.title, matchOnDetail: true, ignoreFocusOut: true });
  if (chosen === undefined) {
    return;
  }
  if (!isCurrent(client, chosen.edit)) {
    void vscode.window.showWarningMessage('Sumac: the script has changed since; ask again.');
    return;
  }
  await vscode.workspace.applyEdit(await client.protocol2CodeConverter.asWorkspaceEdit(chosen.edit));
}

/** Whether every document still has the version that the edit is for. */
function isCurrent(client: LanguageClient, edit: WorkspaceEdit): boolean {
  return (edit.documentChanges ?? []).every((change) => {
    if (!('textDocument' in change)) {
      return true;
    }
    const uri = client.protocol2CodeConverter.asUri(change.textDocument.uri).toString();
    return vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri)?.version === change.textDocument.version;
  });
}
