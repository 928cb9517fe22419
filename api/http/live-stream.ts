import { once } from 'node:events';
import type { Response } from 'express';
import { STOPPING } from './server.ts';

/** An answer without an end of its own. */
export interface LiveStream {
  contentType: string;
  /** Ends soon after the signal fires. What it throws when it is called is answered as an error. */
  chunks(signal: AbortSignal): AsyncIterable<string>;
}

/** Writes chunks as they come, until their source ends, the reader leaves or the server stops. */
export async function sendLiveStream(
  res: Response,
  { contentType, chunks }: LiveStream,
): Promise<void> {
  const over = new AbortController();
  for (const event of ['close', STOPPING]) res.once(event, () => over.abort());
  const wanted = res.req.method !== 'HEAD';
  const source = wanted ? chunks(over.signal) : [];
  res.type(contentType);
  // Proxies must neither keep it nor collect it.
  res.set({ 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' });
  res.flushHeaders();
  for await (const chunk of source) {
    if (over.signal.aborted) break;
    if (!res.write(chunk)) await once(res, 'drain', { signal: over.signal }).catch(() => {});
  }
  res.end();
}
