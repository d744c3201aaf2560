import { documentsMissing, FORMATS, type Format, judgeRequest } from '../judges/index.ts';
import { covers, hasPath, leavesOf } from '../requests/json-leaves.ts';
import { checkLeaves } from '../requests/leaf-check.ts';
import { asksToThink } from '../requests/recorded-requests.ts';
import { TARGET_FORMATS, type TargetFormat } from '../requests/targets.ts';
import { UpstreamContent } from '../requests/upstream-content.ts';
import { parse, type Translated, translate } from './in-process.ts';
import type { LeafRequest } from './leaf-requests.ts';
import { fileBehind } from './leaf-values.ts';

/** A problem with a request for one upstream format, or before any upstream was chosen. */
export interface LeafProblem {
  readonly request: LeafRequest;
  readonly target: TargetFormat | null;
  readonly problem: string;
}

const hasDocuments = documentsMissing() === undefined;
const media = {
  base64Of: (url: string) => (/^https:\/\/media\.example\//.test(url) ? fileBehind(url).base64 : undefined),
};

/** Sends the request to every format but its own. */
export async function checkLeafRequest(request: LeafRequest): Promise<readonly LeafProblem[]> {
  const { format, body } = request;
  const parsed = parse(format, body);
  if ('kind' in parsed) {
    return [{ request, target: null, problem: `not taken: ${JSON.stringify(parsed)}` }];
  }
  const problems: LeafProblem[] = [];
  const kind = asksToThink(body) ? 'thinking' : 'plain';
  for (const target of TARGET_FORMATS) {
    if (target === format) continue;
    const translated = await translate(format, parsed, target, kind);
    const found = problemsOf(request, translated, target, kind);
    problems.push(...found.map((problem) => ({ request, target, problem })));
  }
  return problems;
}

/** Returns whether the gateway accepts the request, as the contract defines its format. */
export function isTaken({ format, body }: LeafRequest): boolean {
  return !('kind' in parse(format, body));
}

function problemsOf(
  { format, body }: LeafRequest,
  translated: Translated,
  target: TargetFormat,
  kind: 'plain' | 'thinking',
): readonly string[] {
  if (translated.kind === 'failed') return [`failed: ${translated.message}`];
  if (translated.kind === 'refused') {
    const { param, message } = translated;
    return param !== null && isWritten(body, param)
      ? []
      : [`a refusal that names no field of the request: ${param}: ${message}`];
  }
  const upstream = new UpstreamContent(target, translated);
  const client = { name: '', format, text: '', body, stream: false, kind, headers: {} };
  const { vanished } = checkLeaves(client, upstream, translated.losses, media);
  // Without the documents, the values are still checked for losses.
  const documented = hasDocuments ? FORMATS.find((one): one is Format => one === target) : undefined;
  return [
    ...(documented === undefined ? [] : judgeRequest(documented, upstream.body).map((one) => `not valid: ${one}`)),
    ...vanished.map(({ path, value }) => `vanished: ${path} = ${JSON.stringify(value)}`),
    ...translated.losses
      .filter(({ field }) => !isWritten(body, field))
      .map(({ field, why }) => `a loss names what was not written: ${field}: ${why}`),
    ...translated.losses
      .filter((loss) => loss.verdict === 'dropped')
      .flatMap((loss) => carriedAnyway(body, loss.field, upstream)),
  ];
}

/** Returns whether the request has this path, as spelled by the client. */
function isWritten(body: unknown, field: string): boolean {
  return hasPath(body, field, (path) => path);
}

/**
 * Returns the texts that a loss reports as omitted although they were sent. Texts that occur twice in the
 * request prove nothing.
 */
function carriedAnyway(body: unknown, field: string, upstream: UpstreamContent): readonly string[] {
  const leaves = leavesOf(body);
  const said = leaves.filter(
    ({ path, value }) => covers(field, path) && /^(?:text of|value of|own_)/.test(String(value)),
  );
  return said
    .filter((one) => leaves.filter(({ value }) => value === one.value).length === 1)
    .filter(({ value }) => upstream.hasText(String(value)))
    .map(({ path }) => `said to be dropped, and carried: ${path}`);
}

export function describeLeafProblem({ request, target, problem }: LeafProblem): string {
  return `${request.format} to ${target ?? 'anywhere'}: ${request.about}: ${problem}`;
}
