import { hashTagPrefix, primariesOf, type Redis } from './redis.ts';

/** Keys for a cluster: enough that each of its primaries, up to some ten, very probably has one. */
const KEYS_OF_CLUSTER = 64;
const KEPT_SECONDS = 60;

/**
 * Writes a key that expires, on every primary of a cluster, to see whether Redis takes writes: one that is full, that
 * could not save its data or that has become a replica still answers reads.
 * @throws ReplyError with what Redis says
 */
export async function probeWrites(redis: Redis, prefix: string): Promise<void> {
  const count = primariesOf(redis).length > 1 ? KEYS_OF_CLUSTER : 1;
  const groups = Array.from({ length: count }, (_, index) => `probe-${index}`);
  const keys = new Set(groups.map((group) => `${hashTagPrefix(prefix, group)}:probe`));
  await Promise.all([...keys].map((key) => redis.set(key, '1', 'EX', KEPT_SECONDS)));
}
