// Writes fonts.json: the families of the fonts that documents are set in, and the characters that each of them has.
// Needs `fc-query` of fontconfig. Run it after a change of the fonts.
import { execFileSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';

const folder = new URL('../shared/messaging/documents/paper/fonts/', import.meta.url);
/** Families that come after all others: they have letters that others draw better. */
const LAST = ['Noto Sans Symbols', 'NanumSquare', 'Droid Sans Fallback'];
/** Of this one `document.typ` takes Hangul alone: its few Han characters would stand out among those of Droid. */
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
