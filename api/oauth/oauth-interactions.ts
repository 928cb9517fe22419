import {
  type ErrorRequestHandler,
  type Request,
  type RequestHandler,
  type Response,
  Router,
} from 'express';
import {
  IS_DANGEROUS,
  OAUTH_SCOPES,
  type OAuthScope,
} from '../../shared/people/oauth/access-token.ts';
import { grantRecords } from '../../shared/people/oauth/oauth-records.ts';
import { askForPasskey } from '../../shared/people/users/passkey.ts';
import { passkeyForTicket, passkeyForUser } from '../../shared/people/users/sign-in-ticket.ts';
import {
  beginSignIn,
  confirmSession,
  findSessionById,
  finishSignIn,
  isStale,
  type OpenedSession,
  type SessionHolder,
  signInWithPasskey,
} from '../../shared/people/users/user-session.ts';
import type { ApiServices } from '../compose-api.ts';
import { toServiceError } from '../http/error-response.ts';
import { formBody, formFields } from '../http/form-body.ts';
import { callerBucket, createLimiter, type Limiter } from '../http/rate-limit.ts';
import { sameOriginOnly } from '../http/same-origin.ts';
import { signInOriginOf } from '../http/sign-in-origin.ts';
import { enterSession } from '../pages/account/account-session.ts';
import { refusalOf } from '../pages/account/form-refusal.ts';
import { passkeyAnswerIn } from '../pages/account/passkey-form.ts';
import { proofIn } from '../pages/account/second-factor-form.ts';
import { setPageHeaders } from '../pages/kit/page-headers.ts';
import {
  consentPage,
  finishedPage,
  oauthCodePage,
  oauthConfirmPage,
  oauthSignInPage,
} from '../pages/sign-in/sign-in-pages.ts';
import { describeRedirectTarget } from './client-registration.ts';
import { PATHS } from './oauth-endpoints.ts';
import { isSessionNotFound } from './oauth-errors.ts';
import { errors, type OAuthProvider } from './oidc-library.ts';

type Interaction = Awaited<ReturnType<OAuthProvider['interactionDetails']>>;

const PAGE = `${PATHS.interaction}/:uid`;

/** The page's form actions, by the last part of their path. */
const ACTIONS = {
  'sign-in': 'signIn',
  passkey: 'passkey',
  code: 'code',
  confirm: 'confirm',
  consent: 'consent',
  cancel: 'cancel',
} as const;

/**
 * Serves the pages on which a person signs in and decides. Each page requires its own cookie (signed, SameSite=Lax, for
 * its one path), and its forms are accepted only from our own origin.
 */
export function interactionRouter(runtime: ApiServices, provider: OAuthProvider): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const pages = new InteractionPages(runtime, provider);
  const answer =
    (which: 'show' | (typeof ACTIONS)[keyof typeof ACTIONS]): RequestHandler =>
    async (req, res) =>
      pages[which](req, res, await pages.load(req, res));
  router.use(PATHS.interaction, (_req, res, next) => {
    res.locals.route = PAGE;
    next();
  });
  router.get(PAGE, answer('show'));
  const ownForm = [sameOriginOnly(runtime.config), formBody()];
  for (const [path, which] of Object.entries(ACTIONS)) {
    router.post(`${PAGE}/${path}`, ownForm, answer(which));
  }
  // After a form with errors, the address bar still has the path of the form's action.
  router.get(`${PAGE}/:action`, (req: Request<{ uid: string }>, res) => {
    res.redirect(303, `${PATHS.interaction}/${encodeURIComponent(req.params.uid)}`);
  });
  router.use(PATHS.interaction, restartAuthorization);
  return router;
}

/** The handlers of the sign-in pages and their forms. */
class InteractionPages {
  readonly #runtime: ApiServices;
  readonly #provider: OAuthProvider;
  readonly #limiter: Limiter;
  readonly #grants: ReturnType<typeof grantRecords>;

  constructor(runtime: ApiServices, provider: OAuthProvider) {
    this.#runtime = runtime;
    this.#provider = provider;
    // Shares its bucket with the console's sign-in.
    const { redis, config } = runtime;
    this.#limiter = createLimiter(redis, config, 'sign-in', config.limitSignIn);
    this.#grants = grantRecords(runtime);
  }

  /** Loads the browser's sign-in in progress. @throws SessionNotFound */
  async load(req: Request, res: Response): Promise<Interaction> {
    const interaction = await this.#provider.interactionDetails(req, res);
    if (interaction.uid !== req.params.uid) throw new errors.SessionNotFound('another interaction');
    return interaction;
  }

  async show(req: Request, res: Response, interaction: Interaction): Promise<void> {
    const user = await this.#consenterOf(interaction);
    if (!user || req.query.account === 'other') {
      await this.#showSignIn(res, interaction);
    } else if (this.#mustConfirm(interaction, user)) {
      await this.#askToConfirm(res, interaction, user);
    } else {
      const scopes = scopesOf(interaction);
      const page = { ...(await this.#describe(interaction)), scopes, email: user.email };
      res.type('html').send(consentPage(page));
    }
  }

  async signIn(req: Request, res: Response, interaction: Interaction): Promise<void> {
    const form = formFields(req);
    const given = {
      email: String(form.email ?? ''),
      password: String(form.password ?? ''),
      from: signInOriginOf(req),
    };
    try {
      await this.#limiter.take(callerBucket(req));
      const step = await beginSignIn(this.#runtime, given);
      if ('token' in step) await this.#leaveSignedIn(req, res, interaction, step);
      else await this.#askForCode(res, interaction, step.ticket);
    } catch (thrown) {
      const error = toServiceError(thrown);
      if (error.code === 'invalid_token' || error.code === 'forbidden') {
        const state = { email: given.email, fault: error.message };
        await this.#showSignIn(res.status(error.status), interaction, state);
        return;
      }
      if (error.code !== 'rate_limited') throw thrown;
      const seconds = error.retryAfterSeconds ?? 1;
      res.status(429).set('Retry-After', String(seconds));
      const fault = `Too many attempts. Wait ${seconds} seconds, then try again.`;
      await this.#showSignIn(res, interaction, { email: given.email, fault });
    }
  }

  async passkey(req: Request, res: Response, interaction: Interaction): Promise<void> {
    const answer = passkeyAnswerIn(formFields(req)) ?? { ticket: '', response: '' };
    let session: OpenedSession;
    try {
      await this.#limiter.take(callerBucket(req));
      session = await signInWithPasskey(this.#runtime, { ...answer, from: signInOriginOf(req) });
    } catch (thrown) {
      const { status, message, retryAfterSeconds } = toServiceError(thrown);
      if (status >= 500) throw thrown;
      if (retryAfterSeconds !== undefined) res.set('Retry-After', String(retryAfterSeconds));
      await this.#showSignIn(res.status(status), interaction, { fault: message });
      return;
    }
    await this.#leaveSignedIn(req, res, interaction, session);
  }

  async code(req: Request, res: Response, interaction: Interaction): Promise<void> {
    const form = formFields(req);
    const ticket = String(form.ticket ?? '');
    try {
      await this.#limiter.take(callerBucket(req));
      const given = { ticket, proof: proofIn(form), from: signInOriginOf(req) };
      await this.#leaveSignedIn(req, res, interaction, await finishSignIn(this.#runtime, given));
    } catch (thrown) {
      const { status, message, retryAfterSeconds } = toServiceError(thrown);
      if (status !== 401 && status !== 429) throw thrown;
      if (retryAfterSeconds !== undefined) res.set('Retry-After', String(retryAfterSeconds));
      await this.#askForCode(res.status(status), interaction, ticket, message);
    }
  }

  async confirm(req: Request, res: Response, interaction: Interaction): Promise<void> {
    const user = await this.#consenterOf(interaction);
    if (!user) throw new errors.SessionNotFound('nobody is asked to consent');
    try {
      await this.#limiter.take(callerBucket(req));
      const proof = proofIn(formFields(req));
      await confirmSession(this.#runtime, { user, proof, from: signInOriginOf(req) });
    } catch (thrown) {
      await this.#askToConfirm(res, interaction, user, refusalOf(thrown, res));
      return;
    }
    res.redirect(303, pathOf(interaction));
  }

  async consent(req: Request, res: Response, interaction: Interaction): Promise<void> {
    const user = await this.#consenterOf(interaction);
    if (!user) throw new errors.SessionNotFound('nobody is asked to consent');
    if (this.#mustConfirm(interaction, user)) {
      res.redirect(303, pathOf(interaction));
      return;
    }
    const { client_id: clientId, resource } = interaction.params;
    const scope = scopesOf(interaction).join(' ');
    const grant = new this.#provider.Grant({ accountId: user.id, clientId: String(clientId) });
    grant.addOIDCScope(scope);
    for (const each of [resource].flat()) grant.addResourceScope(String(each), scope);
    const grantId = await grant.save();
    await this.#grants.bind(grantId, user.sessionId);
    await this.#provider.interactionFinished(req, res, { consent: { grantId } });
  }

  async cancel(req: Request, res: Response): Promise<void> {
    const denied = { error: 'access_denied', error_description: 'the user did not allow it' };
    await this.#provider.interactionFinished(req, res, denied, { mergeWithLastSubmission: false });
  }

  /** Signs the browser in, here and at `/account`, with one session; ending it ends both. Ends the earlier sessions. */
  async #leaveSignedIn(
    req: Request,
    res: Response,
    interaction: Interaction,
    session: OpenedSession,
  ): Promise<void> {
    const before = interaction.session;
    if (before?.uid) {
      await (await this.#provider.Session.findByUid(before.uid))?.destroy();
      interaction.session = undefined;
      await interaction.persist();
    }
    await enterSession(this.#runtime, req, res, session);
    const login = { accountId: session.user.id, acr: session.id };
    await this.#provider.interactionFinished(req, res, { login });
  }

  /** Returns the person asked to consent, from the browser's session; undefined if the person must sign in first. */
  async #consenterOf({ prompt, session }: Interaction): Promise<SessionHolder | undefined> {
    // `acr` holds the session id.
    const { accountId: userId, acr: sessionId } = session ?? {};
    if (prompt.name !== 'consent' || !userId || !sessionId) return undefined;
    return findSessionById(this.#runtime, { sessionId, userId });
  }

  /** Granting a dangerous scope requires the same confirmation as the action itself at `/account`. */
  #mustConfirm(interaction: Interaction, user: SessionHolder): boolean {
    return (
      scopesOf(interaction).some((scope) => IS_DANGEROUS[scope]) && isStale(this.#runtime, user)
    );
  }

  async #askToConfirm(
    res: Response,
    interaction: Interaction,
    { id, email }: SessionHolder,
    fault?: string,
  ) {
    const passkey = await passkeyForUser(this.#runtime, id);
    const page = { ...(await this.#describe(interaction)), email, passkey, fault };
    setPageHeaders(res, 'sign-in-passkey');
    res.type('html').send(oauthConfirmPage(page));
  }

  async #askForCode(res: Response, interaction: Interaction, ticket: string, fault?: string) {
    const passkey = await passkeyForTicket(this.#runtime, ticket);
    const page = { ...(await this.#describe(interaction)), ticket, passkey, fault };
    setPageHeaders(res, 'sign-in-passkey');
    res.type('html').send(oauthCodePage(page));
  }

  async #showSignIn(
    res: Response,
    interaction: Interaction,
    state: { email?: string; fault?: string } = {},
  ) {
    const passkey = await askForPasskey(this.#runtime, null);
    setPageHeaders(res, 'sign-in-passkey');
    res
      .type('html')
      .send(oauthSignInPage({ ...(await this.#describe(interaction)), ...state, passkey }));
  }

  async #describe(interaction: Interaction) {
    const { params } = interaction;
    const client = await this.#provider.Client.find(String(params.client_id));
    const clientName = client?.clientName ?? new URL(String(params.redirect_uri)).host;
    return {
      action: pathOf(interaction),
      clientName,
      place: describeRedirectTarget(String(params.redirect_uri)),
      request: queryOf(params),
    };
  }
}

/**
 * Restarts the app's authorization request when a form is sent a second time, or too late. The app never automatically
 * gets a second response: it would take that one for a stolen one.
 */
const restartAuthorization: ErrorRequestHandler = (thrown, req, res, next) => {
  const request: unknown = req.body?.request;
  if (!isSessionNotFound(thrown) || typeof request !== 'string') return next(thrown);
  const link = `${PATHS.authorize}?${new URLSearchParams(request)}`;
  if (/\/(sign-in|passkey|confirm)$/.test(req.path)) res.redirect(303, link);
  else res.type('html').send(finishedPage(link));
};

/** Returns the query of the app's authorization request. */
function queryOf(params: Interaction['params']): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    for (const each of [value].flat()) if (each !== undefined) query.append(name, String(each));
  }
  return query.toString();
}

function pathOf({ uid }: Interaction): string {
  return `${PATHS.interaction}/${uid}`;
}

/** Returns the scopes that the app requests; unknown ones were refused earlier. */
function scopesOf({ params }: Interaction): OAuthScope[] {
  const asked = String(params.scope).split(' ');
  return OAUTH_SCOPES.filter((scope) => asked.includes(scope));
}
