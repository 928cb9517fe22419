import { type Request, type Response, Router } from 'express';
import { renderSVG } from 'uqr';
import {
  confirmOwnAuthenticator,
  removeOwnAuthenticator,
} from '../../../shared/people/user-accounts/second-factor-change.ts';
import { proveSession } from '../../../shared/people/users/factor-change.ts';
import {
  type AuthenticatorSetup,
  beginAuthenticator,
  readPendingAuthenticator,
} from '../../../shared/people/users/own-authenticator.ts';
import type { SecondFactorState } from '../../../shared/people/users/second-factor.ts';
import { html, type Markup } from '../../../shared/platform/html.ts';
import type { ApiServices } from '../../compose-api.ts';
import { formFields } from '../../http/form-body.ts';
import { signInOriginOf } from '../../http/sign-in-origin.ts';
import { descriptionList, notice, section } from '../kit/page-parts.ts';
import { accountPage } from './account-layout.ts';
import { requireAccount, requireFresh, signedInOf } from './account-session.ts';
import { refusalOf } from './form-refusal.ts';
import { presentPasswordField } from './password-fields.ts';
import { codeField } from './second-factor-form.ts';

const TITLE = 'Authenticator app';

/** Sets up and removes the second factor of the signed-in user. */
export function secondFactorRouter(runtime: ApiServices): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const signedIn = requireAccount(runtime);
  const mayEnroll = [signedIn, requireFresh(runtime, () => '/account/authenticator/new')];
  const show = (res: Response, content: Markup, error?: string) => {
    const { email } = signedInOf(res).user;
    res
      .type('html')
      .send(accountPage({ title: TITLE, section: 'security', email, content, error }));
  };

  const showBegin = (res: Response, error?: string) => {
    const askPassword = !signedInOf(res).user.hasSecondFactor;
    show(res, beginForm(askPassword, error && 'error'), error);
  };
  router.get('/authenticator/new', mayEnroll, (_req: Request, res: Response) => showBegin(res));
  router.post('/authenticator', mayEnroll, async (req: Request, res: Response) => {
    const given = { password: String(formFields(req).present ?? ''), from: signInOriginOf(req) };
    try {
      await beginAuthenticator(runtime, await proveSession(runtime, signedInOf(res), given));
      res.redirect(303, '/account/authenticator');
    } catch (thrown) {
      showBegin(res, refusalOf(thrown, res));
    }
  });
  router.get('/authenticator', signedIn, async (_req, res) => {
    show(res, setupForm(await readPendingAuthenticator(runtime, signedInOf(res))));
  });
  router.post('/authenticator/confirm', signedIn, async (req, res) => {
    const session = signedInOf(res);
    const setup = await readPendingAuthenticator(runtime, session);
    try {
      const code = String(formFields(req).code ?? '');
      show(res, recoveryCodes(await confirmOwnAuthenticator(runtime, session, code)));
    } catch (thrown) {
      const error = refusalOf(thrown, res);
      show(res, setupForm(setup, 'error'), error);
    }
  });
  router.post('/authenticator/remove', signedIn, async (req, res) => {
    try {
      const given = { code: String(formFields(req).code ?? ''), from: signInOriginOf(req) };
      await removeOwnAuthenticator(runtime, signedInOf(res), given);
      res.redirect(303, '/account/security?done=authenticator');
    } catch (thrown) {
      const error = refusalOf(thrown, res);
      show(res, removeForm('error'), error);
    }
  });
  return router;
}

/** Returns the second-factor section of the security page. */
export function secondFactorSection({
  authenticator,
  recoveryCodesLeft,
}: Pick<SecondFactorState, 'authenticator' | 'recoveryCodesLeft'>): Markup {
  const intro = 'With an authenticator app, your password alone is not enough to sign in.';
  const content = authenticator
    ? html`${descriptionList([['Recovery codes left', String(recoveryCodesLeft)]])}${removeForm()}`
    : html`<p class="acts"><a class="button" href="/account/authenticator/new">Set up an authenticator app</a></p>`;
  return section(TITLE, content, intro);
}

function beginForm(askPassword: boolean, describedBy?: string): Markup {
  return html`<form class="narrow" method="post" action="/account/authenticator">
${askPassword && presentPasswordField(describedBy)}
<p class="acts"><button class="primary" type="submit">Continue</button> <a class="button link" href="/account/security">Cancel</a></p>
</form>`;
}

function setupForm({ secret, uri }: AuthenticatorSetup, error?: string): Markup {
  return html`<ol class="steps">
<li>Scan this code with your authenticator app, or type the key below it.
<img class="qr" alt="QR code of the key below" src="data:image/svg+xml;base64,${Buffer.from(renderSVG(uri)).toString('base64')}">
<p><code>${(secret.match(/.{1,4}/g) ?? []).join(' ')}</code></p></li>
<li>Enter the code that the app shows.
<form class="narrow" method="post" action="/account/authenticator/confirm">
${codeField(error, { hint: 'Six digits.' })}
<p class="acts"><button class="primary" type="submit">Turn on</button> <a class="button link" href="/account/security">Cancel</a></p>
</form></li>
</ol>`;
}

/** Returns the recovery codes, on the only page that may show them. */
export function recoveryCodes(codes: readonly string[]): Markup {
  return html`${notice({
    tone: 'wait',
    focus: true,
    content: html`<p><strong>Keep these recovery codes.</strong> Each lets you sign in once without your second factor. They are shown only now.</p>`,
  })}
<ul class="codes">${codes.map((code) => html`<li><code>${code}</code></li>\n`)}</ul>
<p class="acts"><a class="button primary" href="/account/security">I saved the codes</a></p>`;
}

function removeForm(error?: string): Markup {
  return html`<form class="narrow" method="post" action="/account/authenticator/remove">
${codeField(error)}
<p class="acts"><button class="danger" type="submit">Remove the app</button></p>
</form>`;
}
