// The client's side of "Schedule with sketch …": the server says which sketches there are, the person chooses one or all of them, and the
// server searches, runs and shows their loops.

import * as vscode from 'vscode';
import { ResponseError, LSPErrorCodes, type LanguageClient } from 'vscode-languageclient/node';
import { ClientCommand, ServerCommand, schedulesRequest } from './lsp_ext';

/** Registers the command that the light bulb and the lens run; `client` is asked anew each time, as it changes with a restart. */
export function registerSchedules(client: () => LanguageClient | undefined): vscode.Disposable {
  return vscode.commands.registerCommand(ClientCommand.pickSchedule, async (uri: string, line: number, version?: number) => {
    const server = client();
    if (server === undefined) {
      return;
    }
    try {
      const found = await server.sendRequest(schedulesRequest, { uri, line, version });
      const items = found.items.map((item) => ({ label: item.title, detail: item.detail, sketch: item.sketch }));
      const chosen = await vscode.window.showQuickPick(items, { title: found.title, matchOnDetail: true });
      if (chosen !== undefined) {
        await vscode.commands.executeCommand(ServerCommand.schedule, uri, line, version ?? null, chosen.sketch);
      }
    } catch (error) {
      // Whoever cancels the search knows that there is no result.
      if (!(error instanceof ResponseError && error.code === LSPErrorCodes.RequestCancelled)) {
        void vscode.window.showWarningMessage(`Sumac: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  });
}
