import { describe, expect, test } from 'bun:test';
import type { Message } from '../../../domain/exchange/part.ts';
import { wrapState } from '../shared/state-token.ts';
import { carries } from './capabilities.ts';
import { decode, encode, foreign, target } from './testing/samples.ts';

const user: Message = {
  role: 'user',
  parts: [{ type: 'text', text: 'hi', path: 'messages[1].content' }],
  path: 'messages[1]',
};

describe('thinking', () => {
  const unsaid = { enabled: null, effort: null, budgetTokens: null, adaptive: false, summary: null };
  const names = {
    'reasoning-effort': 'reasoning_effort',
    temperature: 'temperature',
    'max-output-tokens': 'max_tokens',
  };
  const think = (model: string, reasoning: object, more: object = {}) =>
    encode(foreign({ names, messages: [user], reasoning: { ...unsaid, ...reasoning }, ...more }), target(model));

  test('is a budget within max_tokens for older models', () => {
    const { body, losses } = think('claude-sonnet-4-5', { effort: 'low' }, { maxOutputTokens: 500, temperature: 0.3 });
    expect(body).toMatchObject({ thinking: { type: 'enabled', budget_tokens: 1024 }, max_tokens: 1524 });
    expect(body.temperature).toBeUndefined();
    expect(losses).toEqual(['reasoning_effort: approximated', 'max_tokens: approximated', 'temperature: dropped']);
  });

  test('is adaptive with an effort for newer models', () => {
    const { body, losses } = think('claude-opus-4-7', { effort: 'minimal', summary: 'auto' });
    expect(body.thinking).toEqual({ type: 'adaptive', display: 'summarized' });
    expect(body.output_config).toEqual({ effort: 'low' });
    expect(losses).toEqual(['reasoning_effort: approximated']);
    expect(think('claude-opus-4-6', { effort: 'xhigh' }).body.output_config).toEqual({ effort: 'high' });
    expect(think('claude-opus-4-6', { budgetTokens: 5000 }).body.thinking).toEqual({
      type: 'enabled',
      budget_tokens: 5000,
    });
    expect(think('claude-opus-4-8', { budgetTokens: 5000 }).body.output_config).toEqual({ effort: 'medium' });
  });

  test('reports a summary that differs from the request', () => {
    const hidden = think('claude-opus-4-6', { budgetTokens: 5000, summary: 'none' });
    expect(hidden.body.thinking).toEqual({ type: 'enabled', budget_tokens: 5000, display: 'omitted' });
    expect(hidden.losses).toEqual([]);
    const shown = think('claude-sonnet-4-5', { budgetTokens: 5000, summary: 'none' });
    expect(shown.body.thinking).toEqual({ type: 'enabled', budget_tokens: 5000 });
    expect(shown.losses).toEqual(['reasoning-summary: dropped']);
    expect(think('claude-opus-4-7', { effort: 'low', summary: 'detailed' }).losses).toEqual([
      'reasoning-summary: approximated',
    ]);
  });

  test("is named in the losses by the client's own field", () => {
    const namesOf = (body: object) =>
      decode({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }], ...body }).names;
    const adaptive = namesOf({ thinking: { type: 'adaptive' } });
    expect(adaptive).toMatchObject({ 'reasoning-effort': 'thinking.type', 'reasoning-budget': 'thinking.type' });
    const budget = namesOf({ thinking: { type: 'enabled', budget_tokens: 2000 }, output_format: { type: 'x' } });
    expect(budget).toMatchObject({
      'reasoning-effort': 'thinking.budget_tokens',
      'reasoning-budget': 'thinking.budget_tokens',
      'json-schema': 'output_format',
    });
    expect(namesOf({ output_config: { effort: 'low' } })).toMatchObject({
      'reasoning-effort': 'output_config.effort',
      'reasoning-budget': 'output_config.effort',
    });
  });

  test('is disabled if on by default, and only lowered if always on', () => {
    expect(think('claude-opus-4-7', { effort: 'none' }).body.thinking).toBeUndefined();
    expect(think('claude-sonnet-5', { effort: 'none' }).body.thinking).toEqual({ type: 'disabled' });
    const always = think('claude-fable-5', { enabled: false });
    expect(always.body).toMatchObject({ output_config: { effort: 'low' } });
    expect(always.losses).toEqual(['reasoning_effort: approximated']);
  });

  test('is disabled for a forced tool, and for calls without their reasoning', () => {
    const tools = [{ type: 'function', name: 'f', description: null, parameters: null, strict: null }];
    const forced = think('claude-opus-4-5', { effort: 'high' }, { tools, toolChoice: { mode: 'required' } });
    expect(forced.body.thinking).toBeUndefined();
    expect(forced.losses).toEqual(['reasoning_effort: dropped']);
    const call = { role: 'assistant', parts: [{ type: 'tool-call', id: 'a', name: 'f', arguments: '{}' }] };
    const result = { role: 'tool', parts: [{ type: 'tool-result', id: 'a', content: [] }] };
    const going = think('claude-opus-4-5', { effort: 'high' }, { tools, messages: [user, call, result] });
    expect(going.body.thinking).toBeUndefined();
  });

  test('is not requested from a model without it', () => {
    expect(think('claude-3-5-haiku-20241022', { effort: 'high' })).toMatchObject({
      losses: ['reasoning_effort: dropped'],
    });
  });

  test("of a client of this format stops after calls that another provider's model reasoned about", () => {
    const signature = wrapState({ family: 'google', data: 'g', provider: 'google', channel: 'g' });
    const body = (thought: string) => ({
      model: 'claude-opus-4-5',
      max_tokens: 4096,
      thinking: { type: 'enabled', budget_tokens: 2048 },
      messages: [
        { role: 'user', content: 'x' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 't', signature: thought },
            { type: 'tool_use', id: 'a', name: 'f', input: {} },
          ],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a' }] },
      ],
    });
    const lost = encode(decode(body(signature)), target('claude-opus-4-5'));
    expect(lost.body.thinking).toBeUndefined();
    expect(lost.losses).toContain('thinking: dropped');
    expect(encode(decode(body('sig')), target('claude-opus-4-5')).body).toEqual(body('sig'));
  });
});

describe('a budget that the provider lists as ignored', () => {
  const budget = { verdict: 'dropped', why: 'it is ignored' } as const;
  const lacking = target('claude-sonnet-4-5', { carries: { ...carries, 'reasoning-budget': budget } });

  test('is reported, and the model uses its default', () => {
    const reasoning = { enabled: true, effort: null, budgetTokens: 3_000, adaptive: false, summary: null };
    const { body, losses } = encode(foreign({ reasoning, maxOutputTokens: 20_000 }), lacking);
    expect(losses).toEqual(['reasoning-budget: dropped']);
    expect(body.thinking).toEqual({ type: 'enabled', budget_tokens: 8_192 });
  });

  test('from a client of this format is reported by its own field, and the body is valid', () => {
    const thinking = { type: 'enabled', budget_tokens: 3_000 };
    const own = decode({ model: 'm', max_tokens: 4_000, messages: [{ role: 'user', content: 'hi' }], thinking });
    const { body, losses } = encode(own, lacking);
    expect(losses).toEqual(['thinking.budget_tokens: dropped']);
    expect(body.thinking).toEqual({ type: 'enabled', budget_tokens: 1_024 });
  });
});
