import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { purchasePath } from '../../../shared/sales/orders/purchase-link.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { buyerWith, CARDS, fetchPage, givenSession, sendForm } from '../../support/checkout.ts';
import { givenClaimLink } from '../../support/claims.ts';
import { readable } from '../../support/console.ts';
import { givenListing } from '../../support/factories.ts';
import { sell } from '../../support/sales.ts';
import { takeBack } from '../../support/take-back.ts';
import { givenSale } from '../../support/transfers.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ MAIL: 'on' });
});
afterAll(() => app.stop());

const pathOf = (orderId: string, isMailed = true) =>
  purchasePath(app.runtime.tokens, { orderId, isMailed });
const open = async (orderId: string, isMailed = true) =>
  fetchPage(app.url + (await pathOf(orderId, isMailed)));

/** A LIVE order that waits for its registrant. */
async function waiting() {
  const { client } = await app.partner({ environment: 'LIVE' });
  const listing = await givenListing(app.runtime, { environment: 'LIVE' });
  const { body } = await sell(client, listing, { more: { registrant: undefined } }).expect(201);
  return { id: body.public_id as string, domain: listing.domain };
}

describe('the purchase page for buyers', () => {
  it('says whose turn it is and links to the next step', async () => {
    const { id, domain } = await waiting();
    const { status, text, headers } = await open(id);
    expect([status, headers.get('Cache-Control'), headers.get('Referrer-Policy')]).toEqual([
      200,
      'no-store',
      'no-referrer',
    ]);
    const page = readable(text);
    expect(page).toContain('It’s your turn Tell us who the domain is registered for.');
    expect(page).toContain(id);
    expect(text).toContain(domain);
    const [, form = ''] = /href="(\/registrant\/[^"]+)"/.exec(text) ?? [];
    expect((await fetchPage(app.url + form)).text).toContain('Where should we register it?');
    // The partner sold it, so its price there is not shown.
    expect(page).not.toContain('Price');
  });

  it('links to the claim of the domain, but only when opened from an email', async () => {
    const { order } = await givenSale(app.runtime, { environment: 'LIVE' });
    await givenClaimLink(app.runtime, order.id);
    const mailed = await open(order.id);
    const [, link = ''] = /href="(\/account\/claim[^"]+)"/.exec(mailed.text) ?? [];
    const claim = await fetchPage(app.url + link.replaceAll('&amp;', '&'));
    expect(claim.text).toContain(`Claim ${order.domain}`);
    const other = await open(order.id, false);
    expect(other.text).not.toContain('/account/claim');
    expect(readable(other.text)).toContain('It’s your turn');
  });

  it('is linked from the receipt and has the documents', async () => {
    const { client } = await app.partner();
    const session = await givenSession(app, client);
    await sendForm(session.url, 'pay', buyerWith(CARDS.good));
    const { text } = await fetchPage(session.url);
    const [, path = ''] = /href="(\/purchase\/[^"]+)"/.exec(text) ?? [];
    const page = await fetchPage(app.url + path);
    expect(readable(page.text)).toMatch(/Price \$[\d,.]+ USD/);
    const [, receipt = ''] = /href="([^"]+\/documents\/receipt)"/.exec(page.text) ?? [];
    const paper = await fetchPage(app.url + receipt);
    expect([paper.status, paper.headers.get('Content-Type')]).toEqual([200, 'application/pdf']);
    expect((await fetchPage(`${app.url}${path}/documents/statement`)).status).toBe(404);
  });

  it('says that the order was reversed', async () => {
    const { id } = await waiting();
    await takeBack(app.runtime, id, 'refund');
    const page = readable((await open(id)).text);
    expect(page).toContain('Reversed');
    expect(page).not.toContain('your turn');
  });

  it('cannot be opened with an invalid link', async () => {
    const { id } = await waiting();
    const path = await pathOf(id);
    for (const bad of [`${path}x`, '/purchase/x', path.slice(0, -4)]) {
      expect((await fetchPage(app.url + bad)).status).toBe(403);
    }
    expect((await fetchPage(`${app.url}/purchase/`)).status).toBe(404);
  });
});
