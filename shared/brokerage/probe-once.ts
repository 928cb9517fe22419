import type { Environment } from '../platform/config.ts';
import type { Runtime } from '../runtime.ts';
import type { SiteFinding } from './site-probe.ts';

/** A site that did not answer in time is worth another look soon. */
const UNKNOWN_MS = 15_000;

const STATES: readonly string[] = ['active', 'parked', 'no_site', 'unregistered', 'unknown'];

/**
 * The probe behind a short cache in Redis: a partner asks for a domain, and a moment later opens the case. In
 * the sandbox nothing is fetched, so nothing is kept.
 */
export async function probeSiteCached(
  { redis, config, siteProbes }: Pick<Runtime, 'redis' | 'config' | 'siteProbes'>,
  environment: Environment,
  domain: string,
): Promise<SiteFinding> {
  if (environment === 'SANDBOX') return siteProbes.SANDBOX(domain);
  const key = `${config.redisPrefix}:site:${domain}`;
  // The cache spares work; without it the answer is the same.
  const kept = await redis.get(key).catch(() => null);
  if (kept !== null && STATES.includes(kept)) return { state: kept as SiteFinding['state'] };
  const found = await siteProbes.LIVE(domain);
  const keepMs = found.state === 'unknown' ? UNKNOWN_MS : config.brokerageProbeCacheMs;
  if (keepMs > 0) await redis.set(key, found.state, 'PX', keepMs).catch(() => {});
  return found;
}
