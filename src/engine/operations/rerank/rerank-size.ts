import { amountOf, type Billable, completionTokensOf, promptTokensOf } from '../../../domain/money/quantity.ts';
import type { LargestRequest } from '../../../domain/money/tariff.ts';
import { type RerankRequest, searchUnitsOf } from '../../../domain/rerank/rerank.ts';
import { tokenThread } from '../../../providers/shared/token-thread.ts';
import type { RequestBounds } from '../../ports/billing.ts';

/** Marks that tokenizers put around each pair of query and document, and a template of instructions (Qwen3's has 80 tokens). */
const TOKENS_AROUND_PAIR = 128;
/** How much the vendors' tokenizers differ from the one at hand. */
const TOKENIZER_MARGIN = 1.4;
/** Several times what the longest takes. */
const COUNTED_WITHIN_MS = 5_000;
/** English, code and Chinese all have between 3.5 and 4.5; only where the tokenizer's thread has failed. */
const CHARS_PER_TOKEN = 4;
/** A wrong alarm keeps an operator from his money, a missed one costs little. */
const PLAUSIBLE_FACTOR = 2;
/** A document that has more with the query is charged as several (Cohere, "Pricing"; Amazon Bedrock's is 512). */
const TOKENS_IN_SEARCHED_DOCUMENT = 500;

/** How many tokens and searches one request comes to: models read the query with each of the documents. */
export class RerankSize implements RequestBounds {
  private size: Required<Pick<LargestRequest, 'inputTokens' | 'requests'>> | null = null;

  constructor(
    private readonly accountId: string,
    private readonly request: Pick<RerankRequest, 'query' | 'documents'>,
  ) {}

  /** No text has more tokens than bytes. */
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

  /** For an upstream that says nothing of it. */
  async estimated(): Promise<number> {
    const { query, documents } = this.request;
    const characters = documents.reduce((sum, { length }) => sum + length, documents.length * query.length);
    return (await this.countedTokens(null)) ?? Math.ceil(characters / CHARS_PER_TOKEN);
  }

  /** The query counts once for each document. */
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
