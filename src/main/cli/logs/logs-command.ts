import type { Command } from 'commander';
import { CommandError } from '../command-error.ts';
import type { CommandSetup } from '../context.ts';
import { addRemoteOptions, REMOTE_HELP } from '../remote/remote-options.ts';
import { addRequestOptions, checkStatus, type LogsOptions } from '../remote/request-options.ts';
import { lengthOfTime, wholeNumber } from '../values.ts';

const USUAL_LINES = 20;
const MOST_LINES = 10_000;

/** Adds `switchyard logs`: finished requests from the request log of a running gateway. */
export function addLogsCommands(setup: CommandSetup): void {
  const logs = setup.program
    .command('logs')
    .description('print finished requests of a running gateway, and follow them')
    .option('-f, --follow', 'keep printing requests as they finish, without losing or repeating any')
    .option('--failed', 'only failed requests, whoever was at fault');
  addRequestOptions(logs)
    .option('--slow <ms>', 'only requests that took at least this many milliseconds', wholeNumber)
    .option('--since <duration>', 'only requests of the last 90m, 12h or 7d', lengthOfTime)
    .option('--limit <number>', `the newest requests to print, up to ${MOST_LINES} (${USUAL_LINES})`, wholeNumber)
    .option('--json', 'print one JSON object per line, as the management API sends it');
  addRemoteOptions(logs)
    .addHelpText(
      'after',
      `
Each line has the time (UTC), status, latency, account and key, model, channel (+ retries), tokens in>out, cost and request ID, then the
client's request ID, the trace ID and the failure, if there are any. The oldest request comes first.
${REMOTE_HELP}
The token needs the scope requests:read. A token of an account sees the requests of its account.

Examples:
  switchyard logs --failed --since 1h
  switchyard logs --follow --failed --account acme
  switchyard logs --slow 10000 --model gpt-5 --json
  switchyard logs show req_0199d1b2c3d47e5f8a9b0c1d2e3f4a5b`,
    )
    .action(async (_options: unknown, command: Command) => {
      const options = command.optsWithGlobals<LogsOptions>();
      const limit = options.limit ?? USUAL_LINES;
      if (limit > MOST_LINES) throw new CommandError(`--limit: must be at most ${MOST_LINES}`, 2);
      checkStatus(options);
      const { printLogs } = await import('./print-logs.ts');
      await printLogs(setup, options, limit);
    });
  addShow(logs, setup);
}

function addShow(logs: Command, setup: CommandSetup): void {
  const show = logs
    .command('show')
    .description('print the story of one request: attempts, times, usage and cost')
    .argument('<id>', 'the request ID (x-request-id of the response), or the ID that the client sent')
    .option('--json', 'print JSON');
  addRemoteOptions(show)
    .addHelpText('after', '\nExamples:\n  switchyard logs show req_0199d1b2c3d47e5f8a9b0c1d2e3f4a5b --json')
    .action(async (id: string, _options: unknown, command: Command) => {
      const { printStory } = await import('./print-logs.ts');
      await printStory(setup, command.optsWithGlobals<LogsOptions>(), id);
    });
}
