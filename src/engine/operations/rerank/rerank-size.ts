import { amountOf, type Billable, completionTokensOf, promptTokensOf } from '../../../domain/money/quantity.ts';
import type { LargestRequest } from '../../../domain/money/tariff.ts';
import { type RerankRequest, searchUnitsOf } from '../../../domain/rerank/rerank.ts';
import { tokenThread } from '../../../providers/shared/token-thread.ts';
import type { RequestBounds } from '../../ports/billing.ts';

/** Marks that tokenizers put around each pair of query and document, and a template of instructions (Qwen3's has 80 tokens). */
const TOKENS_AROUND_PAIR = 128;
/** Allows for the difference between the vendors' tokenizers and the gateway's own. */
const TOKENIZER_MARGIN = 1.4;
/** Several times as long as the longest count takes. */
const COUNTED_WITHIN_MS = 5_000;
/** English, code and Chinese all have between 3.5 and 4.5. Used only if the tokenizer thread has failed. */
const CHARS_PER_TOKEN = 4;
/** A false alarm withholds an operator's revenue, while a missed one costs little. */
const PLAUSIBLE_FACTOR = 2;
/** A document that is longer, with the query, is charged as several (Cohere, "Pricing"; Amazon Bedrock's limit is 512). */
const TOKENS_IN_SEARCHED_DOCUMENT = 500;

/** The tokens and searches of one request. Models read the query with each document. */
export class RerankSize implements RequestBounds {
  private size: Required<Pick<LargestRequest, 'inputTokens' | 'requests'>> | null = null;

  constructor(
    private readonly accountId: string,
    private readonly request: Pick<RerankRequest, 'query' | 'documents'>,
  ) {}

  /** Assumes one token per byte, since no text has more tokens than bytes. */
  certain(): LargestRequest {
    const { inputTokens, requests } = this.inBytes();
    return sized(inputTokens, requests);
  }

  async counted(): Promise<LargestRequest | null> {
    const tokens = await this.countedTokens(COUNTED_WITHIN_MS);
    if (tokens === null) return null;
    const { inputTokens, requests } = this.inBytes();
    const likely = Math.ceil(tokens * TOKENIZER_MARGIN) + TOKENS_AROUND_PAIR * this.request.documents.length;
    return sized(Math.min(inputTokens, likely), requests);
  }

  isPlausible(billable: Billable): boolean {
    const { inputTokens, requests = 1 } = this.plausible();
    if (completionTokensOf(billable) > 0 || amountOf(billable, 'request') > requests) return false;
    return promptTokensOf(billable) <= inputTokens;
  }

  plausible(): LargestRequest {
    const { inputTokens, requests } = this.inBytes();
    return sized(PLAUSIBLE_FACTOR * inputTokens, PLAUSIBLE_FACTOR * requests);
  }

  /** Counts the tokens for an upstream that does not report usage. */
  async estimated(): Promise<number> {
    const { query, documents } = this.request;
    const characters = documents.reduce((sum, { length }) => sum + length, documents.length * query.length);
    return (await this.countedTokens(null)) ?? Math.ceil(characters / CHARS_PER_TOKEN);
  }

  /** Counts the query once for each document. */
  private async countedTokens(withinMs: number | null): Promise<number | null> {
    const { query, documents } = this.request;
    const [ofQuery, ofDocuments] = await Promise.all([
      tokenThread.count(this.accountId, () => [query], withinMs),
      tokenThread.count(this.accountId, () => documents, withinMs),
    ]);
    return ofQuery === null || ofDocuments === null ? null : ofQuery * documents.length + ofDocuments;
  }

  private inBytes() {
    if (this.size !== null) return this.size;
    const { query, documents } = this.request;
    const ofQuery = Buffer.byteLength(query);
    let inputTokens = 0;
    let searched = 0;
    for (const document of documents) {
      const ofPair = ofQuery + Buffer.byteLength(document);
      inputTokens += ofPair + TOKENS_AROUND_PAIR;
      searched += Math.ceil(ofPair / TOKENS_IN_SEARCHED_DOCUMENT);
    }
    this.size = { inputTokens, requests: searchUnitsOf(searched) };
    return this.size;
  }
}

function sized(inputTokens: number, requests: number): LargestRequest {
  return { inputTokens, isTextOnly: true, outputTokens: 0, requests };
}
