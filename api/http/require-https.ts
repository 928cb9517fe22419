import type { Config } from '../../shared/platform/config.ts';
import { fail } from '../../shared/platform/errors.ts';
import type { Step } from './in-turn.ts';

/** Refuses plain HTTP in production; TLS ends at a proxy that TRUST_PROXY names. */
export function requireHttps(config: Config): Step {
  return (req) => {
    if (config.nodeEnv === 'production' && !req.secure) {
      throw fail('forbidden', { message: 'Use HTTPS.' });
    }
  };
}
