import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pMap from 'p-map';
import {
  type DocumentOwner,
  findDocument,
  listDocuments,
} from '../../../shared/messaging/documents/read-documents.ts';
import type { Environment } from '../../../shared/platform/config/config.ts';
import { newId } from '../../../shared/platform/ids.ts';
import { Money } from '../../../shared/platform/money.ts';
import { insertSale, newOrder } from '../../../shared/sales/orders/record-order.ts';
import { givenListing, givenPartner } from '../../support/factories.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { takeBack } from '../../support/take-back.ts';

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await createTestRuntime();
});
afterAll(() => runtime.stop());

/** A paid sale; with `fails`, its transaction is rolled back after everything was written. */
async function paidSale(
  partnerId: string,
  sale: { domain: string; environment?: Environment; fails?: boolean; cents?: number },
): Promise<string> {
  const { domain, environment = 'LIVE', fails = false, cents = 120_000 } = sale;
  const { id } = await givenListing(runtime, { environment, domain, status: 'sold' });
  return runtime.db.transact(async (uow) => {
    const order = newOrder(
      {
        partnerId,
        environment,
        commissionBps: 1_500,
        listing: { id, saleNumber: 1 },
        domain,
        status: 'PAID',
        paymentModel: 'brokerage',
        brokerageCaseId: newId('brokerageCase', uow.now),
        price: new Money(cents, 'EUR'),
        buyer: { email: 'buyer@example.com', name: 'A. Buyer', country: 'DE' },
      },
      uow.now,
    );
    await insertSale(uow, runtime.config, order);
    if (fails) {
      // Written by now, but for what a unit of work writes last: so the number is taken, then given back.
      uow.documents.add({
        kind: 'invoice',
        environment,
        partnerId,
        subject: order.id,
        content: { ...contentOf(), totalCents: 1 },
      });
    }
    return order.id;
  });
}

const party = { name: 'x', address: [], country: null, email: null, taxId: null };
const contentOf = () => ({
  from: party,
  to: party,
  currency: 'EUR',
  facts: [],
  lines: [],
  linesLeftOut: 0,
  subtotals: [],
  totalLabel: 'Total',
  totalCents: 0,
  tax: null,
  notes: [],
});

async function numbersOf(kind: string, environment: string): Promise<number[]> {
  const { rows } = await runtime.db.knex.raw(
    'select number from documents where kind = ? and environment = ? order by number',
    [kind, environment],
  );
  return rows.map(({ number }: { number: number }) => number);
}

describe('document numbers', () => {
  it('have no gaps or duplicates after 200 concurrent sales, a third rolled back', async () => {
    const partners = await Promise.all([1, 2, 3, 4].map(() => givenPartner(runtime)));
    const sales = Array.from({ length: 200 }, (_, at) => ({
      partnerId: partners[at % partners.length]?.partnerId ?? '',
      domain: `race-${at}.example`,
      environment: at % 5 === 0 ? ('SANDBOX' as const) : ('LIVE' as const),
      fails: at % 3 === 0,
    }));
    const results = await pMap(
      sales,
      (sale) =>
        paidSale(sale.partnerId, sale).then(
          () => sale.environment,
          () => 'rolled back',
        ),
      { concurrency: 10 },
    );
    const sold = (environment: string) => results.filter((result) => result === environment).length;
    expect(sold('LIVE') + sold('SANDBOX')).toBe(133);
    for (const environment of ['LIVE', 'SANDBOX']) {
      const upTo = Array.from({ length: sold(environment) }, (_, at) => at + 1);
      expect(await numbersOf('invoice', environment)).toEqual(upTo);
      expect(await numbersOf('receipt', environment)).toEqual(upTo);
    }
  });

  it('restart each year and carry a TEST prefix in the sandbox', async () => {
    const { partnerId } = await givenPartner(runtime);
    runtime.clock.set('2031-12-31T23:59:59.999Z');
    const last = await paidSale(partnerId, { domain: 'old.example' });
    runtime.clock.advance(1);
    const first = await paidSale(partnerId, { domain: 'new.example' });
    const test = await paidSale(partnerId, { domain: 'new.example', environment: 'SANDBOX' });
    const numberOf = async (subject: string, environment: Environment = 'LIVE') => {
      const owner = { partnerId, environment };
      return (await findDocument(runtime.db.knex, owner, { kind: 'invoice', subject }))?.number;
    };
    expect(await numberOf(last)).toBe('INV-2031-000001');
    expect(await numberOf(first)).toBe('INV-2032-000001');
    expect(await numberOf(test, 'SANDBOX')).toBe('TEST-INV-2032-000001');
  });
});

describe('an issued document', () => {
  it('cannot be changed or deleted, and its series only counts up', async () => {
    const { partnerId } = await givenPartner(runtime);
    await paidSale(partnerId, { domain: 'final.example' });
    const { knex } = runtime.db;
    const final = /final: issue another/;
    await expect(knex.raw('update documents set total_cents = 1')).rejects.toThrow(final);
    await expect(knex.raw('delete from documents')).rejects.toThrow(final);
    await expect(knex.raw('truncate documents, document_series, document_files')).rejects.toThrow(
      final,
    );
    await expect(knex.raw('delete from document_series')).rejects.toThrow(final);
    await expect(
      knex.raw('update document_series set last_number = last_number - 1'),
    ).rejects.toThrow(/only counts up|check constraint/);
    await expect(
      knex.raw(
        `insert into documents select 'doc_x', environment, issuer, kind, year, number + 1000, partner_id,
          'other', currency, total_cents, tax_cents, content || ' ', sha256, issued_at from documents limit 1`,
      ),
    ).rejects.toThrow(/documents_check/);
  });

  it('is reversed to the cent by a credit note after a refund', async () => {
    const { partnerId } = await givenPartner(runtime);
    const orderId = await paidSale(partnerId, { domain: 'back.example', cents: 99_999 });
    const find = (kind: 'invoice' | 'credit_note') => {
      const owner = { partnerId, environment: 'LIVE' as const };
      return findDocument(runtime.db.knex, owner, { kind, subject: orderId });
    };
    const invoice = await find('invoice');
    await takeBack(runtime, orderId);
    const note = await find('credit_note');
    expect(note?.number).toMatch(/^CRN-2032-00000\d$/);
    expect(note?.content).toMatchObject({ totalCents: -99_999, currency: 'EUR' });
    expect(note?.content.facts[0]?.value).toContain(invoice?.number);
  });

  it('is visible only to its own partner in its own environment', async () => {
    const own = {
      partnerId: (await givenPartner(runtime)).partnerId,
      environment: 'LIVE' as const,
    };
    const other = await givenPartner(runtime);
    const subject = await paidSale(own.partnerId, { domain: 'own.example' });
    const read = (by: DocumentOwner) =>
      findDocument(runtime.db.knex, by, { kind: 'invoice', subject });
    const list = (by: DocumentOwner) => listDocuments(runtime.db.knex, by, subject);
    expect((await read(own))?.subject).toBe(subject);
    expect(await list(own)).toHaveLength(2);
    for (const by of [
      { ...own, partnerId: other.partnerId },
      { ...own, environment: 'SANDBOX' as const },
    ]) {
      expect(await read(by)).toBeUndefined();
      expect(await list(by)).toEqual([]);
    }
  });
});
