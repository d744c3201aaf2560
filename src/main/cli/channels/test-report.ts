import type { Channel } from '../../../domain/catalog/channel.ts';
import { completionTokens, promptTokens, type Usage } from '../../../domain/exchange/usage.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { TestAnswer } from '../../../engine/channel-tests/test-answer.ts';
import { testHint } from '../../../engine/channel-tests/test-hint.ts';
import type { ChannelTry } from '../../../engine/channel-tests/test-job.ts';
import type { TestReport } from '../../../engine/channel-tests/test-view.ts';
import type { RecognizedServer } from '../../../engine/servers/recognize-server.ts';
import { printable } from '../table.ts';

const SHOWN_CHARACTERS = 200;
const LABEL_WIDTH = 12;

/** Formats one labelled fact per line. */
export function formatReport({ channel, manifest, server, test }: TestReport): string {
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
