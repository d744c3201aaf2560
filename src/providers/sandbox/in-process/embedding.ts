import { z } from 'zod';
import { embeddingsText } from '../../shared/local-answer.ts';
import { tokenThread } from '../../shared/token-thread.ts';

const USUAL_DIMENSIONS = 256;
const MOST_DIMENSIONS = 1_024;
/** About the 300,000 tokens that OpenAI accepts in one request. */
const MOST_CHARACTERS = 1_200_000;
/** Inputs are compared by groups of this many letters, so that words with a common beginning or end count as similar. */
const LETTERS = 3;

const tokens = z.array(z.int().nonnegative()).min(1);
const request = z.object({
  model: z.string(),
  input: z.union([z.string().min(1), z.array(z.string().min(1)).min(1), tokens, z.array(tokens).min(1)]),
  encoding_format: z.enum(['float', 'base64']).nullish(),
  dimensions: z.int().min(1).max(MOST_DIMENSIONS).nullish(),
});
type Input = string | readonly number[];

export interface WrongEmbedding {
  readonly message: string;
  readonly param: string | null;
}

/** Returns an answer like OpenAI's, as JSON text: made-up vectors of length 1, the same for the same input. */
export async function embeddings(body: unknown): Promise<string | WrongEmbedding> {
  const parsed = request.safeParse(body);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return { message: issue?.message ?? 'Invalid request.', param: issue?.path.join('.') || null };
  }
  const { model, input, encoding_format: encoding, dimensions } = parsed.data;
  const inputs = inputsOf(input);
  const size = inputs.reduce((sum, { length }) => sum + length, 0);
  if (size > MOST_CHARACTERS) {
    return {
      message: `The inputs have ${size} characters or tokens in total; the limit is ${MOST_CHARACTERS}.`,
      param: 'input',
    };
  }
  const length = dimensions ?? USUAL_DIMENSIONS;
  const vectors = Iterator.from(inputs).map((one) => vectorOf(one, length));
  return await embeddingsText({ model, vectors, encoding: encoding ?? 'float', tokens: await tokensIn(inputs) });
}

/** Treats a list of numbers as one input, and any other list as one input per item. */
function inputsOf(input: z.output<typeof request>['input']): readonly Input[] {
  if (typeof input === 'string') return [input];
  const lists = input.filter((one) => typeof one !== 'number');
  return lists.length === input.length ? lists : [input.filter((one) => typeof one === 'number')];
}

async function tokensIn(inputs: readonly Input[]): Promise<number> {
  const texts = inputs.filter((one) => typeof one === 'string');
  const inLists = inputs.reduce((sum, one) => sum + (typeof one === 'string' ? 0 : one.length), 0);
  return inLists + (texts.length === 0 ? 0 : ((await tokenThread.count('sandbox', () => texts)) ?? 0));
}

/**
 * Adds or subtracts each group of letters in one dimension, chosen by its hash: texts that share many groups are near each other.
 */
function vectorOf(input: Input, dimensions: number): Float32Array {
  const sums = new Float64Array(dimensions);
  const count = (feature: string) => {
    const hash = Bun.hash.xxHash32(feature);
    const at = (hash >>> 1) % dimensions;
    sums[at] = (sums[at] ?? 0) + (hash % 2 === 0 ? 1 : -1);
  };
  if (typeof input === 'string') {
    const text = ` ${input.toLowerCase()} `;
    for (let at = 0; at + LETTERS <= text.length; at++) count(text.slice(at, at + LETTERS));
  } else for (const token of input) count(`token ${token}`);
  const length = Math.hypot(...sums);
  if (length === 0) sums[0] = 1;
  return Float32Array.from(sums, (sum) => sum / (length || 1));
}
