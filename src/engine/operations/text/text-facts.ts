import type { RuleEffort } from '../../../domain/routing/model-rule.ts';
import { isRecord } from '../../../formats/shared/json/record.ts';
import type { ParsedRequest } from '../../../formats/text/client-request.ts';
import type { ClientFormat } from '../../../formats/text/format.ts';
import type { AnswerStoring } from '../../../formats/text/provider-state.ts';
import { type PromptWeight, weighPrompt } from '../../../formats/text/shared/prompt-weight.ts';
import type { RequestFacts } from '../../call/request-facts.ts';
import type { ResponseStore } from '../../ports/response-store.ts';
import { namedUser } from '../plain-facts.ts';
import { type ConnectionMemory, chainOf } from './connection-memory.ts';
import { openingOf } from './conversation-memory.ts';
import { CHAIN_LIMITS } from './issued-responses.ts';
import type { ClientHeaders } from './relayed-headers.ts';
import { sessionIn } from './session-id.ts';
import { statedEffort } from './stated-effort.ts';

/** English, code and Chinese all have between 3.5 and 4.5 bytes per token. */
const BYTES_PER_TOKEN = 4;

/** Where the earlier turns of a request are stored. */
interface StoredTurns {
  readonly accountId: string;
  readonly store: ResponseStore;
  readonly connection: ConnectionMemory | undefined;
}

/** The facts of a text request in any format. The body is walked at most once, and never counted by the tokenizer. */
export class TextFacts implements RequestFacts {
  private weighed: PromptWeight | null = null;

  constructor(
    private readonly format: ClientFormat,
    private readonly headers: ClientHeaders,
    /** With the earlier turns, once they are loaded. */
    private request: ParsedRequest,
    private readonly stored: StoredTurns,
  ) {}

  get stream(): boolean {
    return this.request.stream;
  }

  withPast(): Promise<void> | null {
    const { storing } = this.format;
    const id = storing?.previousId(this.request) ?? null;
    return storing === undefined || id === null ? null : this.loaded(storing, id);
  }

  /** Leaves out turns that are missing or too long: routing then fails, or asks the channel that has them. */
  private async loaded(storing: AnswerStoring, id: string): Promise<void> {
    const { accountId, store, connection } = this.stored;
    try {
      const chain = await chainOf(store, connection, { accountId, id }, CHAIN_LIMITS);
      if (chain.kind === 'found') this.request = storing.continueFrom(this.request, chain.responses);
    } catch {
      // Routing reads the same turns and reports the failure of the store.
    }
  }

  inputTokens(): number {
    const { textBytes, likelyMediaTokens } = this.weight();
    return Math.ceil(textBytes / BYTES_PER_TOKEN) + likelyMediaTokens;
  }

  tools(): number {
    const { tools, functions } = this.request.body;
    let count = Array.isArray(functions) ? functions.length : 0;
    if (Array.isArray(tools)) for (const tool of tools) count += toolsIn(tool);
    return count;
  }

  images(): number {
    return this.weight().imageParts;
  }

  audio(): number {
    return this.weight().audioParts;
  }

  files(): number {
    return this.weight().fileParts;
  }

  reasoningEffort(): RuleEffort {
    return statedEffort(this.request.body);
  }

  session(): string | null {
    const { request, headers, format } = this;
    const session = sessionIn(headers, request.body);
    return session === null ? openingOf(format.conversation(request)) : `id ${session}`;
  }

  user(): string | null {
    const { user, safety_identifier: identifier, metadata } = this.request.body;
    return namedUser(user ?? identifier ?? (isRecord(metadata) ? metadata.user_id : undefined));
  }

  private weight(): PromptWeight {
    const { request, format } = this;
    this.weighed ??= weighPrompt(request.body, format.conversation(request), request.bytes.length);
    return this.weighed;
  }
}

/** Returns the number of tools that an item declares: Gemini's format has lists of functions. */
function toolsIn(tool: unknown): number {
  if (!isRecord(tool)) return 0;
  const declared = tool.functionDeclarations ?? tool.function_declarations;
  if (!Array.isArray(declared)) return 1;
  const others = Object.keys(tool).length - 1;
  return declared.length + others;
}
