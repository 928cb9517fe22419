import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type Profiler, type Runtime, Session } from 'node:inspector';
import { SourceMap } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * With BENCH_PROFILE (`npm run bench -- availability --profile <folder>`), samples this process from now on and writes
 * a `.cpuprofile` to that folder at exit.
 */
export function profileUntilExit(name: string): void {
  const folder = process.env.BENCH_PROFILE;
  if (!folder) return;
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.setSamplingInterval', { interval: 200 });
  session.post('Profiler.start');
  process.once('exit', () => {
    session.post('Profiler.stop', (error, result) => {
      if (error) throw error;
      mkdirSync(folder, { recursive: true });
      writeFileSync(
        path.join(folder, `${name}-${process.pid}.cpuprofile`),
        JSON.stringify(result.profile),
      );
    });
  });
}

/** Prints where the CPU time of each profile in a folder went, largest parts first. */
export function printShares(folder: string): void {
  for (const file of readdirSync(folder).filter((each) => each.endsWith('.cpuprofile'))) {
    const profile: Profiler.Profile = JSON.parse(readFileSync(path.join(folder, file), 'utf8'));
    process.stdout.write(`\n${file}\n`);
    for (const { part, share } of sharesOf(profile)) {
      if (share < 0.005) break;
      process.stdout.write(`  ${(100 * share).toFixed(1).padStart(5)} %  ${part}\n`);
    }
  }
}

/**
 * Attributes time in Node and native code to the package or source file that called it, and time without a caller
 * (reading sockets) to Node.
 */
function sharesOf(profile: Profiler.Profile): { part: string; share: number }[] {
  const { nodes, samples = [], timeDeltas = [] } = profile;
  const partOf = new Map<number, string>();
  const name = (node: Profiler.ProfileNode, parent: string) => {
    const part = partOfFrame(node.callFrame) ?? parent;
    partOf.set(node.id, part);
    for (const id of node.children ?? []) {
      const child = byId.get(id);
      if (child) name(child, part);
    }
  };
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const [root] = nodes;
  if (root) name(root, 'node');

  const micros = new Map<string, number>();
  samples.forEach((id, at) => {
    const part = partOf.get(id) ?? 'node';
    micros.set(part, (micros.get(part) ?? 0) + (timeDeltas[at] ?? 0));
  });
  micros.delete('(idle)');
  const busy = [...micros.values()].reduce((sum, value) => sum + value, 0);
  return [...micros]
    .map(([part, value]) => ({ part, share: value / busy }))
    .sort((a, b) => b.share - a.share);
}

function partOfFrame(frame: Runtime.CallFrame): string | undefined {
  if (/^\((idle|program|garbage collector)\)$/.test(frame.functionName)) return frame.functionName;
  const url = sourceOf(frame);
  const library = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  if (library) return library;
  return /\/((?:api|shared|workers|test)\/.*\.ts)$/.exec(url)?.[1];
}

const maps = new Map<string, SourceMap | undefined>();

/** Returns the source file of a function in the build. */
function sourceOf({ url, lineNumber, columnNumber }: Runtime.CallFrame): string {
  if (!url.includes('/dist/') || url.includes('/node_modules/')) return url;
  if (!maps.has(url)) {
    const file = `${fileURLToPath(url)}.map`;
    maps.set(
      url,
      existsSync(file) ? new SourceMap(JSON.parse(readFileSync(file, 'utf8'))) : undefined,
    );
  }
  const entry = maps.get(url)?.findEntry(lineNumber, columnNumber);
  return entry && 'originalSource' in entry ? new URL(entry.originalSource, url).href : url;
}
