import type { Clock } from '../../platform/clock.ts';
import { batchCalls } from '../../platform/concurrency/call-batcher.ts';
import type { SecretBox } from '../../platform/crypto/secrets.ts';
import type { Database } from '../unit-of-work/database.ts';
import { type AttemptRow, readAttempts } from './attempt.store.ts';
import type { ClaimedDelivery } from './delivery.ts';
import { release } from './delivery-dispatch.store.ts';
import { deliveryHeaders } from './webhook-signature.ts';

/** A request that is to be made now, and what its record will need. */
export interface StartedAttempt extends ClaimedDelivery {
  endpointId: string;
  /** How the endpoint fared before this attempt. */
  endpointClass: 'healthy' | 'failing';
  /** Whether nothing had failed there lately. */
  calm: boolean;
  eventType: string;
  /** W3C traceparent of what made the event. */
  traceParent: string | null;
  /** When the event was. */
  createdAt: Date;
  /** 1 for the first. */
  attempt: number;
  startedAt: Date;
  request: {
    url: string;
    requireHttps: boolean;
    headers: Record<string, string>;
    body: string;
  };
}

/** How many claims one statement reads. */
const BATCH = 200;

/**
 * Reads a claimed delivery afresh and signs its request; undefined when the claim is not the present one
 * or the endpoint went out of service. Claims begun at the same time share a statement.
 */
export function createAttemptStarter({
  db,
  clock,
  secrets,
}: {
  db: Database;
  clock: Clock;
  secrets: SecretBox;
}): (claim: ClaimedDelivery) => Promise<StartedAttempt | undefined> {
  const read = batchCalls(async (claims: readonly ClaimedDelivery[]) => {
    const rows = await readAttempts(db.knex, claims, clock.now());
    const byId = new Map(rows.map((row) => [row.id, row]));
    return claims.map(({ id, epoch }) => {
      const row = byId.get(id);
      return row?.epoch === epoch ? row : undefined;
    });
  }, BATCH);

  return async (claim) => {
    const row = await read(claim);
    if (!row) return undefined;
    if (row.active) return startAttempt(row, secrets, clock.now());
    // As pending it is cancelled with whatever else was scheduled too late.
    await release(db.knex, [claim]);
    return undefined;
  };
}

/** The signed request of an attempt that is to be made now. */
export function startAttempt(row: AttemptRow, secrets: SecretBox, now: Date): StartedAttempt {
  const { id, epoch, endpointId, eventId, eventType, body } = row;
  const attempt = row.attempts + 1;
  const open = (sealed: Buffer) => secrets.open(sealed, endpointId);
  const headers = deliveryHeaders({
    eventId,
    eventType,
    attempt,
    body,
    now,
    secret: open(row.secret),
    previousSecrets: row.previousSecret ? [open(row.previousSecret)] : [],
  });
  const requireHttps = row.environment === 'LIVE';
  return {
    id,
    epoch,
    endpointId,
    endpointClass: row.failing ? 'failing' : 'healthy',
    calm: row.calm,
    createdAt: row.createdAt,
    eventType,
    traceParent: row.traceParent,
    attempt,
    startedAt: now,
    request: { url: row.url, requireHttps, headers, body },
  };
}
