import type { Command } from 'commander';
import { CommandError } from '../command-error.ts';
import type { CommandSetup } from '../context.ts';
import { addRemoteOptions, REMOTE_HELP } from '../remote/remote-options.ts';
import { addRequestOptions, checkStatus } from '../remote/request-options.ts';
import { wholeNumber } from '../values.ts';
import { DEFAULT_INTERVAL_SECONDS, type TopOptions } from './top-options.ts';
import { GROUPINGS, SORTINGS } from './traffic.ts';

const MOST_INTERVAL_SECONDS = 60;

/** Adds `switchyard top`: a live view of a running gateway. */
export function addTopCommand(setup: CommandSetup): void {
  const top = setup.program
    .command('top')
    .description('watch requests, tokens, cost, channels and slow requests of a running gateway')
    .option('--once', 'watch for one interval, print one snapshot and end; so does an output that is no terminal')
    .option('--json', 'like --once, as JSON')
    .option('--interval <seconds>', `time between two updates, 1 to 60 (${DEFAULT_INTERVAL_SECONDS})`, wholeNumber)
    .option('--slow <ms>', 'list requests that take at least this many milliseconds (10000)', wholeNumber)
    .option('--group <by>', `group requests by ${GROUPINGS.join(', ')} (model)`)
    .option('--sort <by>', `sort groups by ${SORTINGS.join(', ')} (requests)`);
  addRequestOptions(top);
  addRemoteOptions(top)
    .addHelpText(
      'after',
      `
Rates, shares and percentiles cover the requests that finished in the last 60 seconds, or since the start. Failed requests are also those
that the client caused; faults are not. The channels, the load and the problems are those of the machine that answers (GET /status.json).

Keys: q or Ctrl-C quits, the space bar pauses, g changes the groups, s the order.
${REMOTE_HELP}
The token needs the scope requests:read, and of an admin also system:read. A token of an account sees its own requests, and no channels.

Examples:
  switchyard top
  switchyard top --url https://ai.example.com --account acme --group key
  switchyard top --json --interval 10`,
    )
    .action(async (_options: unknown, command: Command) => {
      const options = command.optsWithGlobals<TopOptions>();
      checkStatus(options);
      checkWord('--group', options.group, GROUPINGS);
      checkWord('--sort', options.sort, SORTINGS);
      const { interval = DEFAULT_INTERVAL_SECONDS } = options;
      if (interval < 1 || interval > MOST_INTERVAL_SECONDS) {
        throw new CommandError(`--interval: must be a whole number of seconds from 1 to ${MOST_INTERVAL_SECONDS}`, 2);
      }
      const { runTop } = await import('./run-top.ts');
      await runTop(setup, options);
    });
}

function checkWord(option: string, word: string | undefined, words: readonly string[]): void {
  if (word !== undefined && !words.includes(word)) {
    throw new CommandError(`${option}: must be one of ${words.join(', ')}`, 2);
  }
}
