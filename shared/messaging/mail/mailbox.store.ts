import { defineStatement } from '../../platform/database/sql-statement.ts';
import { bigint, bytea, type RowOf, text, timestamptz } from '../../platform/database/sql-types.ts';

/** Stores a message in the development mailbox. */
export const insertMailboxMessage = defineStatement({
  params: {
    mailId: text,
    recipient: text,
    subject: text,
    html: text,
    text,
    raw: bytea,
    now: timestamptz,
  },
  text: `insert into mailbox_messages (mail_id, recipient, subject, html, text, raw, received_at)
    values (:mailId, :recipient, :subject, :html, :text, :raw, :now)`,
});

const SUMMARY = {
  id: bigint,
  mailId: text,
  recipient: text,
  subject: text,
  receivedAt: timestamptz,
};
const COLUMNS = 'id, mail_id as "mailId", recipient, subject, received_at as "receivedAt"';
export type MailboxEntry = RowOf<typeof SUMMARY>;

/** Selects messages, newest first. */
export const selectMailboxMessages = defineStatement({
  params: { limit: bigint },
  row: SUMMARY,
  text: `select ${COLUMNS} from mailbox_messages order by id desc limit :limit`,
});

const MESSAGE = { ...SUMMARY, html: text, text, raw: bytea };
export type MailboxMessage = RowOf<typeof MESSAGE>;

export const selectMailboxMessage = defineStatement({
  params: { id: bigint },
  row: MESSAGE,
  text: `select ${COLUMNS}, html, text, raw from mailbox_messages where id = :id`,
});

/** Deletes all but the newest `keep` messages. */
export const deleteOldMailboxMessages = defineStatement({
  params: { keep: bigint },
  text: `delete from mailbox_messages
    where id <= (select id from mailbox_messages order by id desc offset :keep limit 1)`,
});
