import { pathToFileURL } from 'node:url';
import { createRegistrars } from '../shared/domains/registrar/create-registrars.ts';
import { sandboxOutcome } from '../shared/market/inventory/sandbox-names.ts';
import { rebuildIndex } from '../shared/market/search/search-index.ts';
import { createTransferPolicyFinder } from '../shared/market/tlds/transfer-policies.ts';
import { seedDemoAccounts } from '../shared/operations/demo/demo-accounts.ts';
import { seedDemoDomains } from '../shared/operations/demo/seed-demo-domains.ts';
import { seedOnce } from '../shared/operations/demo/seed-once.ts';
import { type Infrastructure, openInfrastructure } from '../shared/operations/infrastructure.ts';
import { type Config, loadConfig } from '../shared/platform/config/config.ts';
import { registrantOfPush } from '../shared/sales/transfers/registrar-push.ts';
import { seedInventory } from './seeds/inventory.ts';
import { seedTlds, tldEdition } from './seeds/tlds.ts';

/**
 * Fills a database with the demo marketplace. An interrupted run is continued by the next one; after that, runs change
 * nothing and don't restore what was deleted. Concurrent runs wait for each other. @throws Error in production
 */
export async function seed(config: Config): Promise<{ changed: boolean }> {
  if (config.nodeEnv === 'production') {
    throw new Error('The demo marketplace is for development: it is not seeded in production.');
  }
  const runtime = openInfrastructure(config, { process: 'seed', patient: true });
  try {
    return await alone(runtime, async () => {
      const accounts = await seedOnce(runtime, 'accounts', () => seedDemoAccounts(runtime));
      const registrars = createRegistrars(
        runtime,
        sandboxOutcome,
        createTransferPolicyFinder(runtime),
        (reference) => registrantOfPush(runtime, reference),
      );
      const domains = await seedOnce(runtime, 'owned domains', () =>
        seedDemoDomains({ ...runtime, registrars }),
      );
      await seedInventory(runtime);
      for (const environment of ['SANDBOX', 'LIVE'] as const)
        await rebuildIndex(runtime, { environment });
      await seedOnce(runtime, `TLDs ${await tldEdition()}`, () => seedTlds(runtime));
      return { changed: accounts || domains };
    });
  } finally {
    await runtime.stop();
  }
}

/** Holds the seeding lock on its own connection while `work` runs. */
async function alone<T>({ db }: Infrastructure, work: () => Promise<T>): Promise<T> {
  return db.knex.transaction(async (lock) => {
    await lock.raw('set local idle_in_transaction_session_timeout = 0');
    await lock.raw('set local statement_timeout = 0');
    await lock.raw('set local lock_timeout = 0');
    await lock.raw(`select pg_advisory_xact_lock(hashtext('marketplace-seed'))`);
    return work();
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  try {
    const { changed } = await seed(loadConfig());
    process.stdout.write(changed ? 'the demo marketplace is seeded\n' : 'seeded already\n');
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exit(1);
  }
}
