import { assetPath } from '../assets.ts';
import { html } from '../html.ts';
import { portalHeader } from './layout.ts';

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

export const API_REFERENCES: readonly DocumentedApi[] = [
  {
    path: '/docs/reference/public',
    title: 'Public API',
    document: '/openapi.json',
    canTry: true,
  },
  {
    path: '/docs/reference/partner',
    title: 'Partner API',
    document: '/openapi-partner.json',
    canTry: false,
  },
];

/** The page of an API: our frame, into which the script puts what the document says. */
export function referencePage(api: DocumentedApi): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${api.title} – Domain marketplace</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${assetPath('swagger-ui.css')}">
<link rel="stylesheet" href="${assetPath('portal.css')}">
<link rel="stylesheet" href="${assetPath('reference.css')}">
<script src="${assetPath('swagger-ui-bundle.js')}" defer></script>
<script src="${assetPath('reference.js')}" defer></script>
</head>
<body class="reference">
<a class="skip" href="#docs">Skip to the content</a>
${portalHeader(api.path)}
<div id="docs" tabindex="-1" data-document="${api.document}" data-try="${String(api.canTry)}">
<div id="reference">
<main>
<h1>${api.title}</h1>
<p class="note">The pages of the API appear here with JavaScript. All that they say is in <a href="${api.document}">${api.document}</a>, too.</p>
</main>
</div>
</div>
</body>
</html>
`.markup;
}
