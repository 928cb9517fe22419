import { describe, expect, it } from '@jest/globals';

type Machine = {
  platform: string;
  isRoot: boolean;
  has: (program: string) => boolean;
  sudoWorks: () => boolean;
};
type Installer = { manager: string; command: string; args: string[] };

// The scripts run before anything is installed, so they are plain JavaScript without types.
const script = new URL('../../../scripts/lib/redis-install.mjs', import.meta.url).href;
const { chooseInstaller } = (await import(script)) as {
  chooseInstaller: (machine: Machine) => Installer | undefined;
};

const choose = (platform: string, programs: string[], { isRoot = false, sudo = false } = {}) =>
  chooseInstaller({
    platform,
    isRoot,
    has: (program) => programs.includes(program),
    sudoWorks: () => sudo,
  });

describe('installing Redis automatically', () => {
  it.each(['apt-get', 'apk', 'dnf'])('uses %s as root', (manager) => {
    expect(choose('linux', [manager], { isRoot: true })).toMatchObject({ manager, command: 'sh' });
  });

  it('uses sudo only if it asks for no password', () => {
    expect(choose('linux', ['apt-get', 'sudo'], { sudo: true })).toMatchObject({
      manager: 'apt-get',
      command: 'sudo',
      args: ['-n', 'sh', '-c', expect.any(String)],
    });
    expect(choose('linux', ['apt-get', 'sudo'], { sudo: false })).toBeUndefined();
    expect(choose('linux', ['apt-get'])).toBeUndefined();
  });

  it('uses Homebrew on a Mac but never as root', () => {
    expect(choose('darwin', ['brew'])).toMatchObject({ manager: 'brew' });
    expect(choose('darwin', ['brew'], { isRoot: true })).toBeUndefined();
  });

  it('does nothing on an unknown system', () => {
    expect(choose('linux', [], { isRoot: true })).toBeUndefined();
    expect(choose('win32', ['sudo'], { sudo: true })).toBeUndefined();
  });

  it('keeps Debian from starting a service and undoes that afterwards', () => {
    const text = choose('linux', ['apt-get'], { isRoot: true })?.args.at(-1) ?? '';
    expect(text).toContain('policy=/usr/sbin/policy-rc.d');
    expect(text.indexOf('exit 101')).toBeLessThan(text.indexOf('apt-get install'));
    expect(text).toContain(`trap 'rm -f "$policy"' EXIT`);
    expect(text).toContain('systemctl disable --now redis-server.service');
  });
});
