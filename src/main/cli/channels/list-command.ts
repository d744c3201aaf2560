import type { Command } from 'commander';
import {
  type HealthFigures,
  type ListedChannel,
  listChannels,
  type ServedModel,
} from '../../../engine/admin/channels/list-channels.ts';
import { type CommandSetup, withStore } from '../context.ts';
import { type SettingsOptions, settingsFrom } from '../settings.ts';
import { formatTable } from '../table.ts';
import { isoTime } from '../time.ts';
import { channelState, figuresInWords, stateInWords } from './words.ts';

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
      const found = await withStore(dependencies, settings, (store) => listChannels(store, nowMs, id));
      if (options.json) stdout.write(`${JSON.stringify(found.map(channelAsJson), null, 2)}\n`);
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

function channelAsJson(listed: ListedChannel) {
  const { channel, models } = listed;
  const { block } = channel;
  return {
    id: channel.id,
    name: channel.name,
    provider: channel.provider,
    priority: channel.priority,
    weight: channel.weight,
    owner: channel.owner,
    origin: channel.origin,
    enabled: channel.enabled,
    block: block === null ? null : { at: isoTime(block.atMs), reason: block.reason },
    reset_at: timeOrNull(channel.resetAtMs),
    ...figuresAsJson(listed),
    models: models.map((model) => ({
      id: model.publicId,
      upstream_model: model.upstreamModel,
      ...figuresAsJson(model),
      updated_at: timeOrNull(model.updatedAtMs),
    })),
  };
}

function figuresAsJson({ state, requests, failures, firstByteMs, lastFailure }: HealthFigures) {
  return {
    state: state.kind,
    resting_until: state.kind === 'resting' ? isoTime(state.untilMs) : null,
    requests,
    failures,
    first_byte_ms: firstByteMs === null ? null : Math.round(firstByteMs),
    last_failure: lastFailure?.kind ?? null,
    last_failure_at: timeOrNull(lastFailure?.atMs ?? null),
  };
}

function timeOrNull(timeMs: number | null): string | null {
  return timeMs === null ? null : isoTime(timeMs);
}
