import { Type } from 'typebox';
import {
  type AuthorizedClient,
  listAuthorizedClients,
} from '../../../../shared/people/user-accounts/read-user-accounts.ts';
import { revokeUserGrants } from '../../../../shared/people/user-accounts/user-access.ts';
import { html, type Markup } from '../../../../shared/platform/html.ts';
import { confirmButton } from '../../kit/form.ts';
import { timestamp } from '../../kit/format.ts';
import { emptyState, link } from '../../kit/page-parts.ts';
import type { PageNow } from '../../kit/page-time.ts';
import { ACTIONS, table } from '../../kit/table.ts';
import { SCOPE_MEANINGS } from '../../sign-in/sign-in-pages.ts';
import { accountCommand, accountSitePage } from '../account-page.ts';

/** Lists the apps that act for the signed-in user, with the scopes of each. */
export const appsPage = accountSitePage({
  path: '/apps',
  input: Type.Object({}),
  async show(context) {
    const apps = await listAuthorizedClients(context, context.user.id);
    return {
      title: 'Connected apps',
      section: 'apps',
      content: html`<p class="intro">Apps with access to your account. We don’t verify their names; revoke any you don’t recognize.</p>
${
  apps.length > 0
    ? appTable(apps, context.now)
    : emptyState(
        html`No apps have access to your account. Apps appear here when you connect them by ${link('/docs/sign-in', 'signing in')}.`,
      )
}`,
    };
  },
});

function appTable(apps: readonly AuthorizedClient[], now: PageNow): Markup {
  return table(
    'Apps with access to your account',
    ['App', 'Access', 'Connected', 'Expires', ACTIONS],
    apps.map(({ id, name, scopes, since, until }) => [
      name ?? 'Unnamed app',
      html`<ul>${scopes.map((scope) => permission(scope))}</ul>`,
      timestamp(since, now),
      timestamp(until, now),
      confirmButton({
        action: '/account/apps/revoke',
        text: 'Revoke',
        about: name ?? 'unnamed app',
        fields: { client: id },
        question: 'The app loses access to your account at once.',
      }),
    ]),
    '',
  );
}

function permission(scope: string): Markup {
  const meaning = Object.entries(SCOPE_MEANINGS).find(([name]) => name === scope)?.[1];
  if (!meaning) return html`<li>${scope}</li>`;
  return html`<li><strong>${meaning.title}</strong> <span class="sub">${meaning.text}</span></li>`;
}

/** Revokes an app's access; its tokens are refused from now on. */
export const revokeApp = accountCommand({
  path: '/apps/revoke',
  dangerous: false,
  input: Type.Object({ client: Type.String({ minLength: 1, maxLength: 64 }) }),
  page: appsPage,
  async run(context, { client: clientId }) {
    const { id } = context.user;
    await revokeUserGrants(context, id, { who: id, clientId });
    return { to: '/account/apps', done: 'The app no longer has access.' };
  },
});
