/* What every wire of reranking reads its request from and brings its answer to, whatever client and upstream speak. */

export interface RerankRequest {
  /** The public id of the model. */
  readonly model: string;
  /** Not empty. */
  readonly query: string;
  /** At least one. */
  readonly documents: readonly string[];
  /** Whether the client has sent documents as objects with a `text`. */
  readonly hasObjects: boolean;
  /** How many results the client wants, from 1 to the number of documents. Upstreams are asked for all of them. */
  readonly topN: number;
  /** Whether the client wants the text of each result's document back. Upstreams are not asked for it. */
  readonly returnsDocuments: boolean;
  /** The members of the body beside these, which only some upstreams know. */
  readonly others: Readonly<Record<string, unknown>>;
}

export interface RerankAnswer {
  /**
   * One for each document, in the order of the documents; from 0 to 1, a higher one is more relevant. `null` for a document
   * that the upstream has left out.
   */
  readonly scores: readonly (number | null)[];
  /** Of the query and all documents together, as the upstream has counted them; `null` where it has not said it. */
  readonly tokens: number | null;
  /** How many searches the upstream charges; `null` where it has not said it. */
  readonly searchUnits: number | null;
  /** The model as the upstream names it. */
  readonly model: string | null;
}

/** The documents that one search unit holds at the providers that charge searches (Cohere's pricing page, Amazon Bedrock's). */
const DOCUMENTS_IN_SEARCH_UNIT = 100;

/** The search units of so many documents, none of which is so long that the provider cuts it into several. */
export function searchUnitsOf(documents: number): number {
  return Math.ceil(documents / DOCUMENTS_IN_SEARCH_UNIT);
}

/** The indexes of the best documents, the most relevant first; of equal ones the earlier first. */
export function bestOf({ scores }: Pick<RerankAnswer, 'scores'>, topN: number): readonly number[] {
  return scores
    .flatMap((score, index) => (score === null ? [] : [{ score, index }]))
    .sort((one, other) => other.score - one.score || one.index - other.index)
    .slice(0, topN)
    .map(({ index }) => index);
}

/** A document as the client gets it back: as it has sent it. */
export function documentOf(
  { documents, hasObjects }: Pick<RerankRequest, 'documents' | 'hasObjects'>,
  index: number,
): string | { readonly text: string } {
  const text = documents[index] ?? '';
  return hasObjects ? { text } : text;
}

/** The answer to several requests with one query, in their order. What is counted is unknown if one of them does not say it. */
export function joinedAnswers(answers: readonly RerankAnswer[]): RerankAnswer {
  const sum = (counts: readonly (number | null)[]) =>
    counts.reduce((total, count) => (total === null || count === null ? null : total + count), 0);
  return {
    scores: answers.flatMap(({ scores }) => scores),
    tokens: sum(answers.map(({ tokens }) => tokens)),
    searchUnits: sum(answers.map(({ searchUnits }) => searchUnits)),
    model: answers[0]?.model ?? null,
  };
}
