import type { ServiceError } from '../../../shared/platform/errors.ts';
import { html, type Markup } from '../../pages/html.ts';
import { consoleLayout } from './layout.ts';

const TITLES: Readonly<Record<number, string>> = {
  400: 'This cannot be read',
  401: 'Sign in first',
  403: 'Not allowed',
  404: 'Nothing here',
  409: 'Not possible now',
  413: 'Too much at once',
  422: 'Not possible',
  503: 'Away for a moment',
};

/** What went wrong in words, with its code and the request to quote. */
export function errorNotice(error: ServiceError, requestId: string): Markup {
  return html`<div class="problem" role="alert">
<p>${error.message}</p>
<p class="hint"><code>${error.code}</code> · request <code>${requestId}</code></p>
</div>`;
}

/** A page for what could not be shown or done. */
export function consoleErrorPage(
  error: ServiceError,
  state: { requestId: string; email: string | undefined },
): string {
  return consoleLayout({
    title: TITLES[error.status] ?? 'Something went wrong',
    prefix: 'Error',
    email: state.email,
    content: html`${errorNotice(error, state.requestId)}
<p>${
      error.status === 401
        ? html`<a href="/ops/sign-in">Go to the sign-in</a>`
        : html`<a href="/ops">Back to the desk</a>`
    }</p>`,
  });
}
