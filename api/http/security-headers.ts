import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet, { type HelmetOptions } from 'helmet';
import type { Config } from '../../shared/platform/config/config.ts';
import { fail } from '../../shared/platform/errors.ts';
import type { Step } from './middleware.ts';

/** Sets Helmet's headers on everything a browser may display. Pages add their own. */
export function securityHeaders(): Step {
  return setting(headersOf({}));
}

/**
 * Sets the headers of API responses, which only programs request: JSON over HTTPS, never a page, a frame or a resource
 * of another site (OWASP REST Security Cheat Sheet). Helmet's other headers matter only to documents. No cache may
 * store a response: a proxy that knows nothing of our signatures would serve one partner's response to another.
 */
export function apiHeaders(): Step {
  return setting(
    new Map([
      ['Cache-Control', 'no-store'],
      ...headersOf({
        contentSecurityPolicy: {
          useDefaults: false,
          directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
        },
        frameguard: { action: 'deny' },
        crossOriginOpenerPolicy: false,
        originAgentCluster: false,
        referrerPolicy: false,
        dnsPrefetchControl: false,
        ieNoOpen: false,
        permittedCrossDomainPolicies: false,
        xssFilter: false,
      }),
    ]),
  );
}

/** Helmet's headers are the same for every response, so they are computed once. */
function headersOf(options: HelmetOptions): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  const collector = {
    setHeader: (name: string, value: string) => headers.set(name, value),
    removeHeader: () => {},
  };
  helmet(options)({} as IncomingMessage, collector as unknown as ServerResponse, (error) => {
    if (error) throw error;
  });
  return headers;
}

function setting(headers: ReadonlyMap<string, string>): Step {
  return (_req, res) => {
    for (const [name, value] of headers) res.setHeader(name, value);
  };
}

/** Refuses plain HTTP in production; TLS ends at a proxy that TRUST_PROXY names. */
export function requireHttps(config: Config): Step {
  return (req) => {
    if (config.nodeEnv === 'production' && !req.secure) {
      throw fail('forbidden', { message: 'Use HTTPS.' });
    }
  };
}
