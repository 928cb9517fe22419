import { addMs, type Clock } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import type { Database } from '../platform/db.ts';
import type { PushState, Registrar } from './registrar.ts';
import { createSandboxDomains } from './sandbox-domains.ts';
import { endPush, findDuePush, findPush, insertPush } from './sandbox-push.store.ts';

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
    const domain = await findDuePush(knex, clientReference, clock.now());
    if (domain === undefined) return;
    const failed = faultOf(domain) === 'fail_transfer';
    await endPush(
      knex,
      clientReference,
      failed
        ? { status: 'failed', reason: 'registrar_rejected' }
        : { status: 'completed', reason: null },
    );
  };

  const read = async (clientReference: string): Promise<PushState> => {
    await ripen(clientReference);
    const push = await findPush(knex, clientReference);
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
      await insertPush(knex, {
        clientReference,
        domain,
        status: 'pending',
        acceptedAt: now,
        readyAt: addMs(now, delayMs),
      });
      return read(clientReference);
    },
    read,
    async cancel(clientReference) {
      const now = clock.now();
      // A reference never seen is kept as cancelled, so that a push of it still under way is refused.
      await insertPush(knex, {
        clientReference,
        domain: '',
        status: 'cancelled',
        acceptedAt: now,
        readyAt: now,
      });
      await ripen(clientReference);
      await endPush(knex, clientReference, { status: 'cancelled', reason: null });
      const push = await findPush(knex, clientReference);
      return push?.status === 'completed' ? 'too_late' : 'cancelled';
    },
  };
}
