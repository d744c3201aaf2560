import type { Command } from 'commander';
import { HttpUpstream } from '../../../upstream/http-upstream.ts';
import { localAddress } from '../../local-address.ts';
import { CommandError } from '../command-error.ts';
import type { CommandLineDependencies } from '../context.ts';
import { type SettingsOptions, settingsFrom } from '../settings.ts';
import { ManagementClient } from './management-client.ts';

export interface RemoteOptions extends SettingsOptions {
  readonly url?: string;
  readonly token?: string;
}

/** The texts that all commands which use the management API have in common. */
export const REMOTE_HELP = `
The command uses the management API of a running gateway: by default the one on this machine (HOST, PORT). SWITCHYARD_TOKEN, or the file
in SWITCHYARD_TOKEN_FILE, has a management token (mt-…; "switchyard keys create --management" makes one). A token given with --token can
be read by other users of the machine.`;

/** Adds the options that name the gateway and the token. */
export function addRemoteOptions(command: Command): Command {
  return command
    .option('--url <address>', 'address of the gateway, such as https://ai.example.com (the one on this machine)')
    .option('--token <token>', 'management token (SWITCHYARD_TOKEN)');
}

/** Returns a client of the gateway that the options name. Throws `CommandError`. */
export function remoteClient(options: RemoteOptions, dependencies: CommandLineDependencies): ManagementClient {
  const { environment, stderr } = dependencies;
  const token = options.token ?? (environment.SWITCHYARD_TOKEN || undefined);
  if (token === undefined) {
    const remedy = 'Make a management token with "switchyard keys create --account <id> --management"';
    throw new CommandError(`SWITCHYARD_TOKEN: is not set. ${remedy}`, 2);
  }
  if (!/^mt-[\x21-\x7e]{1,500}$/.test(token)) {
    throw new CommandError('SWITCHYARD_TOKEN: must be a management token, which begins with mt-', 2);
  }
  const url = options.url === undefined ? localGateway(options, environment) : addressOf(options.url);
  const isLocal = isOnThisMachine(url);
  if (url.startsWith('http://') && !isLocal) {
    stderr.write('notice: the token is sent without encryption, since --url begins with http://\n');
  }
  // A proxy for providers does not reach this machine.
  const upstream = isLocal ? new HttpUpstream({ proxies: null }) : dependencies.upstream();
  return new ManagementClient({ url, token, upstream });
}

function localGateway(options: RemoteOptions, environment: CommandLineDependencies['environment']): string {
  const settings = settingsFrom(options, environment);
  if (settings.port === 0) throw new CommandError('PORT: is 0. Name the address of the gateway with --url', 2);
  return localAddress(settings);
}

function addressOf(text: string): string {
  if (URL.canParse(text) && /^https?:\/\/[^?#@\s]+$/.test(text)) return text.replace(/\/+$/, '');
  throw new CommandError('--url: must be an address such as https://ai.example.com, without credentials and query', 2);
}

function isOnThisMachine(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}
