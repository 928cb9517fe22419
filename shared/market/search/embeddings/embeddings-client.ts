import type { Clock } from '../../../platform/clock.ts';
import { createCircuitBreaker } from '../../../platform/concurrency/circuit-breaker.ts';
import type { Logger } from '../../../platform/observability/logger.ts';
import { createHttpClient, type OutboundResult } from '../../../platform/outbound/http-client.ts';
import { floatsOf, type Vector } from './vector.ts';

/** Something that turns texts into vectors. */
export interface Embedder {
  /** Vectors of different models cannot be compared. */
  model: string;
  /**
   * The vectors of `texts`, in their order, all of one dimension.
   * @throws EmbeddingError when there are none
   */
  embed(texts: readonly string[], signal?: AbortSignal): Promise<Vector[]>;
  close(): Promise<void>;
}

/** Why a call gave no vectors; `of` says whether trying other texts may help. */
export class EmbeddingError extends Error {
  readonly scope: 'these texts' | 'the endpoint';

  constructor(of: EmbeddingError['scope'], message: string) {
    super(message);
    this.name = 'EmbeddingError';
    this.scope = of;
  }
}

export interface HttpEmbedderOptions {
  url: string;
  model: string;
  apiKey: string;
  timeoutMs: number;
}

/** A vector of 8,192 numbers, written out in decimals. */
const MAX_BYTES_PER_TEXT = 200_000;
const BREAKER = { failures: 5, openMs: 30_000 };
/** What a server says when it is the texts that it does not like. */
const INPUT_ERROR_STATUSES = [400, 413, 422];

/**
 * Asks an endpoint that speaks the OpenAI embeddings API. Five failures in a row close the way to it for
 * half a minute. The operator chose the address, so private ones are fine; time and size are bounded.
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
    async embed(texts, signal) {
      if (texts.length === 0) return [];
      if (!breaker.allows()) throw new EmbeddingError('the endpoint', 'it failed too often');
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
        // Neither a caller that went away nor a text that is refused says anything about the endpoint.
        const isEndpointFault = error instanceof EmbeddingError && error.scope === 'the endpoint';
        if (isEndpointFault && !signal?.aborted) breaker.failed();
        throw error;
      }
    },
    close: () => http.close(),
  };
}

/** @throws EmbeddingError unless it is a complete answer of status 200; its text is not quoted */
function bodyOf(result: OutboundResult): Buffer {
  if (result.kind === 'failure') throw new EmbeddingError('the endpoint', result.detail);
  if (result.status !== 200) {
    const about = INPUT_ERROR_STATUSES.includes(result.status) ? 'these texts' : 'the endpoint';
    throw new EmbeddingError(about, `it answered ${result.status}`);
  }
  if (result.truncated)
    throw new EmbeddingError('the endpoint', 'its answer is too long, or was cut off');
  return result.body;
}

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

function unitLength(vector: Float32Array): Vector {
  if (vector.length === 0 || vector.length > MAX_DIMENSIONS) throw malformed('a strange dimension');
  const length = Math.hypot(...vector);
  if (!Number.isFinite(length) || length === 0) throw malformed('a vector without a direction');
  return vector.map((value) => value / length);
}

function malformed(what: string): EmbeddingError {
  return new EmbeddingError('the endpoint', `the answer is malformed: ${what}`);
}
