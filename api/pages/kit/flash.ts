import type { CookieOptions, Request, Response } from 'express';
import { addMs, type Clock, MINUTE } from '../../../shared/platform/clock.ts';
import type { Config } from '../../../shared/platform/config/config.ts';
import type { SignedTokens } from '../../../shared/platform/crypto/signed-tokens.ts';
import { cookieOf, hostCookie } from '../../http/cookies.ts';

const LASTS_MS = MINUTE;

type Deps = { tokens: SignedTokens; clock: Clock; config: Config };

/** Messages for a browser's next page, signed so that nobody else can leave them. */
export interface FlashMessages {
  /** Leaves a message for a person's next page. */
  set(deps: Deps, res: Response, to: string, text: string): Promise<void>;
  /** Takes the message left for this person, so that it shows only once. */
  take(deps: Deps, req: Request, res: Response, to: string): Promise<string | undefined>;
}

/** Creates the flash messages of a group of pages, stored in their own cookie. */
export function flashMessages(
  cookie: string,
  optionsOf: (config: Config) => CookieOptions,
): FlashMessages {
  const purpose = cookie.replace('_', '-');
  return {
    async set({ tokens, clock, config }, res, to, text) {
      const token = await tokens.sign(purpose, { text, for: to }, addMs(clock.now(), LASTS_MS));
      res.cookie(hostCookie(config, cookie), token, { ...optionsOf(config), maxAge: LASTS_MS });
    },
    async take({ tokens, config }, req, res, to) {
      const token = cookieOf(req, hostCookie(config, cookie));
      if (!token) return undefined;
      res.clearCookie(hostCookie(config, cookie), optionsOf(config));
      const claims = await tokens.verify(purpose, token);
      return typeof claims === 'string' || claims.for !== to ? undefined : String(claims.text);
    },
  };
}
