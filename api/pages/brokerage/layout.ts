import { assetPath } from '../assets.ts';
import { html, type Markup } from '../html.ts';

/** The frame of every page under /brokerage. It loads one style sheet of ours and nothing else. */
export function progressLayout(page: {
  title: string;
  content: Markup;
  sandbox?: boolean;
}): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="color-scheme" content="light dark">
<title>${page.title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${assetPath('progress.css')}">
</head>
<body>
${page.sandbox && html`<aside class="sandbox" aria-label="Test mode"><strong>Test mode</strong> Nobody is contacted and no real domain is bought.</aside>`}
<main>
${page.content}
</main>
</body>
</html>
`.markup;
}

/** A page that says one thing: why there is nothing else to see. */
export function progressNotice(title: string, text: string): string {
  return progressLayout({
    title,
    content: html`<section class="card notice"><h1>${title}</h1><p>${text}</p></section>`,
  });
}
