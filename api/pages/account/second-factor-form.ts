import type { PasskeyRequest } from '../../../shared/people/users/passkey.ts';
import type { SecondFactorProof } from '../../../shared/people/users/second-factor.ts';
import { html, type Markup } from '../../../shared/platform/html.ts';
import { inputField } from '../kit/form.ts';
import { passkeyAnswerIn, passkeyForm } from './passkey-form.ts';

/** Returns the field for a second-factor code. `error`: the id of the message that says why the last one failed. */
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

/** Returns what the fields of that form prove. */
export function proofIn(fields: Readonly<Record<string, unknown>>): SecondFactorProof {
  return passkeyAnswerIn(fields) ?? { code: String(fields.code ?? '') };
}

/** Returns the form that asks for a second factor. */
export function secondFactorForm(form: {
  action: string;
  fields: Readonly<Record<string, string>>;
  /** Set if the user has passkeys. */
  passkey: PasskeyRequest<object> | undefined;
  error?: string | undefined;
}): Markup {
  const { action, fields, passkey, error } = form;
  return html`${
    passkey &&
    passkeyForm({ action, kind: 'use', request: passkey, hidden: fields, button: 'Use a passkey' })
  }<form method="post" action="${action}">
${Object.entries(fields).map(
  ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`,
)}${codeField(error, { autofocus: true })}
<p class="acts"><button class="primary" type="submit">Verify</button></p>
</form>`;
}
