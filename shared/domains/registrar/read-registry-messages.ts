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
import type { TransferNoticed } from './registrar.ts';
import type { RegistryCommands } from './registry-commands.ts';
import { wordsForStaff } from './registry-notices.ts';

interface Scope {
  db: Database;
  clock: Clock;
  log: Logger;
  client: EppClient;
  /** Our account, which names the queue. */
  clientId: string;
  commands: RegistryCommands;
  /** Told of each domain that another registrar may ask for, and that is not kept here. */
  noticed: TransferNoticed;
}

/**
 * Reads the registry's messages and keeps each, with its raw answer when staff have to know of it: it could not be
 * read, or tells of what the registry changed or of maintenance. A transfer that another registrar asks for of a domain
 * that is on its way to a buyer, on legal hold, or an owner's who asked for no authorization code, is rejected; whoever
 * gave a code out is told of the others, and answers them. What goes wrong with that is tried again at the next call: it
 * holds up no message. Returns how many messages were taken off the queue.
 * @throws EppQueueBlocked when the registry does not let a message be taken off
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
  const words = wordsForStaff(message);
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

/** Whether a message tells, or hides, that another registrar asks for a domain. */
function mayTellOfTransferAway(message: PollMessage, clientId: string): boolean {
  const { domain, transfer, fault } = message;
  if (domain === null) return false;
  if (!transfer) return fault !== null;
  const { status, acID } = transfer;
  return (status === 'pending' || status === null) && (acID === clientId || acID === null);
}

/** Ids of registries are short; a longer one, or none, is named by what it stands for. */
const PLAIN_ID = /^[\x21-\x7e]{1,40}$/;

/** What differs in another answer that brings the same message: the names of the answer, and how many wait. */
const OF_THE_ANSWER =
  /<(?:[\w.-]+:)?trID>[\s\S]*?<\/(?:[\w.-]+:)?trID>|<(?:[\w.-]+:)?msgQ(?:\s[^>]*)?>/g;

/** The message's key in our table and in the name of a command, which has at most 64 characters. */
function keyOf({ id, raw }: PollMessage): string {
  if (PLAIN_ID.test(id)) return id;
  const unnamed = Buffer.from(raw).toString('latin1').replace(OF_THE_ANSWER, '');
  return createHash('sha256')
    .update(id === '' ? unnamed : id)
    .digest('hex')
    .slice(0, 40);
}

/** An authorization code is nobody's to read in what we keep. */
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
      'The registry does not take this message off its queue: ask it to. No later message is read until then.',
    raw: rawOf(message),
  });
}

/** Never throws: a message that could not be looked into is looked into again. */
async function checkTransfer(
  scope: Scope,
  message: { id: string; domain: string },
  signal: AbortSignal,
): Promise<void> {
  const { db, log, clientId: registry } = scope;
  try {
    if (await mustStay(scope, message.domain)) await reject(scope, message, signal);
    else if (!(await scope.noticed(message.domain))) return;
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
  // RFC 5731, section 3.2.4: it has this status until the transfer is answered. One to us is of a domain elsewhere.
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
    // It is over already.
    .catch(refusedOnly);
}
