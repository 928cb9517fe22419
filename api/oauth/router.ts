import express, { type RequestHandler, Router } from 'express';
import type { Runtime } from '../../shared/runtime.ts';
import { loadedOnce, onFirstUse } from '../http/on-first-use.ts';
import { onlyMethods } from '../http/only-methods.ts';
import { anonymousCaller } from '../public/caller.ts';
import { openToPages } from '../public/cors.ts';
import {
  type PublicLimitGroup,
  type PublicLimits,
  rateLimitHeaders,
  requireSlot,
} from '../public/limits.ts';
import { oauthErrorAnswer } from './error-answer.ts';
import { resourceMetadata, serverMetadata } from './metadata.ts';
import { PATHS } from './paths.ts';
import { pinToIssuer } from './pin-to-issuer.ts';
import { refusedPage } from './refused-page.ts';
import { registerClient } from './register.ts';

const MAX_REGISTRATION_BYTES = 20_000;
const METADATA_SECONDS = 3_600;

/**
 * Signing users in for the clients of the public API. Comes before whatever reads bodies. Every path answers
 * its one method, so that the library, which answers all that it gets, gets nothing else.
 */
export function oauthRouter(runtime: Runtime, limits: PublicLimits): Router {
  const { config } = runtime;
  const provider = loadedOnce(async () => {
    const { createOAuthProvider } = await import('./provider.ts');
    return createOAuthProvider(runtime);
  });
  const byProvider = onFirstUse(async () => {
    const answer = (await provider()).callback();
    return (req, res) => void answer(req, res);
  });
  const router = Router({ caseSensitive: true, strict: true });

  const admit = (path: string, group: PublicLimitGroup): RequestHandler => {
    return async (req, res, next) => {
      res.locals.route = path;
      const slot = await limits.take(group, anonymousCaller(req));
      res.set(rateLimitHeaders(slot));
      requireSlot(slot);
      next();
    };
  };
  const endpoint = (
    method: 'get' | 'post',
    path: string,
    group: PublicLimitGroup,
    ...handlers: RequestHandler[]
  ) => {
    const paths = [path, path.replace(/^\/api\//, '/api/v1/')];
    router.all(paths, openToPages, admit(path, group));
    router[method](paths, ...handlers);
    router.all(paths, onlyMethods([method.toUpperCase()]));
    router.use(paths, oauthErrorAnswer(runtime.log));
  };
  const answer = (body: object): RequestHandler => {
    return (_req, res) => {
      res.set('Cache-Control', `public, max-age=${METADATA_SECONDS}`).json(body);
    };
  };
  const byLibrary = (path: string): RequestHandler[] => [
    pinToIssuer(config, () => path),
    byProvider,
  ];

  endpoint('get', PATHS.serverMetadata, 'reads', answer(serverMetadata(config)));
  endpoint('get', PATHS.resourceMetadata, 'reads', answer(resourceMetadata(config)));
  endpoint('get', `${PATHS.resourceMetadata}/api`, 'reads', answer(resourceMetadata(config)));
  endpoint(
    'post',
    PATHS.register,
    'registration',
    express.raw({ type: () => true, limit: MAX_REGISTRATION_BYTES, inflate: false }),
    registerClient(runtime),
  );
  endpoint('post', PATHS.token, 'reads', ...byLibrary(PATHS.token));
  endpoint('post', PATHS.revoke, 'reads', ...byLibrary(PATHS.revoke));

  router.use('/oauth', pageHeaders);
  for (const path of [PATHS.authorize, `${PATHS.authorize}/:uid`]) {
    // Each request is a row until it expires.
    router.all(path, admit(path, 'reads'));
    router.get(path, pinToIssuer(config), byProvider);
    router.all(path, onlyMethods(['GET']));
  }
  router.all(
    [PATHS.interaction, `${PATHS.interaction}/*rest`],
    onFirstUse(async () => {
      const { interactionRouter } = await import('./interactions.ts');
      return interactionRouter(runtime, await provider());
    }),
  );
  router.use('/oauth', refusedPage(runtime));
  return router;
}

/**
 * No `form-action`: browsers hold the whole chain of a form's redirects against it, and that chain ends at
 * the client, which may send the browser on to wherever it likes. A client that opened these pages in a
 * window keeps its hold on that window (`Cross-Origin-Opener-Policy`), to read the answer there.
 */
const pageHeaders: RequestHandler = (_req, res, next) => {
  res.set({
    'Content-Security-Policy':
      "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'",
    'Cross-Origin-Opener-Policy': 'unsafe-none',
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'same-origin',
    'X-Robots-Tag': 'noindex, nofollow',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
  });
  next();
};
