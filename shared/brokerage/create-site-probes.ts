import type { Config } from '../platform/config.ts';
import { createDnsRecords } from '../platform/dns-records.ts';
import type { HttpClient } from '../platform/http-client.ts';
import { probeSandboxSite } from './sandbox-sites.ts';
import { createSiteProbe, type SiteProbes } from './site-probe.ts';

/** LIVE looks at the real site; SANDBOX answers by the name. */
export function createSiteProbes(config: Config, http: HttpClient): SiteProbes {
  return {
    SANDBOX: probeSandboxSite,
    LIVE: createSiteProbe({
      dns: createDnsRecords(),
      http,
      budgetMs: config.brokerageProbeMs,
      userAgent: `DomainMarketplace-SiteProbe/1.0 (+${config.baseUrl})`,
    }),
  };
}
