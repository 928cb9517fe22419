import { readdirSync, readFileSync } from 'node:fs';
import { dirname, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const MODULES = [
  'api',
  'workers',
  'shared',
  'db',
  'sdk/generator',
  'sdk/src',
  'epp-demo',
  'measure',
  'test',
];

export interface ImportStatement {
  /** The importing file, relative to the top of the repository. */
  file: string;
  /** A package (`node:fs`, `knex`) or, for our own files, a path relative to the top of the repository. */
  target: string;
  ours: boolean;
  /** Whether nothing of it remains once types are removed. */
  typeOnly: boolean;
}

export interface Source {
  file: string;
  text: string;
  imports: ImportStatement[];
}

/** Returns the text of a file, named relative to the top of the repository. */
export function readProjectFile(file: string): string {
  return readFileSync(ROOT + file, 'utf8');
}

/** Returns every TypeScript file of the project with what it imports, exports from, or loads with `import()`. */
export function readSources(): Source[] {
  return MODULES.flatMap((module) =>
    readdirSync(ROOT + module, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map((entry) => relative(ROOT, `${entry.parentPath}/${entry.name}`).replaceAll('\\', '/')),
  )
    .sort()
    .map((file) => {
      const text = readProjectFile(file);
      return { file, text, imports: importsOf(file, text) };
    });
}

const STATEMENT = /^(?:import|export)\s+(type\s+)?([^'";]*?)\s*from\s*'([^']+)'/gm;
const SIDE_EFFECT = /^import\s+'([^']+)'/gm;
const DYNAMIC = /(typeof\s+)?\bimport\(\s*'([^']+)'/g;

/** Finds imports by pattern: the formatter leaves only one way to write each form. */
export function importsOf(file: string, source: string): ImportStatement[] {
  const text = source.replace(/^\s*(?:\/\/|\*|\/\*).*$/gm, '');
  const found: ImportStatement[] = [];
  const add = (specifier: string, typeOnly: boolean) => {
    const ours = specifier.startsWith('.');
    const target = ours ? posix.join(dirname(file), specifier) : specifier;
    found.push({ file, target, ours, typeOnly });
  };
  for (const [, type, names = '', specifier = ''] of text.matchAll(STATEMENT)) {
    add(specifier, type !== undefined || allTypes(names));
  }
  for (const [, specifier = ''] of text.matchAll(SIDE_EFFECT)) add(specifier, false);
  for (const [, type, specifier = ''] of text.matchAll(DYNAMIC)) add(specifier, type !== undefined);
  return found;
}

/** Matches `{ type A, type B }`. */
function allTypes(names: string): boolean {
  const inner = /^\{([\s\S]*)\}$/.exec(names.trim())?.[1];
  if (inner === undefined) return false;
  const parts = inner.split(',').map((part) => part.trim());
  return parts.filter((part) => part !== '').every((part) => part.startsWith('type '));
}
