import { addMs, type Clock, HOUR } from '../../platform/clock.ts';
import type { Config } from '../../platform/config/config.ts';
import {
  type Resealed,
  resealColumn,
  type SecretBox,
  timingSafeEqualStrings,
} from '../../platform/crypto/secrets.ts';
import { type FieldError, fail, invalid } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { describeForbiddenTarget } from '../../platform/outbound/http-client.ts';
import type { Database } from '../unit-of-work/database.ts';
import type { UnitOfWork } from '../unit-of-work/unit-of-work.ts';
import { updatePendingCancelled } from './delivery.store.ts';
import {
  type EndpointSecrets,
  insertEndpoint,
  replaceSecrets,
  type SealedEndpoint,
  type SecretColumn,
  selectEndpointByName,
  selectEndpointForUpdate,
  selectSecrets,
  updateRegistration,
  updateRetired,
} from './endpoint.store.ts';
import { DEFAULT_ENDPOINT, type Endpoint, type EndpointOwner } from './endpoint.ts';
import { describeUnusableSecret } from './webhook-signature.ts';

export interface RegisterRuntime {
  db: Database;
  clock: Clock;
  config: Config;
  secrets: SecretBox;
}

export const MAX_URL_LENGTH = 2_048;
export const MIN_SECRET_LENGTH = 16;
export const MAX_SECRET_LENGTH = 256;

/**
 * Registers the partner's endpoint of an environment, or replaces and re-activates it. A replaced secret
 * goes on signing `webhook-signature` beside the new one for a while. Old events are not sent.
 * @throws validation_error for an unusable url or secret
 */
export async function registerEndpoint(
  runtime: RegisterRuntime,
  owner: EndpointOwner,
  input: { url: string; secret: string },
): Promise<Pick<Endpoint, 'url' | 'active' | 'createdAt'>> {
  refuseUnusable(runtime.config, owner, input);
  const now = runtime.clock.now();
  const createdAt = await runtime.db.transactFor(owner.partnerId, (uow) =>
    upsertEndpoint(uow, runtime, owner, { ...input, now }),
  );
  return { url: input.url, active: true, createdAt };
}

async function upsertEndpoint(
  uow: UnitOfWork,
  runtime: RegisterRuntime,
  { partnerId, environment }: EndpointOwner,
  input: { url: string; secret: string; now: Date },
): Promise<Date> {
  const { url, secret, now } = input;
  const named = { partnerId, environment, name: DEFAULT_ENDPOINT };
  let existing = await selectEndpointForUpdate.first(uow.sql, named);
  if (!existing) {
    const id = newId('webhookEndpoint', now);
    const sealed = runtime.secrets.seal(secret, id);
    const written = await insertEndpoint.run(uow.sql, { ...named, id, url, secret: sealed, now });
    if (written > 0) return now;
    existing = await selectEndpointForUpdate.first(uow.sql, named);
  }
  if (!existing) throw new Error('a webhook endpoint vanished while it was registered');
  const secrets = nextSecrets(runtime, existing, input);
  await updateRegistration.run(uow.sql, { ...secrets, id: existing.id, url, now });
  return existing.createdAt;
}

/** The same secret again is no rotation: a receiver that still needs the one before keeps it. */
function nextSecrets(
  { config, secrets }: RegisterRuntime,
  existing: SealedEndpoint,
  input: { secret: string; now: Date },
): Omit<EndpointSecrets, 'url'> {
  const secret = secrets.seal(input.secret, existing.id);
  if (timingSafeEqualStrings(input.secret, secrets.open(existing.secret, existing.id))) {
    const { previousSecret, previousSecretUntil } = existing;
    return { secret, previousSecret, previousSecretUntil };
  }
  return {
    secret,
    previousSecret: existing.secret,
    previousSecretUntil: addMs(input.now, config.webhookRotationHours * HOUR),
  };
}

function refuseUnusable(
  config: Config,
  owner: EndpointOwner,
  input: { url: string; secret: string },
): void {
  const url =
    input.url.length > MAX_URL_LENGTH
      ? `must not be longer than ${MAX_URL_LENGTH} characters`
      : describeForbiddenTarget(input.url, {
          allowPrivate: config.webhookAllowPrivate,
          requireHttps: owner.environment === 'LIVE',
        });
  const length = [...input.secret].length;
  const secret =
    length < MIN_SECRET_LENGTH || length > MAX_SECRET_LENGTH
      ? `must have ${MIN_SECRET_LENGTH} to ${MAX_SECRET_LENGTH} characters`
      : describeUnusableSecret(input.secret);
  const faults: FieldError[] = [];
  if (url !== null) faults.push({ path: '/url', message: url });
  if (secret !== null) faults.push({ path: '/secret', message: secret });
  if (faults.length > 0) throw invalid(faults);
}

/** The partner's endpoint and its health. @throws not_found when none is registered */
export async function readEndpoint(
  { db, clock }: { db: Database; clock: Clock },
  { partnerId, environment }: EndpointOwner,
): Promise<Endpoint> {
  const named = { partnerId, environment, name: DEFAULT_ENDPOINT };
  const endpoint = await selectEndpointByName.first(db.knex, named);
  if (!endpoint) throw endpointNotFound();
  const { previousSecretUntil } = endpoint;
  const overlapping = previousSecretUntil !== null && previousSecretUntil > clock.now();
  return { ...endpoint, previousSecretUntil: overlapping ? previousSecretUntil : null };
}

/** The answer where there is no endpoint to speak of. */
export function endpointNotFound() {
  return fail('not_found', { message: 'No webhook endpoint is registered for this environment.' });
}

/** Removes the endpoint `default` and cancels what was still to be sent. @throws not_found when none is registered */
export async function removeEndpoint(
  { db, clock }: { db: Database; clock: Clock },
  { partnerId, environment }: EndpointOwner,
): Promise<void> {
  const now = clock.now();
  await db.transactFor(partnerId, async (uow) => {
    const named = { partnerId, environment, name: DEFAULT_ENDPOINT };
    const retired = await updateRetired.first(uow.sql, { ...named, now });
    if (!retired) throw endpointNotFound();
    await updatePendingCancelled.run(uow.sql, { endpointId: retired.id, now });
  });
}

/** Seals the signing secrets of all endpoints with the present key. May run twice at once. */
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
  // In this order: a secret that is replaced meanwhile becomes the previous one, and is met there.
  const present = await reseal('secret_ciphertext');
  const previous = await reseal('previous_secret_ciphertext');
  return {
    resealed: present.resealed + previous.resealed,
    unreadable: present.unreadable + previous.unreadable,
  };
}
