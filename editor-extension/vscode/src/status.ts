// The item in the status bar: what the server is doing, and behind a click its details.

import * as vscode from 'vscode';
import { State, type ClientCapabilities, type LanguageClient, type StaticFeature } from 'vscode-languageclient/node';
import { cancelRequest, clearCachesRequest, statusChanged, statusRequest } from './lsp_ext';
import { caches, duration, headline, STOPPED, title, type Running, type Status } from './status_text';

/** A line of the details; choosing it acts. */
interface Line extends vscode.QuickPickItem {
  readonly act?: () => unknown;
}

export class StatusItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('sumac.status', vscode.StatusBarAlignment.Right, 0);
  private readonly command: vscode.Disposable;

  /** `client` is asked anew each time, as it changes with a restart. */
  constructor(private readonly client: () => LanguageClient | undefined) {
    this.item.name = 'Sumac';
    this.item.command = 'sumac.showStatus';
    this.item.tooltip = 'What Sumac is doing';
    this.command = vscode.commands.registerCommand('sumac.showStatus', () => this.details());
  }

  /** Follows a client that is about to start. */
  follow(client: LanguageClient): void {
    client.registerFeature(TELLS_STATUS);
    client.onNotification(statusChanged, (status) => this.show(status));
    client.onDidChangeState(({ newState }) => {
      if (this.client() !== client) {
        return;
      }
      if (newState === State.Stopped) {
        this.item.text = STOPPED;
        this.item.show();
      } else if (newState === State.Running) {
        this.show(undefined);
      }
    });
    this.show(undefined);
  }

  /** There is no server. */
  hide(): void {
    this.item.hide();
  }

  dispose(): void {
    this.item.dispose();
    this.command.dispose();
  }

  private show(status: Status | undefined): void {
    this.item.text = headline(status);
    this.item.show();
  }

  private async details(): Promise<void> {
    const client = this.client();
    if (client === undefined || !client.isRunning()) {
      const restart = 'Restart';
      if ((await vscode.window.showWarningMessage('Sumac: the language server is not running.', restart)) === restart) {
        await vscode.commands.executeCommand('sumac.restart');
      }
      return;
    }
    const status = await client.sendRequest(statusRequest);
    const chosen = await vscode.window.showQuickPick(lines(client, status), { title: 'Sumac: what is running', matchOnDescription: true });
    await chosen?.act?.();
  }
}

/** Tells the server that its state is shown. */
const TELLS_STATUS: StaticFeature = {
  fillClientCapabilities(capabilities: ClientCapabilities): void {
    capabilities.experimental = { ...(capabilities.experimental as object | undefined), sumacStatus: true };
  },
  initialize: () => undefined,
  getState: () => ({ kind: 'static' }),
  clear: () => undefined,
};

function lines(client: LanguageClient, status: Status): Line[] {
  const running = status.running.flatMap((work) => cancel(client, work));
  const nothing: Line = { label: '$(check) Nothing is running', description: `${status.saturations} blocks searched, ${status.remembered + status.restored} remembered` };
  return [
    ...(running.length > 0 ? running : [nothing]),
    { label: '$(trash) Clear the caches', description: caches(status), act: () => client.sendRequest(clearCachesRequest) },
    { label: "$(output) Open the server's log", act: () => vscode.commands.executeCommand('sumac.showLog') },
  ];
}

function cancel(client: LanguageClient, work: Running): Line[] {
  const name = title(work);
  if (name === undefined) {
    return [];
  }
  const act = () => client.sendRequest(cancelRequest, { what: work.what, uri: work.uri });
  return [{ label: `$(stop-circle) Cancel: ${name}`, description: duration(work.milliseconds), act }];
}
