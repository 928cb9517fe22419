import type { PasskeyRequest } from '../../../shared/people/users/passkey.ts';
import { html, type Markup } from '../../../shared/platform/html.ts';

/** What a page with such a form loads. */
export const PASSKEY_SCRIPTS = {
  libraries: ['passkey-library.js'],
  scripts: ['passkeys.js'],
} as const;

/** Returns a form that asks the browser for a passkey, or for a new one. It is hidden until the script shows it. */
export function passkeyForm(form: {
  action: string;
  kind: 'new' | 'use';
  request: PasskeyRequest<object>;
  /** Hidden fields. */
  hidden?: Readonly<Record<string, string>>;
  fields?: Markup;
  button: string;
}): Markup {
  const { action, kind, request, hidden = {}, fields, button } = form;
  return html`<div class="passkey" hidden>
<form class="narrow" method="post" action="${action}">
<input type="hidden" name="passkey_ticket" value="${request.ticket}">
<input type="hidden" name="response" value="" data-passkey="${kind}" data-options="${JSON.stringify(request.options)}">
${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`)}${fields}
<p class="acts"><button class="${kind === 'new' && 'primary'}" type="submit">${button}</button></p>
<p class="error" role="alert"></p>
</form>
</div>`;
}

/** Returns the browser's answer from the fields of such a form; undefined for other forms. */
export function passkeyAnswerIn(fields: Readonly<Record<string, unknown>>) {
  if (fields.response === undefined) return undefined;
  return { ticket: String(fields.passkey_ticket ?? ''), response: String(fields.response) };
}
