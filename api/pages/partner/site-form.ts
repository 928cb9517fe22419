import { html, type Markup } from '../../../shared/platform/html.ts';

/** A button that sends a command at once; `about` tells screen readers of what, where there are several. */
export function commandButton(action: string, text: string, about?: string): Markup {
  return html`<form method="post" action="${action}"><button type="submit">${text}${
    about && html`<span class="unseen"> ${about}</span>`
  }</button></form>`;
}
