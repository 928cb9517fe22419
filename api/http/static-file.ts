import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Request, Response } from 'express';

/** A file that is the same for everyone until the next release. Never contains caller data. */
export interface StaticFile {
  content: Buffer;
  type: string;
  /** The compressed content, created at its first use. */
  compressed?: Promise<Buffer>;
}

const compress = promisify(gzip);

/** File types that are already compressed. */
const COMPRESSED = new Set(['woff2']);

/** Sends a file, compressed if the client accepts that. */
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

/** A file with an `ETag` computed from its content. */
export type TaggedFile = StaticFile & { etag: string };

/** Adds a weak `ETag`: the compressed and the plain file share it. */
export function withEtag(content: Buffer, type: string): TaggedFile {
  const digest = createHash('sha256').update(content).digest('base64url').slice(0, 22);
  return { content, type, etag: `W/"${digest}"` };
}

/** Sends a file, or 304 if the client already has it. */
export async function sendUnlessFresh(
  req: Request,
  res: Response,
  file: TaggedFile,
): Promise<void> {
  res.set('ETag', file.etag);
  if (req.fresh) res.status(304).end();
  else await sendStaticFile(req, res, file);
}
