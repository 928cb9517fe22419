import type { Request, RequestHandler, Response } from 'express';
import {
  conflict,
  type FieldError,
  fail,
  type ServiceError,
} from '../../../shared/platform/errors.ts';
import { html, type Markup } from '../../../shared/platform/html.ts';
import { randomBase62 } from '../../../shared/platform/ids.ts';
import { isRedisUnavailable } from '../../../shared/platform/redis/redis.ts';
import type { ApiServices } from '../../compose-api.ts';
import { toServiceError } from '../../http/error-response.ts';
import { refuseUnstorable } from '../../http/json-body.ts';
import { oneLineValidator, parameterValidator, type Validator } from '../../http/validate.ts';
import { flashMessages } from '../../pages/kit/flash.ts';
import { type FormValues, readFields } from '../../pages/kit/form.ts';
import { pathWith } from '../../pages/kit/format.ts';
import { notice } from '../../pages/kit/page-parts.ts';
import type { OpsContext } from '../ops-action.ts';
import { assertMayRun, mayRun, needsConfirmation } from '../ops-routes.ts';
import { confirmPath, opsCookie, safeReturnPath } from '../ops-session.ts';
import { actionFields, labelOf } from './action-fields.ts';
import type { ActionSubject } from './action-subjects.ts';
import { consoleLayout, errorNotice } from './console-page.ts';
import type { ActionForm } from './forms/action-form.ts';
import { actionForms } from './forms/action-forms.ts';

/** Success messages for the console's next page. */
export const opsFlash = flashMessages('ops_flash', opsCookie);

const FORM_NONCE = /^[0-9A-Za-z]{22}$/;
const FORM_NONCE_SECONDS = 24 * 3_600;

/** Shows the form of an action, which asks before anything is done. */
export function showActionForm(runtime: ApiServices): RequestHandler {
  return async (req, res) => {
    const { form, name } = formOf(req);
    const { staff } = res.locals;
    if (mayRun(form.action, staff.role) && needsConfirmation(form.action, staff)) {
      return res.redirect(303, confirmPath(req.originalUrl));
    }
    assertMayRun(form.action, staff);
    const values = textsOf(req.query);
    const subject = await form.subject(contextOf(runtime, res), givenTo(form, values));
    res.type('html').send(await confirmationPage(res, { form, name, subject, values }));
  };
}

/**
 * Runs the action, as the ops API and commands do, and redirects to the next page. A refusal is shown above the form,
 * with everything filled in. A form that is sent twice acts only once.
 */
export function submitActionForm(runtime: ApiServices): RequestHandler {
  const checks = new Map<ActionForm, Validator>(
    [...actionForms().values()].map((form) => {
      const { input } = form.action;
      return [form, oneLineValidator(input, parameterValidator(input))];
    }),
  );
  return async (req, res) => {
    const { form, name } = formOf(req);
    const { staff } = res.locals;
    const values = textsOf(req.body ?? {});
    if (mayRun(form.action, staff.role) && needsConfirmation(form.action, staff)) {
      const { back } = values;
      const page = pathWith(`/ops/do/${name}`, { ...givenTo(form, values), back });
      return res.redirect(303, confirmPath(page));
    }
    assertMayRun(form.action, staff);
    const context = contextOf(runtime, res);
    const subject = await form.subject(context, givenTo(form, values));
    try {
      const sent = readFields(form.action.input, values, currencyOf(subject));
      const input = checks.get(form)?.(sent);
      await consumeFormNonce(runtime, values.once);
      const answer = await form.action.run(context, input);
      if (form.reveal) {
        const content = html`${form.reveal(answer)}
<p class="acts"><a class="button primary" href="${subject.home}">I saved the secret</a></p>`;
        res.type('html').send(frame(res, form, subject, content));
        return;
      }
      const said = sentence(form.done(subject.name, answer));
      await opsFlash.set(runtime, res, res.locals.actor, said);
      res.redirect(303, form.next?.(answer) ?? returnPath(values, subject));
    } catch (thrown) {
      const error = toServiceError(thrown);
      if (error.status >= 500) throw thrown;
      res.status(error.status).type('html');
      res.send(await confirmationPage(res, { form, name, subject, values, error }));
    }
  };
}

function formOf(req: Request): { form: ActionForm; name: string } {
  const name = String(req.params.form);
  const form = actionForms().get(name);
  if (!form) throw fail('not_found', { message: 'There is no action with this name.' });
  return { form, name };
}

function contextOf(runtime: ApiServices, res: Response): OpsContext {
  return { ...runtime, actor: res.locals.actor };
}

/** Returns the text values by name; anything else in a query or form is dropped. */
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
    subject: ActionSubject;
    values: FormValues;
    error?: ServiceError;
  },
): Promise<string> {
  const { form, subject, values, error } = state;
  const content = confirmationForm({
    ...state,
    back: returnPath(values, subject),
    once: randomBase62(22),
    failed: error && { error, requestId: res.locals.requestId ?? '' },
  });
  return frame(res, form, subject, content, error);
}

function frame(
  res: Response,
  form: ActionForm,
  subject: ActionSubject,
  content: ReturnType<typeof html>,
  error?: ServiceError,
): string {
  return consoleLayout({
    title: form.title(subject.name),
    section: form.section,
    email: res.locals.email,
    staff: res.locals.staff,
    content,
    prefix: error && 'Error',
  });
}

function returnPath({ back }: FormValues, { home }: ActionSubject): string {
  return back === undefined || back === '' ? home : safeReturnPath(back);
}

/** Capitalizes a sentence that starts with “the”; one that starts with a domain or an event keeps its lower case. */
function sentence(text: string): string {
  return text.replace(/^the /, 'The ');
}

/** Consumes the form's nonce. Without Redis duplicates go undetected, so that operators can still work. */
async function consumeFormNonce({ redis, config }: ApiServices, once: unknown): Promise<void> {
  if (typeof once !== 'string' || !FORM_NONCE.test(once)) {
    throw conflict('key_reused', 'This form is incomplete. Go back and open it again.');
  }
  const key = `${config.redisPrefix}:ops-form:${once}`;
  // The connection resends a command whose reply was lost: the stored value may be ours.
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
      'This form was already sent. Check what it did before you open it again.',
    );
  }
}

interface ConfirmationState {
  form: ActionForm;
  name: string;
  subject: ActionSubject;
  /** The values from the link, and those filled in so far. */
  values: FormValues;
  back: string;
  /** Valid for one submission of the form. */
  once: string;
  failed?: { error: ServiceError; requestId: string } | undefined;
}

/** Returns the form of an action: its subject, what will happen, and its other fields. */
function confirmationForm(state: ConfirmationState): Markup {
  const { form, name, subject, values, back, once, failed } = state;
  const { input } = form.action;
  const given = form.given.filter((field) => typeof values[field] === 'string');
  const asked = Object.keys(input.properties).filter(
    (field) => !given.includes(field) && !form.without?.includes(field),
  );
  const faults = faultsOf(failed?.error);
  return html`${failed && failureNotice(failed, faults, asked)}
${subject.facts}
<p>${form.effect}</p>
<form class="ask" method="post" action="/ops/do/${name}">
<input type="hidden" name="once" value="${once}">
<input type="hidden" name="back" value="${back}">
${given.map((field) => html`<input type="hidden" name="${field}" value="${values[field]}">`)}
${actionFields(form, asked, values, { faults, currency: currencyOf(subject) })}
<p class="acts"><button class="${form.tone === 'danger' ? 'danger' : 'primary'}" type="submit">${form.button}</button>
<a class="button link" href="${back}">Cancel</a></p>
</form>`;
}

/** Shows the error: with links to the faulty fields, or otherwise with the error's own message. */
function failureNotice(
  { error, requestId }: { error: ServiceError; requestId: string },
  faults: readonly FieldError[],
  asked: readonly string[],
): Markup {
  const names = faults.map(({ path }) => path.split('/')[1] ?? '');
  if (names.length === 0 || names.some((field) => !asked.includes(field))) {
    return errorNotice(error, requestId);
  }
  const labels = names.map(labelOf).join(', ');
  const content =
    names.length === 1 ? `Please correct one field: ${labels}.` : `Please correct: ${labels}.`;
  return notice({ tone: 'bad', content });
}

/** Returns the currency of the amounts in the form. */
function currencyOf({ currency = 'USD' }: ActionSubject): string {
  return currency;
}

function faultsOf(error: ServiceError | undefined): FieldError[] {
  return error?.code === 'validation_error' && Array.isArray(error.details) ? error.details : [];
}
