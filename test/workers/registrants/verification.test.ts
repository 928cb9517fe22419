import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { grantDomains } from '../../../shared/domains/domain-grants/grant-domains.ts';
import { registrantLockedUntil } from '../../../shared/domains/domain-registrants/change-registrant.ts';
import {
  findRegistrantOfOrder,
  recordRegistered,
} from '../../../shared/domains/domain-registrants/registered-for.ts';
import { verificationUrl } from '../../../shared/domains/domain-registrants/verification-link.ts';
import {
  followRegistrant,
  releaseHold,
  writeAgain,
} from '../../../shared/domains/domain-registrants/verify-registrant.ts';
import { liftLegalHold, placeLegalHold } from '../../../shared/domains/legal-holds/legal-holds.ts';
import { issueOwnCode } from '../../../shared/domains/transfers-out/issue-own-code.ts';
import { addListing } from '../../../shared/market/inventory/change-listings.ts';
import { sendStaffDigest } from '../../../shared/people/notices/send-notices.ts';
import { addMs, DAY, HOUR, MINUTE } from '../../../shared/platform/clock.ts';
import type { Environment } from '../../../shared/platform/config/config.ts';
import {
  ORDER_OF_REGISTRANT,
  verifyRegistrant,
} from '../../../shared/sales/orders/order-verification.ts';
import { claimDomain } from '../../../shared/sales/transfers/claim-domain.ts';
import { startWorkers, type WorkerProcess } from '../../../workers/start-workers.ts';
import { givenAccount } from '../../support/accounts.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { fetchPage } from '../../support/checkout.ts';
import { openClaim } from '../../support/claims.ts';
import { givenVisitor, readable } from '../../support/console.ts';
import { type DemoRegistry, startDemoRegistry } from '../../support/demo-registry.ts';
import { eventually } from '../../support/eventually.ts';
import { givenListing } from '../../support/factories.ts';
import { givenPolicy } from '../../support/given-policy.ts';
import { registered, registrySettings } from '../../support/live-registry.ts';
import { givenOps } from '../../support/ops-client.ts';
import { PROMPT } from '../../support/quick-fleet.ts';
import { KEPT_REGISTRANT, REGISTRANT } from '../../support/registrants.ts';
import { sell } from '../../support/sales.ts';
import type { SignedClient } from '../../support/signed-client.ts';
import { takeBack } from '../../support/take-back.ts';

const PRICE = 485_000;

const QUEUES = ['transfers', 'transfer-polls', 'maintenance'] as const;

let registry: DemoRegistry;
let app: TestApp;
let client: SignedClient;
let fleet: WorkerProcess;

beforeAll(async () => {
  registry = await startDemoRegistry();
  app = await startTestApp({
    ...PROMPT,
    ...registrySettings(registry),
    TRANSFER_POLICY_LIVE: 'automatic',
    MAIL: 'on',
    transferPollMaxMs: 100,
  });
  ({ client } = await app.partner({ environment: 'LIVE' }));
  fleet = startWorkers(app.runtime, { queues: QUEUES });
});
afterAll(async () => {
  await fleet?.stop();
  await app?.stop();
  await registry?.close();
});

/** Time passes here and at the registry. */
function pass(ms: number) {
  registry.clock.advance(ms);
  app.runtime.clock.advance(ms);
}
/** Does `what` without workers, which come back whether it fails or not: the tests that follow need them. */
async function whileNobodyWorks(what: () => Promise<void>) {
  await fleet.stop();
  await what().finally(() => {
    fleet = startWorkers(app.runtime, { queues: QUEUES });
  });
}

let registrants = 0;
/** A sold domain that is registered for its buyer, whom nobody has heard of before. */
async function registeredFor(more: object = {}) {
  const domain = registered(registry, 'gaining');
  await addListing(app.runtime, { environment: 'LIVE', domain, priceCents: PRICE });
  registrants += 1;
  const registrant = {
    ...REGISTRANT,
    email: `registrant-${registrants}@example.com`,
    ...more,
  };
  const { body } = await sell(
    client,
    { domain, priceCents: PRICE },
    { more: { registrant } },
  ).expect(201);
  const orderId = body.public_id as string;
  const found = await eventually(
    () => findRegistrantOfOrder(app.runtime.db.knex, orderId),
    Boolean,
  );
  if (!found) throw new Error('the domain has no registrant');
  return { domain, orderId, registrantId: found.id, round: found.round, registrant };
}
type Sold = Awaited<ReturnType<typeof registeredFor>>;
const now = ({ orderId }: Pick<Sold, 'orderId'>) =>
  findRegistrantOfOrder(app.runtime.db.knex, orderId);
const untilHoldIs = (sold: Sold, hold: string) =>
  eventually(
    () => now(sold),
    (found) => found?.hold === hold,
  );
const isHeld = ({ domain }: Sold) =>
  registry.state.domains[domain]?.statuses.includes('clientHold');
/** Whether the registry refuses every change of the domain, as a legal hold asks. */
const isKept = ({ domain }: Sold) =>
  registry.state.domains[domain]?.statuses.includes('clientUpdateProhibited') ?? false;
const mailsTo = async ({ registrant }: Sold): Promise<string[]> => {
  const rows = await app.runtime.db
    .knex('mails')
    .where({ kind: 'verify-registrant', recipient: registrant.email })
    .orderBy('id');
  return rows.map(({ cause }) => cause.split(':').slice(2).join(':'));
};
const untilMailed = (sold: Sold, count: number) =>
  eventually(
    () => mailsTo(sold),
    (mails) => mails.length === count,
  );
const pageOf = async ({ registrantId, round }: Pick<Sold, 'registrantId' | 'round'>) =>
  app.url + new URL(await verificationUrl(app.runtime, { registrantId, round })).pathname;
const stepsOf = async ({ orderId }: Sold): Promise<string[]> => {
  const { body } = await client.get(`/v1/orders/${orderId}`).expect(200);
  return body.timeline
    .map(({ event }: { event: string }) => event)
    .filter((event: string) => event.startsWith('registrant.'));
};

describe('an unverified registrant', () => {
  it('gets reminders on days 5 and 12; the domain is held on day 15 and released once verified', async () => {
    const sold = await registeredFor();
    expect(await mailsTo(sold)).toEqual(['1:1']);
    pass(5 * DAY);
    await untilMailed(sold, 2);
    pass(7 * DAY);
    await untilMailed(sold, 3);
    expect(isHeld(sold)).toBe(false);
    pass(3 * DAY);
    await untilHoldIs(sold, 'set');
    expect(isHeld(sold)).toBe(true);
    expect(await mailsTo(sold)).toEqual(['1:1', '1:2', '1:3', '1:4']);
    const page = await pageOf(sold);
    expect((await fetchPage(page)).text).toContain('Confirm this address');
    expect((await now(sold))?.verification).toBe('pending');
    expect((await fetchPage(page, { method: 'POST' })).text).toContain('Your address is confirmed');
    await untilHoldIs(sold, 'none');
    expect(isHeld(sold)).toBe(false);
    expect(await stepsOf(sold)).toEqual([
      'registrant.held',
      'registrant.verified',
      'registrant.released',
    ]);
    expect((await fetchPage(page)).text).toContain('Your address is confirmed');
  });

  it('keeps the domain in DNS by verifying in time', async () => {
    const sold = await registeredFor();
    await fetchPage(await pageOf(sold), { method: 'POST' });
    pass(16 * DAY);
    await eventually(
      () =>
        app.runtime.db
          .knex('outbox')
          .where({ name: 'follow-registrant' })
          .whereRaw("payload->>'registrantId' = ?", sold.registrantId),
      ([job]) => job?.state === 'done',
    );
    expect(isHeld(sold)).toBe(false);
    expect(await mailsTo(sold)).toEqual(['1:1']);
  });

  it('is verified already if the same name and email address were verified before', async () => {
    const first = await registeredFor();
    const second = await registeredFor({ email: first.registrant.email });
    await fetchPage(await pageOf(first), { method: 'POST' });
    expect((await now(second))?.verification).toBe('verified');
    const third = await registeredFor({ email: first.registrant.email });
    expect((await now(third))?.verification).toBe('verified');
    const namesake = await registeredFor({ email: first.registrant.email, name: 'B. Other' });
    expect((await now(namesake))?.verification).toBe('pending');
  });

  it.each(['the account', 'the claim link'])(
    'is verified when the domain is claimed with the same address, from %s',
    async (whose) => {
      const sold = await registeredFor(
        whose === 'the claim link' ? { email: 'Buyer@example.com', name: 'A. Claimant' } : {},
      );
      const token = await eventually(() => openClaim(app.runtime, sold.orderId), Boolean);
      const email = whose === 'the account' ? sold.registrant.email : 'somebody-else@example.com';
      const { id: userId } = await givenAccount(app.runtime, 'owner', null, email);
      await claimDomain(app.runtime, token ?? '', { userId, email });
      expect(await stepsOf(sold)).toEqual(['registrant.verified']);
    },
  );

  it('can have the mail sent again after ten minutes', async () => {
    const sold = await registeredFor();
    const again = () =>
      app.runtime.db.transact((uow) => writeAgain(uow, app.runtime, sold.registrantId));
    await expect(again()).rejects.toMatchObject({ code: 'conflict' });
    pass(HOUR);
    await again();
    expect(await mailsTo(sold)).toEqual(['1:1', '1:2']);
    await verifyRegistrant(app.runtime, sold);
    pass(HOUR);
    await expect(again()).rejects.toMatchObject({ code: 'conflict' });
  });

  it('does not get the domain held while it is on legal hold', async () => {
    const sold = await registeredFor();
    const hold = await placeLegalHold(app.runtime, 'cli:first', {
      domain: sold.domain,
      kind: 'udrp',
      caseReference: 'D2026-0002',
    });
    pass(16 * DAY);
    const minutesUntilNextLook = async () => {
      const job = { outboxId: 0, epoch: 0 };
      const next = await followRegistrant(app.runtime, job, sold.registrantId, ORDER_OF_REGISTRANT);
      const now = app.runtime.clock.now().getTime();
      return next !== 'over' && Math.round((next.until.getTime() - now) / MINUTE);
    };
    expect(await minutesUntilNextLook()).toBe(10);
    expect([isHeld(sold), (await now(sold))?.hold]).toEqual([false, 'none']);
    await eventually(() => isKept(sold), Boolean);

    // While its hold is in place, the registry refuses every change of the domain, this one too.
    await whileNobodyWorks(async () => {
      await liftLegalHold(app.runtime, 'cli:second', hold.id);
      expect(await minutesUntilNextLook()).toBe(10);
      expect([isHeld(sold), (await app.runtime.figures.work(0)).LIVE.refusedHolds]).toEqual([
        false,
        0,
      ]);
    });
    await eventually(() => !isKept(sold), Boolean);
    pass(HOUR);
    await untilHoldIs(sold, 'set');
    expect(isHeld(sold)).toBe(true);
  });

  it('is listed for staff when the registry rejects the hold, which is retried daily', async () => {
    const sold = await registeredFor();
    await whileNobodyWorks(async () => {
      pass(15 * DAY);
      const info = registry.state.domains[sold.domain];
      info?.statuses.push('serverUpdateProhibited');
      const { db, clock, figures } = app.runtime;
      const follow = async () => {
        const job = { outboxId: 0, epoch: 0 };
        const next = await followRegistrant(
          app.runtime,
          job,
          sold.registrantId,
          ORDER_OF_REGISTRANT,
        );
        return next !== 'over' && Math.round((next.until.getTime() - clock.now().getTime()) / HOUR);
      };
      const waiting = async () => (await figures.work(0)).LIVE.refusedHolds;
      expect(await follow()).toBe(24);
      expect([isHeld(sold), (await now(sold))?.hold, await waiting()]).toEqual([false, 'asked', 1]);
      const ops = await givenOps(app);
      expect((await ops.get('/refused-holds')).body.holds).toEqual([
        {
          domain: sold.domain,
          order_id: sold.orderId,
          wanted: 'hold',
          reason: expect.stringContaining('The registry refused it'),
          refused_at: expect.any(String),
        },
      ]);
      const page = readable((await (await givenVisitor(app)).visit('/refused-holds')).text);
      expect(page).toContain(sold.domain);
      const staff = { partner_id: null, email: 'staff@market.example', created_at: clock.now() };
      await db.knex('mail_contacts').insert(staff);
      await sendStaffDigest(app.runtime);
      const mail = await db.knex('mails').where({ kind: 'staff-digest' }).first('data');
      const what = 'Holds that the registry refused';
      expect(mail?.data.waiting).toContainEqual({ what, count: 1 });

      pass(DAY);
      expect(await follow()).toBe(24);
      info?.statuses.pop();
      pass(DAY);
      await follow();
      expect([isHeld(sold), (await now(sold))?.hold, await waiting()]).toEqual([true, 'set', 0]);
    });
  });

  it('no longer keeps a domain out of the DNS that was granted to somebody else or whose sale was undone', async () => {
    const claimed = await registeredFor();
    const refunded = await registeredFor();
    const token = await eventually(() => openClaim(app.runtime, claimed.orderId), Boolean);
    const buyer = await givenAccount(app.runtime, 'owner', null);
    await claimDomain(app.runtime, token ?? '', { userId: buyer.id, email: buyer.email });
    pass(15 * DAY);
    for (const sold of [claimed, refunded]) {
      await untilHoldIs(sold, 'set');
      expect(isHeld(sold)).toBe(true);
      await takeBack(app.runtime, sold.orderId);
    }
    const { email } = await givenAccount(app.runtime, 'owner', null);
    await grantDomains(app.runtime, 'test', { email, domains: [claimed.domain] });
    for (const sold of [claimed, refunded]) {
      await eventually(
        () => isHeld(sold),
        (held) => held === false,
      );
    }
    const ownedNow = () =>
      app.runtime.db.knex('owned_domains').where({ domain: claimed.domain }).first('held');
    expect(await eventually(ownedNow, ({ held }) => held === false)).toBeDefined();
  });

  it('who was forgotten leaves a failing job for staff while the registry refuses to restore the domain', async () => {
    const sold = await registeredFor();
    await whileNobodyWorks(async () => {
      const { domain } = sold;
      const info = registry.state.domains[domain];
      info?.statuses.push('clientHold', 'serverUpdateProhibited');
      const release = () =>
        releaseHold(app.runtime, { registrantId: 'reg_former', environment: 'LIVE', domain });
      await expect(release()).rejects.toThrow(`the registry does not restore ${domain}`);
      expect(isHeld(sold)).toBe(true);
      info?.statuses.pop();
      expect([await release(), isHeld(sold)]).toEqual(['over', false]);
    });
  });

  it('gets the domain released when the worker dies between the registry and the database', async () => {
    const sold = await registeredFor();
    await whileNobodyWorks(async () => {
      pass(15 * DAY);
      const dying = {
        ...app.runtime,
        registrars: (environment: Environment) => {
          const registrar = app.runtime.registrars(environment);
          return {
            ...registrar,
            async change(request: Parameters<typeof registrar.change>[0]) {
              await registrar.change(request);
              throw new Error('the worker died');
            },
          };
        },
      };
      const job = { outboxId: 0, epoch: 0 };
      await expect(
        followRegistrant(dying, job, sold.registrantId, ORDER_OF_REGISTRANT),
      ).rejects.toThrow('the worker died');
      expect([isHeld(sold), (await now(sold))?.hold]).toEqual([true, 'asked']);
      await verifyRegistrant(app.runtime, sold);
      const lifting = followRegistrant(dying, job, sold.registrantId, ORDER_OF_REGISTRANT);
      await expect(lifting).rejects.toThrow('the worker died');
    });
    await untilHoldIs(sold, 'none');
    expect(isHeld(sold)).toBe(false);
    const changes = registry.changes.filter(({ clTRID }) => clTRID?.startsWith(sold.registrantId));
    expect(changes).toHaveLength(2);
  });
});

describe('a sold domain', () => {
  it('is locked after the registrant change for as long as the current transfer policy says', async () => {
    const sold = await registeredFor();
    const token = await eventually(() => openClaim(app.runtime, sold.orderId), Boolean);
    const { id: userId, email } = await givenAccount(app.runtime, 'owner', null);
    await claimDomain(app.runtime, token ?? '', { userId, email });
    const { clock } = app.runtime;
    const { domain } = sold;
    const since = (await now(sold))?.changedAt;
    const until = since && addMs(since, 60 * DAY);
    expect(await registrantLockedUntil(app.runtime, domain, clock.now())).toEqual(until);
    await expect(issueOwnCode(app.runtime, { userId, domain })).rejects.toThrow(
      'changed its registrant too recently',
    );

    // The same person again is no change.
    await app.runtime.db.transact((uow) =>
      recordRegistered(uow, app.runtime, {
        environment: 'LIVE',
        domain,
        registrant: { ...KEPT_REGISTRANT, email: sold.registrant.email },
        partnerId: null,
        orderId: sold.orderId,
        knownAddresses: [],
        keepsHold: false,
      }),
    );
    expect((await now(sold))?.changedAt).toEqual(since);

    await givenPolicy(app.runtime, 0);
    expect(await registrantLockedUntil(app.runtime, domain, clock.now())).toBeNull();
    expect((await issueOwnCode(app.runtime, { userId, domain })).authCode).toHaveLength(28);
    await givenPolicy(app.runtime, 60);
    expect(await registrantLockedUntil(app.runtime, domain, clock.now())).toEqual(until);
  });
});

describe('registrants in the sandbox', () => {
  it('are verified only for registrant- names, on the partner’s own clock', async () => {
    const { client: seller, partnerId } = await app.partner({ environment: 'SANDBOX' });
    const named = async (domain: string) => {
      const listing = await givenListing(app.runtime, { environment: 'SANDBOX', domain });
      const { body } = await sell(seller, listing).expect(201);
      await eventually(
        async () => (await seller.get(`/v1/orders/${body.public_id}`)).body,
        ({ status }) => status === 'TRANSFER_COMPLETED',
      );
      return findRegistrantOfOrder(app.runtime.db.knex, body.public_id);
    };
    expect(await named('first-edition.com')).toBeUndefined();
    const found = await named('registrant-oak.com');
    expect(found).toMatchObject({ partnerId, verification: 'pending', hold: 'none' });
    await seller.post('/v1/sandbox/clock/advance', { body: { by: '16d' } }).expect(202);
    const held = await eventually(
      () => findRegistrantOfOrder(app.runtime.db.knex, found?.orderId ?? ''),
      (now) => now?.hold === 'set',
    );
    expect(held?.mails).toBe(4);
    expect(
      found && (await verifyRegistrant(app.runtime, { registrantId: found.id, round: 1 })),
    ).toBeDefined();
    await eventually(
      () => findRegistrantOfOrder(app.runtime.db.knex, found?.orderId ?? ''),
      (now) => now?.hold === 'none',
    );
  });
});

describe('a verification link', () => {
  it('returns 403 when forged and 410 when it is for an earlier address', async () => {
    const sold = await registeredFor();
    expect((await fetchPage(`${app.url}/registrant/verify/made-up`)).status).toBe(403);
    const other = await pageOf({ ...sold, round: sold.round + 1 });
    expect((await fetchPage(other)).status).toBe(410);
    expect((await fetchPage(other, { method: 'POST' })).status).toBe(410);
  });
});
