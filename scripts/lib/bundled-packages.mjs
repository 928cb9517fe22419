import path from 'node:path';
import { projectRoot } from './project.mjs';

/**
 * Packages of hundreds of small files. Jest loads packages anew for every test file, which takes it as long for a
 * small file as for a large one.
 */
const PACKAGES = {
  typebox: 'node_modules/typebox/build/index.mjs',
  'typebox/value': 'node_modules/typebox/build/value/index.mjs',
};

/** Writes each of them into `folder` as one file, and gives the patterns and places for jest's `moduleNameMapper`. */
export async function bundlePackages(folder) {
  // In a fresh clone it is there only now.
  const { build } = await import('esbuild');
  const fileOf = (name) => name.replaceAll('/', '-');
  await build({
    absWorkingDir: projectRoot,
    entryPoints: Object.fromEntries(
      Object.entries(PACKAGES).map(([name, file]) => [fileOf(name), file]),
    ),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    // What two of them share is there once.
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'warning',
  });
  return Object.fromEntries(
    Object.keys(PACKAGES).map((name) => [`^${name}$`, path.join(folder, `${fileOf(name)}.mjs`)]),
  );
}
