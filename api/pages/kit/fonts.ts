import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const { resolve } = createRequire(import.meta.url);
const PACKAGE = '@fontsource-variable/inter';
/** How the style sheet of the package names its files. */
const FILE = /url\(\.\/(files\/[\w-]+\.woff2)\)/g;
/** What nearly every page needs; a browser loads the other scripts' files when a page has such a letter. */
const LATIN = 'files/inter-latin-wght-normal.woff2';

/** The typeface of our pages: Inter, as one file for the letters of each script. */
export interface Fonts {
  /** The `@font-face` rules. */
  css: Buffer;
  /** Where the file is that pages load at once. */
  latinPath: string;
}

/** Publishes each file of the typeface by `add`, which says where it is. */
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
