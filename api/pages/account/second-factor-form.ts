import { html, type Markup } from '../../../shared/platform/html.ts';
import { inputField } from '../kit/form.ts';

/** Where somebody enters a code of a second factor. `error`: the id of the message that says why the last one failed. */
export function codeField(
  error?: string | false,
  { autofocus = false, hint = 'From your authenticator app, or a recovery code.' } = {},
): Markup {
  return inputField({
    name: 'code',
    label: 'Code',
    hint,
    required: true,
    describedBy: error,
    attributes: {
      autocomplete: 'one-time-code',
      maxlength: 40,
      spellcheck: 'false',
      autocapitalize: 'none',
      autofocus,
    },
  });
}

/** Asks for the second factor of whoever knew the password. */
export function secondFactorForm(form: {
  action: string;
  ticket: string;
  fields: Readonly<Record<string, string>>;
  error?: string | undefined;
}): Markup {
  const { action, ticket, fields, error } = form;
  return html`<form method="post" action="${action}">
<input type="hidden" name="ticket" value="${ticket}">
${Object.entries(fields).map(
  ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`,
)}${codeField(error, { autofocus: true })}
<p class="acts"><button class="primary" type="submit">Verify</button></p>
</form>`;
}
