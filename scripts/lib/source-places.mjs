import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/**
 * Makes stack traces show lines of our sources instead of the build. `--enable-source-maps` would keep the map and the
 * sources of every package in memory; this only reads the build's maps, and only after the first error.
 */
export function tellSourcePlaces(program) {
  const build = pathToFileURL(`${path.dirname(program)}/`).href;
  const maps = new Map();

  const mapOf = (url) => {
    if (!maps.has(url)) {
      const file = `${fileURLToPath(url)}.map`;
      maps.set(
        url,
        existsSync(file) ? new SourceMap(JSON.parse(readFileSync(file, 'utf8'))) : null,
      );
    }
    return maps.get(url);
  };
  const placeOf = (frame) => {
    const text = String(frame);
    const url = frame.getScriptNameOrSourceURL?.();
    if (!url?.startsWith(build)) return text;
    const [line, column] = [frame.getLineNumber(), frame.getColumnNumber()];
    const found = mapOf(url)?.findEntry(line - 1, column - 1);
    if (!found?.originalSource) return text;
    const source = fileURLToPath(new URL(found.originalSource, url));
    return text.replace(
      `${url}:${line}:${column}`,
      `${source}:${found.originalLine + 1}:${found.originalColumn + 1}`,
    );
  };
  Error.prepareStackTrace = (error, frames) =>
    [headOf(error), ...frames.map((frame) => `    at ${placeOf(frame)}`)].join('\n');
}

/** Returns the first line of a stack trace, as V8 writes it. */
function headOf(error) {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return 'Error';
  }
}
