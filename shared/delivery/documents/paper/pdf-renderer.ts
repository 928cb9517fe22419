import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { SECOND } from '../../../platform/clock.ts';
import type { IssuedDocument } from '../document.ts';
import { type PaperView, paperView } from './paper-view.ts';

/** Makes PDFs of documents, away from the thread that answers requests. */
export interface PdfRenderer {
  /** PDF/A-3b but for odd mixtures of scripts, made of the document alone: the same one gives the same bytes. */
  render(document: IssuedDocument): Promise<Buffer>;
  close(): Promise<void>;
}

/** What `pdf-thread.mjs` says about one document. */
interface Answer {
  id: number;
  pdf?: Uint8Array;
  fault?: string;
}

/** After this long without work the thread ends, and gives back the memory of its fonts. */
const IDLE_MS = 30 * SECOND;
/** No document takes a second; a thread that is silent for so long is stuck. */
const STUCK_MS = 30 * SECOND;

/** A renderer whose thread starts with the first document. */
export function createPdfRenderer(): PdfRenderer {
  const pending = new Map<number, (answer: Answer) => void>();
  let thread: Worker | undefined;
  let watchdog: NodeJS.Timeout | undefined;
  let lastId = 0;

  const end = async (fault: string) => {
    const ended = thread;
    thread = undefined;
    clearTimeout(watchdog);
    for (const [id, settle] of pending) settle({ id, fault });
    await ended?.terminate();
  };
  const watch = () => {
    clearTimeout(watchdog);
    watchdog =
      pending.size > 0
        ? setTimeout(() => end('the thread is stuck'), STUCK_MS)
        : setTimeout(() => end('idle'), IDLE_MS).unref();
  };
  const start = () => {
    const started = new Worker(new URL('./pdf-thread.mjs', import.meta.url), {
      workerData: { folder: fileURLToPath(new URL('.', import.meta.url)) },
    });
    started.on('message', (answer: Answer) => {
      pending.get(answer.id)?.(answer);
      watch();
    });
    started.on('error', ({ message }) => {
      if (thread === started) void end(message);
    });
    return started;
  };

  function typeset(view: PaperView): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      lastId += 1;
      const id = lastId;
      pending.set(id, ({ pdf, fault }) => {
        pending.delete(id);
        if (pdf) resolve(Buffer.from(pdf));
        else reject(new Error(`no PDF of ${view.number}: ${fault}`));
      });
      thread ??= start();
      thread.postMessage({ id, view });
      if (pending.size === 1) watch();
    });
  }

  return {
    render: (document) => typeset(paperView(document)),
    close: () => end('the process stops'),
  };
}
