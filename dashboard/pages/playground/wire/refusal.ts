import { ApiError } from '../../../api/client.ts';
import { isObject, type JsonObject, listOf, numberOf, objectOf, parseJson, textOf } from '../../shared/json.ts';

/** An error of the gateway, in any of the four formats. */
export class Refusal extends ApiError {
  constructor(
    message: string,
    facts: { readonly status: number; readonly code: string; readonly param: string | null; requestId: string | null },
    hint: string | null,
    /** Suggested models. */
    readonly models: readonly string[],
    /** The seconds after which a retry may work. */
    readonly retryAfter: number | null,
  ) {
    super(message, facts.status, facts.code, facts.param, facts.requestId, hint);
  }
}

export async function refusalOf(answer: Response): Promise<Refusal> {
  const text = await answer.text().catch(() => '');
  const wait = Number(answer.headers.get('retry-after') ?? Number.NaN);
  return refusalIn(parseJson(text), {
    status: answer.status,
    requestId: answer.headers.get('x-request-id'),
    retryAfter: Number.isFinite(wait) ? wait : null,
  });
}

interface Around {
  readonly status: number;
  readonly requestId: string | null;
  readonly retryAfter?: number | null;
}

/** Parses the error in a body, or in an event of a stream. */
export function refusalIn(body: unknown, { status, requestId, retryAfter = null }: Around): Refusal {
  // Google's API wraps it in a list for requests without server-sent events.
  const whole = objectOf(Array.isArray(body) ? body[0] : body);
  const error = isObject(whole.error) ? whole.error : whole;
  const named = { ...error, ...metadataOf(error) };
  const code = textOf(named.code) || textOf(named.status) || textOf(named.type) || 'unknown';
  const models = [named.did_you_mean, ...ids(named.suggestions), ...ids(named.alternatives)].map(textOf);
  return new Refusal(
    textOf(error.message) || `HTTP ${status}`,
    { status, code, param: textOf(named.param) || null, requestId },
    textOf(named.hint) || null,
    [...new Set(models.filter(Boolean))],
    numberOf(named.retry_after) ?? retryAfter,
  );
}

/** Returns the object with which Google's format represents the envelope's further members. */
function metadataOf(error: JsonObject): JsonObject {
  const info = listOf(error.details).find((detail) => isObject(detail) && isObject(detail.metadata));
  return objectOf(objectOf(info).metadata);
}

function ids(list: unknown): unknown[] {
  return listOf(list).map((one) => objectOf(one).id);
}
