import { type RequestHandler, Router } from 'express';
import type { ApiServices } from '../compose-api.ts';
import { onlyMethods } from '../http/error-response.ts';
import { rawBodyUpTo } from '../http/json-body.ts';
import { lazy, lazyHandler } from '../http/middleware.ts';
import { rateLimitHeaders, requireWithinLimit } from '../http/rate-limit.ts';
import { pageHeaders } from '../pages/kit/page-headers.ts';
import { allowAllOrigins } from '../public/cors.ts';
import { anonymousCaller } from '../public/public-caller.ts';
import type { PublicLimitGroup, PublicLimits } from '../public/public-limits.ts';
import { registerClient } from './client-registration.ts';
import { PATHS, resourceMetadata, serverMetadata } from './oauth-endpoints.ts';
import { oauthErrorPage, oauthErrorResponse } from './oauth-errors.ts';

const MAX_REGISTRATION_BYTES = 20_000;
const METADATA_SECONDS = 3_600;

/**
 * Serves sign-in for the clients of the public API. Mounted before anything that reads bodies. Every path accepts only
 * its one method, so that the library, which answers every request it gets, gets nothing else.
 */
export function oauthRouter(runtime: ApiServices, limits: PublicLimits): Router {
  const { config } = runtime;
  const provider = lazy(async () => {
    const { createOAuthProvider } = await import('./oauth-provider.ts');
    return createOAuthProvider(runtime);
  });
  const byProvider = lazyHandler(async () => {
    const answer = (await provider()).callback();
    return (req, res) => void answer(req, res);
  });
  const router = Router({ caseSensitive: true, strict: true });

  const admit = (path: string, group: PublicLimitGroup): RequestHandler => {
    return async (req, res, next) => {
      res.locals.route = path;
      const slot = await limits.take(group, anonymousCaller(req));
      res.set(rateLimitHeaders(slot));
      requireWithinLimit(slot);
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
    router.all(paths, allowAllOrigins, admit(path, group));
    router[method](paths, ...handlers);
    router.all(paths, onlyMethods([method.toUpperCase()]));
    router.use(paths, oauthErrorResponse(runtime.log));
  };
  const answer = (body: object): RequestHandler => {
    return (_req, res) => {
      res.set('Cache-Control', `public, max-age=${METADATA_SECONDS}`).json(body);
    };
  };
  const byLibrary = (path: string): RequestHandler[] => [
    rewriteToIssuer(config, () => path),
    byProvider,
  ];

  endpoint('get', PATHS.serverMetadata, 'reads', answer(serverMetadata(config)));
  endpoint('get', PATHS.resourceMetadata, 'reads', answer(resourceMetadata(config)));
  endpoint('get', `${PATHS.resourceMetadata}/api`, 'reads', answer(resourceMetadata(config)));
  endpoint(
    'post',
    PATHS.register,
    'registration',
    rawBodyUpTo(MAX_REGISTRATION_BYTES),
    registerClient(runtime),
  );
  endpoint('post', PATHS.token, 'reads', ...byLibrary(PATHS.token));
  endpoint('post', PATHS.revoke, 'reads', ...byLibrary(PATHS.revoke));

  router.use('/oauth', pageHeaders('sign-in'));
  for (const path of [PATHS.authorize, `${PATHS.authorize}/:uid`]) {
    // Each request is stored as a row until it expires.
    router.all(path, admit(path, 'reads'));
    router.get(path, rewriteToIssuer(config), byProvider);
    router.all(path, onlyMethods(['GET']));
  }
  router.all(
    [PATHS.interaction, `${PATHS.interaction}/*rest`],
    lazyHandler(async () => {
      const { interactionRouter } = await import('./oauth-interactions.ts');
      return interactionRouter(runtime, await provider());
    }),
  );
  router.use('/oauth', oauthErrorPage(runtime));
  return router;
}

/**
 * Makes a request look as if it came straight to the issuer: the library builds addresses from the Host header and the
 * request line, which the caller controls. `path` returns the path that the library knows.
 */
function rewriteToIssuer(
  { baseUrl }: { baseUrl: string },
  path: (req: { path: string }) => string = (req) => req.path,
): RequestHandler {
  const { host, protocol } = new URL(baseUrl);
  return (req, _res, next) => {
    req.headers.host = host;
    req.headers['x-forwarded-proto'] = protocol.slice(0, -1);
    delete req.headers['x-forwarded-host'];
    const at = req.originalUrl.indexOf('?');
    req.url = path(req) + (at === -1 ? '' : req.originalUrl.slice(at));
    req.originalUrl = req.url;
    next();
  };
}
