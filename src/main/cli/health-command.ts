import { Failure } from '../../domain/failure/failure.ts';
import { HttpUpstream } from '../../upstream/http-upstream.ts';
import { localAddress } from '../local-address.ts';
import { CommandError } from './command-error.ts';
import type { CommandSetup } from './context.ts';
import { type Settings, type SettingsOptions, settingsFrom } from './settings.ts';
import { printable } from './table.ts';
import { wholeNumber } from './values.ts';

interface HealthOptions extends SettingsOptions {
  readonly live?: boolean;
  readonly timeout?: number;
}

const DEFAULT_SECONDS = 3;
const MOST_SECONDS = 60;
const LARGEST_ANSWER_BYTES = 64 * 1024;

export function addHealthCommand({ program, dependencies: { environment, stdout } }: CommandSetup): void {
  program
    .command('health')
    .description('ask the gateway on this machine whether it is ready')
    .option('--live', 'ask only whether the process runs (/healthz) instead of whether it takes requests (/readyz)')
    .option('--host <address>', 'address on which the gateway listens (HOST; 127.0.0.1)')
    .option('--port <number>', 'port on which the gateway listens (PORT; 8787)')
    .option('--timeout <seconds>', `longest time to wait, 1 to ${MOST_SECONDS} (${DEFAULT_SECONDS})`, wholeNumber)
    .addHelpText(
      'after',
      `
Prints one line; the exit code is 0 if the answer is yes, else 1. It asks the gateway itself, without a proxy, so neither TLS nor the
path of server.public_url matters. Made for HEALTHCHECK in a container image.

Examples:
  switchyard health
  switchyard health --live --timeout 2
  PORT=9000 switchyard health`,
    )
    .action(async (_options: unknown, command) => {
      const options = command.optsWithGlobals() as HealthOptions;
      const seconds = options.timeout ?? DEFAULT_SECONDS;
      if (seconds < 1 || seconds > MOST_SECONDS) {
        throw new CommandError(`--timeout: must be a whole number of seconds from 1 to ${MOST_SECONDS}`, 2);
      }
      const path = options.live ? '/healthz' : '/readyz';
      const address = addressOf(settingsFrom(options, environment));
      const problem = problemIn(address, path, await ask(`${address}${path}`, seconds * 1_000));
      if (problem !== null) throw new CommandError(problem);
      stdout.write(`${options.live ? 'live' : 'ready'}: ${address}\n`);
    });
}

function addressOf(settings: Settings): string {
  if (settings.port !== 0) return localAddress(settings);
  throw new CommandError('PORT: is 0, so the gateway has chosen a port itself. Name it with --port', 2);
}

interface HealthAnswer {
  readonly status: number;
  readonly text: string;
}

/** Asks directly, whatever proxy the environment names, since the gateway is on this machine. */
async function ask(url: string, limitMs: number): Promise<HealthAnswer | Failure> {
  const timeouts = { connectMs: limitMs, firstByteMs: limitMs, idleMs: limitMs, totalMs: limitMs };
  const upstream = new HttpUpstream({ proxies: null });
  const answer = await upstream.send({ url, method: 'GET', headers: {}, body: null, timeouts });
  if (answer instanceof Failure) return answer;
  const bytes = await answer.body.readAll({ limitBytes: LARGEST_ANSWER_BYTES });
  return bytes instanceof Failure ? bytes : { status: answer.status, text: new TextDecoder().decode(bytes) };
}

/** Returns what is wrong as one sentence, or `null` if the answer is that of a healthy gateway. */
function problemIn(address: string, path: string, answer: HealthAnswer | Failure): string | null {
  if (answer instanceof Failure) {
    return `${address} does not answer (${answer.kind}). Start the gateway, or set HOST and PORT to those of "serve"`;
  }
  const { status, reason } = membersIn(answer.text);
  if (answer.status === 200 && (status === 'ready' || status === 'ok')) return null;
  if (status === 'not_ready') return `not ready: ${printable(String(reason)).slice(0, 500)}`;
  return `${address}${path} was answered with HTTP ${answer.status} by another program. Set HOST and PORT to those of "serve"`;
}

function membersIn(text: string): { readonly status?: unknown; readonly reason?: unknown } {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === 'object' && json !== null ? json : {};
  } catch {
    return {};
  }
}
