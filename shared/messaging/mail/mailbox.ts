import { fail } from '../../platform/errors.ts';
import type { Database } from '../unit-of-work/database.ts';
import {
  type MailboxEntry,
  type MailboxMessage,
  selectMailboxMessage,
  selectMailboxMessages,
} from './mailbox.store.ts';

export type { MailboxEntry, MailboxMessage };

/** Returns the messages in the development mailbox, newest first. */
export function listMailbox({ db }: { db: Database }, limit: number): Promise<MailboxEntry[]> {
  return selectMailboxMessages.all(db.knex, { limit });
}

/** Returns one message of the development mailbox. @throws not_found */
export async function readMailboxMessage(
  { db }: { db: Database },
  id: number,
): Promise<MailboxMessage> {
  const message = await selectMailboxMessage.first(db.knex, { id });
  if (!message) throw fail('not_found', { message: 'No message has this ID.' });
  return message;
}
