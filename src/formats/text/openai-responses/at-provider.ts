import type { AnswersAtProvider, StoredTurn } from '../../format.ts';
import { isRecord } from '../../shared/json/record.ts';

/** The form of response ids at OpenAI and at compatible providers. No other text may become part of a URL. */
const ID = /^[A-Za-z0-9][\w-]{0,255}$/;
/** The largest page size. */
const PAGE = '100';

/** `GET /v1/responses/{id}` and `GET /v1/responses/{id}/input_items` (OpenAI, API reference, "Get a model response"). */
export const atProvider: AnswersAtProvider = {
  url(createUrl, id) {
    if (!ID.test(id)) return null;
    const url = new URL(createUrl);
    url.pathname += `/${id}`;
    return url.href;
  },
  inputUrl(answerUrl, after) {
    const url = new URL(answerUrl);
    url.pathname += '/input_items';
    url.searchParams.set('order', 'asc');
    url.searchParams.set('limit', PAGE);
    if (after !== null) url.searchParams.set('after', after);
    return url.href;
  },
  answer(value, id) {
    if (!isRecord(value) || value.id !== id || !Array.isArray(value.output)) return null;
    const { previous_response_id: previous } = value;
    return { previousId: typeof previous === 'string' ? previous : null };
  },
  inputPage(value) {
    if (!isRecord(value) || !Array.isArray(value.data)) return null;
    const { data, has_more: hasMore } = value;
    const last: unknown = data.at(-1);
    const next = hasMore === true && isRecord(last) && typeof last.id === 'string' ? last.id : null;
    return { items: data, next };
  },
  itemIds({ inputJson, responseJson }: StoredTurn) {
    const response: unknown = JSON.parse(responseJson);
    return { input: idsOf(JSON.parse(inputJson)), output: idsOf(isRecord(response) ? response.output : []) };
  },
};

function idsOf(items: unknown): ReadonlySet<string> {
  const list = Array.isArray(items) ? items.filter(isRecord) : [];
  return new Set(list.flatMap(({ id }) => (typeof id === 'string' ? [id] : [])));
}
