import {
  compact,
  isObject,
  type JsonObject,
  listOf,
  numberOf,
  objectOf,
  parseJson,
  textOf,
} from '../../../shared/json.ts';
import { refusalIn } from '../../wire/refusal.ts';
import {
  type AnswerTurn,
  type Attachment,
  type Effort,
  isRepeated,
  type Tokens,
  type ToolCall,
  type Turn,
} from '../conversation.ts';
import { type AnswerReader, type ChatFormat, cacheHeaders, nativeOf, plainText } from './format.ts';

const BUDGETS: Readonly<Record<Effort, number>> = { low: 1024, medium: 8192, high: 24_576 };

export const gemini: ChatFormat = {
  id: 'gemini',
  request: (asked) => {
    const { temperature, maxTokens, effort, schema } = asked;
    const config = compact({
      temperature: temperature ?? undefined,
      maxOutputTokens: maxTokens ?? undefined,
      thinkingConfig: effort === null ? undefined : { includeThoughts: true, thinkingBudget: BUDGETS[effort] },
      ...(schema !== null && { responseMimeType: 'application/json', responseJsonSchema: schema }),
    });
    return {
      path: `/v1beta/models/${inPath(asked.model)}:streamGenerateContent?alt=sse`,
      ...cacheHeaders(asked),
      body: {
        json: compact({
          contents: asked.turns.filter(isRepeated).map(contentOf),
          systemInstruction: asked.system === '' ? undefined : { role: 'user', parts: [{ text: asked.system }] },
          generationConfig: Object.keys(config).length === 0 ? undefined : config,
          tools:
            asked.tools.length === 0
              ? undefined
              : [
                  {
                    functionDeclarations: asked.tools.map(({ parameters, ...tool }) => ({
                      ...tool,
                      parametersJsonSchema: parameters,
                    })),
                  },
                ],
        }),
      },
    };
  },
  reader: () => new Reader(),
};

function contentOf(turn: Turn): JsonObject {
  switch (turn.role) {
    case 'user':
      return { role: 'user', parts: [...turn.files.map(partOf), ...(turn.text === '' ? [] : [{ text: turn.text }])] };
    case 'tool':
      return {
        role: 'user',
        parts: turn.results.map(({ callId, name, output }) => ({
          functionResponse: { id: callId, name, response: { output } },
        })),
      };
    case 'answer':
      return { role: 'model', parts: nativeOf(turn, 'gemini') ?? plainParts(turn) };
  }
}

/** Encodes a model's id for a path; characters that are valid in a path stay as they are. */
function inPath(model: string): string {
  return encodeURI(model).replace(/[?#]/g, encodeURIComponent);
}

function plainParts({ text, calls }: AnswerTurn): JsonObject[] {
  const called = calls.map(({ id, name, arguments: given }) => ({
    functionCall: { id, name, args: objectOf(parseJson(given)) },
  }));
  return [...(text === '' ? [] : [{ text }]), ...called];
}

function partOf(file: Attachment): JsonObject {
  const text = plainText(file);
  return text === null ? { inlineData: { mimeType: file.type, data: file.base64 } } : { text };
}

type Part = Record<string, unknown>;

class Reader implements AnswerReader {
  isComplete = false;
  routing: unknown = null;
  private readonly parts: Part[] = [];
  private tokens: Tokens | null = null;
  private finish: string | null = null;

  read(event: JsonObject): void {
    if (isObject(event.error)) throw refusalIn(event, { status: 200, requestId: null });
    if (isObject(event._routing)) this.routing = event._routing;
    if (isObject(event.usageMetadata)) this.tokens = tokensIn(event.usageMetadata);
    const blocked = textOf(objectOf(event.promptFeedback).blockReason);
    const candidate = objectOf(listOf(event.candidates)[0]);
    for (const part of listOf(objectOf(candidate.content).parts).filter(isObject)) this.take(part);
    const finish = textOf(candidate.finishReason) || blocked;
    if (finish === '') return;
    this.finish = finish;
    this.isComplete = true;
  }

  /** Merges consecutive texts of the same kind. */
  private take(part: JsonObject): void {
    const last = this.parts.at(-1);
    const isMore =
      last !== undefined &&
      typeof last.text === 'string' &&
      typeof part.text === 'string' &&
      last.thought === part.thought &&
      last.thoughtSignature === undefined;
    if (!isMore) {
      this.parts.push({ ...part });
      return;
    }
    Object.assign(last, part, { text: textOf(last.text) + textOf(part.text) });
  }

  get draft() {
    const of = (isThought: boolean) =>
      this.parts
        .filter(({ thought }) => (thought === true) === isThought)
        .map(({ text }) => textOf(text))
        .join('');
    return { text: of(false), reasoning: of(true), calls: this.calls, tokens: this.tokens, finish: this.finish };
  }

  private get calls(): ToolCall[] {
    return this.parts.flatMap(({ functionCall }) => {
      if (!isObject(functionCall)) return [];
      const { id, name, args } = functionCall;
      return [{ id: textOf(id), name: textOf(name), arguments: JSON.stringify(args ?? {}) }];
    });
  }

  get native(): readonly JsonObject[] {
    return this.parts.filter((part) => part.text !== '' || part.thoughtSignature !== undefined);
  }
}

function tokensIn(usage: JsonObject): Tokens {
  const thoughts = numberOf(usage.thoughtsTokenCount) ?? 0;
  return {
    input: numberOf(usage.promptTokenCount) ?? 0,
    cached: numberOf(usage.cachedContentTokenCount) ?? 0,
    output: (numberOf(usage.candidatesTokenCount) ?? 0) + thoughts,
    reasoning: thoughts,
  };
}
