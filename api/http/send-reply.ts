import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import { sendLiveStream } from './live-stream.ts';
import type { Reply } from './reply.ts';

/** Writes an answer: a stream, ready JSON text, a JSON value, or nothing. */
export async function sendReply(res: Response, reply: Reply): Promise<void> {
  res.statusCode = reply.status;
  if (reply.headers) res.set(reply.headers);
  if (reply.live) {
    await sendLiveStream(res, reply.live);
  } else if (reply.stream) {
    res.type(reply.stream.contentType);
    await pipeline(Readable.from(reply.stream.chunks), res).catch(unlessReaderLeft);
  } else if (reply.text !== undefined) {
    sendJson(res, reply.text);
  } else if (reply.body === undefined) {
    res.end();
  } else {
    sendJson(res, JSON.stringify(reply.body));
  }
}

/** What `res.json` does, less what no answer of the APIs needs: other types, ETags, settings. */
function sendJson(res: Response, text: string): void {
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  res.setHeader('Content-Length', Buffer.byteLength(text));
  res.end(text);
}

/** Whoever hangs up before the end has seen enough; that is no fault of ours. */
function unlessReaderLeft(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
}
