import { composeMail } from '../../shared/messaging/mail/compose-mail.ts';
import type { MailKind } from '../../shared/messaging/mail/mail.ts';
import { readMail } from '../../shared/messaging/mail/mail-settings.ts';
import { MAILS } from '../../shared/operations/mail-catalogue/mail-catalogue.ts';
import type { TestRuntime } from './runtime.ts';

/** Returns the links in an address's mails of one kind, oldest first, as paths on our site. */
export async function linksMailed(
  runtime: TestRuntime,
  kind: MailKind,
  recipient: string,
): Promise<string[]> {
  const ids = await runtime.db.knex('mails').where({ kind, recipient }).orderBy('id').pluck('id');
  return Promise.all(ids.map((id) => linkMailed(runtime, id)));
}

/** Returns the link with which a mail's recipient acts, as a path on our site. */
export async function linkMailed(runtime: TestRuntime, id: string): Promise<string> {
  const { text } = await composeStored(runtime, id);
  const [link = ''] = text.match(/https?:\/\/\S+\?p?t=\S+/) ?? [];
  return link.slice(runtime.config.baseUrl.length);
}

/** Composes a stored mail as it is sent. */
export async function composeStored(runtime: TestRuntime, id: string) {
  const mail = await readMail(runtime, id);
  return composeMail(runtime, MAILS[mail.kind], mail, '<test@localhost>', []);
}
