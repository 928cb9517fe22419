import { createRegistrars } from '../shared/domains/registrar/create-registrars.ts';
import type { Registrars } from '../shared/domains/registrar/registrar.ts';
import {
  createListingTermsFinder,
  type ListingTermsFinder,
} from '../shared/market/inventory/find-listing.ts';
import { sandboxOutcome } from '../shared/market/inventory/sandbox-names.ts';
import { configuredLookups } from '../shared/market/lookup/configured-lookups.ts';
import type { Lookups } from '../shared/market/lookup/lookup.ts';
import {
  createEmbeddings,
  type Embeddings,
} from '../shared/market/search/embeddings/embeddings.ts';
import {
  createSearchMisses,
  type SearchMisses,
} from '../shared/market/search/misses/search-misses.ts';
import { createTldCatalogue, type TldCatalogue } from '../shared/market/tlds/tld-catalogue.ts';
import { createTransferPolicyFinder } from '../shared/market/tlds/transfer-policies.ts';
import { PdfRenderer } from '../shared/messaging/documents/paper/pdf-renderer.ts';
import type { PingSlots } from '../shared/messaging/events/pings.ts';
import { createPaymentProviders } from '../shared/money/payments/create-payment-providers.ts';
import type { PaymentProviders } from '../shared/money/payments/payment-provider.ts';
import type { Infrastructure } from '../shared/operations/infrastructure.ts';
import { createFleetStats, type FleetStats } from '../shared/operations/monitoring/fleet-stats.ts';
import {
  type CredentialCache,
  createCredentialCache,
} from '../shared/people/partners/credential-cache.ts';
import {
  type CredentialUse,
  createCredentialUse,
} from '../shared/people/partners/credential-use.ts';
import { createRequestLog, type RequestLog } from '../shared/people/partners/request-log.ts';
import { createSiteProbes, type SiteProbes } from '../shared/sales/brokerage/site-probe.ts';
import { registrantOfPush } from '../shared/sales/transfers/registrar-push.ts';
import { createLimiter } from './http/rate-limit.ts';
import { createRequestLimits, type RequestLimits } from './partner/request-limits.ts';
import { createPublicLimits, type PublicLimits } from './public/public-limits.ts';

/** The services of the API process and of the commands. Built once per process. */
export interface ApiServices extends Infrastructure {
  /** Rate limits of partners: of their API keys, and of their members on the site. */
  requestLimits: RequestLimits;
  /** Rate limits of everyone else: addresses, users and staff. */
  limits: PublicLimits;
  /** Limits test events per target host. */
  pingSlots: PingSlots;
  credentials: CredentialCache;
  credentialUse: CredentialUse;
  requestLog: RequestLog;
  findTerms: ListingTermsFinder;
  registrars: Registrars;
  siteProbes: SiteProbes;
  lookups: Lookups;
  tlds: TldCatalogue;
  payments: PaymentProviders;
  embeddings: Embeddings;
  pdfs: PdfRenderer;
  searchMisses: SearchMisses;
  figures: FleetStats;
}

/** Builds the API's services on `infrastructure`, which closes them when it stops. */
export function composeApi(infrastructure: Infrastructure): ApiServices {
  const { config, db, clock, http, queues, redis, beforeStop } = infrastructure;
  const embeddings = createEmbeddings({ ...infrastructure, warm: true });
  beforeStop(() => embeddings.close());
  const lookups = configuredLookups(infrastructure);
  beforeStop(() => lookups.close());
  const searchMisses = createSearchMisses(infrastructure);
  beforeStop(() => searchMisses.close());
  const credentialUse = createCredentialUse(infrastructure);
  beforeStop(() => credentialUse.close());
  const requestLog = createRequestLog(infrastructure);
  beforeStop(() => requestLog.close());
  const pdfs = new PdfRenderer();
  beforeStop(() => pdfs.close());
  return {
    ...infrastructure,
    requestLimits: createRequestLimits(infrastructure),
    limits: createPublicLimits(redis, config),
    pingSlots: createLimiter(redis, config, 'ping-host', config.limitPingHost),
    pdfs,
    credentials: createCredentialCache(infrastructure),
    credentialUse,
    requestLog,
    findTerms: createListingTermsFinder({ db, clock }),
    registrars: createRegistrars(
      infrastructure,
      sandboxOutcome,
      createTransferPolicyFinder(infrastructure),
      (reference) => registrantOfPush(infrastructure, reference),
    ),
    siteProbes: createSiteProbes(config, http),
    lookups,
    tlds: createTldCatalogue({ db, clock }),
    payments: createPaymentProviders(infrastructure),
    embeddings,
    searchMisses,
    figures: createFleetStats({ config, db, clock, queues, redis }),
  };
}
