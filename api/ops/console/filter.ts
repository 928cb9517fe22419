import { html, type Markup } from '../../pages/html.ts';
import { humanize } from './format.ts';

/** Narrows a list; `kept` goes along unseen. */
export function filterForm(
  path: string,
  fields: readonly Markup[],
  kept: Readonly<Record<string, string | null>> = {},
): Markup {
  const hidden = Object.entries(kept).filter(([, value]) => value !== null);
  return html`<form class="filter" method="get" action="${path}">
${hidden.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${fields}<div><button type="submit">Show</button></div>
</form>`;
}

/** One choice of a filter; without one, everything. */
export function selectFilter(
  name: string,
  label: string,
  choices: readonly string[],
  chosen: string | null,
  every = 'All',
): Markup {
  return html`<div><label for="filter-${name}">${label}</label>
<select id="filter-${name}" name="${name}"><option value="">${every}</option>${choices.map(
    (choice) =>
      html`<option value="${choice}"${choice === chosen && html` selected`}>${
        choice === 'LIVE' || choice === 'SANDBOX' ? choice : humanize(choice)
      }</option>`,
  )}</select></div>
`;
}

export function environmentFilter(chosen: string | null): Markup {
  return selectFilter('environment', 'Environment', ['LIVE', 'SANDBOX'], chosen);
}
