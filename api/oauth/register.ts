import type { RequestHandler } from 'express';
import { clientRecords } from '../../shared/oauth/client-records.ts';
import { SECOND } from '../../shared/platform/clock.ts';
import { newId } from '../../shared/platform/ids.ts';
import type { Runtime } from '../../shared/runtime.ts';
import { parseJsonBody } from '../http/json-body.ts';
import { rawBodyOf } from '../http/signature.ts';
import { readClientMetadata } from './client-metadata.ts';

/** Registers a public client, for anybody and without a secret (RFC 7591). */
export function registerClient(runtime: Runtime): RequestHandler {
  return async (req, res) => {
    const body = parseJsonBody(rawBodyOf(req), req.get('Content-Type'));
    const read = readClientMetadata(body);
    if ('error' in read) {
      res.status(400).json(read);
      return;
    }
    const now = runtime.clock.now();
    const metadata = {
      client_id: newId('oauthClient', now),
      client_id_issued_at: Math.floor(now.getTime() / SECOND),
      ...read,
    };
    await clientRecords(runtime).save(metadata.client_id, metadata);
    res.status(201).set('Cache-Control', 'no-store').json(metadata);
  };
}
