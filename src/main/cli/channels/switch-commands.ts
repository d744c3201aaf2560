import type { Command } from 'commander';
import {
  type ResetChannel,
  resetChannel,
  type SwitchedChannel,
  setChannelEnabled,
} from '../../../engine/admin/channels/change-channels.ts';
import { resetKey, type SwitchedKey, setKeyEnabled } from '../../../engine/admin/channels/upstream-keys.ts';
import { CommandError } from '../command-error.ts';
import { type CommandSetup, withDirectory, withStore } from '../context.ts';
import { printable } from '../table.ts';

/** The number of models that are listed by name; a channel may serve hundreds. */
const NAMED_MODELS = 5;

export function addDisable(channels: Command, setup: CommandSetup): void {
  channels
    .command('disable')
    .description('disable a channel; requests in flight may finish')
    .argument('<id>', 'the channel ID, as the list shows it')
    .option('--key <name>', 'only this one of its upstream keys')
    .addHelpText(
      'after',
      `
It stays disabled, whatever a configuration file or the environment says, until it is enabled again.

Examples:
  switchyard channels disable openai
  switchyard channels disable openai --key second`,
    )
    .action(async (id: string, { key: name }: KeyOption) => {
      const { clock, stdout } = setup.dependencies;
      if (name !== undefined) {
        const done = await withDirectory(setup, (directory) => setKeyEnabled(directory, clock, { id, name }, false));
        stdout.write(describeDisabledKey(done));
        return;
      }
      const done = await withDirectory(setup, (directory) => setChannelEnabled(directory, clock, id, false));
      stdout.write(describeDisabled(done));
    });
}

export function addEnable(channels: Command, setup: CommandSetup): void {
  channels
    .command('enable')
    .description('enable a channel that was disabled, or blocked for its credentials')
    .argument('<id>', 'the channel ID, as the list shows it')
    .option('--key <name>', 'only this one of its upstream keys')
    .addHelpText(
      'after',
      `
The channel's failures are cleared. Try it first with "switchyard channels test".

Examples:
  switchyard channels enable openai
  switchyard channels enable openai --key second`,
    )
    .action(async (id: string, { key: name }: KeyOption) => {
      const { clock, stdout } = setup.dependencies;
      if (name !== undefined) {
        const done = await withDirectory(setup, (directory) => setKeyEnabled(directory, clock, { id, name }, true));
        stdout.write(describeEnabledKey(done));
        return;
      }
      const done = await withDirectory(setup, (directory) => setChannelEnabled(directory, clock, id, true));
      stdout.write(describeEnabled(done));
    });
}

export function addReset(channels: Command, setup: CommandSetup): void {
  channels
    .command('reset')
    .description("clear a channel's failures and block, so that it is used at once")
    .argument('<id>', 'the channel ID, as the list shows it')
    .option('--key <name>', 'only this one of its upstream keys')
    .option('--spending', 'with --key: also set what was spent with the key to zero')
    .addHelpText(
      'after',
      `
A disabled channel stays disabled.

Examples:
  switchyard channels reset openai
  switchyard channels reset openai --key second --spending`,
    )
    .action(async (id: string, { key: name, spending }: KeyOption & { spending?: boolean }) => {
      const { clock, stdout } = setup.dependencies;
      if (name === undefined && spending === true) throw new CommandError('--spending needs --key NAME');
      if (name !== undefined) {
        const done = await withStore(setup, async (store) => {
          const reset = await resetKey(store.directory, clock, { id, name });
          if (spending === true) await store.upstreamSpending.reset({ channelId: id, keyId: reset.key.id });
          return reset;
        });
        stdout.write(formatResetKey(done, spending === true));
        return;
      }
      const done = await withDirectory(setup, (directory) => resetChannel(directory, clock, id));
      stdout.write(formatReset(done));
    });
}

interface KeyOption {
  readonly key?: string;
}

function describeDisabledKey({ channel, key, unchanged }: SwitchedKey): string {
  if (unchanged) return `the key ${key.name} of ${channel.id} is already disabled; nothing changed\n`;
  return `disabled the key ${key.name} of ${channel.id}: a running gateway uses it for no more requests; those in flight may finish\n`;
}

function describeEnabledKey({ channel, key, unchanged, lifted }: SwitchedKey): string {
  if (unchanged) return `the key ${key.name} of ${channel.id} is already enabled; nothing changed\n`;
  const done = `enabled the key ${key.name} of ${channel.id}: a running gateway uses it at once\n`;
  return lifted === null ? done : `${done}${describeLifted(lifted.reason, `${channel.id} --key ${key.name}`)}`;
}

function formatResetKey({ channel, key, lifted }: SwitchedKey, isSpending: boolean): string {
  const what = isSpending ? 'its failures and its spending' : 'its failures';
  const done = `reset the key ${key.name} of ${channel.id}: a running gateway clears ${what}\n`;
  return lifted === null ? done : `${done}${describeLifted(lifted.reason, `${channel.id} --key ${key.name}`)}`;
}

function describeDisabled({ channel, unchanged, onlyHere }: SwitchedChannel): string {
  if (unchanged) return `${channel.id} is already disabled; nothing changed\n`;
  const done = `disabled ${channel.id}: a running gateway sends it no more requests; those in flight may finish\n`;
  if (onlyHere.length === 0) return done;
  const named = onlyHere.slice(0, NAMED_MODELS).map(printable).join(', ');
  const more = onlyHere.length > NAMED_MODELS ? ` and ${onlyHere.length - NAMED_MODELS} more` : '';
  return `${done}no other channel in use serves ${named}${more}\n`;
}

function describeEnabled({ channel, unchanged, lifted }: SwitchedChannel): string {
  const { id } = channel;
  if (unchanged) {
    return `${id} is already enabled; nothing changed ("switchyard channels reset ${id}" clears its failures)\n`;
  }
  const done = `enabled ${id}: a running gateway uses it at once\n`;
  return lifted === null ? done : `${done}${describeLifted(lifted.reason, id)}`;
}

function formatReset({ channel, lifted }: ResetChannel): string {
  const { id } = channel;
  const done = `reset ${id}: a running gateway clears its failures\n`;
  const still = channel.enabled ? '' : `it is still disabled; enable it with "switchyard channels enable ${id}"\n`;
  return done + (lifted === null ? '' : describeLifted(lifted.reason, id)) + still;
}

function describeLifted(reason: string, id: string): string {
  const said = printable(reason).replace(/\.$/, '');
  return `it was blocked: ${said}; check it with "switchyard channels test ${id}"\n`;
}
