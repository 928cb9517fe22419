import { type RequestHandler, Router } from 'express';
import { onlyMethods } from '../http/error-response.ts';
import { sendUnlessFresh, type TaggedFile, withEtag } from '../http/static-file.ts';
import { asyncApiDocument } from './asyncapi-document.ts';
import type { Json } from './openapi-components.ts';
import type { DocumentOptions } from './openapi-document.ts';
import { partnerDocument } from './partner-document.ts';
import { publicDocument } from './public-document.ts';

/** A document changes only with a release. */
const CACHE = 'public, max-age=300';

/** Serves `GET /openapi.json`, `/openapi-partner.json` and `/asyncapi.json`, open to pages of every origin. */
export function openApiRouter(options: DocumentOptions): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const documents = {
    '/openapi.json': () => publicDocument(options),
    '/openapi-partner.json': () => partnerDocument(options),
    '/asyncapi.json': () => asyncApiDocument(options),
  };
  for (const [path, build] of Object.entries(documents)) {
    router.get(path, documentAt(path, build));
    router.all(path, onlyMethods(['GET', 'HEAD']));
  }
  return router;
}

/** Serves a document that is built at its first request. */
function documentAt(path: string, build: () => Json): RequestHandler {
  let built: TaggedFile | undefined;
  return async (req, res) => {
    built ??= withEtag(Buffer.from(JSON.stringify(build())), 'application/json');
    res.locals.route = path;
    res.set({ 'Access-Control-Allow-Origin': '*', 'Cache-Control': CACHE });
    // By default, Helmet keeps other origins from reading a response.
    res.set('Cross-Origin-Resource-Policy', 'cross-origin');
    await sendUnlessFresh(req, res, built);
  };
}
