import { html, type Markup } from '../../../shared/platform/html.ts';
import { type IconName, icon } from './icon.ts';

/** A section of a site, as its navigation names it. */
export interface SectionLink {
  text: string;
  icon: IconName;
  href: string;
  current: boolean;
}

export interface Masthead {
  /** The link with the name of the site. */
  home: Markup;
  /** What stands beside it: a search, or a choice for all pages. */
  beside?: Markup;
  /** Where the person's own pages are. */
  links?: Markup;
  email: string;
  /** Where signing out is posted to. */
  signOut: string;
  /** What the navigation is called, for assistive technology. */
  label: string;
  sections: readonly SectionLink[];
}

/**
 * Returns the top of a site's pages. On narrow screens, who is signed in and the sections are behind a menu button: a
 * popover, which needs no script. Browsers without popovers show them on every page.
 */
export function masthead(top: Masthead): Markup {
  const { home, beside, links, email, signOut, label, sections } = top;
  return html`<header class="masthead">
<div class="bar">
${home}
<button class="menu-button" type="button" popovertarget="menu">${icon('menu')}Menu</button>
${beside}
<div class="menu" id="menu" popover>
<button class="menu-button close" type="button" popovertarget="menu" popovertargetaction="hide">${icon('x')}Close</button>
<form class="who" method="post" action="${signOut}">
${links}
<span class="email">${email}</span>
<button class="link" type="submit">Sign out</button>
</form>
<nav class="sections" aria-label="${label}"><ul>${sections.map(
    ({ text, icon: shape, href, current }) =>
      html`<li><a href="${href}"${current && html` aria-current="page"`}>${icon(shape)}${text}</a></li>`,
  )}</ul></nav>
</div>
</div>
</header>`;
}
