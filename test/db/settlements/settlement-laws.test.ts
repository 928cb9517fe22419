import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { checkLedger } from '../../../shared/operations/ledger-check/ledger-check.ts';
import { addMs, DAY } from '../../../shared/platform/clock.ts';
import { shareOf } from '../../../shared/platform/money.ts';
import { closePartnerPeriods } from '../../../shared/settlement/statements/close-statement.ts';
import { markSettlementPaid } from '../../../shared/settlement/statements/statement-payment.ts';
import { givenPartner, type PartnerFixture } from '../../support/factories.ts';
import { givenOrder } from '../../support/orders.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { takeBack } from '../../support/take-back.ts';

/** What a bookkeeper would note about an order. */
interface Noted {
  id: string;
  partner: number;
  currency: string;
  owed: number;
  delivered: boolean;
  takenBack: boolean;
}

type Step =
  | {
      kind: 'sale';
      partner: number;
      priceCents: number;
      commissionBps: number;
      currency: string;
      delivered: boolean;
      collected: boolean;
    }
  | { kind: 'take_back'; pick: number }
  | { kind: 'settle'; partner: number; atOnce: number }
  | { kind: 'pay'; pick: number }
  | { kind: 'wait'; days: number };

const PARTNERS = 3;
const partner = fc.integer({ min: 0, max: PARTNERS - 1 });
const steps = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('sale' as const),
        partner,
        priceCents: fc.integer({ min: 1, max: 99_999_999 }),
        commissionBps: fc.integer({ min: 0, max: 10_000 }),
        currency: fc.constantFrom('USD', 'EUR'),
        delivered: fc.boolean(),
        collected: fc.integer({ min: 0, max: 4 }).map((n) => n > 0),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant('take_back' as const), pick: fc.nat(99) }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('settle' as const),
        partner,
        atOnce: fc.integer({ min: 1, max: 3 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('pay' as const), pick: fc.nat(99) }) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('wait' as const),
        days: fc.integer({ min: 0, max: 40 }),
      }),
    },
  ),
  { minLength: 5, maxLength: 40 },
);

let runtime: TestRuntime;
let checkedEntries = 0;

beforeAll(async () => {
  runtime = await createTestRuntime({ settlementBatchSize: 3 });
});
afterAll(() => runtime.stop());

async function play(script: readonly Step[]) {
  runtime.clock.set('2026-11-20T09:30:00.000Z');
  const partners: PartnerFixture[] = [];
  for (const settlementPeriod of ['monthly', 'semi_monthly', 'weekly'] as const) {
    partners.push(await givenPartner(runtime, { settlementPeriod }));
  }
  const of = (index: number) => partners[index] as PartnerFixture;
  const noted: Noted[] = [];
  const settle = (index: number) =>
    closePartnerPeriods(runtime, { ...of(index), until: runtime.clock.now() });

  for (const step of script) {
    runtime.clock.set(addMs(runtime.clock.now(), 1));
    if (step.kind === 'wait') runtime.clock.set(addMs(runtime.clock.now(), step.days * DAY));
    if (step.kind === 'settle') {
      await Promise.all(Array.from({ length: step.atOnce }, () => settle(step.partner)));
    }
    if (step.kind === 'sale') {
      const id = await givenOrder(runtime, of(step.partner), {
        priceCents: step.priceCents,
        commissionBps: step.commissionBps,
        currency: step.currency,
        paymentModel: step.collected ? 'merchant_of_record' : 'brokerage',
        deliveredAt: step.delivered ? runtime.clock.now() : null,
      });
      const owed = step.collected
        ? step.priceCents - shareOf(step.priceCents, step.commissionBps)
        : 0;
      noted.push({ id, owed, takenBack: false, ...step });
    }
    if (step.kind === 'take_back') {
      const order = noted[step.pick % Math.max(1, noted.length)];
      if (!order || order.takenBack) continue;
      const settling = settle(order.partner);
      await takeBack(runtime, order.id);
      await settling;
      order.takenBack = true;
    }
    if (step.kind === 'pay') {
      const rows = await closedStatements(partners);
      const statement = rows[step.pick % Math.max(1, rows.length)];
      if (!statement) continue;
      await markSettlementPaid(runtime, 'test', {
        settlementId: statement.id,
        reference: `wire-${statement.id}`,
      });
    }
  }
  return { partners, noted, settle };
}

function closedStatements(partners: readonly PartnerFixture[]) {
  return runtime.db
    .knex('settlements')
    .whereIn(
      'partner_id',
      partners.map((one) => one.partnerId),
    )
    .where({ status: 'closed' })
    .orderBy('id');
}

async function balance(partnerId: string, account: string, currency: string): Promise<number> {
  const [row] = await runtime.db
    .knex('ledger_postings')
    .where({ partner_id: partnerId, account, currency })
    .sum({ sum: 'amount_cents' });
  return Number(row?.sum ?? 0);
}

describe('random concurrent sales, refunds, settlements, and payouts', () => {
  it('keep the ledger equal to a recount of the orders, to the cent', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (script) => {
        const { partners, noted, settle } = await play(script);
        const report = await checkLedger(runtime);
        expect(report.imbalances).toEqual([]);
        expect(report.entries).toBeGreaterThanOrEqual(checkedEntries);
        checkedEntries = report.entries;

        // Once everything due is settled, each partner owes what its orders say, or has paid it.
        runtime.clock.advance(1);
        for (const index of partners.keys()) await settle(index);
        for (const [index, { partnerId }] of partners.entries()) {
          for (const currency of ['USD', 'EUR']) {
            const own = noted.filter((one) => one.partner === index && one.currency === currency);
            const sum = (orders: Noted[]) => orders.reduce((total, one) => total + one.owed, 0);
            const delivered = sum(own.filter((one) => one.delivered && !one.takenBack));
            const underWay = sum(own.filter((one) => !one.delivered && !one.takenBack));
            const statements = await runtime.db
              .knex('settlements')
              .where({ partner_id: partnerId, currency });
            const stated = (status?: string) =>
              statements
                .filter((row) => status === undefined || row.status === status)
                .reduce((total, row) => total + row.amount_owed_cents, 0);
            expect(stated()).toBe(delivered);
            expect(await balance(partnerId, 'partner_clearing', currency)).toBe(underWay);
            expect(await balance(partnerId, 'partner_receivable', currency)).toBe(stated('closed'));
          }
        }
        expect(await checkLedger(runtime)).toMatchObject({ ok: true, imbalances: [] });
      }),
      { numRuns: 25, endOnFailure: true },
    );
  });
});
