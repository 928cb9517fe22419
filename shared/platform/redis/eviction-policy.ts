import type { Logger } from '../observability/logger.ts';
import { primariesOf, type Redis } from './redis.ts';

/** What a server does when it is full, by its `maxmemory-policy`; `unknown` where it doesn't tell. */
export type EvictionPolicy = 'keeps' | 'evicts' | 'unknown';

const FIX =
  'Set it to noeviction (CONFIG SET maxmemory-policy noeviction, or in redis.conf; on managed Redis in its ' +
  'parameter group) and start again.';

/** Redis throws keys away when it is full; nonces among them, so that signed requests could be replayed. */
class EvictionPolicyError extends Error {
  constructor(policy: string) {
    super(`The maxmemory-policy of Redis is ${policy}: a full Redis would forget nonces. ${FIX}`);
    this.name = 'EvictingRedis';
  }
}

/**
 * Refuses a Redis that may evict keys; of a cluster every primary is asked. One that doesn't tell is let pass
 * with a warning. @throws EvictingRedis
 */
export async function requireNoEviction(redis: Redis, log: Logger): Promise<void> {
  const policies = await readPolicies(redis);
  const evicting = policies.find((policy) => classifyPolicy(policy) === 'evicts');
  if (evicting !== undefined) throw new EvictionPolicyError(evicting);
  if (policies.some((policy) => classifyPolicy(policy) === 'unknown'))
    log.warn('redis: its maxmemory-policy could not be read; make sure that it is noeviction');
}

/** What becomes of keys when a server is full: the worst answer of all primaries that can be asked. */
export async function readEvictionPolicy(redis: Redis): Promise<EvictionPolicy> {
  const verdicts = (await readPolicies(redis)).map(classifyPolicy);
  if (verdicts.includes('evicts')) return 'evicts';
  return verdicts.includes('unknown') ? 'unknown' : 'keeps';
}

/** An empty text for a server that doesn't tell. One that can't be reached is left out. */
async function readPolicies(redis: Redis): Promise<string[]> {
  const policies = await Promise.all(
    primariesOf(redis).map((server) => readPolicy(server).catch(() => [])),
  );
  return policies.flat();
}

async function readPolicy(server: Redis): Promise<[string]> {
  const [, configured] = (await undefinedIfRefused(
    server.config('GET', 'maxmemory-policy') as Promise<string[]>,
  )) ?? [undefined, undefined];
  if (configured) return [configured];
  // CONFIG is often not allowed on managed Redis.
  const memory = (await undefinedIfRefused(server.info('memory'))) ?? '';
  return [/^maxmemory_policy:(\S+)/m.exec(memory)?.[1] ?? ''];
}

/** What the server answers; undefined when it doesn't want to. */
async function undefinedIfRefused<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if ((error as Error).name === 'ReplyError') return undefined;
    throw error;
  }
}

function classifyPolicy(policy: string): EvictionPolicy {
  if (policy === '') return 'unknown';
  return policy === 'noeviction' ? 'keeps' : 'evicts';
}
