import {
  EVERY_TOPIC,
  isMailTopic,
  type MailTopic,
  TOPIC_ROLES,
} from '../../messaging/mail/mail.ts';
import { chooseTopic, listSuppressionsOf } from '../../messaging/mail/mail-settings.ts';
import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { User } from '../users/user.ts';
import { listPartnersOf } from './manage-members.ts';

/** The notices that a member can get, by the person's roles, and those that the member wants. */
export interface NoticeChoices {
  offered: readonly MailTopic[];
  wanted: readonly MailTopic[];
}

/** Returns a member's choices. */
export async function readNoticeChoices(
  { db }: { db: Database },
  { id, email }: User,
): Promise<NoticeChoices> {
  const [partners, suppressions] = await Promise.all([
    listPartnersOf({ db }, id),
    listSuppressionsOf({ db }, email),
  ]);
  const roles = new Set<string>(partners.map(({ role }) => role));
  const offered = Object.keys(TOPIC_ROLES)
    .filter(isMailTopic)
    .filter((topic) => TOPIC_ROLES[topic]?.some((role) => roles.has(role)));
  const without = new Set(suppressions.map(({ topic }) => topic));
  const wanted = without.has(EVERY_TOPIC) ? [] : offered.filter((topic) => !without.has(topic));
  return { offered, wanted };
}

/** Sets which of the offered notices a member gets. */
export async function chooseNotices(
  { db }: { db: Database },
  user: User,
  wanted: readonly string[],
): Promise<void> {
  const { offered } = await readNoticeChoices({ db }, user);
  for (const topic of offered) {
    await chooseTopic({ db }, { email: user.email, topic }, wanted.includes(topic));
  }
}
