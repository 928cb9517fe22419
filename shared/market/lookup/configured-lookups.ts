import type { Database } from '../../messaging/unit-of-work/database.ts';
import { type Clock, DAY } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { Metrics } from '../../platform/observability/metrics.ts';
import type { HttpClient } from '../../platform/outbound/http-client.ts';
import type { Redis } from '../../platform/redis/redis.ts';
import { createDemoRegistry } from './demo-registry.ts';
import { createHostLimiter } from './host-limiter.ts';
import { BUNDLED_RDAP, UNLISTED_RDAP, WHOIS_SERVERS } from './known-registries.ts';
import { type Lookups, type QueryRegistry, unregisteredRecord } from './lookup.ts';
import { createLookupCache } from './lookup-cache.ts';
import { createNetworkRegistry } from './network-registry.ts';
import { createRdapBootstrap } from './rdap-bootstrap.ts';
import { createRdapClient } from './rdap-client.ts';
import { RegistryLookups } from './registry-lookups.ts';
import { createWhoisClient, createWhoisTransport } from './whois-client.ts';

/** How long IANA's list stays fresh: it changes a few times a month. */
const BOOTSTRAP_MS = DAY;

/** Creates the lookups of a process, over the configured registries. */
export function configuredLookups(deps: {
  config: Config;
  db: Database;
  redis: Redis;
  http: HttpClient;
  clock: Clock;
  log: Logger;
  metrics: Pick<Metrics, 'lookupsTotal' | 'lookupSeconds'>;
}): Lookups {
  const { config, redis, http, clock, log } = deps;
  const prefix = config.redisPrefix;
  const userAgent = `DomainMarketplace-Lookup/1.0 (+${config.baseUrl})`;
  // Where private addresses are allowed, the server is a stand-in without a certificate.
  const allowPrivate = config.webhookAllowPrivate;
  const perServer = config.lookupPerServer;
  const limiter = createHostLimiter({ redis, clock, prefix, log, perServer });
  const network = createNetworkRegistry({
    bootstrap: createRdapBootstrap({
      http,
      redis,
      clock,
      log,
      key: `${prefix}:lookup:bootstrap`,
      url: config.lookupBootstrapUrl,
      freshMs: BOOTSTRAP_MS,
      requireHttps: !allowPrivate,
      userAgent,
    }),
    rdap: createRdapClient({ http, limiter, clock, userAgent, requireHttps: !allowPrivate }),
    whois: createWhoisClient({
      lines: createWhoisTransport({ allowPrivate }),
      limiter,
      root: config.lookupWhoisServer,
    }),
    knownRdap: new Map(Object.entries({ ...BUNDLED_RDAP, ...UNLISTED_RDAP })),
    knownWhois: new Map(Object.entries(WHOIS_SERVERS)),
    rdapMs: config.lookupServerMs,
    whoisMs: config.lookupServerMs,
  });
  return new RegistryLookups({
    ask: registriesOf(deps, network.ask),
    askRegistrar: network.askRegistrar,
    cache: createLookupCache({
      redis,
      clock,
      prefix,
      takenMs: config.lookupCacheMs,
      freeMs: config.lookupFreeCacheMs,
    }),
    clock,
    log,
    registryMs: config.lookupMs,
    registrarMs: config.lookupRegistrarMs,
    metrics: deps.metrics,
  });
}

/** Without network access, any name the demo registry does not hold is available. */
const nothingRegistered: QueryRegistry = async (domain) => ({
  kind: 'record',
  record: unregisteredRecord(domain, 'rdap'),
  registrarUrl: null,
});

function registriesOf(
  deps: { config: Config; db: Database; clock: Clock },
  network: QueryRegistry,
): QueryRegistry {
  switch (deps.config.lookupRegistries) {
    case 'network':
      return network;
    case 'demo':
      return createDemoRegistry(deps, network);
    default:
      return createDemoRegistry(deps, nothingRegistered);
  }
}
