import type { Environment } from '../../platform/config/config.ts';
import { defineStatement } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  boolean,
  integer,
  nullable,
  type RowOf,
  smallint,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';

const API_REQUEST = {
  id: text,
  keyId: text,
  requestId: text,
  method: text,
  /** As it was asked for, without the query. */
  path: text,
  status: smallint,
  errorCode: nullable(text),
  elapsedMs: integer,
  /** What the server expected the caller to sign, of a request with an invalid signature. */
  canonicalString: nullable(text),
  createdAt: timestamptz,
};

/** A request as the log of its partner keeps it. */
export type ApiRequest = RowOf<typeof API_REQUEST>;

const COLUMNS = `id, key_id as "keyId", request_id as "requestId", method, path, status, error_code as "errorCode",
  elapsed_ms as "elapsedMs", canonical_string as "canonicalString", created_at as "createdAt"`;

/** Keeps requests under the partner and environment of their keys; of keys that do not exist, nothing. Empty text is null. */
export const insertRequests = defineStatement({
  params: {
    ids: arrayOf(text),
    keyIds: arrayOf(text),
    requestIds: arrayOf(text),
    methods: arrayOf(text),
    paths: arrayOf(text),
    statuses: arrayOf(smallint),
    errorCodes: arrayOf(text),
    elapsedMs: arrayOf(integer),
    canonicalStrings: arrayOf(text),
    createdAts: arrayOf(timestamptz),
  },
  text: `insert into api_requests (id, partner_id, environment, key_id, request_id, method, path, status, error_code,
      elapsed_ms, canonical_string, created_at)
    select r.id, c.partner_id, c.environment, c.key_id, r.request_id, r.method, r.path, r.status,
      nullif(r.error_code, ''), r.elapsed_ms, nullif(r.canonical_string, ''), r.created_at
    from unnest(:ids::text[], :keyIds::text[], :requestIds::text[], :methods::text[], :paths::text[],
        :statuses::smallint[], :errorCodes::text[], :elapsedMs::integer[], :canonicalStrings::text[],
        :createdAts::timestamptz[])
      as r (id, key_id, request_id, method, path, status, error_code, elapsed_ms, canonical_string, created_at)
    join credentials c on c.key_id = r.key_id`,
  plan: 'once',
});

const OWNER = { partnerId: text, environment: textOf<Environment>() };

/**
 * Where the requests of a page are looked for, newest first: by an index, whose order is theirs. `refused` says whether
 * statuses start at 400: those have an index.
 */
const LOOKED_THROUGH = `from api_requests
    where partner_id = :partnerId and environment = :environment
      and (not :refused::boolean or status >= 400)
      and (:requestId::text is null or request_id = :requestId)
      and (:fromId::text is null or id >= :fromId)
      and (:before::text is null or id < :before)
    order by id desc`;

/**
 * Requests of `fromId` up to, and without, `before`, newest first, among as many as are looked through: what fits few of
 * them, such as a part of a path, would be looked for in the whole log. Where that ends before `limit` were found, the
 * last one that was looked at follows, and is no match.
 */
export const selectRequests = defineStatement({
  params: {
    ...OWNER,
    minStatus: smallint,
    maxStatus: smallint,
    refused: boolean,
    path: nullable(text),
    keyId: nullable(text),
    requestId: nullable(text),
    fromId: nullable(text),
    before: nullable(text),
    lookThrough: bigint,
    limit: bigint,
  },
  row: { ...API_REQUEST, matches: boolean },
  // The second part is read only while the first one has not filled the page.
  text: `(select ${COLUMNS}, true as matches from (select * ${LOOKED_THROUGH} limit :lookThrough) r
      where status between :minStatus::smallint and :maxStatus::smallint
        and (:path::text is null or strpos(path, :path) > 0)
        and (:keyId::text is null or key_id = :keyId)
      order by id desc limit :limit)
    union all
    (select ${COLUMNS}, false ${LOOKED_THROUGH} offset :lookThrough::bigint - 1 limit 1)
    limit :limit`,
});

/** One request of the partner. */
export const selectRequest = defineStatement({
  params: { ...OWNER, id: text },
  row: API_REQUEST,
  text: `select ${COLUMNS} from api_requests
    where partner_id = :partnerId and environment = :environment and id = :id`,
});
