import type { Clock } from '../../../platform/clock.ts';
import { createCircuitBreaker } from '../../../platform/concurrency/circuit-breaker.ts';
import type { Logger } from '../../../platform/observability/logger.ts';
import { createHttpClient, type OutboundResult } from '../../../platform/outbound/http-client.ts';
import { type Embedder, EmbeddingError } from './embedder.ts';
import { unitLength, type Vector } from './vector.ts';

export interface HttpEmbedderOptions {
  url: string;
  model: string;
  apiKey: string;
  timeoutMs: number;
}

/** A vector of 8,192 numbers in decimal text. */
const MAX_BYTES_PER_TEXT = 200_000;
const BREAKER = { failures: 5, openMs: 30_000 };
/** Statuses that mean the server rejects the texts. */
const INPUT_ERROR_STATUSES = [400, 413, 422];

/**
 * Creates a client for an endpoint with the OpenAI embeddings API. Five failures in a row open the circuit breaker for
 * half a minute. The operator sets the address, so private ones are allowed; time and size are limited.
 */
export function createHttpEmbedder(
  { clock, log }: { clock: Clock; log: Logger },
  { url, model, apiKey, timeoutMs }: HttpEmbedderOptions,
): Embedder {
  const http = createHttpClient({ allowPrivate: true });
  const breaker = createCircuitBreaker(clock, {
    ...BREAKER,
    onOpen: () => log.warn({ open_ms: BREAKER.openMs }, 'embeddings fail: searching without them'),
  });
  return {
    model,
    english: false,
    async embed(texts, signal) {
      if (texts.length === 0) return [];
      if (!breaker.allows()) throw new EmbeddingError('the model', 'it failed too often');
      const result = await http.request({
        method: 'POST',
        url,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          ...(apiKey && { authorization: `Bearer ${apiKey}` }),
        },
        body: JSON.stringify({ model, input: texts, encoding_format: 'base64' }),
        deadlineMs: timeoutMs,
        maxResponseBytes: texts.length * MAX_BYTES_PER_TEXT,
        ...(signal && { signal }),
      });
      try {
        const vectors = readVectors(bodyOf(result), texts.length);
        breaker.succeeded();
        return vectors;
      } catch (error) {
        // Neither an aborted call nor a rejected text says anything about the endpoint.
        const isEndpointFault = error instanceof EmbeddingError && error.scope === 'the model';
        if (isEndpointFault && !signal?.aborted) breaker.failed();
        throw error;
      }
    },
    close: () => http.close(),
  };
}

/** @throws EmbeddingError unless the answer is complete with status 200; its text is not quoted */
function bodyOf(result: OutboundResult): Buffer {
  if (result.kind === 'failure') throw new EmbeddingError('the model', result.detail);
  if (result.status !== 200) {
    const about = INPUT_ERROR_STATUSES.includes(result.status) ? 'these texts' : 'the model';
    throw new EmbeddingError(about, `it answered ${result.status}`);
  }
  if (result.truncated)
    throw new EmbeddingError('the model', 'its answer is too long, or was cut off');
  return result.body;
}

/** More dimensions than any model in use has. */
const MAX_DIMENSIONS = 8_192;
const FLOAT_BYTES = 4;

/**
 * Parses the vectors of an embeddings API answer, in the order of the texts and scaled to length 1. Accepts both
 * encodings, base64 (little-endian floats) and lists of numbers, because some servers ignore the requested one. @throws
 * EmbeddingError unless there is one valid vector for each of `count` texts
 */
export function readVectors(body: Buffer, count: number): Vector[] {
  const data = readData(body);
  if (data.length !== count) throw malformed(`${data.length} vectors for ${count} texts`);
  const vectors = new Array<Vector | undefined>(count);
  for (const [at, entry] of data.entries()) {
    const { index = at, embedding } = entry as { index?: unknown; embedding?: unknown };
    if (!isPlace(index, count) || vectors[index])
      throw malformed('an index is none, or there twice');
    vectors[index] = direction(readFloats(embedding));
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
    // Reported below.
  }
  throw malformed('it is not JSON with a list named data');
}

function readFloats(embedding: unknown): Float32Array {
  if (typeof embedding === 'string') {
    const bytes = Buffer.from(embedding, 'base64');
    if (bytes.length % FLOAT_BYTES !== 0) throw malformed('a vector is cut off');
    return Float32Array.from({ length: bytes.length / FLOAT_BYTES }, (_, at) =>
      bytes.readFloatLE(at * FLOAT_BYTES),
    );
  }
  if (Array.isArray(embedding) && embedding.every((value) => typeof value === 'number')) {
    return Float32Array.from(embedding);
  }
  throw malformed('a vector is neither base64 nor a list of numbers');
}

function direction(values: Float32Array): Vector {
  if (values.length === 0 || values.length > MAX_DIMENSIONS) throw malformed('a strange dimension');
  try {
    return unitLength(values);
  } catch {
    throw malformed('a vector without a direction');
  }
}

function malformed(what: string): EmbeddingError {
  return new EmbeddingError('the model', `the answer is malformed: ${what}`);
}
