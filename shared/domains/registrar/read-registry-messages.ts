import type { Database } from '../../delivery/unit-of-work/database.ts';
import type { Clock } from '../../platform/clock.ts';
import { type EppClient, question } from '../epp/epp-client.ts';
import { refusedOnly } from '../epp/epp-errors.ts';
import type { PollMessage } from '../epp/epp-objects.ts';
import { drainPollQueue } from '../epp/epp-poll.ts';

import { insertMessage, selectOpenPushOf } from './epp-registrar.store.ts';
import type { RegistryCommands } from './registry-commands.ts';

interface Scope {
  db: Database;
  clock: Clock;
  client: EppClient;
  /** Our account, which names the queue. */
  clientId: string;
  commands: RegistryCommands;
}

/**
 * Reads the registry's messages and keeps each. A transfer that another registrar asks for of a domain that is on its
 * way to a buyer is rejected; others are for the owner to answer. Returns how many messages were taken off the queue.
 */
export function readRegistryMessages(
  scope: Scope,
  options: { limit: number; signal: AbortSignal },
): Promise<number> {
  return drainPollQueue(
    scope.client,
    async (message) => {
      await insertMessage.run(scope.db.knex, {
        registry: scope.clientId,
        id: message.id,
        queuedAt: message.queuedAt,
        text: message.text,
        domain: message.transfer?.name ?? message.action?.name ?? null,
        transferStatus: message.transfer?.status ?? null,
        now: scope.clock.now(),
      });
      await rejectIfSold(scope, message, options.signal);
    },
    options,
  );
}

async function rejectIfSold(
  { db, client, clientId, commands }: Scope,
  { id, transfer }: PollMessage,
  signal: AbortSignal,
): Promise<void> {
  if (transfer?.status !== 'pending' || transfer.acID !== clientId) return;
  const domain = transfer.name;
  if (!(await selectOpenPushOf.first(db.knex, { domain }))) return;
  const latest = await client.findTransfer(domain, question(signal));
  if (latest?.status !== 'pending') return;
  const change = {
    clientReference: `message-${id}`,
    step: 'reject',
    domain,
    ofOpenPush: false,
    signal,
  };
  await commands
    .send(change, (name) => client.endTransfer('reject', domain, name))
    // It is over already.
    .catch(refusedOnly);
}
