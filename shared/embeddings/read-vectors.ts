import { EmbeddingError, type Vector } from './embedder.ts';

/** More than any model that is in use has. */
const MAX_DIMENSIONS = 8_192;
const FLOAT_BYTES = 4;

/**
 * The vectors of an answer of the embeddings API, in the order of the texts and of length 1. Takes both
 * encodings, base64 (little-endian floats) and lists of numbers, because not every server heeds which one
 * was asked for. @throws EmbeddingError unless there is one good vector for each of `count` texts
 */
export function readVectors(body: Buffer, count: number): Vector[] {
  const data = readData(body);
  if (data.length !== count) throw malformed(`${data.length} vectors for ${count} texts`);
  const vectors = new Array<Vector | undefined>(count);
  for (const [at, entry] of data.entries()) {
    const { index = at, embedding } = entry as { index?: unknown; embedding?: unknown };
    if (!isPlace(index, count) || vectors[index])
      throw malformed('an index is none, or there twice');
    vectors[index] = unitLength(readFloats(embedding));
  }
  const complete = vectors.filter((vector) => vector !== undefined);
  const dimensions = complete[0]?.length;
  if (complete.length !== count || complete.some(({ length }) => length !== dimensions)) {
    throw malformed('vectors are missing or of different dimensions');
  }
  return complete;
}

function isPlace(index: unknown, count: number): index is number {
  return Number.isInteger(index) && Number(index) >= 0 && Number(index) < count;
}

function readData(body: Buffer): unknown[] {
  try {
    const { data } = JSON.parse(body.toString()) as { data?: unknown };
    if (Array.isArray(data) && data.every((entry) => typeof entry === 'object' && entry)) {
      return data;
    }
  } catch {
    // Told below.
  }
  throw malformed('it is not JSON with a list named data');
}

function readFloats(embedding: unknown): Float32Array {
  if (typeof embedding === 'string') {
    const bytes = Buffer.from(embedding, 'base64');
    if (bytes.length % FLOAT_BYTES !== 0) throw malformed('a vector is cut off');
    return floatsOf(bytes);
  }
  if (Array.isArray(embedding) && embedding.every((value) => typeof value === 'number')) {
    return Float32Array.from(embedding);
  }
  throw malformed('a vector is neither base64 nor a list of numbers');
}

/** Little-endian floats, however the bytes are aligned in memory. */
export function floatsOf(bytes: Buffer): Float32Array {
  const floats = new Float32Array(Math.floor(bytes.length / FLOAT_BYTES));
  for (let at = 0; at < floats.length; at += 1) floats[at] = bytes.readFloatLE(at * FLOAT_BYTES);
  return floats;
}

function unitLength(vector: Float32Array): Vector {
  if (vector.length === 0 || vector.length > MAX_DIMENSIONS) throw malformed('a strange dimension');
  const length = Math.hypot(...vector);
  if (!Number.isFinite(length) || length === 0) throw malformed('a vector without a direction');
  return vector.map((value) => value / length);
}

function malformed(what: string): EmbeddingError {
  return new EmbeddingError('the endpoint', `the answer is malformed: ${what}`);
}
