import { budgetOf, budgetOfEffort, effortOf, isReasoningOff } from '../../../domain/exchange/reasoning.ts';
import { EFFORTS, type Effort, type ReasoningOptions } from '../../../domain/exchange/request.ts';
import { nearestEffort } from '../shared/nearest-effort.ts';
import type { Encoding } from './encoding.ts';
import type { ModelDialect } from './schema.ts';

export function encodeThinking(encoding: Encoding, isForced: boolean): void {
  const { request, dialect } = encoding;
  const options = request.reasoning;
  if (options === null) return;
  const saysNothing = effortOf(options) === null && options.enabled === null && !options.adaptive;
  if (saysNothing && options.summary === null) return;
  if (dialect.thinking === 'none') {
    noteThinking(encoding, 'dropped', 'this model is not known to think through the Converse API');
    return;
  }
  if (dialect.isClaude && isForced && !isReasoningOff(options)) {
    noteThinking(encoding, 'dropped', 'Claude does not think when a tool call is forced');
    return;
  }
  if (dialect.thinking === 'claude-budget') encodeBudget(encoding, options);
  else if (dialect.thinking === 'claude-adaptive') encodeAdaptive(encoding, options);
  else encodeEffort(encoding, options, dialect.thinking);
  noteSummary(encoding, options);
}

function noteThinking({ request, losses }: Encoding, verdict: 'dropped' | 'approximated', why: string): void {
  const { names, reasoning } = request;
  const feature = reasoning?.budgetTokens === null ? 'reasoning-effort' : 'reasoning-budget';
  losses.note({ field: names[feature] ?? names['reasoning-effort'] ?? 'reasoning', verdict, why });
}

const SMALLEST_BUDGET = 1_024;
/** The smallest limit on output among these models is 32,000 tokens, and a budget must stay below it. */
const LARGEST_BUDGET_OF_EFFORT = 31_999;

function encodeBudget(encoding: Encoding, options: ReasoningOptions): void {
  const { additional, inference } = encoding;
  if (isReasoningOff(options)) {
    additional.thinking = { type: 'disabled' };
    return;
  }
  const asked = budgetOf(options) ?? budgetOfEffort('medium');
  const limit = inference.maxTokens === undefined ? Number.POSITIVE_INFINITY : inference.maxTokens - 1;
  const most = options.budgetTokens === null ? LARGEST_BUDGET_OF_EFFORT : asked;
  const budget = Math.min(Math.max(asked, SMALLEST_BUDGET), most, limit);
  if (budget < SMALLEST_BUDGET) {
    const why = 'Claude thinks with at least 1,024 tokens, and the output limit leaves no room for them';
    noteThinking(encoding, 'dropped', why);
    return;
  }
  if (options.budgetTokens !== budget) {
    noteThinking(encoding, 'approximated', `this model accepts a token budget, here ${budget}`);
  }
  additional.thinking = { type: 'enabled', budget_tokens: budget };
  leaveSamplingAlone(encoding);
}

function noteSummary({ request, losses, dialect }: Encoding, { summary }: ReasoningOptions): void {
  if (summary === null || summary === 'auto') return;
  const field = request.names['reasoning-summary'] ?? 'reasoning.summary';
  if (dialect.thinking !== 'claude-adaptive') {
    losses.note({ field, verdict: 'dropped', why: 'this model has no option to show its thinking differently' });
  } else if (summary !== 'none') {
    const why = 'Claude has one kind of summary, neither concise nor detailed';
    losses.note({ field, verdict: 'approximated', why });
  }
}

function encodeAdaptive(encoding: Encoding, options: ReasoningOptions): void {
  const { additional, dialect, claude } = encoding;
  if (isReasoningOff(options)) {
    if (claude?.thinking === 'always') {
      additional.output_config = { effort: 'low' };
      noteThinking(encoding, 'approximated', 'this model always thinks; the lowest effort is requested');
    } else additional.thinking = { type: 'disabled' };
    return;
  }
  const { summary } = options;
  const display = summary === null ? {} : { display: summary === 'none' ? 'omitted' : 'summarized' };
  additional.thinking = { type: 'adaptive', ...display };
  const effort = effortOf(options);
  if (effort !== null) additional.output_config = { effort: chooseEffort(encoding, effort, dialect.efforts) };
  leaveSamplingAlone(encoding);
}

/** Drops parameters that Claude refuses while it thinks (Anthropic, "Extended thinking", "Feature compatibility"). */
function leaveSamplingAlone({ request, losses, inference, additional }: Encoding): void {
  const why = 'Claude does not accept this while it thinks';
  if (inference.temperature !== undefined && inference.temperature !== 1) {
    delete inference.temperature;
    losses.note({ field: request.names.temperature ?? 'temperature', verdict: 'dropped', why });
  }
  if (inference.topP !== undefined && inference.topP < 0.95) {
    delete inference.topP;
    losses.note({ field: request.names['top-p'] ?? 'top_p', verdict: 'dropped', why });
  }
  if (additional.top_k !== undefined) {
    delete additional.top_k;
    losses.note({ field: request.names['top-k'] ?? 'top_k', verdict: 'dropped', why });
  }
}

function encodeEffort(encoding: Encoding, options: ReasoningOptions, style: ModelDialect['thinking']): void {
  const { additional, dialect } = encoding;
  const asked = effortOf(options) ?? 'medium';
  if (style === 'nova') {
    if (asked === 'none') additional.reasoningConfig = { type: 'disabled' };
    else encodeNova(encoding, chooseEffort(encoding, asked, dialect.efforts));
    return;
  }
  if (asked === 'none' && !dialect.efforts.includes('none')) {
    noteThinking(encoding, 'dropped', 'thinking cannot be disabled for this model');
    return;
  }
  const effort = chooseEffort(encoding, asked, dialect.efforts);
  if (style === 'effort') additional.reasoning_effort = effort;
  else additional.reasoning = { effort };
}

/**
 * Writes Nova's reasoning config. With high effort Nova 2 requires these members to be unset, and otherwise answers with a 400.
 */
function encodeNova({ request, losses, inference, additional }: Encoding, maxReasoningEffort: Effort): void {
  additional.reasoningConfig = { type: 'enabled', maxReasoningEffort };
  if (maxReasoningEffort !== 'high') return;
  const unset = [
    ['maxTokens', request.names['max-output-tokens'] ?? 'max_tokens'],
    ['temperature', request.names.temperature ?? 'temperature'],
    ['topP', request.names['top-p'] ?? 'top_p'],
  ] as const;
  for (const [member, field] of unset) {
    if (inference[member] === undefined) continue;
    delete inference[member];
    losses.note({ field, verdict: 'dropped', why: 'Nova 2 does not accept this with high reasoning effort' });
  }
}

/** Returns the model's effort that is nearest to the wanted one. */
function chooseEffort(encoding: Encoding, asked: Effort, known: readonly string[]): Effort {
  const rule = encoding.target.quirks.find((quirk) => quirk.kind === 'efforts');
  const values = EFFORTS.filter((effort) => (rule?.values ?? known).includes(effort));
  const eligible = asked === 'none' ? values : values.filter((effort) => effort !== 'none');
  const nearest = nearestEffort(asked, eligible);
  const isExact = nearest === asked && encoding.request.reasoning?.effort === asked;
  if (!isExact) noteThinking(encoding, 'approximated', `this model accepts an effort, here ${nearest}`);
  return nearest;
}
