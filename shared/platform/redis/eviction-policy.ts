import type { Logger } from '../observability/logger.ts';
import { primariesOf, type Redis } from './redis.ts';

/** What a server does when memory is full, from its `maxmemory-policy`; `unknown` if it doesn't say. */
export type EvictionPolicy = 'keeps' | 'evicts' | 'unknown';

const FIX =
  'Set it to noeviction (CONFIG SET maxmemory-policy noeviction, or in redis.conf; on managed Redis in its ' +
  'parameter group) and start again.';

/** Redis would evict keys when full, including nonces, so that signed requests could be replayed. */
class EvictionPolicyError extends Error {
  constructor(policy: string) {
    super(`The maxmemory-policy of Redis is ${policy}: a full Redis would forget nonces. ${FIX}`);
    this.name = 'EvictingRedis';
  }
}

/**
 * Checks that Redis (every primary of a cluster) never evicts keys. Only logs a warning if a server doesn't say.
 * @throws EvictingRedis
 */
export async function requireNoEviction(redis: Redis, log: Logger): Promise<void> {
  const policies = await readPolicies(redis);
  const evicting = policies.find((policy) => classifyPolicy(policy) === 'evicts');
  if (evicting !== undefined) throw new EvictionPolicyError(evicting);
  if (policies.some((policy) => classifyPolicy(policy) === 'unknown'))
    log.warn('redis: its maxmemory-policy could not be read; make sure that it is noeviction');
}

/** Returns the worst eviction policy of all reachable primaries. */
export async function readEvictionPolicy(redis: Redis): Promise<EvictionPolicy> {
  const verdicts = (await readPolicies(redis)).map(classifyPolicy);
  if (verdicts.includes('evicts')) return 'evicts';
  return verdicts.includes('unknown') ? 'unknown' : 'keeps';
}

/** Returns the policy of each reachable server; empty for one that doesn't say. */
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
  // Managed Redis often disallows CONFIG.
  const memory = (await undefinedIfRefused(server.info('memory'))) ?? '';
  return [/^maxmemory_policy:(\S+)/m.exec(memory)?.[1] ?? ''];
}

/** Returns the reply, or undefined if the server refuses the command. */
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
