import { describe, expect, it } from '@jest/globals';
import { readProjectFile } from '../support/sources.ts';

interface LockedPackage {
  readonly integrity?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** Entries by their place in `node_modules`; the project itself is at `''`. */
type LockedPackages = Readonly<Record<string, LockedPackage>>;

/**
 * The dependencies that no hash pins, each as `<who asks for it> -> <name>@<version>`. Packages for other
 * platforms are optional dependencies: npm leaves those out of the lockfile that it could not fetch.
 */
function unpinnedDependencies(packages: LockedPackages): string[] {
  return Object.entries(packages).flatMap(([place, { dependencies, optionalDependencies }]) =>
    Object.entries({ ...dependencies, ...optionalDependencies })
      .filter(([name]) => !resolve(packages, place, name)?.integrity)
      .map(([name, version]) => `${place} -> ${name}@${version}`),
  );
}

/** The entry that Node would load from the nearest enclosing `node_modules`. */
function resolve(packages: LockedPackages, from: string, name: string): LockedPackage | undefined {
  const found = packages[`${from && `${from}/`}node_modules/${name}`];
  if (found || from === '') return found;
  return resolve(packages, from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))), name);
}

describe('package-lock.json', () => {
  const { packages } = JSON.parse(readProjectFile('package-lock.json')) as {
    packages: LockedPackages;
  };

  it('pins the hash of every package on every platform, so that `npm ci` works', () => {
    expect(unpinnedDependencies(packages)).toEqual([]);
  });

  it.each(['@biomejs/cli-darwin-arm64', '@msgpackr-extract/msgpackr-extract-win32-x64'])(
    'is reported as incomplete without %s or without its hash',
    (name) => {
      const { [`node_modules/${name}`]: entry, ...others } = packages;
      const { integrity: _, ...unhashed } = entry ?? {};
      for (const damaged of [others, { ...others, [`node_modules/${name}`]: unhashed }]) {
        expect(unpinnedDependencies(damaged)).toEqual([expect.stringContaining(` -> ${name}@`)]);
      }
    },
  );
});
