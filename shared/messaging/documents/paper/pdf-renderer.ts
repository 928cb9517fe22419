import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { MINUTE, SECOND } from '../../../platform/clock.ts';
import type { IssuedDocument } from '../document.ts';
import { commonLetters } from './paper-text.ts';
import { type PaperView, paperView } from './paper-view.ts';

/** Makes PDFs of documents, away from the thread that answers requests. */
export interface PdfRenderer {
  /** PDF/A-3b but for odd mixtures of scripts, made of the document alone: the same one gives the same bytes. */
  render(document: IssuedDocument): Promise<Buffer>;
  close(): Promise<void>;
}

/** What `pdf-process.mjs` says about one document. */
interface Answer {
  id: number;
  pdf?: Uint8Array;
  fault?: string;
}

interface Task {
  view: PaperView;
  resolve(pdf: Buffer): void;
  reject(error: Error): void;
  /** Its text has common letters only, since the process ended over it before. */
  simplified: boolean;
}

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const PROGRAM = fileURLToPath(new URL('./pdf-process.mjs', import.meta.url));
/** After this long without work the process ends, and gives back the memory of its fonts. */
const IDLE_MS = 30 * SECOND;
/** No document takes a second; a process that is silent for so long is stuck. */
const STUCK_MS = 2 * MINUTE;
/** Of a library that gives up. */
const ABORTED = 'SIGABRT';

/** A renderer whose process starts with the first document. */
export function createPdfRenderer(): PdfRenderer {
  /** By number, in the order in which the process works on them. */
  const waiting = new Map<number, Task>();
  let typesetter: ChildProcess | undefined;
  let watchdog: NodeJS.Timeout | undefined;
  let lastId = 0;

  const end = () => {
    const ended = typesetter;
    typesetter = undefined;
    ended?.kill();
    return ended;
  };
  const watch = () => {
    clearTimeout(watchdog);
    watchdog =
      waiting.size > 0
        ? setTimeout(() => typesetter?.kill('SIGKILL'), STUCK_MS)
        : setTimeout(end, IDLE_MS).unref();
  };
  const fail = (id: number, { view, reject }: Task, fault: string) => {
    waiting.delete(id);
    reject(new Error(`no PDF of ${view.number}: ${fault}`));
  };
  const answered = ({ id, pdf, fault = 'it says nothing' }: Answer) => {
    const task = waiting.get(id);
    if (task && pdf) {
      waiting.delete(id);
      task.resolve(Buffer.from(pdf));
    } else if (task) fail(id, task, fault);
    watch();
  };
  const start = () => {
    // It needs no variable, and so no secret; what it prints would name people.
    const started = fork(PROGRAM, [FOLDER], {
      execArgv: [],
      env: {},
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    started.unref();
    started.channel?.unref();
    started.on('message', answered);
    started.on('error', () => {});
    started.once('exit', (_code, signal) => {
      if (typesetter !== started) return;
      typesetter = undefined;
      onLoss(signal);
    });
    return started;
  };
  /** The process ended over the first document; the others are for the next one. */
  const onLoss = (signal: NodeJS.Signals | null) => {
    const [first] = waiting;
    if (!first) return;
    const [id, task] = first;
    if (signal !== ABORTED || task.simplified) fail(id, task, `its process ended, ${signal}`);
    else waiting.set(id, { ...task, view: commonLetters(task.view), simplified: true });
    for (const each of waiting) send(...each);
  };
  const send = (id: number, { view }: Task) => {
    typesetter ??= start();
    // Whatever is not taken is sent again when the process has ended.
    typesetter.send({ id, view }, () => {});
    watch();
  };

  return {
    render: (document) =>
      new Promise((resolve, reject) => {
        lastId += 1;
        const task = { view: paperView(document), resolve, reject, simplified: false };
        waiting.set(lastId, task);
        send(lastId, task);
      }),
    async close() {
      for (const [id, task] of waiting) fail(id, task, 'the process stops');
      clearTimeout(watchdog);
      const ended = end();
      if (!ended || ended.exitCode !== null || ended.signalCode !== null) return;
      ended.ref();
      await once(ended, 'exit');
    },
  };
}
