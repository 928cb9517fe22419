import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { recordRegistered } from '../../../shared/domains/domain-registrants/registered-for.ts';
import { readWatchedCode } from '../../../shared/domains/transfers-out/follow-transfer-out.ts';
import { issueOwnCode } from '../../../shared/domains/transfers-out/issue-own-code.ts';
import { importTransferPolicies } from '../../../shared/market/tlds/transfer-policies.ts';
import { addMs, DAY, formatDay, SECOND } from '../../../shared/platform/clock.ts';
import { createSharedAbort } from '../../../shared/platform/concurrency/deadline.ts';
import { checkRegistrationsTask } from '../../../workers/scheduled/registry-work.ts';
import { signedInOwner } from '../../support/account-scene.ts';
import type { TestApp } from '../../support/app.ts';
import { givenOwnerOf, type Owner } from '../../support/bulk.ts';
import { type DemoRegistry, startDemoRegistry } from '../../support/demo-registry.ts';
import { givenListing } from '../../support/factories.ts';
import { registered, registrySettings } from '../../support/live-registry.ts';
import { KEPT_REGISTRANT } from '../../support/registrants.ts';
import { startSignInApp } from '../../support/sign-in.ts';
import type { SignedClient } from '../../support/signed-client.ts';

/** Rules of a TLD: days of the locks after creation, a transfer and a change of the registrant, and of a code. */
type Days = readonly [creation: number, transfer: number, registrant: number, code: number];

/** TLDs whose locks after a creation or a transfer end, or after a change of the registrant, and one whose locks begin. */
const TLDS = { creation: '.com', registrant: '.net', strict: '.org' } as const;

let registry: DemoRegistry;
let app: TestApp;
let client: SignedClient;
/** When the rules become others, and now, before that. */
let switched: Date;
let now: Date;

beforeAll(async () => {
  registry = await startDemoRegistry();
  app = await startSignInApp({ ...registrySettings(registry), MAIL: 'on', RATE_LIMITS: 'off' });
  ({ client } = await app.partner({ environment: 'LIVE' }));
  now = app.runtime.clock.now();
  switched = new Date(Math.ceil(addMs(now, DAY).getTime() / SECOND) * SECOND);
  const rows = Object.entries({
    [TLDS.creation]: [
      [60, 60, 0, 14],
      [30, 30, 0, 7],
    ],
    [TLDS.registrant]: [
      [0, 0, 60, 14],
      [0, 0, 0, 14],
    ],
    [TLDS.strict]: [
      [0, 0, 0, 14],
      [60, 60, 60, 7],
    ],
  } as Record<string, [Days, Days]>).flatMap(([tld, [before, after]]) => [
    rulesOf(tld, '2016-12-01', before),
    rulesOf(tld, `${switched.toISOString().slice(0, 19)}Z`, after),
  ]);
  const source = Readable.from([rows.map((row) => JSON.stringify(row)).join('\n')]);
  expect(await importTransferPolicies(app.runtime, { source })).toEqual({
    imported: rows.length,
    rejected: 0,
  });
});
afterAll(async () => {
  await app?.stop();
  await registry?.close();
});

function rulesOf(
  tld: string,
  effective_from: string,
  [creation, transfer, registrant, code]: Days,
) {
  return {
    tld: tld.slice(1),
    effective_from,
    creation_lock_days: creation,
    transfer_lock_days: transfer,
    registrant_change_lock_days: registrant,
    auth_code_days: code,
    source: 'a test',
  };
}

const { signal } = createSharedAbort();
const goTo = (instant: Date) => {
  registry.clock.set(instant);
  app.runtime.clock.set(instant);
};

/** A domain of an owner in our account, made and last transferred so many days ago. */
async function owned(
  tld: string,
  days: { created: number; transferred?: number; registrant?: number },
): Promise<{ domain: string; owner: Owner }> {
  const name = `rules${tld.slice(1)}${Object.values(days).join('')}`;
  const domain = registered(registry, 'gaining', `${name}${tld}`);
  Object.assign(registry.state.domains[domain] ?? {}, {
    createdAt: addMs(now, -days.created * DAY).toISOString(),
    ...(days.transferred && {
      transferredAt: addMs(now, -days.transferred * DAY).toISOString(),
    }),
  });
  const owner = await givenOwnerOf(app.runtime, [domain]);
  if (days.registrant) {
    const changed_at = addMs(now, -days.registrant * DAY);
    await app.runtime.db.transact((uow) =>
      recordRegistered(uow, app.runtime, {
        environment: 'LIVE',
        domain,
        registrant: KEPT_REGISTRANT,
        partnerId: null,
        orderId: null,
        knownAddresses: [],
        keepsHold: false,
      }),
    );
    await app.runtime.db.knex('domain_registrants').where({ domain }).update({ changed_at });
  }
  return { domain, owner };
}

const pageOf = async ({ domain, owner }: { domain: string; owner: Owner }) => {
  const browser = await signedInOwner(app, owner);
  return (await browser.open(`/account/domains/${domain}/transfer`)).text;
};
const issue = ({ domain, owner: { userId } }: { domain: string; owner: Owner }) =>
  issueOwnCode(app.runtime, { userId, domain });
const refusalOf = (asked: Promise<unknown>) =>
  asked.then(
    () => null,
    (error: Error) => error.message,
  );
/** What the API says of a listed domain at another registrar. */
const listed = async (domain: string) => {
  const { body } = await client.get(`/v1/domains/${domain}`);
  const { transferable, available, locked_until } = body;
  return { transferable, available, locked_until };
};

it('transfer locks start and end at the moment a new policy takes effect', async () => {
  const young = await owned(TLDS.creation, { created: 35 });
  const moved = await owned(TLDS.creation, { created: 400, transferred: 40 });
  const changed = await owned(TLDS.registrant, { created: 400, registrant: 10 });
  const out = await owned(TLDS.strict, { created: 400, registrant: 10 });
  const elsewhere = registered(registry, 'losing', `elsewhere${TLDS.creation}`);
  const strict = registered(registry, 'losing', `elsewhere${TLDS.strict}`);
  const createdAt = addMs(now, -35 * DAY);
  for (const domain of [elsewhere, strict]) {
    const record = registry.state.domains[domain] ?? {};
    Object.assign(record, { createdAt: createdAt.toISOString() });
  }
  for (const domain of [elsewhere, strict, changed.domain]) {
    await givenListing(app.runtime, { environment: 'LIVE', domain });
  }
  await checkRegistrationsTask.run({ runtime: app.runtime, signal });
  const { expiresAt } = await issue(out);
  expect(expiresAt.getTime() - now.getTime()).toBeGreaterThan(13 * DAY);
  const codeNow = async () => {
    const [{ id } = { id: '' }] = await app.runtime.db.knex('transfers_out').select('id');
    return readWatchedCode(app.runtime, { id, issue: 1 }, app.runtime.clock.now());
  };

  goTo(addMs(switched, -SECOND));
  const free = { transferable: true, available: true, locked_until: null };
  const lockedBy = (from: Date, days: number) => ({
    transferable: false,
    available: false,
    locked_until: addMs(from, days * DAY).toISOString(),
  });
  const changedAt = addMs(now, -10 * DAY);
  expect(await listed(elsewhere)).toEqual(lockedBy(createdAt, 60));
  expect(await listed(changed.domain)).toEqual(lockedBy(changedAt, 60));
  expect(await listed(strict)).toEqual(free);
  expect(await refusalOf(issue(young))).toContain(formatDay(addMs(createdAt, 60 * DAY)));
  expect(await refusalOf(issue(moved))).toContain(formatDay(addMs(now, 20 * DAY)));
  expect(await pageOf(young)).toContain(formatDay(addMs(createdAt, 60 * DAY)));
  expect((await codeNow())?.isTheirs).toBe(true);

  // Nobody has asked the registry, or looked at the domains, in between.
  goTo(switched);
  expect(await listed(elsewhere)).toEqual(free);
  expect(await listed(changed.domain)).toEqual(free);
  expect(await listed(strict)).toEqual(lockedBy(createdAt, 60));
  const quote = await client.post('/v1/quotes', { body: { domain: strict } });
  expect(quote.body.error.details.reason).toBe('transfer_locked');
  expect(await pageOf(young)).toContain('Show the authorization code');
  expect(await pageOf(moved)).toContain('Show the authorization code');
  const issued = await issue(young);
  expect(issued.expiresAt.getTime() - switched.getTime()).toBeLessThan(8 * DAY);
  // A code that is out keeps its end, and is taken back where the domain has become locked.
  const watched = await codeNow();
  expect([watched?.out.expiresAt, watched?.isTheirs]).toEqual([expiresAt, false]);
  expect(await refusalOf(issue(out))).toContain(formatDay(addMs(changedAt, 60 * DAY)));
});
