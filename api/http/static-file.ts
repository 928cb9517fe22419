import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Request, Response } from 'express';

/** What is sent to everybody as it stands until the next release. Never anything that a caller put in. */
export interface StaticFile {
  content: Buffer;
  type: string;
  /** Made when it is first asked for. */
  compressed?: Promise<Buffer>;
}

const compress = promisify(gzip);

/** Files of these types are compressed by themselves. */
const COMPRESSED = new Set(['woff2']);

/** Sends a file, compressed to whom can read that. */
export async function sendStaticFile(req: Request, res: Response, file: StaticFile): Promise<void> {
  res.type(file.type);
  if (COMPRESSED.has(file.type)) {
    res.send(file.content);
    return;
  }
  res.vary('Accept-Encoding');
  if (req.acceptsEncodings('gzip', 'identity') !== 'gzip') {
    res.send(file.content);
    return;
  }
  file.compressed ??= compress(file.content);
  res.set('Content-Encoding', 'gzip').send(await file.compressed);
}

/** A file with a name for its content. */
export type TaggedFile = StaticFile & { etag: string };

/** Its `ETag` is a weak one, for it is the same whether the file is compressed or not. */
export function withEtag(content: Buffer, type: string): TaggedFile {
  const digest = createHash('sha256').update(content).digest('base64url').slice(0, 22);
  return { content, type, etag: `W/"${digest}"` };
}

/** Sends a file, or 304 to whom has it already. */
export async function sendUnlessFresh(
  req: Request,
  res: Response,
  file: TaggedFile,
): Promise<void> {
  res.set('ETag', file.etag);
  if (req.fresh) res.status(304).end();
  else await sendStaticFile(req, res, file);
}
