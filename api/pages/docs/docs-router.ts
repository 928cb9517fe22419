import { type ErrorRequestHandler, type RequestHandler, Router } from 'express';
import type { ServiceError } from '../../../shared/platform/errors.ts';
import { html } from '../../../shared/platform/html.ts';
import type { Logger } from '../../../shared/platform/observability/logger.ts';
import { prepareErrorResponse } from '../../http/error-response.ts';
import { sendUnlessFresh, type TaggedFile, withEtag } from '../../http/static-file.ts';
import type { DocumentOptions } from '../../openapi/openapi-document.ts';
import { htmlDocument } from '../kit/html-document.ts';
import { setPublicPageHeaders } from '../kit/page-headers.ts';
import { API_REFERENCES, createReference } from './api-reference/reference-pages.ts';
import { createGuideLibrary } from './guide-library.ts';
import { GUIDES } from './guides.ts';
import { guidePage, landingPage, missingPage, portalHome } from './portal-pages.ts';

/** Where sign-in redirects to, so that its popup can pass on the code. */
const REDIRECT = '/docs/oauth2-redirect';
/** Old paths of pages that moved. */
const MOVED: Readonly<Record<string, string>> = {
  '/docs/partner': '/docs/reference/partner',
  '/docs/public': '/docs/reference/public',
  '/docs/': '/docs',
  '/status': '/docs/status',
};

/** Serves `GET /` and everything below `/docs` that only changes with a release: guides, samples, API references. */
export function docsRouter(options: DocumentOptions): Router {
  const library = createGuideLibrary(options.baseUrl);
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
    const reference = createReference(api, options);
    router.get([api.path, `${api.path}/:subject`], referenceAt(`${api.path}/:subject`, reference));
  }
  for (const [from, to] of Object.entries(MOVED)) {
    router.get(from, (_req, res) => {
      res.locals.route = from;
      res.redirect(308, to);
    });
  }
  router.get(REDIRECT, (_req, res) => {
    res.locals.route = REDIRECT;
    res.set('Cross-Origin-Opener-Policy', 'unsafe-none');
    setPublicPageHeaders(res, 'portal-with-requests');
    res.type('html').send(redirectPage());
  });
  return router;
}

/** Responds to unknown paths below `/docs`; must be mounted after everything else there. */
export const docsNotFound: RequestHandler = (req, res, next) => {
  if (req.method !== 'GET' && req.method !== 'HEAD') return next();
  res.locals.route = '/docs';
  setPublicPageHeaders(res, 'portal');
  res.status(404).type('html').send(missingPage());
};

/** Shows the same page to browsers at any other unknown path. Programs, and the APIs, get JSON. */
export function missingPageForBrowsers(log: Logger): ErrorRequestHandler {
  return (thrown, req, res, next) => {
    const isPage = !/^\/api(\/|$)/.test(req.path) && req.accepts(['json', 'html']) === 'html';
    if (!isPage || (thrown as ServiceError | undefined)?.code !== 'not_found') return next(thrown);
    if (!prepareErrorResponse(log, thrown, req, res)) return;
    setPublicPageHeaders(res, 'portal');
    res.status(404).type('html').send(missingPage());
  };
}

/** Returns the last page of the sign-in popup: it informs the page that opened it, and closes. */
function redirectPage(): string {
  return htmlDocument({
    title: 'Signed in',
    styles: [],
    scripts: ['oauth2-redirect.js'],
    content: html`<main></main>`,
  });
}

/** Serves a page that only changes with a release; it is built at its first request. */
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

/** Serves the pages of an API reference, each built at its first request. */
function referenceAt(route: string, render: (path: string) => string | undefined): RequestHandler {
  const made = new Map<string, TaggedFile>();
  return async (req, res, next) => {
    const text = made.has(req.path) ? undefined : render(req.path);
    if (text !== undefined) made.set(req.path, withEtag(Buffer.from(text), 'html'));
    const file = made.get(req.path);
    if (!file) return next();
    res.locals.route = route;
    setPublicPageHeaders(res, 'portal-with-requests');
    // The sign-in popup must keep its reference to this page.
    res.set('Cross-Origin-Opener-Policy', 'same-origin-allow-popups');
    await sendUnlessFresh(req, res, file);
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
