import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import { type StaticFile, sendStaticFile } from '../../http/static-file.ts';
import { setPortalHeaders } from '../kit/page-headers.ts';
import { GUIDES, SAMPLES, sourceOf } from './guides.ts';
import {
  API_REFERENCES,
  guidePage,
  landingPage,
  missingPage,
  portalHome,
  referencePage,
} from './portal-pages.ts';

/** Where signing in leads back to, so that its popup tells the page the code. */
const REDIRECT = '/docs/oauth2-redirect';
const REDIRECT_PAGE = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Signed in</title><link rel="icon" href="data:,"></head><body><script src="${REDIRECT}.js"></script></body></html>`;

/** What pages were called before. */
const MOVED: Readonly<Record<string, string>> = {
  '/docs/partner': '/docs/reference/partner',
  '/docs/public': '/docs/reference/public',
  '/docs/': '/docs',
};

/** `GET /` and everything below `/docs` that a release decides: guides, samples, API references. */
export function docsRouter(): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.get('/', page('/', 'nothing', landingPage));
  router.get('/docs', page('/docs', 'nothing', portalHome));
  for (const guide of GUIDES) {
    const path = `/docs/${guide.slug}`;
    router.get(
      path,
      page(path, 'nothing', () => guidePage(guide)),
    );
    router.get(
      `${path}.md`,
      plain(`${path}.md`, 'text/markdown', () => sourceOf(guide)),
    );
  }
  for (const [path, text] of SAMPLES) {
    router.get(
      path,
      plain('/docs/examples', 'text/plain', () => text),
    );
  }
  for (const api of API_REFERENCES) {
    const show = page(api.path, 'ourselves', () => referencePage(api));
    router.get(api.path, (req, res, next) => {
      // Its popup for signing in must find the way back to it.
      res.set('Cross-Origin-Opener-Policy', 'same-origin-allow-popups');
      show(req, res, next);
    });
  }
  for (const [from, to] of Object.entries(MOVED)) {
    router.get(from, (_req, res) => {
      res.locals.route = from;
      res.redirect(308, to);
    });
  }
  const script = readFileSync(
    createRequire(import.meta.url).resolve('swagger-ui-dist/oauth2-redirect.js'),
    'utf8',
  );
  router.get(REDIRECT, (_req, res) => {
    res.set('Cross-Origin-Opener-Policy', 'unsafe-none');
    setPortalHeaders(res, REDIRECT, 'ourselves');
    res.send(REDIRECT_PAGE);
  });
  router.get(`${REDIRECT}.js`, (_req, res) => {
    res.locals.route = `${REDIRECT}.js`;
    res.set('Cache-Control', 'public, max-age=3600').type('js').send(script);
  });
  return router;
}

/** The answer for what is nowhere below `/docs`; goes behind everything else that is there. */
export const docsNotFound: RequestHandler = (req, res, next) => {
  if (req.method !== 'GET' && req.method !== 'HEAD') return next();
  res.status(404);
  setPortalHeaders(res, '/docs', 'nothing');
  res.send(missingPage());
};

/** A page that stays as it is until the next release; made when it is first asked for. */
function page(
  route: string,
  reaches: 'nothing' | 'ourselves',
  build: () => string,
): RequestHandler {
  let made: TaggedFile | undefined;
  return async (req, res) => {
    made ??= withEtag(build(), 'html');
    setPortalHeaders(res, route, reaches);
    await sendUnlessFresh(req, res, made);
  };
}

function plain(route: string, type: string, read: () => string): RequestHandler {
  let made: TaggedFile | undefined;
  return async (req, res) => {
    res.locals.route = route;
    made ??= withEtag(read(), type);
    res.set('Cache-Control', 'public, max-age=300');
    await sendUnlessFresh(req, res, made);
  };
}

type TaggedFile = StaticFile & { etag: string };

async function sendUnlessFresh(req: Request, res: Response, file: TaggedFile): Promise<void> {
  res.set('ETag', file.etag);
  if (req.fresh) res.status(304).end();
  else await sendStaticFile(req, res, file);
}

/** A weak one, for it is the same whether the page is compressed or not. */
function withEtag(text: string, type: string): TaggedFile {
  const etag = `W/"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
  return { content: Buffer.from(text), type, etag };
}
