import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { purchasePath } from '../../../shared/sales/orders/purchase-link.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { buyerWith, CARDS, fetchPage, givenSession, sendForm } from '../../support/checkout.ts';
import { givenClaimLink } from '../../support/claims.ts';
import { readable } from '../../support/console.ts';
import { givenSale } from '../../support/transfers.ts';

const UNICODE = 'münchen.de';
const ASCII = 'xn--mnchen-3ya.de';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app?.stop());

describe('pages name a domain in Unicode, with its ASCII form beside it', () => {
  it('at checkout, before and after the payment', async () => {
    const session = await givenSession(app, (await app.partner()).client, { domain: ASCII });
    const listing = app.runtime.db.knex('listings').where({ domain: ASCII });
    await listing.update({ domain_unicode: UNICODE });
    const pay = await fetchPage(session.url);
    expect(pay.text).toContain(`<title>Pay for ${UNICODE}</title>`);
    expect(readable(pay.text)).toContain(`${UNICODE} ${ASCII}`);
    await sendForm(session.url, 'pay', buyerWith(CARDS.good));
    const bought = readable((await fetchPage(session.url)).text);
    expect(bought).toContain(`Thank you, you bought ${UNICODE}`);
    expect(bought).toContain(`Domain ${ASCII}`);
  });

  it('on the pages of a claim', async () => {
    const { order } = await givenSale(app.runtime, { environment: 'LIVE', domain: ASCII });
    const claim = await fetchPage(app.url + (await givenClaimLink(app.runtime, order.id)));
    expect(readable(claim.text)).toContain(`Claim ${UNICODE} ${ASCII}`);
    expect(claim.text).toContain(`>Claim ${UNICODE}</button>`);
    const link = { orderId: order.id, isMailed: true };
    const purchase = await fetchPage(app.url + (await purchasePath(app.runtime.tokens, link)));
    expect(readable(purchase.text)).toContain(`Claim ${UNICODE}`);
  });
});
