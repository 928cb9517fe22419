import { type Request, type RequestHandler, Router } from 'express';
import type { Database } from '../../shared/messaging/unit-of-work/database.ts';
import { type Clock, dayOf, SECOND } from '../../shared/platform/clock.ts';
import type { Config } from '../../shared/platform/config/config.ts';
import type { SignedTokens } from '../../shared/platform/crypto/signed-tokens.ts';
import { fail } from '../../shared/platform/errors.ts';
import type { Logger } from '../../shared/platform/observability/logger.ts';
import type { Redis } from '../../shared/platform/redis/redis.ts';
import { createClickBuffer } from '../../shared/sales/referral/click-buffer.ts';
import {
  ATTRIBUTION_MS,
  REFERRAL_COOKIE,
  signClick,
} from '../../shared/sales/referral/click-cookie.ts';
import { createLinkTargetFinder } from '../../shared/sales/referral/find-link-target.ts';
import { targetUrl } from '../../shared/sales/referral/referral-link.ts';
import { createVisitorHasher, isHumanClick } from '../../shared/sales/referral/visitor.ts';
import { hasSecureCookies, hostCookie } from '../http/cookies.ts';
import { onlyMethods } from '../http/error-response.ts';
import { composeSteps } from '../http/middleware.ts';
import { callerBucket } from '../http/rate-limit.ts';
import { requireHttps } from '../http/security-headers.ts';

type Slice = {
  config: Config;
  clock: Clock;
  redis: Redis;
  db: Database;
  log: Logger;
  tokens: SignedTokens;
};

/**
 * `GET /r/{code}`: follows a referral link. One round trip to Redis finds the target and counts the click; human
 * visitors also get the cookie that attributes their purchase to the last link they followed.
 */
export function redirectRouter(runtime: Slice): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.get('/:code', composeSteps(requireHttps(runtime.config)), follow(runtime));
  router.all('/:code', onlyMethods(['GET', 'HEAD']));
  return router;
}

function follow(runtime: Slice): RequestHandler<{ code: string }> {
  const { config, clock, redis, tokens } = runtime;
  const find = createLinkTargetFinder(runtime, createClickBuffer(redis, config));
  const markOf = createVisitorHasher(config);
  // The cookie's name is one that no other host below our domain can set, or that host could claim others' commissions.
  const cookie = hostCookie(config, REFERRAL_COOKIE);
  const secure = hasSecureCookies(config) ? '; Secure' : '';
  const cookieRules = `; Max-Age=${ATTRIBUTION_MS / SECOND}; Path=/; HttpOnly; SameSite=Lax${secure}`;

  return async (req, res) => {
    res.locals.route = '/r/:code';
    const { code } = req.params;
    const now = clock.now();
    const day = dayOf(now);
    const userAgent = req.get('User-Agent');
    const clicked = isHumanClick({ method: req.method, userAgent, purposes: purposesOf(req) });
    const visitor = clicked ? markOf(day, callerBucket(req), userAgent ?? '') : null;

    const target = await find({ code, day, visitor });
    if (!target) throw fail('not_found', { message: 'This link does not exist.' });
    res.statusCode = 302;
    res.setHeader('Location', targetUrl(config, target));
    // Every click has to reach us; none may be served from a cache.
    res.setHeader('Cache-Control', 'no-store');
    if (clicked) {
      const click = await signClick(tokens, { code, clickedAt: now });
      res.setHeader('Set-Cookie', `${cookie}=${click}${cookieRules}`);
    }
    res.setHeader('Content-Length', '0');
    res.end();
  };
}

function purposesOf(req: Request<{ code: string }>): (string | undefined)[] {
  return ['Sec-Purpose', 'Purpose', 'X-Purpose', 'X-Moz'].map((name) => req.get(name));
}
