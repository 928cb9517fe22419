import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import { fail } from '../../platform/errors.ts';
import { idOf, type ListPage, type Page, readPage } from '../../platform/page.ts';
import {
  selectUnreadMessage,
  selectUnseenMessages,
  type UnreadMessage,
  updateMessageSeen,
} from './epp-registrar.store.ts';

export type { UnreadMessage } from './epp-registrar.store.ts';

/** Lists registry messages that people must read (see `wordsForStaff`) and nobody has marked as read. */
export function listUnreadMessages(
  { db }: { db: Database },
  { sort, ...page }: ListPage,
): Promise<Page<UnreadMessage>> {
  const read = (limit: number) => selectUnseenMessages[sort].all(db.knex, { ...page, limit });
  return readPage(page.limit, read, idOf);
}

/** Returns a message for staff, marked as read or not. @throws not_found */
export function getUnreadMessage({ db }: { db: Database }, id: string): Promise<UnreadMessage> {
  return readMessage(db.knex, id);
}

async function readMessage(sql: Sql, id: string): Promise<UnreadMessage> {
  const message = await selectUnreadMessage.first(sql, { id });
  if (!message) {
    throw fail('not_found', {
      message: 'No unread registry message has this ID.',
    });
  }
  return message;
}

/**
 * Marks a message as read by a person.
 * @returns the message, and whether it was not marked before
 * @throws not_found
 */
export async function markMessageRead(
  uow: UnitOfWork,
  id: string,
): Promise<{ message: UnreadMessage; isNews: boolean }> {
  const message = await readMessage(uow.sql, id);
  const { registry } = message;
  const isNews = (await updateMessageSeen.run(uow.sql, { registry, id, now: uow.realNow })) === 1;
  return { message: isNews ? { ...message, seenAt: uow.realNow } : message, isNews };
}
