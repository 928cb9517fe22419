import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findDocument } from '../../../shared/messaging/documents/read-documents.ts';
import {
  inspectLedger,
  inspectRecent,
} from '../../../shared/operations/ledger-check/ledger-check.ts';
import { addMs, DAY, HOUR } from '../../../shared/platform/clock.ts';
import { newId } from '../../../shared/platform/ids.ts';
import { Money } from '../../../shared/platform/money.ts';
import { insertSale, newOrder } from '../../../shared/sales/orders/record-order.ts';
import { markPayoutPaid } from '../../../shared/settlement/payouts/payout-outcome.ts';
import { closePartnerPeriods } from '../../../shared/settlement/statements/close-statement.ts';
import { givenListing, givenPartner } from '../../support/factories.ts';
import { givenOrder } from '../../support/orders.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { runIn } from '../../support/transaction.ts';

let runtime: TestRuntime;
const subjects = { order: '', statement: '', payout: '' };
const owner = { partnerId: '', environment: 'SANDBOX' as const };
beforeAll(async () => {
  runtime = await createTestRuntime();
  const partner = await givenPartner(runtime);
  owner.partnerId = partner.partnerId;
  const { id } = await givenListing(runtime, { domain: 'lawful.example', status: 'sold' });
  subjects.order = await runtime.db.transact(async (uow) => {
    const order = newOrder(
      {
        partnerId: partner.partnerId,
        environment: 'SANDBOX',
        commissionBps: 1_500,
        listing: { id, saleNumber: 1 },
        domain: 'lawful.example',
        status: 'PAID',
        paymentModel: 'brokerage',
        brokerageCaseId: newId('brokerageCase', uow.now),
        price: new Money(120_000, 'USD'),
        buyer: { email: 'buyer@example.com', name: 'A. Buyer', country: 'DE' },
      },
      uow.now,
    );
    await insertSale(uow, runtime.config, order);
    return order.id;
  });
  await givenOrder(runtime, partner, { paymentModel: 'hosted_checkout' });
  runtime.clock.advance(DAY);
  const [statement = ''] = await closePartnerPeriods(runtime, {
    ...partner,
    until: runtime.clock.now(),
  });
  subjects.statement = statement;
  subjects.payout = (await runtime.db.knex('payouts').first('id')).id;
  await markPayoutPaid(runtime, 'test', { payoutId: subjects.payout, reference: 'wire-1' });
});
afterAll(() => runtime.stop());

const ROLLED_BACK = new Error('rolled back');

/** What the ledger check reports after running `sql` with the database triggers disabled. */
async function documentViolations(sql: string, bindings: readonly string[] = []) {
  const found: { check: string; subject: string }[][] = [];
  const work = runtime.db.transact(async (uow) => {
    const { knex } = runtime.db;
    await runIn(uow.sql, knex.raw('set local session_replication_role = replica'));
    await runIn(uow.sql, knex.raw(sql, [...bindings]));
    for (const report of [
      await inspectLedger(uow),
      await inspectRecent(uow, addMs(runtime.clock.now(), -2 * DAY - HOUR)),
    ]) {
      const ofDocuments = report.imbalances.filter(({ check }) => check.startsWith('document'));
      found.push(ofDocuments.map(({ check, subject }) => ({ check, subject })));
    }
    throw ROLLED_BACK;
  });
  await expect(work).rejects.toBe(ROLLED_BACK);
  const [whole, recent] = found;
  return { whole, recent };
}

describe('ledger check of documents', () => {
  it('reports no violations for correct documents', async () => {
    expect(await documentViolations('select 1')).toEqual({ whole: [], recent: [] });
  });

  it.each([
    ['order', 'invoice', 'documents_match_their_orders'],
    ['order', 'receipt', 'documents_match_their_orders'],
    ['statement', 'statement', 'documents_match_their_statements'],
    ['statement', 'self_billing', 'documents_match_their_statements'],
    ['payout', 'payout_advice', 'documents_match_their_payouts'],
  ] as const)(
    'reports a total that differs from its %s by a cent: %s',
    async (about, kind, check) => {
      const document = await findDocument(runtime.db.knex, owner, {
        kind,
        subject: subjects[about],
      });
      const id = document?.id ?? '';
      const violation = [{ check, subject: id }];
      expect(
        await documentViolations(
          'update documents set total_cents = total_cents + 1 where id = ?',
          [id],
        ),
      ).toEqual({ whole: violation, recent: violation });
    },
  );

  it('reports a gap in a number series', async () => {
    const { whole } = await documentViolations(`delete from documents where kind = 'receipt'`);
    expect(whole).toEqual([
      {
        check: 'document_numbers_have_no_gaps',
        subject: expect.stringMatching(/^SANDBOX\/marketplace\/receipt\/\d{4}$/),
      },
    ]);
  });
});
