import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { SECOND } from '../clock.ts';
import type { Logger } from '../observability/logger.ts';

export type { Redis };

/**
 * - `commands`: nonces, counters, publishes. Fails at once when Redis is away (the caller answers 503)
 *   and sends everything of one tick in one round trip.
 * - `queue`: adding jobs. Fails at once as well: the outbox keeps the row.
 * - `worker`: blocking reads of a worker; waits for Redis for ever.
 * - `subscriber`: pub/sub.
 */
export type RedisRole = 'commands' | 'queue' | 'worker' | 'subscriber';

/**
 * `socketTimeout`: a connection that owes an answer and says nothing for so long is dead, although nobody told
 * us (a host that vanished, a firewall that forgot); it is given up and made anew. A worker's longest
 * blocking read is ten seconds.
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
  worker: { enableAutoPipelining: true, maxRetriesPerRequest: null, socketTimeout: 13_000 },
  subscriber: { maxRetriesPerRequest: null },
};

/** What a lone server gets, and every node of a cluster. */
function optionsOf(role: RedisRole, { redisCommandMs = SECOND }: RedisAddress) {
  return {
    ...OPTIONS[role],
    ...(role === 'commands' && {
      commandTimeout: redisCommandMs,
      socketTimeout: 2 * redisCommandMs,
    }),
    replyMapping: 'legacy' as const,
    connectionName: `marketplace-${role}`,
    // A socket that is dead already must not hold a process that stops.
    disconnectTimeout: 250,
  };
}

const retryAfterMs = (attempt: number) => Math.min(attempt * 50, 1_000);

/** Where Redis is, as the configuration says. */
export interface RedisAddress {
  /** One or several, comma-separated: of a server, of nodes of a cluster, or of sentinels. */
  redisUrl: string;
  /** What the sentinels call the primary; empty where the addresses are not those of sentinels. */
  redisSentinelName?: string;
  redisSentinelPassword?: string;
  /** How long a command may take; a second by default. */
  redisCommandMs?: number;
}

/**
 * A connection for one role; reconnects by itself, at most one second after Redis is back. Several
 * addresses are nodes of one cluster, of which the rest is found through them, or sentinels, which know the primary.
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

/** A sentinel that is silent costs this long before the next one is asked. */
const SENTINEL_MS = 1_000;

/**
 * The primary is asked for at every connect. One that was replaced shuts its connections, refuses writes, or is
 * silent, and each of these makes us ask again; the library's `failoverDetector` would end a connection for good
 * that is being made just then. User, password, database and TLS are those of the first address.
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

/** `open` makes the connection with the options that follow a primary from one server to the next. */
function connectServer(
  common: ReturnType<typeof optionsOf>,
  open: (options: ServerOptions) => Redis,
): Redis {
  let moving = false;
  const redis = open({
    ...common,
    retryStrategy: retryAfterMs,
    // After a failover the old primary keeps our connection, and would refuse every write for ever. One of the
    // refusals of a pipeline is enough.
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

/** User, password and TLS are those of the first address. Reads go to primaries: a replica may be late. */
function connectCluster(nodes: readonly string[], address: RedisAddress, role: RedisRole): Redis {
  const { username, password, protocol } = new URL(nodes[0] ?? '');
  const { enableAutoPipelining = false, enableOfflineQueue = true } = OPTIONS[role];
  const tls = protocol === 'rediss:';
  const cluster = new Cluster([...nodes], {
    enableAutoPipelining,
    enableOfflineQueue,
    clusterRetryStrategy: retryAfterMs,
    // A caller is told soon that a shard is away; the rest waits for a failover.
    maxRedirections: role === 'commands' ? 6 : 16,
    redisOptions: {
      ...optionsOf(role, address),
      ...(username && { username: decodeURIComponent(username) }),
      ...(password && { password: decodeURIComponent(password) }),
      ...(tls && { tls: {} }),
    },
    // A certificate names its node; an address in its place would not be in it.
    ...(tls && { dnsLookup: (name, found) => found(null, name) }),
  });
  // It has every command and event of a lone server's connection that is used here.
  return cluster as unknown as Redis;
}

/** Connections to the servers that hold the keys: to the lone one, or to every primary of a cluster. */
export function primariesOf(redis: Redis): Redis[] {
  const either = redis as Redis | Cluster;
  return either instanceof Cluster ? either.nodes('master') : [either];
}

/**
 * Calls `listener` whenever the connection is ready again: to the server, or to any node of a cluster.
 * The function it returns ends that.
 */
export function onReconnect(redis: Redis, listener: () => void): () => void {
  const events = (redis as Redis | Cluster) instanceof Cluster ? ['ready', '+node'] : ['ready'];
  for (const event of events) redis.on(event, listener);
  return () => {
    for (const event of events) redis.off(event, listener);
  };
}

/** Resolves when the connection can take commands. @throws Error after `timeoutMs`. */
export async function untilReady(redis: Redis, timeoutMs: number): Promise<void> {
  if (redis.status === 'ready') return;
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`Redis did not answer within ${timeoutMs} ms`)),
      timeoutMs,
    );
    // While the connection tries again it holds the process; once it was closed nothing should.
    timer.unref();
    redis.once('ready', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** A Lua script as a command: its keys, then its arguments. Travels in the pipeline of its tick. */
export type Script = (keys: readonly string[], args: readonly string[]) => Promise<unknown>;

/** Teaches a connection a script; Redis is sent the text only when it does not know it. */
export function defineScript(redis: Redis, name: string, lua: string): Script {
  redis.defineCommand(name, { lua });
  const commands = redis as unknown as Record<
    string,
    (keys: number, ...args: string[]) => Promise<unknown>
  >;
  return (names, args) =>
    Promise.resolve(commands[name]?.(names.length, ...names, ...args)).catch((error: Error) => {
      // The library sends it by its digest, and once more if that is unknown. Where nodes change places, the text may
      // have been refused before it was kept; nothing has run then.
      if (!error.message.startsWith('NOSCRIPT')) throw error;
      return redis.call('EVAL', lua, names.length, ...names, ...args);
    });
}

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
