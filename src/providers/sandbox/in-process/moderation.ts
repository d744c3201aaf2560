import { z } from 'zod';

const CATEGORIES = [
  ...['harassment', 'harassment/threatening', 'hate', 'hate/threatening', 'illicit', 'illicit/violent'],
  ...['self-harm', 'self-harm/intent', 'self-harm/instructions', 'sexual', 'sexual/minors', 'violence'],
  'violence/graphic',
];
/** Makes the sandbox flag a text, for tests. */
const MARK = 'flag-me';

const part = z.union([
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('image_url') }),
]);
const request = z.object({
  model: z.string().default('sandbox-moderation'),
  input: z.union([z.string(), z.array(z.string()).min(1), z.array(part).min(1)]),
});

/** Returns an answer like OpenAI's, the same for the same request; `null` if the request is invalid. */
export function moderation(body: string, id: string): object | null {
  const parsed = request.safeParse(jsonOf(body));
  if (!parsed.success) return null;
  const { model, input } = parsed.data;
  return { id: `modr-${id}`, model, results: textsOf(input).map(verdictOn) };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Returns the texts to judge: parts are judged together, texts separately. */
function textsOf(input: z.output<typeof request>['input']): string[] {
  if (typeof input === 'string') return [input];
  const texts = input.filter((item) => typeof item === 'string');
  return texts.length === input.length
    ? texts
    : [input.map((item) => (typeof item === 'object' && 'text' in item ? item.text : '')).join(' ')];
}

function verdictOn(text: string): object {
  const flagged = text.toLowerCase().includes(MARK);
  const each = <Value>(of: (name: string) => Value) => Object.fromEntries(CATEGORIES.map((name) => [name, of(name)]));
  return {
    flagged,
    categories: each((name) => flagged && name === 'harassment'),
    category_scores: each((name) => (flagged && name === 'harassment' ? 0.98 : 0.01)),
    category_applied_input_types: each(() => ['text']),
  };
}
