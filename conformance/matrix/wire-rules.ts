import { documentsMissing, judgeAnswer, judgeError, judgeStream } from '../judges/index.ts';
import { type ClientFormat, serverSentEvents } from '../readers/index.ts';
import { deepDifferences } from '../shared/deep-difference.ts';
import { asObject, isObject, parseJson } from '../shared/json.ts';
import type { MatrixCase } from './cases.ts';
import { channelId } from './channels.ts';
import type { Lane } from './compare.ts';
import type { Form, WireAnswer } from './sdks/index.ts';

/** Without the published documents, only the contract is checked; the run lists what is missing. */
const hasDocuments = documentsMissing() === undefined;

/** Returns the violations of the format's published document and of the contract's `_routing` in a response. */
export function wireProblems(one: MatrixCase, format: ClientFormat, lane: Lane, answer: WireAnswer): readonly string[] {
  if (answer.status !== 200) {
    const invalid = hasDocuments ? judgeError(format, parseJson(answer.body)) : [];
    return invalid.map((line) => `invalid error: ${line}`);
  }
  const problems = documentProblems(format, lane, one.form, answer.body);
  // A provider's own violations are relayed unchanged; only those that the gateway added count.
  const own =
    lane === 'relayed' ? new Set(documentProblems(format, lane, one.form, one.recording.responseBody)) : undefined;
  const invalid = problems.filter((line) => !(own?.has(line) ?? false) && !isBeyondDocuments(line, one));
  const lines = invalid.map((line) => `invalid: ${line}`);
  return [...lines, ...(one.outcome === 'answer' ? routingProblems(one, format, answer) : [])];
}

/** Violations of the document that are not the gateway's fault. */
const BEYOND_DOCUMENTS: readonly {
  readonly problem: RegExp;
  readonly reason: string;
  readonly holds: (one: MatrixCase) => boolean;
}[] = [
  {
    problem: /inlineData\/data: must match format "byte"$/,
    reason: 'recorders truncate media, with three dots in the middle of the base64 text or in its place',
    holds: ({ recording }) => /"[\w+/=]*\.\.\.[\w+/=]*"/.test(recording.responseBody),
  },
  {
    problem: /\/delta\/tool_calls\/\d+\/type: must be one of "function"$/,
    reason:
      "the SDK's chunks have custom tool calls, but the document's do not yet (github.com/openai/openai-openapi, issue 576)",
    holds: ({ expected }) =>
      expected?.candidates.some(({ toolCalls }) => toolCalls.some((call) => typeof call.arguments === 'string')) ??
      false,
  },
];

function isBeyondDocuments(line: string, one: MatrixCase): boolean {
  return BEYOND_DOCUMENTS.some(({ problem, holds }) => problem.test(line) && holds(one));
}

function documentProblems(format: ClientFormat, lane: Lane, form: Form, body: string): readonly string[] {
  if (!hasDocuments) return [];
  if (form === 'whole') return judgeAnswer(format, parseJson(body), lane);
  const problems = judgeStream(format, serverSentEvents(body), lane);
  // Many events have the same problem, but at different indexes in the stream and in the relayed stream.
  return [...new Set(problems.map((line) => line.replace(/^event \d+/, 'event')))];
}

/**
 * `_routing` must be the same in the header and in the body; in a stream it is in the last object, if the
 * format has a place for it, and only the body has the cost.
 */
function routingProblems(one: MatrixCase, format: ClientFormat, { headers, body }: WireAnswer): readonly string[] {
  const inHeader = parseJson(headers.get('x-routing') ?? '');
  if (!isObject(inHeader)) return [`the header x-routing is ${headers.get('x-routing')}`];
  const inBody = routingInBody(one.form, format, body);
  if (!isObject(inBody)) return [`_routing is ${JSON.stringify(inBody)} in the body`];
  const { cost, ...others } = inBody;
  const expected = one.form === 'whole' ? inBody : others;
  const problems = deepDifferences(inHeader, expected).map(({ path }) => `_routing.${path} is not that of the header`);
  const channel = asObject(inBody.channel).id;
  if (channel !== channelId(one.upstream)) problems.push(`_routing names the channel ${String(channel)}`);
  if (cost === undefined) problems.push('_routing has no cost');
  return problems;
}

function routingInBody(form: Form, format: ClientFormat, body: string): unknown {
  if (form === 'whole') return asObject(parseJson(body))._routing;
  const objects = serverSentEvents(body).map(({ data }) => parseJson(data));
  const last = asObject(objects.findLast(isObject));
  return format === 'openai-responses' ? asObject(last.response)._routing : last._routing;
}
