import type { Command } from 'commander';
import { channelView } from '../../../engine/admin/channels/channel-view.ts';
import {
  type ListedChannel,
  listChannels,
  type ServedModel,
  showChannel,
} from '../../../engine/admin/channels/list-channels.ts';
import { allItems } from '../../../engine/admin/page.ts';
import { type CommandSetup, withStore } from '../context.ts';
import { type SettingsOptions, settingsFrom } from '../settings.ts';
import { formatTable } from '../table.ts';
import { channelState, figuresInWords, stateInWords } from './format.ts';

export function addList(channels: Command, { dependencies }: CommandSetup): void {
  channels
    .command('list')
    .description('list the channels and how they are, or the models of one channel')
    .argument('[id]', 'only this channel: a row for each of its models')
    .option('--json', 'print JSON, always with the models')
    .addHelpText(
      'after',
      `
States:
  ready     gets requests
  resting   has failed, and is tried again after this time; of several models, when the last of them is
  probing   has rested; a few requests may try whether it is well again
  disabled  by "switchyard channels disable"
  blocked   its provider refused the credentials; until they change, or "switchyard channels enable"

The figures are those of the latest gateway that ran on this data folder; a running one writes them every second.

Examples:
  switchyard channels list
  switchyard channels list openai
  switchyard channels list --json`,
    )
    .action(async (id: string | undefined, options: { json?: boolean }, command) => {
      const { clock, stdout, environment } = dependencies;
      const settings = settingsFrom(command.optsWithGlobals() as SettingsOptions, environment);
      const nowMs = clock.nowMs();
      const found = await withStore(dependencies, settings, async (store) =>
        id === undefined ? allItems((page) => listChannels(store, nowMs, page)) : [await showChannel(store, nowMs, id)],
      );
      if (options.json) stdout.write(`${JSON.stringify(found.map(channelView), null, 2)}\n`);
      else if (found.length === 0) stdout.write(NO_CHANNELS);
      else if (id === undefined) stdout.write(channelTable(found, nowMs));
      else stdout.write(modelTable(found, nowMs));
    });
}

const NO_CHANNELS =
  'There are no channels. A configuration file names them ("switchyard apply"), or a provider key in the environment ' +
  'makes one at the next start.\n';

const FIGURE_COLUMNS = ['requests', 'failures', 'first byte', 'last failure'];
const CHANNEL_COLUMNS = ['id', 'provider', 'models', 'priority', 'weight', 'owner', 'state', ...FIGURE_COLUMNS];
const MODEL_COLUMNS = ['model', 'upstream model', 'state', ...FIGURE_COLUMNS];

function channelTable(found: readonly ListedChannel[], nowMs: number): string {
  const rows = found.map((channel) => channelAsRow(channel, nowMs));
  return formatTable(CHANNEL_COLUMNS, rows);
}

function modelTable(found: readonly ListedChannel[], nowMs: number): string {
  const rows = found.flatMap(({ models }) => models.map((model) => modelAsRow(model, nowMs)));
  return formatTable(MODEL_COLUMNS, rows);
}

function channelAsRow(listed: ListedChannel, nowMs: number): readonly string[] {
  const { channel, models } = listed;
  return [
    channel.id,
    channel.provider,
    String(models.length),
    String(channel.priority),
    String(channel.weight),
    channel.owner ?? '-',
    channelState(listed, nowMs),
    ...figuresInWords(listed, nowMs),
  ];
}

function modelAsRow(model: ServedModel, nowMs: number): readonly string[] {
  return [model.publicId, model.upstreamModel, stateInWords(model.state, nowMs), ...figuresInWords(model, nowMs)];
}
