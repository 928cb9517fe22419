import { randomUUID } from 'node:crypto';
import { orderBody } from '../../test/support/sales.ts';
import type { ClientAnswer } from '../../test/support/signed-client.ts';
import { type Market, withMarket } from './market.ts';
import type { Member } from './member.ts';
import type { FaultRun, Trial } from './trial.ts';
import { verifyMarket } from './verify.ts';

const AT_ONCE = 50;

export const sameKey: FaultRun = {
  id: 'F7',
  title: 'Two API processes get one Idempotency-Key at once, and die between commit and answer',
  run: (trial) =>
    withMarket(trial, { apis: 2 }, async (market) => {
      const crowds = trial.amount({ short: 2, normal: 10, long: 100 });
      const deaths = trial.amount({ short: 2, normal: 8, long: 80 });
      for (let crowd = 0; crowd < crowds; crowd += 1) await askAtOnce(trial, market);
      for (let death = 0; death < deaths; death += 1) {
        await dieBeforeTheAnswer(trial, market, trial.whole(0, 1));
      }
      await verifyMarket(market, performance.now());
    }),
};

/** Expects one order and byte-identical answers; a different body with the same key must be a conflict. */
async function askAtOnce(trial: Trial, market: Market): Promise<void> {
  const [listing, other] = await market.listings(2);
  if (!listing || !other) return;
  const idempotencyKey = randomUUID();
  const unanswered = () => countOf(market, (status) => status === 0 || status >= 500);
  const before = unanswered();
  const post = (of: typeof listing) =>
    market.ask((client) => client.post('/v1/orders', { body: orderBody(of), idempotencyKey }));
  const all = await Promise.all(Array.from({ length: AT_ONCE }, () => post(listing)));
  const good = all.filter(({ status }) => status === 201);
  const texts = new Set(good.map(({ text }) => text));
  const fresh = good.filter((answer) => !isReplay(answer));
  // The first answer may have been lost and asked for again, so that all the others are replays.
  const atLeast = unanswered() > before ? 0 : 1;
  trial.expect(good.length === AT_ONCE, `${good.length} of ${AT_ONCE} were answered with 201`);
  trial.expect(texts.size === 1, `${texts.size} different answers to one key`);
  trial.expect(
    fresh.length <= 1 && fresh.length >= atLeast,
    `${fresh.length} answers were no replays`,
  );
  const conflict = await post(other);
  trial.expect(conflict.status === 409, `another body under the key got ${conflict.status}`);
}

function countOf({ answers }: Market, which: (status: number) => boolean): number {
  return [...answers].reduce((sum, [status, count]) => sum + (which(status) ? count : 0), 0);
}

function isReplay(answer: ClientAnswer): boolean {
  return answer.headers.get('Idempotent-Replayed') === 'true';
}

/** Kills the API process after Postgres has reported the commit, but before the process hears of it. */
async function dieBeforeTheAnswer(trial: Trial, market: Market, at: number): Promise<void> {
  const [victim, client] = [market.apis[at], market.clients[at]];
  const [survivor] = market.clients.filter((each) => each !== client);
  const [listing] = await market.listings(1);
  if (!victim || !client || !survivor || !listing) return;
  const call = { body: orderBody(listing), idempotencyKey: randomUUID() };
  const died = diesAtCommit(victim);
  const answer = await untilBroken(() => client.post('/v1/orders', call));
  trial.expect(answer === undefined, `the process that was to die answered ${answer?.status}`);
  if (answer) return;
  await died;
  victim.start();
  const again = await market.ask((asking) => asking.post('/v1/orders', call), survivor);
  trial.expect(again.status === 201 && isReplay(again), `after the kill: ${again.status}`);
  await victim.untilUp();
}

/** Asks until the connection breaks. Retries 5xx answers, and returns any other. */
async function untilBroken(ask: () => Promise<ClientAnswer>): Promise<ClientAnswer | undefined> {
  for (;;) {
    const answer = await ask().catch(() => undefined);
    if (!answer || answer.status < 500) return answer;
  }
}

/** Kills the process at its next commit; resolves once it is gone. */
function diesAtCommit(victim: Member): Promise<void> {
  const { postgres } = victim;
  return new Promise((resolve) => {
    postgres.onAnswer = (chunk) => {
      // The command tag in the Postgres protocol. The first transaction that writes is the order's.
      if (!chunk.includes('COMMIT\0')) return 'pass';
      postgres.onAnswer = () => 'swallow';
      void victim.kill().then(() => {
        postgres.onAnswer = undefined;
        resolve();
      });
      return 'swallow';
    };
  });
}
