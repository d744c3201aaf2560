import type { Command } from 'commander';
import { CommandError } from '../command-error.ts';
import type { RemoteQuery } from './management-client.ts';
import type { RemoteOptions } from './remote-options.ts';

/** The options that choose requests; those of `logs` and `top`. */
export interface RequestOptions {
  readonly account?: string;
  readonly model?: string;
  readonly channel?: string;
  readonly key?: string;
  readonly status?: string;
}

export interface LogsOptions extends RemoteOptions, RequestOptions {
  readonly follow?: boolean;
  readonly failed?: boolean;
  readonly slow?: number;
  readonly since?: number;
  readonly limit?: number;
  readonly json?: boolean;
}

/** Adds the options that choose requests. */
export function addRequestOptions(command: Command): Command {
  return command
    .option('--account <id>', 'only requests of this account')
    .option('--model <id>', 'only requests for this model')
    .option('--channel <ids>', 'only requests that these channels answered or were tried last for, separated by commas')
    .option('--key <id>', 'only requests with this key')
    .option('--status <status>', 'only requests with this HTTP status, such as 429, or class, such as 5xx');
}

/** Throws `CommandError` if `--status` is no status. */
export function checkStatus({ status }: RequestOptions): void {
  if (status === undefined || /^(?:[1-5]\d\d|[1-5]xx)$/.test(status)) return;
  throw new CommandError('--status: must be an HTTP status such as 429, or a class such as 5xx', 2);
}

/** Returns the query of the management API for the options that choose requests. */
export function requestQuery({ account, model, channel, key, status }: RequestOptions): RemoteQuery {
  return { account_id: account, model, channel, key, status };
}
