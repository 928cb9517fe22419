import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { SECOND } from '../clock.ts';
import type { Logger } from '../observability/logger.ts';

export type { Redis };

/**
 * - `commands`: nonces, counters, publishes. Fails right away if Redis is down (the caller returns 503).
 *   Sends all commands of one tick in one round trip.
 * - `queue`: adding jobs. Also fails right away: the outbox keeps the row.
 * - `worker`: blocking reads of a worker; waits for Redis forever. Sends each command alone: few come in one tick, and
 *   the library makes a pipeline with a copy of every script of BullMQ, which took a tenth of a worker's time.
 * - `subscriber`: pub/sub.
 */
export type RedisRole = 'commands' | 'queue' | 'worker' | 'subscriber';

/**
 * `socketTimeout`: closes and reopens a connection that has not replied for this long, for example because the host
 * vanished or a firewall dropped it. A worker's longest blocking read takes ten seconds.
 */
const OPTIONS: Record<RedisRole, RedisOptions> = {
  commands: { enableAutoPipelining: true, enableOfflineQueue: false, maxRetriesPerRequest: 1 },
  queue: {
    enableAutoPipelining: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    commandTimeout: 5_000,
    socketTimeout: 5_000,
  },
  worker: { maxRetriesPerRequest: null, socketTimeout: 13_000 },
  subscriber: { maxRetriesPerRequest: null },
};

/** Returns the options of a single server, or of each node of a cluster. */
function optionsOf(role: RedisRole, { redisCommandMs = SECOND }: RedisAddress) {
  return {
    ...OPTIONS[role],
    ...(role === 'commands' && {
      commandTimeout: redisCommandMs,
      socketTimeout: 2 * redisCommandMs,
    }),
    replyMapping: 'legacy' as const,
    connectionName: `marketplace-${role}`,
    // Don't let a dead socket delay shutdown.
    disconnectTimeout: 250,
  };
}

const retryAfterMs = (attempt: number) => Math.min(attempt * 50, 1_000);

/** Where Redis is, from the configuration. */
export interface RedisAddress {
  /** Comma-separated addresses: one server, or the nodes of a cluster, or sentinels. */
  redisUrl: string;
  /** The primary's name in Sentinel; empty if the addresses are not sentinels. */
  redisSentinelName?: string;
  redisSentinelPassword?: string;
  /** The command timeout; one second by default. */
  redisCommandMs?: number;
}

/**
 * Opens a connection for one role. It reconnects automatically, at most one second after Redis is back. Several
 * addresses are nodes of one cluster, which tell us the others, or sentinels, which know the primary.
 */
export function connectRedis(address: RedisAddress, role: RedisRole, log: Logger): Redis {
  const urls = address.redisUrl.split(',').map((url) => url.trim());
  const redis = connect(urls, address, role);
  let away = false;
  redis.on('error', (error: Error) => {
    if (!away) log.warn({ err: error, role }, 'redis: connection lost');
    away = true;
  });
  redis.on('ready', () => {
    if (away) log.info({ role }, 'redis: connection back');
    away = false;
  });
  return redis;
}

function connect(urls: readonly string[], address: RedisAddress, role: RedisRole): Redis {
  const [first = ''] = urls;
  if (address.redisSentinelName) {
    return connectServer(
      optionsOf(role, address),
      (options) => new Redis({ ...bySentinels(urls, address), ...options }),
    );
  }
  if (urls.length > 1) return connectCluster(urls, address, role);
  return connectServer(optionsOf(role, address), (options) => new Redis(first, options));
}

/** How long we wait for a sentinel before we ask the next one. */
const SENTINEL_MS = 1_000;

/**
 * Every connect asks the sentinels for the primary. A replaced primary closes its connections, refuses writes or goes
 * silent, and each of these makes us reconnect. The library's `failoverDetector` would permanently close a connection
 * that is just being opened. User, password, database and TLS come from the first address.
 */
function bySentinels(
  urls: readonly string[],
  { redisSentinelName = '', redisSentinelPassword }: RedisAddress,
): RedisOptions {
  const { username, password, protocol, pathname } = new URL(urls[0] ?? '');
  return {
    name: redisSentinelName,
    sentinels: urls.map((url) => {
      const { hostname, port } = new URL(url);
      return { host: hostname, port: Number(port || SENTINEL_PORT) };
    }),
    ...(redisSentinelPassword && { sentinelPassword: redisSentinelPassword }),
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
    db: Number(pathname.slice(1)),
    ...(protocol === 'rediss:' && { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true }),
    connectTimeout: SENTINEL_MS,
    sentinelCommandTimeout: SENTINEL_MS,
    sentinelRetryStrategy: retryAfterMs,
  };
}

const SENTINEL_PORT = 26_379;

type ServerOptions = RedisOptions & { replyMapping: 'legacy' };

/** Calls `open` with options that make the connection follow the primary after a failover. */
function connectServer(
  common: ReturnType<typeof optionsOf>,
  open: (options: ServerOptions) => Redis,
): Redis {
  let moving = false;
  const redis = open({
    ...common,
    retryStrategy: retryAfterMs,
    // After a failover the old primary keeps our connection but refuses every write. Reconnect on the first refusal
    // of a pipeline.
    reconnectOnError(error: Error) {
      if (moving || !error.message.includes('READONLY')) return false;
      moving = true;
      return true;
    },
  });
  redis.on('ready', () => {
    moving = false;
  });
  return redis;
}

/** User, password and TLS come from the first address. Reads go to primaries, since replicas may lag. */
function connectCluster(nodes: readonly string[], address: RedisAddress, role: RedisRole): Redis {
  const { username, password, protocol } = new URL(nodes[0] ?? '');
  const { enableAutoPipelining = false, enableOfflineQueue = true } = OPTIONS[role];
  const tls = protocol === 'rediss:';
  const cluster = new Cluster([...nodes], {
    enableAutoPipelining,
    enableOfflineQueue,
    clusterRetryStrategy: retryAfterMs,
    // Callers learn quickly that a shard is down; other roles wait for a failover.
    maxRedirections: role === 'commands' ? 6 : 16,
    redisOptions: {
      ...optionsOf(role, address),
      ...(username && { username: decodeURIComponent(username) }),
      ...(password && { password: decodeURIComponent(password) }),
      ...(tls && { tls: {} }),
    },
    // Certificates contain the node's name, not its address.
    ...(tls && { dnsLookup: (name, found) => found(null, name) }),
  });
  // It has every command and event that we use of a single server's connection.
  return cluster as unknown as Redis;
}

/** Returns connections to the servers that hold keys: the single server, or every primary of a cluster. */
export function primariesOf(redis: Redis): Redis[] {
  const either = redis as Redis | Cluster;
  return either instanceof Cluster ? either.nodes('master') : [either];
}

/**
 * Calls `listener` whenever the connection to the server, or to any node of a cluster, is ready again.
 * Returns a function that stops this.
 */
export function onReconnect(redis: Redis, listener: () => void): () => void {
  const events = (redis as Redis | Cluster) instanceof Cluster ? ['ready', '+node'] : ['ready'];
  for (const event of events) redis.on(event, listener);
  return () => {
    for (const event of events) redis.off(event, listener);
  };
}

/** Resolves when the connection is ready for commands. @throws Error after `timeoutMs`. */
export async function untilReady(redis: Redis, timeoutMs: number): Promise<void> {
  if (redis.status === 'ready') return;
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`Redis did not answer within ${timeoutMs} ms`)),
      timeoutMs,
    );
    // A reconnecting connection keeps the process alive; this timer must not.
    timer.unref();
    redis.once('ready', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Errors of the Redis client without a connection, or without a reply in time. */
const UNAVAILABLE =
  /max retries per request|isn't writeable|command timed out|connection is closed|redis connection is not ready/i;
/** Errors of the Redis client while a cluster fails over. */
const CLUSTER_UNAVAILABLE =
  /command aborted|cluster isn't ready|cluster is (?:ended|disconnect)|none of startup nodes|too many cluster redirections|node is disconnected|failed to refresh slots|same slots allocation group/i;
/** Redis replied that it can't serve now: out of memory, loading, a replica, or cut off from its cluster. */
const REPLY_UNAVAILABLE =
  /\b(OOM|READONLY|LOADING|MISCONF|MASTERDOWN|CLUSTERDOWN|NOREPLICAS|TRYAGAIN|MOVED|UNBLOCKED)\b/;

/** Returns whether `thrown` means that Redis is currently unavailable. */
export function isRedisUnavailable(thrown: unknown): boolean {
  const error = thrown as { name?: string; message?: string };
  const message = error?.message ?? '';
  if (error?.name === 'ReplyError') return REPLY_UNAVAILABLE.test(message);
  return (
    error?.name === 'MaxRetriesPerRequestError' ||
    UNAVAILABLE.test(message) ||
    CLUSTER_UNAVAILABLE.test(message)
  );
}

/** Runs a Lua script with its keys and arguments, in the pipeline of its tick. */
export type Script = (keys: readonly string[], args: readonly string[]) => Promise<unknown>;

/** Adds a script to a connection. Sends Redis the text only if Redis does not know it. */
export function defineScript(redis: Redis, name: string, lua: string): Script {
  redis.defineCommand(name, { lua });
  const commands = redis as unknown as Record<
    string,
    (keys: number, ...args: string[]) => Promise<unknown>
  >;
  return (names, args) =>
    Promise.resolve(commands[name]?.(names.length, ...names, ...args)).catch((error: Error) => {
      // The library sends the digest, then the text if the digest is unknown. During a failover, a node may refuse the
      // text before it stores it. Then nothing has run.
      if (!error.message.startsWith('NOSCRIPT')) throw error;
      return redis.call('EVAL', lua, names.length, ...names, ...args);
    });
}

/** Redis Cluster chooses a key's slot by the text in its first braces, unless that is empty. */
const HASH_TAG = /\{[^}]+\}/;

/**
 * Returns the prefix of keys that scripts and transactions use together, such as those of one queue. In a cluster,
 * each group is on one shard, and the groups are spread over the shards. A REDIS_PREFIX with its own braces keeps
 * everything in one slot.
 */
export function hashTagPrefix(prefix: string, group: string): string {
  return HASH_TAG.test(prefix) ? prefix : `${prefix}:{${group}}`;
}

/** Returns keys that exist until Redis is wiped: one per group, since a cluster may lose a single shard. */
export function bootMarkers(prefix: string, groups: readonly string[]): string[] {
  return [...new Set(groups.map((group) => `${hashTagPrefix(prefix, group)}:boot`))];
}
