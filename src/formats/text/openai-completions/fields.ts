import type { FieldNames } from '../../../domain/exchange/loss.ts';
import type { FieldClass, FieldTable } from '../format.ts';
import { dropped, refused } from '../shared/verdicts.ts';

type Verdict = Exclude<FieldClass, string>;

/** This format's names for the features with a separate field. */
export const NAMES: FieldNames = {
  'max-output-tokens': 'max_tokens',
  temperature: 'temperature',
  'top-p': 'top_p',
  'top-k': 'top_k',
  'frequency-penalty': 'frequency_penalty',
  'presence-penalty': 'presence_penalty',
  seed: 'seed',
  stop: 'stop',
  'candidate-count': 'n',
  logprobs: 'logprobs',
  'logit-bias': 'logit_bias',
  user: 'user',
};

const CONSTRAINT =
  'an output constraint that only servers with this endpoint support; POST /v1/chat/completions accepts a `response_format` for all models';
const SAMPLING = 'a sampling parameter of open-weight servers';
const ROUTER = "a preference for OpenRouter's own routing";

/** Top-level members that the gateway knows and that no chat format has a place for. */
export const REST_FIELDS: Readonly<Record<string, Verdict>> = {
  response_format: refused(CONSTRAINT),
  grammar: refused(CONSTRAINT),
  json_schema: refused(CONSTRAINT),
  structured_outputs: refused(CONSTRAINT),
  guided_json: refused(CONSTRAINT),
  guided_regex: refused(CONSTRAINT),
  guided_choice: refused(CONSTRAINT),
  guided_grammar: refused(CONSTRAINT),
  prompt_logprobs: refused('a chat reports no log probabilities of its prompt'),
  prompt_embeds: refused('a chat is made of text'),
  images: refused('send content other than text in a message of POST /v1/chat/completions'),
  messages: refused('a chat; send it to POST /v1/chat/completions'),
  repetition_penalty: dropped(SAMPLING),
  min_p: dropped(SAMPLING),
  min_tokens: dropped(SAMPLING),
  ignore_eos: dropped(SAMPLING),
  provider: dropped(ROUTER),
  models: dropped(ROUTER),
  route: dropped(ROUTER),
  transforms: dropped('how OpenRouter shortens prompts that are too long'),
};

/**
 * Why a value of a field cannot be sent to a chat format although the field itself can. `request.ts` decides for which
 * values.
 */
export const WHY = {
  prompts: 'a chat answers one prompt per request; send each prompt separately (LangChain: `batch_size=1`)',
  tokens: 'token ids depend on the tokenizer; send the prompt as text',
  nothing: 'a chat requires a prompt that is not empty',
  suffix: 'a chat cannot fill in text between two texts',
  bestOf: 'a chat returns every response that it generates; omit it, or set it to `n`',
  noOutput: 'a chat writes at least one token',
  longEcho:
    'the prompt in front of each choice makes the response larger than 16 MiB; leave it out, or ask for fewer choices',
  echoedLogprobs: 'a chat reports no log probabilities of its prompt; leave out `echo` or `logprobs`',
} as const;

/** Every field of OpenAI's document, and those that other servers of this endpoint accept. */
export const fields: FieldTable = {
  model: 'exact',
  prompt: 'text',
  'prompt[]': refused(WHY.prompts),
  'prompt[][]': refused(WHY.tokens),
  stream: 'exact',
  stream_options: 'exact',
  'stream_options.include_usage': 'exact',
  'stream_options.include_obfuscation': dropped('padding against traffic analysis, which only OpenAI adds'),
  session_id: 'exact',
  echo: 'exact',
  suffix: refused(WHY.suffix),
  best_of: refused(WHY.bestOf),
  max_tokens: 'max-output-tokens',
  temperature: 'temperature',
  top_p: 'top-p',
  top_k: 'top-k',
  frequency_penalty: 'frequency-penalty',
  presence_penalty: 'presence-penalty',
  seed: 'seed',
  stop: 'stop',
  n: 'candidate-count',
  logprobs: 'logprobs',
  logit_bias: 'logit-bias',
  user: 'user',

  ...REST_FIELDS,
};
