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
  /** The requested path, without the query. */
  path: text,
  status: smallint,
  errorCode: nullable(text),
  elapsedMs: integer,
  /** For a request with an invalid signature: what the server expected the caller to sign. */
  canonicalString: nullable(text),
  createdAt: timestamptz,
};

/** A request in its partner's log. */
export type ApiRequest = RowOf<typeof API_REQUEST>;

const COLUMNS = `id, key_id as "keyId", request_id as "requestId", method, path, status, error_code as "errorCode",
  elapsed_ms as "elapsedMs", canonical_string as "canonicalString", created_at as "createdAt"`;

/** Inserts requests with their keys' partner and environment. Skips unknown keys. Empty strings become null. */
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
 * The SQL that scans for the requests of a page, newest first, in the order of an index. `refused` says whether
 * statuses start at 400, for which there is an index.
 */
const LOOKED_THROUGH = `from api_requests
    where partner_id = :partnerId and environment = :environment
      and (not :refused::boolean or status >= 400)
      and (:requestId::text is null or request_id = :requestId)
      and (:fromId::text is null or id >= :fromId)
      and (:before::text is null or id < :before)
    order by id desc`;

/**
 * Selects requests from `fromId` up to but not including `before`, newest first. Scans at most `lookThrough` requests,
 * because a filter with few matches, such as a part of a path, would scan the whole log. If the scan stops before it
 * has found `limit` requests, the last scanned request follows with `matches` false.
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
  // The second part runs only if the first one has not filled the page.
  text: `(select ${COLUMNS}, true as matches from (select * ${LOOKED_THROUGH} limit :lookThrough) r
      where status between :minStatus::smallint and :maxStatus::smallint
        and (:path::text is null or strpos(path, :path) > 0)
        and (:keyId::text is null or key_id = :keyId)
      order by id desc limit :limit)
    union all
    (select ${COLUMNS}, false ${LOOKED_THROUGH} offset :lookThrough::bigint - 1 limit 1)
    limit :limit`,
});

/** Selects one request of a partner. */
export const selectRequest = defineStatement({
  params: { ...OWNER, id: text },
  row: API_REQUEST,
  text: `select ${COLUMNS} from api_requests
    where partner_id = :partnerId and environment = :environment and id = :id`,
});
