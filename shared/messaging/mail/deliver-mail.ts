import { RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible';
import { addMs, type Clock, DAY, MINUTE, SECOND } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import { randomFraction } from '../../platform/ids.ts';
import type { Redis } from '../../platform/redis/redis.ts';
import type { JobReference } from '../jobs/job.ts';
import type { Database } from '../unit-of-work/database.ts';
import * as store from './mail.store.ts';
import {
  EVERY_TOPIC,
  isMailAddress,
  type Mail,
  type MailKind,
  normalizeAddress,
  SUPPRESSION_REASONS,
} from './mail.ts';
import { insertSuppression, selectSuppression } from './mail-settings.store.ts';
import type { SendResult } from './mail-transport.ts';

/** Returns a queued mail with its partner's brand; undefined if the mail has ended. */
export async function findQueuedMail(
  { db }: { db: Database },
  mailId: string,
): Promise<store.MailWithBrand | undefined> {
  const mail = await store.selectMail.first(db.knex, { id: mailId });
  return mail?.state === 'queued' ? mail : undefined;
}

/** Returns why a mail must not be sent; undefined if it may be. */
export async function reasonNotToSend(
  { db, config }: { db: Database; config: Config },
  mail: store.MailWithBrand,
  { topic, security }: Pick<Mail<never>, 'topic' | 'security'>,
): Promise<string | undefined> {
  const { recipient, partnerId, environment } = mail;
  if (!config.mail) return 'mail is off';
  if (!isMailAddress(recipient)) return 'not an email address';
  const email = normalizeAddress(recipient);
  // Test addresses may belong to other people. The development mailbox sends nothing.
  if (environment === 'SANDBOX' && partnerId !== null && config.mailUrl !== '') {
    const { own } = await store.selectIsOwnAddress.one(db.knex, { partnerId, email });
    if (!own) return 'mail of a sandbox goes to members of its partner alone';
  }
  const topics = topic === null ? [EVERY_TOPIC] : [EVERY_TOPIC, topic];
  const reasons = security?.(mail.data as never) ? (['bounced'] as const) : SUPPRESSION_REASONS;
  const found = await selectSuppression.first(db.knex, { email, topics, reasons });
  return found && `on the suppression list (${found.topic}: ${found.reason})`;
}

/** Rate limits mail by the recipient's domain, across all workers. */
export interface DomainPace {
  /** Returns how long a mail to this address must wait, in milliseconds; 0 means that it took a slot. */
  wait(recipient: string): Promise<number>;
}

/** Creates a limiter of MAIL_DOMAIN_PER_MINUTE mails per minute to each domain. */
export function createDomainPace({ redis, config }: { redis: Redis; config: Config }): DomainPace {
  const limiter = new RateLimiterRedis({
    storeClient: redis,
    keyPrefix: `${config.redisPrefix}:mail-domain`,
    points: config.mailDomainPerMinute,
    duration: MINUTE / 1_000,
  });
  return {
    wait: (recipient) => msUntilSlot(limiter, normalizeAddress(recipient).split('@')[1] ?? ''),
  };
}

/** The daily mail quotas of partners and addresses, across all workers. */
export interface MailBudget {
  /**
   * Takes one mail from the quota. Returns a wait in milliseconds if a buyer or their partner has none left today,
   * or a reason if no more mail of its kind may go to the address.
   */
  take(
    mail: Pick<store.MailWithBrand, 'kind' | 'recipient' | 'partnerId' | 'environment' | 'data'>,
    kind: Pick<Mail<never>, 'audience' | 'security'>,
  ): Promise<number | string>;
}

/** The kinds of mail that anyone who knows an address can have sent to it. */
const BY_STRANGERS: readonly MailKind[] = ['verify-email', 'invitation', 'password-reset'];

/**
 * Creates the mail quotas. Mail to buyers, per partner and environment: `mailAddressPerDay` to each address and
 * MAIL_PARTNER_PER_DAY in total. Partners do not share quotas, and mail over the limit waits: a receipt is never lost.
 * Other mail: `mailAddressPerDay` per kind, so that a flood of one kind does not block others, and `mailLinksPerDay`
 * for {@link BY_STRANGERS}, whoever requests it. Mail that protects an account has no limit here: by using it up,
 * an attacker could lock somebody out of their account.
 */
export function createMailBudget({ redis, config }: { redis: Redis; config: Config }): MailBudget {
  if (!config.rateLimits) return { take: async () => 0 };
  const limiterOf = (name: string, points: number) =>
    new RateLimiterRedis({
      storeClient: redis,
      keyPrefix: `${config.redisPrefix}:mail-${name}`,
      points,
      duration: DAY / SECOND,
    });
  const partners = limiterOf('partner', config.mailPartnerPerDay);
  const addresses = limiterOf('address', config.mailAddressPerDay);
  const links = limiterOf('links', config.mailLinksPerDay);

  async function takeForBuyer(owner: string, address: string): Promise<number> {
    const bucket = `buyer:${owner}:${address}`;
    const wait = await msUntilSlot(addresses, bucket);
    if (wait > 0) return wait;
    const waitOfPartner = await msUntilSlot(partners, owner);
    // A mail that waits for its partner's quota was not sent, so the address gets its slot back.
    if (waitOfPartner > 0) await addresses.reward(bucket);
    return waitOfPartner;
  }

  return {
    async take({ kind, recipient, partnerId, environment, data }, { audience, security }) {
      if (security?.(data as never)) return 0;
      const owner = `${partnerId}:${environment}`;
      const address = normalizeAddress(recipient);
      if (audience === 'buyer') return takeForBuyer(owner, address);
      const [limiter, bucket] = BY_STRANGERS.includes(kind)
        ? [links, `${kind}:${address}`]
        : [addresses, `${kind}:${owner}:${address}`];
      if ((await msUntilSlot(limiter, bucket)) === 0) return 0;
      return `over the limit of ${limiter.points} such mails a day to one address`;
    },
  };
}

/** Takes a slot and returns 0, or returns the milliseconds until a slot is free. */
async function msUntilSlot(limiter: RateLimiterRedis, key: string): Promise<number> {
  try {
    await limiter.consume(key);
    return 0;
  } catch (rejected) {
    if (rejected instanceof Error) throw rejected;
    // Jitter, so that mails waiting for the same window are not all sent when it opens.
    return (rejected as RateLimiterRes).msBeforeNext * (1 + randomFraction() / 10) + 1;
  }
}

/** Counts an attempt, and returns its number and the Message-ID; undefined if the mail has ended. */
export function beginAttempt(
  { db }: { db: Database },
  mailId: string,
  messageId: string,
): Promise<{ attempts: number; messageId: string } | undefined> {
  return store.updateAttempted.first(db.knex, { id: mailId, messageId });
}

/** Marks a mail that must not be sent as suppressed, and finishes its job. */
export async function recordSuppressed(
  { db }: { db: Database },
  job: JobReference,
  mailId: string,
  reason: string,
): Promise<void> {
  await db.transact(async (uow) => {
    const end = { id: mailId, state: 'suppressed', reason, now: uow.now } as const;
    await store.updateFinished.run(uow.sql, end);
    uow.jobs.finish(job);
  });
}

/**
 * Records the result of an attempt. Returns when to try again; undefined if the mail has ended because it was sent, or
 * bounced, at once or after the last attempt of `mailScheduleMs`. An address that does not exist is suppressed.
 */
export async function recordAttempt(
  { db, clock, config }: { db: Database; clock: Clock; config: Config },
  job: JobReference,
  { mailId, recipient, attempts }: { mailId: string; recipient: string; attempts: number },
  result: SendResult,
): Promise<Date | undefined> {
  if (result.status === 'failed') {
    const wait = config.mailScheduleMs[attempts - 1];
    if (wait !== undefined) {
      await store.updateReason.run(db.knex, { id: mailId, reason: result.reason });
      return addMs(clock.now(), Math.round(wait * (0.9 + randomFraction() / 5)));
    }
  }
  await db.transact(async (uow) => {
    const { now } = uow;
    const end = endOf(result, attempts);
    await store.updateFinished.run(uow.sql, { id: mailId, ...end, now });
    if (result.status === 'refused' && result.noSuchAddress) {
      const email = normalizeAddress(recipient);
      await insertSuppression.send(uow.pipeline, {
        email,
        topic: EVERY_TOPIC,
        reason: 'bounced',
        now,
      });
    }
    uow.jobs.finish(job);
  });
  return undefined;
}

function endOf(result: SendResult, attempts: number) {
  switch (result.status) {
    case 'accepted':
      return { state: 'sent', reason: result.response } as const;
    case 'refused':
      return { state: 'bounced', reason: result.reason } as const;
    case 'failed':
      return {
        state: 'bounced',
        reason: `given up after ${attempts} attempts: ${result.reason}`,
      } as const;
  }
}
