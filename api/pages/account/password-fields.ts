import { MAX_PASSWORD, MIN_PASSWORD } from '../../../shared/people/users/password.ts';
import type { Markup } from '../../../shared/platform/html.ts';
import { inputField } from '../kit/form.ts';

/** Returns the field for the current password. `error`: the id of the message that says why the last was refused. */
export function presentPasswordField(error?: string | false): Markup {
  return inputField({
    name: 'present',
    label: 'Current password',
    type: 'password',
    required: true,
    describedBy: error,
    attributes: { autocomplete: 'current-password', maxlength: MAX_PASSWORD },
  });
}

/** Returns the field for a new password. `error`: the id of the message that says why the last was refused. */
export function newPasswordField(label: string, error?: string | false): Markup {
  return inputField({
    name: 'password',
    label,
    type: 'password',
    hint: `At least ${MIN_PASSWORD} characters. Common passwords are rejected.`,
    required: true,
    describedBy: error,
    attributes: {
      autocomplete: 'new-password',
      minlength: MIN_PASSWORD,
      maxlength: MAX_PASSWORD,
    },
  });
}
