import Anthropic from '@anthropic-ai/sdk';
import { IMAGE, SYSTEM, TOOL } from '../script.ts';
import type { Client, LoopCall, Reply, Results, Session } from './client.ts';

const COMMON = {
  format: 'anthropic-messages',
  takesToolImages: true,
  argumentsAreText: false,
  forms: ['whole', 'stream'],
} as const;

export const ANTHROPIC_CLIENTS: readonly Client[] = [
  { ...COMMON, style: 'echoes the content', keepsAll: true, open: (call) => new AnthropicSession(call, true) },
  { ...COMMON, style: 'keeps text and tool_use', keepsAll: false, open: (call) => new AnthropicSession(call, false) },
];

class AnthropicSession implements Session {
  private readonly history: Anthropic.MessageParam[];
  private readonly sdk: Anthropic;

  constructor(
    private readonly call: LoopCall,
    private readonly echoes: boolean,
  ) {
    this.sdk = new Anthropic({ baseURL: call.origin, apiKey: call.apiKey, maxRetries: 0, logLevel: 'off' });
    this.history = [{ role: 'user', content: call.prompt }];
  }

  async ask(): Promise<Reply> {
    const { messages } = this.sdk;
    const request = {
      model: this.call.model,
      max_tokens: 16_000,
      system: SYSTEM,
      ...(this.call.asks && { thinking: thinkingOf(this.call.model) }),
      tools: [
        {
          name: TOOL.name,
          description: TOOL.description,
          input_schema: { ...TOOL.parameters, required: [...TOOL.parameters.required] },
        },
      ],
      messages: this.history,
    };
    const { content } =
      this.call.form === 'whole' ? await messages.create(request) : await messages.stream(request).finalMessage();
    this.history.push({ role: 'assistant', content: this.echoes ? content : rebuilt(content) });
    const calls = content.flatMap((block) =>
      block.type === 'tool_use' ? { id: block.id, name: block.name, args: block.input } : [],
    );
    return { text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''), calls };
  }

  answer(results: Results): Promise<Reply> {
    const content = results.map(({ call: { id }, found }): Anthropic.ToolResultBlockParam => {
      if (!found.showsImage) return { type: 'tool_result', tool_use_id: id, content: found.result };
      const source = { type: 'base64' as const, media_type: 'image/png' as const, data: IMAGE };
      return {
        type: 'tool_result',
        tool_use_id: id,
        content: [
          { type: 'text', text: found.result },
          { type: 'image', source },
        ],
      };
    });
    this.history.push({ role: 'user', content });
    return this.ask();
  }
}

function rebuilt(content: readonly Anthropic.ContentBlock[]): Anthropic.ContentBlockParam[] {
  return content.flatMap((block): Anthropic.ContentBlockParam[] => {
    if (block.type === 'text') return [{ type: 'text', text: block.text }];
    return block.type === 'tool_use' ? [{ type: 'tool_use', id: block.id, name: block.name, input: block.input }] : [];
  });
}

/** Later models refuse a budget. A client of Claude's own format knows which model it uses. */
function thinkingOf(model: string) {
  return model.includes('adaptive')
    ? { type: 'adaptive' as const }
    : { type: 'enabled' as const, budget_tokens: 4_000 };
}
