/** Redis Cluster places a key by what stands between its first braces, when that is not empty. */
const HASH_TAG = /\{[^}]+\}/;

/**
 * The prefix of keys that scripts and transactions use together, such as those of one queue. In a cluster
 * a group lives on one shard and the groups spread over all of them. A REDIS_PREFIX with braces of its own
 * keeps everything in one slot.
 */
export function hashTagPrefix(prefix: string, group: string): string {
  return HASH_TAG.test(prefix) ? prefix : `${prefix}:{${group}}`;
}

/** Keys that are there until Redis is wiped: one a group, for a cluster may lose a shard alone. */
export function bootMarkers(prefix: string, groups: readonly string[]): string[] {
  return [...new Set(groups.map((group) => `${hashTagPrefix(prefix, group)}:boot`))];
}
