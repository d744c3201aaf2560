import { describe, expect, test } from 'bun:test';
import { applyEdits } from '../../../formats/shared/json/json-patch.ts';
import { messagesBetas as bedrock } from '../../../providers/bedrock/quirks.ts';
import { messagesBetas as vertex } from '../../../providers/vertex/quirks.ts';
import { listIn, sentBetas } from './known-betas.ts';

const CLOUDS = [
  ['bedrock', bedrock],
  ['vertex', vertex],
] as const;
const OPUS_4_5 = 'global.anthropic.claude-opus-4-5-20251101-v1:0';
const HAIKU_4_5 = 'global.anthropic.claude-haiku-4-5-20251001-v1:0';
const TOOL = { name: 'read', input_schema: { type: 'object' } };

interface Asked {
  readonly header?: string;
  readonly model?: string;
  readonly further?: readonly string[];
}

function sent(betas: typeof bedrock, body: object, { header, model = OPUS_4_5, further = [] }: Asked) {
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  const target = { betas, model, provider: 'cloud', further };
  const result = sentBetas({ body: bytes, value: body as Record<string, unknown>, header }, target);
  const left: unknown = JSON.parse(new TextDecoder().decode(applyEdits(bytes, result.edits)));
  const losses = Object.fromEntries(result.losses.map(({ field, verdict }) => [field, verdict]));
  return { flags: result.flags, body: left, losses };
}

describe.each(CLOUDS)('the betas of a request to %s', (_, betas) => {
  test('are those it supports; members that need others are removed with them', () => {
    const body = {
      tools: [{ ...TOOL, defer_loading: true, input_examples: [{}], eager_input_streaming: true }],
      system: [{ type: 'text', text: 'S', cache_control: { type: 'ephemeral', scope: 'global', ttl: '1h' } }],
      output_config: { effort: 'high', task_budget: { type: 'tokens', total: 20_000 } },
      context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] },
      speed: 'fast',
    };
    const header =
      'claude-code-20250219,advanced-tool-use-2025-11-20, context-management-2025-06-27,prompt-caching-scope-2026-01-05,fast-mode-2026-02-01';
    expect(sent(betas, body, { header })).toEqual({
      flags: ['context-management-2025-06-27', 'tool-search-tool-2025-10-19', 'tool-examples-2025-10-29'],
      body: {
        tools: [{ ...TOOL, defer_loading: true, input_examples: [{}] }],
        system: [{ type: 'text', text: 'S', cache_control: { type: 'ephemeral', ttl: '1h' } }],
        output_config: { effort: 'high' },
        context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] },
      },
      losses: {
        'tools[].eager_input_streaming': 'dropped',
        'system[].cache_control.scope': 'dropped',
        'output_config.task_budget': 'dropped',
        speed: 'dropped',
        'anthropic-beta: claude-code-20250219': 'dropped',
        'anthropic-beta: prompt-caching-scope-2026-01-05': 'dropped',
        'anthropic-beta: fast-mode-2026-02-01': 'dropped',
      },
    });
  });

  test('are added for members that need them if the client sent none', () => {
    const body = { tools: [{ ...TOOL, defer_loading: true }] };
    expect(sent(betas, body, {})).toEqual({ flags: ['tool-search-tool-2025-10-19'], body, losses: {} });
  });

  test('depend on the model', () => {
    const body = { tools: [{ ...TOOL, defer_loading: true, input_examples: [{}] }] };
    const header = 'advanced-tool-use-2025-11-20';
    expect(sent(betas, body, { header, model: HAIKU_4_5 })).toEqual({
      flags: [],
      body: { tools: [TOOL] },
      losses: {
        'tools[].defer_loading': 'dropped',
        'tools[].input_examples': 'dropped',
        'anthropic-beta: advanced-tool-use-2025-11-20': 'dropped',
      },
    });
  });

  test('of a member that changes the meaning refuse the request', () => {
    const { losses } = sent(betas, { mcp_servers: [{}], container: 'c', inference_geo: 'us' }, {});
    expect(losses).toEqual({ mcp_servers: 'refused', container: 'refused', inference_geo: 'refused' });
    const tools = [{ type: 'web_fetch_20250910', name: 'web_fetch' }];
    expect(sent(betas, { tools }, { header: 'web-fetch-2025-09-10' }).losses['tools[].type']).toBe('refused');
  });

  test('that are unknown remove unknown members too, unless the operator declares them', () => {
    const body = { new_member: 1, metadata: { user_id: 'u' }, tools: [{ ...TOOL, new_too: [1, 2] }] };
    const header = 'brand-new-2027-01-01';
    expect(sent(betas, body, { header })).toEqual({
      flags: [],
      body: { metadata: { user_id: 'u' }, tools: [TOOL] },
      losses: { new_member: 'dropped', 'tools[].new_too': 'dropped', [`anthropic-beta: ${header}`]: 'dropped' },
    });
    expect(sent(betas, body, { header, further: [header] })).toEqual({ flags: [header], body, losses: {} });
    expect(sent(betas, body, {})).toEqual({ flags: [], body, losses: {} });
  });
});

test('web search needs its flag at Vertex AI and is unavailable at Bedrock', () => {
  const body = { tools: [{ type: 'web_search_20250305', name: 'web_search' }] };
  expect(sent(vertex, body, {}).flags).toEqual(['web-search-2025-03-05']);
  expect(sent(bedrock, body, {}).losses).toEqual({ 'tools[].type': 'refused' });
});

test.each([
  [undefined, []],
  ['', []],
  [' a,b , a,,c', ['a', 'b', 'c']],
])('a list of flags is parsed from %p', (text, flags) => expect(listIn(text)).toEqual(flags));
