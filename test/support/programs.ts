const script = new URL('../../scripts/lib/redis-install.mjs', import.meta.url).href;

/** Returns the full path of a program. @throws Error that names the Debian package to install */
export async function requireProgram(name: string, debianPackage: string): Promise<string> {
  const { findProgram } = (await import(script)) as {
    findProgram(name: string): string | undefined;
  };
  const found = findProgram(name);
  if (!found) throw new Error(`${name} is missing: apt-get install ${debianPackage}`);
  return found;
}
