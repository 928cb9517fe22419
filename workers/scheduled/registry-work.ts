import { withRegistrantLocks } from '../../shared/domains/domain-registrants/change-registrant.ts';
import { renewDueDomains } from '../../shared/domains/owned-domains/renew-due-domains.ts';
import { withPremiumTerms } from '../../shared/domains/premium-names/premium-terms.ts';
import type { Registrar, TransferNews } from '../../shared/domains/registrar/registrar.ts';
import {
  isAnyUnderWay,
  lookAtTransferOut,
} from '../../shared/domains/transfers-out/follow-transfer-out.ts';
import { findReturned, recordTaken } from '../../shared/domains/transfers-out/taken-domains.ts';
import {
  listUncheckedDomains,
  markRegistrationsChecked,
  recordRegistrations,
} from '../../shared/market/inventory/listing-registrations.ts';
import { HOUR, MINUTE, SECOND } from '../../shared/platform/clock.ts';
import { isAnyCodeOut, lookAtDelivery } from '../../shared/sales/transfers/deliver-domain.ts';
import type { WorkerServices } from '../compose-workers.ts';
import type { ScheduledTask, WorkContext } from '../runtime/job-handler.ts';

/** How long a run checks registrations: far below its deadline, however slow the registry. The next run continues. */
const CHECKING_MS = 2 * MINUTE;

/** The maximum number of messages per run, so that a long queue does not delay the next run. */
const MAX_MESSAGES = 500;
/** How many domains are checked before their registry data is recorded. */
const DOMAINS_AT_ONCE = 50;

/** Reads messages from the registry's queue. */
export const readRegistryMessagesTask: ScheduledTask = {
  queue: 'transfer-polls',
  name: 'read-registry-messages',
  everyMs: 30 * SECOND,
  deadlineMs: MINUTE,
  run: readMessages,
};

/**
 * Reads the messages every few seconds while an authorization code is out, so that a registrar's request is answered at
 * once: however many codes are out, it takes one registry command.
 */
export const awaitTransferRequestsTask: ScheduledTask = {
  queue: 'transfer-polls',
  name: 'await-transfer-requests',
  everyMs: 5 * SECOND,
  deadlineMs: MINUTE,
  async run(context) {
    const { runtime } = context;
    const isCodeOut = (await isAnyCodeOut(runtime)) || (await isAnyUnderWay(runtime));
    return isCodeOut ? readMessages(context) : 0;
  },
};

function readMessages({ runtime, signal }: WorkContext): Promise<number> {
  const look = (domain: string) =>
    runtime.db.transact(async (uow) => {
      const found = [await lookAtDelivery(uow, domain), await lookAtTransferOut(uow, domain)];
      return found.every(Boolean);
    });
  const taken: TransferNews['taken'] = (of) => runtime.db.transact((uow) => recordTaken(uow, of));
  return runtime.registrars('LIVE').readMessages(MAX_MESSAGES, signal, { noticed: look, taken });
}

/** Asks the registry where the domains on the LIVE market are registered, and whether they can be transferred. */
export const checkRegistrationsTask: ScheduledTask = {
  queue: 'transfer-polls',
  name: 'check-registrations',
  everyMs: MINUTE,
  deadlineMs: 5 * MINUTE,
  async run({ runtime, signal }) {
    const registrar = runtime.registrars('LIVE');
    const end = performance.now() + CHECKING_MS;
    let checked = 0;
    while (!signal.aborted && performance.now() < end) {
      const domains = await listUncheckedDomains(runtime, DOMAINS_AT_ONCE);
      const { registrations, unreadable } = await registrar.describe(domains);
      const now = runtime.clock.now();
      const locked = await withRegistrantLocks(runtime, registrations, now);
      await recordRegistrations(runtime, await withFees(runtime, registrar, locked));
      await markRegistrationsChecked(runtime, unreadable);
      const answered = registrations.length + unreadable.length;
      checked += answered;
      if (answered < DOMAINS_AT_ONCE) break;
    }
    return checked;
  },
};

/** Adds the premium fees. If the registry does not return fees, the rest is still used. */
async function withFees<R extends { domain: string }>(
  { log }: WorkerServices,
  registrar: Registrar,
  registrations: readonly R[],
) {
  try {
    return await withPremiumTerms(registrar, registrations);
  } catch (error) {
    log.error({ err: error }, 'the fees of domains on the market cannot be read');
    return registrations;
  }
}

/** Looks whether domains that another registrar took are back. */
export const findReturnedTask: ScheduledTask = {
  queue: 'transfer-polls',
  name: 'find-returned-domains',
  everyMs: 10 * MINUTE,
  deadlineMs: 5 * MINUTE,
  run: ({ runtime, signal }) => findReturned(runtime, signal),
};

/** Renews owners' domains with automatic renewal, if the service itself talks to the registry. */
export const renewDomainsTask: ScheduledTask = {
  queue: 'bulk-domains',
  name: 'renew-domains',
  everyMs: 6 * HOUR,
  deadlineMs: 30 * MINUTE,
  run: async ({ runtime, signal }) =>
    runtime.config.registrarLive === 'manual' ? {} : renewDueDomains(runtime, signal),
};
