import { type RegistryStandIn, startRegistryStandIn } from './registry-stand-in.ts';
import { createTestRuntime, type TestRuntime } from './runtime.ts';
import type { TestSettings } from './settings.ts';

/** A runtime whose only registry is a stand-in that serves `.pizza` and `.coffee`. */
export interface LookupBench {
  registry: RegistryStandIn;
  runtime: TestRuntime;
  stop(): Promise<void>;
}

export async function startLookupBench(env: TestSettings = {}): Promise<LookupBench> {
  const registry = await startRegistryStandIn();
  const runtime = await createTestRuntime({ ...lookupEnv(registry), ...env });
  return {
    registry,
    runtime,
    async stop() {
      await runtime.stop();
      await registry.close();
    },
  };
}

/** Returns settings that make a process ask the stand-in instead of real registries. */
export function lookupEnv(registry: RegistryStandIn): TestSettings {
  registry.tlds.push('pizza', 'coffee');
  registry.whois.set('pizza', 'domain:       PIZZA\n\nwhois:        whois.registry.localhost\n');
  return {
    LOOKUP_REGISTRIES: 'network',
    lookupBootstrapUrl: registry.bootstrapUrl,
    lookupWhoisServer: `127.0.0.1:${registry.whoisPort}`,
  };
}

/** Returns a minimal WHOIS record of a name. */
export function whoisRecord(name: string, registrar = 'Sample Registrar'): string {
  return `Domain Name: ${name.toUpperCase()}\r\nRegistrar: ${registrar}\r\nCreation Date: 2001-02-03T04:05:06Z\r\n`;
}
