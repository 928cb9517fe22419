import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { addMs, type Clock, DAY } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import type { PushState, Registrar } from './registrar.ts';
import * as store from './sandbox-registrar.store.ts';

/** What happens to a push of this domain beside the usual: null is the usual. */
export type SandboxFault = (domain: string) => 'slow_transfer' | 'fail_transfer' | null;

/**
 * A registrar that lives in our own database: a push is done after a set delay, or fails where the
 * domain's name asks for it (docs/sandbox.md). No domain moves anywhere.
 */
export function createSandboxRegistrar(
  { db, clock, config }: { db: Database; clock: Clock; config: Config },
  faultOf: SandboxFault,
): Registrar {
  const { knex } = db;
  /** Gives a push that waited long enough its outcome. */
  const ripen = async (clientReference: string) => {
    const due = await store.selectDuePush.first(knex, { clientReference, now: clock.now() });
    if (!due) return;
    const end =
      faultOf(due.domain) === 'fail_transfer'
        ? ({ status: 'failed', reason: 'registrar_rejected' } as const)
        : ({ status: 'completed', reason: null } as const);
    await store.updatePushEnded.run(knex, { clientReference, ...end });
  };

  const read = async (clientReference: string): Promise<PushState> => {
    await ripen(clientReference);
    const push = await store.selectPush.first(knex, { clientReference });
    if (!push) return { status: 'failed', reason: 'unknown_reference' };
    if (push.status === 'cancelled') return { status: 'failed', reason: 'cancelled' };
    return { status: push.status, ...(push.reason !== null && { reason: push.reason }) };
  };

  return {
    name: 'sandbox',
    ...createSandboxDomains({ db, clock }),
    async push({ clientReference, domain }) {
      const now = clock.now();
      const delayMs =
        faultOf(domain) === 'slow_transfer'
          ? config.sandboxRegistrarSlowDelayMs
          : config.sandboxRegistrarDelayMs;
      await store.insertPush.run(knex, {
        clientReference,
        domain,
        status: 'pending',
        acceptedAt: now,
        readyAt: addMs(now, delayMs),
      });
      return read(clientReference);
    },
    read,
    describe: async () => ({ registrations: [], unreadable: [] }),
    readMessages: async () => 0,
    async cancel(clientReference) {
      const now = clock.now();
      // A reference never seen is kept as cancelled, so that a push of it still under way is refused.
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

/** Has these pushes end earlier, by so many milliseconds. */
export async function hastenSandboxPushes(
  uow: UnitOfWork,
  clientReferences: string[],
  byMs: number,
): Promise<void> {
  await store.updatePushesHastened.run(uow.sql, { clientReferences, byMs });
}

const NAMESERVERS = ['ns1.registrar.example', 'ns2.registrar.example'];
const YEAR_DAYS = 365;
/** ICANN's limit for generic TLDs. */
const MAX_YEARS = 10;

/**
 * The part of the sandbox registrar that manages domains. It holds every domain that it is asked about: one
 * it has not heard of is a year from its expiry, locked, private, and not renewed by itself.
 */
function createSandboxDomains({
  db: { knex },
  clock,
}: {
  db: Database;
  clock: Clock;
}): Pick<Registrar, 'inspect' | 'change'> {
  const inspect: Registrar['inspect'] = async (domains) => {
    const expiresAt = addMs(clock.now(), YEAR_DAYS * DAY);
    await store.insertDomains.run(knex, { domains, nameservers: NAMESERVERS, expiresAt });
    return store.selectDomains.all(knex, { domains });
  };

  return {
    inspect,
    async change(request) {
      const now = clock.now();
      const latestExpiry = new Date(now);
      latestExpiry.setUTCFullYear(now.getUTCFullYear() + MAX_YEARS);
      const make = () => store.makeChange(knex, request, { now, latestExpiry });
      const known = await make();
      if (known) return { status: 'done', facts: known };
      const [facts] = await inspect([request.domain]);
      if (!facts) throw new Error('the sandbox registrar lost a domain');
      const { clientReference } = request;
      if (await store.selectChange.first(knex, { clientReference })) {
        return { status: 'done', facts };
      }
      const made = await make();
      if (made) return { status: 'done', facts: made };
      return { status: 'refused', reason: `A domain runs for ${MAX_YEARS} years at most.` };
    },
  };
}
