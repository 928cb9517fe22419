import { type Request, type Response, Router } from 'express';
import { unicodeOf } from '../../../shared/market/names/domain-name.ts';
import { findSession, type SessionHolder } from '../../../shared/people/users/user-session.ts';
import { html } from '../../../shared/platform/html.ts';
import {
  claimDomain,
  type OpenClaim,
  readClaim,
} from '../../../shared/sales/transfers/claim-domain.ts';
import type { ApiServices } from '../../compose-api.ts';
import { formFields } from '../../http/form-body.ts';
import { cardPage } from '../kit/card-page.ts';
import { asciiLine } from '../kit/page-parts.ts';
import { sessionTokenOf } from './account-session.ts';
import { refusalOf } from './form-refusal.ts';
import { mailedLinkForm, ofGoodLink } from './link-by-mail.ts';
import type { TakeSlot } from './sign-in-slots.ts';

const PATH = '/claim';

/** Serves the claim link of a sold domain: the buyer claims it into the signed-in account or a new one. */
export function claimRouter(runtime: ApiServices, takeSlot: TakeSlot): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const signedIn = async (req: Request): Promise<SessionHolder | undefined> => {
    const token = sessionTokenOf(runtime.config, req);
    return token === undefined ? undefined : findSession(runtime, token);
  };
  const show = async (req: Request, res: Response, token: string, error?: string) => {
    const page = {
      token,
      claim: await ofGoodLink(readClaim(runtime, token)),
      user: await signedIn(req),
      error,
    };
    res.type('html').send(claimPage(page));
  };

  router.get(PATH, (req, res) => show(req, res, String(req.query.t ?? '')));

  router.post(PATH, async (req, res) => {
    const { t, password } = formFields(req);
    const token = String(t ?? '');
    await takeSlot(req);
    const user = await signedIn(req);
    const claimant = user
      ? { userId: user.id, email: user.email }
      : { password: String(password ?? '') };
    try {
      const { domain } = await ofGoodLink(claimDomain(runtime, token, claimant));
      res.type('html').send(claimedPage(domain, user !== undefined));
    } catch (thrown) {
      await show(req, res, token, refusalOf(thrown, res));
    }
  });
  return router;
}

function claimPage(page: {
  token: string;
  claim: OpenClaim;
  user: SessionHolder | undefined;
  error: string | undefined;
}): string {
  const { token, claim, user, error } = page;
  const { domain, email, known } = claim;
  const unicode = unicodeOf(domain);
  const here = `/account${PATH}?t=${encodeURIComponent(token)}`;
  const signIn = `/account/sign-in?next=${encodeURIComponent(here)}`;
  const form = {
    path: PATH,
    token,
    email: user?.email ?? email,
    password: user ? (false as const) : 'Choose a password',
    button: `Claim ${unicode}`,
    error,
  };
  if (!user && known) {
    return cardPage({
      title: `Claim ${unicode}`,
      content: html`${asciiLine(domain)}<p class="lead"><strong class="account">${email}</strong> already has an account. Sign in to it or to another account of yours to claim the domain.</p>
<p><a class="button primary" href="${signIn}">Sign in</a></p>`,
    });
  }
  return cardPage({
    title: `Claim ${unicode}`,
    error,
    content: html`${asciiLine(domain)}<p class="lead">The domain goes into the account of <strong class="account">${form.email}</strong>${!user && ', which you open with this password'}.</p>
${mailedLinkForm(form)}
${!user && html`<p class="other"><a href="${signIn}">Sign in to another account</a></p>`}`,
  });
}

function claimedPage(domain: string, isSignedIn: boolean): string {
  const there = `/account/domains/${encodeURIComponent(domain)}`;
  const href = isSignedIn ? there : `/account/sign-in?next=${encodeURIComponent(there)}`;
  return cardPage({
    title: `${unicodeOf(domain)} is yours`,
    content: html`${asciiLine(domain)}<p class="lead">Set its nameservers, turn on auto-renew, and check its registrant.</p>
<p><a class="button primary" href="${href}">${isSignedIn ? 'Open the domain' : 'Sign in'}</a></p>`,
  });
}
