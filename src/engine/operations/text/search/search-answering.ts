import type { RoutingFacts } from '../../../../domain/exchange/routing-info.ts';
import { billableOf } from '../../../../domain/exchange/usage.ts';
import { Failure } from '../../../../domain/failure/failure.ts';
import type { Billable } from '../../../../domain/money/quantity.ts';
import { NO_SURCHARGE, ONE_FACTOR } from '../../../../domain/money/surcharge.ts';
import { isRecord } from '../../../../formats/shared/json/record.ts';
import type { SearchWriting } from '../../../../formats/text/shared/gateway-search.ts';
import type { TextTarget } from '../../../directory/target.ts';
import type { Extras } from '../../../ports/billing.ts';
import type { WebSearcher } from '../../../ports/web-search.ts';
import { type ExtrasInput, extrasOf } from '../extras.ts';
import type { TextJobInput } from '../text-job.ts';
import type { Translation } from '../translation.ts';
import type { WrittenRequest } from '../written-request.ts';
import { SearchSession } from './search-session.ts';
import { searchToolOf } from './search-tool.ts';
import { type SearchedRequest, SearchingLane } from './searching-lane.ts';

const NO_EXTRAS: Extras = { ...NO_SURCHARGE, askedTierFactor: ONE_FACTOR, others: [], drawing: null, isUnknown: false };

/** Answers one request with a hosted web search over targets that cannot search themselves. */
export class SearchAnswering implements SearchedRequest {
  private session: SearchSession | null = null;

  private constructor(
    private readonly input: TextJobInput,
    private readonly searcher: WebSearcher,
    readonly writing: SearchWriting,
    private readonly extrasInput: ExtrasInput,
  ) {}

  /** Returns `null` if the request asks for no search, or the operator has switched it off. */
  static of(input: TextJobInput, extrasInput: () => ExtrasInput): SearchAnswering | null {
    const { services, inbound, turn, ways, outcome } = input;
    const { searching = null } = services.ports;
    if (searching === null || !searching.isOn) return null;
    const writing = inbound.format.searching;
    if (writing === undefined || !asksForSearch(turn.whole.body)) return null;
    const searcher = searching.searcherFor(ways.model, outcome.batch ?? null);
    return searcher === null ? null : new SearchAnswering(input, searcher, writing, extrasInput());
  }

  /** Returns the targets; those that search themselves come first. */
  inOrder(targets: readonly TextTarget[]): readonly TextTarget[] {
    if (targets.length < 2 || !targets.some(searches) || targets.every(searches)) return targets;
    return [...targets.filter(searches), ...targets.filter((target) => !searches(target))];
  }

  /** Returns the lane to a target that cannot search; `null` for one that can. */
  lane(target: TextTarget, routing: RoutingFacts, translation: () => Translation): SearchingLane | null {
    return searches(target) ? null : new SearchingLane(this, target, routing, translation());
  }

  /** The usage of the finished rounds; `null` before the first. */
  get spent(): Billable | null {
    const spent = this.session?.spent ?? null;
    return spent === null ? null : billableOf(spent);
  }

  async sessionFor(translation: Translation): Promise<SearchSession | Failure> {
    if (this.session !== null) return this.session;
    const request = await translation.requestLater();
    if (request instanceof Failure) return request;
    const tool = searchToolOf(request);
    if (tool === null || (request.candidateCount ?? 1) > 1) {
      return new Failure('unsupported_parameter', {
        message: 'The model cannot search the web itself, and the gateway searches for requests with one answer only.',
        param: request.names['candidate-count'] ?? 'n',
        kind: 'loss_refused',
        hint: 'Ask for one answer, or leave the web search out.',
      });
    }
    const { newId } = this.input.services.ports;
    this.session = new SearchSession(request, tool, this.searcher, newId);
    return this.session;
  }

  extrasOf(target: TextTarget, written: WrittenRequest, { maxSearches }: SearchSession): Extras | Failure {
    const own = extrasOf(target, written, this.extrasInput);
    if (own instanceof Failure) return own;
    const { maxRounds, priceUsd } = this.searcher;
    const { account, credential } = this.input.principal;
    const isLimited = account.billing === 'prepaid' || credential.limitNanoUsd !== null;
    if (priceUsd === null && isLimited) return unpriced();
    const extras = own ?? NO_EXTRAS;
    const toolCalls = extras.toolCalls + maxSearches;
    const isUnknown = extras.isUnknown || priceUsd === null;
    return { ...extras, toolCalls, isUnknown, rounds: maxRounds, ...(priceUsd !== null && { ownSearchUsd: priceUsd }) };
  }
}

/** Returns whether the target searches the web itself, and so gets the client's own tool. */
function searches({ encoding: { carries } }: TextTarget): boolean {
  const carriage = carries['web-search'];
  return carriage === 'exact' || carriage.verdict === 'approximated';
}

const GEMINI_SEARCHES = ['googleSearch', 'google_search', 'googleSearchRetrieval', 'google_search_retrieval'];

/** Returns whether a body in any client format has a hosted web search that the gateway could run. */
function asksForSearch({ tools, web_search_options: options }: Readonly<Record<string, unknown>>): boolean {
  if (isRecord(options)) return true;
  return Array.isArray(tools) && tools.some(isSearchTool);
}

function isSearchTool(tool: unknown): boolean {
  if (!isRecord(tool)) return false;
  const { type, external_web_access: access } = tool;
  if (typeof type === 'string') return type.startsWith('web_search') && access !== false;
  return GEMINI_SEARCHES.some((name) => name in tool);
}

function unpriced(): Failure {
  return new Failure('unsupported_parameter', {
    message: 'The request has a web search, for which the gateway has no price.',
    param: 'tools',
    kind: 'loss_refused',
    hint: 'Leave it out, or ask the operator to set a price for the search model.',
  });
}
