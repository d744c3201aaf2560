import {
  type Content,
  FunctionCallingConfigMode,
  type GenerateContentResponse,
  GoogleGenAI,
  type Part,
} from '@google/genai';
import { IMAGE, SYSTEM, TOOL } from '../script.ts';
import type { Client, LoopCall, Reply, Results, Session } from './client.ts';

const COMMON = {
  format: 'gemini',
  takesToolImages: true,
  argumentsAreText: false,
  forms: ['whole', 'stream'],
} as const;

export const GEMINI_CLIENTS: readonly Client[] = [
  { ...COMMON, style: 'echoes the content', keepsAll: true, open: (call) => new GeminiSession(call, true) },
  { ...COMMON, style: 'keeps text and functionCall', keepsAll: false, open: (call) => new GeminiSession(call, false) },
];

class GeminiSession implements Session {
  private readonly history: Content[];
  private readonly sdk: GoogleGenAI;

  constructor(
    private readonly call: LoopCall,
    private readonly echoes: boolean,
  ) {
    this.sdk = new GoogleGenAI({ apiKey: call.apiKey, httpOptions: { baseUrl: call.origin, apiVersion: 'v1beta' } });
    this.history = [{ role: 'user', parts: [{ text: call.prompt }] }];
  }

  async ask(): Promise<Reply> {
    const { models } = this.sdk;
    const request = {
      model: this.call.model,
      contents: this.history,
      config: {
        systemInstruction: SYSTEM,
        ...(this.call.asks && { thinkingConfig: { includeThoughts: true, thinkingBudget: 4_000 } }),
        toolConfig: { functionCallingConfig: { mode: FunctionCallingConfigMode.AUTO } },
        tools: [
          {
            functionDeclarations: [
              { name: TOOL.name, description: TOOL.description, parametersJsonSchema: TOOL.parameters },
            ],
          },
        ],
      },
    };
    const chunks: GenerateContentResponse[] = [];
    if (this.call.form === 'whole') chunks.push(await models.generateContent(request));
    else for await (const chunk of await models.generateContentStream(request)) chunks.push(chunk);
    const parts = chunks.flatMap((chunk) => chunk.candidates?.[0]?.content?.parts ?? []);
    this.history.push({ role: 'model', parts: this.echoes ? parts.filter(isSaid) : rebuilt(parts) });
    const calls = parts.flatMap(({ functionCall }) =>
      functionCall === undefined
        ? []
        : { id: functionCall.id ?? '', name: functionCall.name ?? '', args: functionCall.args },
    );
    return { text: textOf(parts), calls };
  }

  answer(results: Results): Promise<Reply> {
    const parts = results.map(({ call: { id, name }, found }): Part => {
      const media = found.showsImage ? { parts: [{ inlineData: { mimeType: 'image/png', data: IMAGE } }] } : {};
      const response = { output: found.result };
      return { functionResponse: { ...(id === '' ? {} : { id }), name, response, ...media } };
    });
    this.history.push({ role: 'user', parts });
    return this.ask();
  }
}

/** The last chunk of a stream has an empty text. Google's SDK leaves it out of a chat's history, because Gemini refuses it. */
function isSaid({ text, thoughtSignature }: Part): boolean {
  return text !== '' || thoughtSignature !== undefined;
}

function textOf(parts: readonly Part[]): string {
  return parts.map(({ text, thought }) => (thought === true ? '' : (text ?? ''))).join('');
}

function rebuilt(parts: readonly Part[]): Part[] {
  const text = textOf(parts);
  return [
    ...(text === '' ? [] : [{ text }]),
    ...parts.flatMap(({ functionCall }) => (functionCall === undefined ? [] : { functionCall })),
  ];
}
