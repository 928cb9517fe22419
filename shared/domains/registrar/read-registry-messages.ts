import { createHash } from 'node:crypto';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { EppClient } from '../epp/epp-client.ts';
import { refusedOnly } from '../epp/epp-errors.ts';
import type { PollMessage } from '../epp/epp-objects.ts';
import { drainPollQueue, EppQueueBlocked } from '../epp/epp-poll.ts';
import { question } from '../epp/epp-send.ts';
import * as store from './epp-registrar.store.ts';
import { selectOnLegalHold } from './held-domain.store.ts';
import type { TransferNews } from './registrar.ts';
import type { RegistryCommands } from './registry-commands.ts';
import { wordsForStaff } from './registry-notices.ts';

interface Scope {
  db: Database;
  clock: Clock;
  log: Logger;
  client: EppClient;
  /** Our account ID, which identifies the queue. */
  clientId: string;
  commands: RegistryCommands;
  /** `noticed` is called only for domains that need not stay here. */
  news: TransferNews;
}

/**
 * Reads and stores the registry's messages. Keeps the raw response for messages that staff must see: unreadable ones,
 * changes made by the registry, domains that left although they should have stayed (reported to `news.taken`, too), and
 * maintenance. Rejects transfers requested by another registrar for a domain that is being delivered to a buyer, is on
 * legal hold, or belongs to an owner who requested no authorization code. Reports other transfers to `news.noticed`,
 * whose side answers them. A failed check is retried at the next call and blocks no message. Returns how many messages
 * were acknowledged.
 * @throws EppQueueBlocked if the registry refuses to dequeue a message
 */
export async function readRegistryMessages(
  scope: Scope,
  options: { limit: number; signal: AbortSignal },
): Promise<number> {
  const { db, clientId: registry } = scope;
  const left = await store.selectMessagesToCheck.all(db.knex, { registry, limit: options.limit });
  for (const message of left) await checkTransfer(scope, message, options.signal);
  try {
    return await drainPollQueue(
      scope.client,
      (message) => keepMessage(scope, message, options.signal),
      options,
    );
  } catch (error) {
    if (error instanceof EppQueueBlocked) await noteBlocked(scope, error.by);
    throw error;
  }
}

async function keepMessage(scope: Scope, message: PollMessage, signal: AbortSignal): Promise<void> {
  const { db, clock, log, clientId } = scope;
  const { domain, transfer, fault } = message;
  const id = keyOf(message);
  const words = wordsForStaff(message) ?? (await lossInWords(scope, message));
  const toCheck = mayTellOfTransferAway(message, clientId);
  await store.insertMessage.run(db.knex, {
    registry: clientId,
    id,
    queuedAt: message.queuedAt,
    text: message.text,
    domain,
    transferStatus: transfer?.status ?? null,
    fault: words,
    raw: words === null ? null : rawOf(message),
    toCheck,
    now: clock.now(),
  });
  if (fault !== null) log.error({ message: id, fault }, 'a message of the registry was not read');
  if (toCheck && domain !== null) await checkTransfer(scope, { id, domain }, signal);
}

/** Returns whether a message announces, or may hide, a transfer request by another registrar. */
function mayTellOfTransferAway(message: PollMessage, clientId: string): boolean {
  const { domain, transfer, fault } = message;
  if (domain === null) return false;
  if (!transfer) return fault !== null;
  const { status, acID } = transfer;
  return (status === 'pending' || status === null) && (acID === clientId || acID === null);
}

/** Returns what staff must know about a domain that another registrar has now, though it should have stayed. */
async function lossInWords(scope: Scope, message: PollMessage): Promise<string | null> {
  const { domain, transfer } = message;
  if (domain === null || transfer?.acID !== scope.clientId) return null;
  if (transfer.status !== 'serverApproved' && transfer.status !== 'clientApproved') return null;
  if (!(await mustStay(scope, domain))) return null;
  const { reID: registrar } = transfer;
  const isKnown = await scope.news.taken({ domain, registrar });
  const by = registrar === null ? 'Another registrar' : `Another registrar (${registrar})`;
  const told = isKnown ? 'We mailed its owner.' : 'Tell whoever bought or owns it.';
  return `${by} has the domain now, although nobody here allowed it to leave. Ask the registry to undo the transfer. ${told}`;
}

/** Registry IDs are short; a missing or longer ID is replaced by a digest. */
const PLAIN_ID = /^[\x21-\x7e]{1,40}$/;

/** The parts that differ between responses with the same message: transaction IDs and the queue count. */
const OF_THE_ANSWER =
  /<(?:[\w.-]+:)?trID>[\s\S]*?<\/(?:[\w.-]+:)?trID>|<(?:[\w.-]+:)?msgQ(?:\s[^>]*)?>/g;

/** Returns a message's key for our table and for a clTRID, which has at most 64 characters. */
function keyOf({ id, raw }: PollMessage): string {
  if (PLAIN_ID.test(id)) return id;
  const unnamed = Buffer.from(raw).toString('latin1').replace(OF_THE_ANSWER, '');
  return createHash('sha256')
    .update(id === '' ? unnamed : id)
    .digest('hex')
    .slice(0, 40);
}

/** Matches passwords, which are removed from stored messages. */
const PASSWORDS = /(<(?:[\w.-]+:)?pw(?:\s[^>]*)?(?<!\/)>)[\s\S]*?(<\/(?:[\w.-]+:)?pw\s*>|$)/g;

function rawOf({ raw }: PollMessage): Buffer {
  const text = Buffer.from(raw).toString('latin1');
  return Buffer.from(text.replace(PASSWORDS, '$1[removed]$2'), 'latin1');
}

async function noteBlocked({ db, clientId }: Scope, message: PollMessage): Promise<void> {
  await store.updateMessageFault.run(db.knex, {
    registry: clientId,
    id: keyOf(message),
    fault:
      'The registry does not remove this message from its queue. Ask it to: until then, we cannot read later messages.',
    raw: rawOf(message),
  });
}

/** Checks a message for a transfer. Never throws: a failed check is retried. */
async function checkTransfer(
  scope: Scope,
  message: { id: string; domain: string },
  signal: AbortSignal,
): Promise<void> {
  const { db, log, clientId: registry } = scope;
  try {
    if (await mustStay(scope, message.domain)) await reject(scope, message, signal);
    else if (!(await scope.news.noticed(message.domain))) return;
    await store.updateMessageChecked.run(db.knex, { registry, id: message.id });
  } catch (error) {
    log.warn({ err: error, message: message.id }, 'a transfer away was not looked into yet');
  }
}

async function mustStay({ db }: Scope, domain: string): Promise<boolean> {
  const { found: isHeld } = await selectOnLegalHold.one(db.knex, { domain });
  return (
    isHeld ||
    (await store.selectOpenPushOf.first(db.knex, { domain })) !== undefined ||
    (await store.selectKeptByOwner.one(db.knex, { domain })).found
  );
}

async function reject(
  { client, clientId, commands }: Scope,
  { id, domain }: { id: string; domain: string },
  signal: AbortSignal,
): Promise<void> {
  // The domain has this status until the transfer is answered (RFC 5731, section 3.2.4). Transfers to us are elsewhere.
  const info = await client.findDomain(domain, question(signal));
  if (info?.clID !== clientId || !info.statuses.includes('pendingTransfer')) return;
  const change = {
    clientReference: `message-${id}`,
    step: 'reject',
    domain,
    ofOpenPush: false,
    duringLegalHold: true,
    signal,
  };
  await commands
    .send(change, (name) => client.endTransfer('reject', domain, name))
    // The transfer has already ended.
    .catch(refusedOnly);
}
