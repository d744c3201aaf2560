import type { Message, Part, ToolCallPart, ToolResultPart } from '../../../../domain/exchange/part.ts';
import type { ExchangeRequest, ToolChoice, WebSearchTool } from '../../../../domain/exchange/request.ts';
import { type ExchangeResponse, isCutOff } from '../../../../domain/exchange/response.ts';
import { bothRounds, type Usage } from '../../../../domain/exchange/usage.ts';
import type { FoundPage, RanSearch } from '../../../../domain/exchange/web-search.ts';
import { Failure } from '../../../../domain/failure/failure.ts';
import type { WaitingClient } from '../../../ports/upstream.ts';
import type { WebSearcher } from '../../../ports/web-search.ts';
import { roughTokensOfPrompt } from '../estimate-tokens.ts';
import { functionNameFor, queryOf, resultText, withSearchFunction } from './search-tool.ts';

/** The most searches that run at the same time for one request. */
const MOST_AT_ONCE = 4;
/** The share of the usual results for OpenAI's `search_context_size`. */
const SHARES: Readonly<Record<string, number>> = { low: 0.6, high: 1.6 };
const MOST_RESULTS = 20;

/**
 * The rounds of one request: what the model has said and what was found so far. If a target fails before anything was shown, the next one
 * continues from here, so no search runs twice.
 */
export class SearchSession {
  /** The sources in the order of their numbers. */
  readonly pages: FoundPage[] = [];
  /** The usage of the finished rounds, with all searches; `null` before the first. */
  spent: Usage | null = null;
  /** The number of finished rounds. */
  rounds = 0;
  readonly toolName: string;
  readonly maxSearches: number;
  /** The parts of the finished rounds, as the client sees them. */
  readonly shown: Part[] = [];
  private searches = 0;
  private asked = 0;
  private readonly numbers = new Map<string, number>();
  private readonly turns: Message[] = [];
  private readonly first: ExchangeRequest;

  constructor(
    request: ExchangeRequest,
    private readonly tool: WebSearchTool,
    private readonly searcher: WebSearcher,
    private readonly newId: (prefix: string) => string,
  ) {
    this.toolName = functionNameFor(request);
    this.first = withSearchFunction(request, this.toolName);
    this.maxSearches = Math.min(searcher.maxSearches, tool.maxUses ?? searcher.maxSearches);
  }

  /** Returns the request of the next round. A forced call is forced once, and the last round calls nothing. */
  request(): ExchangeRequest {
    const { first, turns, rounds } = this;
    if (rounds === 0) return first;
    const { toolChoice } = first;
    const choice = this.isLast ? ({ mode: 'none' } as const) : unforced(toolChoice);
    return { ...first, toolChoice: choice, messages: [...first.messages, ...turns] };
  }

  private get isLast(): boolean {
    return this.rounds + 1 >= this.searcher.maxRounds;
  }

  /** Returns whether the gateway has to search before the model can go on. A call of the client's own tool goes to the client first. */
  continues({ candidates: [candidate] }: ExchangeResponse): boolean {
    if (candidate === undefined || this.isLast || isCutOff(candidate.finish)) return false;
    const calls = callsIn(candidate.parts);
    return calls.length > 0 && calls.every(({ name }) => name === this.toolName);
  }

  isSearch({ name }: Pick<ToolCallPart, 'name'>): boolean {
    return name === this.toolName;
  }

  /** Returns the usage of all rounds, with this one's. A round without a report is estimated. */
  withRound(usage: Usage | null, response: ExchangeResponse | null): Usage {
    const round = usage ?? this.estimated(response);
    const { raw: _, ...sum } = this.spent === null ? round : bothRounds(this.spent, round);
    const webSearches = this.searches + (usage?.webSearches ?? 0);
    const source = this.spent?.source === 'estimated' ? 'estimated' : round.source;
    return { ...sum, source, ...(webSearches > 0 && { webSearches }) };
  }

  /**
   * Runs the searches that the model has called for, and adds them to the conversation.
   *
   * @param ended is called after each search that has found pages, when `spent` includes it
   */
  async search(
    response: ExchangeResponse,
    client: WaitingClient,
    ended: () => void = () => undefined,
  ): Promise<readonly RanSearch[] | Failure> {
    const parts = response.candidates[0]?.parts ?? [];
    const calls = callsIn(parts);
    const spent = this.withRound(response.usage, response);
    this.rounds++;
    this.spent = spent;
    const found = () => {
      this.searches++;
      this.spent = { ...spent, webSearches: this.searches };
      ended();
    };
    const ran: RanSearch[] = [];
    for (let at = 0; at < calls.length; at += MOST_AT_ONCE) {
      const some = await Promise.all(calls.slice(at, at + MOST_AT_ONCE).map((call) => this.run(call, client, found)));
      for (const search of some) if (!(search instanceof Failure)) ran.push(search);
      const failure = some.find((search) => search instanceof Failure);
      if (failure !== undefined) return failure;
    }
    const results = calls.map((call, index): ToolResultPart => {
      const search = ran[index];
      const text = search === undefined ? '' : resultText(search, (page) => this.numberOf(page));
      return { type: 'tool-result', id: call.id, name: call.name, content: [{ type: 'text', text }] };
    });
    this.turns.push({ role: 'assistant', parts }, { role: 'tool', parts: results });
    return ran;
  }

  /** A failed search is told to the model. Only a client that has left ends the request, and pays for what was found. */
  private async run(
    { arguments: json }: ToolCallPart,
    client: WaitingClient,
    ended: () => void,
  ): Promise<RanSearch | Failure> {
    const id = this.newId('');
    const query = queryOf(json);
    const none = { id, query: query ?? '', pages: [] };
    if (query === null) return { ...none, error: 'invalid_tool_input' };
    if (this.asked >= this.maxSearches) return { ...none, error: 'max_uses_exceeded' };
    this.asked++;
    const { searcher, tool } = this;
    const found = await searcher.search({ query, count: this.count, ...termsOf(tool) }, client);
    if (!(found instanceof Failure)) ended();
    if (client.signal.aborted)
      return new Failure('client_closed_request', { message: 'The client closed the connection.' });
    if (found instanceof Failure) return { ...none, error: 'unavailable' };
    return { id, query, pages: found, error: null };
  }

  private get count(): number {
    const share = SHARES[this.tool.contextSize ?? ''] ?? 1;
    return Math.max(1, Math.min(MOST_RESULTS, Math.round(this.searcher.results * share)));
  }

  private numberOf(page: FoundPage): number {
    const known = this.numbers.get(page.url);
    if (known !== undefined) return known;
    const number = this.pages.push(page);
    this.numbers.set(page.url, number);
    return number;
  }

  private estimated(response: ExchangeResponse | null): Usage {
    const parts = response?.candidates[0]?.parts ?? [];
    const output = roughTokensOfPrompt({ ...this.first, tools: [], messages: [{ role: 'assistant', parts }] });
    const input = roughTokensOfPrompt(this.request());
    return { input, cachedInput: 0, cacheWrite: 0, output, reasoning: 0, source: 'estimated' };
  }
}

/** Returns the choice of later rounds, which forces nothing: a model that must search again would never answer. */
function unforced(choice: ToolChoice | null): ToolChoice | null {
  if (choice?.mode === 'allowed') return { ...choice, required: false };
  return choice?.mode === 'none' ? choice : null;
}

function termsOf({ allowedDomains, blockedDomains, userLocation }: WebSearchTool) {
  return { allowedDomains, blockedDomains, country: userLocation?.country ?? null };
}

function callsIn(parts: readonly Part[]): readonly ToolCallPart[] {
  return parts.filter((part): part is ToolCallPart => part.type === 'tool-call');
}
