import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet, { type HelmetOptions } from 'helmet';
import type { Config } from '../../shared/platform/config/config.ts';
import { fail } from '../../shared/platform/errors.ts';
import type { Step } from './middleware.ts';

/** The headers of helmet, for whatever a browser may show. A page says more of itself in its place. */
export function securityHeaders(): Step {
  return setting(headersOf({}));
}

/**
 * For answers that only programs ask for, since a browser can't sign: they are JSON, come by HTTPS, and are no
 * page, frame or resource of anybody's (OWASP REST Security Cheat Sheet). The others are about documents.
 */
export function apiHeaders(): Step {
  return setting(
    headersOf({
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
  );
}

/** They are the same for every answer, so helmet is asked for them once. */
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
