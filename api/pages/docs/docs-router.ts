import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type RequestHandler, Router } from 'express';
import type { Config } from '../../../shared/platform/config/config.ts';
import { html } from '../../../shared/platform/html.ts';
import { sendUnlessFresh, type TaggedFile, withEtag } from '../../http/static-file.ts';
import { htmlDocument } from '../kit/html-document.ts';
import { setPublicPageHeaders } from '../kit/page-headers.ts';
import { createGuideLibrary } from './guide-library.ts';
import { GUIDES } from './guides.ts';
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
/** What pages were called before. */
const MOVED: Readonly<Record<string, string>> = {
  '/docs/partner': '/docs/reference/partner',
  '/docs/public': '/docs/reference/public',
  '/docs/': '/docs',
  '/status': '/docs/status',
};

/** `GET /` and everything below `/docs` that a release decides: guides, samples, API references. */
export function docsRouter({ baseUrl }: Pick<Config, 'baseUrl'>): Router {
  const library = createGuideLibrary(baseUrl);
  const router = Router({ caseSensitive: true, strict: true });
  router.get('/', page('/', 'portal', landingPage));
  router.get('/docs', page('/docs', 'portal', portalHome));
  for (const guide of GUIDES) {
    const path = `/docs/${guide.slug}`;
    router.get(
      path,
      page(path, 'portal', () => guidePage(guide, library.render(guide))),
    );
    router.get(
      `${path}.md`,
      plain(`${path}.md`, 'text/markdown', () => library.markdown(guide)),
    );
  }
  for (const [path, text] of library.samples) {
    router.get(
      path,
      plain('/docs/examples', 'text/plain', () => text),
    );
  }
  for (const api of API_REFERENCES) {
    const show = page(api.path, 'portal-with-requests', () => referencePage(api));
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
    res.locals.route = REDIRECT;
    res.set('Cross-Origin-Opener-Policy', 'unsafe-none');
    setPublicPageHeaders(res, 'portal-with-requests');
    res.type('html').send(redirectPage());
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
  res.locals.route = '/docs';
  setPublicPageHeaders(res, 'portal');
  res.status(404).type('html').send(missingPage());
};

/** What the sign-in popup of an API reference ends on: it tells the page that opened it, and closes. */
function redirectPage(): string {
  return htmlDocument({
    title: 'Signed in',
    styles: [],
    head: html`<script src="${REDIRECT}.js"></script>\n`,
    content: html`<main></main>`,
  });
}

/** A page that stays as it is until the next release; made when it is first asked for. */
function page(
  route: string,
  kind: 'portal' | 'portal-with-requests',
  build: () => string,
): RequestHandler {
  let made: TaggedFile | undefined;
  return async (req, res) => {
    res.locals.route = route;
    made ??= withEtag(Buffer.from(build()), 'html');
    setPublicPageHeaders(res, kind);
    await sendUnlessFresh(req, res, made);
  };
}

function plain(route: string, type: string, read: () => string): RequestHandler {
  let made: TaggedFile | undefined;
  return async (req, res) => {
    res.locals.route = route;
    made ??= withEtag(Buffer.from(read()), type);
    res.set('Cache-Control', 'public, max-age=300');
    await sendUnlessFresh(req, res, made);
  };
}
