import { type Command, InvalidArgumentError } from 'commander';
import type { Channel } from '../../../domain/catalog/channel.ts';
import { keyedChannel } from '../../../domain/catalog/keyed-channel.ts';
import { completionTokens, promptTokens, type Usage } from '../../../domain/exchange/usage.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { findChannel } from '../../../engine/admin/channels/read-channels.ts';
import { findKey } from '../../../engine/admin/channels/upstream-keys.ts';
import type { TestAnswer } from '../../../engine/channel-tests/test-answer.ts';
import { testHint } from '../../../engine/channel-tests/test-hint.ts';
import type { ChannelTry } from '../../../engine/channel-tests/test-job.ts';
import { channelTestView, hasAnswered, type TestReport } from '../../../engine/channel-tests/test-view.ts';
import { ModelFacts } from '../../../engine/directory/model-facts.ts';
import { SERVING_ONLY } from '../../../engine/ports/directory-store.ts';
import type { RecognizedServer } from '../../../engine/servers/recognize-server.ts';
import type { ProviderManifest } from '../../../providers/manifest.ts';
import { CommandError } from '../command-error.ts';
import { type CommandSetup, withDirectory } from '../context.ts';
import { printable } from '../table.ts';

interface TestOptions {
  readonly key?: string;
  readonly model?: string;
  readonly stream?: boolean;
  readonly json?: boolean;
  readonly timeout?: number;
}

export function addTest(channels: Command, setup: CommandSetup): void {
  channels
    .command('test')
    .description('send one small real request to a channel, or with each of its keys, and show the response')
    .argument('<id>', 'the channel ID, as the list shows it; may be disabled or blocked')
    .option('--key <name>', 'test only this one of its upstream keys')
    .option('--model <id>', 'public ID of the model to test (the first chat or search model)')
    .option('--stream', 'stream, and show the time to the first byte')
    .option('--timeout <seconds>', "time limit for the whole test (60, or the channel's own if shorter)", seconds)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
The provider charges for it as for any request of a few tokens. It is sent by this command, not through a running
gateway, so it changes neither the channel's figures nor its state. The exit code is 1 without a response. Of a channel
with several upstream keys each key is tested, one after the other.

Examples:
  switchyard channels test openai
  switchyard channels test openai --model gpt-4o-mini --stream
  switchyard channels test openai --key second
  switchyard channels test ollama --timeout 300`,
    )
    .action(async (id: string, options: TestOptions) => {
      const { clock, stdout } = setup.dependencies;
      const { channels, models, syncedModels } = await withDirectory(setup, (directory) =>
        directory.read(SERVING_ONLY),
      );
      const found = findChannel(channels, id);
      const tested = options.key === undefined ? eachKey(found) : [keyedChannel(found, findKey(found, options.key))];
      const [channel = found] = tested;
      const providers = await setup.dependencies.providers();
      const manifest = manifestIn(providers, channel);
      const ports = { upstream: setup.dependencies.upstream(), clock };
      const modelFacts = new ModelFacts(providers, syncedModels);
      const declared = new Map(models.map((model) => [model.id, model]));
      const modelOf = (modelId: string) => modelFacts.resolve(modelId, channel, declared.get(modelId));
      // Loaded lazily, because it imports all formats, which the other commands do not need.
      const { manifestOf, serverOf } = await import('../../../engine/servers/recognize-server.ts');
      const { testChannel } = await import('../../../engine/channel-tests/test-channel.ts');
      const server = await serverOf(ports.upstream, channel, manifest);
      const served = manifestOf(manifest, server);
      const reports: TestReport[] = [];
      for (const one of tested) {
        const input = { channel: one, manifest: served, modelOf, modelFacts, ...requestedBy(options) };
        const test = await testChannel(ports, input);
        if (test instanceof Failure) throw new CommandError(test.message.replaceAll('`', '"'));
        if (!hasAnswered(test)) setup.setExitCode(1);
        const report = { channel: one, manifest, server, test };
        reports.push(report);
        if (tested.length > 1 && !options.json) stdout.write(keyLine(report));
      }
      if (options.json) {
        const views = reports.map(channelTestView);
        stdout.write(`${JSON.stringify(tested.length === 1 ? views[0] : views, null, 2)}\n`);
      } else if (tested.length === 1) stdout.write(reports.map(formatReport).join(''));
    });
}

function eachKey(channel: Channel): readonly Channel[] {
  return channel.apiKeys?.map((key) => keyedChannel(channel, key)) ?? [channel];
}

/** Formats the test of one of several keys: `second  failed: upstream_auth (HTTP 401): Incorrect API key provided.` */
function keyLine({ channel, test }: TestReport): string {
  const { upstreamKey } = channel;
  const state = upstreamKey?.enabled === false ? ' (disabled)' : '';
  const name = `${upstreamKey?.name ?? ''}${state}`.padEnd(KEY_WIDTH);
  const last = test.tries.at(-1);
  if (last === undefined) return `${name}not tested\n`;
  const { result, status, latencyMs } = last;
  const http = status === null ? '' : ` (HTTP ${status})`;
  const text =
    result instanceof Failure
      ? `failed: ${result.kind}${http}: ${result.message}`
      : `ok: HTTP ${status} in ${Math.round(latencyMs)} ms`;
  return `${name}${printable(text)}\n`;
}

function requestedBy({ model, stream, timeout }: TestOptions) {
  return { modelId: model ?? null, stream: stream ?? false, totalMs: timeout === undefined ? null : timeout * 1_000 };
}

function manifestIn(providers: ReadonlyMap<string, ProviderManifest>, { id, provider }: Channel): ProviderManifest {
  const manifest = providers.get(provider);
  if (manifest === undefined) throw new CommandError(`channel ${id} has an unknown provider: "${provider}"`);
  return manifest;
}

function seconds(text: string): number {
  const value = /^\d{1,5}(?:\.\d{1,3})?$/.test(text) ? Number(text) : 0;
  if (value > 0 && value <= 86_400) return value;
  throw new InvalidArgumentError('It must be a number of seconds, more than 0 and at most 86400.');
}

const SHOWN_CHARACTERS = 200;
const LABEL_WIDTH = 12;
const KEY_WIDTH = 24;

/** Formats one labelled fact per line. */
function formatReport({ channel, manifest, server, test }: TestReport): string {
  const { modelId, upstreamModel, tries } = test;
  const last = tries.at(-1);
  if (last === undefined) return '';
  const renamed = upstreamModel === modelId ? '' : ` (upstream: ${upstreamModel})`;
  const lines: [string, string][] = [
    ['channel', `${channel.id} (${standingOf(channel)})`],
    ['model', `${modelId}${renamed}`],
  ];
  if (manifest.servers !== undefined) lines.push(['server', formatServer(server)]);
  for (const { format, address: tried, result } of tries.slice(0, -1)) {
    const kind = result instanceof Failure ? result.kind : 'answered';
    lines.push(['tried first', `${format} at ${tried}: ${kind}`]);
  }
  const address = manifest.local === undefined ? last.address : 'none: it runs inside the process';
  lines.push(['format', last.format], ['address', address]);
  const { result } = last;
  if (result instanceof Failure) lines.push(...failureLines(last, result, testHint(channel, manifest, last, result)));
  else lines.push(...answerLines(last, result), ...nextLine(channel));
  return lines.map(([label, text]) => `${label.padEnd(LABEL_WIDTH)}${printable(text)}\n`).join('');
}

function answerLines(last: ChannelTry, answer: TestAnswer): [string, string][] {
  const { status, latencyMs, firstByteMs, upstreamRequestId } = last;
  const lines: [string, string][] = [['result', `ok: HTTP ${status} in ${Math.round(latencyMs)} ms`]];
  if (firstByteMs !== null) lines.push(['first byte', `${Math.round(firstByteMs)} ms`]);
  lines.push(['answer', beginning(answer)], ['usage', formatUsage(answer.usage)]);
  if (upstreamRequestId !== null) lines.push(['request id', upstreamRequestId]);
  return lines;
}

function failureLines(last: ChannelTry, failure: Failure, hint: string): [string, string][] {
  const { status, latencyMs, upstreamRequestId } = last;
  const http = status === null ? '' : ` (HTTP ${status})`;
  const lines: [string, string][] = [
    ['result', `failed: ${failure.kind}${http} after ${Math.round(latencyMs)} ms`],
    ['message', failure.message],
    ['what to do', hint],
  ];
  if (upstreamRequestId !== null) lines.push(['request id', upstreamRequestId]);
  return lines;
}

function formatServer({ family, source }: RecognizedServer): string {
  if (family === null && source === 'set') return 'none of the known servers (set in the settings)';
  if (family === null) return 'not recognized: set "server" in the channel\'s settings';
  return `${family.label} (${source === 'set' ? 'set in the settings' : 'recognized'})`;
}

function standingOf({ enabled, block }: Channel): string {
  if (!enabled) return 'disabled';
  return block === null ? 'enabled' : `blocked: ${block.reason}`;
}

/** Returns a hint for a channel that answers but is disabled or blocked. */
function nextLine({ id, enabled, block }: Channel): [string, string][] {
  return enabled && block === null ? [] : [['next', `enable it with "switchyard channels enable ${id}"`]];
}

function beginning({ text, thought, finish }: TestAnswer): string {
  const said = text.replace(/\s+/g, ' ').trim();
  const ended = finish === null ? '' : ` (${finish})`;
  if (said === '') return `no text${thought ? ', only reasoning' : ''}${ended}`;
  const cut = said.length > SHOWN_CHARACTERS ? `${said.slice(0, SHOWN_CHARACTERS).toWellFormed()}…` : said;
  return `${cut}${ended}`;
}

function formatUsage(usage: Usage | null): string {
  if (usage === null) return 'not reported';
  return `${promptTokens(usage)} tokens in, ${completionTokens(usage)} out`;
}
