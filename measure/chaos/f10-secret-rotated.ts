import { setTimeout as sleep } from 'node:timers/promises';
import {
  signBody,
  standardWebhookSignature,
} from '../../shared/messaging/webhooks/webhook-signature.ts';
import { QUICK } from '../../test/support/quick-fleet.ts';
import { WEBHOOK_SECRET } from '../../test/support/running-service.ts';
import type { ReceivedWebhook } from '../../test/support/webhook-receiver.ts';
import { type Market, withMarket } from './market.ts';
import type { FaultRun, Trial } from './trial.ts';
import { verifyMarket } from './verify.ts';

/** A secret, and the time span, by the machine's clock, in which requests may be signed with it. */
interface Term {
  secret: string;
  from: number;
  until: number;
}

/** A worker that read the secret before a change may send its request this much later. */
const UNDER_WAY_MS = Number(QUICK.WEBHOOK_TIMEOUT_MS) + QUICK.outboxLeaseMs;

export const secretRotated: FaultRun = {
  id: 'F10',
  title: 'The webhook secret is replaced under load, with and without an overlap',
  async run(trial) {
    const both = trial.size !== 'short';
    for (const hours of both ? [24, 0] : [trial.seed % 2 === 0 ? 0 : 24]) {
      await withMarket(trial, { env: { WEBHOOK_ROTATION_HOURS: `${hours}` } }, (market) =>
        rotate(trial, market, hours > 0),
      );
    }
  },
};

async function rotate(trial: Trial, market: Market, overlap: boolean): Promise<void> {
  const orders = trial.amount({ short: 30, normal: 200, long: 3_000 });
  const rotations = trial.amount({ short: 4, normal: 15, long: 150 });
  const terms: Term[] = [{ secret: WEBHOOK_SECRET, from: 0, until: Number.POSITIVE_INFINITY }];
  const turn = async () => {
    for (const [at, moment] of trial.moments(rotations, orders).entries()) {
      await market.reach(moment);
      await sleep(trial.random.between(0, 100));
      const secret = `secret-number-${at}-of-seed-${trial.seed}`;
      const body = { url: market.receiver.url, secret };
      const from = Date.now();
      const answer = await market.ask((client) => client.put('/webhooks', { body }));
      trial.expect(answer.status === 200, `a rotation got ${answer.status}`);
      const before = terms.at(-1);
      if (before) before.until = Date.now() + UNDER_WAY_MS;
      terms.push({ secret, from, until: Number.POSITIVE_INFINITY });
    }
  };
  await Promise.all([turn(), market.sellAll(orders)]);
  await verifyMarket(market, performance.now());
  const bad = market.receiver.received.filter((each) => !verifies(each, terms, overlap));
  trial.expect(bad.length === 0, `${bad.length} requests do not verify`);
  const how = overlap ? 'with the old and the new secret' : 'with one secret';
  trial.note(`${market.receiver.received.length} requests verify ${how}`);
}

/**
 * Checks both kinds of signatures against the secrets in force. During an overlap, the previous secret must sign too;
 * without one, it may still sign requests that were under way during the change.
 */
function verifies(
  { headers, body, at }: ReceivedWebhook,
  terms: Term[],
  overlap: boolean,
): boolean {
  // Not when it arrived, which depends on the machine's load.
  const madeAt = Number(headers['webhook-timestamp']) * 1_000;
  const current = terms.findIndex(
    ({ secret }) => signBody(secret, body) === headers['x-service-signature'],
  );
  const term = terms[current];
  if (!term || at < term.from || madeAt > term.until) return false;
  const previous = terms[current - 1];
  const signedBy = (...signers: readonly Term[]) =>
    headers['webhook-signature'] ===
    standardWebhookSignature({
      secrets: signers.map(({ secret }) => secret),
      id: `${headers['webhook-id']}`,
      timestampSeconds: Number(headers['webhook-timestamp']),
      body,
    });
  if (!previous) return signedBy(term);
  if (overlap) return signedBy(term, previous);
  return signedBy(term) || (madeAt <= previous.until && signedBy(term, previous));
}
