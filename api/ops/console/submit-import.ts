import { Readable } from 'node:stream';
import express, { type RequestHandler } from 'express';
import { requestImport } from '../../../shared/market/inventory/import-run.ts';
import { invalid } from '../../../shared/platform/errors.ts';
import { readLines } from '../../../shared/platform/line-reader.ts';
import type { ApiServices } from '../../compose-api.ts';
import { listingAdd } from '../actions/domain-actions.ts';
import { assertMayRun } from '../ops-routes.ts';
import { importPath } from './console-paths.ts';

/** Reads the raw body of the import form. */
export const importBody = express.raw({
  type: 'multipart/form-data',
  inflate: false,
  limit: '5mb',
});

/** Accepts a file of listings for the workers to import, and redirects to its progress. @throws validation_error */
export function submitImport(runtime: ApiServices): RequestHandler {
  return async (req, res) => {
    assertMayRun(listingAdd, res.locals.staff);
    const form = await multipart(req.body, req.get('Content-Type') ?? '');
    const environment = form.get('environment');
    const file = form.get('file');
    if (environment !== 'LIVE' && environment !== 'SANDBOX') {
      throw invalid([{ path: '/environment', message: 'must be SANDBOX or LIVE' }]);
    }
    if (!(file instanceof File) || file.name === '') {
      throw invalid([{ path: '/file', message: 'is required' }]);
    }
    const content = await textOf(file);
    const fileName = file.name.replaceAll('\0', '').slice(0, 200);
    const { actor } = res.locals;
    const id = await requestImport(runtime, actor, { environment, fileName, content });
    res.redirect(303, importPath(id));
  };
}

/** @throws validation_error for a file that is not UTF-8 */
async function textOf(file: File): Promise<string> {
  const bytes = Buffer.from(await file.arrayBuffer());
  // Reads the whole file, to report the line of the fault.
  for await (const _line of readLines(Readable.from([bytes])));
  return new TextDecoder().decode(bytes).replace(/\r\n?/g, '\n');
}

/** @throws validation_error for anything that is not a form with a file */
async function multipart(body: unknown, type: string): Promise<FormData> {
  const malformed = () => invalid([{ path: '/file', message: 'is required' }]);
  if (!Buffer.isBuffer(body)) throw malformed();
  const sent = new Response(new Uint8Array(body), { headers: { 'Content-Type': type } });
  return (await sent.formData().catch(() => {
    throw malformed();
  })) as FormData;
}
