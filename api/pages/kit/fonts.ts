import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const { resolve } = createRequire(import.meta.url);
const PACKAGE = '@fontsource-variable/inter';
/** How the package's style sheet refers to its files. */
const FILE = /url\(\.\/(files\/[\w-]+\.woff2)\)/g;
/** The file that nearly every page needs; browsers load other scripts' files if a page has such letters. */
const LATIN = 'files/inter-latin-wght-normal.woff2';

/** The typeface of our pages: Inter, one file per script. */
export interface Fonts {
  /** The `@font-face` rules. */
  css: Buffer;
  /** The path of the file that pages load at once. */
  latinPath: string;
}

/** Publishes each font file with `add`, which returns its path. */
export function publishFonts(add: (name: string, content: Buffer) => string): Fonts {
  const paths = new Map<string, string>();
  const publish = (file: string): string => {
    const path =
      paths.get(file) ??
      add(file.replace(/^files\/|-wght-normal/g, ''), readFileSync(resolve(`${PACKAGE}/${file}`)));
    paths.set(file, path);
    return path;
  };
  const rules = readFileSync(resolve(`${PACKAGE}/index.css`), 'utf8').replace(
    FILE,
    (_url, file: string) => `url(${publish(file)})`,
  );
  return { css: Buffer.from(rules), latinPath: publish(LATIN) };
}
