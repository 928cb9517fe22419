import { addMs, type Clock, HOUR } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import {
  type Resealed,
  resealColumn,
  type SecretBox,
  timingSafeEqualStrings,
} from '../../platform/crypto/secrets.ts';
import { conflict, type FieldError, fail, invalid } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { idOf, type Page, readPage } from '../../platform/page.ts';
import type { Database } from '../unit-of-work/database.ts';
import type { UnitOfWork } from '../unit-of-work/unit-of-work.ts';
import { updatePendingCancelled } from './delivery.store.ts';
import { changedTopic } from './delivery-pool.ts';
import {
  countEndpoints,
  type EndpointRow,
  type EndpointSecrets,
  insertEndpoint,
  lockCreation,
  replaceSecrets,
  type SealedEndpoint,
  type SecretColumn,
  selectEndpoint,
  selectEndpointForUpdate,
  selectEndpoints,
  selectSecrets,
  updateRegistration,
  updateRetired,
  updateSecret,
  updateSettings,
} from './endpoint.store.ts';
import {
  DEFAULT_ENDPOINT,
  type Endpoint,
  type EndpointOwner,
  type EndpointSettings,
  MAX_ENDPOINTS,
} from './endpoint.ts';
import {
  type HeadersInput,
  makeSecret,
  mergeHeaders,
  namedSecretFaults,
  secretFaults,
  settingsFaults,
  urlFaults,
} from './endpoint-settings.ts';
import { hastenDelivery } from './schedule-deliveries.ts';

export interface RegisterRuntime {
  db: Database;
  clock: Clock;
  config: Config;
  secrets: SecretBox;
}

/**
 * Registers the partner's default endpoint in an environment, or replaces and re-activates it. A replaced secret keeps
 * signing `webhook-signature` along with the new one for a while. Old events are not sent.
 * @throws validation_error for an unusable url or secret
 */
export async function registerEndpoint(
  runtime: RegisterRuntime,
  owner: EndpointOwner,
  input: { url: string; secret: string },
): Promise<Pick<Endpoint, 'url' | 'active' | 'createdAt'>> {
  refuse([...urlFaults(input.url, owner, runtime.config), ...secretFaults(input.secret)]);
  const now = runtime.clock.now();
  const createdAt = await runtime.db.transactFor(owner.partnerId, (uow) =>
    upsertEndpoint(uow, runtime, owner, { ...input, now }),
  );
  return { url: input.url, active: true, createdAt };
}

/** The settings of an endpoint registered with only a URL and a secret. */
const PLAIN = {
  eventTypes: null,
  payload: 'full',
  ordering: 'none',
  maxPerSecond: null,
  headers: null,
} as const;

async function upsertEndpoint(
  uow: UnitOfWork,
  runtime: RegisterRuntime,
  { partnerId, environment }: EndpointOwner,
  input: { url: string; secret: string; now: Date },
): Promise<Date> {
  const { url, secret, now } = input;
  const owner = { partnerId, environment };
  const one = { ...owner, endpoint: DEFAULT_ENDPOINT };
  let existing = await selectEndpointForUpdate.first(uow.sql, one);
  if (!existing) {
    const id = newId('webhookEndpoint', now);
    const sealed = runtime.secrets.seal(secret, id);
    const row = { ...PLAIN, ...owner, id, name: DEFAULT_ENDPOINT, url, secret: sealed, now };
    if ((await insertEndpoint.run(uow.sql, row)) > 0) return now;
    existing = await selectEndpointForUpdate.first(uow.sql, one);
  }
  if (!existing) throw new Error('a webhook endpoint vanished while it was registered');
  const overlapMs = runtime.config.webhookRotationHours * HOUR;
  const secrets = nextSecrets(runtime, existing, { secret, now, overlapMs });
  await updateRegistration.send(uow.pipeline, { ...secrets, id: existing.id, url, now });
  await hastenDelivery(uow, owner, existing.id);
  return existing.createdAt;
}

/** Checks the endpoint limit; the default endpoint does not count. @throws conflict (too_many_endpoints) */
async function refuseTooMany(uow: UnitOfWork, owner: EndpointOwner): Promise<void> {
  const { count } = await countEndpoints.one(uow.sql, owner);
  if (count < MAX_ENDPOINTS) return;
  throw conflict(
    'too_many_endpoints',
    `You have ${MAX_ENDPOINTS} webhook endpoints in this environment already, beside that of PUT /webhooks. Remove one first.`,
  );
}

/** Returns the secrets to store. Sending the current secret again is no rotation: the previous one stays valid. */
function nextSecrets(
  { secrets }: RegisterRuntime,
  existing: SealedEndpoint,
  input: { secret: string; now: Date; overlapMs: number },
): Omit<EndpointSecrets, 'url'> {
  const secret = secrets.seal(input.secret, existing.id);
  if (timingSafeEqualStrings(input.secret, secrets.open(existing.secret, existing.id))) {
    const { previousSecret, previousSecretUntil } = existing;
    return { secret, previousSecret, previousSecretUntil };
  }
  return {
    secret,
    previousSecret: existing.secret,
    previousSecretUntil: addMs(input.now, input.overlapMs),
  };
}

/** A partner's settings for an endpoint. Omitted ones keep their value, or get the defaults of `PUT /webhooks`. */
export interface EndpointInput extends Partial<EndpointSettings> {
  headers?: HeadersInput;
  /** False pauses the endpoint and cancels its pending deliveries; true re-activates it. */
  active?: boolean;
}

/** An endpoint with the names of its custom headers. */
export interface NamedEndpoint extends Endpoint {
  headerNames: readonly string[];
}

/**
 * Creates an additional endpoint. Its name defaults to its id, and its secret to a generated one. The secret is
 * returned only this once. Old events are not sent.
 * @throws validation_error, conflict (already_exists, too_many_endpoints)
 */
export async function createEndpoint(
  runtime: RegisterRuntime,
  { partnerId, environment }: EndpointOwner,
  input: EndpointInput & { url: string; secret?: string | undefined },
  id = newId('webhookEndpoint', runtime.clock.now()),
): Promise<{ endpoint: NamedEndpoint; secret: string }> {
  const { db, config, secrets } = runtime;
  const owner = { partnerId, environment };
  const { headers: givenHeaders = {}, active: _, secret = makeSecret(), ...given } = input;
  const { headers, faults } = mergeHeaders(givenHeaders, {});
  const settings = { ...PLAIN, name: id, ...given };
  refuse([
    ...urlFaults(input.url, owner, config),
    ...namedSecretFaults(secret),
    ...settingsFaults(settings, null),
    ...faults,
  ]);
  await db.transactFor(partnerId, async (uow) => {
    await lockCreation.send(uow.pipeline, owner);
    await refuseTooMany(uow, owner);
    const sealed = { headers: seal(secrets, id, headers), secret: secrets.seal(secret, id) };
    const row = { ...settings, ...owner, ...sealed, id, now: uow.now };
    if ((await insertEndpoint.run(uow.sql, row)) === 0) throw nameTaken(settings.name);
  });
  return { endpoint: await readEndpoint(runtime, owner, id), secret };
}

/**
 * Updates the given settings. A new URL, unless the endpoint is paused, or `active: true` re-activates a disabled
 * endpoint with its breaker closed; a replay can send the events it missed. A new ordering applies to new events only.
 * @throws not_found, validation_error, conflict (already_exists)
 */
export async function updateEndpoint(
  runtime: RegisterRuntime,
  owner: EndpointOwner,
  endpointId: string,
  { headers: givenHeaders, active, ...given }: EndpointInput,
): Promise<NamedEndpoint> {
  const { db, config, secrets } = runtime;
  await db.transactFor(owner.partnerId, async (uow) => {
    const before = await lockEndpoint(uow, owner, endpointId);
    const { headers: known, ...settings } = { ...before, ...given };
    const own = openHeaders(secrets, before);
    const { headers, faults } = mergeHeaders(givenHeaders ?? own, own);
    refuse([
      ...(given.url === undefined ? [] : urlFaults(given.url, owner, config)),
      ...settingsFaults(settings, before),
      ...faults,
    ]);
    const restart = active ?? (settings.url !== before.url && before.disabledReason !== 'paused');
    const service =
      active === false
        ? { active: false, disabledReason: before.disabledReason ?? ('paused' as const) }
        : restart
          ? { active: true, disabledReason: null }
          : { active: before.active, disabledReason: before.disabledReason };
    const { id } = before;
    const sealed = givenHeaders === undefined ? known : seal(secrets, id, headers);
    const row = { ...settings, ...service, headers: sealed, restart, now: uow.now };
    if (settings.name !== before.name) await refuseTakenName(uow, owner, settings.name);
    await updateSettings.send(uow.pipeline, row);
    if (before.active && !service.active) {
      await updatePendingCancelled.send(uow.pipeline, { endpointId: id, now: uow.now });
    }
    await hastenDelivery(uow, owner, id);
  });
  return readEndpoint(runtime, owner, endpointId);
}

/**
 * Gives an endpoint a new secret, generated unless given, and returns it only this once. The previous secret keeps
 * signing `webhook-signature` for `overlapHours` (default WEBHOOK_ROTATION_HOURS); 0 revokes it at once.
 * @throws not_found, validation_error
 */
export async function rotateSecret(
  runtime: RegisterRuntime,
  owner: EndpointOwner,
  endpointId: string,
  input: { secret?: string | undefined; overlapHours?: number | undefined },
): Promise<{ endpoint: NamedEndpoint; secret: string }> {
  const { db, config } = runtime;
  const { secret = makeSecret(), overlapHours = config.webhookRotationHours } = input;
  refuse(namedSecretFaults(secret));
  await db.transactFor(owner.partnerId, async (uow) => {
    const before = await lockEndpoint(uow, owner, endpointId);
    const { id } = before;
    const overlap = { secret, now: uow.now, overlapMs: overlapHours * HOUR };
    const next = nextSecrets(runtime, before, overlap);
    const kept =
      overlapHours > 0 ? next : { ...next, previousSecret: null, previousSecretUntil: null };
    await updateSecret.send(uow.pipeline, { ...kept, id, now: uow.now });
    uow.wake([changedTopic(id)]);
  });
  return { endpoint: await readEndpoint(runtime, owner, endpointId), secret };
}

async function lockEndpoint(
  uow: UnitOfWork,
  { partnerId, environment }: EndpointOwner,
  endpoint: string,
): Promise<SealedEndpoint> {
  const found = await selectEndpointForUpdate.first(uow.sql, { partnerId, environment, endpoint });
  if (!found) throw endpointNotFound(endpoint);
  return found;
}

function refuse(faults: readonly FieldError[]): void {
  if (faults.length > 0) throw invalid(faults);
}

/** @throws conflict (already_exists) */
async function refuseTakenName(
  uow: UnitOfWork,
  { partnerId, environment }: EndpointOwner,
  endpoint: string,
): Promise<void> {
  await lockCreation.send(uow.pipeline, { partnerId, environment });
  const found = await selectEndpoint.first(uow.sql, { partnerId, environment, endpoint });
  if (found) throw nameTaken(endpoint);
}

function nameTaken(name: string) {
  return conflict('already_exists', `You have an endpoint named ${name} already.`);
}

function seal(secrets: SecretBox, id: string, headers: Record<string, string>): Buffer | null {
  return Object.keys(headers).length === 0 ? null : secrets.seal(JSON.stringify(headers), id);
}

function openHeaders(
  secrets: SecretBox,
  { id, headers }: Pick<EndpointRow, 'id' | 'headers'>,
): Record<string, string> {
  return headers === null ? {} : JSON.parse(secrets.open(headers, id));
}

/** Returns the names of an endpoint's custom headers. */
export function headerNamesOf(
  secrets: SecretBox,
  endpoint: Pick<EndpointRow, 'id' | 'headers'>,
): string[] {
  return Object.keys(openHeaders(secrets, endpoint));
}

/** The services needed to read an endpoint. */
export type ReadRuntime = Pick<RegisterRuntime, 'db' | 'clock' | 'secrets'>;

/**
 * Returns one of the partner's endpoints and its health, by id or name.
 * @throws not_found if there is none
 */
export async function readEndpoint(
  runtime: ReadRuntime,
  { partnerId, environment }: EndpointOwner,
  endpoint = DEFAULT_ENDPOINT,
): Promise<NamedEndpoint> {
  const one = { partnerId, environment, endpoint };
  const found = await selectEndpoint.first(runtime.db.knex, one);
  if (!found) throw endpointNotFound(endpoint);
  return toEndpoint(runtime, found);
}

/**
 * Returns what the audit trail keeps of an endpoint, by id or name: no secrets. Null if there is none.
 */
export async function endpointSnapshot(
  { sql }: UnitOfWork,
  secrets: SecretBox,
  { partnerId, environment }: EndpointOwner,
  endpoint: string,
): Promise<Readonly<Record<string, unknown>> | null> {
  const found = await selectEndpoint.first(sql, { partnerId, environment, endpoint });
  if (!found) return null;
  return {
    endpoint: found.id,
    environment,
    name: found.name,
    url: found.url,
    active: found.active,
    event_types: found.eventTypes,
    payload: found.payload,
    ordering: found.ordering,
    max_per_second: found.maxPerSecond,
    headers: headerNamesOf(secrets, found),
    overlap_until: found.previousSecretUntil?.toISOString() ?? null,
  };
}

/** Returns a page of the partner's endpoints, newest first. */
export async function listEndpoints(
  runtime: ReadRuntime,
  { partnerId, environment }: EndpointOwner,
  { before, limit }: { before: string | null; limit: number },
): Promise<Page<NamedEndpoint>> {
  const read = (limit: number) =>
    selectEndpoints.all(runtime.db.knex, { partnerId, environment, before, limit });
  const { rows, next } = await readPage(limit, read, idOf);
  return { rows: rows.map((row) => toEndpoint(runtime, row)), next };
}

function toEndpoint(
  { clock, secrets }: ReadRuntime,
  { headers, ...row }: EndpointRow,
): NamedEndpoint {
  const headerNames = headerNamesOf(secrets, { id: row.id, headers });
  const { previousSecretUntil } = row;
  const overlapping = previousSecretUntil !== null && previousSecretUntil > clock.now();
  return { ...row, headerNames, previousSecretUntil: overlapping ? previousSecretUntil : null };
}

/** Builds the not_found error for an endpoint with this id or name, or for a missing default endpoint. */
export function endpointNotFound(endpoint?: string) {
  const message =
    endpoint === DEFAULT_ENDPOINT
      ? 'No webhook endpoint is registered for this environment.'
      : 'No webhook endpoint in this environment has this ID.';
  return fail('not_found', { message });
}

/**
 * Removes an endpoint, by id or name, and cancels its pending deliveries.
 * @throws not_found if there is none
 */
export async function removeEndpoint(
  { db, clock }: { db: Database; clock: Clock },
  { partnerId, environment }: EndpointOwner,
  endpoint = DEFAULT_ENDPOINT,
): Promise<void> {
  const now = clock.now();
  await db.transactFor(partnerId, async (uow) => {
    const one = { partnerId, environment, endpoint };
    const retired = await updateRetired.first(uow.sql, { ...one, now });
    if (!retired) throw endpointNotFound(endpoint);
    await updatePendingCancelled.send(uow.pipeline, { endpointId: retired.id, now });
    uow.wake([changedTopic(retired.id)]);
  });
}

/** Re-encrypts the secrets and custom headers of all endpoints with the current key. Safe to run in parallel. */
export async function resealEndpoints({
  db,
  secrets,
}: {
  db: Database;
  secrets: SecretBox;
}): Promise<Resealed> {
  const reseal = (column: SecretColumn) =>
    resealColumn<string>(secrets, {
      async read(afterId = '', limit) {
        const rows = await selectSecrets[column].all(db.knex, { afterId, limit });
        return rows.map((row) => ({ ...row, context: row.id }));
      },
      replace: (reseals) => replaceSecrets(db.knex, column, reseals),
    });
  // The order matters: a secret that is replaced meanwhile becomes the previous one, and is re-encrypted there.
  const present = await reseal('secret_ciphertext');
  const previous = await reseal('previous_secret_ciphertext');
  const headers = await reseal('headers_ciphertext');
  return {
    resealed: present.resealed + previous.resealed + headers.resealed,
    unreadable: present.unreadable + previous.unreadable + headers.unreadable,
  };
}
