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

/** Sends a file, compressed to whom can read that. */
export async function sendStaticFile(req: Request, res: Response, file: StaticFile): Promise<void> {
  res.vary('Accept-Encoding').type(file.type);
  if (req.acceptsEncodings('gzip', 'identity') !== 'gzip') {
    res.send(file.content);
    return;
  }
  file.compressed ??= compress(file.content);
  res.set('Content-Encoding', 'gzip').send(await file.compressed);
}
