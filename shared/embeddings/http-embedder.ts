import type { Clock } from '../platform/clock.ts';
import { createHttpClient, type OutboundResult } from '../platform/http-client.ts';
import type { Logger } from '../platform/logger.ts';
import { createCircuitBreaker } from './breaker.ts';
import { type Embedder, EmbeddingError } from './embedder.ts';
import { readVectors } from './read-vectors.ts';

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
        const telling = error instanceof EmbeddingError && error.scope === 'the endpoint';
        if (telling && !signal?.aborted) breaker.failed();
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
  if (result.truncated) throw new EmbeddingError('the endpoint', 'its answer is too long');
  return result.body;
}
