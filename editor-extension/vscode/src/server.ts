// The life of the language server: found, started when the first script is opened, restarted, stopped.
// What an editor shows comes from the server; the settings only decide whether it is asked.

import { execFile } from 'node:child_process';
import * as vscode from 'vscode';
import { LanguageClient, ShowMessageRequest, TransportKind, type LanguageClientOptions, type MessageActionItem, type ServerOptions, type ShowDocumentParams, type ShowDocumentResult, type ShowMessageRequestParams } from 'vscode-languageclient/node';
import { isDeviceModel } from './dialect';
import { findServer, isProgram, notAServer, otherVersion } from './discovery';
import { SCHEME, type InitializationOptions } from './lsp_ext';
import { StatusItem } from './status';

export const LANGUAGE = 'systemds';
/** Python, where a file uses arrays. */
export const PYTHON = 'python';

/** Whether Python files are looked at. */
export const looksAtPython = (): boolean => vscode.workspace.getConfiguration('sumac').get('server.python') !== false;

/** Sketch files: forms with holes, which the searches of scripts go by. */
export const SKETCH_LANGUAGE = 'sumac-sketch';

/** What a server is started for. */
export interface Service {
  readonly id: string;
  readonly name: string;
  readonly options: () => LanguageClientOptions;
}

/** Scripts and sketches. */
export const SCRIPTS: Service = { id: 'sumac', name: 'Sumac', options };

/** Python, in a server of its own: what that says it can do is what the editor then asks it for, and of Python it can only show forms. */
export const ARRAYS: Service = { id: 'sumac-python', name: 'Sumac for Python', options: arrayOptions };

export class Server {
  private running: LanguageClient | undefined;
  /** Starts and stops happen one after the other. */
  private queue: Promise<void> = Promise.resolve();

  /** The item that shows what the server is doing; there is one, for scripts. */
  readonly status: StatusItem | undefined;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly service: Service,
  ) {
    this.status = service === SCRIPTS ? new StatusItem(() => this.running) : undefined;
  }

  /** The client, once it has been started. */
  readonly client = (): LanguageClient | undefined => this.running;

  start(): Promise<void> {
    return this.enqueue(() => this.doStart());
  }

  restart(): Promise<void> {
    return this.enqueue(async () => {
      await this.doStop();
      await this.doStart();
    });
  }

  /** The same where it was started; nothing is started that nobody needed yet. */
  restartIfRunning(): Promise<void> {
    return this.running === undefined ? Promise.resolve() : this.restart();
  }

  stop(): Promise<void> {
    return this.enqueue(() => this.doStop());
  }

  /** Has the editor ask again for everything that a setting may have switched. */
  refresh(): void {
    for (const document of vscode.workspace.textDocuments) {
      this.running?.getFeature('textDocument/inlayHint').getProvider(document)?.onDidChangeInlayHints.fire();
      this.running?.getFeature('textDocument/codeLens').getProvider(document)?.onDidChangeCodeLensEmitter.fire();
    }
  }

  private enqueue(act: () => Promise<void>): Promise<void> {
    // A failed step was shown when it failed; it must not keep the next one from running.
    this.queue = this.queue.catch(() => undefined).then(act);
    return this.queue;
  }

  private async doStart(): Promise<void> {
    if (this.running !== undefined) {
      return;
    }
    const settings = vscode.workspace.getConfiguration('sumac');
    const discovery = findServer({
      setting: settings.get('server.path', ''),
      extension: this.context.extensionPath,
      environment: process.env,
      platform: process.platform,
      isProgram,
    });
    if ('missing' in discovery) {
      void complain(discovery.missing);
      return;
    }
    const wrong = notAServer(discovery.program, await versionOf(discovery.program));
    if (wrong !== undefined) {
      void complain(wrong);
      return;
    }
    const run = { command: discovery.program, args: settings.get<string[]>('server.args', ['lsp']), transport: TransportKind.stdio } as const;
    const server: ServerOptions = { run, debug: run };
    const client = new LanguageClient(this.service.id, this.service.name, server, this.service.options());
    client.onRequest(ShowMessageRequest.type, ask);
    this.running = client;
    this.status?.follow(client);
    try {
      await client.start();
      const own = (this.context.extension.packageJSON as { version: string }).version;
      const other = otherVersion(discovery.program, client.initializeResult?.serverInfo?.version, own);
      if (other !== undefined) {
        void vscode.window.showWarningMessage(other);
      }
    } catch (error) {
      this.running = undefined;
      this.status?.hide();
      void complain(`The language server ${discovery.program} did not start: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  private async doStop(): Promise<void> {
    const client = this.running;
    this.running = undefined;
    this.status?.hide();
    await client?.dispose();
  }
}

function options(): LanguageClientOptions {
  const initializationOptions: InitializationOptions = { trusted: vscode.workspace.isTrusted, showsReferences: true, picksAlternatives: true, picksSchedules: true };
  const on = (setting: string, document: vscode.TextDocument): boolean => vscode.workspace.getConfiguration('sumac', document).get(setting) === true;
  const enabled = (what: string, document: vscode.TextDocument): boolean =>
    vscode.workspace.getConfiguration('sumac', document).get(`${what}.enabled`) !== false;
  return {
    documentSelector: [
      { scheme: 'file', language: LANGUAGE },
      { scheme: 'untitled', language: LANGUAGE },
      { scheme: 'file', language: SKETCH_LANGUAGE },
      { scheme: 'untitled', language: SKETCH_LANGUAGE },
    ],
    initializationOptions,
    synchronize: { configurationSection: 'sumac' },
    middleware: {
      // Between being opened and being switched to another language, a device model must not reach the server.
      didOpen: (document, next) => (isDeviceModel(document.getText()) ? Promise.resolve() : next(document)),
      provideInlayHints: (document, range, token, next) => (enabled('inlayHints', document) || on('inlayHints.shapes', document) ? next(document, range, token) : []),
      provideCodeLenses: (document, token, next) => (enabled('codeLens', document) || on('codeLens.references', document) ? next(document, token) : []),
      window: {
        showDocument: (params, token, next) => (params.uri.startsWith(`${SCHEME}:`) ? showBeside(params) : next(params, token)),
      },
    },
  };
}

function arrayOptions(): LanguageClientOptions {
  const initializationOptions: InitializationOptions = { trusted: vscode.workspace.isTrusted, showsReferences: false, picksAlternatives: false, picksSchedules: false, only: 'expressions' };
  const shows = (document: vscode.TextDocument): boolean => vscode.workspace.getConfiguration('sumac', document).get('inlayHints.enabled') !== false;
  return {
    documentSelector: [{ scheme: 'file', language: PYTHON }],
    initializationOptions,
    synchronize: { configurationSection: 'sumac' },
    middleware: {
      provideInlayHints: (document, range, token, next) => (shows(document) ? next(document, range, token) : []),
    },
  };
}

/** Asks what the server wants to know. A notification would be gone before what it is about has been read. */
async function ask(params: ShowMessageRequestParams): Promise<MessageActionItem | null> {
  const items = (params.actions ?? []).map((action) => ({ label: action.title, action }));
  const chosen = await vscode.window.showQuickPick(items, { title: params.message, ignoreFocusOut: true });
  return chosen?.action ?? null;
}

/** Shows a document of the server next to the script that it is about, which stays in sight. */
export async function showBeside(params: ShowDocumentParams): Promise<ShowDocumentResult> {
  try {
    const options = { viewColumn: vscode.ViewColumn.Beside, preview: true, preserveFocus: params.takeFocus !== true };
    await vscode.window.showTextDocument(vscode.Uri.parse(params.uri, true), options);
    return { success: true };
  } catch {
    return { success: false };
  }
}

/** What a program prints when it is asked for its version; nothing if it cannot be run. */
function versionOf(program: string): Promise<string> {
  return new Promise((resolve) => {
    execFile(program, ['--version'], { timeout: 10_000 }, (_error, stdout) => resolve(stdout));
  });
}

async function complain(message: string): Promise<void> {
  const open = 'Open Settings';
  if ((await vscode.window.showErrorMessage(message, open)) === open) {
    await vscode.commands.executeCommand('workbench.action.openSettings', 'sumac.server.path');
  }
}
