import OpenAI from 'openai';
import type {
  Response,
  ResponseCreateParamsNonStreaming,
  ResponseInputItem,
} from 'openai/resources/responses/responses';
import { IMAGE, SYSTEM, TOOL } from '../script.ts';
import type { Client, LoopCall, Reply, Results, Session } from './client.ts';

const COMMON = {
  format: 'openai-responses',
  takesToolImages: true,
  argumentsAreText: true,
  forms: ['whole', 'stream'],
} as const;

type Style = 'stateless' | 'stored' | 'by id' | 'encrypted by id' | 'calls only';

export const RESPONSES_CLIENTS: readonly Client[] = [
  {
    ...COMMON,
    style: 'echoes the items, encrypted and not stored',
    keepsAll: true,
    open: (call) => new ResponsesSession(call, 'stateless'),
  },
  { ...COMMON, style: 'echoes the items', keepsAll: true, open: (call) => new ResponsesSession(call, 'stored') },
  {
    ...COMMON,
    style: 'previous_response_id, encrypted',
    keepsAll: true,
    open: (call) => new ResponsesSession(call, 'encrypted by id'),
  },
  { ...COMMON, style: 'previous_response_id', keepsAll: true, open: (call) => new ResponsesSession(call, 'by id') },
  {
    ...COMMON,
    style: 'keeps function calls',
    keepsAll: false,
    open: (call) => new ResponsesSession(call, 'calls only'),
  },
];

class ResponsesSession implements Session {
  private input: ResponseInputItem[];
  private previousId: string | null = null;
  private readonly sdk: OpenAI;

  constructor(
    private readonly call: LoopCall,
    private readonly style: Style,
  ) {
    this.sdk = new OpenAI({ baseURL: `${call.origin}/v1`, apiKey: call.apiKey, maxRetries: 0, logLevel: 'off' });
    this.input = [{ role: 'user', content: call.prompt }];
  }

  async ask(): Promise<Reply> {
    const { responses } = this.sdk;
    const request = this.request();
    const response =
      this.call.form === 'whole'
        ? await responses.create(request)
        : await responses.stream({ ...request, stream: true }).finalResponse();
    this.keep(response);
    const calls = response.output.flatMap((item) =>
      item.type === 'function_call'
        ? { id: item.call_id, name: item.name, args: JSON.parse(item.arguments) as unknown }
        : [],
    );
    return { text: response.output_text ?? '', calls };
  }

  answer(results: Results): Promise<Reply> {
    for (const { call, found } of results) {
      const output = found.showsImage
        ? [
            { type: 'input_text' as const, text: found.result },
            { type: 'input_image' as const, image_url: `data:image/png;base64,${IMAGE}`, detail: 'auto' as const },
          ]
        : found.result;
      this.input.push({ type: 'function_call_output', call_id: call.id, output });
    }
    return this.ask();
  }

  private request() {
    return {
      model: this.call.model,
      instructions: SYSTEM,
      input: this.input,
      reasoning: { effort: 'medium', ...(this.call.asks && { summary: 'auto' }) },
      tools: [
        {
          type: 'function' as const,
          name: TOOL.name,
          description: TOOL.description,
          parameters: { ...TOOL.parameters },
          strict: false,
        },
      ],
      ...(this.style === 'stateless' && { store: false, include: ['reasoning.encrypted_content' as const] }),
      ...(this.style === 'encrypted by id' && { include: ['reasoning.encrypted_content' as const] }),
      ...(this.style.endsWith('by id') && { previous_response_id: this.previousId }),
    } satisfies ResponseCreateParamsNonStreaming;
  }

  private keep({ id, output }: Response): void {
    switch (this.style) {
      case 'by id':
      case 'encrypted by id':
        this.previousId = id;
        this.input = [];
        break;
      case 'calls only':
        for (const item of output) {
          if (item.type !== 'function_call') continue;
          const { type, call_id, name, arguments: text } = item;
          this.input.push({ type, call_id, name, arguments: text });
        }
        break;
      default:
        // OpenAI's docs do the same. The SDK's type of input items is narrower in places than that of output items.
        this.input.push(...(output as ResponseInputItem[]));
    }
  }
}
