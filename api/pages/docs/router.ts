import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Response, Router } from 'express';
import { DOCUMENTED, docsPage } from './layout.ts';

/** The viewer shows pictures that it holds as data; nothing comes from elsewhere. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Where signing in leads back to, so that its popup tells the page the code. */
const REDIRECT = '/docs/oauth2-redirect';
const REDIRECT_PAGE = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Signed in</title><link rel="icon" href="data:,"></head><body><script src="${REDIRECT}.js"></script></body></html>`;

/** `GET /docs` and `GET /docs/partner`: both API documents, to read and to try. */
export function docsRouter(): Router {
  const router = Router({ caseSensitive: true, strict: true });
  for (const api of DOCUMENTED) {
    const page = docsPage(api);
    router.get(api.path, (_req, res) => {
      // Its popup for signing in must find the way back to it.
      res.set('Cross-Origin-Opener-Policy', 'same-origin-allow-popups');
      sendPage(res, api.path, page);
    });
  }
  const script = readFileSync(
    createRequire(import.meta.url).resolve('swagger-ui-dist/oauth2-redirect.js'),
    'utf8',
  );
  router.get(REDIRECT, (_req, res) => {
    res.set('Cross-Origin-Opener-Policy', 'unsafe-none');
    sendPage(res, REDIRECT, REDIRECT_PAGE);
  });
  router.get(`${REDIRECT}.js`, (_req, res) => {
    res.locals.route = `${REDIRECT}.js`;
    res.set('Cache-Control', 'public, max-age=3600').type('js').send(script);
  });
  return router;
}

function sendPage(res: Response, route: string, page: string): void {
  res.locals.route = route;
  res.set({
    'Content-Security-Policy': POLICY,
    'Cache-Control': 'public, max-age=300',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
  });
  res.type('html').send(page);
}
