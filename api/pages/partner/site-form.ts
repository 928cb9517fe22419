import { html, type Markup } from '../../../shared/platform/html.ts';

/** Returns a button that sends a command at once; `about` names its subject for screen readers if there are several. */
export function commandButton(action: string, text: string, about?: string): Markup {
  return html`<form method="post" action="${action}"><button type="submit">${text}${
    about && html`<span class="unseen"> ${about}</span>`
  }</button></form>`;
}
