import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { grantDomains } from '../../../shared/domains/domain-grants/grant-domains.ts';
import {
  findRegistrant,
  recordRegistered,
} from '../../../shared/domains/domain-registrants/registered-for.ts';
import { EppRefused } from '../../../shared/domains/epp/epp-errors.ts';
import { placeLegalHold } from '../../../shared/domains/legal-holds/legal-holds.ts';
import { findOwnedDomains } from '../../../shared/domains/owned-domains/manage-owned-domains.ts';
import {
  type CodeThatIsOut,
  lookAfterCode,
} from '../../../shared/domains/registrar/look-after-code.ts';
import {
  findTransferOut,
  readWatchedCode,
  stopTransferOut,
} from '../../../shared/domains/transfers-out/follow-transfer-out.ts';
import { issueOwnCode } from '../../../shared/domains/transfers-out/issue-own-code.ts';
import type { TransferOutStatus } from '../../../shared/domains/transfers-out/transfer-out.ts';
import { addListing, delistListing } from '../../../shared/market/inventory/change-listings.ts';
import { addMs, DAY, HOUR, MINUTE } from '../../../shared/platform/clock.ts';
import { createSharedAbort } from '../../../shared/platform/concurrency/deadline.ts';
import { awaitTransferRequestsTask } from '../../../workers/scheduled/registry-work.ts';
import { startWorkers, type WorkerProcess } from '../../../workers/start-workers.ts';
import { composeStored, linksMailed } from '../../support/account-mail.ts';
import { signedInOwner } from '../../support/account-scene.ts';
import { PASSWORD } from '../../support/accounts.ts';
import type { TestApp } from '../../support/app.ts';
import { givenOwnerOf, type Owner } from '../../support/bulk.ts';
import { readable } from '../../support/console.ts';
import { type DemoRegistry, startDemoRegistry } from '../../support/demo-registry.ts';
import { eventually } from '../../support/eventually.ts';
import { registered, registrySettings } from '../../support/live-registry.ts';
import { disputePurchase, givenPurchaseOf } from '../../support/purchases.ts';
import { PROMPT } from '../../support/quick-fleet.ts';
import { KEPT_REGISTRANT } from '../../support/registrants.ts';
import { givenQuote } from '../../support/sales.ts';
import { newVisitor, startSignInApp } from '../../support/sign-in.ts';
import { takeBack } from '../../support/take-back.ts';

let registry: DemoRegistry;
let app: TestApp;
let owner: Owner;
let domain: string;
let fleet: WorkerProcess | undefined;

beforeEach(async () => {
  registry = await startDemoRegistry();
  app = await startSignInApp({
    ...PROMPT,
    ...registrySettings(registry),
    MAIL: 'on',
    RATE_LIMITS: 'off',
    transferPollMaxMs: 100,
  });
  domain = registered(registry, 'gaining');
  owner = await givenOwnerOf(app.runtime, [domain]);
});
afterEach(async () => {
  await fleet?.stop();
  fleet = undefined;
  await app.stop();
  await registry.close();
});

const { signal } = createSharedAbort();
const work = () => {
  fleet = startWorkers(app.runtime, { queues: ['transfer-polls', 'bulk-domains'] });
};
const pass = (ms: number) => {
  registry.clock.advance(ms);
  app.runtime.clock.advance(ms);
};
const recordOf = () => registry.state.domains[domain];
const issue = () => issueOwnCode(app.runtime, { userId: owner.userId, domain });
const askFor = (authInfo: string) => {
  const clTRID = `ask-${authInfo}`.slice(0, 64);
  const name = { clTRID, since: registry.clock.now(), resumed: false, signal };
  return registry.client('losing').requestTransfer({ domain, authInfo }, name);
};
const statusOf = async () =>
  (await app.runtime.db.knex('transfers_out').where({ domain }).orderBy('id')).at(-1)?.status;
const until = (status: TransferOutStatus) =>
  eventually(statusOf, (now) => now === status, { everyMs: 50 });
const isOwned = async () =>
  (await findOwnedDomains(app.runtime.db.knex, owner.userId, [domain])).has(domain);
const stepsMailed = async (): Promise<string[]> =>
  (await app.runtime.db.knex('mails').where({ kind: 'transfer-out' }).orderBy('id')).map(
    ({ data }) => data.step,
  );

/** The text of the domain's page in its owner's account. */
async function historyShown(): Promise<string> {
  const browser = await signedInOwner(app, owner);
  return readable((await browser.open(`/account/domains/${domain}`)).text);
}

describe('transferring a domain to another registrar', () => {
  it('emails each step and removes the domain from the account when it leaves', async () => {
    work();
    const browser = await signedInOwner(app, owner);
    const page = await browser.open(`/account/domains/${domain}/transfer`);
    const wrong = await browser.submit(page, 'Show the authorization code', { present: 'no' });
    expect([wrong.status, wrong.text.includes('Current password is wrong')]).toEqual([400, true]);
    const shown = await browser.submit(page, 'Show the authorization code', { present: PASSWORD });
    expect(shown.headers.get('Cache-Control')).toContain('no-store');
    const [, code = ''] = /class="auth-code"><code>([^<]+)</.exec(shown.text) ?? [];
    expect(recordOf()?.authInfo).toBe(code);
    expect(JSON.stringify(await app.runtime.db.knex('transfers_out'))).not.toContain(code);
    const again = await browser.open(`/account/domains/${domain}/transfer`);
    expect(again.text).not.toContain(code);
    expect(readable(again.text)).toContain('Code issued');

    await askFor(code);
    await until('left');
    expect(recordOf()).toMatchObject({ clID: 'losing', authInfo: null });
    expect(await isOwned()).toBe(false);
    expect((await browser.open(`/account/domains/${domain}`)).status).toBe(404);
    expect(await stepsMailed()).toEqual(['code_issued', 'pending_transfer', 'left']);
    const [stop = '', ...later] = await linksMailed(app.runtime, 'transfer-out', owner.email);
    // Once we have approved the request, no link can stop it.
    expect([stop !== '', later]).toEqual([true, ['', '']]);
    const audit = await app.runtime.db.knex('audit_log').where({ subject: owner.userId });
    expect(audit.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['transfer-out:issue-code', 'transfer-out:leave']),
    );
  });

  it('is stopped by a registrant change lock, even if a code was issued before', async () => {
    work();
    const { authCode } = await issue();
    await app.runtime.db.transact(async (uow) => {
      const of = { environment: 'LIVE', domain, registrant: KEPT_REGISTRANT } as const;
      const by = { partnerId: null, orderId: null, knownAddresses: [] };
      await recordRegistered(uow, app.runtime, { ...of, ...by, keepsHold: false });
    });
    await until('stopped');
    expect(recordOf()?.authInfo).toBeNull();
    await expect(askFor(authCode)).rejects.toThrow(EppRefused);
    await expect(issue()).rejects.toThrow('changed its registrant too recently');
    pass(61 * DAY);
    await askFor((await issue()).authCode);
    await until('left');
    expect(
      await findRegistrant(app.runtime.db.knex, { environment: 'LIVE', domain }),
    ).toBeUndefined();
  });

  it('accepts only the latest code, until it expires', async () => {
    work();
    const first = await issue();
    const second = await issue();
    await expect(askFor(first.authCode)).rejects.toThrow(EppRefused);
    expect(second.expiresAt.getTime() - app.runtime.clock.now().getTime()).toBeGreaterThan(
      13 * DAY,
    );
    pass(15 * DAY);
    await until('expired');
    await expect(askFor(second.authCode)).rejects.toThrow(EppRefused);
    expect(recordOf()?.authInfo).toBeNull();
    expect(await isOwned()).toBe(true);
    expect(await stepsMailed()).toEqual(['code_issued', 'code_issued', 'expired']);
  });

  it('is rejected, locked and loses its code when the owner says “This was not me”', async () => {
    const { authCode } = await issue();
    await askFor(authCode);
    const [link = ''] = await linksMailed(app.runtime, 'transfer-out', owner.email);
    const stranger = newVisitor(app.url);
    const page = await stranger.open(link);
    expect(recordOf()?.transfer?.status).toBe('pending');
    const stopped = await stranger.submit(page, 'Stop the transfer');
    expect(stopped.text).toContain('The transfer is being stopped');
    work();
    await until('stopped');
    expect(recordOf()).toMatchObject({
      clID: 'gaining',
      authInfo: null,
      transfer: { status: 'clientRejected' },
    });
    expect(recordOf()?.statuses).toContain('clientTransferProhibited');
    const [owned] = (await findOwnedDomains(app.runtime.db.knex, owner.userId, [domain])).values();
    expect(owned).toMatchObject({ locked: true, leaving: false });
    expect(await stepsMailed()).toEqual(['code_issued', 'stopped']);
    const mail = await app.runtime.db.knex('mails').orderBy('id', 'desc').first('id', 'data');
    expect(mail.data).toMatchObject({ isRejected: true, requestedBy: 'losing' });
    expect((await composeStored(app.runtime, mail.id)).text).toMatch(
      /Another registrar requested this domain, and we rejected\s+the\s+request/,
    );
    expect(await historyShown()).toContain('Transfer to another registrar Rejected');
    expect((await stranger.open(link)).status).toBe(404);
    await expect(askFor(authCode)).rejects.toThrow(EppRefused);
  });

  it('can be stopped on the page of the domain without waiting for the next poll', async () => {
    const seldom = { ...app.runtime.config, transferPollMs: 3_600_000 };
    await issueOwnCode({ ...app.runtime, config: seldom }, { userId: owner.userId, domain });
    work();
    const browser = await signedInOwner(app, owner);
    const page = await browser.open(`/account/domains/${domain}/transfer`);
    const after = await browser.submit(page, 'Stop the transfer');
    expect(readable(after.text)).toContain('We will email you when it is done.');
    await until('stopped');
    expect(recordOf()?.authInfo).toBeNull();
  });

  it('is rejected when it is stopped while a worker is about to approve it', async () => {
    const { authCode } = await issue();
    const { id } = (await findTransferOut(app.runtime, domain)) ?? { id: '' };
    const now = app.runtime.clock.now();
    const watched = await readWatchedCode(app.runtime, { id, issue: 1 }, now);
    await app.runtime.db.transact((uow) => stopTransferOut(uow, 'test', { domain }));
    await askFor(authCode);
    const code = watched?.code as CodeThatIsOut;
    const sighting = await lookAfterCode(app.runtime.registrars('LIVE'), code);
    expect([code.isWanted, sighting.found, recordOf()?.transfer?.status]).toEqual([
      true,
      'waiting',
      'pending',
    ]);
    work();
    await until('stopped');
    expect(recordOf()).toMatchObject({ clID: 'gaining', transfer: { status: 'clientRejected' } });
  });

  it('revokes a code that its owner never saw', async () => {
    const registrar = app.runtime.registrars('LIVE');
    const dying = {
      ...registrar,
      issueAuthCode: async (request: Parameters<typeof registrar.issueAuthCode>[0]) => {
        await registrar.issueAuthCode(request);
        throw new Error('the process ended');
      },
    };
    const asked = issueOwnCode(
      { ...app.runtime, registrars: () => dying },
      { userId: owner.userId, domain },
    );
    await expect(asked).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(recordOf()?.authInfo).not.toBe('right-code');
    expect(await statusOf()).toBe('code_requested');
    pass(5 * MINUTE);
    work();
    await until('expired');
    expect(recordOf()?.authInfo).toBeNull();
    expect(await isOwned()).toBe(true);
    expect(await stepsMailed()).toEqual([]);
  });

  describe('with an hour between polls', () => {
    const issueSeldom = (of: string) => {
      const config = { ...app.runtime.config, transferPollMs: HOUR };
      return issueOwnCode({ ...app.runtime, config }, { userId: owner.userId, domain: of });
    };
    const readMessages = () => awaitTransferRequestsTask.run({ runtime: app.runtime, signal });

    it('leaves as soon as the registry reports the request', async () => {
      const { authCode } = await issueSeldom(domain);
      await askFor(authCode);
      await readMessages();
      work();
      await until('left');
    });

    it('reports the request again when a worker was already polling', async () => {
      const { authCode } = await issueSeldom(domain);
      const { knex } = app.runtime.db;
      const job = knex('outbox').where({ name: 'watch-transfer-out' });
      await job.clone().update({ run_at: app.runtime.clock.now() });
      await askFor(authCode);
      await readMessages();
      expect(await knex('registrar_messages').pluck('to_check')).toEqual([true]);
      const later = addMs(app.runtime.clock.now(), HOUR);
      await job.clone().update({ run_at: later });
      await readMessages();
      expect(await knex('registrar_messages').pluck('to_check')).toEqual([false]);
      expect((await job.clone().pluck('run_at'))[0] < later).toBe(true);
    });

    it('sends the registry one poll at a time with many open codes, and none without any', async () => {
      const before = registry.heard.length;
      await readMessages();
      expect(registry.heard.slice(before)).toEqual([]);
      const others = Array.from({ length: 9 }, () => registered(registry, 'gaining'));
      await grantDomains(app.runtime, 'test', { email: owner.email, domains: others });
      for (const each of others) await issueSeldom(each);
      const asked = registry.heard.length;
      for (let turn = 0; turn < 3; turn += 1) await readMessages();
      const documents = registry.heard.slice(asked);
      expect(documents).toHaveLength(3);
      for (const document of documents) expect(document).toContain('<poll op="req"/>');
    });
  });

  it('revokes the code when the domain is sold', async () => {
    const { authCode } = await issue();
    await addListing(app.runtime, { environment: 'LIVE', domain, priceCents: 500_000 });
    await app.runtime.db.knex('listings').where({ domain }).update({ status: 'sold' });
    work();
    await until('stopped');
    await expect(askFor(authCode)).rejects.toThrow(EppRefused);
    // The domain does not stay with its former owner.
    expect(await stepsMailed()).toEqual(['code_issued']);
  });
});

describe('an authorization code that is out is revoked', () => {
  it('when the purchase is refunded, at once and without another mail', async () => {
    const order = await givenPurchaseOf(app.runtime, domain);
    const { authCode } = await issue();
    await takeBack(app.runtime, order.id);
    expect(await statusOf()).toBe('stopping');
    work();
    await until('stopped');
    expect(recordOf()?.authInfo).toBeNull();
    await expect(askFor(authCode)).rejects.toThrow(EppRefused);
    expect(await stepsMailed()).toEqual(['code_issued']);
    const [refund] = await app.runtime.db.knex('mails').where({ kind: 'refund' });
    expect(refund.data).toMatchObject({ returnsDomain: true });
    expect(await isOwned()).toBe(true);
  });

  it('when the payment of the purchase is disputed; the domain can move once that is won', async () => {
    const order = await givenPurchaseOf(app.runtime, domain);
    const { authCode } = await issue();
    await disputePurchase(app.runtime, order, 'needs_response');
    work();
    await until('stopped');
    await expect(askFor(authCode)).rejects.toThrow(EppRefused);
    await expect(issue()).rejects.toThrow('Its payment is disputed');
    await disputePurchase(app.runtime, order, 'won');
    Object.assign(recordOf() ?? {}, { statuses: ['ok'] });
    expect((await issue()).authCode).not.toBe(authCode);
  });
});

describe('a domain cannot be transferred out', () => {
  const refusal = () =>
    issue().then(
      () => undefined,
      (error: Error) => error.message,
    );

  it.each<[string, () => Promise<unknown> | unknown, string]>([
    [
      'while it is locked',
      () => recordOf()?.statuses.push('clientTransferProhibited'),
      'Turn it off',
    ],
    [
      'when it is too new',
      () => Object.assign(recordOf() ?? {}, { createdAt: registry.clock.now().toISOString() }),
      'lock it until',
    ],
    [
      'soon after it came from another registrar',
      () => Object.assign(recordOf() ?? {}, { transferredAt: registry.clock.now().toISOString() }),
      'lock it until',
    ],
    [
      'while it is for sale',
      () => addListing(app.runtime, { environment: 'LIVE', domain, priceCents: 500_000 }),
      'Take it off the market first',
    ],
    [
      'while a buyer may still pay for it, also off the market',
      async () => {
        const listing = { environment: 'LIVE', domain } as const;
        await addListing(app.runtime, { ...listing, priceCents: 500_000 });
        await givenQuote(app.runtime, await app.partner({ environment: 'LIVE' }), domain);
        await delistListing(app.runtime, listing);
      },
      'A buyer may still pay for it until',
    ],
    [
      'while it is on legal hold',
      () =>
        placeLegalHold(app.runtime, 'test', {
          domain,
          kind: 'court_order',
          caseReference: '7 O 12/26',
        }),
      'is on legal hold',
    ],
    [
      'when it is sold',
      async () => {
        await addListing(app.runtime, { environment: 'LIVE', domain, priceCents: 500_000 });
        await app.runtime.db.knex('listings').where({ domain }).update({ status: 'sold' });
      },
      'This domain is sold',
    ],
    [
      'when its purchase was refunded',
      async () => takeBack(app.runtime, (await givenPurchaseOf(app.runtime, domain)).id),
      'Its purchase was refunded',
    ],
  ])('%s', async (_when, make, says) => {
    await make();
    expect(await refusal()).toContain(says);
    expect(recordOf()?.authInfo).toBe('right-code');
    expect(await findTransferOut(app.runtime, domain)).toBeUndefined();
    const browser = await signedInOwner(app, owner);
    const page = await browser.open(`/account/domains/${domain}/transfer`);
    expect(page.text).not.toContain('Show the authorization code');
  });

  it('by anyone but its owner', async () => {
    const other = await givenOwnerOf(app.runtime, 0);
    const asked = issueOwnCode(app.runtime, { userId: other.userId, domain });
    await expect(asked).rejects.toMatchObject({ code: 'not_found' });
  });

  it('by a registrar with an old code: the request is rejected', async () => {
    await askFor('right-code');
    await app.runtime.registrars('LIVE').readMessages(10, signal);
    expect(recordOf()).toMatchObject({
      clID: 'gaining',
      transfer: { status: 'clientRejected' },
    });
    expect(await historyShown()).toContain('Transfer to another registrar Rejected');
    expect(await stepsMailed()).toEqual([]);
  });
});
