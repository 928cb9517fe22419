import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const MODULES = fileURLToPath(new URL('../../node_modules/', import.meta.url));
const OPTIONS = [
  '--noEmit',
  '--ignoreConfig',
  '--strict',
  '--skipLibCheck',
  '--module',
  'nodenext',
  '--types',
  '',
];

interface Manifest {
  apiVersion: string;
  kind: string;
}

/** Returns the compiler errors of manifests checked against the types of their APIs; empty if they are correct. */
export async function manifestFaults(manifests: readonly Manifest[]): Promise<string> {
  // Inside node_modules, so that the packages' types are found.
  const folder = await mkdtemp(join(MODULES, '.manifests-'));
  try {
    const file = join(folder, 'manifests.ts');
    await writeFile(file, manifests.map(asTyped).join('\n'));
    return await compile(file);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Returns a constant of the manifest's type: a literal may have no extra fields. */
function asTyped(manifest: Manifest, at: number): string {
  const { apiVersion, kind } = manifest;
  const home = apiVersion.startsWith('keda.sh/') ? '@kubernetes-models/keda' : 'kubernetes-models';
  return `import type { I${kind} as Type${at} } from '${home}/${apiVersion}/${kind}';
export const manifest${at}: Type${at} = ${JSON.stringify(manifest)};`;
}

function compile(file: string): Promise<string> {
  const compiler = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc');
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [compiler, ...OPTIONS, file]);
    let said = '';
    child.stdout.on('data', (part) => {
      said += part;
    });
    child.once('error', reject);
    child.once('close', () => resolve(said));
  });
}
