import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  approveRefund,
  declineRefund,
  listRefundsToDecide,
} from '../../shared/sales/refunds/pending-refund.ts';
import { eventually } from '../../test/support/eventually.ts';
import { takeBack } from '../../test/support/take-back.ts';
import { type Market, REFUSED, withMarket } from './market.ts';
import type { FaultRun, Trial } from './trial.ts';
import {
  arrivalsOf,
  checkMoney,
  countDeliveries,
  untilNoneIsLeft,
  untilReceived,
} from './verify.ts';

export const takenBack: FaultRun = {
  id: 'F12',
  title: 'Every order is taken back twice at once, at a random moment of its life',
  run: (trial) =>
    withMarket(trial, { apis: 2, refused: REFUSED }, async (market) => {
      const orders = trial.amount({ short: 20, normal: 150, long: 500 });
      const listings = await market.listings(orders);
      let succeeded = 0;
      const lane = async () => {
        for (let next = listings.shift(); next; next = listings.shift()) {
          const { body } = await market.sell(next);
          await sleep(trial.random.between(0, 500));
          const accepted = await takeBackTwice(trial, market, body.public_id);
          succeeded += accepted;
        }
      };
      await Promise.all(Array.from({ length: 6 }, lane));
      trial.expect(succeeded === orders, `${succeeded} refunds of ${orders} orders were accepted`);
      const since = performance.now();
      const approved = await decideUntilDone(trial, market);
      await untilReceived(trial, market.runtime, market.receiver);
      trial.recovered(performance.now() - since);
      await expectNothingLeft(trial, market, orders);
      await expectDomainsFitTheBooks(trial, market, approved);
    }),
};

/** Sends two refund requests at once. Returns how many were accepted. */
async function takeBackTwice(trial: Trial, market: Market, orderId: string): Promise<number> {
  const body = { order_id: orderId, reason: 'requested_by_customer' };
  const answers = await Promise.all(
    market.clients.map((client) => {
      const idempotencyKey = randomUUID();
      return market.ask((asking) => asking.post('/v1/refunds', { body, idempotencyKey }), client);
    }),
  );
  const statuses = answers.map(({ status }) => status).sort();
  if (statuses.join() === '409,409') return clawBackTwice(trial, market, orderId);
  trial.expect(statuses.join() === '201,409', `two refunds at once got ${statuses.join()}`);
  return statuses.filter((status) => status === 201).length;
}

/** Claws an order back twice at once, as operators do: partners can only refund orders that aren't delivered. */
async function clawBackTwice(trial: Trial, { runtime }: Market, orderId: string): Promise<number> {
  // Partner refunds end once the registrar has moved the domain; workers confirm the delivery a moment later.
  const status = await eventually(
    async () => (await runtime.db.knex('orders').where({ id: orderId }).pluck('status'))[0],
    (now) => now === 'TRANSFER_COMPLETED',
    { withinMs: 120_000 },
  ).catch(() => 'stuck');
  trial.expect(status === 'TRANSFER_COMPLETED', `no refund was accepted of one that is ${status}`);
  const both = await Promise.allSettled([takeBack(runtime, orderId), takeBack(runtime, orderId)]);
  const accepted = both.filter((each) => each.status === 'fulfilled').length;
  trial.expect(accepted === 1, `${accepted} of two clawbacks at once were accepted`);
  return accepted;
}

/**
 * Plays the operators until every order is taken back. A refund request that came too late is either approved, or
 * declined and then, as the order is delivered, clawed back. Returns the orders whose refund was approved.
 */
async function decideUntilDone(trial: Trial, { runtime }: Market): Promise<Set<string>> {
  const approved = new Set<string>();
  await untilNoneIsLeft(trial, 'refunds are stuck', async () => {
    for (const { orderId } of await listRefundsToDecide(runtime, 500)) {
      if (trial.random.between(0, 1) < 0.5) {
        await runtime.db.transact((uow) => approveRefund(uow, orderId));
        approved.add(orderId);
      } else {
        await runtime.db.transact((uow) => declineRefund(uow, orderId));
        await takeBack(runtime, orderId);
      }
    }
    return runtime.db.knex('orders').whereNot({ status: 'REFUNDED' }).pluck('id');
  });
  return approved;
}

/** Expects no buyer to have both money and domain unless operators approved, and domains that stayed to be listed. */
async function expectDomainsFitTheBooks(
  trial: Trial,
  { runtime }: Market,
  approved: ReadonlySet<string>,
): Promise<void> {
  const { rows } = await runtime.db.knex.raw(
    `select o.id, r.kind, l.status as listing, exists (select 1 from sandbox_registrar_pushes p
       where p.domain = o.domain and p.status = 'completed') as left
     from orders o join refunds r on r.order_id = o.id join listings l on l.id = o.listing_id`,
  );
  const all: { id: string; kind: string; listing: string; left: boolean }[] = rows;
  const both = all.filter(({ id, kind, left }) => left && kind === 'refund' && !approved.has(id));
  trial.expect(both.length === 0, `refunded and delivered: ${JSON.stringify(both.slice(0, 5))}`);
  const lost = all.filter(({ listing, left }) => (listing === 'listed') === left);
  trial.expect(
    lost.length === 0,
    `not where it should be sold: ${JSON.stringify(lost.slice(0, 5))}`,
  );
  const clawedBack = all.filter(({ kind }) => kind === 'clawback').length;
  trial.note(`${clawedBack} clawed back, ${approved.size} approved although the domain had left`);
}

/** Expects every sale to have exactly one reversal, and all accounts to balance at zero. */
async function expectNothingLeft(trial: Trial, market: Market, orders: number): Promise<void> {
  const { runtime, receiver } = market;
  const { rows } = await runtime.db.knex.raw(
    `select o.id from orders o
     where o.status <> 'REFUNDED'
       or (select count(*) from ledger_entries e where e.order_id = o.id) <> 2
       or (select count(*) from refunds r where r.order_id = o.id) <> 1`,
  );
  trial.expect(rows.length === 0, `not taken back once: ${JSON.stringify(rows.slice(0, 5))}`);
  const { rows: open } = await runtime.db.knex.raw(
    `select account, sum(amount_cents) as sum from ledger_postings group by 1 having sum(amount_cents) <> 0`,
  );
  trial.expect(open.length === 0, `accounts are not even: ${JSON.stringify(open)}`);
  const [entries] = await runtime.db.knex('ledger_entries').count({ count: '*' });
  trial.count({ orders, entries: Number(entries?.count) });
  await countDeliveries(trial, runtime, arrivalsOf(receiver));
  await checkMoney(trial, runtime);
}
