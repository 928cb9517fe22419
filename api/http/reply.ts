import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import { STOPPING } from './server.ts';

/** A handler's response: a status and either a JSON value, ready JSON text, or nothing. */
export interface Reply {
  status: number;
  body?: unknown;
  /** JSON text to send unchanged. */
  text?: string;
  /** Whether it was sent before, in response to a request with the same `Idempotency-Key`. */
  replayed?: boolean;
  headers?: Readonly<Record<string, string>>;
  /** A streamed body (CSV); the other fields are then ignored. */
  stream?: { contentType: string; chunks: AsyncIterable<string> };
  /** A stream that does not end on its own (server-sent events). */
  live?: LiveStream;
  /** A file to download. */
  file?: SavedFile;
}

/** A file to download; its name must be plain ASCII. */
export interface SavedFile {
  contentType: string;
  name: string;
  content: Buffer;
}

export function reply(status: number, body?: unknown, headers?: Record<string, string>): Reply {
  return { status, body, ...(headers && { headers }) };
}

/** Writes a response: a stream, ready JSON text, a JSON value, or nothing. */
export async function sendReply(res: Response, reply: Reply): Promise<void> {
  res.statusCode = reply.status;
  if (reply.headers) res.set(reply.headers);
  if (reply.replayed) res.set('Idempotent-Replayed', 'true');
  if (reply.live) {
    await sendLiveStream(res, reply.live);
  } else if (reply.stream) {
    res.type(reply.stream.contentType);
    await pipeline(Readable.from(reply.stream.chunks), res).catch(unlessReaderLeft);
  } else if (reply.file) {
    sendFile(res, reply.file);
  } else if (reply.text !== undefined) {
    sendJson(res, reply.text);
  } else if (reply.body === undefined) {
    res.end();
  } else {
    sendJson(res, JSON.stringify(reply.body));
  }
}

/**
 * Sends JSON like `res.json`, without the features that no API response needs: other types, ETags, settings. Together
 * with a few similar savings it took a signed request from 2.9 to 2.5 times the CPU time of a bare Express route.
 */
function sendJson(res: Response, text: string): void {
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  res.setHeader('Content-Length', Buffer.byteLength(text));
  res.end(text);
}

/** Sends a file as a download. */
export function sendFile(res: Response, { contentType, name, content }: SavedFile): void {
  res.setHeader('Content-Type', contentType);
  res.setHeader('Content-Disposition', `attachment; filename="${name}"`);
  res.setHeader('Content-Length', content.length);
  res.end(content);
}

/** Ignores clients that disconnect before the end, which is not an error of ours; throws other errors. */
function unlessReaderLeft(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
}

/** A response that does not end on its own. */
interface LiveStream {
  contentType: string;
  /** Ends soon after the signal fires. An error thrown synchronously is sent as an error response. */
  chunks(signal: AbortSignal): AsyncIterable<string>;
}

/** Writes chunks as they arrive, until their source ends, the client disconnects or the server stops. */
async function sendLiveStream(res: Response, { contentType, chunks }: LiveStream): Promise<void> {
  const over = new AbortController();
  for (const event of ['close', STOPPING]) res.once(event, () => over.abort());
  const wanted = res.req.method !== 'HEAD';
  const source = wanted ? chunks(over.signal) : [];
  res.type(contentType);
  // Proxies must neither cache nor buffer the stream.
  res.set({ 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' });
  res.flushHeaders();
  for await (const chunk of source) {
    if (over.signal.aborted) break;
    if (!res.write(chunk)) await once(res, 'drain', { signal: over.signal }).catch(() => {});
  }
  res.end();
}
