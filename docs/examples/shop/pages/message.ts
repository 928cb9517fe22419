import { searchUrl } from '../format.ts';
import { html } from '../html.ts';
import type { Problem } from '../problems.ts';
import { layout } from './layout.ts';

/** Returns the page for an error: what went wrong, and links to try again or to find other names. */
export function problemPage(problem: Problem, query: string, again: string | undefined): string {
  return layout({
    title: problem.title,
    query,
    main: html`<section class="message">
<h1>${problem.title}</h1>
<p>${problem.text}</p>
<p class="ways">${
      again !== undefined &&
      problem.passing &&
      html`<a class="button" href="${again}">Try again</a>`
    }<a class="${problem.passing ? 'link' : 'button'}" href="${searchUrl(query)}">See other names</a></p>
</section>`,
  });
}
