import { type Response, Router } from 'express';
import { MAIL_TOPICS } from '../../../shared/messaging/mail/mail.ts';
import {
  listPartnersOf,
  type PartnerOfMember,
} from '../../../shared/people/members/manage-members.ts';
import {
  chooseNotices,
  type NoticeChoices,
  readNoticeChoices,
} from '../../../shared/people/members/notice-choices.ts';
import { changeOwnPassword } from '../../../shared/people/user-accounts/own-password.ts';
import {
  endOtherSessions,
  endOwnSession,
} from '../../../shared/people/user-accounts/own-sessions.ts';
import { readSecondFactor } from '../../../shared/people/users/second-factor.ts';
import { listSessions, type SessionSummary } from '../../../shared/people/users/user-session.ts';
import { html, type Markup } from '../../../shared/platform/html.ts';
import type { ApiServices } from '../../compose-api.ts';
import { formFields } from '../../http/form-body.ts';
import { signInOriginOf } from '../../http/sign-in-origin.ts';
import { checkboxes } from '../kit/form.ts';
import { humanize, timestamp } from '../kit/format.ts';
import { badge, section } from '../kit/page-parts.ts';
import type { PageNow } from '../kit/page-time.ts';
import { realPageNow } from '../kit/page-time.ts';
import { ACTIONS, table } from '../kit/table.ts';
import { accountPage } from './account-layout.ts';
import { clearSessionCookie, requireAccount, signedInOf } from './account-session.ts';
import { refusalOf } from './form-refusal.ts';
import { passkeySection } from './passkey-pages.ts';
import { newPasswordField, presentPasswordField } from './password-fields.ts';
import { secondFactorSection } from './second-factor-pages.ts';

const DONE = {
  session: 'The session has ended.',
  sessions: 'You are signed out everywhere else.',
  emails: 'Your choice of emails is saved.',
  authenticator: 'Your authenticator app is removed.',
  passkey: 'Your passkey is added.',
  'passkey-removed': 'Your passkey is removed.',
} as const;

/** Serves the account security page, and handles its forms. */
export function securityRouter(runtime: ApiServices): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const signedIn = requireAccount(runtime);

  const show = async (res: Response, error?: string, done?: string) => {
    const { user, token } = signedInOf(res);
    const [sessions, factor, partners, notices] = await Promise.all([
      listSessions(runtime, { userId: user.id, token }),
      readSecondFactor(runtime, user.id),
      listPartnersOf(runtime, user.id),
      readNoticeChoices(runtime, user),
    ]);
    const now = realPageNow(runtime);
    const content = html`${section('Password', passwordForm(error && 'error'))}
${passkeySection(factor.passkeys, now)}
${secondFactorSection(factor)}
${section('Sessions', sessionList(sessions, now), 'Browsers and scripts signed in to your account. Ending a session signs out the apps that you connected in it.')}
${partners.length > 0 && section('Partners', partnerList(partners))}
${noticeSection(notices)}`;
    const page = {
      title: 'Account security',
      section: 'security' as const,
      email: user.email,
      content,
      done,
      error,
    };
    res.type('html').send(accountPage(page));
  };

  router.get('/security', signedIn, async (req, res) => {
    await show(res, undefined, DONE[req.query.done as keyof typeof DONE]);
  });

  router.post('/password', signedIn, async (req, res) => {
    const form = formFields(req);
    const present = String(form.present ?? '');
    const next = String(form.password ?? '');
    try {
      const from = signInOriginOf(req);
      await changeOwnPassword(runtime, signedInOf(res).user, { present, next, from });
      clearSessionCookie(res, runtime.config);
      res.redirect(303, '/account/sign-in');
    } catch (thrown) {
      await show(res, refusalOf(thrown, res));
    }
  });

  router.post('/sessions/end', signedIn, async (req, res) => {
    const { user } = signedInOf(res);
    await endOwnSession(runtime, { userId: user.id, id: String(formFields(req).id ?? '') });
    res.redirect(303, '/account/security?done=session');
  });

  router.post('/sessions/end-others', signedIn, async (_req, res) => {
    const { user, token } = signedInOf(res);
    await endOtherSessions(runtime, { userId: user.id, token });
    res.redirect(303, '/account/security?done=sessions');
  });

  router.post('/emails', signedIn, async (req, res) => {
    const wanted = [formFields(req).topic].flat().map(String);
    await chooseNotices(runtime, signedInOf(res).user, wanted);
    res.redirect(303, '/account/security?done=emails');
  });
  return router;
}

function noticeSection({ offered, wanted }: NoticeChoices): Markup | false {
  if (offered.length === 0) return false;
  const form = html`<form method="post" action="/account/emails">
${checkboxes({
  name: 'topic',
  label: 'Send me',
  choices: offered.map((value) => ({ value, text: MAIL_TOPICS[value] })),
  chosen: wanted,
})}
<p class="acts"><button type="submit">Save emails</button></p>
</form>`;
  return section('Emails', form, 'Notices about your partners, as your role allows.');
}

function passwordForm(error?: string): Markup {
  return html`<form class="narrow" method="post" action="/account/password">
${presentPasswordField(error)}
${newPasswordField('New password', error)}
<p class="hint">This signs you out everywhere, including here.</p>
<p class="acts"><button class="primary" type="submit">Change password</button></p>
</form>`;
}

function sessionList(sessions: readonly SessionSummary[], now: PageNow): Markup {
  return html`${table(
    'Open sessions, newest first',
    ['Device', 'Address', 'Signed in', ACTIONS],
    sessions.map(({ id, device, address, createdAt, current }) => [
      html`${device ?? 'Unknown device'} ${current && badge('good', 'This session')}`,
      address,
      timestamp(createdAt, now),
      !current && endButton('sessions/end', { id }, 'End', device ?? 'unknown device'),
    ]),
    'No sessions.',
  )}
${
  sessions.length > 1 &&
  html`<form method="post" action="/account/sessions/end-others"><p class="acts"><button type="submit">Sign out everywhere else</button></p></form>`
}`;
}

function partnerList(partners: readonly PartnerOfMember[]): Markup {
  return table(
    'Partners that you work for',
    ['Partner', 'Your role'],
    partners.map(({ name, role }) => [name, humanize(role)]),
    '',
  );
}

/** Returns a button that ends one thing; `about` names it for screen readers, which may not read its row. */
function endButton(
  path: string,
  fields: Readonly<Record<string, string>>,
  text: string,
  about: string,
): Markup {
  return html`<form method="post" action="/account/${path}">${Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}<button class="danger" type="submit">${text}<span class="unseen"> ${about}</span></button></form>`;
}
