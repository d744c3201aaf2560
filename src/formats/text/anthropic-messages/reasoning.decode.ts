import type { RestField } from '../../../domain/exchange/loss.ts';
import { EFFORTS, type ReasoningOptions } from '../../../domain/exchange/request.ts';
import { numberOrNull, textOrNull } from '../../shared/json/json-values.ts';
import { entryOf, objectOf } from '../../shared/json/record.ts';
import { noteUnknown } from '../shared/rest.ts';

type Wire = Readonly<Record<string, unknown>>;

const OUTPUT_MEMBERS: ReadonlySet<string> = new Set(['effort', 'format']);

const THINKING_MEMBERS: Readonly<Record<string, ReadonlySet<string>>> = {
  enabled: new Set(['type', 'budget_tokens', 'display']),
  adaptive: new Set(['type', 'display']),
  disabled: new Set(['type']),
};

const SUMMARIES: Readonly<Record<string, ReasoningOptions['summary']>> = { summarized: 'auto', omitted: 'none' };

export function decodeReasoning(body: Wire, rest: RestField[]): ReasoningOptions | null {
  const thinking = decodeThinking(objectOf(body.thinking), rest);
  const config = objectOf(body.output_config);
  noteUnknown(config, OUTPUT_MEMBERS, 'output_config', rest);
  const effort = EFFORTS.find((known) => known === config.effort) ?? null;
  if (effort === null && typeof config.effort === 'string') {
    const why = 'the effort is unknown';
    rest.push({ path: 'output_config.effort', value: config.effort, verdict: 'dropped', why });
  }
  return thinking === null && effort === null ? null : { ...(thinking ?? UNSAID), effort };
}

const UNSAID: ReasoningOptions = { enabled: null, effort: null, budgetTokens: null, adaptive: false, summary: null };

function decodeThinking(wire: Wire, rest: RestField[]): ReasoningOptions | null {
  const type = textOrNull(wire.type);
  if (type === null) return null;
  const members = entryOf(THINKING_MEMBERS, type);
  if (members === undefined) {
    rest.push({
      path: 'thinking',
      value: wire,
      verdict: 'dropped',
      why: 'the type of thinking is unknown',
    });
    return null;
  }
  noteUnknown(wire, members, 'thinking', rest);
  const display = textOrNull(wire.display);
  const summary = display === null ? null : (entryOf(SUMMARIES, display) ?? null);
  if (display !== null && summary === null && members.has('display')) {
    const why = 'the thinking display mode is unknown';
    rest.push({ path: 'thinking.display', value: display, verdict: 'dropped', why });
  }
  return {
    enabled: type !== 'disabled',
    effort: null,
    budgetTokens: type === 'enabled' ? numberOrNull(wire.budget_tokens) : null,
    adaptive: type === 'adaptive',
    summary,
  };
}
