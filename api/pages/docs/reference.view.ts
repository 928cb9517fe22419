import { assetPath } from '../assets.ts';
import { html } from '../html.ts';

/** An API as the page shows it. */
export interface DocumentedApi {
  /** Of the page. */
  path: string;
  title: string;
  /** Where its OpenAPI document is. */
  document: string;
  /** Whether the page can send requests: nobody should type a secret into a page to sign them. */
  canTry: boolean;
}

export const DOCUMENTED: readonly DocumentedApi[] = [
  { path: '/docs', title: 'Public API', document: '/openapi.json', canTry: true },
  { path: '/docs/partner', title: 'Partner API', document: '/openapi-partner.json', canTry: false },
];

/** The page of an API: our frame, into which the script puts what the document says. */
export function docsPage(api: DocumentedApi): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${api.title} – Domain marketplace</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${assetPath('swagger-ui.css')}">
<link rel="stylesheet" href="${assetPath('docs.css')}">
<script src="${assetPath('swagger-ui-bundle.js')}" defer></script>
<script src="${assetPath('docs.js')}" defer></script>
</head>
<body>
<header class="bar">
<p class="name">Domain marketplace</p>
<nav aria-label="APIs">
${DOCUMENTED.map(
  ({ path, title }) =>
    html`<a href="${path}"${path === api.path && html` aria-current="page"`}>${title}</a>`,
)}
</nav>
<a class="raw" href="${api.document}">OpenAPI 3.1</a>
</header>
<main id="docs" data-document="${api.document}" data-try="${String(api.canTry)}">
<p class="note">The pages of the API appear here with JavaScript. All that they say is in <a href="${api.document}">${api.document}</a>, too.</p>
</main>
</body>
</html>
`.markup;
}
