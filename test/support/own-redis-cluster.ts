import { eventually } from './eventually.ts';
import { type OwnRedis, startOwnRedis } from './own-redis.ts';
import { freePort } from './service-process.ts';

/** A Redis Cluster of three primaries, with or without a replica for each, for one test. */
export interface OwnRedisCluster {
  /** The value for REDIS_URL. */
  urls: string;
  /** The primaries it started with. */
  nodes: readonly OwnRedis[];
  /** The replica of each primary, in the same order. */
  replicas: readonly OwnRedis[];
  /** Restarts a node that was killed. */
  restart(node: OwnRedis): Promise<void>;
  /** Wipes every node. */
  flushAll(): Promise<void>;
  /** Returns how many keys each node has. */
  sizes(): Promise<number[]>;
  remove(): Promise<void>;
}

const SLOTS = [
  ['0', '5460'],
  ['5461', '10922'],
  ['10923', '16383'],
] as const;

/** Starts three nodes, assigns each a third of the slots, and waits until they agree; on request with replicas. */
export async function startOwnRedisCluster(
  options: { replicas?: boolean } = {},
): Promise<OwnRedisCluster> {
  const settings = new Map<OwnRedis, string[]>();
  const startNode = async () => {
    const node = await startOwnRedis();
    const bus = String(await freePort());
    settings.set(node, [
      ...['--cluster-enabled', 'yes', '--cluster-port', bus],
      ...['--cluster-announce-ip', '127.0.0.1', '--cluster-node-timeout', '1000'],
      ...['--repl-diskless-sync-delay', '0'],
    ]);
    // A server joins cluster mode only when it starts.
    await node.kill();
    await node.start(settings.get(node));
    return { node, bus };
  };
  const primaries = await Promise.all(
    SLOTS.map(async (slots) => {
      const started = await startNode();
      await started.node.command('cluster', 'addslotsrange', ...slots);
      return started;
    }),
  );
  const copies = options.replicas ? await Promise.all(primaries.map(startNode)) : [];
  const everyone = [...primaries, ...copies].map(({ node }) => node);
  for (const { node, bus } of [...primaries, ...copies]) {
    await everyone[0]?.command('cluster', 'meet', '127.0.0.1', new URL(node.url).port, bus);
  }
  const untilAgreed = () =>
    eventually(
      () => Promise.all(everyone.map((node) => node.command('cluster', 'info'))),
      (infos) =>
        infos.every((info) =>
          new RegExp(`cluster_state:ok[\\s\\S]*cluster_known_nodes:${everyone.length}\\b`).test(
            String(info),
          ),
        ),
      { everyMs: 50 },
    );
  await untilAgreed();
  const replicas = copies.map(({ node }) => node);
  await Promise.all(replicas.map((replica, n) => follow(replica, primaries[n]?.node)));
  const nodes = primaries.map(({ node }) => node);
  return {
    urls: nodes.map((node) => node.url).join(','),
    nodes,
    replicas,
    async restart(node) {
      await node.start(settings.get(node));
      await untilAgreed();
    },
    async flushAll() {
      await Promise.all(nodes.map((node) => node.flushAll()));
    },
    sizes: () => Promise.all(nodes.map(async (node) => Number(await node.command('dbsize')))),
    async remove() {
      await Promise.all(everyone.map((node) => node.remove()));
    },
  };
}

async function follow(replica: OwnRedis, primary: OwnRedis | undefined): Promise<void> {
  const id = String(await primary?.command('cluster', 'myid'));
  await replica.command('cluster', 'replicate', id);
  await eventually(
    () => replica.command('info', 'replication'),
    (info) => String(info).includes('master_link_status:up'),
    { everyMs: 50 },
  );
}

/** Resolves when a replica has become the primary of its slots. @throws Error after `withinMs` */
export function untilPrimary(replica: OwnRedis, withinMs = 150_000): Promise<unknown> {
  return eventually(
    () => replica.command('info', 'replication'),
    (info) => String(info).includes('role:master'),
    { withinMs, everyMs: 50 },
  );
}

/** Asks a replica to take over from its primary, again if the others did not vote in time, until it has. */
export async function promote(replica: OwnRedis): Promise<void> {
  await eventually(
    async () => {
      // Refused while the two are not in sync yet.
      await replica.command('cluster', 'failover').catch(() => {});
      return untilPrimary(replica, 2_500).then(
        () => true,
        () => false,
      );
    },
    Boolean,
    { everyMs: 50 },
  );
}
