import { attributes, html, type Markup } from '../../../shared/platform/html.ts';
import { type AssetName, assetPath, FONT_PATH } from './assets.ts';

/** The favicon: a domain's letter and dot, embedded in the page. */
const ICON = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#3346d3"/><path d="M9 9h5a7 7 0 0 1 0 14H9z" fill="none" stroke="#fff" stroke-width="3.5" stroke-linejoin="round"/><circle cx="25.5" cy="23" r="2.3" fill="#fff"/></svg>')}`;

/** What the whole site is called. */
export const SITE = 'Domain marketplace';

/** The slots of a page. */
export interface HtmlDocument {
  title: string;
  /** Style sheets, in order. */
  styles: readonly AssetName[];
  /** Modules. Browsers run them once the page is parsed. */
  scripts?: readonly AssetName[];
  /** Modules that change what is shown: browsers that support it paint the page after running them. */
  scriptsBeforePaint?: readonly AssetName[];
  /** Scripts that are not modules. They run before the modules, in order. */
  libraries?: readonly AssetName[];
  /** Whether search engines may index the page. */
  listed?: boolean;
  /** More markup for the head. */
  head?: Markup | false | undefined;
  bodyClass?: string | undefined;
  /** The id of the element that keyboard users can skip to. */
  skipTo?: string;
  /** In SANDBOX: what does not really happen there, in one sentence. */
  testMode?: string | false | undefined;
  header?: Markup | false | undefined;
  /** The `main` element, with the elements around it. */
  content: Markup;
  footer?: Markup | undefined;
}

/** Returns a whole page. Every page of ours is built here, and loads only our own assets. */
export function htmlDocument(page: HtmlDocument): string {
  const { styles, scripts = [], scriptsBeforePaint = [], libraries = [], skipTo, testMode } = page;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${!page.listed && html`<meta name="robots" content="noindex, nofollow">\n`}<title>${page.title}</title>
<link rel="icon" href="${ICON}">
<link rel="preload" href="${FONT_PATH}" as="font" type="font/woff2" crossorigin>
${styles.map((name) => html`<link rel="stylesheet" href="${assetPath(name)}">\n`)}${libraries.map(
  (name) => html`<script src="${assetPath(name)}" defer></script>\n`,
)}${scriptsBeforePaint.map(
  (name) => html`<script src="${assetPath(name)}" type="module" blocking="render"></script>\n`,
)}${scripts.map(
  (name) => html`<script src="${assetPath(name)}" type="module"></script>\n`,
)}${page.head}</head>
<body${attributes({ class: page.bodyClass })}>
${skipTo !== undefined && html`<a class="skip" href="#${skipTo}">Skip to the content</a>\n`}${
  testMode &&
  html`<aside class="test-mode" aria-label="Test mode"><strong>Test mode</strong> ${testMode}</aside>\n`
}${page.header}
${page.content}
${page.footer}
</body>
</html>
`.markup;
}
