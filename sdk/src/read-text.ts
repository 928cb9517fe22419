import { ConnectionError } from './errors.ts';

/** Streams a body as text. @throws ConnectionError, or the abort reason of the signal */
export async function* readText(
  body: NonNullable<Response['body']>,
  signal: AbortSignal | undefined,
): AsyncGenerator<string, void, undefined> {
  const reader = body.getReader();
  const stop = () => void reader.cancel(signal?.reason);
  signal?.addEventListener('abort', stop, { once: true });
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(brokenOff);
      signal?.throwIfAborted();
      if (done) break;
      yield decoder.decode(value, { stream: true });
    }
  } finally {
    signal?.removeEventListener('abort', stop);
    // Cancels the rest, if the caller left the loop early.
    await reader.cancel().catch(() => {});
  }
}

function brokenOff(cause: unknown): never {
  throw new ConnectionError('The answer broke off.', { cause });
}
