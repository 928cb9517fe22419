import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readMail } from '../../../shared/messaging/mail/mail-settings.ts';
import {
  type CardOnFile,
  findKeptCard,
  forgetCard,
} from '../../../shared/money/payments/kept-cards.ts';
import { reconcilePayments } from '../../../shared/money/payments/payment-updates.ts';
import { checkLedger } from '../../../shared/operations/ledger-check/ledger-check.ts';
import { addMs, DAY, MINUTE } from '../../../shared/platform/clock.ts';
import { PAYMENT_NEWS } from '../../../shared/sales/payment-news/apply-payment-news.ts';
import { renewByCards } from '../../../shared/sales/renewals/renew-by-card.ts';
import { REGISTRY } from '../../../workers/job-registry.ts';
import { startWorkers, type WorkerProcess } from '../../../workers/start-workers.ts';
import { givenOwnerOf, type Owner, ownedNow, withRegistrar } from '../../support/bulk.ts';
import { eventually } from '../../support/eventually.ts';
import { PROMPT } from '../../support/quick-fleet.ts';
import {
  givenPrices,
  givenRenewal,
  payForRenewal,
  paymentStatuses,
  untilRenewalIs,
} from '../../support/renewals.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { notify as notifyOf } from '../../support/stripe-scene.ts';
import {
  type StripeStandIn,
  startStripeStandIn,
  stripeEnv,
} from '../../support/stripe-stand-in.ts';
import { givenSale } from '../../support/transfers.ts';

const { signal } = new AbortController();
/** Without the schedule, whose first round could come between. */
const registry = REGISTRY.filter((entry) => 'job' in entry);
let runtime: TestRuntime;
let standIn: StripeStandIn;
let owner: Owner;
let domain: string;
let fleet: WorkerProcess | undefined;

beforeEach(async () => {
  standIn = await startStripeStandIn(() => runtime.clock.now());
  runtime = await createTestRuntime({
    ...PROMPT,
    ...stripeEnv(standIn),
    outboxPollMs: 20,
    MAIL: 'on',
  });
  await givenPrices(runtime);
  await givenOwned(1);
  fleet = startWorkers(runtime, { queues: ['transfers', 'payments'], registry });
});
afterEach(async () => {
  await fleet?.stop();
  fleet = undefined;
  expect((await checkLedger(runtime)).imbalances).toEqual([]);
  await runtime.stop();
  await standIn.stop();
});

/** An owner of so many domains that were bought here and renew themselves. */
async function givenOwned(count: number): Promise<void> {
  owner = await givenOwnerOf(runtime, count);
  domain = owner.domains[0] ?? '';
  const { order } = await givenSale(runtime);
  await runtime.db
    .knex('owned_domains')
    .whereIn('domain', owner.domains)
    .update({ bought_with: order.id, auto_renew: true });
  await runtime.db
    .knex('sandbox_registrar_domains')
    .whereIn('domain', owner.domains)
    .update({ auto_renew: true });
}

const notify = (type: string, object: object) => notifyOf(runtime, standIn, type, object);
const keptNow = () => findKeptCard(runtime.db.knex, owner.userId);
const expiry = async () => (await ownedNow(runtime, owner))[0]?.expiresAt as Date;
const renew = (with_: TestRuntime = runtime) => renewByCards(with_, signal);
const charges = () => [...standIn.intents.values()].filter(({ metadata }) => isCharge(metadata));
/** Pages have an intent of the same payment, too. */
const isCharge = ({ payment_id: id }: Record<string, string>) =>
  [...standIn.sessions.values()].every(({ metadata }) => metadata.payment_id !== id);
const automatic = () =>
  runtime.db.knex('renewals').whereNotNull('automatic_days').orderBy('id').select('id', 'status');
const detached = (token: string) => standIn.cards.get(token)?.customer === null;

/** A renewal on Stripe's page, where the owner lets us keep the card. */
async function givenPaid(keepsCard = true): Promise<void> {
  const renewal = await givenRenewal(runtime, owner);
  await payForRenewal(runtime, renewal, null, keepsCard);
  const session = [...standIn.sessions.values()].at(-1)?.id ?? '';
  await notify('checkout.session.completed', standIn.pay(session));
  await untilRenewalIs(runtime, renewal, 'completed');
}

async function givenKept(daysBefore: number): Promise<CardOnFile> {
  await givenPaid();
  await goTo(daysBefore);
  const card = await keptNow();
  if (!card) throw new Error('no card is kept');
  return card;
}

async function goTo(daysBefore: number): Promise<void> {
  const now = runtime.clock.now().getTime();
  runtime.clock.advance(addMs(await expiry(), -daysBefore * DAY).getTime() - now);
}

async function reconcile(): Promise<void> {
  runtime.clock.advance(11 * MINUTE);
  await reconcilePayments(runtime, PAYMENT_NEWS.state, signal);
}

describe('a card saved at Stripe', () => {
  it('is attached to a customer that Stripe creates at checkout', async () => {
    await givenPaid();
    const [asked] = standIn.requests;
    expect(asked?.fields).toMatchObject({
      customer_creation: 'always',
      customer_email: 'owner@example.com',
      'payment_intent_data[setup_future_usage]': 'off_session',
      'allowed_payment_method_types[0]': 'card',
    });
    expect(await keptNow()).toMatchObject({
      provider: 'stripe',
      token: expect.stringMatching(/^pm_/),
      customer: expect.stringMatching(/^cus_/),
      brand: 'visa',
      last4: '4242',
      expMonth: 12,
      expYear: 2_040,
    });
  });

  it('is not saved without the owner’s consent', async () => {
    await givenPaid(false);
    expect(await keptNow()).toBeUndefined();
    expect([...standIn.cards.values()].map(({ customer }) => customer)).toEqual([null]);
  });

  it('replaces the customer’s previous card, which is detached', async () => {
    await givenPaid();
    const former = await keptNow();
    await givenPaid();
    const card = await keptNow();
    expect(card?.customer).toBe(former?.customer);
    expect(card?.token).not.toBe(former?.token);
    await eventually(async () => detached(former?.token ?? ''), Boolean);
    expect(detached(card?.token ?? '')).toBe(false);
  });

  it('is detached at Stripe when its owner removes it, even if Stripe was down', async () => {
    const card = await givenKept(20);
    standIn.faults = [500, 500, 500];
    expect(await forgetCard(runtime, owner.userId)).toBe(true);
    expect(await keptNow()).toBeUndefined();
    await eventually(async () => detached(card.token), Boolean);
    expect(await renew()).toEqual({ charged: 0, failed: 1 });
    expect(charges()).toEqual([]);
  });

  it('follows updates and removals reported by Stripe', async () => {
    const { token } = await givenKept(20);
    const known = standIn.cards.get(token);
    if (!known) throw new Error('no card');
    const renewed = { ...known, card: { ...known.card, last4: '1881', exp_year: 2_045 } };
    await notify('payment_method.automatically_updated', renewed);
    expect(await keptNow()).toMatchObject({ token, last4: '1881', expYear: 2_045 });
    await notify('payment_method.detached', { ...known, id: 'pm_other' });
    expect(await keptNow()).toBeDefined();
    for (let time = 0; time < 2; time += 1) await notify('payment_method.detached', known);
    expect(await keptNow()).toBeUndefined();
  });
});

describe('auto-renewing with a card saved at Stripe', () => {
  it('charges the card off-session once and sends the owner a receipt', async () => {
    const card = await givenKept(30);
    expect(await renew()).toEqual({ charged: 1, failed: 0 });
    expect(await renew()).toEqual({ charged: 0, failed: 0 });
    const [tried] = await automatic();
    await untilRenewalIs(runtime, tried, 'completed');
    expect(charges()).toMatchObject([
      { status: 'succeeded', customer: card.customer, payment_method: { id: card.token } },
    ]);
    const seen = standIn.requests.find(({ method, path }) => `${method} ${path}` === POST_INTENT);
    expect(seen?.fields).toMatchObject({
      off_session: 'true',
      confirm: 'true',
      'allowed_payment_method_types[0]': 'card',
    });
    expect(seen?.idempotencyKey).toBe(seen?.fields['metadata[payment_id]']);
    for (const intent of charges()) await notify('payment_intent.succeeded', intent);
    expect(await runtime.db.knex('documents').where({ kind: 'receipt' })).toHaveLength(2);
  });

  it.each([
    ['authentication_required', 'unconfirmed'],
    ['card_declined', 'declined'],
    ['expired_card', 'expired_card'],
    ['processing_error', 'not_processed'],
  ])('notifies the owner when the bank answers %s', async (code, why) => {
    await givenKept(30);
    standIn.decline = { code };
    expect(await renew()).toEqual({ charged: 0, failed: 1 });
    for (const intent of charges()) await notify('payment_intent.payment_failed', intent);
    expect(await automatic()).toMatchObject([{ status: 'cancelled' }]);
    const ids = await runtime.db.knex('mails').where({ kind: 'auto-renew-failed' }).pluck('id');
    expect(await Promise.all(ids.map((id) => readMail(runtime, id)))).toMatchObject([
      { data: { why, days: 30 } },
    ]);
    standIn.decline = null;
    await goTo(15);
    expect(await renew()).toEqual({ charged: 1, failed: 0 });
  });

  it('refunds the charge itself when the registry rejects the renewal', async () => {
    await givenKept(30);
    await fleet?.stop();
    const refuses = withRegistrar(runtime, async () => ({ status: 'refused', reason: 'No.' }));
    fleet = startWorkers(refuses, { queues: ['transfers', 'payments'], registry });
    expect(await renew()).toEqual({ charged: 1, failed: 0 });
    const [tried] = await automatic();
    await eventually(
      () => paymentStatuses(runtime, tried),
      ([status]) => status === 'refunded',
    );
    expect(standIn.refunds).toMatchObject([{ payment_intent: charges()[0]?.id }]);
  });

  it('does not take a manual payment while the outcome of the charge is unknown', async () => {
    await givenKept(30);
    standIn.faults = ['cut', 'cut', 'cut'];
    expect(await renew()).toEqual({ charged: 0, failed: 1 });
    const pages = standIn.sessions.size;
    const open = await givenRenewal(runtime, owner);
    expect(await payForRenewal(runtime, open, null)).toEqual({ kind: 'over' });
    expect(standIn.sessions.size).toBe(pages);
    await reconcile();
    await untilRenewalIs(runtime, open, 'completed');
    expect(charges()).toHaveLength(1);
  });

  it('leaves the charge open when its outcome is unknown and the customer is gone', async () => {
    await givenKept(30);
    standIn.faults = ['cut', 'cut', 'cut'];
    await renew();
    standIn.faults = [404];
    await reconcile();
    expect(await automatic()).toMatchObject([{ status: 'awaiting_payment' }]);
  });
});

const POST_INTENT = 'POST /v1/payment_intents';

/** What happens to a charge: cut before or after Stripe works, or with the process. */
const CUTS: Readonly<Record<string, () => TestRuntime>> = {
  answered: () => runtime,
  declined() {
    standIn.decline = { code: 'card_declined' };
    return runtime;
  },
  'away at Stripe'() {
    standIn.faults = [503, 503, 503];
    return runtime;
  },
  'cut after Stripe worked'() {
    standIn.faults = ['cut', 'cut', 'cut'];
    return runtime;
  },
  'killed before it was sent': () => killed(async () => {}),
  'killed before the answer was written': () => killed((charge) => charge()),
};

function killed(before: (charge: () => Promise<unknown>) => Promise<unknown>): TestRuntime {
  const real = runtime.payments('LIVE');
  const charge: typeof real.charge = async (request) => {
    await before(() => real.charge(request));
    throw new Error('killed');
  };
  return { ...runtime, payments: () => ({ ...real, charge }) };
}

const STEPS: Readonly<Record<string, () => Promise<unknown>>> = {
  'the job again': () => renew(),
  'the answer is looked for': reconcile,
  async 'a notification'() {
    for (const intent of charges().filter(({ status }) => status === 'succeeded')) {
      await notify('payment_intent.succeeded', intent);
    }
  },
  async 'the owner pays by hand'() {
    const before = standIn.sessions.size;
    const open = await givenRenewal(runtime, owner, { domain }).catch(() => undefined);
    if (open) await payForRenewal(runtime, open, null);
    if (standIn.sessions.size === before) return;
    const session = [...standIn.sessions.values()].at(-1)?.id ?? '';
    await notify('checkout.session.completed', standIn.pay(session));
  },
};

it('a renewal keeps at most one charge despite lost, late or repeated answers', async () => {
  await givenKept(20);
  await fleet?.stop();
  fleet = undefined;
  const { token, customer } = (await keptNow()) as CardOnFile;
  const stop = { auto_renew: false };
  for (const table of ['owned_domains', 'sandbox_registrar_domains']) {
    await runtime.db.knex(table).update(stop);
  }
  const before = new Set(standIn.intents.keys());
  const cuts = fc.constantFrom(...Object.keys(CUTS));
  const steps = fc.array(fc.constantFrom(...Object.keys(STEPS)), { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(cuts, steps, async (cut, names) => {
      await givenOwned(1);
      const card = { provider: 'stripe', token, customer, brand: 'visa', last4: '4242' };
      const row = { ...card, user_id: owner.userId, exp_month: 12, exp_year: 2_040 };
      await runtime.db.knex('kept_cards').insert({ ...row, kept_at: runtime.clock.now() });
      await goTo(20);
      await renew(CUTS[cut]?.());
      Object.assign(standIn, { faults: [], decline: null });
      for (const name of names) await STEPS[name]?.();
      await runtime.db.knex('owned_domains').where({ domain }).update(stop);
      for (let time = 0; time < 2; time += 1) await reconcile();
      await STEPS['a notification']?.();
      const kept = await runtime.db
        .knex('payments')
        .join('renewals', 'renewals.id', 'payments.renewal_id')
        .where({ domain })
        .select('payments.id', 'payments.status', 'renewals.status as renewal');
      const taken = [...standIn.intents.values()].filter(
        ({ id, status, metadata }) =>
          !before.has(id) &&
          status === 'succeeded' &&
          kept.some((each) => each.id === metadata.payment_id),
      );
      expect(taken.length).toBeLessThanOrEqual(1);
      expect(kept.filter(({ status }) => status === 'succeeded')).toHaveLength(taken.length);
      expect(kept.filter(({ renewal }) => renewal === 'paid')).toHaveLength(taken.length);
      expect(kept.every(({ status }) => status === 'succeeded' || status === 'failed')).toBe(true);
    }),
    { numRuns: 40 },
  );
});
