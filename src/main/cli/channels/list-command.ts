import type { Command } from 'commander';
import { formatNanoUsd } from '../../../domain/money/nano-usd.ts';
import type { HealthFigures, HealthState } from '../../../engine/admin/channels/health-figures.ts';
import { keyStateOf, type ListedKey } from '../../../engine/admin/channels/listed-key.ts';
import {
  channelView,
  type ListedChannel,
  listChannels,
  type ServedModel,
  showChannel,
} from '../../../engine/admin/channels/read-channels.ts';
import { allItems } from '../../../engine/admin/page.ts';
import { type CommandSetup, withStore } from '../context.ts';
import { formatTable } from '../table.ts';
import { roundDuration } from '../time.ts';

export function addList(channels: Command, setup: CommandSetup): void {
  channels
    .command('list')
    .description('list channels with their health, or the models of one channel')
    .argument('[id]', 'only this channel, with one row per model')
    .option('--json', 'print JSON, including the models')
    .addHelpText(
      'after',
      `
States:
  ready     receives requests
  resting   cooling down after failures, for this long; with several models, until the last one is retried
  probing   cooldown is over; a few requests test whether it has recovered
  disabled  by "switchyard channels disable"
  blocked   its provider refused the credentials, until they change or "switchyard channels enable"
  capped    (a key) as much was spent with it as its cap allows, until the cap's period ends

A channel with several keys has the state of its best key; with an ID, the list also shows each key.

Figures are from the last gateway that ran on this data folder; a running one updates them every second.

Examples:
  switchyard channels list
  switchyard channels list openai
  switchyard channels list --json`,
    )
    .action(async (id: string | undefined, options: { json?: boolean }) => {
      const { clock, stdout } = setup.dependencies;
      const nowMs = clock.nowMs();
      const found = await withStore(setup, async (store) =>
        id === undefined ? allItems((page) => listChannels(store, nowMs, page)) : [await showChannel(store, nowMs, id)],
      );
      if (options.json) stdout.write(`${JSON.stringify(found.map(channelView), null, 2)}\n`);
      else if (found.length === 0) stdout.write(NO_CHANNELS);
      else if (id === undefined) stdout.write(channelTable(found, nowMs));
      else stdout.write(keyTable(found, nowMs) + modelTable(found, nowMs));
    });
}

const NO_CHANNELS =
  'No channels yet. Add them with a configuration file ("switchyard apply"), or set a provider key in the environment ' +
  'and restart.\n';

const FIGURE_COLUMNS = ['requests', 'failures', 'first byte', 'last failure'];
const CHANNEL_COLUMNS = ['id', 'provider', 'models', 'priority', 'weight', 'owner', 'state', ...FIGURE_COLUMNS];
const KEY_COLUMNS = ['key', 'weight', 'state', 'spent', 'cap', ...FIGURE_COLUMNS];
const MODEL_COLUMNS = ['model', 'upstream model', 'state', ...FIGURE_COLUMNS];

function channelTable(found: readonly ListedChannel[], nowMs: number): string {
  const rows = found.map((channel) => channelAsRow(channel, nowMs));
  return formatTable(CHANNEL_COLUMNS, rows);
}

function modelTable(found: readonly ListedChannel[], nowMs: number): string {
  const rows = found.flatMap(({ models }) => models.map((model) => modelAsRow(model, nowMs)));
  return formatTable(MODEL_COLUMNS, rows);
}

/** Returns a table of the keys of channels that have several, or an empty text. */
function keyTable(found: readonly ListedChannel[], nowMs: number): string {
  const rows = found.flatMap(({ keys = [] }) => keys.map((key) => keyAsRow(key, nowMs)));
  return rows.length === 0 ? '' : `${formatTable(KEY_COLUMNS, rows)}\n`;
}

function keyAsRow(listed: ListedKey, nowMs: number): readonly string[] {
  const { key, spentNanoUsd, resetsAtMs } = listed;
  const state = keyStateOf(listed);
  const until = resetsAtMs === null ? '' : ` ${roundDuration(resetsAtMs - nowMs)}`;
  return [
    key.name,
    String(key.weight),
    state === 'capped' ? `capped${until}` : formatState(listed.state, nowMs),
    `${formatNanoUsd(spentNanoUsd)} USD`,
    key.spendCap === null
      ? '-'
      : `${formatNanoUsd(key.spendCap.amountNanoUsd)} USD ${key.spendCap.per === 'total' ? 'in all' : `per ${key.spendCap.per}`}`,
    ...formatFigures(listed, nowMs),
  ];
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
    ...formatFigures(listed, nowMs),
  ];
}

function modelAsRow(model: ServedModel, nowMs: number): readonly string[] {
  return [model.publicId, model.upstreamModel, formatState(model.state, nowMs), ...formatFigures(model, nowMs)];
}

/** A provider's refusal may be long; the JSON output has the whole text. */
const SHOWN_REASON_CHARACTERS = 100;

/** Formats a channel's state: `resting 12 s (2 of 5 models)`. */
function channelState({ state, affectedModels, models }: ListedChannel, nowMs: number): string {
  if (state.kind === 'blocked') {
    const { reason } = state.block;
    const cut = reason.length > SHOWN_REASON_CHARACTERS;
    return `blocked: ${cut ? `${reason.slice(0, SHOWN_REASON_CHARACTERS).toWellFormed()}…` : reason}`;
  }
  const words = formatState(state, nowMs);
  return affectedModels === models.length ? words : `${words} (${affectedModels} of ${models.length} models)`;
}

/** Formats a model's state: `resting 12 s`. */
function formatState(state: HealthState, nowMs: number): string {
  return state.kind === 'resting' ? `resting ${roundDuration(state.untilMs - nowMs)}` : state.kind;
}

/** Returns table cells: requests, failures, first byte, last failure. */
function formatFigures(figures: HealthFigures, nowMs: number): readonly string[] {
  const { requests, failures, firstByteMs, lastFailure } = figures;
  return [
    String(requests),
    String(failures),
    firstByteMs === null ? '-' : `${Math.round(firstByteMs)} ms`,
    lastFailure === null ? '-' : `${lastFailure.kind} ${roundDuration(nowMs - lastFailure.atMs)} ago`,
  ];
}
