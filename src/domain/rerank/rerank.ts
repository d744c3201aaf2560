/* The canonical form of rerank requests and answers, to and from which every rerank wire converts. */

export interface RerankRequest {
  /** The public id of the model. */
  readonly model: string;
  /** Not empty. */
  readonly query: string;
  /** At least one. */
  readonly documents: readonly string[];
  /** Whether the client sent documents as objects with a `text`. */
  readonly hasObjects: boolean;
  /** The number of results that the client wants, from 1 to the number of documents. Upstreams are asked for all of them. */
  readonly topN: number;
  /** Whether the client wants the text of each result's document returned. Upstreams are not asked for it. */
  readonly returnsDocuments: boolean;
  /** Other members of the body, which only some upstreams know. */
  readonly others: Readonly<Record<string, unknown>>;
}

export interface RerankAnswer {
  /**
   * One per document, in the order of the documents, from 0 to 1; higher is more relevant. `null` for a document that the
   * upstream has left out.
   */
  readonly scores: readonly (number | null)[];
  /** The tokens of the query and all documents, as counted by the upstream; `null` if it did not report them. */
  readonly tokens: number | null;
  /** The searches that the upstream charges; `null` if it did not report them. */
  readonly searchUnits: number | null;
  /** The model as the upstream names it. */
  readonly model: string | null;
}

/** The most documents in one search unit at the providers that charge for searches (Cohere's pricing page, Amazon Bedrock's). */
const DOCUMENTS_IN_SEARCH_UNIT = 100;

/** Returns the search units for this many documents, if none is so long that the provider splits it. */
export function searchUnitsOf(documents: number): number {
  return Math.ceil(documents / DOCUMENTS_IN_SEARCH_UNIT);
}

/** Returns the indexes of the best documents, the most relevant first; of equal ones the earlier first. */
export function bestOf({ scores }: Pick<RerankAnswer, 'scores'>, topN: number): readonly number[] {
  return scores
    .flatMap((score, index) => (score === null ? [] : [{ score, index }]))
    .sort((one, other) => other.score - one.score || one.index - other.index)
    .slice(0, topN)
    .map(({ index }) => index);
}

/** Returns a document in the form in which the client sent it. */
export function documentOf(
  { documents, hasObjects }: Pick<RerankRequest, 'documents' | 'hasObjects'>,
  index: number,
): string | { readonly text: string } {
  const text = documents[index] ?? '';
  return hasObjects ? { text } : text;
}

/** Joins the answers to several requests with the same query, in order. A count is unknown if one of them does not report it. */
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
