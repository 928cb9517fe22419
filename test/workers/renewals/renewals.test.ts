import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { placeLegalHold } from '../../../shared/domains/legal-holds/legal-holds.ts';
import type { ChangeAnswer, ChangeRequest } from '../../../shared/domains/registrar/registrar.ts';
import { listUnreadMessages } from '../../../shared/domains/registrar/unread-messages.ts';
import { documentNumber } from '../../../shared/messaging/documents/document.ts';
import { readMail } from '../../../shared/messaging/mail/mail-settings.ts';
import { reconcilePayments } from '../../../shared/money/payments/payment-updates.ts';
import {
  checkLedger,
  checkRecentLedger,
} from '../../../shared/operations/ledger-check/ledger-check.ts';
import { searchConsole } from '../../../shared/operations/monitoring/console-search.ts';
import { DAY, HOUR, MINUTE } from '../../../shared/platform/clock.ts';
import { Money } from '../../../shared/platform/money.ts';
import { firstPage } from '../../../shared/platform/page.ts';
import { PAYMENT_NEWS } from '../../../shared/sales/payment-news/apply-payment-news.ts';
import {
  cancelRenewal,
  confirmRenewalPayment,
} from '../../../shared/sales/renewals/pay-renewal.ts';
import { expireRenewals } from '../../../shared/sales/renewals/read-renewals.ts';
import { retryRenewal } from '../../../shared/sales/renewals/undone-renewals.ts';
import { startWorkers, type WorkerProcess } from '../../../workers/start-workers.ts';
import { givenOwnerOf, type Owner, ownedNow, withRegistrar } from '../../support/bulk.ts';
import { eventually } from '../../support/eventually.ts';
import { CARDS, card } from '../../support/payments.ts';
import { QUICK } from '../../support/quick-fleet.ts';
import {
  changesOf,
  givenPrices,
  givenRenewal,
  payForRenewal,
  paymentStatuses,
  renewalNow,
  untilRenewalIs,
} from '../../support/renewals.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { endProcess, spawnProgram } from '../../support/service-process.ts';

const CHILD = fileURLToPath(new URL('../../support/renewal-worker-child.ts', import.meta.url));

let runtime: TestRuntime;
let owner: Owner;
let fleet: WorkerProcess | undefined;

beforeEach(async () => {
  runtime = await createTestRuntime({ ...QUICK, outboxPollMs: 20, MAIL: 'on' });
  await givenPrices(runtime);
  owner = await givenOwnerOf(runtime, 1);
});
afterEach(async () => {
  await fleet?.stop();
  fleet = undefined;
  expect((await checkLedger(runtime)).imbalances).toEqual([]);
  expect((await checkRecentLedger(runtime)).imbalances).toEqual([]);
  await runtime.stop();
});

type Change = (
  request: ChangeRequest,
  real: (request: ChangeRequest) => Promise<ChangeAnswer>,
) => Promise<ChangeAnswer>;

function work(change?: Change): void {
  const with_ = change ? withRegistrar(runtime, change) : runtime;
  fleet = startWorkers(with_, { queues: ['transfers', 'payments'] });
}
const good = card(CARDS.succeeds);
const expiry = async () => (await ownedNow(runtime, owner))[0]?.expiresAt as Date;
const yearsLater = (date: Date, years: number) => {
  const later = new Date(date);
  later.setUTCFullYear(later.getUTCFullYear() + years);
  return later;
};
const mailed = () => runtime.db.knex('mails').orderBy('id').pluck('kind');
const reconcile = () =>
  reconcilePayments(runtime, PAYMENT_NEWS.state, new AbortController().signal);

describe('a paid renewal', () => {
  it('is made at the registrar, and its owner gets a receipt and an invoice', async () => {
    const before = await expiry();
    const renewal = await givenRenewal(runtime, owner, { years: 2 });
    expect(await payForRenewal(runtime, renewal, good)).toMatchObject({ kind: 'step' });
    expect(await renewalNow(runtime, renewal)).toMatchObject({ status: 'paid' });
    work();
    await untilRenewalIs(runtime, renewal, 'completed');
    expect(await expiry()).toEqual(yearsLater(before, 2));
    expect(await changesOf(runtime, renewal.domain)).toEqual([{ kind: 'renew', years: 2 }]);
    expect(await mailed()).toEqual(['domain-renewed']);
    const documents = await runtime.db.knex('documents').orderBy('kind').select();
    expect(documents).toMatchObject([
      { kind: 'invoice', partner_id: null, subject: renewal.id, total_cents: renewal.price.amount },
      { kind: 'receipt', partner_id: null, subject: renewal.id, total_cents: renewal.price.amount },
    ]);
    const found = await searchConsole(
      runtime,
      documentNumber({ ...documents[0], kind: 'invoice' }),
    );
    expect(found.documents).toMatchObject([{ subject: renewal.id, partnerId: null }]);
    const postings = await runtime.db
      .knex('ledger_postings')
      .orderBy('line')
      .select('account', 'amount_cents');
    expect(postings).toEqual([
      { account: 'cash', amount_cents: renewal.price.amount },
      { account: 'renewals', amount_cents: -renewal.price.amount },
    ]);
  });

  it('is charged once when "pay" is pressed several times', async () => {
    const renewal = await givenRenewal(runtime, owner);
    const results = await Promise.all(
      Array.from({ length: 4 }, () => payForRenewal(runtime, renewal, good)),
    );
    expect(results.some(({ kind }) => kind === 'step')).toBe(true);
    expect(await paymentStatuses(runtime, renewal)).toEqual(['succeeded']);
    work();
    await untilRenewalIs(runtime, renewal, 'completed');
    expect(await payForRenewal(runtime, renewal, good)).toEqual({ kind: 'over' });
    expect(await changesOf(runtime, renewal.domain)).toHaveLength(1);
  });

  it('is reused when started again, and replaced when the years change', async () => {
    const first = await givenRenewal(runtime, owner);
    expect(await givenRenewal(runtime, owner)).toMatchObject({ id: first.id });
    const other = await givenRenewal(runtime, owner, { years: 3 });
    expect(other.id).not.toBe(first.id);
    expect(await renewalNow(runtime, first)).toMatchObject({ status: 'cancelled' });
    expect(await payForRenewal(runtime, first, good)).toEqual({ kind: 'over' });
    await payForRenewal(runtime, other, good);
    expect(await givenRenewal(runtime, owner)).toMatchObject({ id: other.id, status: 'paid' });
  });

  it('keeps its price for half an hour and then shows the new one', async () => {
    const renewal = await givenRenewal(runtime, owner);
    await runtime.db.knex('tlds').update({ renew_cents: renewal.price.amount + 100 });
    expect(await payForRenewal(runtime, renewal, card(CARDS.declined))).toMatchObject({
      step: { status: 'failed' },
    });
    expect(await renewalNow(runtime, renewal)).toMatchObject({
      status: 'awaiting_payment',
      last_decline: 'card_declined',
    });
    runtime.clock.advance(31 * MINUTE);
    expect(await payForRenewal(runtime, renewal, good)).toEqual({ kind: 'over' });
    const next = await givenRenewal(runtime, owner);
    expect(next.price).toEqual(new Money(renewal.price.amount + 100, 'USD'));
  });

  it('is refunded, with an email, when the registry rejects it', async () => {
    const before = await expiry();
    const renewal = await givenRenewal(runtime, owner);
    await payForRenewal(runtime, renewal, good);
    work(async () => ({ status: 'refused', reason: 'The registry refused it.' }));
    expect(await untilRenewalIs(runtime, renewal, 'refunded')).toMatchObject({
      refusal: 'The registry refused it.',
    });
    await eventually(
      () => paymentStatuses(runtime, renewal),
      (statuses) => statuses[0] === 'refunded',
    );
    expect(await expiry()).toEqual(before);
    expect(await mailed()).toEqual(['renewal-refunded']);
    expect(await runtime.db.knex('documents')).toEqual([]);
    // It can be bought anew.
    expect((await givenRenewal(runtime, owner)).id).not.toBe(renewal.id);
  });

  it('is made once when the registrar’s answers are lost', async () => {
    const before = await expiry();
    const renewal = await givenRenewal(runtime, owner);
    await payForRenewal(runtime, renewal, good);
    let calls = 0;
    work(async (request, real) => {
      calls += 1;
      const answer = await real(request);
      if (calls < 3) throw new Error('the connection was cut');
      return answer;
    });
    await eventually(
      async () => {
        runtime.clock.advance(MINUTE);
        return renewalNow(runtime, renewal);
      },
      ({ status }) => status === 'completed',
    );
    expect(await expiry()).toEqual(yearsLater(before, 1));
  });

  it('is made once when its worker is killed after the registry has renewed', async () => {
    const before = await expiry();
    const renewal = await givenRenewal(runtime, owner);
    await payForRenewal(runtime, renewal, good);
    const child = spawnProgram([CHILD], runtime.env);
    await eventually(
      () => changesOf(runtime, renewal.domain),
      (changes) => changes.length === 1,
    );
    await endProcess(child, 'SIGKILL');
    work();
    await eventually(
      async () => {
        runtime.clock.advance(MINUTE);
        return renewalNow(runtime, renewal);
      },
      ({ status }) => status === 'completed',
    );
    expect(await expiry()).toEqual(yearsLater(before, 1));
    expect(await changesOf(runtime, renewal.domain)).toHaveLength(1);
    expect(await mailed()).toEqual(['domain-renewed']);
  });

  it('continues when the owner approves at their bank, and not when they decline', async () => {
    const renewal = await givenRenewal(runtime, owner);
    await payForRenewal(runtime, renewal, card(CARDS.confirms));
    await confirmRenewalPayment(runtime, renewal.id, false);
    expect(await renewalNow(runtime, renewal)).toMatchObject({
      status: 'awaiting_payment',
      last_decline: 'authentication_failed',
    });
    await payForRenewal(runtime, renewal, card(CARDS.confirms));
    await confirmRenewalPayment(runtime, renewal.id, true);
    expect(await renewalNow(runtime, renewal)).toMatchObject({ status: 'paid' });
  });
});

describe('a late payment', () => {
  /** A payment that took the money, of which nobody has heard, and whose renewal has ended. */
  async function givenLateMoney(end: (id: string) => Promise<unknown>) {
    const renewal = await givenRenewal(runtime, owner);
    await payForRenewal(runtime, renewal, card(CARDS.confirms));
    await end(renewal.id);
    // The bank took it all the same.
    await runtime.db.knex('sandbox_payments').update({ status: 'succeeded', decline_code: null });
    return renewal;
  }
  const newsOf = async (renewalId: string) => {
    const payment = await runtime.db.knex('payments').where({ renewal_id: renewalId }).first();
    const reference = payment.provider_reference;
    return PAYMENT_NEWS.state(runtime, payment.id, { status: 'succeeded', reference });
  };

  it('is refunded after the owner canceled', async () => {
    const renewal = await givenLateMoney((id) => cancelRenewal(runtime, id));
    await newsOf(renewal.id);
    await newsOf(renewal.id);
    expect(await paymentStatuses(runtime, renewal)).toEqual(['refund_pending']);
    expect(await mailed()).toEqual(['renewal-refunded']);
    work();
    await eventually(
      () => paymentStatuses(runtime, renewal),
      ([status]) => status === 'refunded',
    );
    expect(await renewalNow(runtime, renewal)).toMatchObject({ status: 'cancelled' });
    expect(await changesOf(runtime, renewal.domain)).toEqual([]);
  });

  it('is found by reconciliation and pays for the renewal', async () => {
    const renewal = await givenLateMoney(async () => {});
    runtime.clock.advance(20 * MINUTE);
    expect(await reconcile()).toMatchObject({ asked: 1, unanswered: 0 });
    expect(await renewalNow(runtime, renewal)).toMatchObject({ status: 'paid' });
  });

  it('keeps its renewal from expiring', async () => {
    const renewal = await givenLateMoney(async () => {});
    runtime.clock.advance(HOUR);
    expect(await expireRenewals(runtime, 10)).toBe(0);
    await reconcile();
    expect(await renewalNow(runtime, renewal)).toMatchObject({ status: 'paid' });
  });
});

describe('starting or paying for a renewal', () => {
  const message = (asked: Promise<unknown>) =>
    asked.then(
      () => 'done',
      (error: Error) => error.message,
    );

  it('is rejected for someone else’s domain', async () => {
    const other = await givenOwnerOf(runtime, 1);
    expect(await message(givenRenewal(runtime, owner, { domain: other.domains[0] ?? '' }))).toBe(
      'This domain is not in your account.',
    );
  });

  it('is rejected for a domain on legal hold', async () => {
    const renewal = await givenRenewal(runtime, owner);
    const hold = { domain: renewal.domain, kind: 'udrp', caseReference: 'D2026-1' } as const;
    await placeLegalHold(runtime, 'cli:test', hold);
    expect(await message(givenRenewal(runtime, owner))).toContain('legal hold');
    expect(await message(payForRenewal(runtime, renewal, good))).toContain('legal hold');
    expect(await paymentStatuses(runtime, renewal)).toEqual([]);
  });

  it('is rejected beyond the registry’s maximum term', async () => {
    expect(await message(givenRenewal(runtime, owner, { years: 10 }))).toContain(
      '.com runs for 10 years at most',
    );
  });

  it('is rejected when the domain was renewed elsewhere after its price was shown', async () => {
    const renewal = await givenRenewal(runtime, owner);
    await runtime.registrars('LIVE').change({
      clientReference: 'elsewhere',
      domain: renewal.domain,
      change: { kind: 'renew', years: 1 },
    });
    expect(await message(payForRenewal(runtime, renewal, good))).toContain(
      'renewed in the meantime',
    );
    expect(await renewalNow(runtime, renewal)).toMatchObject({ status: 'cancelled' });
  });
});

describe('a domain deleted by the sandbox registrar', () => {
  it('is restored and renewed until the restore period ends', async () => {
    const before = await expiry();
    runtime.clock.advance(before.getTime() - runtime.clock.now().getTime() + 50 * DAY);
    const renewal = await givenRenewal(runtime, owner, { kind: 'restore' });
    await payForRenewal(runtime, renewal, good);
    work();
    await untilRenewalIs(runtime, renewal, 'completed');
    expect((await changesOf(runtime, renewal.domain)).map(({ kind }) => kind).sort()).toEqual([
      'renew',
      'restore',
    ]);
    expect(await expiry()).toEqual(yearsLater(before, 1));
    runtime.clock.advance(450 * DAY);
    const gone = givenRenewal(runtime, owner, { kind: 'restore' });
    await expect(gone).rejects.toThrow('can’t be restored anymore');
  });
});

describe('disputes and reviews of renewal payments', () => {
  async function givenCompleted() {
    const renewal = await givenRenewal(runtime, owner);
    await payForRenewal(runtime, renewal, good);
    work();
    const { payment_id } = await untilRenewalIs(runtime, renewal, 'completed');
    return { renewal, paymentId: payment_id ?? '' };
  }

  it('refund a renewal with a credit note when a dispute is lost', async () => {
    const { renewal, paymentId } = await givenCompleted();
    const dispute = {
      reference: 'dp_1',
      reason: 'fraudulent',
      amount: renewal.price,
      evidenceDueAt: null,
    };
    await PAYMENT_NEWS.dispute(runtime, paymentId, { ...dispute, status: 'needs_response' });
    expect(await renewalNow(runtime, renewal)).toMatchObject({ status: 'completed' });
    for (let time = 0; time < 2; time += 1) {
      await PAYMENT_NEWS.dispute(runtime, paymentId, { ...dispute, status: 'lost' });
    }
    expect(await renewalNow(runtime, renewal)).toMatchObject({ status: 'refunded' });
    expect(await paymentStatuses(runtime, renewal)).toEqual(['refunded']);
    expect(await runtime.db.knex('documents').where({ kind: 'credit_note' })).toHaveLength(1);
    expect(await mailed()).toEqual(['domain-renewed']);
  });

  it.each([
    ['approved', 'completed'],
    ['refused', 'refunded'],
  ] as const)('hold a renewal during a review that ends %s', async (outcome, status) => {
    const renewal = await givenRenewal(runtime, owner);
    await payForRenewal(runtime, renewal, card(CARDS.confirms));
    const payment = await runtime.db.knex('payments').first();
    await runtime.db.knex('sandbox_payments').update({ status: 'succeeded' });
    await PAYMENT_NEWS.state(runtime, payment.id, {
      status: 'succeeded',
      reference: payment.provider_reference,
      inReview: true,
    });
    expect(await runtime.db.knex('outbox').where({ name: 'renew-domain' })).toEqual([]);
    await PAYMENT_NEWS.review(runtime, payment.id, outcome);
    await PAYMENT_NEWS.review(runtime, payment.id, outcome);
    work();
    await untilRenewalIs(runtime, renewal, status);
  });
});

describe('a renewal refunded after the registry was asked to renew', () => {
  const toRead = async () =>
    (await listUnreadMessages(runtime, firstPage('oldest' as const, 10))).rows;
  const lose = (paymentId: string, amount: Money) =>
    PAYMENT_NEWS.dispute(runtime, paymentId, {
      reference: 'dp_1',
      reason: 'fraudulent',
      amount,
      evidenceDueAt: null,
      status: 'lost',
    });

  /** A renewal whose payment is under review, and that staff let go on. */
  async function givenLetGoOn(kind: 'renewal' | 'restore' = 'renewal') {
    const renewal = await givenRenewal(runtime, owner, { kind });
    await payForRenewal(runtime, renewal, card(CARDS.confirms));
    const payment = await runtime.db.knex('payments').first();
    await runtime.db.knex('sandbox_payments').update({ status: 'succeeded' });
    const reference = payment.provider_reference;
    const paid = { status: 'succeeded', reference, inReview: true } as const;
    await PAYMENT_NEWS.state(runtime, payment.id, paid);
    await retryRenewal(runtime, 'cli:test', renewal.id);
    return { renewal, paymentId: payment.id as string };
  }

  it('gets a credit note and a staff message when a review rejects it after the renewal', async () => {
    const { renewal, paymentId } = await givenLetGoOn();
    work();
    await untilRenewalIs(runtime, renewal, 'completed');
    for (let time = 0; time < 2; time += 1) {
      await PAYMENT_NEWS.review(runtime, paymentId, 'refused');
    }
    expect(await renewalNow(runtime, renewal)).toMatchObject({ status: 'refunded' });
    expect(await runtime.db.knex('documents').where({ kind: 'credit_note' })).toHaveLength(1);
    expect(await toRead()).toMatchObject([
      {
        id: renewal.id,
        domain: renewal.domain,
        fault: expect.stringContaining('registry renewed it'),
      },
    ]);
    const [, mail] = await runtime.db.knex('mails').orderBy('id').pluck('id');
    expect((await readMail(runtime, mail)).data).toMatchObject({ why: 'late_review' });
  });

  it.each([
    ['is refused in its review', (id: string) => PAYMENT_NEWS.review(runtime, id, 'refused')],
    ['is lost in a dispute', (id: string, amount: Money) => lose(id, amount)],
  ] as const)(
    'is reported to staff when its payment %s while the registry renews',
    async (_how, end) => {
      const before = await expiry();
      const { renewal, paymentId } = await givenLetGoOn();
      work(async (request, real) => {
        await end(paymentId, renewal.price);
        return real(request);
      });
      await eventually(toRead, (messages) => messages.length === 1);
      expect(await renewalNow(runtime, renewal)).toMatchObject({ status: 'refunded' });
      expect(await expiry()).toEqual(yearsLater(before, 1));
    },
  );

  it.each([
    ['has renewed', true],
    ['has not renewed', false],
  ])(
    'reruns its dead job after a lost dispute to check whether the registry %s',
    async (_what, made) => {
      const { renewal, paymentId } = await givenLetGoOn();
      const { knex } = runtime.db;
      const job = () => knex('outbox').where({ name: 'renew-domain' });
      await job().update({ state: 'dead', last_error: 'no answer', attempts: 11 });
      if (made) {
        await runtime.registrars('LIVE').change({
          clientReference: renewal.id,
          domain: renewal.domain,
          change: { kind: 'renew', years: 1 },
        });
      }
      await lose(paymentId, renewal.price);
      work();
      await eventually(job, ([row]) => row.state === 'done');
      expect(await toRead()).toHaveLength(made ? 1 : 0);
      expect(await changesOf(runtime, renewal.domain)).toHaveLength(made ? 1 : 0);
      expect(await renewalNow(runtime, renewal)).toMatchObject({ status: 'refunded' });
    },
  );

  it('tells owner and staff when a domain was restored but its renewal was rejected', async () => {
    const before = await expiry();
    runtime.clock.advance(before.getTime() - runtime.clock.now().getTime() + 50 * DAY);
    const { renewal } = await givenLetGoOn('restore');
    work(async (request, real) =>
      request.change.kind === 'renew' ? { status: 'refused', reason: 'Not now.' } : real(request),
    );
    await untilRenewalIs(runtime, renewal, 'refunded');
    const [mail] = await runtime.db.knex('mails').pluck('id');
    expect((await readMail(runtime, mail)).data).toMatchObject({
      why: 'restored',
      refusal: 'Not now.',
    });
    expect(await toRead()).toMatchObject([
      { fault: expect.stringContaining('registry restored it') },
    ]);
  });
});

it('an unpaid renewal expires and its payer data is erased', async () => {
  const renewal = await givenRenewal(runtime, owner);
  await payForRenewal(runtime, renewal, card(CARDS.declined));
  runtime.clock.advance(HOUR);
  expect(await expireRenewals(runtime, 10)).toBe(1);
  const row = await runtime.db.knex('renewals').where({ id: renewal.id }).first();
  expect(row).toMatchObject({ status: 'expired', payer_name: null, payer_country: null });
  runtime.clock.advance(DAY);
});

it('a premium sandbox name costs the registry fee plus our margin and needs a confirmed price', async () => {
  const domain = 'premium-oakdeck.com';
  owner = await givenOwnerOf(runtime, [domain]);
  const free = { clientReference: 'free-1', domain, change: { kind: 'renew', years: 1 } } as const;
  for (const environment of ['LIVE', 'SANDBOX'] as const) {
    const registrar = runtime.registrars(environment);
    expect(await registrar.prices([domain, 'oakdeck.com'], 2)).toMatchObject([
      { domain, isPremium: true, renew: new Money(100_000, 'USD') },
    ]);
    expect(await registrar.change(free)).toEqual({
      status: 'refused',
      reason:
        'This is a premium domain: renewing it for 1 year costs $500.00 USD. Confirm this price to renew it.',
    });
  }
  const renewal = await givenRenewal(runtime, owner, { years: 2 });
  expect(renewal.price).toEqual(new Money(110_000, 'USD'));
  await payForRenewal(runtime, renewal, good);
  work();
  await untilRenewalIs(runtime, renewal, 'completed');
  expect(await changesOf(runtime, domain)).toHaveLength(1);
});
