import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { MINUTE, SECOND } from '../../../platform/clock.ts';
import type { IssuedDocument } from '../document.ts';
import { commonLetters } from './paper-text.ts';
import { type PaperView, paperView } from './paper-view.ts';

/** The response of `pdf-process.mjs` for one document. */
interface Answer {
  id: number;
  pdf?: Uint8Array;
  fault?: string;
}

interface Task {
  view: PaperView;
  resolve(pdf: Buffer): void;
  reject(error: Error): void;
  /** Whether complex characters were replaced, because the process crashed on the document before. */
  simplified: boolean;
}

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const PROGRAM = fileURLToPath(new URL('./pdf-process.mjs', import.meta.url));
/** The process exits after this long without work, to free the memory of its fonts. */
const IDLE_MS = 30 * SECOND;
/** No document takes a second, so a process that is silent for this long is stuck. */
const STUCK_MS = 2 * MINUTE;
/** The signal of a library that aborts. */
const ABORTED = 'SIGABRT';

/** Makes PDFs of documents in a separate process, which starts with the first document. */
export class PdfRenderer {
  /** Tasks by number, in the order in which the process handles them. */
  readonly #waiting = new Map<number, Task>();
  #process: ChildProcess | undefined;
  #watchdog: NodeJS.Timeout | undefined;
  #lastId = 0;

  /** Renders a PDF, as PDF/A-3b unless scripts are mixed oddly. The same document always gives the same bytes. */
  render(document: IssuedDocument): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#lastId += 1;
      const task = { view: paperView(document), resolve, reject, simplified: false };
      this.#waiting.set(this.#lastId, task);
      this.#send(this.#lastId, task);
    });
  }

  async close(): Promise<void> {
    for (const [id, task] of this.#waiting) this.#fail(id, task, 'the process stops');
    clearTimeout(this.#watchdog);
    const ended = this.#end();
    if (!ended || ended.exitCode !== null || ended.signalCode !== null) return;
    ended.ref();
    await once(ended, 'exit');
  }

  #send(id: number, { view }: Task): void {
    this.#process ??= this.#start();
    // Errors are ignored: unfinished tasks are sent again after the process has ended.
    this.#process.send({ id, view }, () => {});
    this.#watch();
  }

  #start(): ChildProcess {
    // The process needs no environment variables, so it gets no secrets. Its output could contain personal data.
    const started = fork(PROGRAM, [FOLDER], {
      execArgv: [],
      env: {},
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    started.unref();
    started.channel?.unref();
    started.on('message', (answer: Answer) => this.#hear(answer));
    started.on('error', () => {});
    started.once('exit', (_code, signal) => {
      if (this.#process !== started) return;
      this.#process = undefined;
      this.#sendAgain(signal);
    });
    return started;
  }

  #hear({ id, pdf, fault = 'it says nothing' }: Answer): void {
    const task = this.#waiting.get(id);
    if (task && pdf) {
      this.#waiting.delete(id);
      task.resolve(Buffer.from(pdf));
    } else if (task) this.#fail(id, task, fault);
    this.#watch();
  }

  /** Handles a crash on the first document; the next process gets the others. */
  #sendAgain(signal: NodeJS.Signals | null): void {
    const [first] = this.#waiting;
    if (!first) return;
    const [id, task] = first;
    if (signal === ABORTED && !task.simplified) {
      this.#waiting.set(id, { ...task, view: commonLetters(task.view), simplified: true });
    } else this.#fail(id, task, `its process ended, ${signal}`);
    for (const each of this.#waiting) this.#send(...each);
  }

  #fail(id: number, { view, reject }: Task, fault: string): void {
    this.#waiting.delete(id);
    reject(new Error(`no PDF of ${view.number}: ${fault}`));
  }

  /** Ends a process that is stuck or idle. */
  #watch(): void {
    clearTimeout(this.#watchdog);
    this.#watchdog =
      this.#waiting.size > 0
        ? setTimeout(() => this.#process?.kill('SIGKILL'), STUCK_MS)
        : setTimeout(() => this.#end(), IDLE_MS).unref();
  }

  #end(): ChildProcess | undefined {
    const ended = this.#process;
    this.#process = undefined;
    ended?.kill();
    return ended;
  }
}
