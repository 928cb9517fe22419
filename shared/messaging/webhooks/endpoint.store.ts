import type { Environment } from '../../platform/config/config.ts';
import type { Reseal } from '../../platform/crypto/secrets.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import { defineStatement, variantsOf } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  boolean,
  bytea,
  integer,
  nothing,
  nullable,
  type ParamsOf,
  present,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import {
  DEFAULT_ENDPOINT,
  type DisabledReason,
  type Ordering,
  type PayloadKind,
} from './endpoint.ts';

const OWNER = { partnerId: text, environment: textOf<Environment>() };

/** Parameters to find an endpoint by name or id. A removed endpoint keeps its row for the log, but is not found. */
const ONE = { ...OWNER, endpoint: text };
const IS_ONE = `partner_id = :partnerId and environment = :environment and :endpoint in (id, name)
      and disabled_reason is distinct from 'removed'`;

const COLUMNS = `id, name, url, event_types as "eventTypes", payload, ordering, max_per_second as "maxPerSecond",
  headers_ciphertext as headers, active, disabled_reason as "disabledReason", failing_since as "failingSince",
  last_success_at as "lastSuccessAt", last_failure_at as "lastFailureAt", open_until as "openUntil",
  previous_secret_until as "previousSecretUntil", created_at as "createdAt", updated_at as "updatedAt"`;
const SETTINGS = {
  name: text,
  url: text,
  eventTypes: nullable(arrayOf(text)),
  payload: textOf<PayloadKind>(),
  ordering: textOf<Ordering>(),
  maxPerSecond: nullable(integer),
  headers: nullable(bytea),
};

const ENDPOINT = {
  id: text,
  ...SETTINGS,
  active: boolean,
  disabledReason: nullable(textOf<DisabledReason>()),
  failingSince: nullable(timestamptz),
  lastSuccessAt: nullable(timestamptz),
  lastFailureAt: nullable(timestamptz),
  openUntil: nullable(timestamptz),
  previousSecretUntil: nullable(timestamptz),
  createdAt: timestamptz,
  updatedAt: timestamptz,
};
/** An endpoint with its sealed headers. */
export type EndpointRow = RowOf<typeof ENDPOINT>;
const SEALED_ENDPOINT = { ...ENDPOINT, secret: bytea, previousSecret: nullable(bytea) };
/** An endpoint with its sealed secrets. */
export type SealedEndpoint = RowOf<typeof SEALED_ENDPOINT>;

/** Selects one endpoint. */
export const selectEndpoint = defineStatement({
  params: ONE,
  row: ENDPOINT,
  text: `select ${COLUMNS} from webhook_endpoints where ${IS_ONE}`,
});

/** Selects an endpoint's URL. */
export const selectEndpointUrl = defineStatement({
  params: ONE,
  row: { url: text },
  text: `select url from webhook_endpoints where ${IS_ONE}`,
});

/** Selects the owner's endpoints with ids below `before`, newest first. */
export const selectEndpoints = defineStatement({
  params: { ...OWNER, before: nullable(text), limit: bigint },
  row: ENDPOINT,
  text: `select ${COLUMNS} from webhook_endpoints
    where partner_id = :partnerId and environment = :environment
      and disabled_reason is distinct from 'removed' and (:before::text is null or id < :before)
    order by id desc limit :limit`,
});

/** Selects the endpoint with its sealed secrets, and locks it until the transaction ends. */
export const selectEndpointForUpdate = defineStatement({
  params: ONE,
  row: SEALED_ENDPOINT,
  text: `select ${COLUMNS}, secret_ciphertext as secret, previous_secret_ciphertext as "previousSecret"
    from webhook_endpoints where ${IS_ONE} for no key update`,
});

/** Serializes the creation of an owner's endpoints until the transaction ends, so that they can be counted. */
export const lockCreation = defineStatement({
  params: OWNER,
  row: { pg_advisory_xact_lock: nothing },
  text: `select pg_advisory_xact_lock(
    hashtextextended('webhook-endpoints/' || :partnerId || '/' || :environment, 0))`,
});

/** Counts an owner's endpoints, without the default one. */
export const countEndpoints = defineStatement({
  params: OWNER,
  row: { count: bigint },
  text: `select count(*) from webhook_endpoints where partner_id = :partnerId and environment = :environment
      and name <> '${DEFAULT_ENDPOINT}' and disabled_reason is distinct from 'removed'`,
});

/** Registers an endpoint; writes no row if the name is taken. */
export const insertEndpoint = defineStatement({
  params: { ...OWNER, ...SETTINGS, id: text, secret: bytea, now: timestamptz },
  text: `insert into webhook_endpoints (id, partner_id, environment, name, url, event_types, payload, ordering,
      max_per_second, headers_ciphertext, secret_ciphertext, created_at, updated_at)
    values (:id, :partnerId, :environment, :name, :url, :eventTypes::text[], :payload, :ordering, :maxPerSecond,
      :headers, :secret, :now, :now)
    on conflict (partner_id, environment, name) where disabled_reason is distinct from 'removed' do nothing`,
});

/**
 * Updates an endpoint's settings; `restart` also closes its breaker and clears its failure state.
 */
export const updateSettings = defineStatement({
  params: {
    ...SETTINGS,
    id: text,
    active: boolean,
    disabledReason: nullable(textOf<DisabledReason>()),
    restart: boolean,
    now: timestamptz,
  },
  text: `update webhook_endpoints set name = :name, url = :url, event_types = :eventTypes::text[],
      payload = :payload, ordering = :ordering, max_per_second = :maxPerSecond, headers_ciphertext = :headers,
      active = :active, disabled_reason = :disabledReason,
      breaker = case when not :restart::boolean then breaker end,
      open_until = case when not :restart::boolean then open_until end,
      failing_since = case when not :restart::boolean then failing_since end,
      updated_at = :now
    where id = :id`,
});

const REGISTRATION = {
  url: text,
  secret: bytea,
  previousSecret: nullable(bytea),
  previousSecretUntil: nullable(timestamptz),
};
/** The columns that a registration writes. */
export type EndpointSecrets = ParamsOf<typeof REGISTRATION>;

/** Gives an endpoint a new URL and secret, and resets its health. */
export const updateRegistration = defineStatement({
  params: { ...REGISTRATION, id: text, now: timestamptz },
  text: `update webhook_endpoints set url = :url, secret_ciphertext = :secret,
      previous_secret_ciphertext = :previousSecret, previous_secret_until = :previousSecretUntil,
      active = true, disabled_reason = null, breaker = null, open_until = null, failing_since = null,
      updated_at = :now
    where id = :id`,
});

/** Gives an endpoint a new secret. */
export const updateSecret = defineStatement({
  params: {
    id: text,
    secret: bytea,
    previousSecret: nullable(bytea),
    previousSecretUntil: nullable(timestamptz),
    now: timestamptz,
  },
  text: `update webhook_endpoints set secret_ciphertext = :secret, previous_secret_ciphertext = :previousSecret,
      previous_secret_until = :previousSecretUntil, updated_at = :now
    where id = :id`,
});

/** Removes an endpoint and deletes its secrets; the delivery log stays. */
export const updateRetired = defineStatement({
  params: { ...ONE, now: timestamptz },
  row: { id: text },
  text: `update webhook_endpoints set active = false, disabled_reason = 'removed', secret_ciphertext = '',
      previous_secret_ciphertext = null, previous_secret_until = null, headers_ciphertext = null,
      updated_at = :now
    where ${IS_ONE} returning id`,
});

const SECRET_COLUMNS = [
  'secret_ciphertext',
  'previous_secret_ciphertext',
  'headers_ciphertext',
] as const;
/** An encrypted column of an endpoint: the signing secret, the previous one, or the custom headers. */
export type SecretColumn = (typeof SECRET_COLUMNS)[number];

/** Selects the ciphertexts of one column, by endpoint id. */
export const selectSecrets = variantsOf(SECRET_COLUMNS, (column) =>
  defineStatement({
    params: { afterId: text, limit: bigint },
    row: {
      id: text,
      sealed:
        column === 'secret_ciphertext'
          ? bytea
          : present(bytea, 'those without one, and removed ones, are left out'),
    },
    text: `select id, ${column} as sealed from webhook_endpoints
      where id > :afterId and ${column} <> '' order by id limit :limit`,
  }),
);

/** Replaces ciphertexts that have not changed meanwhile. */
export const updateSecrets = variantsOf(SECRET_COLUMNS, (column) =>
  defineStatement({
    params: { ids: arrayOf(text), befores: arrayOf(bytea), afters: arrayOf(bytea) },
    text: `update webhook_endpoints w set ${column} = r.after
      from unnest(:ids::text[], :befores::bytea[], :afters::bytea[]) as r (id, before, after)
      where w.id = r.id and w.${column} = r.before`,
  }),
);

/** Replaces ciphertexts that have not changed meanwhile; returns how many it replaced. */
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
