import type { SiteFinding, SiteProbe } from './site-probe.ts';

/** What the sandbox's probe finds behind a domain whose label starts so (docs/sandbox.md). */
export const RESERVED_SITES = {
  'active-': 'active',
  'parked-': 'parked',
  'nosite-': 'no_site',
  'slowsite-': 'unknown',
  'unregistered-': 'unregistered',
} as const satisfies Record<string, SiteFinding['state']>;

/** The sandbox looks at nobody's site: the name tells, and every other name is registered without a site. */
export const probeSandboxSite: SiteProbe = async (domain) => {
  for (const [prefix, state] of Object.entries(RESERVED_SITES)) {
    if (domain.startsWith(prefix)) return { state };
  }
  return { state: 'no_site' };
};
