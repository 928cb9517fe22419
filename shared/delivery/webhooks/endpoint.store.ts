import type { Environment } from '../../platform/config/config.ts';
import type { Reseal } from '../../platform/crypto/secrets.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import { defineStatement, variantsOf } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  boolean,
  bytea,
  nullable,
  type ParamsOf,
  present,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import type { DisabledReason } from './endpoint.ts';

const OWNER = { partnerId: text, environment: textOf<Environment>() };

/** An endpoint by its name. One that was removed keeps its row, for the log, but has no name any more. */
const NAMED = { ...OWNER, name: text };
const IS_NAMED = `partner_id = :partnerId and environment = :environment and name = :name
      and disabled_reason is distinct from 'removed'`;

const COLUMNS = `id, name, url, active, disabled_reason as "disabledReason", failing_since as "failingSince",
  last_success_at as "lastSuccessAt", last_failure_at as "lastFailureAt",
  previous_secret_until as "previousSecretUntil", created_at as "createdAt", updated_at as "updatedAt"`;
const ENDPOINT = {
  id: text,
  name: text,
  url: text,
  active: boolean,
  disabledReason: nullable(textOf<DisabledReason>()),
  failingSince: nullable(timestamptz),
  lastSuccessAt: nullable(timestamptz),
  lastFailureAt: nullable(timestamptz),
  previousSecretUntil: nullable(timestamptz),
  createdAt: timestamptz,
  updatedAt: timestamptz,
};
const SEALED_ENDPOINT = { ...ENDPOINT, secret: bytea, previousSecret: nullable(bytea) };
/** An endpoint with its sealed secrets. */
export type SealedEndpoint = RowOf<typeof SEALED_ENDPOINT>;

/** The endpoint of a name. */
export const selectEndpointByName = defineStatement({
  params: NAMED,
  row: ENDPOINT,
  text: `select ${COLUMNS} from webhook_endpoints where ${IS_NAMED}`,
});

/** The endpoint of a name with its sealed secrets, held until the transaction ends. */
export const selectEndpointForUpdate = defineStatement({
  params: NAMED,
  row: SEALED_ENDPOINT,
  text: `select ${COLUMNS}, secret_ciphertext as secret, previous_secret_ciphertext as "previousSecret"
    from webhook_endpoints where ${IS_NAMED} for no key update`,
});

/** Registers an endpoint; no row is written when another registration was first. */
export const insertEndpoint = defineStatement({
  params: { ...NAMED, id: text, url: text, secret: bytea, now: timestamptz },
  text: `insert into webhook_endpoints
      (id, partner_id, environment, name, url, secret_ciphertext, created_at, updated_at)
    values (:id, :partnerId, :environment, :name, :url, :secret, :now, :now)
    on conflict (partner_id, environment, name) where disabled_reason is distinct from 'removed' do nothing`,
});

const REGISTRATION = {
  url: text,
  secret: bytea,
  previousSecret: nullable(bytea),
  previousSecretUntil: nullable(timestamptz),
};
/** What a registration writes. */
export type EndpointSecrets = ParamsOf<typeof REGISTRATION>;

/** Gives an endpoint a new target and secret and a clean bill of health. */
export const updateRegistration = defineStatement({
  params: { ...REGISTRATION, id: text, now: timestamptz },
  text: `update webhook_endpoints set url = :url, secret_ciphertext = :secret,
      previous_secret_ciphertext = :previousSecret, previous_secret_until = :previousSecretUntil,
      active = true, disabled_reason = null, breaker = null, open_until = null, failing_since = null,
      updated_at = :now
    where id = :id`,
});

/** Takes an endpoint out of service and forgets its secrets; the delivery log stays. */
export const updateRetired = defineStatement({
  params: { ...NAMED, now: timestamptz },
  row: { id: text },
  text: `update webhook_endpoints set active = false, disabled_reason = 'removed', secret_ciphertext = '',
      previous_secret_ciphertext = null, previous_secret_until = null, headers_ciphertext = null,
      updated_at = :now
    where ${IS_NAMED} returning id`,
});

const SECRET_COLUMNS = ['secret_ciphertext', 'previous_secret_ciphertext'] as const;
/** The two secrets of an endpoint: the one that signs, and the one that it replaced. */
export type SecretColumn = (typeof SECRET_COLUMNS)[number];

/** The sealed secrets of one column, by the ids of their endpoints. */
export const selectSecrets = variantsOf(SECRET_COLUMNS, (column) =>
  defineStatement({
    params: { afterId: text, limit: bigint },
    row: {
      id: text,
      sealed:
        column === 'secret_ciphertext' ? bytea : present(bytea, 'those without one are left out'),
    },
    text: `select id, ${column} as sealed from webhook_endpoints
      where id > :afterId and ${column} is not null order by id limit :limit`,
  }),
);

/** Replaces ciphertexts that nobody else replaced meanwhile. */
export const updateSecrets = variantsOf(SECRET_COLUMNS, (column) =>
  defineStatement({
    params: { ids: arrayOf(text), befores: arrayOf(bytea), afters: arrayOf(bytea) },
    text: `update webhook_endpoints w set ${column} = r.after
      from unnest(:ids::text[], :befores::bytea[], :afters::bytea[]) as r (id, before, after)
      where w.id = r.id and w.${column} = r.before`,
  }),
);

/** Replaces ciphertexts that nobody else replaced meanwhile; returns how many that were. */
export function replaceSecrets(
  sql: Sql,
  column: SecretColumn,
  reseals: readonly Reseal<string>[],
): Promise<number> {
  return updateSecrets[column].run(sql, {
    ids: reseals.map(({ id }) => id),
    befores: reseals.map(({ before }) => before),
    afters: reseals.map(({ after }) => after),
  });
}
