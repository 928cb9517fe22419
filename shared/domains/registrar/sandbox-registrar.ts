import { SANDBOX_PREMIUM } from '../../market/inventory/sandbox-names.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { addMs, type Clock, DAY } from '../../platform/clock.ts';
import type { Config, Environment } from '../../platform/config/config.ts';
import { Money } from '../../platform/money.ts';
import { CODE_IS_VOID, makeAuthCode } from './auth-codes.ts';
import { selectOnLegalHold } from './held-domain.store.ts';
import { premiumRefusal } from './premium-fees.ts';
import {
  type ChangeRequest,
  type DomainFacts,
  type DomainPrices,
  LEGAL_HOLD,
  ON_LEGAL_HOLD,
  type PushState,
  type Registrar,
} from './registrar.ts';
import * as store from './sandbox-registrar.store.ts';

/** Returns the simulated outcome of this domain; null for the normal one. */
export type SandboxFault = (domain: string) => 'slow_transfer' | 'fail_transfer' | 'premium' | null;

interface SandboxScope {
  db: Database;
  clock: Clock;
  config: Config;
}

/**
 * Creates a registrar in our own database: a push completes after a set delay, or fails if the
 * domain's name says so (docs/sandbox.md). No domain actually moves.
 * @param environment LIVE if it stands in for staff, who send authorization codes themselves
 */
export function createSandboxRegistrar(
  scope: SandboxScope,
  environment: Environment,
  faultOf: SandboxFault,
): Registrar {
  const { db, clock, config } = scope;
  const { knex } = db;
  const delayOf = (domain: string) =>
    faultOf(domain) === 'slow_transfer'
      ? config.sandboxRegistrarSlowDelayMs
      : config.sandboxRegistrarDelayMs;
  const isPremium = (domain: string) => faultOf(domain) === 'premium';
  const isHeld = async (domain: string) =>
    environment === 'LIVE' && (await selectOnLegalHold.one(knex, { domain })).found;
  /** Returns a push; sets its outcome once its delay is over. */
  const ripen = async (clientReference: string) => {
    const push = await store.selectPush.first(knex, { clientReference });
    if (push?.status !== 'pending' || push.readyAt > clock.now()) return push;
    const end =
      faultOf(push.domain) === 'fail_transfer'
        ? ({ status: 'failed', reason: 'registrar_rejected' } as const)
        : ({ status: 'completed', reason: null } as const);
    const ended = await store.updatePushEnded.run(knex, { clientReference, ...end });
    // Another process may have ended it differently.
    return ended > 0 ? { ...push, ...end } : store.selectPush.first(knex, { clientReference });
  };

  const proceed = async (clientReference: string): Promise<PushState> => {
    if (environment === 'LIVE') {
      const known = await store.selectPush.first(knex, { clientReference });
      if (known?.status === 'pending' && (await isHeld(known.domain))) {
        return { status: 'action_required', reason: LEGAL_HOLD };
      }
    }
    const push = await ripen(clientReference);
    if (!push) return { status: 'failed', reason: 'unknown_reference' };
    if (push.status === 'cancelled') return { status: 'failed', reason: 'cancelled' };
    return { status: push.status, ...(push.reason !== null && { reason: push.reason }) };
  };

  return {
    name: 'sandbox',
    ...createSandboxDomains({ db, clock, isHeld, isPremium }),
    ...createSandboxTransfersAway(scope, {
      delayOf: (domain) => (faultOf(domain) === 'fail_transfer' ? null : delayOf(domain)),
      hasNoRegistry: environment === 'LIVE',
    }),
    async push({ clientReference, domain }) {
      const now = clock.now();
      const delayMs = delayOf(domain);
      const made = await store.insertPush.run(knex, {
        clientReference,
        domain,
        status: 'pending',
        acceptedAt: now,
        readyAt: addMs(now, delayMs),
      });
      const isNew = made > 0 && delayMs > 0 && environment === 'SANDBOX';
      return isNew ? { status: 'pending' } : proceed(clientReference);
    },
    proceed,
    describe: async () => ({ registrations: [], unreadable: [] }),
    readMessages: async () => 0,
    async cancel(clientReference) {
      const now = clock.now();
      // An unknown reference is stored as canceled, so that a push request still in flight is refused.
      await store.insertPush.run(knex, {
        clientReference,
        domain: '',
        status: 'cancelled',
        acceptedAt: now,
        readyAt: now,
      });
      await ripen(clientReference);
      await store.updatePushEnded.run(knex, {
        clientReference,
        status: 'cancelled',
        reason: null,
      });
      const push = await store.selectPush.first(knex, { clientReference });
      return push?.status === 'completed' ? 'too_late' : 'cancelled';
    },
  };
}

/** Brings forward the end of these pushes and the transfer requests of these codes by `byMs`. */
export async function hastenSandboxRegistrar(
  uow: UnitOfWork,
  clientReferences: string[],
  byMs: number,
): Promise<void> {
  await store.updatePushesHastened.run(uow.sql, { clientReferences, byMs });
  await store.updateTransfersHastened.run(uow.sql, { clientReferences, byMs });
}

/** The account that requests every domain for which a code was issued. */
const OTHER_REGISTRAR = 'sandbox-registrar';
const NO_REGISTRY = {
  status: 'refused',
  reason: 'No registry is connected, so our staff send the authorization code.',
} as const;
const TRANSFER_PENDING = {
  status: 'refused',
  reason: 'Another registrar has already requested the domain.',
} as const;

/**
 * Creates the part of the sandbox registrar that lets domains leave: some time after a code is issued, a registrar
 * requests the domain with it. If staff move domains by hand, no code is issued.
 */
function createSandboxTransfersAway(
  { db: { knex }, clock, config }: SandboxScope,
  {
    delayOf,
    hasNoRegistry,
  }: { delayOf: (domain: string) => number | null; hasNoRegistry: boolean },
): Pick<Registrar, 'issueAuthCode' | 'clearAuthCode' | 'findTransfer' | 'answerTransfer'> {
  const findTransfer: Registrar['findTransfer'] = async (domain) => {
    const transfer = await store.selectTransfer.first(knex, { domain, now: clock.now() });
    if (!transfer) return undefined;
    const { status, askedAt, answeredAt } = transfer;
    return {
      status: status === 'requested' ? 'pending' : status,
      requestedBy: OTHER_REGISTRAR,
      requestedAt: askedAt,
      actionAt: answeredAt,
    };
  };

  return {
    async issueAuthCode({ clientReference, domain }) {
      if (hasNoRegistry) return NO_REGISTRY;
      const now = clock.now();
      const delayMs = delayOf(domain);
      const askedAt = delayMs === null ? null : addMs(now, delayMs);
      await store.insertAuthCode.run(knex, { clientReference, domain, now, askedAt });
      const known = await store.selectAuthCode.first(knex, { clientReference });
      if (!known) return TRANSFER_PENDING;
      if (known.status !== 'requested') return CODE_IS_VOID;
      return {
        status: 'done',
        code: makeAuthCode(config.secretsKey, `${clientReference} sandbox`),
      };
    },
    async clearAuthCode({ clientReference }) {
      await store.updateAuthCodeCleared.run(knex, { clientReference, now: clock.now() });
      const known = await store.selectAuthCode.first(knex, { clientReference });
      return known?.status === 'requested' ? TRANSFER_PENDING : { status: 'done' };
    },
    findTransfer,
    async answerTransfer({ domain, answer, requestedBy }) {
      if (requestedBy === OTHER_REGISTRAR) {
        const status = answer === 'approve' ? 'approved' : 'rejected';
        await store.updateTransferAnswered.run(knex, { domain, status, now: clock.now() });
      }
      return findTransfer(domain);
    },
  };
}

/** Days from expiry to redemption and to final deletion, as under .com. */
const [REDEMPTION_DAYS, GONE_DAYS] = [45, 75];
const NOT_IN_REDEMPTION = {
  status: 'refused',
  reason: 'The domain is not in its redemption period.',
} as const;

function graceOf(expiresAt: Date, now: Date): Pick<DomainFacts, 'grace'> {
  if (now >= addMs(expiresAt, GONE_DAYS * DAY)) return { grace: 'pending_delete' };
  return now >= addMs(expiresAt, REDEMPTION_DAYS * DAY) ? { grace: 'redemption' } : {};
}

const NAMESERVERS = ['ns1.registrar.example', 'ns2.registrar.example'];
const YEAR_DAYS = 365;
/** ICANN's limit for generic TLDs. */
const MAX_YEARS = 10;

/** Returns the prices of a premium name. The sandbox registry gives no prices for other names. */
function premiumPrices(domain: string, years: number): DomainPrices {
  const { year, restore, class: feeClass } = SANDBOX_PREMIUM;
  const term = new Money(year.amount * years, year.currency);
  const prices = { create: term, renew: term, transfer: year, restore };
  return { domain, isPremium: true, feeClass, ...prices };
}

/** Returns why a premium name cannot be changed; undefined if its owner agreed to the fee. */
function feeRefusal({ domain, change }: ChangeRequest): string | undefined {
  if (change.kind !== 'renew' && change.kind !== 'restore') return undefined;
  const years = change.kind === 'renew' ? change.years : 1;
  return premiumRefusal({ ...change, years }, premiumPrices(domain, years)[change.kind]);
}

/**
 * Creates the part of the sandbox registrar that manages domains. It holds every domain that it is asked about: an
 * unknown one expires in a year, is locked and private, and has no automatic renewal.
 */
function createSandboxDomains({
  db: { knex },
  clock,
  isHeld,
  isPremium,
}: {
  db: Database;
  clock: Clock;
  isHeld(domain: string): Promise<boolean>;
  isPremium(domain: string): boolean;
}): Pick<Registrar, 'inspect' | 'prices' | 'change'> {
  const inspect: Registrar['inspect'] = async (domains) => {
    const expiresAt = addMs(clock.now(), YEAR_DAYS * DAY);
    await store.insertDomains.run(knex, { domains, nameservers: NAMESERVERS, expiresAt });
    const found = await store.selectDomains.all(knex, { domains });
    return found.map((facts) => ({ ...facts, ...graceOf(facts.expiresAt, clock.now()) }));
  };

  return {
    inspect,
    prices: async (domains, years) =>
      domains.filter(isPremium).map((domain) => premiumPrices(domain, years)),
    async change(request) {
      if (!request.duringLegalHold && (await isHeld(request.domain))) return ON_LEGAL_HOLD;
      const now = clock.now();
      const latestExpiry = new Date(now);
      latestExpiry.setUTCFullYear(now.getUTCFullYear() + MAX_YEARS);
      const { clientReference } = request;
      const isMade = async () =>
        (await store.selectChange.first(knex, { clientReference })) !== undefined;
      const reason = isPremium(request.domain) ? feeRefusal(request) : undefined;
      if (reason !== undefined && !(await isMade())) return { status: 'refused', reason };
      if (request.change.kind === 'restore') {
        const [facts] = await inspect([request.domain]);
        if (facts?.grace !== 'redemption' && !(await isMade())) return NOT_IN_REDEMPTION;
      }
      const make = () => store.makeChange(knex, request, { now, latestExpiry });
      const known = await make();
      if (known) return { status: 'done', facts: known };
      const [facts] = await inspect([request.domain]);
      if (!facts) throw new Error('the sandbox registrar lost a domain');
      if (await isMade()) return { status: 'done', facts };
      const made = await make();
      if (made) return { status: 'done', facts: made };
      return { status: 'refused', reason: `A domain runs for ${MAX_YEARS} years at most.` };
    },
  };
}
