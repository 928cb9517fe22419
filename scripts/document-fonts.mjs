// Writes fonts.json: the font families that documents use, and the characters in each of them.
// Needs `fc-query` from fontconfig. Run it after changing the fonts.
import { execFileSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';

const folder = new URL('../shared/messaging/documents/paper/fonts/', import.meta.url);
/** Families that come last, since other fonts draw some of their characters better. */
const LAST = ['Noto Sans Symbols', 'NanumSquare', 'Droid Sans Fallback'];
/** `document.typ` uses this font for Hangul only: its few Han characters would stand out among those of Droid. */
const HANGUL = { family: 'NanumSquare', characters: '3131-318e ac00-d7a3' };

const families = new Map();
for (const file of readdirSync(folder).filter((name) => name.endsWith('.ttf'))) {
  const font = new URL(file, folder).pathname;
  const [names, characters] = execFileSync('fc-query', ['--format', '%{family}|%{charset}', font])
    .toString()
    .split('|');
  families.set(names.split(',')[0], characters);
}
const rank = (family) => LAST.indexOf(family) + 1;
const sorted = [...families].sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1));
const fonts = sorted.map(([family, characters]) =>
  family === HANGUL.family ? HANGUL : { family, characters },
);
writeFileSync(new URL('fonts.json', folder), `${JSON.stringify(fonts, null, 2)}\n`);
