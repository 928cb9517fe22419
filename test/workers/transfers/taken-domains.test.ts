import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { question } from '../../../shared/domains/epp/epp-send.ts';
import { findOwnedDomains } from '../../../shared/domains/owned-domains/manage-owned-domains.ts';
import { renewDueDomains } from '../../../shared/domains/owned-domains/renew-due-domains.ts';
import { addListing } from '../../../shared/market/inventory/change-listings.ts';
import { addMs, DAY } from '../../../shared/platform/clock.ts';
import { createSharedAbort } from '../../../shared/platform/concurrency/deadline.ts';
import { tellEnding } from '../../../shared/sales/renewals/tell-ending.ts';
import {
  findReturnedTask,
  readRegistryMessagesTask,
} from '../../../workers/scheduled/registry-work.ts';
import { signedInOwner } from '../../support/account-scene.ts';
import type { TestApp } from '../../support/app.ts';
import { givenOwnerOf, type Owner } from '../../support/bulk.ts';
import { readable } from '../../support/console.ts';
import { type DemoRegistry, startDemoRegistry } from '../../support/demo-registry.ts';
import { registered, registrySettings } from '../../support/live-registry.ts';
import { givenOps } from '../../support/ops-client.ts';
import { startSignInApp } from '../../support/sign-in.ts';

let registry: DemoRegistry;
let app: TestApp;
let owner: Owner;
let domain: string;

beforeEach(async () => {
  registry = await startDemoRegistry();
  app = await startSignInApp({ ...registrySettings(registry), MAIL: 'on', RATE_LIMITS: 'off' });
  domain = registered(registry, 'gaining');
  owner = await givenOwnerOf(app.runtime, [domain]);
});
afterEach(async () => {
  await app.stop();
  await registry.close();
});

const { signal } = createSharedAbort();
const read = () => readRegistryMessagesTask.run({ runtime: app.runtime, signal });
const lookForReturned = () => findReturnedTask.run({ runtime: app.runtime, signal });
const recordOf = () => {
  const record = registry.state.domains[domain];
  if (!record) throw new Error(`${domain} is not registered.`);
  return record;
};
/** Another registrar asks for the domain with a stolen code; nobody answers until the registry approves. */
const take = async () => {
  const name = { clTRID: 'theft', since: registry.clock.now(), resumed: false, signal };
  const client = registry.client('losing');
  await client.requestTransfer({ domain, authInfo: 'right-code' }, name);
  registry.clock.advance(6 * DAY);
  await client.findDomain(domain, question(signal));
};
const mailed = async (): Promise<[string, string][]> =>
  (await app.runtime.db.knex('mails').where({ kind: 'domain-taken' }).orderBy('id')).map(
    ({ data, recipient }) => [data.step, recipient],
  );
const owned = async () =>
  (await findOwnedDomains(app.runtime.db.knex, owner.userId, [domain])).get(domain);
const fault = async () =>
  (await app.runtime.db.knex('registrar_messages').whereNotNull('fault').first('fault'))?.fault;
const page = async (path: string) =>
  readable((await (await signedInOwner(app, owner)).open(`/account/domains${path}`)).text);

describe('a domain that another registrar took without its owner’s consent', () => {
  it('leaves the market; its owner is mailed once and reads it on its page', async () => {
    const { runtime } = app;
    await addListing(runtime, { environment: 'LIVE', domain, priceCents: 500_000 });
    await take();
    await read();
    await read();
    expect(await mailed()).toEqual([['taken', owner.email]]);
    expect(await fault()).toMatch(/losing.*We mailed its owner\.$/);
    expect((await owned())?.listing?.status).toBe('delisted');
    expect(await page('')).toContain('At another registrar');
    const text = await page(`/${domain}`);
    expect(text).toContain('At another registrar');
    expect(text).toContain('We are looking into it');
    expect(text).not.toMatch(/Turn off|Change the registrant|Restore|List for sale/);
    expect(await page(`/${domain}/transfer`)).not.toContain('Show the authorization code');
  });

  it('is neither renewed nor is its owner reminded to', async () => {
    await take();
    await read();
    await app.runtime.db
      .knex('owned_domains')
      .where({ domain })
      .update({
        auto_renew: true,
        expires_at: addMs(app.runtime.clock.now(), DAY),
      });
    expect(await tellEnding(app.runtime, 10)).toBe(0);
    expect(await renewDueDomains(app.runtime, signal)).toEqual({ renewed: 0, failed: 0 });
  });

  it('is found to be back behind many others that stay away', async () => {
    await take();
    await read();
    const others = Array.from({ length: 50 }, (_, at) => `0-away-${at}.com`);
    await app.runtime.db.knex.raw(
      `insert into owned_domains
       select (jsonb_populate_record(o, jsonb_build_object('domain', other, 'domain_unicode', other))).*
       from owned_domains o, unnest(:others::text[]) other where o.domain = :domain`,
      { others, domain },
    );
    recordOf().clID = 'gaining';
    expect(await lookForReturned()).toBe(1);
    expect((await owned())?.takenAt).toBeNull();
  });

  it('is its owner’s again as soon as our registrar has it back', async () => {
    await take();
    await read();
    await lookForReturned();
    expect((await owned())?.takenAt).not.toBeNull();
    recordOf().clID = 'gaining';
    await lookForReturned();
    await lookForReturned();
    expect((await owned())?.takenAt).toBeNull();
    expect(await mailed()).toEqual([
      ['taken', owner.email],
      ['returned', owner.email],
    ]);
  });

  it('leaves the account when staff give it up, but not while our registrar has it', async () => {
    const ops = await givenOps(app);
    expect((await ops.post(`/domains/${domain}/release`, {})).status).toBe(409);
    await take();
    expect((await ops.post(`/domains/${domain}/release`, {})).status).toBe(404);
    await read();
    expect((await ops.post(`/domains/${domain}/release`, {})).status).toBe(200);
    expect(await owned()).toBeUndefined();
    expect((await mailed()).map(([step]) => step)).toEqual(['taken', 'released']);
  });
});
