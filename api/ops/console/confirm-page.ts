import type { FieldError, ServiceError } from '../../../shared/platform/errors.ts';
import { html, type Markup } from '../../pages/html.ts';
import { errorNotice } from './error-page.ts';
import { type FormValues, formFields, labelOf } from './form-fields.ts';
import type { ActionForm, ActionSubject } from './forms.ts';

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
