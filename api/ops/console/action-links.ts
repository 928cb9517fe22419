import { html, type Markup } from '../../../shared/platform/html.ts';
import { pathWith } from '../../pages/kit/format.ts';
import { mayRun } from '../ops-routes.ts';
import type { PageContext } from './console-page.ts';
import type { ActionForm } from './forms/action-form.ts';
import { ACTION_FORMS, type FormName } from './forms/action-forms.ts';

/** The fields that a form takes from the link to it. */
type GivenOf<N extends FormName> = (typeof ACTION_FORMS)[N]['given'][number];

/** A link to one form, with its subject. */
export interface ActionLink<N extends FormName> {
  form: N;
  given: Readonly<Record<GivenOf<N>, string>>;
  /** Names the subject for screen readers, which may not read its row. */
  about?: string | undefined;
  /** The page to go to afterwards. */
  back?: string | undefined;
  /** Replaces the form's own link text. */
  text?: string | undefined;
  tone?: ActionForm['tone'];
}

/** The viewer of a page: buttons for actions that the role may not run are left out. */
type Viewer = Pick<PageContext, 'staff'>;

/** Returns a button to the form, which asks before anything is done; nothing for a role that may not send it. */
export function actionLink<N extends FormName>(
  { staff }: Viewer,
  link: ActionLink<N>,
): Markup | undefined {
  const form: ActionForm = ACTION_FORMS[link.form];
  if (!mayRun(form.action, staff.role)) return undefined;
  const { about, given, back, text = form.link, tone = form.tone } = link;
  const href = pathWith(`/ops/do/${link.form}`, { ...given, back });
  return html`<a class="button ${tone}" href="${href}">${text}${
    about && html`<span class="unseen"> ${about}</span>`
  }</a>`;
}

/** A form of a group whose subject has states. */
interface OfferedForm<S> extends Pick<ActionForm, 'link'> {
  given: readonly string[];
  offered(state: S): boolean;
  linkFor?(state: S): string;
}

/**
 * Returns buttons for the forms of a group that the subject's state and the viewer's role allow, in the group's order.
 * @param only names of the candidates; the whole group if left out
 */
export function offeredLinks<N extends FormName, S>(
  viewer: Viewer,
  group: Readonly<Record<N, OfferedForm<S>>>,
  state: S,
  link: Omit<ActionLink<N>, 'form' | 'text'>,
  only?: readonly N[],
): Markup[] {
  const names = Object.keys(group) as N[];
  return names
    .filter((name) => (only === undefined || only.includes(name)) && group[name].offered(state))
    .flatMap(
      (form) => actionLink(viewer, { ...link, form, text: group[form].linkFor?.(state) }) ?? [],
    );
}

/** Returns buttons in a row; nothing if there are none. */
export function actionRow(links: readonly (Markup | undefined)[]): Markup {
  return links.every((link) => link === undefined) ? html`` : html`<p class="acts">${links}</p>`;
}
