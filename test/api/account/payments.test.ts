import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { PaymentState } from '../../../shared/money/payments/payment-provider.ts';
import { addMs, DAY } from '../../../shared/platform/clock.ts';
import { PAYMENT_NEWS } from '../../../shared/sales/payment-news/apply-payment-news.ts';
import { cancelRenewal } from '../../../shared/sales/renewals/pay-renewal.ts';
import { renewDomainJob } from '../../../shared/sales/renewals/renewal.jobs.ts';
import type { Renewal } from '../../../shared/sales/renewals/renewal.ts';
import { startWorkers, type WorkerProcess } from '../../../workers/start-workers.ts';
import { signedInOwner } from '../../support/account-scene.ts';
import type { TestApp } from '../../support/app.ts';
import { givenOwnerOf, type Owner } from '../../support/bulk.ts';
import { readable } from '../../support/console.ts';
import { eventually } from '../../support/eventually.ts';
import { CARDS, card } from '../../support/payments.ts';
import { PROMPT } from '../../support/quick-fleet.ts';
import { givenPrices, givenRenewal, payForRenewal } from '../../support/renewals.ts';
import { startSignInApp, type VisitedPage, type Visitor } from '../../support/sign-in.ts';

let app: TestApp;
let fleet: WorkerProcess;
let owner: Owner;
let browser: Visitor;
let domain: string;

beforeAll(async () => {
  app = await startSignInApp({ ...PROMPT, outboxPollMs: 20 });
  await givenPrices(app.runtime);
  fleet = startWorkers(app.runtime, { queues: ['transfers', 'payments'] });
});
afterAll(async () => {
  await fleet?.stop();
  await app?.stop();
});
beforeEach(async () => {
  owner = await givenOwnerOf(app.runtime, 1);
  domain = owner.domains[0] ?? '';
  browser = await signedInOwner(app, owner);
});

const CARD = { name: 'A. Owner', country: 'DE', expiry: '12/39', cvc: '123' };
const GOOD = { ...CARD, number: '4242 4242 4242 4242' };
const DECLINED = { ...CARD, number: '4000 0000 0000 0002' };
const ASKS = { ...CARD, number: '4000 0025 0000 3155' };

async function openPayment(years = 1): Promise<VisitedPage> {
  const page = await browser.open(`/account/domains/${domain}/renew?years=${years}`);
  return browser.submit(page, 'Continue to payment');
}
const until = (page: VisitedPage, words: string) =>
  eventually(
    () => browser.open(page.url),
    ({ text }) => readable(text).includes(words),
  );

describe('paying for a renewal', () => {
  it('links to the restore of a domain that its registry has deleted', async () => {
    const row = await app.runtime.db.knex('owned_domains').where({ domain }).first('expires_at');
    app.runtime.clock.advance(
      row.expires_at.getTime() - app.runtime.clock.now().getTime() + 50 * DAY,
    );
    browser = await signedInOwner(app, owner);
    const page = await browser.open(`/account/domains/${domain}/renew`);
    expect(readable(page.text)).toContain(`The registry has deleted ${domain}.`);
    expect(page.text).toContain(`href="/account/domains/${domain}/restore"`);
    app.runtime.clock.reset();
  });

  it('shows the price and the new expiry date first, then the receipt and the payment', async () => {
    const offer = await browser.open(`/account/domains/${domain}/renew?years=2`);
    const before = readable(offer.text);
    expect(before).toMatch(
      /Current expiry date \w+ \d+, \d{4} New expiry date \w+ \d+, \d{4} Price \$[\d.]+ USD/,
    );
    const page = await browser.submit(offer, 'Continue to payment');
    expect(page.url.pathname).toMatch(/^\/account\/payments\/rnw_/);
    expect(readable(page.text)).toContain('You get 2 years');
    const [, price = ''] = /Price (\$[\d.]+) USD/.exec(before) ?? [];
    const paid = await browser.submit(page, `Pay \\${price}`, GOOD);
    expect(readable(paid.text)).toMatch(/Payment received|is renewed/);
    const done = await until(page, `${domain} is renewed`);
    const receipt = /href="([^"]*\/documents\/receipt)"/.exec(done.text)?.[1] ?? '';
    const pdf = await browser.open(receipt);
    expect([pdf.status, pdf.headers.get('Content-Type')]).toEqual([200, 'application/pdf']);
    const list = readable((await browser.open('/account/payments')).text);
    expect(list).toContain(`${domain} Renewal for 2 years Done`);
    // Sending the form again after going back charges nothing.
    const again = await browser.submit(page, `Pay \\${price}`, GOOD);
    expect(readable(again.text)).toContain(`${domain} is renewed`);
    expect(await app.runtime.db.knex('payments').whereNotNull('renewal_id')).toHaveLength(1);
  });

  it('explains form errors and a declined card', async () => {
    const page = await openPayment();
    const button = /(Pay \$[\d.]+)</.exec(page.text)?.[1]?.replace('$', '\\$') ?? '';
    const wrong = await browser.submit(page, button, { ...GOOD, number: '4242', country: '' });
    expect(wrong.status).toBe(422);
    expect(readable(wrong.text)).toContain('Please correct these fields');
    const declined = await browser.submit(page, button, DECLINED);
    expect(readable(declined.text)).toContain('Your card was declined');
    expect(declined.text).toContain('value="A. Owner"');
    expect(declined.text).not.toMatch(/name="number"[^>]* value=/);
    const asks = await browser.submit(page, button, ASKS);
    expect(readable(asks.text)).toContain('Confirm your payment');
    await browser.press(asks, 'Approve the payment', { answer: 'approve' });
    await until(page, `${domain} is renewed`);
  });

  it('can keep the card, shows which one it is, and lets the owner remove it', async () => {
    const page = await openPayment();
    const button = /(Pay \$[\d.]+)</.exec(page.text)?.[1]?.replace('$', '\\$') ?? '';
    await browser.submit(page, button, { ...GOOD, keep_card: 'yes' });
    await until(page, `${domain} is renewed`);
    const list = await browser.open('/account/payments');
    expect(readable(list.text)).toContain('Visa ending in 4242, valid until 12/2039');
    const removed = await browser.submit(list, 'Remove the card');
    expect(readable(removed.text)).toContain('The card was removed.');
    expect(readable(removed.text)).toContain('Card for automatic renewals None.');
  });

  it('can be canceled, and nothing is charged', async () => {
    const page = await openPayment();
    const back = await browser.submit(page, 'Cancel and return to the domain');
    expect(back.url.pathname).toBe(`/account/domains/${domain}`);
    expect(readable((await browser.open(page.url)).text)).toContain('You were not charged');
  });

  it('explains why there is no price', async () => {
    const page = await browser.open(`/account/domains/${domain}/renew?years=10`);
    expect([page.status, readable(page.text).includes('runs for 10 years at most')]).toEqual([
      200,
      true,
    ]);
    expect(page.text).not.toContain('Continue to payment');
  });
});

describe('the page of a renewal payment', () => {
  const AT = { reference: 'test-1' };
  let renewal: Renewal;
  let paymentId: string;
  /** Reports a payment state from the provider. */
  const tell = (step: PaymentState) => PAYMENT_NEWS.state(app.runtime, paymentId, step);
  const says = async () => readable((await browser.open(`/account/payments/${renewal.id}`)).text);
  beforeEach(async () => {
    renewal = await givenRenewal(app.runtime, owner);
    await payForRenewal(app.runtime, renewal, card(CARDS.confirms));
    const { db } = app.runtime;
    paymentId = (await db.knex('payments').where({ renewal_id: renewal.id }).first()).id;
    const [{ provider_reference: reference }] = await db.knex('payments').where({ id: paymentId });
    AT.reference = reference;
  });

  it('says that the payment is in review, and later that it was refused', async () => {
    await tell({ status: 'succeeded', ...AT, inReview: true });
    expect(await says()).toContain('The payment is reviewed before we renew');
    expect(await says()).not.toContain('This usually takes seconds');
    await PAYMENT_NEWS.review(app.runtime, paymentId, 'refused');
    expect(await says()).toContain('goes back to the way you paid');
  });

  it('says that staff are looking into a renewal that failed', async () => {
    await tell({ status: 'succeeded', ...AT, inReview: true });
    await app.runtime.db.transact(async (uow) => {
      uow.jobs.add(renewDomainJob, { renewalId: renewal.id }, { runAt: addMs(uow.now, DAY) });
    });
    await app.runtime.db
      .knex('outbox')
      .where({ name: 'renew-domain', state: 'pending' })
      .update({ state: 'dead' });
    expect(await says()).toContain('Our staff is looking into it');
  });

  it('says that the payment arrived after the renewal was canceled', async () => {
    expect(await cancelRenewal(app.runtime, renewal.id)).toBe(true);
    expect(await says()).toContain('You were not charged');
    await tell({ status: 'succeeded', ...AT });
    expect(await says()).toContain('Your payment arrived after that.');
    expect(await says()).not.toContain('You were not charged');
  });

  it('says that the bank returned the payment', async () => {
    await tell({ status: 'succeeded', ...AT });
    await until(await browser.open(`/account/payments/${renewal.id}`), 'is renewed');
    await PAYMENT_NEWS.dispute(app.runtime, paymentId, {
      reference: `du_${renewal.id}`,
      status: 'lost',
      reason: 'fraudulent',
      amount: renewal.price,
      evidenceDueAt: null,
    });
    expect(await says()).toContain('Your bank has returned');
    expect(await says()).not.toContain('five to ten days');
  });
});

it('a payment can be seen and paid only by its owner', async () => {
  const theirs = await givenOwnerOf(app.runtime, 1);
  const { id } = await givenRenewal(app.runtime, theirs);
  for (const path of [`/${id}`, `/${id}/return`, `/${id}/documents/receipt`]) {
    expect((await browser.open(`/account/payments${path}`)).status).toBe(404);
  }
  const foreign = {
    ...(await openPayment()),
    text: `<form method="post" action="/account/payments/${id}/pay"><button>Pay</button></form>`,
  };
  expect((await browser.press(foreign, 'Pay', GOOD)).status).toBe(404);
  expect(await app.runtime.db.knex('payments').where({ renewal_id: id })).toEqual([]);
});
