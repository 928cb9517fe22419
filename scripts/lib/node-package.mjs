import { existsSync } from 'node:fs';
import path from 'node:path';
import { runProcess } from './processes.mjs';
import { projectRoot, UserError } from './project.mjs';

/**
 * Returns the path of a Node version, installed from its npm package into `node_modules/.cache`, where it is kept.
 * @throws UserError if the registry has no such package
 */
export async function nodeProgram(version, shutdown) {
  const name = `node-${process.platform}-${process.arch}`;
  const place = path.join(projectRoot, 'node_modules/.cache/node', version);
  const program = path.join(place, 'node_modules', name, 'bin/node');
  if (existsSync(program)) return program;
  const install = ['install', '--prefix', place, '--no-save', '--ignore-scripts', '--silent'];
  const { code } = await runProcess('npm', [...install, `${name}@${version}`], { shutdown });
  if (code === 0 && existsSync(program)) return program;
  throw new UserError(`Node ${version} is not available as the npm package ${name}.`);
}
