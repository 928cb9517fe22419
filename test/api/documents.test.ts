import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '../../shared/platform/ids.ts';
import { Money } from '../../shared/platform/money.ts';
import { insertSale, newOrder } from '../../shared/sales/orders/record-order.ts';
import { markPayoutPaid } from '../../shared/settlement/payouts/payout-outcome.ts';
import { closePartnerPeriods } from '../../shared/settlement/statements/close-statement.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { buyerWith, CARDS, fetchPage, givenSession, sendForm } from '../support/checkout.ts';
import { givenCredential, givenListing } from '../support/factories.ts';
import { givenOrder } from '../support/orders.ts';
import { canReadPdfs, textOfPdf } from '../support/pdf.ts';
import { sdkClient } from '../support/sdk.ts';
import { takeBack } from '../support/take-back.ts';

let app: TestApp;
let partner: Awaited<ReturnType<TestApp['partner']>>;
beforeAll(async () => {
  app = await startTestApp();
  partner = await app.partner();
});
afterAll(() => app.stop());

const PDF = { headers: { Accept: 'application/pdf' } };

/** Records a sale that we collected, with invoice and receipt, and returns the order id. */
async function brokeredSale(domain: string): Promise<string> {
  const { id } = await givenListing(app.runtime, { domain, status: 'sold' });
  return app.runtime.db.transact(async (uow) => {
    const order = newOrder(
      {
        partnerId: partner.partnerId,
        environment: 'SANDBOX',
        commissionBps: 1_500,
        listing: { id, saleNumber: 1 },
        domain,
        status: 'PAID',
        paymentModel: 'brokerage',
        brokerageCaseId: newId('brokerageCase', uow.now),
        price: new Money(120_000, 'USD'),
        buyer: { email: 'buyer@example.com', name: 'A. Buyer', country: 'DE' },
      },
      uow.now,
    );
    await insertSale(uow, app.runtime.config, order);
    return order.id;
  });
}

describe('order documents', () => {
  it('are listed with the order, and downloaded as identical PDFs each time', async () => {
    const orderId = await brokeredSale('listed.example');
    const { documents } = (await partner.client.get(`/v1/orders/${orderId}`).expect(200)).body;
    expect(documents).toMatchObject(
      [
        { kind: 'invoice', number: /^TEST-INV-/, subject: orderId, total_cents: 120_000 },
        { kind: 'receipt', number: /^TEST-RCP-/, currency: 'USD' },
      ].map((each) => ({ ...each, number: expect.stringMatching(each.number) })),
    );
    const client = sdkClient(app, partner);
    const invoice = await client.orders.get.pdf({ public_id: orderId });
    expect(await client.documents.get.pdf({ id: documents[0].id })).toEqual(invoice);
    expect(await client.documents.get.pdf({ id: documents[1].id })).not.toEqual(invoice);
    if (canReadPdfs) expect(textOfPdf(invoice)).toContain(documents[0].number);
    const path = new URL(documents[0].url).pathname.replace('/api/partner', '');
    const answer = await partner.client.get(path, { ...PDF }).expect(200);
    expect(answer.headers.get('Content-Type')).toBe('application/pdf');
    expect(answer.headers.get('Content-Disposition')).toBe(
      `attachment; filename="${documents[0].number}.pdf"`,
    );
    expect((await partner.client.get(path).expect(200)).body).toEqual(documents[0]);
  });

  it('are stored when first downloaded and cannot be deleted', async () => {
    const orderId = await brokeredSale('kept.example');
    const client = sdkClient(app, partner);
    const first = await client.orders.get.pdf({ public_id: orderId });
    const { knex } = app.runtime.db;
    const kept = await knex('document_files').count();
    expect(await client.orders.get.pdf({ public_id: orderId })).toEqual(first);
    expect(await knex('document_files').count()).toEqual(kept);
    await expect(knex('document_files').delete()).rejects.toThrow(/final/);
  });

  it('include a credit note for a reversed order', async () => {
    const orderId = await brokeredSale('back.example');
    await takeBack(app.runtime, orderId);
    const { headers } = await partner.client.get(`/v1/orders/${orderId}`, { ...PDF }).expect(200);
    expect(headers.get('Content-Disposition')).toContain('TEST-CRN-');
  });

  it('do not exist when the partner is the seller', async () => {
    const orderId = await givenOrder(app.runtime, partner);
    const { body } = await partner.client.get(`/v1/orders/${orderId}`).expect(200);
    expect(body.documents).toEqual([]);
    const { body: refusal } = await partner.client
      .get(`/v1/orders/${orderId}`, { ...PDF })
      .expect(404);
    expect(refusal.error.code).toBe('not_found');
  });
});

describe('documents of settlements and payouts', () => {
  it('are a statement, a self-billing credit note and a payout advice', async () => {
    const { clock } = app.runtime;
    await givenOrder(app.runtime, partner, { paymentModel: 'hosted_checkout' });
    clock.advance(86_400_000);
    const [id = ''] = await closePartnerPeriods(app.runtime, { ...partner, until: clock.now() });
    const { body } = await partner.client.get(`/v1/settlements/${id}`).expect(200);
    expect(body.documents.map(({ kind }: { kind: string }) => kind).sort()).toEqual([
      'self_billing',
      'statement',
    ]);
    const statement = await partner.client.get(`/v1/settlements/${id}`, { ...PDF }).expect(200);
    expect(statement.headers.get('Content-Disposition')).toContain('TEST-STM-');

    const [payout] = (await partner.client.get('/v1/payouts').expect(200)).body.payouts;
    const path = `/v1/payouts/${payout.id}`;
    expect((await partner.client.get(path).expect(200)).body).toEqual({
      ...payout,
      documents: [],
    });
    await partner.client.get(path, { ...PDF }).expect(404);
    await markPayoutPaid(app.runtime, 'test', { payoutId: payout.id, reference: 'wire-1' });
    const advice = await partner.client.get(path, { ...PDF }).expect(200);
    expect(advice.headers.get('Content-Disposition')).toContain('TEST-PAY-');
  });
});

describe('access to a document', () => {
  it('returns 404 to another partner and in the other environment', async () => {
    const orderId = await brokeredSale('own.example');
    const { documents } = (await partner.client.get(`/v1/orders/${orderId}`).expect(200)).body;
    const other = await app.partner();
    const live = await givenCredential(app.runtime, partner.partnerId, { environment: 'LIVE' });
    for (const client of [other.client, app.as(live)]) {
      for (const path of [`/v1/documents/${documents[0].id}`, `/v1/orders/${orderId}`]) {
        await client.get(path).expect(404);
        await client.get(path, { ...PDF }).expect(404);
      }
    }
  });

  it('requires a scope that covers its subject', async () => {
    const orderId = await brokeredSale('scoped.example');
    const { documents } = (await partner.client.get(`/v1/orders/${orderId}`).expect(200)).body;
    const path = `/v1/documents/${documents[0].id}`;
    const withScope = async (scope: 'search' | 'report') =>
      app.as(await givenCredential(app.runtime, partner.partnerId, { scopes: [scope] }));
    await (await withScope('search')).get(path, { ...PDF }).expect(200);
    const refused = await (await withScope('report')).get(path, { ...PDF }).expect(403);
    expect(refused.body.error.message).toContain('"buy" or "search"');
  });
});

describe('the page of a checkout session', () => {
  it('offers the receipt and the invoice once paid, to anyone with the link', async () => {
    const session = await givenSession(app, partner.client);
    await sendForm(session.url, 'pay', buyerWith(CARDS.good));
    const page = await fetchPage(session.url);
    const links = [...page.text.matchAll(/href="(\/checkout\/[^"]+\/documents\/[^"]+)"/g)].map(
      ([, href = '']) => new URL(href.replaceAll('&amp;', '&'), app.url),
    );
    expect(links.map(({ pathname }) => pathname.split('/').at(-1)).sort()).toEqual([
      'invoice',
      'receipt',
    ]);
    for (const link of links) {
      const answer = await fetch(link);
      expect(answer.headers.get('Content-Type')).toBe('application/pdf');
      expect(answer.headers.get('Cache-Control')).toBe('no-store');
      expect(
        Buffer.from(await answer.arrayBuffer())
          .subarray(0, 5)
          .toString(),
      ).toBe('%PDF-');
    }
    const [link] = links;
    if (!link) throw new Error('no link');
    const without = (await fetchPage(link.origin + link.pathname)).status;
    expect(without).toBe(403);
    for (const kind of ['credit_note', 'statement', 'x']) {
      const wrong = link.href.replace(/documents\/\w+/, `documents/${kind}`);
      expect((await fetchPage(wrong)).status).toBe(404);
    }
  });

  it('offers no documents before payment', async () => {
    const session = await givenSession(app, partner.client);
    expect((await fetchPage(session.url)).text).not.toContain('/documents/');
    const url = new URL(session.url);
    url.pathname += '/documents/receipt';
    expect((await fetchPage(url.href)).status).toBe(404);
  });
});
