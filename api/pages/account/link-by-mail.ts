import { type Request, type Response, Router } from 'express';
import { html, type Markup } from '../../../shared/platform/html.ts';
import { toServiceError } from '../../http/error-response.ts';
import { formFields } from '../../http/form-body.ts';
import { cardPage } from '../kit/card-page.ts';
import { INVALID_LINK, PageError } from '../kit/error-page.ts';
import { emailField } from '../kit/form.ts';
import { refusalOf } from './form-refusal.ts';
import { newPasswordField } from './password-fields.ts';
import type { TakeSlot } from './sign-in-slots.ts';

/** The text fields of a submitted form, by name. */
type SentForm = Readonly<Record<string, string>>;

/** A form that sends a link to an address. The response is the same whether or not the address has an account. */
export interface LinkByMail {
  /** Below `/account`. */
  path: string;
  title: string;
  lead?: string;
  /** Fields before the address field. */
  fields?(sent: SentForm, error: string | undefined): Markup;
  hint?: string;
  /** Shown below the form. */
  other: Markup;
  sent: string;
  /** @throws errors that the form shows */
  request(sent: SentForm, req: Request): Promise<void>;
}

/** Serves the page with the form, and handles the form. */
export function linkByMailRouter(link: LinkByMail, takeSlot: TakeSlot): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const sentPage = cardPage({
    title: 'Check your email',
    content: html`<p class="lead">${link.sent}</p>
<p class="other"><a href="/account/sign-in">Back to sign in</a></p>`,
  });
  router.get(link.path, (_req, res) => {
    res.type('html').send(formPage(link, {}));
  });
  router.post(link.path, async (req, res) => {
    const sent = textsIn(formFields(req));
    try {
      await takeSlot(req, 'link');
      await link.request(sent, req);
      res.type('html').send(sentPage);
    } catch (thrown) {
      const error = refusalOf(thrown, res);
      res.type('html').send(formPage(link, sent, error));
    }
  });
  return router;
}

function formPage(link: LinkByMail, sent: SentForm, error?: string): string {
  const { path, title, lead, fields, hint, other } = link;
  return cardPage({
    title,
    error,
    content: html`${lead !== undefined && html`<p class="lead">${lead}</p>\n`}<form method="post" action="/account${path}">
${fields?.(sent, error)}
${emailField({ value: sent.email, hint, describedBy: error && 'error' })}
<button class="primary" type="submit">Send link</button>
</form>
<p class="other">${other}</p>`,
  });
}

/** A mailed link to a form that uses the link up. Opening it changes nothing: some mail programs open every link. */
export interface MailedLink<Found> {
  /** Below `/account`. */
  path: string;
  /** @throws errors for a link that no longer works */
  read(token: string): Promise<Found>;
  page(token: string, found: Found, error?: string): string;
  /** Performs the link's action and returns the confirmation page. @throws errors that the form shows */
  use(
    given: { token: string; password: string | null },
    found: Found,
    res: Response,
  ): Promise<string>;
}

/** Serves the page that the link opens, and handles its form. */
export function mailedLinkRouter<Found>(link: MailedLink<Found>, takeSlot: TakeSlot): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const read = (token: string) => ofGoodLink(link.read(token));
  router.get(link.path, async (req, res) => {
    const token = String(req.query.t ?? '');
    res.type('html').send(link.page(token, await read(token)));
  });
  router.post(link.path, async (req, res) => {
    const { t: token = '', password = null } = textsIn(formFields(req));
    await takeSlot(req);
    const found = await read(token);
    try {
      // Someone else may have used the link since it was read.
      const used = await ofGoodLink(link.use({ token, password }, found, res));
      res.type('html').send(used);
    } catch (thrown) {
      const error = refusalOf(thrown, res);
      res.type('html').send(link.page(token, found, error));
    }
  });
  return router;
}

/** Awaits the result of a mailed link. @throws PageError that says so if the link no longer works */
export async function ofGoodLink<T>(given: Promise<T>): Promise<T> {
  try {
    return await given;
  } catch (thrown) {
    const { status, message } = toServiceError(thrown);
    if (status !== 404) throw thrown;
    throw new PageError(404, { ...INVALID_LINK, text: message });
  }
}

/** Returns the text fields of a form. */
export function textsIn(form: Record<string, unknown>): SentForm {
  const texts = Object.entries(form).filter(([, value]) => typeof value === 'string');
  return Object.fromEntries(texts) as SentForm;
}

/** Returns the form of a mailed link, for the person of this address; it asks for a password if there is none yet. */
export function mailedLinkForm(form: {
  path: string;
  token: string;
  email: string;
  /** The label of the new password; false if the account already has one. */
  password: string | false;
  button: string;
  error: string | undefined;
}): Markup {
  const { path, token, email, password, button, error } = form;
  return html`<form method="post" action="/account${path}">
<input type="hidden" name="t" value="${token}">
<input type="hidden" name="username" autocomplete="username" value="${email}">
${password && newPasswordField(password, error && 'error')}
<button class="primary" type="submit">${button}</button>
</form>`;
}
