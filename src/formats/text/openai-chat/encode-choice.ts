import { type Quirk, quirkOf } from '../../quirk.ts';
import { isRecord } from '../../shared/json/record.ts';
import type { Body, EncodeContext } from './encoding.ts';

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
