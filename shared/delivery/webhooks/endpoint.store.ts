import type { Reseal } from '../../platform/crypto/secrets.ts';
import type { Sql, Tx } from '../../platform/database/postgres.ts';
import type { Endpoint, EndpointHealth, EndpointOwner } from './endpoint.ts';
import { type BreakerState, closedBreaker } from './endpoint-breaker.ts';

/** What a registration writes. */
export interface EndpointSecrets {
  url: string;
  secret: Buffer;
  previousSecret: Buffer | null;
  previousSecretUntil: Date | null;
}

export interface SealedEndpoint extends Endpoint {
  secret: Buffer;
  previousSecret: Buffer | null;
}

const VISIBLE = `id, url, active, disabled_reason as "disabledReason", failing_since as "failingSince",
  last_success_at as "lastSuccessAt", last_failure_at as "lastFailureAt",
  previous_secret_until as "previousSecretUntil", created_at as "createdAt", updated_at as "updatedAt"`;

/** The endpoint, unless it was removed. */
export async function findEndpoint(sql: Sql, owner: EndpointOwner): Promise<Endpoint | undefined> {
  const { rows } = await sql.raw(
    `select ${VISIBLE} from webhook_endpoints
     where partner_id = :partnerId and environment = :environment
       and disabled_reason is distinct from 'removed'`,
    { ...owner },
  );
  return rows[0];
}

/** The endpoint with its sealed secrets, also a removed one, held until the transaction ends. */
export async function lockEndpoint(
  tx: Tx,
  owner: EndpointOwner,
): Promise<SealedEndpoint | undefined> {
  const { rows } = await tx.raw(
    `select ${VISIBLE}, secret_ciphertext as secret, previous_secret_ciphertext as "previousSecret"
     from webhook_endpoints where partner_id = :partnerId and environment = :environment
     for no key update`,
    { ...owner },
  );
  return rows[0];
}

/** False when another registration was first. */
export async function insertEndpoint(
  tx: Tx,
  owner: EndpointOwner,
  endpoint: { id: string; url: string; secret: Buffer; now: Date },
): Promise<boolean> {
  const result = await tx.raw(
    `insert into webhook_endpoints (id, partner_id, environment, url, secret_ciphertext, created_at, updated_at)
     values (:id, :partnerId, :environment, :url, :secret, :now, :now)
     on conflict (partner_id, environment) do nothing`,
    { ...owner, ...endpoint },
  );
  return result.rowCount === 1;
}

/** Gives an endpoint a new target and secret and a clean bill of health. */
export async function replaceEndpoint(
  tx: Tx,
  id: string,
  changes: EndpointSecrets & { createdAt: Date; now: Date },
): Promise<void> {
  await tx.raw(
    `update webhook_endpoints set url = :url, secret_ciphertext = :secret,
       previous_secret_ciphertext = :previousSecret, previous_secret_until = :previousSecretUntil,
       active = true, disabled_reason = null, breaker = null, open_until = null, failing_since = null,
       created_at = :createdAt, updated_at = :now
     where id = :id`,
    { id, ...changes },
  );
}

/** Takes an endpoint out of service and forgets its secrets; the delivery log stays. */
export async function retireEndpoint(
  tx: Tx,
  owner: EndpointOwner,
  now: Date,
): Promise<string | undefined> {
  const { rows } = await tx.raw(
    `update webhook_endpoints set active = false, disabled_reason = 'removed', secret_ciphertext = '',
       previous_secret_ciphertext = null, previous_secret_until = null, updated_at = :now
     where partner_id = :partnerId and environment = :environment
       and disabled_reason is distinct from 'removed'
     returning id`,
    { ...owner, now },
  );
  return rows[0]?.id;
}

/** The health of an endpoint, held until the transaction ends, so that no attempt's outcome is lost. */
export async function lockHealth(
  tx: Tx,
  id: string,
  now: Date,
): Promise<EndpointHealth & { url: string }> {
  const { rows } = await tx.raw(
    `select url, active, disabled_reason as "disabledReason", breaker, open_until as "openUntil",
       failing_since as "failingSince", last_success_at as "lastSuccessAt",
       last_failure_at as "lastFailureAt"
     from webhook_endpoints where id = :id for no key update`,
    { id },
  );
  const { breaker, openUntil, ...health } = rows[0];
  return { ...health, breaker: readBreaker(breaker, openUntil, now) };
}

export async function saveHealth(
  tx: Tx,
  id: string,
  health: EndpointHealth,
  now: Date,
): Promise<void> {
  const { openUntil, ...breaker } = health.breaker;
  await tx.raw(
    `update webhook_endpoints set active = :active, disabled_reason = :disabledReason,
       breaker = :breaker, open_until = :openUntil, failing_since = :failingSince,
       last_success_at = :lastSuccessAt, last_failure_at = :lastFailureAt,
       updated_at = case when active = :active then updated_at else :now end
     where id = :id`,
    { id, now, ...health, breaker: JSON.stringify(breaker), openUntil },
  );
}

type StoredBreaker = { windowStartedAt: string; attempts: number; failures: number; trips: number };

function readBreaker(
  stored: StoredBreaker | null,
  openUntil: Date | null,
  now: Date,
): BreakerState {
  if (stored === null) return closedBreaker(now);
  return { ...stored, windowStartedAt: new Date(stored.windowStartedAt), openUntil };
}

/** The two secrets of an endpoint: the one that signs, and the one that it replaced. */
export type SecretColumn = 'secret_ciphertext' | 'previous_secret_ciphertext';

export interface SealedSecret {
  id: string;
  sealed: Buffer;
}

export async function selectSecrets(
  sql: Sql,
  column: SecretColumn,
  afterId: string,
  limit: number,
): Promise<SealedSecret[]> {
  const { rows } = await sql.raw(
    `select id, ${column} as sealed from webhook_endpoints
     where id > :afterId and ${column} is not null order by id limit :limit`,
    { afterId, limit },
  );
  return rows;
}

/** Replaces ciphertexts that nobody else replaced meanwhile. */
export async function replaceSecrets(
  sql: Sql,
  column: SecretColumn,
  reseals: readonly Reseal<string>[],
): Promise<number> {
  const result = await sql.raw(
    `update webhook_endpoints w set ${column} = r.after
     from unnest(:ids::text[], :befores::bytea[], :afters::bytea[]) as r (id, before, after)
     where w.id = r.id and w.${column} = r.before`,
    {
      ids: reseals.map(({ id }) => id),
      befores: reseals.map(({ before }) => before),
      afters: reseals.map(({ after }) => after),
    },
  );
  return result.rowCount ?? 0;
}
