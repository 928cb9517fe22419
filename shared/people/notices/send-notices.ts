import type { Database } from '../../messaging/unit-of-work/database.ts';
import {
  endpointDisabledMail,
  endpointFailingMail,
} from '../../messaging/webhooks/webhook.mails.ts';
import { addMs, type Clock, DAY, HOUR } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import { keyExpiringMail } from '../partners/credential.mails.ts';
import * as store from './notice.store.ts';
import { staffDigestMail } from './staff-digest.mails.ts';

interface Deps {
  db: Database;
  clock: Clock;
}

/** How long an endpoint must fail continuously before its partner is told. */
const FAILING_MS = HOUR;
/** How long before a key's expiry its partner is told. */
const EXPIRING_MS = 3 * DAY;
/** How recently an endpoint must have been disabled for its partner to be told. */
const DISABLED_MS = DAY;

/**
 * Mails partners about endpoints that have failed for an hour and endpoints that were disabled: up to `limit` of each,
 * once per failure. Returns the larger of the two numbers.
 */
export function noticeEndpoints({ db }: Deps, limit: number): Promise<number> {
  return db.transact(async (uow) => {
    const failing = await store.selectFailingEndpoints.all(uow.sql, {
      before: addMs(uow.now, -FAILING_MS),
      limit,
    });
    for (const endpoint of failing) {
      const data = endpointData(endpoint);
      uow.mails.add(endpointFailingMail, { to: 'contacts', of: endpoint, data });
    }
    const disabled = await store.selectDisabledEndpoints.all(uow.sql, {
      since: addMs(uow.now, -DISABLED_MS),
      limit,
    });
    for (const endpoint of disabled) {
      const data = { ...endpointData(endpoint), reason: endpoint.reason };
      uow.mails.add(endpointDisabledMail, { to: 'contacts', of: endpoint, data });
    }
    return Math.max(failing.length, disabled.length);
  });
}

function endpointData(endpoint: {
  endpointId: string;
  url: string;
  environment: string;
  failingSince: Date;
}) {
  const { endpointId, url, environment, failingSince } = endpoint;
  return {
    endpointId,
    host: new URL(url).host,
    environment,
    failingSince: failingSince.toISOString(),
  };
}

/** Mails partners about up to `limit` keys that expire within three days, once per key. Returns how many. */
export function noticeExpiringKeys({ db }: Deps, limit: number): Promise<number> {
  return db.transact(async (uow) => {
    const until = addMs(uow.now, EXPIRING_MS);
    const keys = await store.selectExpiringKeys.all(uow.sql, { now: uow.now, until, limit });
    for (const key of keys) {
      const data = {
        keyId: key.keyId,
        environment: key.environment,
        expiresAt: key.expiresAt.toISOString(),
      };
      uow.mails.add(keyExpiringMail, { to: 'contacts', of: key, data });
    }
    return keys.length;
  });
}

type OverdueWork = Awaited<ReturnType<typeof store.selectOverdueWork.one>>;

const NAMES: Readonly<Record<keyof OverdueWork, string>> = {
  review: 'Orders that have not started',
  checkouts: 'Purchases in review before payment',
  transfers: 'Transfers that failed or need action',
  confirmations: 'Deliveries to confirm',
  refunds: 'Refunds to decide',
  messages: 'Registry messages to read',
  holds: 'Holds that the registry refused',
  disputes: 'Disputes to answer',
  repayments: 'Repayments to buyers',
  renewals: 'Paid renewals to finish',
  unrenewed: 'Failed auto-renewals',
  payouts: 'Payouts to send',
  settlements: 'Statements past their due date',
  cases: 'Brokerage cases without news',
  offers: 'Offers to answer',
  hits: 'Screening hits to decide',
  jobs: 'Jobs that were given up',
};

/** Mails staff, once a day (UTC), the LIVE work that is overdue. Sends nothing if there is none. */
export function sendStaffDigest({
  db,
  config,
}: Pick<Deps, 'db'> & { config: Pick<Config, 'registrarLive'> }): Promise<void> {
  return db.transact(async (uow) => {
    const before = addMs(uow.now, -DAY);
    const work = await store.selectOverdueWork.one(uow.sql, {
      now: uow.now,
      before,
      renews: config.registrarLive !== 'manual',
    });
    const waiting = (Object.keys(NAMES) as (keyof OverdueWork)[])
      .filter((name) => work[name] > 0)
      .map((name) => ({ what: NAMES[name], count: work[name] }));
    if (waiting.length === 0) return;
    const data = { day: uow.now.toISOString().slice(0, 10), waiting };
    uow.mails.add(staffDigestMail, { to: 'staff', of: null, data });
  });
}
