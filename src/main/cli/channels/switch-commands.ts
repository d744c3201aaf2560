import type { Command } from 'commander';
import {
  type ResetChannel,
  resetChannel,
  type SwitchedChannel,
  setChannelEnabled,
} from '../../../engine/admin/channels/change-channels.ts';
import { type CommandSetup, withDirectory } from '../context.ts';
import { printable } from '../table.ts';

/** The number of models that are listed by name; a channel may serve hundreds. */
const NAMED_MODELS = 5;

export function addDisable(channels: Command, setup: CommandSetup): void {
  channels
    .command('disable')
    .description('disable a channel; requests in flight may finish')
    .argument('<id>', 'the channel ID, as the list shows it')
    .addHelpText(
      'after',
      `
It stays disabled, whatever a configuration file or the environment says, until it is enabled again.

Examples:
  switchyard channels disable openai`,
    )
    .action(async (id: string) => {
      const { clock, stdout } = setup.dependencies;
      const done = await withDirectory(setup, (directory) => setChannelEnabled(directory, clock, id, false));
      stdout.write(describeDisabled(done));
    });
}

export function addEnable(channels: Command, setup: CommandSetup): void {
  channels
    .command('enable')
    .description('enable a channel that was disabled, or blocked for its credentials')
    .argument('<id>', 'the channel ID, as the list shows it')
    .addHelpText(
      'after',
      `
The channel's failures are cleared. Try it first with "switchyard channels test".

Examples:
  switchyard channels enable openai`,
    )
    .action(async (id: string) => {
      const { clock, stdout } = setup.dependencies;
      const done = await withDirectory(setup, (directory) => setChannelEnabled(directory, clock, id, true));
      stdout.write(describeEnabled(done));
    });
}

export function addReset(channels: Command, setup: CommandSetup): void {
  channels
    .command('reset')
    .description("clear a channel's failures and block, so that it is used at once")
    .argument('<id>', 'the channel ID, as the list shows it')
    .addHelpText(
      'after',
      `
A disabled channel stays disabled.

Examples:
  switchyard channels reset openai`,
    )
    .action(async (id: string) => {
      const { clock, stdout } = setup.dependencies;
      const done = await withDirectory(setup, (directory) => resetChannel(directory, clock, id));
      stdout.write(formatReset(done));
    });
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
