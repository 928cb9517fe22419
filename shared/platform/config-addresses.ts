import type { Variable } from './config-kinds.ts';

/** An address of Postgres. What is wrong with an address is told without quoting it: it may hold a password. */
export function postgresAddress(name: string, fallback: string, doc: string): Variable<string> {
  return {
    name,
    fallback,
    doc,
    parse(value) {
      if (!URL.canParse(value) || !/^postgres(ql)?:$/.test(new URL(value).protocol)) {
        throw new Error('must be an address such as postgres://user:password@host:5432/database');
      }
      return value;
    },
  };
}

/** Addresses of Redis: one of a server, or several of nodes of one cluster, which has no numbered databases. */
export function redisAddresses(name: string, fallback: string, doc: string): Variable<string> {
  return {
    name,
    fallback,
    doc,
    parse(value) {
      const nodes = value.split(',').map((node) => node.trim());
      const wrong = nodes.findIndex((node) => !isRedisAddress(node));
      if (wrong >= 0) {
        const which = nodes.length > 1 ? `; number ${wrong + 1} of ${nodes.length} is none` : '';
        throw new Error(`must be addresses such as redis://host:6379, comma-separated${which}`);
      }
      const urls = nodes.map((node) => new URL(node));
      if (new Set(urls.map(({ protocol }) => protocol)).size > 1) {
        throw new Error('must be redis:// for every node, or rediss:// for every one');
      }
      if (urls.length > 1 && urls.some(({ pathname }) => !['', '/', '/0'].includes(pathname))) {
        throw new Error('must name no database: a cluster has only 0');
      }
      return nodes.join(',');
    },
  };
}

function isRedisAddress(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, hostname } = new URL(value);
  return /^rediss?:$/.test(protocol) && hostname !== '';
}
