import { eventually } from './eventually.ts';
import { type OwnRedis, startOwnRedis } from './own-redis.ts';
import { freePort } from './service-process.ts';

/** A Redis Cluster of three primaries, for one test. */
export interface OwnRedisCluster {
  /** For REDIS_URL. */
  urls: string;
  nodes: readonly OwnRedis[];
  /** Starts a node again that was killed. */
  restart(node: OwnRedis): Promise<void>;
  /** Wipes every node. */
  flushAll(): Promise<void>;
  /** How many keys each node has. */
  sizes(): Promise<number[]>;
  remove(): Promise<void>;
}

const SLOTS = [
  ['0', '5460'],
  ['5461', '10922'],
  ['10923', '16383'],
] as const;

/** Starts three nodes, gives each a third of the slots, and waits until they agree. */
export async function startOwnRedisCluster(): Promise<OwnRedisCluster> {
  const settings = new Map<OwnRedis, string[]>();
  const nodes = await Promise.all(
    SLOTS.map(async (slots) => {
      const node = await startOwnRedis();
      const bus = String(await freePort());
      settings.set(node, [
        ...['--cluster-enabled', 'yes', '--cluster-port', bus],
        ...['--cluster-announce-ip', '127.0.0.1', '--cluster-node-timeout', '1000'],
      ]);
      // A server becomes a node of a cluster by a start only.
      await node.kill();
      await node.start(settings.get(node));
      await node.command('cluster', 'addslotsrange', ...slots);
      return { node, bus };
    }),
  );
  const [first] = nodes;
  for (const { node, bus } of nodes) {
    await first?.node.command('cluster', 'meet', '127.0.0.1', new URL(node.url).port, bus);
  }
  const all = nodes.map(({ node }) => node);
  const untilAgreed = () =>
    eventually(
      () => Promise.all(all.map((node) => node.command('cluster', 'info'))),
      (infos) =>
        infos.every((info) => /cluster_state:ok[\s\S]*cluster_known_nodes:3/.test(String(info))),
      { withinMs: 20_000, everyMs: 50 },
    );
  await untilAgreed();
  return {
    urls: all.map((node) => node.url).join(','),
    nodes: all,
    async restart(node) {
      await node.start(settings.get(node));
      await untilAgreed();
    },
    async flushAll() {
      await Promise.all(all.map((node) => node.flushAll()));
    },
    sizes: () => Promise.all(all.map(async (node) => Number(await node.command('dbsize')))),
    async remove() {
      await Promise.all(all.map((node) => node.remove()));
    },
  };
}
