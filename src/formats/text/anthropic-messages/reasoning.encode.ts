import type { Part } from '../../../domain/exchange/part.ts';
import { budgetOf, effortOf, isReasoningOff } from '../../../domain/exchange/reasoning.ts';
import { EFFORTS, type Effort, type ExchangeRequest, type ReasoningOptions } from '../../../domain/exchange/request.ts';
import { type Encoding, fieldOf } from './encoding.ts';

type Body = Record<string, unknown>;

/** The API's smallest budget ("Extended thinking"). The budget must also be less than `max_tokens`. */
const LEAST_BUDGET = 1_024;
/** The effort for a client that asks for thinking without an amount. */
const USUAL_EFFORT: Effort = 'medium';

/** Writes `thinking` and `output_config.effort`; returns whether the model is going to think. */
export function encodeReasoning(encoding: Encoding, body: Body): boolean {
  const { request, own, profile, losses } = encoding;
  const { reasoning } = request;
  if (reasoning === null) return profile.thinksByDefault;
  if (own) return encodeOwn(encoding, reasoning, body);
  if (isReasoningOff(reasoning)) return switchOff(encoding, body);
  if (profile.thinking === 'none') {
    losses.note({ field: measureField(encoding), verdict: 'dropped', why: 'this model does not think' });
    return false;
  }
  if (profile.thinking !== 'always' && mustNotThink(encoding)) {
    if (profile.thinksByDefault) body.thinking = { type: 'disabled' };
    return false;
  }
  noteSummary(encoding, reasoning);
  const isByBudget = profile.thinking === 'budget' || (profile.thinking === 'both' && hasBudget(reasoning));
  if (isByBudget) thinkByBudget(encoding, reasoning, body);
  else thinkAdaptively(encoding, reasoning, body);
  return true;
}

/**
 * Writes the client's own settings unchanged, whatever the model. There is one exception: if the current turn began with the
 * thinking of another provider's model, that thinking was lost in translation, and the API would refuse to continue the turn
 * with thinking.
 */
function encodeOwn(encoding: Encoding, reasoning: ReasoningOptions, body: Body): boolean {
  const { enabled, adaptive, budgetTokens, effort } = reasoning;
  if (effort !== null) addToOutput(body, { effort });
  if (enabled === true && !adaptive && hasLostThoughts(encoding)) {
    encoding.losses.note({ field: 'thinking', verdict: 'dropped', why: THOUGHTS_MISSING });
    return false;
  }
  if (enabled === false) body.thinking = { type: 'disabled' };
  else if (adaptive) body.thinking = { type: 'adaptive', ...display(reasoning) };
  else if (enabled) {
    // If the budget is not carried, the API still requires one. The smallest fits under every output limit.
    body.thinking = { type: 'enabled', budget_tokens: budgetTokens ?? LEAST_BUDGET, ...display(reasoning) };
  }
  return enabled === true;
}

function display({ summary }: ReasoningOptions): { display?: string } {
  if (summary === null) return {};
  return { display: summary === 'none' ? 'omitted' : 'summarized' };
}

function noteSummary(encoding: Encoding, { summary }: ReasoningOptions): void {
  if (summary !== 'concise' && summary !== 'detailed') return;
  const why = 'Claude has one kind of summary, neither concise nor detailed';
  encoding.losses.note({ field: fieldOf(encoding, 'reasoning-summary'), verdict: 'approximated', why });
}

/**
 * Switches thinking off. If the model does not think by default, nothing has to be written; some of these models refuse
 * `disabled`.
 */
function switchOff(encoding: Encoding, body: Body): boolean {
  const { profile, losses } = encoding;
  if (!profile.thinksByDefault) return false;
  if (profile.thinking !== 'always') {
    body.thinking = { type: 'disabled' };
    return false;
  }
  addToOutput(body, { effort: 'low' });
  const why = 'this model always thinks; the lowest effort is requested';
  losses.note({ field: measureField(encoding), verdict: 'approximated', why });
  return true;
}

/**
 * Returns whether the API would refuse the request because of its thinking, which has two cases. Thinking is then switched off,
 * because it is the less important of the two settings.
 */
function mustNotThink(encoding: Encoding): boolean {
  const { profile, losses } = encoding;
  const field = measureField(encoding);
  if (isToolForced(encoding)) {
    losses.note({ field, verdict: 'dropped', why: 'Claude does not think when a tool call is forced' });
    return true;
  }
  if (profile.thinking === 'adaptive' || !continuesUnsignedCalls(encoding)) return false;
  losses.note({ field, verdict: 'dropped', why: THOUGHTS_MISSING });
  return true;
}

function isToolForced({ request: { toolChoice } }: Encoding): boolean {
  const mode = toolChoice?.mode;
  return mode === 'tool' || mode === 'required' || (toolChoice?.mode === 'allowed' && toolChoice.required);
}

const THOUGHTS_MISSING = 'Claude continues thinking after a tool call only if its earlier thinking is sent back';

/**
 * Returns whether the assistant's last turn calls tools without the signed thinking with which a thinking Claude model begins
 * such a turn.
 */
function continuesUnsignedCalls({ request }: Encoding): boolean {
  const parts = goingTurn(request);
  if (!parts.some(({ type }) => type === 'tool-call')) return false;
  return !parts.some((part) => part.type === 'reasoning' && part.state?.family === 'anthropic');
}

function hasLostThoughts(encoding: Encoding): boolean {
  const isForeign = (part: Part) =>
    (part.type === 'reasoning' || part.type === 'tool-call') &&
    part.state !== undefined &&
    part.state.family !== 'anthropic';
  return continuesUnsignedCalls(encoding) && goingTurn(encoding.request).some(isForeign);
}

/** Returns the parts of the assistant's turn that only tool results have followed. */
function goingTurn({ messages }: ExchangeRequest): readonly Part[] {
  const last = messages.findLast(({ role }) => role === 'assistant' || role === 'user');
  return last?.role === 'assistant' ? last.parts : [];
}

function hasBudget({ budgetTokens }: ReasoningOptions): boolean {
  return budgetTokens !== null && budgetTokens > 0;
}

function thinkByBudget(encoding: Encoding, reasoning: ReasoningOptions, body: Body): void {
  const { losses, profile } = encoding;
  const field = measureField(encoding);
  const wanted = budgetOf({ ...reasoning, effort: reasoning.effort ?? USUAL_EFFORT }) ?? LEAST_BUDGET;
  const budget = Math.min(Math.max(wanted, LEAST_BUDGET), profile.maxOutputTokens - 1);
  if (hasBudget(reasoning) && budget !== wanted) {
    const why = `the model's budgets range from ${LEAST_BUDGET} to ${profile.maxOutputTokens - 1} tokens`;
    losses.note({ field, verdict: 'approximated', why });
  }
  if (!hasBudget(reasoning) && reasoning.effort !== null) {
    if (profile.efforts.length > 0) addToOutput(body, { effort: nearestEffort(encoding, reasoning.effort) });
    else losses.note({ field, verdict: 'approximated', why: `sent as a thinking budget of ${budget} tokens` });
  }
  const isHidden = reasoning.summary === 'none';
  // Earlier models always show their thinking.
  const mayHide = profile.thinking === 'both';
  body.thinking = { type: 'enabled', budget_tokens: budget, ...(isHidden && mayHide ? display(reasoning) : {}) };
  if (isHidden && !mayHide) {
    const why = 'this model always shows its thinking';
    losses.note({ field: fieldOf(encoding, 'reasoning-summary'), verdict: 'dropped', why });
  }
  raiseMaxTokens(encoding, body, budget);
}

/**
 * Raises `max_tokens`, which includes thinking and must be more than the budget, so that the client's limit is left for the
 * answer.
 */
function raiseMaxTokens(encoding: Encoding, body: Body, budget: number): void {
  const { profile, losses } = encoding;
  const allowed = Number(body.max_tokens);
  if (allowed > budget) return;
  body.max_tokens = Math.min(budget + allowed, profile.maxOutputTokens);
  const why = `max_tokens includes the thinking, so it is raised to ${String(body.max_tokens)}`;
  losses.note({ field: fieldOf(encoding, 'max-output-tokens'), verdict: 'approximated', why });
}

function thinkAdaptively(encoding: Encoding, reasoning: ReasoningOptions, body: Body): void {
  // A model that always thinks needs no member, which the API refuses together with a forced call.
  if (!isToolForced(encoding)) body.thinking = { type: 'adaptive', ...display(reasoning) };
  const effort = effortOf(reasoning);
  if (effort === null) return;
  const nearest = nearestEffort(encoding, effort);
  addToOutput(body, { effort: nearest });
  if (!hasBudget(reasoning)) return;
  const why = `this model chooses its own budget; the effort ${nearest} is requested`;
  encoding.losses.note({ field: fieldOf(encoding, 'reasoning-budget'), verdict: 'approximated', why });
}

/** Returns the model's effort that is closest to the wanted one; the lower of two equally close efforts. */
function nearestEffort(encoding: Encoding, wanted: Effort): string {
  const quirk = encoding.target.quirks.find(({ kind }) => kind === 'efforts');
  const efforts: readonly string[] = quirk?.kind === 'efforts' ? quirk.values : encoding.profile.efforts;
  const ranked: readonly string[] = EFFORTS;
  const rank = (effort: string) => ranked.indexOf(effort);
  const distance = (effort: string) => Math.abs(rank(effort) - rank(wanted));
  const nearest = efforts.reduce(
    (best, effort) => (distance(effort) < distance(best) ? effort : best),
    efforts[0] ?? wanted,
  );
  if (nearest !== wanted) {
    const why = `this model's efforts are ${efforts.join(', ')}; ${nearest} is the nearest`;
    encoding.losses.note({ field: fieldOf(encoding, 'reasoning-effort'), verdict: 'approximated', why });
  }
  return nearest;
}

/** Returns the field to name in a loss: the one by which the client set the amount of thinking. */
function measureField(encoding: Encoding): string {
  const { reasoning } = encoding.request;
  const isBudget = reasoning !== null && reasoning.effort === null && reasoning.budgetTokens !== null;
  return fieldOf(encoding, isBudget ? 'reasoning-budget' : 'reasoning-effort');
}

export function addToOutput(body: Body, members: Readonly<Record<string, unknown>>): void {
  // Only this function writes the member, and always with an object.
  body.output_config = { ...(body.output_config as object | undefined), ...members };
}
