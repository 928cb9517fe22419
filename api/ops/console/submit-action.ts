import type { Request, RequestHandler, Response } from 'express';
import type { Clock } from '../../../shared/platform/clock.ts';
import { addMs, MINUTE } from '../../../shared/platform/clock.ts';
import type { Config } from '../../../shared/platform/config/config.ts';
import type { SignedTokens } from '../../../shared/platform/crypto/signed-tokens.ts';
import {
  conflict,
  type FieldError,
  fail,
  type ServiceError,
} from '../../../shared/platform/errors.ts';
import { randomBase62 } from '../../../shared/platform/ids.ts';
import type { ApiServices } from '../../compose-api.ts';
import { isRedisUnavailable, toServiceError } from '../../http/error-response.ts';
import { refuseUnstorable } from '../../http/json-body.ts';
import { parameterValidator, type Validator } from '../../http/validate.ts';
import { type FormValues, formFields, labelOf, readForm } from '../../pages/kit/form.ts';
import { html, type Markup } from '../../pages/kit/html.ts';
import type { OpsContext } from '../ops-action.ts';
import { cookieOf, opsCookie, safeReturnPath } from '../ops-session.ts';
import { type ActionForm, actionForms, findActionForm } from './action-forms.ts';
import type { ActionSubject } from './action-subjects.ts';
import { consoleLayout, errorNotice, type Flash } from './console-page.ts';

const FORM_NONCE = /^[0-9A-Za-z]{22}$/;
const FORM_NONCE_SECONDS = 24 * 3_600;

/** The question before an action. */
export function showActionForm(runtime: ApiServices): RequestHandler {
  return async (req, res) => {
    const { form, name } = formOf(req);
    const values = textsOf(req.query);
    const about = await form.about(contextOf(runtime, res), givenTo(form, values));
    res.type('html').send(await confirmationPage(res, { form, name, about, values }));
  };
}

/**
 * Runs the action of the ops API and of the commands, and goes on to the next page. What it refuses is said
 * above the form, with all that was filled in. A form that was sent twice acts once.
 */
export function submitActionForm(runtime: ApiServices): RequestHandler {
  const checks = new Map<ActionForm, Validator>(
    [...actionForms().values()].map((form) => [form, parameterValidator(form.action.input)]),
  );
  return async (req, res) => {
    const { form, name } = formOf(req);
    const values = textsOf(req.body ?? {});
    const context = contextOf(runtime, res);
    const about = await form.about(context, givenTo(form, values));
    try {
      const input = checks.get(form)?.(readForm(form.action.input, values));
      await consumeFormNonce(runtime, values.once);
      const answer = await form.action.run(context, input);
      if (form.reveal) {
        const content = html`${form.reveal(answer)}
<p class="acts"><a class="button main" href="${about.home}">Done, it is safe</a></p>`;
        res.type('html').send(frame(res, form, about, content));
        return;
      }
      await setFlash(runtime, res, sentence(form.done(about.name, answer)));
      res.redirect(303, form.next?.(answer) ?? returnPath(values, about));
    } catch (thrown) {
      const error = toServiceError(thrown);
      if (error.status >= 500) throw thrown;
      res.status(error.status).type('html');
      res.send(await confirmationPage(res, { form, name, about, values, error }));
    }
  };
}

function formOf(req: Request): { form: ActionForm; name: string } {
  const name = String(req.params.form);
  const form = findActionForm(name);
  if (!form) throw fail('not_found', { message: 'There is no such action.' });
  return { form, name };
}

function contextOf(runtime: ApiServices, res: Response): OpsContext {
  return { ...runtime, actor: res.locals.actor };
}

/** Names with their texts; anything else that a query or a form can be made to hold is dropped. */
function textsOf(given: object): FormValues {
  refuseUnstorable(given);
  const entries = Object.entries(given).filter(
    ([, value]) =>
      typeof value === 'string' ||
      (Array.isArray(value) && value.every((each) => typeof each === 'string')),
  );
  return Object.fromEntries(entries);
}

function givenTo(form: ActionForm, values: FormValues): Record<string, string> {
  return Object.fromEntries(
    form.given.map((name) => [name, typeof values[name] === 'string' ? values[name] : '']),
  );
}

async function confirmationPage(
  res: Response,
  state: {
    form: ActionForm;
    name: string;
    about: ActionSubject;
    values: FormValues;
    error?: ServiceError;
  },
): Promise<string> {
  const { form, about, values, error } = state;
  const content = confirmationForm({
    ...state,
    back: returnPath(values, about),
    once: randomBase62(22),
    failed: error && { error, requestId: res.locals.requestId ?? '' },
  });
  return frame(res, form, about, content, error);
}

function frame(
  res: Response,
  form: ActionForm,
  about: ActionSubject,
  content: ReturnType<typeof html>,
  error?: ServiceError,
): string {
  return consoleLayout({
    title: form.title(about.name),
    section: form.section,
    email: res.locals.email,
    content,
    prefix: error && 'Error',
  });
}

function returnPath({ back }: FormValues, { home }: ActionSubject): string {
  return back === undefined || back === '' ? home : safeReturnPath(back);
}

/** Domains and events keep their small letter. */
function sentence(text: string): string {
  return text.replace(/^the /, 'The ');
}

/** Without Redis nobody can tell a second sending, and the work of ops should go on. */
async function consumeFormNonce({ redis, config }: ApiServices, once: unknown): Promise<void> {
  if (typeof once !== 'string' || !FORM_NONCE.test(once)) {
    throw conflict('key_reused', 'This form has no number. Go back and open it again.');
  }
  const key = `${config.redisPrefix}:ops-form:${once}`;
  // The connection sends a command again when its answer was lost: what stands there may be ours.
  const mark = randomBase62(22);
  const use = async () =>
    (await redis.set(key, mark, 'EX', FORM_NONCE_SECONDS, 'NX')) === 'OK' ||
    (await redis.get(key)) === mark;
  const first = await use().catch((error: unknown) => {
    if (isRedisUnavailable(error)) return true;
    throw error;
  });
  if (!first) {
    throw conflict(
      'key_reused',
      'This form was sent before. Look at what came of it before you open it again.',
    );
  }
}

export interface ConfirmationState {
  form: ActionForm;
  name: string;
  about: ActionSubject;
  /** What came with the link, and what was filled in so far. */
  values: FormValues;
  back: string;
  /** Good for one sending of the form. */
  once: string;
  failed?: { error: ServiceError; requestId: string } | undefined;
}

/** The question before an action: what it is about, what will happen, and what else it needs. */
export function confirmationForm(state: ConfirmationState): Markup {
  const { form, name, about, values, back, once, failed } = state;
  const { input } = form.action;
  const given = form.given.filter((field) => typeof values[field] === 'string');
  const asked = Object.keys(input.properties).filter(
    (field) => !given.includes(field) && !form.without?.includes(field),
  );
  const faults = faultsOf(failed?.error);
  const elsewhere = faults.filter(({ path }) => !asked.includes(path.split('/')[1] ?? ''));
  const showProblem = failed && (faults.length === 0 || elsewhere.length > 0);
  return html`${showProblem && errorNotice(failed.error, failed.requestId)}${
    failed &&
    !showProblem &&
    html`<div class="problem" role="alert"><p>${faults.length === 1 ? 'One field needs' : 'Some fields need'} another look: ${faults
      .map(({ path }) => labelOf(path.split('/')[1] ?? ''))
      .join(', ')}.</p></div>`
  }
${about.facts}
<p>${form.effect}</p>
<form class="ask" method="post" action="/ops/do/${name}">
<input type="hidden" name="once" value="${once}">
<input type="hidden" name="back" value="${back}">
${given.map((field) => html`<input type="hidden" name="${field}" value="${values[field]}">`)}
${formFields({ schema: input, needs: form.needs ?? {} }, asked, values, faults)}
<p class="acts"><button class="${form.danger ? 'danger' : 'main'}" type="submit">${form.button}</button>
<a href="${back}">Leave it</a></p>
</form>`;
}

function faultsOf(error: ServiceError | undefined): FieldError[] {
  return error?.code === 'validation_error' && Array.isArray(error.details) ? error.details : [];
}

const COOKIE = 'ops_flash';
const PURPOSE = 'ops-flash';
const LASTS_MS = MINUTE;

type Deps = { tokens: SignedTokens; clock: Clock; config: Config };

/** Leaves a word for the page that comes next in this browser, signed so that nobody else can. */
export async function setFlash(deps: Deps, res: Response, text: string): Promise<void> {
  const expires = addMs(deps.clock.now(), LASTS_MS);
  const token = await deps.tokens.sign(PURPOSE, { text, for: res.locals.actor }, expires);
  res.cookie(COOKIE, token, { ...opsCookie(deps.config), maxAge: LASTS_MS });
}

/** Takes what was left for this account, so that it is said once. */
export async function takeFlash(
  deps: Deps,
  req: Request,
  res: Response,
): Promise<Flash | undefined> {
  const token = cookieOf(req, COOKIE);
  if (!token) return undefined;
  res.clearCookie(COOKIE, opsCookie(deps.config));
  const claims = await deps.tokens.verify(PURPOSE, token);
  if (typeof claims === 'string' || claims.for !== res.locals.actor) return undefined;
  return { text: String(claims.text) };
}
