import { budgetOf, effortOf, hasBudget, isReasoningOff } from '../../../domain/exchange/reasoning.ts';
import type { Effort, ReasoningOptions } from '../../../domain/exchange/request.ts';
import { isRecord } from '../../shared/json/record.ts';
import { type Quirk, quirkOf, type ThinkingStyle } from '../quirk.ts';
import { nearestEffort } from '../shared/nearest-effort.ts';
import type { Body, EncodeContext } from './encoding.ts';

/**
 * Writes the reasoning options in the provider's own style. Without one, uses the style of the chat client, otherwise the
 * effort.
 */
export function encodeReasoning(options: ReasoningOptions, body: Body, context: EncodeContext): void {
  const style = quirkOf(context.target.quirks, 'thinking-switch')?.style ?? styleOfClient(context);
  const said = encodeSummary(options, style, body, context) ? { ...options, summary: null } : options;
  const saysNothing =
    options.enabled === null && options.effort === null && options.budgetTokens === null && !options.adaptive;
  if (saysNothing && (style !== 'reasoning-object' || said.summary === null)) return;
  ENCODERS[style ?? 'effort'](said, body, context);
}

/** Returns the provider's style that the client's own reasoning member follows. */
function styleOfClient({ own, request: { names } }: EncodeContext): ThinkingStyle | null {
  if (!own.isOwn) return null;
  const used = `${names['reasoning-effort']} ${names['reasoning-budget']}`;
  if (/\bthinking\.(?:type|budget_tokens)/.test(used)) return 'thinking-type';
  if (/\breasoning\.(?:effort|enabled|max_tokens)/.test(used)) return 'reasoning-object';
  if (/\bchat_template_kwargs\b/.test(used)) return 'template-arguments';
  return names['reasoning-effort'] === 'enable_thinking' || names['reasoning-effort'] === 'thinking_budget'
    ? 'enable-thinking'
    : null;
}

/** Returns whether the summary setting was written as a separate member. */
function encodeSummary({ summary }: ReasoningOptions, style: ThinkingStyle | null, body: Body, context: EncodeContext) {
  const { own, request, losses } = context;
  if (summary === null) return false;
  if (own.isOwn && request.names['reasoning-summary'] === 'include_reasoning') {
    body.include_reasoning = summary !== 'none';
    return true;
  }
  if (style === 'reasoning-object') return false;
  // A chat client set this with another provider's member, which this provider does not have.
  const why = 'there is no option for how thinking is shown';
  losses.note({ field: request.names['reasoning-summary'] ?? 'reasoning.summary', verdict: 'dropped', why });
  return false;
}

/** Writes `reasoning_effort`, the norm of this format. */
function encodeEffortAlone(options: ReasoningOptions, body: Body, context: EncodeContext): void {
  const { losses } = context;
  const effort = effortOf(options);
  if (effort !== null) {
    encodeEffort(effort, body, context);
    return;
  }
  const why = 'without a stated amount, the model itself decides whether to think';
  losses.note({ field: context.request.names['reasoning-effort'] ?? 'reasoning_effort', verdict: 'approximated', why });
}

function encodeEffort(effort: Effort, body: Body, context: EncodeContext): void {
  const { losses, target } = context;
  const quirk = quirkOf(target.quirks, 'efforts');
  const said = quirk === undefined ? effort : nearestEffort(effort, quirk.values);
  body.reasoning_effort = said;
  if (said === effort || quirk === undefined) return;
  const field = context.request.names['reasoning-effort'] ?? 'reasoning_effort';
  losses.note({ field, verdict: 'approximated', why: `the nearest effort is ${said}: ${quirk.why}` });
}

function encodeThinkingType(options: ReasoningOptions, body: Body, context: EncodeContext): void {
  const { own, target } = context;
  const isOff = isReasoningOff(options);
  const isSwitchKnown = quirkOf(target.quirks, 'thinking-switch') !== undefined;
  const on = options.adaptive && own.isOwn ? 'adaptive' : 'enabled';
  const thinking: Body = { type: isOff ? 'disabled' : on };
  if (options.budgetTokens !== null && !isOff) {
    if (target.carries['reasoning-budget'] === 'exact') thinking.budget_tokens = options.budgetTokens;
    else if (options.effort === null) {
      const effort = effortOf(options);
      if (effort !== null) encodeEffort(effort, body, context);
    }
  }
  own.into('thinking', thinking);
  body.thinking = thinking;
  if (options.effort !== null && !isOff) encodeEffort(options.effort, body, context);
  // If the switch is known, an additional effort adds nothing, and some providers refuse the two together.
  else if (options.effort !== null && own.isOwn && !isSwitchKnown) body.reasoning_effort = options.effort;
}

function encodeEnableThinking(options: ReasoningOptions, body: Body, context: EncodeContext): void {
  const { own, losses } = context;
  const isOff = isReasoningOff(options);
  if (!own.isOwn || options.enabled !== null || isOff) body.enable_thinking = !isOff;
  if (own.isOwn && losses.isExact('reasoning-effort') && options.effort !== null && options.budgetTokens === null) {
    body.reasoning_effort = options.effort;
    return;
  }
  const budget = budgetOf(options);
  if (isOff || budget === null) return;
  body.thinking_budget = budget;
}

function encodeReasoningObject(options: ReasoningOptions, body: Body, { own, request, losses }: EncodeContext): void {
  const reasoning: Body = {};
  const isOff = isReasoningOff(options);
  if (options.effort !== null && !(isOff && options.effort !== 'none')) reasoning.effort = options.effort;
  else if (isOff) reasoning.enabled = false;
  else if (options.budgetTokens !== null && options.budgetTokens > 0) reasoning.max_tokens = options.budgetTokens;
  else if (options.enabled === true || options.adaptive) reasoning.enabled = true;
  if (own.isOwn && options.enabled !== null) reasoning.enabled = options.enabled;
  if (own.isOwn && options.budgetTokens !== null) reasoning.max_tokens = options.budgetTokens;
  else if (hasBudget(options) && reasoning.max_tokens === undefined) {
    const field = request.names['reasoning-budget'] ?? 'reasoning.max_tokens';
    losses.note({ field, verdict: 'approximated', why: 'only one of the two can be sent, here the effort' });
  }
  if (options.summary === 'none') reasoning.exclude = true;
  else if (options.summary !== null) reasoning.summary = options.summary;
  own.into('reasoning', reasoning);
  body.reasoning = reasoning;
}

function encodeTemplateArguments(options: ReasoningOptions, body: Body, context: EncodeContext): void {
  const { own } = context;
  const isOff = isReasoningOff(options);
  const given: Body = { enable_thinking: !isOff };
  own.into('chat_template_kwargs', given);
  body.chat_template_kwargs = given;
  if (isOff) return;
  const effort = effortOf(options);
  if (effort !== null) encodeEffort(effort, body, context);
}

const ENCODERS: Readonly<
  Record<ThinkingStyle, (options: ReasoningOptions, body: Body, context: EncodeContext) => void>
> = {
  effort: encodeEffortAlone,
  'thinking-type': encodeThinkingType,
  'enable-thinking': encodeEnableThinking,
  'reasoning-object': encodeReasoningObject,
  'template-arguments': encodeTemplateArguments,
};

/** Returns whether a body forces the model to call a tool while it thinks, and the provider refuses that. */
export function mustStopThinking(body: Readonly<Record<string, unknown>>, quirks: readonly Quirk[]): boolean {
  const isForbidden = quirks.some(({ kind }) => kind === 'unforced-while-thinking');
  return isForbidden && isForced(body.tool_choice) && !isOff(body);
}

function isForced(choice: unknown): boolean {
  if (isRecord(choice)) return choice.type !== 'allowed_tools';
  return choice === 'required' || choice === 'any';
}

function isOff({ thinking, enable_thinking: enabled, reasoning_effort: effort }: Body): boolean {
  return enabled === false || effort === 'none' || (isRecord(thinking) && thinking.type === 'disabled');
}

/** Switches thinking off, or leaves the choice to a model whose thinking has no switch. Notes what the client loses. */
export function stopThinking(body: Body, { target, request, losses }: EncodeContext): void {
  const style = quirkOf(target.quirks, 'thinking-switch')?.style;
  const { names } = request;
  if (style === 'thinking-type') body.thinking = { type: 'disabled' };
  else if (style === 'enable-thinking') body.enable_thinking = false;
  else {
    body.tool_choice = 'auto';
    const why = 'the model always thinks, and the provider does not allow forced tool calls with thinking';
    losses.note({ field: names['tool-choice'] ?? 'tool_choice', verdict: 'approximated', why });
    return;
  }
  delete body.reasoning_effort;
  delete body.thinking_budget;
  const why = 'the provider rejects forced tool calls while thinking, so thinking is off for this response';
  losses.note({ field: names['reasoning-effort'] ?? 'reasoning_effort', verdict: 'approximated', why });
}
