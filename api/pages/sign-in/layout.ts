import { assetPath } from '../assets.ts';
import { html, type Markup } from '../html.ts';

/** The frame of the pages on the way into a signed-in app: one card, style of ours and nothing else. */
export function signInLayout(page: { title: string; content: Markup }): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="color-scheme" content="light dark">
<title>${page.title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${assetPath('sign-in.css')}">
</head>
<body>
<main>
${page.content}
</main>
</body>
</html>
`.markup;
}

/** A page that says one thing: why it does not go on here. */
export function signInNotice(title: string, text: string): string {
  return signInLayout({ title, content: html`<h1>${title}</h1>\n<p>${text}</p>` });
}

/** For a page that was left open too long, was finished already, or belongs to another browser. */
export const EXPIRED = {
  title: 'This sign-in has expired',
  text: 'It was finished already, or left waiting for too long, or opened in another browser. Go back to the app and start again.',
} as const;

/** For an answer that was given before, by a second click perhaps, or too late; `link` starts anew. */
export function finishedPage(link: string): string {
  const title = 'This sign-in is over';
  return signInLayout({
    title,
    content: html`<h1>${title}</h1>
<p class="lead">You have answered it already and the app is opening, or it was left waiting for too long. If the app does not open, go on from here.</p>
<p><a class="button main" href="${link}">Go on to the app</a></p>`,
  });
}
